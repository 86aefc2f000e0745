/*
 * Killed at every instruction. A child does one operation and is single-stepped through it by
 * ptrace. After each instruction the shared memory is what a kill there would leave: a picture of
 * it is taken whenever it differs from the last, and the child is killed. Then every picture is put
 * back, and another process goes on from it: the breaker must be as before the operation or as
 * after it, whole, and must come back to CLOSED: no probe, lease or lock of the dead may hold it.
 * So that nothing rests on that argument alone, a fresh child is also killed in earnest after N
 * instructions: for some N in `make check`, for each in `make check-all`.
 * usage: step_slot [kills an operation | all]
 */
#include "slot_rig.h"

#include "engine/steer.h"

#include <fcntl.h>
#include <sys/ptrace.h>

#define BREAKERS  4
#define NAME      "db.internal:5432"
#define STEPS_MAX 4000000

/* What the child tells its tracer: it has begun, it is done. */
struct board {
	uint32_t begun, done;
};
static struct board *board;
static uint8_t *image; /* the registry as it was before the operation */
static size_t image_bytes;

/* The different contents of the registry during one operation, in their order. */
static struct {
	uint8_t **of;
	int count, room;
} pictures;

/* One operation: how the breaker comes to where it begins, and what the child does. Both run in the
 * same process, so what the first leaves in memory the second finds. */
struct operation {
	const char *name;
	void (*prepare)(void);
	void (*perform)(void);
	bool evicts; /* between the old breaker and the new one there is none */
};

static struct il_ticket ticket, other;
static int64_t now_ns; /* of the operation */

static void given_failures(int count)
{
	for (int i = 0; i < count; i++)
		call(NAME, IL_FAILURE, NOW);
}

static void is_admitted(void)
{
	admit(NAME, NOW, &ticket);
}

static void has_three_failures(void)
{
	given_failures(3);
	is_admitted();
}

static void has_recorded(void)
{
	is_admitted();
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, NOW);
}

/* One failure of four: a second makes half of them. */
static void has_recorded_at_the_brink(void)
{
	given_failures(1);
	call(NAME, IL_SUCCESS, NOW);
	call(NAME, IL_SUCCESS, NOW);
	has_recorded();
}

static void is_open(void)
{
	given_failures(4);
	now_ns = NOW + 11 * SECOND;
}

static void has_a_probe(void)
{
	is_open();
	admit(NAME, now_ns, &ticket);
}

static void has_one_probe_of_two(void)
{
	settings.max_concurrent_probes = 2;
	has_a_probe();
	other = ticket;
}

static void has_its_last_probe(void)
{
	has_a_probe();
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, now_ns);
	admit(NAME, now_ns, &ticket);
}

static void has_an_inconclusive_round(void)
{
	has_a_probe();
	settle(&ticket, IL_VERDICT_INCONCLUSIVE, 0, now_ns);
	admit(NAME, now_ns, &ticket);
}

static void has_a_call_that_hangs(void)
{
	is_admitted();
	il_engine_wait(&engine, &ticket, NOW);
	now_ns = NOW + 6 * SECOND;
}

static void has_a_probe_that_hangs(void)
{
	has_a_probe();
	il_engine_wait(&engine, &ticket, now_ns);
	now_ns += 6 * SECOND;
}

/* A lease whose owner is gone: taken under a number that no process has. */
static void of_the_dead(void (*what)(void))
{
	struct il_self ours = self;

	self = (struct il_self){ .pid = 0x3ffff0, .tid = 0x3ffff0, .start = 1 };
	what();
	self = ours;
}

static void has_a_dead_call(void)
{
	of_the_dead(has_a_call_that_hangs);
	now_ns = NOW + 2 * SECOND;
}

static void has_a_dead_probe(void)
{
	of_the_dead(has_a_probe);
	now_ns += SECOND;
}

static void has_seconds(void)
{
	settings.window_type = IL_TIME_BASED;
	settings.window_size = 60;
	settings.minimum_number_of_calls = 10;
	given_failures(3);
	is_admitted();
	now_ns = NOW + 5 * SECOND;
}

