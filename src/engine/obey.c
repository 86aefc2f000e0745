/* What the rules say, done to a breaker. */
#include "engine/steer.h"
#include "engine/steer_priv.h"
#include "registry/words.h"

#include <string.h>

#define CHANGES_SETTINGS (IL_RULE_SETTING | IL_RULE_STATUSES)

/* A breaker about to be brought up to the rules. */
struct obeying {
	struct il_engine *engine;
	struct il_change *change;
	uint32_t place;
	uint64_t version;
	struct il_orders orders;
};

/* What the slot will remember of the orders. A token that is gone is not forgotten: it was done. */
static uint64_t word_of(const struct il_orders *orders, uint64_t before)
{
	uint64_t word = before & IL_RULES_TOKEN;

	if (orders->classes & IL_RULE_RESET)
		word = orders->reset & IL_RULES_TOKEN;
	if (orders->classes & IL_RULE_STATE)
		word |= 1 + orders->state;
	if (orders->classes & CHANGES_SETTINGS)
		word |= IL_RULES_SETTINGS;
	return word;
}

/* As il_slot.reject_established keeps it. */
static uint32_t established_of(const struct il_orders *orders)
{
	if (!(orders->classes & IL_RULE_ESTABLISHED))
		return 0;
	return orders->reject_established ? 2 : 1;
}

static uint32_t errno_of(const struct il_orders *orders)
{
	return orders->classes & IL_RULE_ERRNO ? (uint32_t)orders->reject_errno : 0;
}

void il_steer_recipe(struct il_engine *engine, struct il_recipe *recipe,
		     struct il_settings *settings, int64_t now_ns)
{
	struct il_control_version *version;
	struct il_orders orders;

	if (!engine->steer)
		return;
	version = il_control_pin(&engine->steer->control, now_ns);
	if (!version)
		return;
	if (il_steer_is_latest(engine, version->id)) {
		il_rules_about(&version->rules, recipe->name,
			       strnlen(recipe->name, IL_NAME_BYTES), settings, &orders);
		*settings = orders.settings;
		if (orders.classes & IL_RULE_STATUSES)
			memcpy(recipe->http_failure, orders.http_failure.bits,
			       sizeof(recipe->http_failure));
		recipe->state = orders.classes & IL_RULE_STATE ? 1 + orders.state : 0;
		recipe->reject_errno = errno_of(&orders);
		recipe->reject_established = established_of(&orders);
		recipe->rules_version = version->id;
		recipe->rules_word = word_of(&orders, 0);
	}
	il_control_unpin(version);
}

