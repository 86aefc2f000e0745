/*
 * Random bytes over every field of the registry while processes use it: two that record on it, one
 * that reads it. Nobody may crash, hang, or touch what is not the registry's.
 * usage: garbage_slot [rounds a field]
 */
#include "slot_rig.h"

#include <sys/stat.h>

#define BREAKERS   8
#define WORKERS    3
#define SILENCE_NS (20 * SECOND) /* a worker that says nothing for so long hangs */

enum where { IN_HEADER, IN_SLOT };

/* A field, or an array of them. */
struct field {
	const char *name;
	enum where where;
	size_t at, bytes, count, stride;
};

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define ID(member)                                                                                 \
	{                                                                                          \
		"id." #member, IN_HEADER, offsetof(struct il_header, id.member),                   \
			SIZE_OF(struct il_header, id.member), 1, 0                                 \
	}
#define HEADER(member)                                                                             \
	{                                                                                          \
#member, IN_HEADER, offsetof(struct il_header, member),                            \
			SIZE_OF(struct il_header, member), 1, 0                                    \
	}
#define SLOT(member)                                                                               \
	{                                                                                          \
#member, IN_SLOT, offsetof(struct il_slot, member),                                \
			SIZE_OF(struct il_slot, member), 1, 0                                      \
	}
#define EACH(place, type, list, member)                                                            \
	{                                                                                          \
#list "[]." #member, place, offsetof(type, list[0].member),                        \
			SIZE_OF(type, list[0].member),                                             \
			SIZE_OF(type, list) / SIZE_OF(type, list[0]), SIZE_OF(type, list[0])       \
	}
#define LEASE(member)  EACH(IN_SLOT, struct il_slot, leases, member)
#define RECENT(member) EACH(IN_SLOT, struct il_slot, recent, member)
#define EVENT(member)  EACH(IN_HEADER, struct il_header, events, member)
#define LIST(place, type, list)                                                                    \
	{                                                                                          \
#list "[]", place, offsetof(type, list), SIZE_OF(type, list[0]),                   \
			SIZE_OF(type, list) / SIZE_OF(type, list[0]), SIZE_OF(type, list[0])       \
	}

static const struct field fields[] = {
	ID(magic),
	ID(version),
	ID(breakers),
	ID(bytes),
	ID(slots_at),
	ID(cells_at),
	ID(slot_bytes),
	ID(cells_bytes),
	ID(boot_id),
	ID(pid_namespace),
	ID(time_offset_ns),
	ID(owner),
	ID(permanent),
	HEADER(table_lock.owner),
	HEADER(table_lock.token),
	HEADER(table_lock.stuck),
	HEADER(table_lock.looked_at_ns),
	HEADER(control_id),
	HEADER(control_version),
	HEADER(registry_full),
	HEADER(evicted),
	HEADER(events_next),
	HEADER(takeovers),
	HEADER(reserved),
	EACH(IN_HEADER, struct il_header, attached, who),
	LIST(IN_HEADER, struct il_header, commands),
	EVENT(sequence),
	EVENT(at_ns),
	EVENT(slot),
	EVENT(pid),
	EVENT(incarnation),
	EVENT(event),
	SLOT(lock.owner),
	SLOT(lock.token),
	SLOT(lock.stuck),
	SLOT(lock.looked_at_ns),
	SLOT(commit),
	SLOT(applied),
	SLOT(facts),
	SLOT(incarnation),
	SLOT(used_at_ns),
	SLOT(death_charged_ns),
	SLOT(rejections),
	SLOT(rules_version),
	SLOT(rules_word),
	SLOT(settings.failure_rate_threshold),
	SLOT(settings.slow_call_rate_threshold),
	SLOT(settings.wait_duration_backoff_multiplier),
	SLOT(settings.slow_call_duration_threshold_ns),
	SLOT(settings.wait_duration_in_open_ns),
	SLOT(settings.wait_duration_in_open_max_ns),
	SLOT(settings.minimum_number_of_calls),
	SLOT(settings.permitted_calls_in_half_open),
	SLOT(settings.max_concurrent_probes),
	SLOT(settings.window_size),
	SLOT(settings.window_type),
	SLOT(settings.initial_state),
	SLOT(settings.auto_transition),
	SLOT(settings.reserved),
	LIST(IN_SLOT, struct il_slot, http_failure),
	SLOT(reject_errno),
	SLOT(reject_established),
	SLOT(breaker.generation),
	SLOT(breaker.opened_at_ns),
	SLOT(breaker.wait_ns),
	SLOT(breaker.last_failure_ns),
	SLOT(breaker.window.next),
	SLOT(breaker.window.first),
	SLOT(breaker.window.second),
	SLOT(breaker.window.since),
	SLOT(breaker.window.tally),
	SLOT(breaker.round),
	SLOT(breaker.state),
	SLOT(breaker.failed_rounds),
	SLOT(journal.breaker.generation),
	SLOT(journal.breaker.window.next),
	SLOT(journal.breaker.window.first),
	SLOT(journal.breaker.state),
	SLOT(journal.cell),
	SLOT(journal.cell_offset),
	SLOT(journal.cell_bytes),
	SLOT(journal.count_values),
	LIST(IN_SLOT, struct il_slot, journal.count_places),
	SLOT(journal.counts),
	SLOT(journal.lease_place),
	SLOT(journal.lease_before),
	SLOT(journal.lease),
	SLOT(journal.lease.tag),
	SLOT(journal.recent_place),
	SLOT(journal.facts),
	SLOT(journal.recent),
	SLOT(journal.trip),
	SLOT(journal.death_charged_ns),
	LIST(IN_SLOT, struct il_slot, counts),
	RECENT(at_ns),
	RECENT(duration_us),
	RECENT(pid),
	RECENT(seen),
	RECENT(outcome),
	RECENT(phase),
	RECENT(command),
	RECENT(status),
	LEASE(tag),
	LEASE(begun_ns),
	LEASE(waiting),
	LEASE(sequence),
	LEASE(second),
	LEASE(start),
	LEASE(generation),
	LEASE(place),
	LEASE(outcome),
	LEASE(reserved),
	SLOT(trip),
	SLOT(shadow),
	SLOT(shared),
	LIST(IN_SLOT, struct il_slot, cells),
	SLOT(cells),
	LIST(IN_SLOT, struct il_slot, name),
	SLOT(name),
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

struct board {
	uint64_t beats[WORKERS], recorded;
	uint32_t stop;
};
static struct board *board;
static char dir[] = "/dev/shm/il_garbage.XXXXXX";

static void beat(int worker)
{
	__atomic_fetch_add(&board->beats[worker], 1, __ATOMIC_RELAXED);
}

static bool stopped(void)
{
	return __atomic_load_n(&board->stop, __ATOMIC_ACQUIRE);
}

/* A name of a few more than there is room for, so that some are evicted all the time. */
static const char *some_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "host%d.internal:443", (int)(random_word() % (BREAKERS + 3)));
	return name;
}

