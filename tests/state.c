/*
 * What is in a registry, for tests: a line for each breaker, `NAME STATE total failed slow`, then
 * one for each counter that is not 0 and one for each lease.
 * usage: state DIRECTORY REGISTRY
 */
#include "base/clock.h"
#include "registry/leases.h"
#include "registry/snapshot.h"

#include <stdio.h>
#include <string.h>

static const char *const counters[] = {
#define IL_COUNTER(name, help) #name,
#include "interlock/counters.def"
#undef IL_COUNTER
};

static struct il_snapshot snapshot;

static void print(int64_t now_ns)
{
	const struct il_slot *slot = &snapshot.slot;

	printf("%s %s %u %u %u\n", slot->name, il_state_name(slot->breaker.state),
	       snapshot.look.total, snapshot.look.failed, snapshot.look.slow);
	for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (slot->counts[i])
			printf("  %s %llu\n", counters[i], (unsigned long long)slot->counts[i]);
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		struct il_lease_view view;

		if (il_lease_look(slot, i, &view))
			printf("  lease of %u, %lld ms old, waiting %lld ms%s\n", view.pid,
			       (long long)(now_ns - view.begun_ns) / 1000000,
			       view.waiting_since_ns
				       ? (long long)(now_ns - view.waiting_since_ns) / 1000000
				       : -1,
			       view.kind == IL_LEASE_PROBE ? ", a probe" : "");
	}
}

int main(int argc, char **argv)
{
	int64_t now_ns = il_clock_now_ns();
	struct il_reader reader;

	if (argc != 3)
		return 2;
	int rc = il_reader_open(&reader, argv[1], argv[2], NULL);
	if (rc < 0) {
		fprintf(stderr, "state: %s\n", strerror(-rc));
		return 1;
	}
	for (uint32_t i = 0; i < reader.breakers; i++)
		if (il_reader_read(&reader, i, now_ns, &snapshot) == 0)
			print(now_ns);
	return 0;
}
