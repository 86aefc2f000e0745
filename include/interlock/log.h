/* How much is told, and how: what config reads and report obeys. */
#ifndef INTERLOCK_LOG_H
#define INTERLOCK_LOG_H

#include <stdint.h>

enum il_log_level { IL_LOG_ERROR, IL_LOG_WARNING, IL_LOG_INFO, IL_LOG_DEBUG };
enum il_log_format { IL_LOG_TEXT, IL_LOG_JSON };

/* Rejections of one breaker: at most one line a second. All zero at first; lies in shared memory,
 * each word changed by one atomic operation. */
struct il_log_quiet {
	int64_t until_ns; /* CLOCK_MONOTONIC */
	uint64_t count;   /* rejections that no line has told */
};

/* With the final 0, %p not yet replaced. Short, because the path is put together on the stack of
 * the program's own calls. */
#define IL_LOG_PATH_MAX 241

#endif