/* Half of them with windows in the area behind the slots. */
static void given_some_settings(void)
{
	given_settings();
	settings.wait_duration_in_open_ns = MS;
	settings.slow_call_duration_threshold_ns = 2 * MS;
	settings.window_type = (uint32_t)(random_word() % 2);
	settings.window_size = settings.window_type == IL_TIME_BASED ? 3600 : 100;
}

static void be_a_writer(int worker)
{
	static const uint8_t kinds[] = { IL_VERDICT_RECORD, IL_VERDICT_RECORD, IL_VERDICT_DROPPED,
					 IL_VERDICT_INCONCLUSIVE, IL_VERDICT_CANCELLED };
	struct il_ticket ticket;
	char command[24];

	while (!stopped()) {
		uint64_t word = random_word();
		int64_t now_ns = il_clock_now_ns();

		given_some_settings();
		beat(worker);
		if (admit(some_name(), now_ns, &ticket) != IL_ADMITTED)
			continue;
		if (word % 3 == 0)
			il_engine_wait(&engine, &ticket, now_ns - SECOND);
		settle(&ticket, kinds[word / 4 % sizeof(kinds)], word / 32 % IL_OUTCOMES, now_ns);
		if (ticket.handle.place)
			__atomic_fetch_add(&board->recorded, 1, __ATOMIC_RELAXED);
		if (word % 5 == 0)
			settle(&ticket, IL_VERDICT_AMEND, word / 64 % IL_OUTCOMES, now_ns);
		if (word % 50 == 0)
			il_engine_override(&engine, &self, word % BREAKERS, ticket.incarnation,
					   word / 128 % IL_STATES, now_ns);
		snprintf(command, sizeof(command), "command%d", (int)(word % 300));
		il_table_command(&engine.segment, command);
		il_segment_join(&engine.segment, &self);
	}
}

/* Attaches now and then as a new process does: to what was damaged it does not. */
static void attach_once(void)
{
	struct il_segment_options options = { .dir = dir, .name = "app", .breakers = BREAKERS };
	struct il_segment segment;
	char why[256];

	if (il_segment_open(&segment, &options, &self, why, sizeof(why)) == 0)
		munmap(segment.header, (size_t)(segment.cells - (uint8_t *)segment.header) +
					       (size_t)segment.breakers * IL_CELLS_STRIDE);
}

