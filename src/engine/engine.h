/*
 * A call, from admission to its end, on a registry and a clock that the caller gives. Everything
 * that decides about a breaker goes through here: the shim, the tests, later the tools.
 *
 * Any number of threads may use one engine; each gives its own il_self. No function blocks for more
 * than IL_LOCK_WAIT_NS, allocates, or touches errno. From a signal handler that interrupted one of
 * them in the same thread they do nothing to the breaker that is being worked on (the call passes,
 * and lock_timeouts counts it). Times are CLOCK_MONOTONIC nanoseconds, > 0.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/address.h"
#include "core/outcome.h"
#include "registry/leases.h"
#include "registry/table.h"
#include "report/log.h"

struct il_steer;

struct il_engine {
	struct il_segment segment;
	const struct il_log *log; /* NULL: no log */
	struct il_steer *steer;   /* the control file, see engine/steer.h; NULL: none */
	uint32_t command;         /* ours, in the registry's table of program names */
	uint32_t openings;        /* [atomic] grows when we open one that auto_transition moves on */
};

/* A call's claim on its breaker; the caller keeps it until the call ends. slot 0: no breaker. */
struct il_ticket {
	uint32_t slot;  /* 1 + place; 0: unjudged */
	uint8_t probe;  /* its verdict is due when its opening is over */
	uint8_t passed; /* an exchange while the breaker was not closed: not recorded */
	uint8_t reserved[2];
	uint64_t incarnation;
	uint64_t generation;
	struct il_lease_ref lease;
	struct il_handle handle; /* once recorded */
	struct il_address address; /* where it goes, the caller's to fill in; family 0: not told */
};

/* For a later call on the same connection: nothing but its breaker and its address. */
static inline struct il_ticket il_ticket_anew(const struct il_ticket *before)
{
	return (struct il_ticket){ .slot = before->slot,
				   .incarnation = before->incarnation,
				   .address = before->address };
}

enum il_admission {
	IL_ADMITTED, /* ret_ticket is to be settled */
	IL_REJECTED, /* to be told by il_engine_reject, if the caller does reject it */
	IL_PASSED    /* no breaker could be had: let it through; ret_ticket is all zero */
};

/* Asks for admission of a new call to recipe->name, whose breaker is made if there is none. Looks
 * after the calls of others on the way (il_engine_sweep). */
enum il_admission il_engine_admit(struct il_engine *engine, const struct il_self *self,
				  const struct il_recipe *recipe, int64_t now_ns,
				  struct il_ticket *ret_ticket);

/* The caller rejects the call of this ticket, as admission said: counted and, at most once a
 * second, logged. */
void il_engine_reject(struct il_engine *engine, const struct il_ticket *ticket, int64_t now_ns);

/* The same for a later exchange on a connection whose first call had `connection`, of a program
 * that wants these rejected too. IL_PASSED: its breaker made room for another. If the exchange does
 * not begin after all, an admission is settled as dropped. */
enum il_admission il_engine_admit_again(struct il_engine *engine, const struct il_self *self,
					const struct il_ticket *connection, int64_t now_ns,
					struct il_ticket *ret_ticket);

/* Does the ticket's breaker admit whoever comes? One atomic load; true without a breaker. */
bool il_engine_admits_all(const struct il_engine *engine, const struct il_ticket *ticket);

/* A later exchange on a connection whose first call had `connection`. Recorded in CLOSED,
 * METRICS_ONLY and DISABLED; else the ticket says `passed` and the exchange is counted so.
 * ret_ticket may be `connection`. */
void il_engine_begin(struct il_engine *engine, const struct il_self *self,
		     const struct il_ticket *connection, int64_t now_ns,
		     struct il_ticket *ret_ticket);

/*
 * Does what a verdict of core/connection says about the ticket's call: record, amend, release.
 * A call that a visitor has settled meanwhile (its owner was taken for dead) changes nothing; one
 * that was charged is amended. The flags IL_LEARNT_ANSWERED and _GREETED are kept in the slot.
 */
void il_engine_settle(struct il_engine *engine, const struct il_self *self,
		      struct il_ticket *ticket, const struct il_verdict *verdict, int64_t now_ns);

/* Adds one to a counter that no decision rests on: resolve_failures, farewells. */
void il_engine_count(struct il_engine *engine, const struct il_ticket *ticket,
		     enum il_counter counter);

