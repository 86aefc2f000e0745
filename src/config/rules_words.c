/* The words of a rule: which there are, what their values may be, and what they order. */
#include "base/hash.h"
#include "base/num.h"
#include "config/rules_priv.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SHOWN	     80 /* bytes of a wrong word */
#define WAIT_NONE_NS 1

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool il_rule_next(const char **at, size_t *left, const char **ret_item, size_t *ret_length)
{
	const char *end = *at + *left, *item = *at;

	while (item < end && is_blank(*item))
		item++;
	if (item == end || *item == '#')
		return false;
	*ret_item = item;
	while (item < end && !is_blank(*item))
		item++;
	*ret_length = (size_t)(item - *ret_item);
	*left = (size_t)(end - item);
	*at = item;
	return true;
}

static const struct plain {
	const char *word;
	uint32_t class, state;
} plain_words[] = {
	{ "CLOSED", IL_RULE_STATE, IL_CLOSED },
	{ "FORCED_OPEN", IL_RULE_STATE, IL_FORCED_OPEN },
	{ "DISABLED", IL_RULE_STATE, IL_DISABLED },
	{ "METRICS_ONLY", IL_RULE_STATE, IL_METRICS_ONLY },
	{ "IGNORE", IL_RULE_IGNORE, 0 },
	{ "oneway", IL_RULE_ONEWAY, 0 },
};

static bool is_alias(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!il_text_is_name_byte(text[i]))
			return false;
	}
	return length > 0 && length <= IL_ALIAS_MAX;
}

static int obey_alias(const char *text, size_t length, struct il_orders *orders)
{
	(void)orders;
	return is_alias(text, length) ? 0 : -EINVAL;
}

static int obey_reset(const char *text, size_t length, struct il_orders *orders)
{
	if (length == 0)
		return -EINVAL;
	orders->reset = il_hash_bytes(text, length);
	return 0;
}

static int obey_errno(const char *text, size_t length, struct il_orders *orders)
{
	return il_words_errno(text, length, &orders->reject_errno);
}

static int obey_established(const char *text, size_t length, struct il_orders *orders)
{
	return il_num_boolean(text, length, &orders->reject_established);
}

static int obey_statuses(const char *text, size_t length, struct il_orders *orders)
{
	return il_words_statuses(text, length, &orders->http_failure);
}

/* Words with a value, besides the settings. */
static const struct key {
	const char *key;
	uint32_t class;
	int (*obey)(const char *text, size_t length, struct il_orders *orders);
	const char *valid;
} keys[] = {
	{ "name", IL_RULE_NAME, obey_alias, "a name of letters, digits and . : _ % / [ ] -" },
	{ "reset", IL_RULE_RESET, obey_reset, "any text; a new one resets once more" },
	{ "reject_errno", IL_RULE_ERRNO, obey_errno, "the name of a connect error, or its number" },
	{ "reject_established", IL_RULE_ESTABLISHED, obey_established,
	  "1/0, true/false, yes/no or on/off" },
	{ "http_failure_status", IL_RULE_STATUSES, obey_statuses,
	  "a list of numbers from 100 to 599, or off" },
};

static const struct key *key_of(uint32_t class)
{
	for (size_t i = 0; i < COUNT(keys); i++) {
		if (keys[i].class == class)
			return &keys[i];
	}
	return NULL;
}

void il_rule_word_obey(const struct il_rule_word *word, struct il_orders *orders)
{
	const struct key *key = key_of(word->class);

	if (word->class == IL_RULE_STATE)
		orders->state = word->state;
	else if (word->class == IL_RULE_SETTING)
		il_setting_read(word->setting, word->value, word->length, &orders->settings);
	else if (key)
		key->obey(word->value, word->length, orders);
	orders->classes |= word->class;
}

static void say(struct il_text *why, const char *item, size_t length, const char *what)
{
	il_text_quoted(why, item, length < SHOWN ? length : SHOWN);
	il_text_add(why, what);
}

