#include "core/settings_table.h"

#include <errno.h>

#include "base/num.h"

struct il_setting_type {
	int (*read)(const char *text, size_t length, void *ret_value);
	void (*put)(const void *value, struct il_text *text);
};

static int read_rate(const char *text, size_t length, void *ret_value)
{
	return il_num_rate(text, length, ret_value);
}

static int read_factor(const char *text, size_t length, void *ret_value)
{
	return il_num_factor(text, length, ret_value);
}

static int read_duration(const char *text, size_t length, void *ret_value)
{
	int64_t ns = 0;
	int rc = il_num_duration(text, length, &ns);

	if (rc != 0)
		return rc;
	if (ns == 0)
		return -ERANGE;
	*(int64_t *)ret_value = ns;
	return 0;
}

static int read_count(const char *text, size_t length, void *ret_value)
{
	uint64_t number = 0;
	int rc = il_num_whole(text, length, 1, UINT32_MAX, &number);

	if (rc == 0)
		*(uint32_t *)ret_value = (uint32_t)number;
	return rc;
}

static int read_boolean(const char *text, size_t length, void *ret_value)
{
	bool value = false;
	int rc = il_num_boolean(text, length, &value);

	if (rc == 0)
		*(uint32_t *)ret_value = value;
	return rc;
}

static const struct il_word window_words[] = {
	{ "COUNT_BASED", IL_COUNT_BASED },
	{ "TIME_BASED", IL_TIME_BASED },
};

static int read_window(const char *text, size_t length, void *ret_value)
{
	int value = 0;
	int rc = il_num_word(text, length, window_words, 2, &value);

	if (rc == 0)
		*(uint32_t *)ret_value = (uint32_t)value;
	return rc;
}

static int read_state(const char *text, size_t length, void *ret_value)
{
	for (uint32_t state = 0; state < IL_STATES; state++) {
		if (il_num_is_word(text, length, il_state_name(state))) {
			*(uint32_t *)ret_value = state;
			return 0;
		}
	}
	return -EINVAL;
}

static void put_number(const void *value, struct il_text *text)
{
	char digits[32];
	struct il_text number = il_text_in(digits, sizeof(digits));

	il_text_fixed(&number, *(const double *)value, 9);
	while (number.used > 1 && digits[number.used - 1] == '0')
		number.used--;
	if (digits[number.used - 1] == '.')
		number.used--;
	il_text_bytes(text, digits, number.used);
}

static void put_duration(const void *value, struct il_text *text)
{
	il_text_duration(text, *(const int64_t *)value);
}

static void put_count(const void *value, struct il_text *text)
{
	il_text_unsigned(text, *(const uint32_t *)value);
}

static void put_boolean(const void *value, struct il_text *text)
{
	uint32_t number = *(const uint32_t *)value;

	if (number > 1)
		il_text_unsigned(text, number);
	else
		il_text_add(text, number ? "true" : "false");
}

static void put_window(const void *value, struct il_text *text)
{
	uint32_t number = *(const uint32_t *)value;

	if (number > IL_TIME_BASED)
		il_text_unsigned(text, number);
	else
		il_text_add(text, window_words[number].word);
}

static void put_state(const void *value, struct il_text *text)
{
	uint32_t number = *(const uint32_t *)value;

	if (number >= IL_STATES)
		il_text_unsigned(text, number);
	else
		il_text_add(text, il_state_name(number));
}

static const struct il_setting_type RATE = { read_rate, put_number };
static const struct il_setting_type FACTOR = { read_factor, put_number };
static const struct il_setting_type DURATION = { read_duration, put_duration };
static const struct il_setting_type COUNT = { read_count, put_count };
static const struct il_setting_type BOOLEAN = { read_boolean, put_boolean };
static const struct il_setting_type WINDOW = { read_window, put_window };
static const struct il_setting_type STATE = { read_state, put_state };

const struct il_setting il_settings_table[IL_SETTINGS] = {
#define IL_SETTING(name, type, field, default_text, valid_text, help)                              \
	{ #name, &(type), offsetof(struct il_settings, field), default_text, valid_text, help },
#include "interlock/settings.def"
#undef IL_SETTING
};

int il_setting_read(const struct il_setting *setting, const char *text, size_t length,
		    struct il_settings *ret_settings)
{
	return setting->type->read(text, length, (char *)ret_settings + setting->offset);
}

void il_setting_put(const struct il_setting *setting, const struct il_settings *settings,
		    struct il_text *text)
{
	setting->type->put((const char *)settings + setting->offset, text);
}
