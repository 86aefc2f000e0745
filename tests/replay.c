/*
 * Replays conformance traces: reads them on standard input, ignores what is recorded after " => ",
 * performs each operation on the core and prints the whole with our own results. On a core that
 * conforms, the output is the input. Ends with 2 at a line that it does not understand.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings_table.h"
#include "interlock/breaker.h"

static struct replay {
	struct il_settings settings;
	struct il_breaker breaker;
	struct il_effects effects;
	int64_t now_ns;
	struct il_handle *handles; /* of this trace's records, in their order */
	size_t handles_count, handles_room;
	uint64_t cells[IL_CELLS_BYTES_MAX / sizeof(uint64_t)];
} replay;

static void give_up(const char *what, const char *text)
{
	fprintf(stderr, "replay: %s '%s'\n", what, text);
	exit(2);
}

static void start(void)
{
	il_breaker_init(&replay.breaker, &replay.settings);
	replay.now_ns = 0;
	replay.handles_count = 0;
	memset(replay.cells, 0, sizeof(replay.cells)); /* the clock starts anew */
}

/* Rates are read as the reference prints them, exponents included. */
static bool read_double(const char *key, const char *value)
{
	double *to = strcmp(key, "failure_rate_threshold") == 0
			     ? &replay.settings.failure_rate_threshold
		     : strcmp(key, "slow_call_rate_threshold") == 0
			     ? &replay.settings.slow_call_rate_threshold
		     : strcmp(key, "wait_duration_backoff_multiplier") == 0
			     ? &replay.settings.wait_duration_backoff_multiplier
			     : NULL;
	char *end;

	if (!to)
		return false;
	*to = strtod(value, &end);
	if (end == value || *end)
		give_up("not a number:", value);
	return true;
}

static void configure(char *pair)
{
	char *value = strchr(pair, '=');

	if (!value)
		give_up("not key=value:", pair);
	*value++ = 0;
	if (read_double(pair, value) || strcmp(value, "none") == 0)
		return;
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		if (strcmp(il_settings_table[i].name, pair) == 0) {
			if (il_setting_read(&il_settings_table[i], value, strlen(value),
					    &replay.settings) != 0)
				give_up("not a value:", value);
			return;
		}
	}
	give_up("not a setting:", pair);
}

static void do_trace(char *rest)
{
	(void)rest;
	replay.settings = il_settings_default();
	start();
}

static void do_config(char *rest)
{
	char why[256];

	replay.settings = il_settings_default();
	replay.settings.minimum_number_of_calls = 0;
	for (char *pair = strtok(rest, " "); pair; pair = strtok(NULL, " "))
		configure(pair);
	il_settings_complete(&replay.settings);
	if (il_settings_check(&replay.settings, why, sizeof(why)) != 0)
		fprintf(stderr, "replay: %s\n", why);
	start();
}

static void do_initial(char *rest)
{
	const struct il_setting *initial = &il_settings_table[IL_SETTING_initial_state];

	if (il_setting_read(initial, rest, strlen(rest), &replay.settings) != 0)
		give_up("not a state:", rest);
	start();
}

static void do_advance(char *rest)
{
	int64_t step = strtoll(rest, NULL, 10);

	if (__builtin_add_overflow(replay.now_ns, step, &replay.now_ns))
		replay.now_ns = INT64_MAX;
}

static void do_nothing(char *rest)
{
	(void)rest;
}

static void print_state(void)
{
	printf(" state=%s generation=%" PRIu64, il_state_name(replay.breaker.state),
	       replay.breaker.generation);
}

static void do_acquire(char *rest)
{
	(void)rest;
	printf(il_breaker_acquire(&replay.breaker, &replay.settings, replay.now_ns, &replay.effects)
		       ? " granted"
		       : " rejected");
}

static uint64_t read_generation(const char *rest)
{
	const char *key = rest ? strstr(rest, "generation=") : NULL;

	if (!key)
		give_up("no generation:", rest ? rest : "");
	return strtoull(key + strlen("generation="), NULL, 10);
}

static enum il_outcome read_outcome(const char *word)
{
	static const char *const names[] = { "SUCCESS", "FAILURE", "SLOW_SUCCESS", "SLOW_FAILURE" };

	for (unsigned i = 0; word && i < IL_OUTCOMES; i++)
		if (strcmp(word, names[i]) == 0)
			return (enum il_outcome)i;
	give_up("not an outcome:", word ? word : "");
	return IL_SUCCESS;
}

/* After each operation that may have changed the window. */
static void store_cell(void)
{
	il_cells_store(replay.cells, &replay.effects);
}

