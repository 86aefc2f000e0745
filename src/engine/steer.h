/*
 * The control file at work: what its rules say is done to each breaker when that is next used.
 *
 * A breaker's slot remembers which version of the file it has obeyed, so that each change is made
 * once, by whoever comes first, under the slot's lock. The registry's header remembers which file
 * steers it (the hash of its path: the first process with a control file decides) and which version
 * of it is the latest: a process that has another file, or has not read that version yet, neither
 * applies nor withdraws anything.
 */
#ifndef ENGINE_STEER_H
#define ENGINE_STEER_H

#include "config/control.h"
#include "engine/engine.h"

/* Large: belongs in static memory. All zero, and then il_steer_init. */
struct il_steer {
	struct il_control control;
	const struct il_settings *base; /* of the process */
	struct il_statuses http_failure; /* of the process */
	int64_t interval_ns;
	uint64_t id; /* of the file's path; never 0 */
	_Atomic int64_t due_ns;	    /* when it is to be looked at next */
	_Atomic int64_t looking_ns; /* since when a thread does; 0: none */
	atomic_bool told_foreign;
};

/* `path` is absolute; it and `base` must outlive it. No other thread yet. */
void il_steer_init(struct il_steer *steer, const char *path, int64_t interval_ns,
		   const struct il_settings *base, const struct il_statuses *http_failure);

/* Looks at the file if that is due: else one comparison. Without a control file, nothing. */
void il_steer_look(struct il_engine *engine, const struct il_self *self, int64_t now_ns);

/* What the rules say about a destination at its connect; see config/rules.h. The name is copied to
 * ret_name, "" if there is none. False: nothing. */
struct il_steer_destination {
	bool ignored, oneway;
	char name[IL_ALIAS_MAX + 1];
};
bool il_steer_destination(struct il_engine *engine, const char *name, size_t length,
			  const struct il_address *address, int64_t now_ns,
			  struct il_steer_destination *ret_destination);

/* Completes the recipe of a new breaker by what the rules say about its name. recipe->settings is
 * `settings`. */
void il_steer_recipe(struct il_engine *engine, struct il_recipe *recipe,
		     struct il_settings *settings, int64_t now_ns);

/* Brings the breaker up to the rules. Where it is: two comparisons. */
void il_steer_slot(struct il_engine *engine, const struct il_self *self, uint32_t slot,
		   uint64_t incarnation, int64_t now_ns);

/* In a forked child. */
void il_steer_forked(struct il_steer *steer);

#endif
