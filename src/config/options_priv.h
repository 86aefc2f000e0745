/* The table of options.def as data. */
#ifndef IL_CONFIG_OPTIONS_PRIV_H
#define IL_CONFIG_OPTIONS_PRIV_H

#include "config/settings.h"

struct il_option {
	const char *variable;
	/* Reads `length` > 0 bytes, which a 0 follows, into *ret_member. 0 or -errno. */
	int (*read)(const char *text, size_t length, void *ret_member);
	size_t offset; /* in struct il_config */
	const char *default_text;
	const char *valid_text;
};

enum il_option_index {
#define IL_OPTION(variable, type, member, default_text, valid_text, help) IL_OPTION_##variable,
#include "config/options.def"
#undef IL_OPTION
	IL_OPTIONS
};

extern const struct il_option il_options[IL_OPTIONS];

/* Writes a setting's variable: INTERLOCK_ and the name in upper case, at most 63 bytes. */
#define IL_VARIABLE_MAX 64
void il_option_of_setting(const char *setting, char ret_variable[IL_VARIABLE_MAX]);

/* The known variable nearest to `name` by changed, missing and surplus letters; of `name` only the
 * first 63 bytes are looked at. */
void il_option_nearest(const char *name, size_t length, char ret_variable[IL_VARIABLE_MAX]);

#endif