static void keep_handle(struct il_handle handle)
{
	if (replay.handles_count == replay.handles_room) {
		replay.handles_room = replay.handles_room * 2 + 64;
		replay.handles = realloc(replay.handles, replay.handles_room * sizeof(handle));
		if (!replay.handles)
			give_up("out of memory", "");
	}
	replay.handles[replay.handles_count++] = handle;
}

static void do_record(char *rest)
{
	char *outcome = strtok(rest, " ");
	uint64_t generation = read_generation(strtok(NULL, " "));

	keep_handle(il_breaker_record(&replay.breaker, &replay.settings, replay.cells,
				      replay.now_ns, generation, read_outcome(outcome),
				      &replay.effects));
	store_cell();
}

static void do_amend(char *rest)
{
	char *number = strtok(rest, " ");
	enum il_outcome outcome = read_outcome(strtok(NULL, " "));
	uint64_t index = number ? strtoull(number, NULL, 10) : 0;

	if (index < 1 || index > replay.handles_count)
		give_up("no such record:", number ? number : "");
	replay.handles[index - 1] =
		il_breaker_amend(&replay.breaker, &replay.settings, replay.cells, replay.now_ns,
				 replay.handles[index - 1], outcome, &replay.effects);
	store_cell();
}

static void do_release(char *rest)
{
	il_breaker_release(&replay.breaker, &replay.settings, replay.now_ns, read_generation(rest),
			   &replay.effects);
}

static void do_inconclusive(char *rest)
{
	il_breaker_inconclusive(&replay.breaker, &replay.settings, replay.now_ns,
				read_generation(rest), &replay.effects);
}

static void do_auto(char *rest)
{
	(void)rest;
	printf(il_breaker_auto(&replay.breaker, replay.now_ns, &replay.effects) ? " moved"
										: " stayed");
}

static void do_force_open(char *rest)
{
	(void)rest;
	il_breaker_override(&replay.breaker, IL_FORCED_OPEN, &replay.effects);
}

static void do_disable(char *rest)
{
	(void)rest;
	il_breaker_override(&replay.breaker, IL_DISABLED, &replay.effects);
}

static void do_metrics_only(char *rest)
{
	(void)rest;
	il_breaker_override(&replay.breaker, IL_METRICS_ONLY, &replay.effects);
}

static void do_reset(char *rest)
{
	(void)rest;
	il_breaker_reset(&replay.breaker, &replay.effects);
}

static void do_snapshot(char *rest)
{
	struct il_look look =
		il_breaker_look(&replay.breaker, &replay.settings, replay.cells, replay.now_ns);

	(void)rest;
	printf(" total=%" PRIu32 " failed=%" PRIu32 " slow=%" PRIu32 " retry_after=", look.total,
	       look.failed, look.slow);
	if (look.retry_after_ns < 0)
		printf("none");
	else
		printf("%" PRId64 "ns", look.retry_after_ns);
}

/* What is printed after the line: nothing, or the operation's own words, or these and the state. */
enum result { NONE, OWN, STATE };

static const struct operation {
	const char *name;
	void (*run)(char *rest);
	enum result result;
} operations[] = {
	{ "trace", do_trace, NONE },
	{ "config", do_config, NONE },
	{ "initial", do_initial, NONE },
	{ "advance", do_advance, NONE },
	{ "end", do_nothing, NONE },
	{ "acquire", do_acquire, STATE },
	{ "record", do_record, STATE },
	{ "release", do_release, STATE },
	{ "inconclusive", do_inconclusive, STATE },
	{ "amend", do_amend, STATE },
	{ "auto", do_auto, STATE },
	{ "force_open", do_force_open, STATE },
	{ "disable", do_disable, STATE },
	{ "metrics_only", do_metrics_only, STATE },
	{ "reset", do_reset, STATE },
	{ "snapshot", do_snapshot, OWN },
};

static const struct operation *find_operation(const char *line)
{
	size_t length = strcspn(line, " ");

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (strlen(operations[i].name) == length &&
		    memcmp(operations[i].name, line, length) == 0)
			return &operations[i];
	give_up("not an operation:", line);
	return NULL;
}

static void replay_line(char *line)
{
	const struct operation *operation;
	char *recorded = strstr(line, " => ");

	line[strcspn(line, "\n")] = 0;
	if (recorded)
		*recorded = 0;
	fputs(line, stdout);
	if (line[0]) {
		operation = find_operation(line);
		if (operation->result != NONE)
			fputs(" =>", stdout);
		operation->run(line + strlen(operation->name) +
			       (line[strlen(operation->name)] == ' '));
		if (operation->result == STATE)
			print_state();
	}
	putchar('\n');
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	do_trace(NULL);
	while (getline(&line, &room, stdin) >= 0)
		replay_line(line);
	free(line);
	free(replay.handles);
	return ferror(stdin) || fflush(stdout) != 0;
}
