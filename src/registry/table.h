/*
 * Names to slots. Finding is a scan over the hashes, without a lock; making and evicting hold the
 * table's lock.
 */
#ifndef REGISTRY_TABLE_H
#define REGISTRY_TABLE_H

#include "registry/segment.h"

/* What a new breaker is made with. */
struct il_recipe {
	const char *name; /* 1..IL_NAME_BYTES-1 bytes, 0-terminated */
	const struct il_settings *settings; /* completed and checked */
	uint8_t http_failure[64];	    /* bit n: status 100 + n is a failure */
	/* What a control file says, 0 without one; see il_slot. state: 1 + enum il_state, in which the
	 * breaker is made instead of settings->initial_state. */
	uint32_t state;
	uint32_t reject_errno, reject_established;
	uint64_t rules_version, rules_word;
};

/* The slot of `name`, or -ENOENT. ret_incarnation: to be carried by tickets. Any thread, handler.
 */
int il_table_find(const struct il_segment *segment, const char *name, uint64_t *ret_incarnation);

/*
 * The slot of recipe->name, made if there is none. -ENOSPC: full and nothing to evict (counted in
 * the header), -ENOMEM: no memory for its pages, -ETIMEDOUT or -EBUSY: the table's lock.
 */
int il_table_make(const struct il_segment *segment, const struct il_self *self,
		  const struct il_recipe *recipe, int64_t now_ns, uint64_t *ret_incarnation);

/* The place of a program's name in the header's table of them; IL_COMMANDS: no room. */
uint32_t il_table_command(const struct il_segment *segment, const char *command);

#endif
