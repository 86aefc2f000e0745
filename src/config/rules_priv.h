/* The words of a rule. */
#ifndef IL_CONFIG_RULES_PRIV_H
#define IL_CONFIG_RULES_PRIV_H

#include "config/rules.h"
#include "core/settings_table.h"

/* A word, read: which of them it is, and its value where it has one. */
struct il_rule_word {
	uint32_t class; /* enum il_rule_class */
	uint32_t state; /* STATE */
	const struct il_setting *setting; /* SETTING */
	const char *value;
	size_t length;
};

/* Takes the next item off the front of the bytes: false at the end, or where a comment begins. */
bool il_rule_next(const char **at, size_t *left, const char **ret_item, size_t *ret_length);

/* Reads one word and checks its value. -EINVAL, and a sentence in `why`. */
int il_rule_word_read(struct il_rule_word *ret_word, const char *item, size_t length,
		      struct il_text *why);

/* Puts a word's value into the orders. For a setting that is orders->settings. The word was read
 * before, and so can be trusted. */
void il_rule_word_obey(const struct il_rule_word *word, struct il_orders *orders);

/* Are the settings of one line in their ranges, and do they agree? What the line does not set is
 * as lenient as it can be. -EINVAL, and a sentence in `why`. */
int il_rule_settings_check(const char *words, size_t length, struct il_text *why);

#endif