static void write_settings(struct obeying *obeying, const struct il_settings *after)
{
	struct il_change *change = obeying->change;
	struct il_slot *slot = change->slot;
	struct il_settings before = change->settings;
	const struct il_statuses *statuses = obeying->orders.classes & IL_RULE_STATUSES
						     ? &obeying->orders.http_failure
						     : &obeying->engine->steer->http_failure;

	/* Somebody was killed here: what his window was is not known any more. */
	if (slot->rules_version == IL_RULES_UNFINISHED)
		before.window_size = after->window_size + 1;
	__atomic_store_n(&slot->rules_version, IL_RULES_UNFINISHED, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	IL_WORDS_COPY(&slot->settings, after);
	il_words_copy(slot->http_failure, statuses, sizeof(slot->http_failure));
	il_breaker_reconfigure(&change->journal.breaker, &before, after);
	change->settings = *after;
	change->cells = il_segment_cells(&obeying->engine->segment, obeying->place, after);
}

/* A breaker of which the file says nothing keeps the settings of the process that made it. */
static void obey_settings(struct obeying *obeying)
{
	struct il_change *change = obeying->change;
	const struct il_settings *after = &obeying->orders.settings;
	const struct il_slot *slot = change->slot;
	bool has = obeying->orders.classes & CHANGES_SETTINGS;
	bool had = slot->rules_word & IL_RULES_SETTINGS ||
		   slot->rules_version == IL_RULES_UNFINISHED;

	if (!has && !had)
		return;
	if (il_cells_bytes(after) > il_cells_bytes(&change->settings) &&
	    il_segment_reserve(&obeying->engine->segment, obeying->place, after) < 0)
		return; /* no memory for the larger window: all stays as it is */
	write_settings(obeying, after);
}

static bool is_override(uint32_t state)
{
	return state == IL_FORCED_OPEN || state == IL_DISABLED || state == IL_METRICS_ONLY;
}

/* The state that the file wants: a state, or IL_STATES for the breaker's normal life. */
static uint32_t wanted_state(const struct obeying *obeying, bool asked)
{
	uint64_t word = obeying->change->slot->rules_word;
	uint32_t initial = obeying->change->settings.initial_state;

	if (obeying->orders.classes & IL_RULE_STATE)
		return obeying->orders.state == IL_CLOSED ? IL_STATES : obeying->orders.state;
	if (asked)
		return IL_STATES;
	if ((word & IL_RULES_STATE) == 0)
		return obeying->change->journal.breaker.state; /* it said nothing, and says nothing */
	return is_override(initial) ? initial : IL_STATES;
}

static void tell(struct il_effects *effects, const struct il_breaker *breaker,
		 enum il_event_kind kind, uint8_t from)
{
	effects->events[effects->events_count++] = (struct il_event){
		.kind = (uint8_t)kind,
		.from = from,
		.to = breaker->state,
		.why = IL_WHY_OPERATOR,
		.generation = breaker->generation,
		.retry_after_ns = -1,
	};
}

/* Through CLOSED where the window is to be fresh, yet told as one change. */
static void obey_state(struct obeying *obeying)
{
	struct il_change *change = obeying->change;
	struct il_breaker *breaker = &change->journal.breaker;
	uint64_t token = change->slot->rules_word & IL_RULES_TOKEN;
	bool has_word = obeying->orders.classes & IL_RULE_STATE;
	bool asked = obeying->orders.classes & IL_RULE_RESET &&
		     (obeying->orders.reset & IL_RULES_TOKEN) != token;
	uint32_t wanted = wanted_state(obeying, asked);
	uint8_t from = breaker->state;
	bool ends = is_override(from) && wanted == IL_STATES;
	bool withdrawn = !has_word && wanted != from && (wanted != IL_STATES || ends);

	if (asked || ends || withdrawn)
		il_breaker_reset(breaker, &change->effects);
	if (is_override(wanted) && breaker->state != wanted)
		il_breaker_override(breaker, (enum il_state)wanted, &change->effects);
	change->effects.events_count = 0;
	if (breaker->state != from)
		tell(&change->effects, breaker, IL_EVENT_STATE_CHANGE, from);
	if (asked || (ends && has_word))
		tell(&change->effects, breaker, IL_EVENT_RESET, breaker->state);
}

__attribute__((noinline)) static void warn(const struct il_engine *engine,
					   const struct il_slot *slot, uint32_t line)
{
	char room[IL_NAME_BYTES + 160];
	struct il_text text = il_text_in(room, sizeof(room));

	if (!engine->log)
		return;
	il_text_add(&text, "control file, line ");
	il_text_unsigned(&text, line);
	il_text_add(&text, ": the settings of ");
	il_text_name(&text, slot->name, strnlen(slot->name, sizeof(slot->name)));
	il_text_add(&text, " contradict each other; left out (interlock check says which)");
	il_log_message(engine->log, IL_LOG_WARNING, room);
}

/* The slot's lock is held; a commit or abandoning lets it go. */
static void obey(struct obeying *obeying, const struct il_rules *rules, int64_t now_ns)
{
	struct il_engine *engine = obeying->engine;
	struct il_change *change = obeying->change;
	struct il_slot *slot = change->slot;

	il_rules_about(rules, slot->name, strnlen(slot->name, sizeof(slot->name)),
		       engine->steer->base, &obeying->orders);
	obey_settings(obeying);
	__atomic_store_n(&slot->reject_errno, errno_of(&obeying->orders), __ATOMIC_RELAXED);
	__atomic_store_n(&slot->reject_established, established_of(&obeying->orders),
			 __ATOMIC_RELAXED);
	obey_state(obeying);
	change->journal.recent_place = IL_RECENT_RULES;
	change->journal.rules.version = obeying->version;
	change->journal.rules.word = word_of(&obeying->orders, slot->rules_word);
	if (il_commit_by(engine, change, "control", now_ns) && obeying->orders.contradicts)
		warn(engine, slot, obeying->orders.settings_line);
}

__attribute__((noinline)) static void bring_up(struct il_engine *engine, const struct il_self *self,
					       uint32_t place, uint64_t incarnation, int64_t now_ns)
{
	struct il_control_version *version = il_control_pin(&engine->steer->control, now_ns);
	struct il_change change;
	struct obeying obeying = { .engine = engine, .change = &change, .place = place };

	if (!version)
		return;
	obeying.version = version->id;
	if (il_steer_is_latest(engine, version->id) &&
	    il_slot_begin(&engine->segment, self, place, incarnation, &change) == 0) {
		/* Looked at again, as both may have moved on before the lock was had. */
		if (il_steer_is_latest(engine, version->id) &&
		    change.slot->rules_version != version->id)
			obey(&obeying, &version->rules, now_ns);
		else
			il_slot_abandon(&change);
	}
	il_control_unpin(version);
}

void il_steer_slot(struct il_engine *engine, const struct il_self *self, uint32_t place,
		   uint64_t incarnation, int64_t now_ns)
{
	uint64_t version;

	if (!engine->steer || place >= engine->segment.breakers)
		return;
	version = il_control_version(&engine->steer->control);
	if (version != IL_CONTROL_UNKNOWN &&
	    __atomic_load_n(&engine->segment.slots[place].rules_version, __ATOMIC_RELAXED) !=
		    version)
		bring_up(engine, self, place, incarnation, now_ns);
}
