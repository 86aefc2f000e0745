/*
 * The control file as this process last read it. Looked at by whoever calls il_control_look, never
 * by itself; one thread at a time may look, any number may read the rules meanwhile.
 *
 * The file is trusted only if it is a regular file, owned by root or us, not writable by its group
 * or others, and at most IL_RULES_BYTES_MAX long; else it is refused whole and the rules last read
 * stay. It is opened non-blocking, so that a pipe in its place holds nobody up. A file that is
 * missing or empty is believed at the second look, as editors and `>` make it so for an instant.
 *
 * No allocation, no libc call that is hooked, errno untouched; any thread, any signal handler.
 */
#ifndef IL_CONFIG_CONTROL_H
#define IL_CONFIG_CONTROL_H

#include "config/rules.h"

#include <stdatomic.h>

#define IL_CONTROL_VERSIONS 3
#define IL_CONTROL_UNKNOWN  UINT64_C(0) /* never read: nothing is known of what it says */
#define IL_CONTROL_NOTHING  UINT64_C(1) /* missing or empty */
/* 2 is the registry's: see engine/steer.h */
#define IL_CONTROL_FIRST    UINT64_C(3)

/* One reading of the file. */
struct il_control_version {
	uint64_t id; /* IL_CONTROL_NOTHING, or a hash of device, inode, size and times */
	struct il_rules rules;
	_Atomic uint32_t pins;
	_Atomic int64_t pinned_ns; /* the last time; a pin that a jump left behind expires */
	char text[IL_RULES_BYTES_MAX];
	struct il_rule room[IL_RULES_MAX];
};

/* Two megabytes of which only what is used is touched: belongs in static memory. All zero but for
 * `path` at first. */
struct il_control {
	const char *path;      /* absolute; outlives it */
	bool tells_all;	       /* bad lines beyond the first 20 too */
	uint64_t seen;	       /* what the last look found */
	uint64_t refused;      /* what was last told to be refused */
	_Atomic uint32_t current; /* 1 + index of the version that holds; 0: none yet */
	struct il_control_version versions[IL_CONTROL_VERSIONS];
};

enum il_control_news {
	IL_CONTROL_SAME,    /* the rules that hold are those of the file as it is */
	IL_CONTROL_NEW,	    /* other rules hold from now on */
	IL_CONTROL_WAITING, /* it is on the way to be something else; look again */
	IL_CONTROL_REFUSED  /* it cannot be read, or not be trusted; the rules last read hold */
};

/* Takes a line for the log, without its end; gone after the call. */
struct il_control_sink {
	void (*say)(void *context, const char *line);
	void *context;
};

/* Looks at the file. Bad lines (the first 20 of them) are told once a version, a refusal once. */
enum il_control_news il_control_look(struct il_control *control, int64_t now_ns,
				     struct il_control_sink sink);

/* Which version holds; IL_CONTROL_UNKNOWN: none yet. */
uint64_t il_control_version(const struct il_control *control);

/* The rules that hold, for as long as they are pinned; NULL: none yet. Each pin is to be undone. */
struct il_control_version *il_control_pin(struct il_control *control, int64_t now_ns);
void il_control_unpin(struct il_control_version *version);

/* In a forked child: the threads that had pinned something are not here. */
void il_control_forked(struct il_control *control);

#endif