static void has_a_full_table(void)
{
	is_admitted();
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, NOW);
	for (int i = 1; i < BREAKERS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "old:%d", i);
		call(name, IL_SUCCESS, NOW - i);
	}
}

static void do_admit(void)
{
	admit(NAME, now_ns, &ticket);
}

static void do_record(void)
{
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, now_ns);
}

static void do_record_success(void)
{
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, now_ns);
}

static void do_amend(void)
{
	settle(&ticket, IL_VERDICT_AMEND, IL_FAILURE, now_ns);
}

static void do_drop(void)
{
	settle(&ticket, IL_VERDICT_DROPPED, 0, now_ns);
}

static void do_inconclusive(void)
{
	settle(&ticket, IL_VERDICT_INCONCLUSIVE, 0, now_ns);
}

static void do_wait(void)
{
	il_engine_wait(&engine, &ticket, now_ns);
}

static void do_sweep(void)
{
	uint64_t incarnation;
	int place = il_table_find(&engine.segment, NAME, &incarnation);

	self.pid ^= 1; /* a visitor asks about others only */
	il_engine_sweep(&engine, &self, (uint32_t)place, incarnation, now_ns, true);
}

static void do_make(void)
{
	admit("new.internal:80", now_ns, &ticket);
}

static void do_override(void)
{
	il_engine_override(&engine, &self, 0, 1, IL_CLOSED, now_ns);
}

/* Rules that this process has read, and breakers have not obeyed yet. */
static struct il_steer steer;
static void are_there(const char *rules)
{
	static const struct il_statuses none;
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/interlock-step-%d", getpid());
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, rules, strlen(rules)) < 0)
		abort();
	close(fd);
	memset(&steer.control, 0, sizeof(steer.control));
	il_steer_init(&steer, path, 1, &settings, &none);
	steer.due_ns = 0;
	engine.steer = &steer;
	il_steer_look(&engine, &self, NOW);
	engine.steer = NULL;
	unlink(path);
}

static void is_open_and_to_be_reset(void)
{
	is_open();
	are_there("*:* reset=1 wait_duration_in_open=9s\n");
}

static void is_to_have_another_window(void)
{
	has_three_failures();
	are_there("*:* window_size=5\n");
}

static void do_steer(void)
{
	engine.steer = &steer;
	il_steer_slot(&engine, &self, 0, 1, now_ns);
}

static const struct operation operations[] = {
	{ "a lease is taken", is_admitted, do_admit, false },
	{ "a lease's owner begins to wait", is_admitted, do_wait, false },
	{ "a call is recorded", is_admitted, do_record, false },
	{ "a record trips", has_three_failures, do_record, false },
	{ "a call is recorded in a window of seconds", has_seconds, do_record, false },
	{ "an outcome is amended", has_recorded, do_amend, false },
	{ "an amendment trips", has_recorded_at_the_brink, do_amend, false },
	{ "a call is dropped with its lease", is_admitted, do_drop, false },
	{ "the first probe is admitted", is_open, do_admit, false },
	{ "a second probe is admitted", has_one_probe_of_two, do_admit, false },
	{ "a probe is recorded", has_a_probe, do_record_success, false },
	{ "the last probe closes", has_its_last_probe, do_record_success, false },
	{ "the last probe opens again", has_its_last_probe, do_record, false },
	{ "a probe is released", has_a_probe, do_drop, false },
	{ "a probe is inconclusive", has_a_probe, do_inconclusive, false },
	{ "the last probe is inconclusive", has_an_inconclusive_round, do_inconclusive, false },
	{ "a call that hangs is charged", has_a_call_that_hangs, do_sweep, false },
	{ "a probe that hangs is charged", has_a_probe_that_hangs, do_sweep, false },
	{ "a call of the dead is settled", has_a_dead_call, do_sweep, false },
	{ "a probe of the dead is released", has_a_dead_probe, do_sweep, false },
	{ "a reset", is_open, do_override, false },
	{ "a control file resets it", is_open_and_to_be_reset, do_steer, false },
	{ "a control file changes its window", is_to_have_another_window, do_steer, false },
	{ "a breaker is made", given_settings, do_make, false },
	{ "a breaker is made in an evicted one's place", has_a_full_table, do_make, true },
};

