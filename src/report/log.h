/*
 * The log: one event, one line, one write. Files are opened and closed for each line, so the
 * program never holds a descriptor of ours; stderr is written to only while it is the file that it
 * was at the start, is no socket, and takes the line at once. No signal that a write can raise
 * (SIGPIPE, SIGXFSZ, SIGTTOU) reaches the program. A line that cannot be written is lost.
 *
 * No allocation, no locale, no libc call that is hooked or a cancellation point; errno untouched.
 * After il_log_start and il_log_set, any thread and any signal handler.
 */
#ifndef IL_REPORT_LOG_H
#define IL_REPORT_LOG_H

#include "report/line.h"

#include <sys/types.h>

enum il_log_target { IL_LOG_NOWHERE, IL_LOG_STDERR, IL_LOG_SYSLOG, IL_LOG_FILE };

struct il_log {
	uint8_t target; /* enum il_log_target */
	uint8_t level;  /* enum il_log_level: the least important that is told */
	uint8_t format; /* enum il_log_format */
	bool has_stderr;
	dev_t stderr_device; /* of descriptor 2 at the start */
	ino_t stderr_inode;
	char path[IL_LOG_PATH_MAX]; /* of IL_LOG_FILE, %p not yet replaced */
};

/* Nothing is told yet, but what descriptor 2 is, is remembered: to be called first of all. */
void il_log_start(struct il_log *ret_log);

/* `target` is "" (nowhere), "stderr", "syslog" or a path, cut to IL_LOG_PATH_MAX. */
void il_log_set(struct il_log *log, const char *target, enum il_log_level level,
		enum il_log_format format);

/* Would an event or message of this level be told? Cheap: to be asked before a line is filled. */
bool il_log_wants(const struct il_log *log, enum il_log_level level);

/* Tells an event if its level is wanted. line->wall_ns and line->pid are filled in here. */
void il_log_event(const struct il_log *log, struct il_line *line);

/* Tells `message` if its level is wanted. */
void il_log_message(const struct il_log *log, enum il_log_level level, const char *message);

/* Tells an error of the operator's on stderr, whatever the log's target: `line`, which names us,
 * and an end of line. For what must be seen: a wrong setting. */
void il_log_complain(const struct il_log *log, const char *line);

/* Counts one rejection. Returns how many a line should tell of now, or 0: be quiet. */
uint64_t il_log_rejected(struct il_log_quiet *quiet, int64_t now_ns);

#endif
