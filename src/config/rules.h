/*
 * The rules of a control file: one a line, a destination and what is said about it.
 *
 *	payments.internal:443   CLOSED failure_rate_threshold=25% http_failure_status=500,503
 *
 * Of each class of words the last line that matches wins. A rule points into the text that it was
 * read from, which must outlive it. No allocation, no locale, no system call, errno untouched; any
 * thread, any signal handler, as long as nobody writes to the text or the rules.
 */
#ifndef IL_CONFIG_RULES_H
#define IL_CONFIG_RULES_H

#include "base/pattern.h"
#include "config/words.h"
#include "interlock/settings.h"

#define IL_RULES_BYTES_MAX 65536
#define IL_RULES_MAX	   (IL_RULES_BYTES_MAX / 8) /* `a oneway` and its end are the least */
#define IL_ALIAS_MAX	   255			    /* bytes of name= */
#define IL_RULE_WHY_MAX	   256

/* Classes of words, as bits. IGNORE is a state word; so that it is found quickly, it has its own.
 */
enum il_rule_class {
	IL_RULE_STATE = 1U,
	IL_RULE_IGNORE = 2U,
	IL_RULE_NAME = 4U,
	IL_RULE_ONEWAY = 8U,
	IL_RULE_RESET = 16U,
	IL_RULE_SETTING = 32U,
	IL_RULE_STATUSES = 64U,
	IL_RULE_ERRNO = 128U,
	IL_RULE_ESTABLISHED = 256U
};
#define IL_RULE_AT_CONNECT (IL_RULE_STATE | IL_RULE_IGNORE | IL_RULE_NAME | IL_RULE_ONEWAY)

struct il_rule {
	struct il_pattern pattern;
	const char *words; /* what follows the destination */
	uint32_t words_length;
	uint32_t line;	  /* counted from 1 */
	uint32_t classes; /* enum il_rule_class */
	uint32_t reserved;
};

struct il_rules {
	struct il_rule *rules; /* the caller's memory */
	uint32_t room;	       /* of them */
	uint32_t count;
	uint32_t bad; /* lines that were skipped */
	uint32_t classes; /* of all of them */
	uint32_t reserved;
};

/* One line, without its end. 1: a rule, its line number 0; 0: nothing but blanks or a comment;
 * -EINVAL, and one sentence in ret_why (cut to IL_RULE_WHY_MAX bytes with its final 0). */
int il_rule_read(struct il_rule *ret_rule, const char *line, size_t length, char *ret_why);

/* Takes a bad line: its number and what is wrong with it. `why` is gone after the call. */
struct il_rules_sink {
	void (*say)(void *context, uint32_t line, const char *why);
	void *context;
};

/* All lines of `length` bytes, replacing what `rules` held. Ends of lines are LF or CRLF, the last
 * may be missing. Bad lines are told to `sink` and skipped, and so is what finds no room. */
void il_rules_read(struct il_rules *rules, const char *text, size_t length,
		   struct il_rules_sink sink);

/* What the rules say about a destination at its connect. Lines are 0 where none says so. */
struct il_rules_destination {
	bool ignored; /* not watched */
	bool oneway;  /* no answer is to be expected */
	const char *name; /* the breaker's instead of the destination's; not 0-terminated; NULL: none */
	size_t name_length;
	uint32_t ignored_line, oneway_line, name_line;
	uint32_t name_rule; /* 1 + index of the rule with the name; 0: none */
};

/* `name` is host:port; `address` its address or NULL. */
void il_rules_at_connect(const struct il_rules *rules, const char *name, size_t length,
			 const struct il_address *address,
			 struct il_rules_destination *ret_destination);

/* The name= of a rule, by its index. False: it has none. */
bool il_rules_name(const struct il_rules *rules, uint32_t index, const char **ret_name,
		   size_t *ret_length);

/* What the rules say about a breaker. Only what `classes` names means anything. */
struct il_orders {
	uint32_t classes;
	uint32_t state; /* enum il_state: CLOSED or an override */
	uint64_t reset; /* hash of the token, never 0 */
	int reject_errno;
	bool reject_established;
	struct il_statuses http_failure;
	struct il_settings settings; /* the base's with those of the lines, complete and checked */
	bool contradicts; /* the lines' settings contradict each other or the base: they are left out */
	uint32_t state_line, reset_line, settings_line; /* the last that said so */
};

/* `name` is the breaker's, `base` what holds without rules, complete and checked. */
void il_rules_about(const struct il_rules *rules, const char *name, size_t length,
		    const struct il_settings *base, struct il_orders *ret_orders);

/* Which line says `key` (a setting's name, or that of another word with a value) about a breaker:
 * the last that matches; 0: none. For people. */
uint32_t il_rules_line_of(const struct il_rules *rules, const char *name, size_t length,
			  const char *key);

/* Why the settings for a breaker contradict each other: -EINVAL and one sentence, as of
 * il_settings_check; 0: they do not. For people. */
int il_rules_check(const struct il_rules *rules, const char *name, size_t length,
		   const struct il_settings *base, char *ret_why, size_t size);

#endif
