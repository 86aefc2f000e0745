/*
 * How a breaker changes its state: the judgements that decide, the only function that assigns the
 * state, and the events that tell of it. Everything bears garbage in the breaker and the settings.
 */
#ifndef IL_CORE_TRANSITIONS_H
#define IL_CORE_TRANSITIONS_H

#include "interlock/breaker.h"

/* What a state does with calls. OPEN and HALF_OPEN have their own rules of admission. */
struct il_policy {
	bool admits_all;
	bool records; /* outcomes go into the window */
	bool trips;   /* the window is judged */
};

/* A state that is none, from damaged memory, passes every call and judges nothing. */
const struct il_policy *il_policy_of(const struct il_breaker *breaker);

/* permitted_calls_in_half_open, inside its range whatever the settings say. */
uint32_t il_permitted_of(const struct il_settings *settings);

/* No cell, no events. */
void il_effects_begin(struct il_effects *effects);

/* Adds an event that is no change of state. */
void il_effects_tell(struct il_effects *effects, const struct il_breaker *breaker,
		     enum il_event_kind kind, enum il_outcome outcome);

/* The only way into a state: every ticket that is out becomes one of the past. Tells of it, unless
 * the state is the same. `tally` is what decided. */
void il_enter(struct il_breaker *breaker, enum il_state to, enum il_why why, struct il_tally tally,
	      struct il_effects *effects);

/* CLOSED with an empty window and the back-off forgotten. */
void il_enter_closed(struct il_breaker *breaker, enum il_why why, struct il_tally tally,
		     struct il_effects *effects);

/* HALF_OPEN with a new round. */
void il_enter_half_open(struct il_breaker *breaker, struct il_effects *effects);

/* Opens the breaker if its state is judged by the window and the window is bad. */
void il_judge_window(struct il_breaker *breaker, const struct il_settings *settings, int64_t now_ns,
		     struct il_effects *effects);

/* Ends the round of probes, in HALF_OPEN, if it is over. */
void il_judge_round(struct il_breaker *breaker, const struct il_settings *settings, int64_t now_ns,
		    struct il_effects *effects);

#endif
