#include "config/settings.h"
#include "base/file.h"
#include "base/num.h"
#include "config/options_priv.h"
#include "core/settings_table.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PREFIX         "INTERLOCK"
#define VALUE_SHOWN    80 /* bytes of a wrong value */
#define LINE_MAX_BYTES 512

/* What the environment holds of ours: values point into it; NULL is not set. */
struct found {
	const char *options[IL_OPTIONS];
	const char *settings[IL_SETTINGS];
};

struct reader {
	struct il_config *config;
	struct il_config_sink sink;
	struct found found;
	bool wrong;
};

/* Where the value of a known variable is kept; NULL: it is not known. */
static const char **place_of(struct found *found, const char *name, size_t length)
{
	char variable[IL_VARIABLE_MAX];

	for (size_t i = 0; i < IL_OPTIONS; i++) {
		if (strlen(il_options[i].variable) == length &&
		    memcmp(il_options[i].variable, name, length) == 0)
			return &found->options[i];
	}
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		il_option_of_setting(il_settings_table[i].name, variable);
		if (strlen(variable) == length && memcmp(variable, name, length) == 0)
			return &found->settings[i];
	}
	return NULL;
}

/* The name's length in NAME=VALUE if it is one of ours by its beginning, else 0. */
static size_t own_name_length(const char *entry)
{
	const char *equals = strchr(entry, '=');
	size_t prefix = strlen(PREFIX);

	if (!equals || strncmp(entry, PREFIX, prefix) != 0 ||
	    (entry[prefix] != '_' && entry[prefix] != '='))
		return 0;
	return (size_t)(equals - entry);
}

/* As getenv does, the first of two equal names counts. */
static void find_all(struct found *found, const char *const *environment)
{
	for (; environment && *environment; environment++) {
		size_t length = own_name_length(*environment);
		const char **place = length ? place_of(found, *environment, length) : NULL;

		if (place && !*place)
			*place = *environment + length + 1;
	}
}

/* Apart, as complain is, so that their lines are not on the stack together. */
__attribute__((noinline)) static void warn_of_unknown(struct reader *reader,
						      const char *const *environment)
{
	char line[256], nearest[IL_VARIABLE_MAX];

	for (; environment && *environment; environment++) {
		struct il_text text = il_text_in(line, sizeof(line));
		size_t length = own_name_length(*environment);

		if (length == 0 || place_of(&reader->found, *environment, length))
			continue;
		il_option_nearest(*environment, length, nearest);
		il_text_name(&text, *environment, length < VALUE_SHOWN ? length : VALUE_SHOWN);
		il_text_add(&text, " is no variable of interlock (did you mean ");
		il_text_add(&text, nearest);
		il_text_add(&text, "?); ignored");
		reader->sink.say(reader->sink.context, false, line);
	}
}

__attribute__((noinline)) static void complain(struct reader *reader, const char *variable,
					       const char *value, const char *valid)
{
	char line[LINE_MAX_BYTES];
	struct il_text text = il_text_in(line, sizeof(line));
	size_t length = strlen(value);

	il_text_add(&text, "interlock: ");
	il_text_add(&text, variable);
	il_text_char(&text, ' ');
	il_text_quoted(&text, value, length < VALUE_SHOWN ? length : VALUE_SHOWN);
	il_text_add(&text, length > VALUE_SHOWN ? "... is not valid" : " is not valid");
	il_text_add(&text, "; interlock is off in this process (give ");
	il_text_add(&text, valid);
	il_text_char(&text, ')');
	reader->sink.say(reader->sink.context, true, line);
	reader->wrong = true;
}

static void read_option(struct reader *reader, enum il_option_index index)
{
	const struct il_option *option = &il_options[index];
	void *member = (char *)reader->config + option->offset;
	const char *value = reader->found.options[index];

	if (option->default_text[0])
		option->read(option->default_text, strlen(option->default_text), member);
	if (!value || (!value[0] && !option->default_text[0]))
		return;
	if (!value[0] || option->read(value, strlen(value), member) < 0)
		complain(reader, option->variable, value, option->valid_text);
}

static void complain_of_setting(struct reader *reader, size_t index)
{
	char variable[IL_VARIABLE_MAX];

	il_option_of_setting(il_settings_table[index].name, variable);
	complain(reader, variable, reader->found.settings[index],
		 il_settings_table[index].valid_text);
	reader->found.settings[index] = NULL;
}

static int read_setting(const struct reader *reader, size_t index, struct il_settings *settings)
{
	const struct il_setting *setting = &il_settings_table[index];
	const char *value = reader->found.settings[index];

	if (!value)
		value = setting->default_text;
	else if (!value[0] && setting->default_text[0])
		return -EINVAL;
	return value[0] ? il_setting_read(setting, value, strlen(value), settings) : 0;
}

