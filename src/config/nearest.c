#include "config/options_priv.h"
#include "core/settings_table.h"

#include <string.h>

void il_option_of_setting(const char *setting, char ret_variable[IL_VARIABLE_MAX])
{
	struct il_text text = il_text_in(ret_variable, IL_VARIABLE_MAX);

	il_text_add(&text, "INTERLOCK_");
	for (; *setting; setting++)
		il_text_char(&text,
			     *setting >= 'a' && *setting <= 'z' ? (char)(*setting - 32) : *setting);
}

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein's distance, one row at a time. Both are at most 63 bytes. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
	size_t b_length = strlen(b);
	uint8_t row[IL_VARIABLE_MAX];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = (uint8_t)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned diagonal = row[0];

		row[0] = (uint8_t)i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned above = row[j];

			row[j] = (uint8_t)smallest(above + 1, row[j - 1] + 1U,
						   diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[b_length];
}

struct best {
	const char *name;
	size_t length;
	unsigned distance;
	char *ret_variable;
};

static void consider(struct best *best, const char *variable)
{
	unsigned far = distance(best->name, best->length, variable);

	if (far >= best->distance)
		return;
	best->distance = far;
	memcpy(best->ret_variable, variable, strlen(variable) + 1);
}

void il_option_nearest(const char *name, size_t length, char ret_variable[IL_VARIABLE_MAX])
{
	struct best best = {
		.name = name,
		.length = length < IL_VARIABLE_MAX ? length : IL_VARIABLE_MAX - 1,
		.distance = UINT32_MAX,
		.ret_variable = ret_variable,
	};
	char variable[IL_VARIABLE_MAX];

	for (size_t i = 0; i < IL_OPTIONS; i++)
		consider(&best, il_options[i].variable);
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		il_option_of_setting(il_settings_table[i].name, variable);
		consider(&best, variable);
	}
}