/* What must be as before or as after. Left out: what no commit changes, and who did it. */
struct essence {
	struct il_breaker breaker;
	uint64_t commit;
	uint64_t counts[IL_COUNTS];
	struct il_recent recent[IL_RECENT];
	struct il_trip trip;
	struct il_look look;
	int64_t death_charged_ns;
	uint64_t rules_word;
	uint32_t facts, leases;
	char name[IL_NAME_BYTES];
};
struct essences {
	struct essence of[BREAKERS];
};

/* Counted as they happen, and not with the decision. */
static const uint8_t counted_at_once[] = { IL_COUNT_rejected,      IL_COUNT_unleased,
					   IL_COUNT_inconclusive,  IL_COUNT_cancelled,
					   IL_COUNT_lock_timeouts, IL_COUNT_passed_while_open };

static const char *essence_of(uint32_t place, struct essence *ret_essence)
{
	static struct il_snapshot snapshot;
	const struct il_slot *slot = &snapshot.slot;
	int got = il_segment_read(&engine.segment, place, NOW, &snapshot);

	memset(ret_essence, 0, sizeof(*ret_essence));
	if (got == -ENOENT)
		return NULL;
	if (got < 0)
		return "it cannot be read";
	ret_essence->breaker = slot->breaker;
	ret_essence->commit = slot->commit;
	memcpy(ret_essence->counts, slot->counts, sizeof(slot->counts));
	memcpy(ret_essence->recent, slot->recent, sizeof(slot->recent));
	ret_essence->trip = slot->trip;
	ret_essence->look = snapshot.look;
	ret_essence->death_charged_ns = slot->death_charged_ns;
	ret_essence->rules_word = slot->rules_word;
	ret_essence->facts = slot->facts;
	memcpy(ret_essence->name, slot->name, sizeof(slot->name));
	for (size_t i = 0; i < sizeof(counted_at_once); i++)
		ret_essence->counts[counted_at_once[i]] = 0;
	for (uint32_t i = 0; i < IL_RECENT; i++)
		ret_essence->recent[i].pid = 0;
	return snapshot_wrong(&snapshot);
}

static const char *essences_of(struct essences *ret_essences)
{
	const char *wrong = NULL;

	for (uint32_t place = 0; place < BREAKERS && !wrong; place++)
		wrong = essence_of(place, &ret_essences->of[place]);
	return wrong;
}

static void restore(const uint8_t *picture)
{
	memcpy(engine.segment.header, picture, image_bytes);
	board->begun = board->done = 0;
}

static void take_picture(void)
{
	const uint8_t *last = pictures.count ? pictures.of[pictures.count - 1] : NULL;

	if (last && memcmp(last, engine.segment.header, image_bytes) == 0)
		return;
	if (pictures.count == pictures.room) {
		pictures.room = 2 * pictures.room + 64;
		pictures.of = realloc(pictures.of, (size_t)pictures.room * sizeof(uint8_t *));
	}
	pictures.of[pictures.count] = malloc(image_bytes);
	memcpy(pictures.of[pictures.count++], engine.segment.header, image_bytes);
}

static void forget_pictures(void)
{
	while (pictures.count > 0)
		free(pictures.of[--pictures.count]);
}

static void given(const struct operation *operation)
{
	struct il_ticket none = { 0 };

	memset(&engine.segment.header->table_lock, 0, sizeof(struct il_lock));
	board->begun = board->done = 0;
	memset(engine.segment.hashes, 0, BREAKERS * sizeof(uint64_t));
	memset(engine.segment.slots, 0, BREAKERS * sizeof(struct il_slot));
	given_settings();
	now_ns = NOW;
	ticket = other = none;
	operation->prepare();
	memcpy(image, engine.segment.header, image_bytes);
}

