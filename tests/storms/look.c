/* The registry, as a driver sees it from outside. */
#include "rig.h"

struct il_snapshot snapshot;

bool look_at(const char *name)
{
	struct il_reader reader;
	bool found = false;

	if (il_reader_open(&reader, getenv("INTERLOCK_RUNTIME_DIR"), getenv("INTERLOCK_REGISTRY"),
			   NULL) < 0)
		return false;
	for (uint32_t i = 0; i < reader.breakers && !found; i++)
		found = il_reader_read(&reader, i, now_ns(), &snapshot) == 0 &&
			strcmp(snapshot.slot.name, name) == 0;
	il_reader_close(&reader);
	return found;
}

bool look_at_server(void)
{
	char name[32];

	snprintf(name, sizeof(name), "127.0.0.1:%u", board->port);
	return look_at(name);
}

bool look_at_header(struct il_header *ret_header)
{
	struct il_reader reader;

	if (il_reader_open(&reader, getenv("INTERLOCK_RUNTIME_DIR"), getenv("INTERLOCK_REGISTRY"),
			   NULL) < 0)
		return false;
	bool whole = pread(reader.fd, ret_header, sizeof(*ret_header), 0) == sizeof(*ret_header);

	il_reader_close(&reader);
	return whole;
}

uint64_t count_of(enum il_counter counter)
{
	return snapshot.slot.counts[counter];
}

uint64_t changes(enum il_state from, enum il_state to)
{
	return snapshot.slot.counts[IL_COUNT_CHANGE(from, to)];
}

uint64_t recorded(void)
{
	return count_of(IL_COUNT_calls_success) + count_of(IL_COUNT_calls_failure) +
	       count_of(IL_COUNT_calls_slow_success) + count_of(IL_COUNT_calls_slow_failure);
}

unsigned leases_open(enum il_lease_kind kind)
{
	struct il_lease_view view;
	unsigned open = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		open += il_lease_look(&snapshot.slot, i, &view) && view.kind == kind;
	return open;
}
