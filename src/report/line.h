/*
 * One event as one line: of text, or a JSON object with the same keys. Pure; no allocation, no
 * locale, errno untouched; any thread, any signal handler.
 */
#ifndef IL_REPORT_LINE_H
#define IL_REPORT_LINE_H

#include "base/text.h"
#include "interlock/event.h"
#include "interlock/log.h"

/* An event and what the core could not know of it. Strings are "" where there is nothing to say;
 * nothing is kept. */
struct il_line {
	int64_t wall_ns; /* CLOCK_REALTIME */
	uint32_t pid;
	struct il_event event;
	const char *breaker; /* the name as it is; escaped here */
	size_t breaker_length;
	uint64_t count;      /* rejected: how many since the last such line */
	int64_t duration_ns; /* of a call; -1: not known */
	const char *seen;    /* of a call: http:200, ECONNREFUSED, eof */
	const char *phase;   /* of a call: connect, answer */
	const char *address; /* of a call */
	const char *by;      /* of a reset or override: control, tool */
};

/* How important an event is: state changes and rejections are warnings, a reset is info, calls and
 * amendments are debug. */
enum il_log_level il_line_level(const struct il_event *event);

/* Appends the line, without its end. A field that does not fit is left out whole, so that a JSON
 * object stays one; 512 bytes hold every line with an ordinary name. */
void il_line_event(struct il_text *text, enum il_log_format format, const struct il_line *line);

/* Appends a line that tells `message` in plain words. */
void il_line_message(struct il_text *text, enum il_log_format format, int64_t wall_ns, uint32_t pid,
		     enum il_log_level level, const char *message);

/* "error", "warning", "info", "debug"; "SUCCESS", "FAILURE", "SLOW_SUCCESS", "SLOW_FAILURE"; "?"
 * for anything else. Static text. */
const char *il_line_level_name(unsigned level);
const char *il_line_outcome_name(unsigned outcome);

#endif