static void be_stepped(const struct operation *operation)
{
	self = il_self_read();
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	__atomic_store_n(&board->begun, 1, __ATOMIC_SEQ_CST);
	operation->perform();
	__atomic_store_n(&board->done, 1, __ATOMIC_SEQ_CST);
	_exit(0);
}

/* One instruction of the child. False: it is gone. */
static bool step(pid_t child)
{
	int status;

	return ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 &&
	       waitpid(child, &status, 0) == child && WIFSTOPPED(status);
}

static pid_t given_a_child_at_its_begin(const struct operation *operation)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		be_stepped(operation);
	waitpid(child, &status, 0);
	while (!board->begun && step(child))
		;
	return child;
}

static void kill_and_reap(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) == child && !WIFSIGNALED(status) && !WIFEXITED(status))
		;
}

/* Steps a child `steps` instructions into the operation and kills it. */
static void kill_after(const struct operation *operation, int steps)
{
	pid_t child = given_a_child_at_its_begin(operation);

	for (int i = 0; i < steps && !board->done && step(child); i++)
		;
	kill_and_reap(child);
}

/* Takes a picture after every instruction of the operation; how many there were. */
static int step_through(const struct operation *operation)
{
	pid_t child = given_a_child_at_its_begin(operation);
	int steps = 0;

	forget_pictures();
	take_picture();
	while (!board->done && steps < STEPS_MAX && step(child)) {
		steps++;
		take_picture();
	}
	kill_and_reap(child);
	return steps;
}

/* Visits until the breaker works again: admitted, probed, closed, and nobody's leases in it. */
static const char *comes_back(const char *name)
{
	struct il_slot *slot = slot_named(name);
	int64_t at_ns = now_ns + 20 * SECOND;

	if (!slot && !call(name, IL_SUCCESS, at_ns)) {
		wait_for_a_look(&engine.segment.header->table_lock);
		return call(name, IL_SUCCESS, at_ns) ? NULL : "it cannot be made";
	}
	for (int visit = 0; slot && visit < 60; visit++, at_ns += 3 * SECOND) {
		call(name, IL_SUCCESS, at_ns);
		wait_for_a_look(&slot->lock);
	}
	if (!slot)
		return NULL;
	if (state_of(slot) != IL_CLOSED)
		return "it does not close";
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		struct il_lease_view view;
		/* What prepared the operation is our own, and alive. */
		if (il_lease_look(slot, i, &view) ? view.pid != self.pid
						  : !il_lease_is_free(slot, i))
			return "a lease of the dead is left";
	}
	return slot_wrong((uint32_t)(slot - engine.segment.slots), at_ns);
}

