/* Where a new breaker finds its room: in a free slot, or in that of one that can go. */
#ifndef REGISTRY_TABLE_PRIV_H
#define REGISTRY_TABLE_PRIV_H

#include "registry/table.h"

#include "registry/leases.h"

/* Whose slots are taken, in this order. */
enum il_room {
	IL_ROOM_FREE,     /* nobody's */
	IL_ROOM_UNUSED,   /* CLOSED or METRICS_ONLY, no lease, no control line */
	IL_ROOM_WAITED,   /* OPEN or HALF_OPEN, its wait over for as long again, no probe out */
	IL_ROOM_DESERTED, /* like UNUSED, but with leases of processes that are dead */
	IL_ROOMS
};

/* One search for room: slot after slot, the longest unused first. */
struct il_making {
	const struct il_segment *segment;
	const struct il_self *self;
	const struct il_recipe *recipe;
	int64_t now_ns;
	enum il_room room;
	uint32_t tries;       /* left in this room */
	int64_t last_used_ns; /* of the slot tried last in this room */
	int64_t last_place;   /* -1: none yet */
};

void il_making_begin(struct il_making *making);

/* The next slot worth trying; its lock is free now, or its holder dead. False: there is none. */
bool il_making_next(struct il_making *making, uint32_t *ret_place);

/* May this slot's breaker be evicted? To be asked again under its lock, after which it is true. */
bool il_slot_may_go(const struct il_making *making, uint32_t place);

#endif
