#include "config/rules.h"
#include "base/num.h"
#include "config/rules_priv.h"

#include <errno.h>
#include <string.h>

/* A tab is a blank; everything else below the blank is a sign that this is no text. */
static bool is_text(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static int fail(struct il_text *why, const char *what)
{
	il_text_add(why, what);
	return -EINVAL;
}

static int read_words(struct il_rule *rule, struct il_text *why)
{
	const char *at = rule->words, *item;
	size_t left = rule->words_length, length;
	const uint32_t states = IL_RULE_STATE | IL_RULE_IGNORE;

	while (il_rule_next(&at, &left, &item, &length)) {
		struct il_rule_word word = { 0 };

		if (il_rule_word_read(&word, item, length, why) < 0)
			return -EINVAL;
		if (word.class & states && rule->classes & states)
			return fail(why, "two state words in one line contradict each other");
		rule->classes |= word.class;
	}
	if (rule->classes == 0)
		return fail(why, "nothing is said about this destination");
	if (rule->classes & IL_RULE_SETTING)
		return il_rule_settings_check(rule->words, rule->words_length, why);
	return 0;
}

int il_rule_read(struct il_rule *ret_rule, const char *line, size_t length, char *ret_why)
{
	struct il_text why = il_text_in(ret_why, IL_RULE_WHY_MAX);
	struct il_rule rule = { .line = 0 };
	const char *item;
	size_t item_length;

	if (!is_text(line, length))
		return fail(&why, "a byte that belongs in no text");
	if (!il_rule_next(&line, &length, &item, &item_length))
		return 0;
	if (il_pattern_parse(&rule.pattern, item, item_length) < 0) {
		il_text_quoted(&why, item, item_length < 80 ? item_length : 80);
		return fail(&why, " is no destination (give HOST:PORT or ADDRESS/BITS:PORT)");
	}
	rule.words = line;
	rule.words_length = (uint32_t)length;
	if (read_words(&rule, &why) < 0)
		return -EINVAL;
	*ret_rule = rule;
	return 1;
}

static void take_line(struct il_rules *rules, uint32_t number, const char *line, size_t length,
		      struct il_rules_sink sink)
{
	char why[IL_RULE_WHY_MAX] = "";
	struct il_rule rule;
	int kind = il_rule_read(&rule, line, length, why);

	if (kind > 0 && rules->count == rules->room) {
		kind = -EINVAL;
		memcpy(why, "too many rules", sizeof("too many rules"));
	}
	if (kind < 0) {
		rules->bad++;
		sink.say(sink.context, number, why);
	}
	if (kind <= 0)
		return;
	rule.line = number;
	rules->rules[rules->count++] = rule;
}

void il_rules_read(struct il_rules *rules, const char *text, size_t length,
		   struct il_rules_sink sink)
{
	const char *end = text + length;

	rules->count = rules->bad = 0;
	for (uint32_t number = 1; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		size_t line_length = (size_t)(stop - text);

		if (line_length > 0 && stop[-1] == '\r')
			line_length--;
		take_line(rules, number, text, line_length, sink);
		text = stop + (newline != NULL);
	}
}

/* The last name= of a line. */
static void take_name(const struct il_rule *rule, struct il_rules_destination *destination)
{
	struct il_text ignored = il_text_in((char[1]){ 0 }, 1);
	const char *at = rule->words, *item;
	size_t left = rule->words_length, length;

	while (il_rule_next(&at, &left, &item, &length)) {
		struct il_rule_word word = { 0 };

		if (il_rule_word_read(&word, item, length, &ignored) < 0 ||
		    word.class != IL_RULE_NAME)
			continue;
		destination->name = word.value;
		destination->name_length = word.length;
		destination->name_line = rule->line;
	}
}

void il_rules_at_connect(const struct il_rules *rules, const char *name, size_t length,
			 const struct il_address *address,
			 struct il_rules_destination *ret_destination)
{
	struct il_rules_destination found = { .ignored = false };

	for (uint32_t i = 0; i < rules->count; i++) {
		const struct il_rule *rule = &rules->rules[i];

		if (!(rule->classes & IL_RULE_AT_CONNECT) ||
		    !il_pattern_matches(&rule->pattern, name, length, address))
			continue;
		if (rule->classes & (IL_RULE_STATE | IL_RULE_IGNORE)) {
			found.ignored = rule->classes & IL_RULE_IGNORE;
			found.ignored_line = found.ignored ? rule->line : 0;
		}
		if (rule->classes & IL_RULE_ONEWAY) {
			found.oneway = true;
			found.oneway_line = rule->line;
		}
		if (rule->classes & IL_RULE_NAME)
			take_name(rule, &found);
	}
	*ret_destination = found;
}

#define ABOUT_BREAKERS (~(uint32_t)(IL_RULE_IGNORE | IL_RULE_NAME | IL_RULE_ONEWAY))

static void obey_rule(const struct il_rule *rule, struct il_orders *orders)
{
	struct il_text ignored = il_text_in((char[1]){ 0 }, 1);
	const char *at = rule->words, *item;
	size_t left = rule->words_length, length;

	while (il_rule_next(&at, &left, &item, &length)) {
		struct il_rule_word word = { 0 };

		if (il_rule_word_read(&word, item, length, &ignored) == 0 &&
		    word.class & ABOUT_BREAKERS)
			il_rule_word_obey(&word, orders);
	}
	if (rule->classes & IL_RULE_STATE)
		orders->state_line = rule->line;
	if (rule->classes & IL_RULE_RESET)
		orders->reset_line = rule->line;
	if (rule->classes & IL_RULE_SETTING)
		orders->settings_line = rule->line;
}

/* Completed settings do not tell whether the minimum was given. One that is what completing would
 * make of none is taken for none, so that a smaller window brings its own. */
static void forget_defaults(struct il_settings *settings)
{
	struct il_settings bare = *settings;

	bare.minimum_number_of_calls = 0;
	il_settings_complete(&bare);
	if (bare.minimum_number_of_calls == settings->minimum_number_of_calls)
		settings->minimum_number_of_calls = 0;
}

static void merge(const struct il_rules *rules, const char *name, size_t length,
		  const struct il_settings *base, struct il_orders *ret_orders)
{
	memset(ret_orders, 0, sizeof(*ret_orders));
	ret_orders->settings = *base;
	forget_defaults(&ret_orders->settings);
	for (uint32_t i = 0; i < rules->count; i++) {
		const struct il_rule *rule = &rules->rules[i];

		if (rule->classes & ABOUT_BREAKERS &&
		    il_pattern_matches(&rule->pattern, name, length, NULL))
			obey_rule(rule, ret_orders);
	}
	il_settings_complete(&ret_orders->settings);
}

void il_rules_about(const struct il_rules *rules, const char *name, size_t length,
		    const struct il_settings *base, struct il_orders *ret_orders)
{
	char why[1];

	merge(rules, name, length, base, ret_orders);
	if (il_settings_check(&ret_orders->settings, why, sizeof(why)) == 0)
		return;
	ret_orders->contradicts = true;
	ret_orders->classes &= ~(uint32_t)IL_RULE_SETTING;
	ret_orders->settings = *base;
}

int il_rules_check(const struct il_rules *rules, const char *name, size_t length,
		   const struct il_settings *base, char *ret_why, size_t size)
{
	struct il_orders orders;

	merge(rules, name, length, base, &orders);
	return il_settings_check(&orders.settings, ret_why, size);
}

static bool says(const struct il_rule *rule, const char *key)
{
	const char *at = rule->words, *item;
	size_t left = rule->words_length, length;

	while (il_rule_next(&at, &left, &item, &length)) {
		const char *equals = memchr(item, '=', length);

		if (equals && il_num_is_word(item, (size_t)(equals - item), key))
			return true;
	}
	return false;
}

uint32_t il_rules_line_of(const struct il_rules *rules, const char *name, size_t length,
			  const char *key)
{
	uint32_t line = 0;

	for (uint32_t i = 0; i < rules->count; i++) {
		const struct il_rule *rule = &rules->rules[i];

		if (says(rule, key) && il_pattern_matches(&rule->pattern, name, length, NULL))
			line = rule->line;
	}
	return line;
}
