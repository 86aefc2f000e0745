#include "base/text.h"

#include <string.h>

struct il_text il_text_in(char *at, size_t size)
{
	at[0] = 0;
	return (struct il_text){ .at = at, .size = size };
}

void il_text_bytes(struct il_text *text, const char *bytes, size_t count)
{
	size_t room = text->size - 1 - text->used;

	if (text->cut)
		return;
	if (count > room) {
		text->cut = true;
		count = room;
	}
	memcpy(text->at + text->used, bytes, count);
	text->used += count;
	text->at[text->used] = 0;
}

void il_text_add(struct il_text *text, const char *string)
{
	il_text_bytes(text, string, strlen(string));
}

void il_text_char(struct il_text *text, char c)
{
	il_text_bytes(text, &c, 1);
}

static void add_digits(struct il_text *text, uint64_t value, unsigned base, unsigned digits)
{
	char buffer[20];
	size_t start = sizeof(buffer);

	while (start > 0 && (value > 0 || sizeof(buffer) - start < digits)) {
		buffer[--start] = "0123456789abcdef"[value % base];
		value /= base;
	}
	il_text_bytes(text, buffer + start, sizeof(buffer) - start);
}

void il_text_unsigned(struct il_text *text, uint64_t value)
{
	add_digits(text, value, 10, 1);
}

void il_text_padded(struct il_text *text, uint64_t value, unsigned digits)
{
	add_digits(text, value, 10, digits);
}

void il_text_hex(struct il_text *text, uint64_t value, unsigned digits)
{
	add_digits(text, value, 16, digits > 0 ? digits : 1);
}

/* Puts the sign, returns the size: -INT64_MIN does not fit a signed one. */
static uint64_t add_sign(struct il_text *text, int64_t value)
{
	if (value >= 0)
		return (uint64_t)value;
	il_text_char(text, '-');
	return -(uint64_t)value;
}

void il_text_signed(struct il_text *text, int64_t value)
{
	il_text_unsigned(text, add_sign(text, value));
}

void il_text_fixed(struct il_text *text, double value, unsigned digits)
{
	uint64_t scale = 1;

	if (!(value >= -1e9 && value <= 1e9)) {
		il_text_char(text, '?');
		return;
	}
	for (unsigned i = 0; i < digits; i++)
		scale *= 10;

	uint64_t scaled = (uint64_t)((value < 0 ? -value : value) * (double)scale + 0.5);

	if (value < 0 && scaled > 0)
		il_text_char(text, '-');
	il_text_unsigned(text, scaled / scale);
	if (digits > 0) {
		il_text_char(text, '.');
		il_text_padded(text, scaled % scale, digits);
	}
}

struct unit {
	uint64_t ns;
	unsigned digits; /* after the point, to be exact */
	const char *name;
};

static const struct unit units[] = {
	{ 1000000000, 9, "s" },
	{ 1000000, 6, "ms" },
	{ 1000, 3, "us" },
	{ 1, 0, "ns" },
};

static void add_duration(struct il_text *text, int64_t ns, unsigned digits_max)
{
	uint64_t size = add_sign(text, ns);
	const struct unit *unit = units;

	while (size > 0 && size < unit->ns)
		unit++;

	uint64_t rest = size % unit->ns;
	unsigned digits = unit->digits;

	while (digits > 0 && (digits > digits_max || rest % 10 == 0)) {
		rest /= 10;
		digits--;
	}
	il_text_unsigned(text, size / unit->ns);
	if (digits > 0) {
		il_text_char(text, '.');
		il_text_padded(text, rest, digits);
	}
	il_text_add(text, unit->name);
}

void il_text_duration(struct il_text *text, int64_t ns)
{
	add_duration(text, ns, 9);
}

void il_text_duration_short(struct il_text *text, int64_t ns)
{
	add_duration(text, ns, 3);
}

/* Days since 1970-01-01 to a date. The year is counted from March, so that a leap day comes last,
 * in eras of 400 years, which are all alike. */
static void add_date(struct il_text *text, uint64_t days)
{
	uint64_t since = days + 719468; /* 0000-03-01 */
	uint64_t era = since / 146097, day = since % 146097;
	uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;

	day -= 365 * year + year / 4 - year / 100;

	uint64_t month = (5 * day + 2) / 153; /* 0 is March */

	day -= (153 * month + 2) / 5;
	il_text_padded(text, era * 400 + year + (month >= 10), 4);
	il_text_char(text, '-');
	il_text_padded(text, month < 10 ? month + 3 : month - 9, 2);
	il_text_char(text, '-');
	il_text_padded(text, day + 1, 2);
}

void il_text_time(struct il_text *text, int64_t wall_ns)
{
	uint64_t ms = wall_ns > 0 ? (uint64_t)wall_ns / 1000000 : 0;
	uint64_t second = ms / 1000;

	add_date(text, second / 86400);
	il_text_char(text, 'T');
	il_text_padded(text, second / 3600 % 24, 2);
	il_text_char(text, ':');
	il_text_padded(text, second / 60 % 60, 2);
	il_text_char(text, ':');
	il_text_padded(text, second % 60, 2);
	il_text_char(text, '.');
	il_text_padded(text, ms % 1000, 3);
	il_text_char(text, 'Z');
}

static void add_escaped(struct il_text *text, unsigned char byte)
{
	const char *hex = "0123456789abcdef";
	char escape[4] = { '\\', 'x', hex[byte >> 4], hex[byte & 15] };

	if (text->used + sizeof(escape) >= text->size)
		text->cut = true;
	il_text_bytes(text, escape, sizeof(escape));
}

bool il_text_is_name_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c != 0 && strchr(".:_%/[]-", c));
}

void il_text_name(struct il_text *text, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (il_text_is_name_byte(bytes[i]))
			il_text_char(text, bytes[i]);
		else
			add_escaped(text, (unsigned char)bytes[i]);
	}
}

void il_text_quoted(struct il_text *text, const char *bytes, size_t count)
{
	il_text_char(text, '\'');
	for (size_t i = 0; i < count; i++) {
		char c = bytes[i];

		if (c >= ' ' && c <= '~' && c != '\'' && c != '\\')
			il_text_char(text, c);
		else
			add_escaped(text, (unsigned char)c);
	}
	il_text_char(text, '\'');
}