/* Which setting does the sentence of il_settings_check begin with? */
static size_t index_of_sentence(const char *why)
{
	size_t length = strcspn(why, " ");

	for (size_t i = 0; i < IL_SETTINGS; i++) {
		if (strlen(il_settings_table[i].name) == length &&
		    memcmp(il_settings_table[i].name, why, length) == 0)
			return i;
	}
	return IL_SETTINGS;
}

/* Every wrong value is told, so each is dropped once it was, and the rest is looked at again. A
 * default cannot be wrong by itself: what contradicts it is named instead. */
static void read_settings(struct reader *reader)
{
	struct il_settings settings;
	char why[IL_VARIABLE_MAX];

	for (size_t i = 0; i < IL_SETTINGS; i++) {
		memset(&settings, 0, sizeof(settings));
		if (read_setting(reader, i, &settings) < 0)
			complain_of_setting(reader, i);
	}
	for (size_t tries = 0; tries <= IL_SETTINGS; tries++) {
		memset(&settings, 0, sizeof(settings));
		for (size_t i = 0; i < IL_SETTINGS; i++)
			read_setting(reader, i, &settings);
		il_settings_complete(&settings);
		if (il_settings_check(&settings, why, sizeof(why)) == 0)
			break;

		size_t named = index_of_sentence(why);

		if (named == IL_SETTINGS || !reader->found.settings[named]) {
			complain(reader, PREFIX "_...", why, "settings that agree");
			break;
		}
		complain_of_setting(reader, named);
	}
	reader->config->settings = settings;
}

static bool lists(const char *list_text, const char *command)
{
	struct il_list list = { list_text, strlen(list_text) };
	const char *item;
	size_t length;

	while (il_list_next(&list, &item, &length)) {
		if (il_pattern_glob(item, length, command, strlen(command), false))
			return true;
	}
	return false;
}

/* What makes a process none of our business is looked at first: nothing else is told then. */
static enum il_inert find_reason(struct reader *reader, const char *command)
{
	const struct il_config *config = reader->config;

	read_option(reader, IL_OPTION_INTERLOCK);
	if (reader->wrong)
		return IL_INERT_WRONG;
	if (!config->on)
		return IL_INERT_SWITCHED_OFF;
	read_option(reader, IL_OPTION_INTERLOCK_COMMANDS);
	read_option(reader, IL_OPTION_INTERLOCK_IGNORE_COMMANDS);
	if (reader->wrong)
		return IL_INERT_WRONG;
	if ((config->commands[0] && !lists(config->commands, command)) ||
	    lists(config->ignore_commands, command))
		return IL_INERT_COMMAND;
	return IL_ACTIVE;
}

static void name_runtime_dir(struct il_config *config)
{
	struct il_text text = il_text_in(config->runtime_dir, sizeof(config->runtime_dir));

	il_text_add(&text, "/dev/shm/interlock-");
	il_text_unsigned(&text, il_sys_geteuid());
}

static bool is_read_first(enum il_option_index index)
{
	return index == IL_OPTION_INTERLOCK || index == IL_OPTION_INTERLOCK_COMMANDS ||
	       index == IL_OPTION_INTERLOCK_IGNORE_COMMANDS;
}

void il_config_read(struct il_config *ret_config, const char *const *environment,
		    const char *command, struct il_config_sink sink)
{
	struct reader reader = { .config = ret_config, .sink = sink };

	/* The lists are four pages that most processes need not touch: of those, only their ends. */
	memset(ret_config, 0, offsetof(struct il_config, only));
	ret_config->only[0] = ret_config->ignore[0] = 0;
	ret_config->commands[0] = ret_config->ignore_commands[0] = 0;
	find_all(&reader.found, environment);
	ret_config->inert = find_reason(&reader, command);
	if (ret_config->inert != IL_ACTIVE)
		return;
	name_runtime_dir(ret_config);
	for (enum il_option_index i = 0; i < IL_OPTIONS; i++) {
		if (!is_read_first(i))
			read_option(&reader, i);
	}
	read_settings(&reader);
	warn_of_unknown(&reader, environment);
	if (reader.wrong)
		ret_config->inert = IL_INERT_WRONG;
}

bool il_config_watches(const struct il_config *config, const char *name, size_t length,
		       const struct il_address *address)
{
	struct il_list only = { config->only, strlen(config->only) };
	struct il_list ignore = { config->ignore, strlen(config->ignore) };

	if (only.left > 0 && !il_pattern_list_matches(only, name, length, address))
		return false;
	return !il_pattern_list_matches(ignore, name, length, address);
}
