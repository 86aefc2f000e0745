#include "interlock/settings.h"

#include <errno.h>
#include <string.h>

#include "core/settings_table.h"

#define MINIMUM_DEFAULT 10

const char *il_state_name(uint32_t state)
{
	static const char *const names[IL_STATES] = {
		[IL_CLOSED] = "CLOSED",       [IL_OPEN] = "OPEN",
		[IL_HALF_OPEN] = "HALF_OPEN", [IL_FORCED_OPEN] = "FORCED_OPEN",
		[IL_DISABLED] = "DISABLED",   [IL_METRICS_ONLY] = "METRICS_ONLY",
	};

	return state < IL_STATES ? names[state] : "?";
}

struct il_settings il_settings_default(void)
{
	struct il_settings settings = { 0 };

	for (size_t i = 0; i < IL_SETTINGS; i++) {
		const char *text = il_settings_table[i].default_text;

		if (text[0] != 0)
			il_setting_read(&il_settings_table[i], text, strlen(text), &settings);
	}
	il_settings_complete(&settings);
	return settings;
}

void il_settings_complete(struct il_settings *settings)
{
	bool small =
		settings->window_type == IL_COUNT_BASED && settings->window_size < MINIMUM_DEFAULT;

	if (settings->minimum_number_of_calls == 0)
		settings->minimum_number_of_calls = small ? settings->window_size : MINIMUM_DEFAULT;
	if (settings->wait_duration_in_open_max_ns == 0)
		settings->wait_duration_in_open_max_ns = INT64_MAX;
}

/* Written so that what is not a number is in no range. */
static bool is_rate(double rate)
{
	return rate > 0 && rate <= 1;
}

static bool is_within(uint32_t count, uint32_t most)
{
	return count >= 1 && count <= most;
}

static bool is_valid_failure_rate_threshold(const struct il_settings *settings)
{
	return is_rate(settings->failure_rate_threshold);
}

static bool is_valid_slow_call_rate_threshold(const struct il_settings *settings)
{
	return is_rate(settings->slow_call_rate_threshold);
}

static bool is_valid_slow_call_duration_threshold(const struct il_settings *settings)
{
	return settings->slow_call_duration_threshold_ns > 0;
}

static bool is_valid_permitted_calls_in_half_open(const struct il_settings *settings)
{
	return is_within(settings->permitted_calls_in_half_open, IL_PROBES_MAX);
}

static bool is_valid_max_concurrent_probes(const struct il_settings *settings)
{
	return is_within(settings->max_concurrent_probes, IL_CONCURRENT_MAX) &&
	       settings->max_concurrent_probes <= settings->permitted_calls_in_half_open;
}

static bool is_valid_wait_duration_in_open(const struct il_settings *settings)
{
	return settings->wait_duration_in_open_ns > 0;
}

static bool is_valid_wait_duration_backoff_multiplier(const struct il_settings *settings)
{
	return settings->wait_duration_backoff_multiplier >= 1 &&
	       settings->wait_duration_backoff_multiplier <= 1000;
}

static bool is_valid_wait_duration_in_open_max(const struct il_settings *settings)
{
	return settings->wait_duration_in_open_max_ns >= settings->wait_duration_in_open_ns;
}

static bool is_valid_auto_transition(const struct il_settings *settings)
{
	return settings->auto_transition <= 1;
}

static bool is_valid_window_type(const struct il_settings *settings)
{
	return settings->window_type <= IL_TIME_BASED;
}

static bool is_valid_window_size(const struct il_settings *settings)
{
	return is_within(settings->window_size, settings->window_type == IL_TIME_BASED
							? IL_TIME_WINDOW_MAX
							: IL_COUNT_WINDOW_MAX);
}

/* A window that is itself wrong is named by its own check. */
static bool is_valid_minimum_number_of_calls(const struct il_settings *settings)
{
	return settings->minimum_number_of_calls >= 1 &&
	       (settings->window_type != IL_COUNT_BASED || !is_valid_window_size(settings) ||
		settings->minimum_number_of_calls <= settings->window_size);
}

static bool is_valid_initial_state(const struct il_settings *settings)
{
	return settings->initial_state < IL_STATES && settings->initial_state != IL_OPEN &&
	       settings->initial_state != IL_HALF_OPEN;
}

static bool (*const is_valid[IL_SETTINGS])(const struct il_settings *settings) = {
#define IL_SETTING(name, type, field, default_text, valid_text, help) is_valid_##name,
#include "interlock/settings.def"
#undef IL_SETTING
};

static void explain(const struct il_setting *setting, const struct il_settings *settings,
		    char *ret_why, size_t size)
{
	struct il_text why;

	if (size == 0)
		return;
	why = il_text_in(ret_why, size);
	il_text_add(&why, setting->name);
	il_text_add(&why, " '");
	il_setting_put(setting, settings, &why);
	il_text_add(&why, "' is not valid: give ");
	il_text_add(&why, setting->valid_text);
}

int il_settings_check(const struct il_settings *settings, char *ret_why, size_t size)
{
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		if (!is_valid[i](settings)) {
			explain(&il_settings_table[i], settings, ret_why, size);
			return -EINVAL;
		}
	}
	return 0;
}
