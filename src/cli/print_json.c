#include "cli/breakers.h"
#include "cli/cli.h"

#include <jansson.h>
#include <stdlib.h>

static const char *const counters[IL_COUNTERS] = {
#define IL_COUNTER(name, help) #name,
#include "interlock/counters.def"
#undef IL_COUNTER
};

static json_t *seconds_or_null(int64_t ns)
{
	return ns < 0 ? json_null() : json_real((double)ns / 1e9);
}

static void put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) == 0)
		return;
	cli_complain("no memory");
	exit(CLI_FAILED);
}

static json_t *object_of(const struct cli_breaker *breaker)
{
	json_t *object = json_object();

	put(object, "registry", json_string(breaker->registry));
	put(object, "name", json_string(breaker->name));
	put(object, "state", json_string(il_state_name(breaker->state)));
	put(object, "calls", json_integer(breaker->look.total));
	put(object, "failed", json_integer(breaker->look.failed));
	put(object, "slow", json_integer(breaker->look.slow));
	put(object, "failure_rate", json_real(cli_failure_rate(breaker)));
	put(object, "slow_call_rate", json_real(cli_slow_rate(breaker)));
	put(object, "rejected", json_integer((json_int_t)breaker->counts[IL_COUNT_rejected]));
	put(object, "retry_after", seconds_or_null(breaker->look.retry_after_ns));
	for (size_t i = 0; i < IL_COUNTERS; i++)
		put(object, counters[i], json_integer((json_int_t)breaker->counts[i]));
	return object;
}

void cli_print_json(const struct cli_breakers *breakers)
{
	json_t *array = json_array();

	for (size_t i = 0; i < breakers->count; i++)
		json_array_append_new(array, object_of(&breakers->all[i]));
	json_dumpf(array, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(array);
}