static int wrong_value(struct il_text *why, const char *key, const char *value, size_t length,
		       const char *valid)
{
	il_text_add(why, key);
	il_text_char(why, ' ');
	say(why, value, length, " is not valid (give ");
	il_text_add(why, valid);
	il_text_char(why, ')');
	return -EINVAL;
}

static int read_plain(struct il_rule_word *ret_word, const char *item, size_t length,
		      struct il_text *why)
{
	for (size_t i = 0; i < COUNT(plain_words); i++) {
		if (!il_num_is_word(item, length, plain_words[i].word))
			continue;
		ret_word->class = plain_words[i].class;
		ret_word->state = plain_words[i].state;
		return 0;
	}
	say(why, item, length,
	    " is no word of a rule (CLOSED, FORCED_OPEN, DISABLED, METRICS_ONLY, IGNORE, oneway, "
	    "or one with =)");
	return -EINVAL;
}

static int read_setting(struct il_rule_word *word, const struct il_setting *setting,
			struct il_text *why)
{
	struct il_settings scratch;

	word->class = IL_RULE_SETTING;
	word->setting = setting;
	if (il_setting_read(setting, word->value, word->length, &scratch) < 0)
		return wrong_value(why, setting->name, word->value, word->length,
				   setting->valid_text);
	return 0;
}

static int read_key(struct il_rule_word *word, const struct key *key, struct il_text *why)
{
	struct il_orders scratch;

	word->class = key->class;
	if (key->obey(word->value, word->length, &scratch) < 0)
		return wrong_value(why, key->key, word->value, word->length, key->valid);
	return 0;
}

int il_rule_word_read(struct il_rule_word *ret_word, const char *item, size_t length,
		      struct il_text *why)
{
	const char *equals = memchr(item, '=', length);
	size_t key_length = equals ? (size_t)(equals - item) : length;

	if (!equals)
		return read_plain(ret_word, item, length, why);
	ret_word->value = equals + 1;
	ret_word->length = length - key_length - 1;
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		if (il_num_is_word(item, key_length, il_settings_table[i].name))
			return read_setting(ret_word, &il_settings_table[i], why);
	}
	for (size_t i = 0; i < COUNT(keys); i++) {
		if (il_num_is_word(item, key_length, keys[i].key))
			return read_key(ret_word, &keys[i], why);
	}
	say(why, item, key_length, " is no setting");
	return -EINVAL;
}

/* What is not said must contradict nothing that is. */
static void be_lenient(struct il_settings *settings)
{
	bool is_timed = settings->window_type == IL_TIME_BASED;

	if (!settings->window_size)
		settings->window_size = is_timed ? IL_TIME_WINDOW_MAX : IL_COUNT_WINDOW_MAX;
	if (!settings->permitted_calls_in_half_open)
		settings->permitted_calls_in_half_open = IL_PROBES_MAX;
	if (!settings->max_concurrent_probes)
		settings->max_concurrent_probes = 1;
	if (!settings->wait_duration_in_open_ns)
		settings->wait_duration_in_open_ns = WAIT_NONE_NS;
	il_settings_complete(settings);
}

int il_rule_settings_check(const char *words, size_t length, struct il_text *why)
{
	struct il_settings settings = { .failure_rate_threshold = 1,
					.slow_call_rate_threshold = 1,
					.wait_duration_backoff_multiplier = 1,
					.slow_call_duration_threshold_ns = 1 };
	struct il_rule_word word = { 0 };
	struct il_text ignored = il_text_in((char[1]){ 0 }, 1);
	char sentence[IL_RULE_WHY_MAX / 2];
	const char *item;
	size_t item_length;

	while (il_rule_next(&words, &length, &item, &item_length)) {
		if (il_rule_word_read(&word, item, item_length, &ignored) == 0 &&
		    word.class == IL_RULE_SETTING)
			il_setting_read(word.setting, word.value, word.length, &settings);
	}
	be_lenient(&settings);
	if (il_settings_check(&settings, sentence, sizeof(sentence)) == 0)
		return 0;
	il_text_add(why, sentence);
	return -EINVAL;
}