static bool same(const struct essence *a, const struct essence *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool is_expected(const struct operation *operation, const struct essences *seen,
			const struct essences *before, const struct essences *after)
{
	static const struct essence nobody;

	for (int i = 0; i < BREAKERS; i++)
		if (!same(&seen->of[i], &before->of[i]) && !same(&seen->of[i], &after->of[i]) &&
		    !(operation->evicts && same(&seen->of[i], &nobody)))
			return false;
	return true;
}

/* A reader, and the next who takes the locks, see the same: what was before, or what is after. */
static const char *judge_what_is_seen(const struct operation *operation,
				      const struct essences *before, const struct essences *after)
{
	static struct essences seen, repaired;
	struct il_change change;
	const char *wrong = essences_of(&seen);

	if (wrong)
		return wrong;
	if (!is_expected(operation, &seen, before, after))
		return "a reader sees neither before nor after";
	for (uint32_t place = 0; place < BREAKERS; place++)
		if (il_slot_begin(&engine.segment, &self, place,
				  engine.segment.slots[place].incarnation, &change) == 0)
			il_slot_abandon(&change);
	wrong = essences_of(&repaired);
	if (wrong)
		return wrong;
	return memcmp(&seen, &repaired, sizeof(seen)) ? "the repair changed what a reader saw"
						      : NULL;
}

static const char *judge_what_follows(void)
{
	const char *wrong = NULL;

	for (uint32_t place = 0; place < BREAKERS && !wrong; place++)
		if (engine.segment.hashes[place])
			wrong = comes_back(engine.segment.slots[place].name);
	return wrong ? wrong : comes_back("new.internal:80");
}

/* What is wrong after a kill, or NULL. What follows is tried from the memory as the kill left it,
 * and again from the repaired one: the first to come may be anyone. */
static const char *judge(const struct operation *operation, const struct essences *before,
			 const struct essences *after)
{
	static uint8_t *left;
	const char *wrong;

	if (!left)
		left = malloc(image_bytes);
	memcpy(left, engine.segment.header, image_bytes);
	wrong = judge_what_is_seen(operation, before, after);
	if (!wrong)
		wrong = judge_what_follows();
	if (wrong)
		return wrong;
	restore(left);
	return judge_what_follows();
}

static const char *judge_pictures(const struct operation *operation, int *ret_picture)
{
	static struct essences before, after;
	const char *wrong = NULL;

	restore(pictures.of[0]);
	essences_of(&before);
	restore(pictures.of[pictures.count - 1]);
	essences_of(&after);
	for (int i = 0; i < pictures.count && !wrong; i++) {
		restore(pictures.of[i]);
		wrong = judge(operation, &before, &after);
		*ret_picture = i;
	}
	return wrong;
}

/* In earnest: `kills` times, or after every single instruction. */
static const char *judge_kills(const struct operation *operation, int steps, int kills,
			       int *ret_steps)
{
	static struct essences before, after;
	const char *wrong = NULL;
	bool all = kills >= steps;

	restore(pictures.of[pictures.count - 1]);
	essences_of(&after);
	restore(image);
	essences_of(&before);
	for (int i = 0; i < kills && i < steps && !wrong; i++) {
		restore(image);
		*ret_steps = all ? i : (int)(random_word() % (uint64_t)steps);
		kill_after(operation, *ret_steps);
		wrong = judge(operation, &before, &after);
	}
	return wrong;
}

static void try_operation(const struct operation *operation, int kills)
{
	int picture = 0, step_killed = 0;

	given(operation);
	int steps = step_through(operation);
	const char *wrong = judge_pictures(operation, &picture);

	tell(!wrong, "%s: %d instructions leave %d different memories%s%s", operation->name, steps,
	     pictures.count, wrong ? ": " : "", wrong ? wrong : "");
	if (wrong)
		printf("# memory %d of %d\n", picture, pictures.count);
	wrong = judge_kills(operation, steps, kills, &step_killed);
	tell(!wrong, "%s: killed in earnest at %d of them%s%s", operation->name,
	     kills < steps ? kills : steps, wrong ? ": " : "", wrong ? wrong : "");
	if (wrong)
		printf("# killed after %d instructions\n", step_killed);
}

/* Each step is a change between tracer and child: cheapest where neither has to be moved. */
static void stay_on_one_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(int count, char **words)
{
	bool all = count > 1 && strcmp(words[1], "all") == 0;
	int kills = all ? STEPS_MAX : count > 1 ? atoi(words[1]) : SANITIZED_THREAD ? 1 : 4;
	size_t stride = SANITIZED_THREAD ? 10 : 1;

	given_settings();
	given_an_engine(NULL, "step", BREAKERS);
	board = shared_memory(4096);
	/* Up to the first breaker's window in the area behind. */
	image_bytes = (size_t)(engine.segment.cells - (uint8_t *)engine.segment.header) + 2048;
	image = malloc(image_bytes);
	stay_on_one_processor();
	if (stride > 1)
		printf("# the thread sanitizer makes 50 instructions of one: every %zuth operation "
		       "only\n",
		       stride);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i += stride)
		try_operation(&operations[i], kills);
	forget_pictures();
	free(pictures.of);
	free(image);
	return results();
}
