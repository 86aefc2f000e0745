/* What is written down about a decision: counters, the recent outcomes, the last trip, the log. */
#include "engine/engine_priv.h"

#include <string.h>

#define MS INT64_C(1000000)

/* Upper ends of the histogram's cells; the last has none. */
static const int64_t duration_ends_ns[IL_DURATIONS - 1] = {
	1 * MS,   2 * MS,    5 * MS,    10 * MS,   25 * MS,    50 * MS,    100 * MS,   250 * MS,
	500 * MS, 1000 * MS, 2500 * MS, 5000 * MS, 10000 * MS, 30000 * MS, 60000 * MS,
};

static uint32_t duration_cell(int64_t duration_ns)
{
	uint32_t cell = 0;

	while (cell < IL_DURATIONS - 1 && duration_ns > duration_ends_ns[cell])
		cell++;
	return cell;
}

static uint32_t in_us(int64_t duration_ns)
{
	int64_t us = duration_ns / 1000;

	return us < 0 ? 0 : us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

/* Every outcome adds one to one of the four counters, so their sum says where the ring stands. */
static uint32_t recent_place(const struct il_slot *slot)
{
	uint64_t calls = 0;

	for (unsigned outcome = 0; outcome < IL_OUTCOMES; outcome++)
		calls += slot->counts[IL_COUNT_calls_success + outcome];
	return (uint32_t)(calls % IL_RECENT);
}

void il_note_call(const struct il_engine *engine, struct il_change *change,
		  const struct il_verdict *verdict, uint32_t pid, int64_t now_ns)
{
	struct il_journal *draft = &change->journal;

	draft->recent_place = 1 + recent_place(change->slot);
	draft->recent = (struct il_recent){
		.at_ns = now_ns,
		.duration_us = in_us(verdict->duration_ns),
		.pid = pid,
		.seen = verdict->seen,
		.outcome = verdict->outcome,
		.phase = verdict->phase,
		.command = (uint16_t)engine->command,
		.status = verdict->detail,
	};
	il_slot_count(change, IL_COUNT_calls_success + verdict->outcome % IL_OUTCOMES);
	il_slot_count(change, IL_COUNT_DURATION(duration_cell(verdict->duration_ns)));
}

static void note_trip(struct il_journal *draft, const struct il_event *event, int64_t now_ns)
{
	if (event->to != IL_OPEN)
		return;
	draft->trip = (struct il_trip){
		.at_ns = now_ns,
		.calls = event->calls,
		.failed = event->failed,
		.slow = event->slow,
		.why = event->why,
	};
}

static void note_events(struct il_change *change, int64_t now_ns)
{
	for (uint32_t i = 0; i < change->effects.events_count && i < IL_EVENTS_MAX; i++) {
		const struct il_event *event = &change->effects.events[i];

		if (event->kind == IL_EVENT_STATE_CHANGE) {
			il_slot_count(change, IL_COUNT_CHANGE(event->from % IL_STATES,
							      event->to % IL_STATES));
			note_trip(&change->journal, event, now_ns);
		} else if (event->kind == IL_EVENT_RESET) {
			il_slot_count(change, IL_COUNT_resets);
		} else if (event->kind == IL_EVENT_AMENDED) {
			il_slot_count(change, IL_COUNT_amended);
		}
	}
}

/* As a log names it: the status or the errno says more than that there was one. */
static void add_seen(const struct il_verdict *verdict, char *at, size_t size)
{
	struct il_text text = il_text_in(at, size);

	il_text_add(&text, il_seen_name(verdict->seen));
	if (verdict->seen == IL_SEEN_HTTP || verdict->seen == IL_SEEN_ERRNO) {
		il_text_char(&text, ':');
		il_text_unsigned(&text, verdict->detail);
	}
}

/* A name may stand for several, of which one is sick. Where the name is the address it says so too.
 */
static void add_address(const struct il_address *address, char *at, size_t size)
{
	struct il_text text = il_text_in(at, size);

	if (address->family)
		il_address_text(&text, address);
}

/* What a log says of an event beyond itself. */
struct story {
	const struct il_verdict *verdict; /* NULL: it is no call's end */
	const struct il_ticket *ticket;	  /* of that call; NULL: only its owner has it */
	uint64_t count;
	const char *by;
};

/* The line is written after the lock is gone: a log on a slow disk holds nobody up but its caller.
 */
static void tell(const struct il_engine *engine, const struct il_slot *slot,
		 const struct il_event *event, const struct story *story)
{
	if (!il_log_wants(engine->log, il_line_level(event)))
		return;

	const struct il_verdict *verdict = story->verdict;
	char seen[24] = "", address[IL_ADDRESS_TEXT] = "";
	struct il_line line = {
		.event = *event,
		.breaker = slot->name,
		.breaker_length = strnlen(slot->name, sizeof(slot->name)),
		.count = story->count,
		.duration_ns = verdict ? verdict->duration_ns : -1,
		.seen = seen,
		.phase = verdict ? il_phase_name(verdict->phase) : "",
		.address = address,
		.by = story->by,
	};

	if (verdict)
		add_seen(verdict, seen, sizeof(seen));
	if (story->ticket)
		add_address(&story->ticket->address, address, sizeof(address));
	il_log_event(engine->log, &line);
}

/* For whoever runs the timer. */
static void note_opening(struct il_engine *engine, const struct il_change *change)
{
	if (change->settings.auto_transition && change->effects.events_count &&
	    change->journal.breaker.state == IL_OPEN)
		__atomic_add_fetch(&engine->openings, 1, __ATOMIC_SEQ_CST);
}

/* What METRICS_ONLY would have done: opened where an outcome reaches a threshold, rejected until
 * the wait is over, and then judged the next outcome. Returns until when it would reject after this
 * change; 0: not. No decision rests on it. */
static int64_t shadow_until(struct il_change *change, int64_t until_ns, int64_t now_ns)
{
	int64_t wait_ns = change->settings.wait_duration_in_open_ns;

	if (change->journal.breaker.state != IL_METRICS_ONLY)
		return 0;
	if (now_ns < until_ns || change->effects.cell_bytes == 0 ||
	    !il_breaker_is_over(&change->journal.breaker, &change->settings))
		return until_ns;
	il_slot_count(change, IL_COUNT_would_open);
	return wait_ns < INT64_MAX - now_ns ? now_ns + wait_ns : INT64_MAX;
}

static bool commit(struct il_engine *engine, struct il_change *change, const struct story *story,
		   int64_t now_ns)
{
	int64_t *shadow_ns = &change->slot->shadow.open_until_ns;
	int64_t before_ns = __atomic_load_n(shadow_ns, __ATOMIC_RELAXED);
	int64_t until_ns = shadow_until(change, before_ns, now_ns);

	note_events(change, now_ns);
	if (!il_slot_commit(change))
		return false;
	if (until_ns != before_ns)
		__atomic_store_n(shadow_ns, until_ns, __ATOMIC_RELAXED);
	note_opening(engine, change);
	for (uint32_t i = 0; engine->log && i < change->effects.events_count; i++)
		tell(engine, change->slot, &change->effects.events[i], story);
	return true;
}

bool il_commit_and_tell(struct il_engine *engine, struct il_change *change,
			const struct il_ticket *ticket, const struct il_verdict *verdict,
			int64_t now_ns)
{
	struct story story = { .verdict = verdict, .ticket = ticket, .by = "" };

	return commit(engine, change, &story, now_ns);
}

bool il_commit_by(struct il_engine *engine, struct il_change *change, const char *by,
		  int64_t now_ns)
{
	struct story story = { .by = by };

	return commit(engine, change, &story, now_ns);
}

void il_engine_reject(struct il_engine *engine, const struct il_ticket *ticket, int64_t now_ns)
{
	struct il_event event = { .kind = IL_EVENT_REJECTED };
	struct story story = { .by = "" };

	if (ticket->slot - 1 >= engine->segment.breakers)
		return;
	struct il_slot *slot = &engine->segment.slots[ticket->slot - 1];

	il_slot_count_now(slot, IL_COUNT_rejected, 1);
	if (!engine->log || (story.count = il_log_rejected(&slot->rejections, now_ns)) == 0)
		return;
	event.to = (uint8_t)IL_COMMIT_STATE(il_slot_word(slot));
	tell(engine, slot, &event, &story);
}

uint64_t il_whole_generation(const struct il_breaker *breaker, uint64_t low)
{
	bool now = ((breaker->generation ^ low) & IL_GENERATION_MASK) == 0;

	return now ? breaker->generation : breaker->generation - 1;
}
