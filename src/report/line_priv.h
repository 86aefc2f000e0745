#ifndef IL_REPORT_LINE_PRIV_H
#define IL_REPORT_LINE_PRIV_H

#include "report/line.h"

static inline bool il_is_json(enum il_log_format format)
{
	return format == IL_LOG_JSON;
}

/* The fields that an event of this kind has, in the order of their table; those that do not fit are
 * left out. */
void il_line_fields(struct il_text *text, enum il_log_format format, const struct il_line *line);

#endif