/* A look-up failed for good or without an answer: a FAILURE of recipe->name, whose breaker is made
 * if there is none. Only in CLOSED and METRICS_ONLY; else nothing. */
void il_engine_resolve_failed(struct il_engine *engine, const struct il_self *self,
			      const struct il_recipe *recipe, int64_t duration_ns, int64_t now_ns);

/* Would a call to `name` be rejected now? Takes no probe's place and moves nothing, but looks after
 * the calls of others where probes stand in the way. False also where there is no such breaker.
 * True: ret_ticket is for il_engine_reject, if the caller does reject something. */
bool il_engine_would_reject(struct il_engine *engine, const struct il_self *self, const char *name,
			    int64_t now_ns, struct il_ticket *ret_ticket);

/* The same as il_engine_resolve_failed where the port is not known: of every breaker of that host
 * that exists. */
void il_engine_host_failed(struct il_engine *engine, const struct il_self *self, const char *host,
			   int64_t duration_ns, int64_t now_ns);

/*
 * Before the caller's image is replaced: its call holds no lease any more, as nobody would give
 * that back. An ordinary call may still be settled; that of a probe, whose place is free again, and
 * one that was charged already are unjudged from here on.
 */
void il_engine_unlease(struct il_engine *engine, const struct il_self *self,
		       struct il_ticket *ticket, int64_t now_ns);

/* Since when the owner waits for an answer (0: it does not): what a visitor judges it by. */
void il_engine_wait(struct il_engine *engine, const struct il_ticket *ticket, int64_t since_ns);

/* The ticket's probe has succeeded with `outcome` so far and has nothing unanswered since then; 0:
 * it goes on. A visitor gives the verdict 100 ms later, should its owner be busy elsewhere. */
void il_engine_hold(struct il_engine *engine, const struct il_ticket *ticket,
		    enum il_outcome outcome, int64_t since_ns);

/* The ticket's slot; NULL without a breaker. */
static inline struct il_slot *il_engine_slot(const struct il_engine *engine,
					     const struct il_ticket *ticket)
{
	uint32_t place = ticket->slot - 1;

	return place < engine->segment.breakers ? &engine->segment.slots[place] : NULL;
}

/* IL_FACT_ bits of the ticket's destination. */
static inline uint32_t il_engine_facts(const struct il_engine *engine,
				       const struct il_ticket *ticket)
{
	const struct il_slot *slot = il_engine_slot(engine, ticket);

	return slot ? __atomic_load_n(&slot->facts, __ATOMIC_RELAXED) : 0;
}

/* Its slow_call_duration_threshold. INT64_MAX without a breaker. */
static inline int64_t il_engine_slow_ns(const struct il_engine *engine,
					const struct il_ticket *ticket)
{
	const struct il_slot *slot = il_engine_slot(engine, ticket);

	return slot ? __atomic_load_n(&slot->settings.slow_call_duration_threshold_ns,
				      __ATOMIC_RELAXED)
		    : INT64_MAX;
}

/*
 * Looks at the slot's open calls: charges those that hang, settles those whose process died. At
 * most one lease table a visit, and a bounded number of questions to the kernel. `probes`: ask for
 * the owners of all probes, as somebody is about to be rejected because of them.
 */
void il_engine_sweep(struct il_engine *engine, const struct il_self *self, uint32_t slot,
		     uint64_t incarnation, int64_t now_ns, bool probes);

/*
 * auto_transition's timer: moves every breaker that asks for it and whose wait in OPEN is over to
 * HALF_OPEN, whoever opened it. It takes no probe's place. Returns when the next one is due (which
 * may be past, or near: come again), or IL_AUTO_NEVER: none that asks for it is OPEN.
 */
#define IL_AUTO_NEVER INT64_MAX
int64_t il_engine_auto(struct il_engine *engine, const struct il_self *self, int64_t now_ns);

/* Does the breaker ask for the timer? */
static inline bool il_slot_is_timed(const struct il_slot *slot)
{
	return __atomic_load_n(&slot->settings.auto_transition, __ATOMIC_RELAXED) != 0;
}

/* The operator: an override (state FORCED_OPEN, DISABLED, METRICS_ONLY) or a reset (CLOSED). 0, or
 * -errno of il_slot_begin. */
int il_engine_override(struct il_engine *engine, const struct il_self *self, uint32_t slot,
		       uint64_t incarnation, enum il_state state, int64_t now_ns);

#endif
