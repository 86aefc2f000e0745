/*
 * What the environment asks for, read once when the library starts. The variables are those of
 * options.def, and INTERLOCK_ with each name of settings.def in upper case.
 */
#ifndef IL_CONFIG_SETTINGS_H
#define IL_CONFIG_SETTINGS_H

#include "base/address.h"
#include "base/pattern.h"
#include "config/words.h"
#include "interlock/layout.h"
#include "interlock/settings.h"

#define IL_PATH_MAX     1001 /* with the final 0 */
#define IL_LIST_MAX     4001
#define IL_REGISTRY_MAX 65

/* Why there is nothing to do in this process. */
enum il_inert {
	IL_ACTIVE,
	IL_INERT_SWITCHED_OFF, /* INTERLOCK=off */
	IL_INERT_COMMAND,      /* INTERLOCK_COMMANDS or INTERLOCK_IGNORE_COMMANDS */
	IL_INERT_WRONG         /* a value is wrong; a line said which */
};

/* Large: belongs in static memory. Texts are "" if not set. */
struct il_config {
	enum il_inert inert; /* if not IL_ACTIVE, the rest means nothing */
	bool on;
	struct il_settings settings; /* complete and checked */
	int64_t control_interval_ns; /* > 0 */
	uint32_t key;                /* enum il_key */
	uint32_t families;           /* IL_FAMILY_ bits, at least one */
	uint32_t max_breakers;       /* 1..IL_BREAKERS_MAX */
	int reject_errno;            /* > 0 */
	bool reject_established;
	bool reject_resolve;
	uint32_t log_level;  /* enum il_log_level */
	uint32_t log_format; /* enum il_log_format */
	struct il_statuses http_failure;
	char control[IL_PATH_MAX];     /* absolute */
	char log[IL_LOG_PATH_MAX];     /* "stderr", "syslog", or absolute, %p not yet replaced */
	char runtime_dir[IL_PATH_MAX]; /* absolute, never "" */
	char registry[IL_REGISTRY_MAX];
	/* Last, as il_config_read does not clear what is behind their ends. */
	char only[IL_LIST_MAX]; /* for il_config_watches */
	char ignore[IL_LIST_MAX];
	char commands[IL_LIST_MAX];
	char ignore_commands[IL_LIST_MAX];
};

/* Takes one line, without its end: an error, which its user must see (stderr), or a warning (the
 * log). The line is gone after the call. */
struct il_config_sink {
	void (*say)(void *context, bool is_error, const char *line);
	void *context;
};

/*
 * Reads `environment`, an array of NAME=VALUE that ends with NULL (NULL itself: empty), for the
 * program `command` (the base name of its executable). Give an empty one in a set-user-id program.
 * Nothing of it is kept. An empty value of a text that is not set by default counts as not set.
 * Every wrong value is told to `sink` in one line, and makes the process inert. Unknown INTERLOCK_
 * names are told as warnings. Inert for another reason, nothing is told.
 * No allocation, no locale, errno untouched; asks the kernel for the working directory and the
 * user. Any one thread.
 */
void il_config_read(struct il_config *ret_config, const char *const *environment,
		    const char *command, struct il_config_sink sink);

/* Is a destination watched? `name` is host:port, `address` its address or NULL. Any thread, any
 * signal handler. */
bool il_config_watches(const struct il_config *config, const char *name, size_t length,
		       const struct il_address *address);

#endif