static void be_a_reader(int worker, struct il_reader *reader)
{
	static struct il_snapshot snapshot;

	for (uint64_t i = 0; !stopped(); i++) {
		int64_t now_ns = il_clock_now_ns();

		beat(worker);
		il_reader_read(reader, (uint32_t)(i % BREAKERS), now_ns, &snapshot);
		if (il_segment_read(&engine.segment, (uint32_t)(i % BREAKERS), now_ns, &snapshot) ==
			    0 &&
		    strlen(snapshot.slot.name) >= IL_NAME_BYTES)
			abort();
		if (i % 100 == 0)
			attach_once();
	}
}

static pid_t given_a_worker(int worker, struct il_reader *reader)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	self = il_self_read();
	random_state += (uint64_t)worker * 0x1234567;
	if (worker == 0)
		be_a_reader(worker, reader);
	else
		be_a_writer(worker);
	exit(0);
}

/* What is likely to hurt: all bits, one bit, a small number, a neighbour's bytes, anything. */
static void scribble(uint8_t *at, size_t bytes)
{
	uint64_t word = random_word(), kind = random_word() % 6;

	if (kind == 0)
		word = UINT64_MAX;
	else if (kind == 1)
		word = UINT64_C(1) << (word & 63);
	else if (kind == 2)
		word %= 70;
	else if (kind == 3)
		memcpy(&word, at - (uintptr_t)at % 8 + 8, sizeof(word));
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(kind == 4 ? random_word() : word >> (i % 8 * 8));
}

static void scribble_on(const struct field *field)
{
	uint8_t *at = field->where == IN_HEADER
			      ? (uint8_t *)engine.segment.header
			      : (uint8_t *)&engine.segment.slots[random_word() % BREAKERS];

	scribble(at + field->at + random_word() % field->count * field->stride, field->bytes);
}

static bool all_live(const pid_t *workers, int *ret_status)
{
	for (int i = 0; i < WORKERS; i++)
		if (waitpid(workers[i], ret_status, WNOHANG) == workers[i])
			return false;
	return true;
}

/* Waits until each worker has done something since. */
static bool all_beat(void)
{
	uint64_t before[WORKERS];
	int64_t end_ns = il_clock_now_ns() + SILENCE_NS;
	int beating = 0;

	memcpy(before, board->beats, sizeof(before));
	while (beating < WORKERS && il_clock_now_ns() < end_ns) {
		usleep(50);
		for (beating = 0; beating < WORKERS; beating++)
			if (__atomic_load_n(&board->beats[beating], __ATOMIC_RELAXED) ==
			    before[beating])
				break;
	}
	return beating == WORKERS;
}

/* A breaker that is made now works, whatever was there. */
static bool a_new_breaker_works(void)
{
	given_settings();
	memset(engine.segment.hashes, 0, BREAKERS * sizeof(uint64_t));
	for (int i = 0; i < 30; i++) {
		if (call("new.internal:80", IL_SUCCESS, il_clock_now_ns()))
			return true;
		usleep(100000);
	}
	return false;
}

static void try_all_fields(int rounds)
{
	struct il_reader reader;
	pid_t workers[WORKERS];
	bool live = true, beats = true;
	int status = 0;
	size_t last = 0;

	if (il_reader_open(&reader, dir, "app", NULL) < 0)
		abort();
	for (int i = 0; i < WORKERS; i++)
		workers[i] = given_a_worker(i, &reader);
	for (int round = 0; round < rounds && live && beats; round++) {
		for (size_t i = 0; i < FIELDS && live; i++) {
			last = i;
			scribble_on(&fields[i]);
			usleep(20);
			live = all_live(workers, &status);
		}
		beats = all_beat();
		/* Free slots are filled again by the writers: each round begins with whole
		 * breakers. */
		memset(engine.segment.hashes, 0, BREAKERS * sizeof(uint64_t));
	}
	__atomic_store_n(&board->stop, 1, __ATOMIC_RELEASE);
	tell(live, "%zu fields were overwritten %d times, and nobody died%s%s", FIELDS, rounds,
	     live ? "" : ": after ", live ? "" : fields[last].name);
	if (!live)
		printf("# wait status %d\n", status);
	tell(!live || beats, "and nobody hung");
	tell(board->recorded > 0, "%lu calls were recorded all the same", board->recorded);
	for (int i = 0; i < WORKERS; i++) {
		if (!beats)
			kill(workers[i], SIGKILL);
		if (waitpid(workers[i], &status, 0) == workers[i])
			tell(WIFEXITED(status) && WEXITSTATUS(status) == 0, "worker %d ended well",
			     i);
	}
	tell(a_new_breaker_works(), "a breaker made afterwards works");
	il_reader_close(&reader);
}

int main(int count, char **words)
{
	char command[64];

	if (access("/dev/shm", W_OK) != 0)
		memcpy(dir, "/tmp/il_garb", 12);
	if (!mkdtemp(dir))
		return 1;
	board = shared_memory(4096);
	given_an_engine(dir, "app", BREAKERS);
	try_all_fields(count > 1 ? atoi(words[1]) : 50);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) != 0 ? 1 : results();
}
