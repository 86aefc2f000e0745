/* How much is told, and how: what config reads and report obeys. */
#ifndef INTERLOCK_LOG_H
#define INTERLOCK_LOG_H

enum il_log_level { IL_LOG_ERROR, IL_LOG_WARNING, IL_LOG_INFO, IL_LOG_DEBUG };
enum il_log_format { IL_LOG_TEXT, IL_LOG_JSON };

/* With the final 0, %p not yet replaced. Short, because the path is put together on the stack of the
 * program's own calls. */
#define IL_LOG_PATH_MAX 241

#endif
