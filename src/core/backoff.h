/* How long an opening breaker waits. */
#ifndef IL_CORE_BACKOFF_H
#define IL_CORE_BACKOFF_H

#include "interlock/settings.h"

#define IL_BACKOFF_ROUNDS_MAX 64 /* the wait no longer grows after so many failed rounds */

/*
 * wait_duration_in_open times the multiplier to the power of failed_rounds (more than 64 count as
 * 64), at most wait_duration_in_open_max and INT64_MAX, rounded down to a nanosecond of the exact
 * product. Settings out of their ranges are taken for the nearest valid ones. Pure; any thread, any
 * signal handler.
 */
int64_t il_backoff_wait_ns(const struct il_settings *settings, uint32_t failed_rounds);

#endif
