/*
 * The settings of one breaker, as numbers. The table is settings.def; reading them from text is the
 * business of src/config, checking them belongs to the core and stands here.
 */
#ifndef INTERLOCK_SETTINGS_H
#define INTERLOCK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IL_PROBES_MAX	    1000  /* permitted_calls_in_half_open */
#define IL_CONCURRENT_MAX   32	  /* max_concurrent_probes */
#define IL_COUNT_WINDOW_MAX 10000 /* calls */
#define IL_TIME_WINDOW_MAX  3600  /* seconds */

enum il_window_type { IL_COUNT_BASED, IL_TIME_BASED };

enum il_state {
	IL_CLOSED,
	IL_OPEN,
	IL_HALF_OPEN,
	IL_FORCED_OPEN,
	IL_DISABLED,
	IL_METRICS_ONLY,
	IL_STATES /* how many there are */
};

/*
 * Plain data, 80 bytes without padding that a compiler could choose: it lies in shared memory.
 * minimum_number_of_calls and wait_duration_in_open_max_ns are 0 when the user did not set them;
 * il_settings_complete puts the values that then hold.
 */
struct il_settings {
	double failure_rate_threshold;	 /* (0, 1] */
	double slow_call_rate_threshold; /* (0, 1] */
	double wait_duration_backoff_multiplier; /* 1..1000 */
	int64_t slow_call_duration_threshold_ns; /* > 0 */
	int64_t wait_duration_in_open_ns;	 /* > 0 */
	int64_t wait_duration_in_open_max_ns;	 /* >= wait_duration_in_open_ns; INT64_MAX: none */
	uint32_t minimum_number_of_calls;
	uint32_t permitted_calls_in_half_open;
	uint32_t max_concurrent_probes;
	uint32_t window_size;
	uint32_t window_type;	/* enum il_window_type */
	uint32_t initial_state; /* enum il_state */
	uint32_t auto_transition; /* 0 or 1 */
	uint32_t reserved;	  /* 0 */
};

/* The defaults of settings.def, completed. Pure; any thread, any signal handler. */
struct il_settings il_settings_default(void);

/* Fills in what was left unset: the minimum becomes min(10, window_size) with a COUNT_BASED window
 * and 10 with a TIME_BASED one, the longest wait INT64_MAX. Pure. */
void il_settings_complete(struct il_settings *settings);

/*
 * Checks completed settings against their ranges (settings.def) and against each other.
 * Returns 0, or -EINVAL with one sentence in ret_why that names the setting, its value in single
 * quotes and what is valid, cut to size bytes with its final 0. ret_why is untouched on success.
 * Pure apart from ret_why; no allocation, no locale; any thread, any signal handler.
 */
int il_settings_check(const struct il_settings *settings, char *ret_why, size_t size);

/* "CLOSED", "OPEN", ...: static text; "?" for a value that is no state. */
const char *il_state_name(uint32_t state);

#endif
