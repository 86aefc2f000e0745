/*
 * What the state machine costs a call: admission and a success recorded, in CLOSED, with a window
 * of 100 calls. Prints nanoseconds a call; `one_call` is the function to count instructions in.
 * usage: core [CALLS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "interlock/breaker.h"

static struct {
	struct il_settings settings;
	struct il_breaker breaker;
	struct il_effects effects;
	uint64_t cells[IL_CELLS_BYTES_MAX / sizeof(uint64_t)];
} bench;

void one_call(int64_t now_ns);

__attribute__((noinline)) void one_call(int64_t now_ns)
{
	if (!il_breaker_acquire(&bench.breaker, &bench.settings, now_ns, &bench.effects))
		abort();
	il_breaker_record(&bench.breaker, &bench.settings, bench.cells, now_ns,
			  bench.breaker.generation, IL_SUCCESS, &bench.effects);
	il_cells_store(bench.cells, &bench.effects);
}

/* Of the processor: what other programs take of the machine does not count. */
static int64_t used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 20000000;
	int64_t begun, ended;

	if (calls < 1)
		return 2;
	bench.settings = il_settings_default();
	il_breaker_init(&bench.breaker, &bench.settings);
	begun = used_ns();
	for (long i = 0; i < calls; i++)
		one_call(begun + i);
	ended = used_ns();
	printf("core: %.1f ns a call (%ld calls)\n", (double)(ended - begun) / (double)calls,
	       calls);
	return 0;
}
