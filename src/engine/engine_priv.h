/* Shared by the files of the engine. */
#ifndef ENGINE_ENGINE_PRIV_H
#define ENGINE_ENGINE_PRIV_H

#include "engine/engine.h"

/* Notes an ended call in the draft: its counters, its place among the recent ones, its lesson. */
void il_note_call(const struct il_engine *engine, struct il_change *change,
		  const struct il_verdict *verdict, uint32_t pid, int64_t now_ns);

/* Commits, and tells the log what happened: `verdict` if it ended a call (else NULL), `ticket` if
 * that call's owner is who tells (else NULL). False: the lock was lost and nothing happened. */
bool il_commit_and_tell(struct il_engine *engine, struct il_change *change,
			const struct il_ticket *ticket, const struct il_verdict *verdict,
			int64_t now_ns);

/* The same for an operation of the operator's, who acts by "control" or "tool". */
bool il_commit_by(struct il_engine *engine, struct il_change *change, const char *by,
		  int64_t now_ns);

/* The place of recipe's breaker, made with what the control file says if there is none; -errno of
 * il_table_make. */
int il_find_or_make(struct il_engine *engine, const struct il_self *self,
		    const struct il_recipe *recipe, int64_t now_ns, uint64_t *ret_incarnation);

/* Is the slot, whose commit word is `word`, OPEN: since when, and for how long? Told without its
 * lock; false also where that cannot be told at the moment. */
bool il_open_since(const struct il_slot *slot, uint64_t word, int64_t *ret_opened_ns,
		   int64_t *ret_wait_ns);

static inline bool il_admits_all(uint32_t state)
{
	return state == IL_CLOSED || state == IL_DISABLED || state == IL_METRICS_ONLY;
}

/* OPEN and surely not yet over: told by the committed head alone, without the lock. */
static inline bool il_surely_open(const struct il_slot *slot, uint64_t word, int64_t now_ns)
{
	int64_t opened_ns, wait_ns;

	return il_open_since(slot, word, &opened_ns, &wait_ns) && now_ns >= opened_ns &&
	       now_ns - opened_ns < wait_ns;
}

/* The whole generation of which a ticket or a lease has kept the low bits. */
uint64_t il_whole_generation(const struct il_breaker *breaker, uint64_t low);

#endif
