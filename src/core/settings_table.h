/* The table of settings.def as data: how a setting is read from text and printed. */
#ifndef IL_CORE_SETTINGS_TABLE_H
#define IL_CORE_SETTINGS_TABLE_H

#include "base/text.h"
#include "interlock/settings.h"

struct il_setting_type;

struct il_setting {
	const char *name;
	const struct il_setting_type *type;
	size_t offset; /* in struct il_settings */
	const char *default_text;
	const char *valid_text;
	const char *help;
};

enum il_setting_index {
#define IL_SETTING(name, type, field, default_text, valid_text, help) IL_SETTING_##name,
#include "interlock/settings.def"
#undef IL_SETTING
	IL_SETTINGS /* how many there are */
};

/* In the order of settings.def. Static and constant. */
extern const struct il_setting il_settings_table[IL_SETTINGS];

/*
 * Reads the setting's value from `length` bytes into its member of ret_settings. Checks the form
 * and that the number fits; ranges are the business of il_settings_check, but for one: no setting
 * of kind COUNT or DURATION may be 0, which stands for "not set" in the struct. Returns 0, -EINVAL
 * or -ERANGE; ret_settings is untouched on failure. Any thread, any signal handler.
 */
int il_setting_read(const struct il_setting *setting, const char *text, size_t length,
		    struct il_settings *ret_settings);

/* Prints the setting's value as its user would write it. Any thread, any signal handler. */
void il_setting_put(const struct il_setting *setting, const struct il_settings *settings,
		    struct il_text *text);

#endif
