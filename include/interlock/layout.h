/*
 * The registry's bytes: a header, an index of name hashes, the slots (one breaker each), and behind
 * them an area for windows too large for their slot. Every process that uses a registry maps the
 * same file; nothing here is a pointer, and nothing read from here is trusted (see the bounds in
 * src/registry).
 *
 * Who writes what:
 *   [lock]    only the holder of the slot's lock, and only by a commit (below)
 *   [atomic]  anyone, by one atomic operation on the whole word
 *   [made]    whoever makes the breaker, before its hash stands in the index; constant afterwards
 *
 * A commit. The holder of the lock puts all that an operation changes into the slot's journal, as
 * values and not as differences, and then stores the commit word: that one store is the operation.
 * Afterwards the journal is copied to its places and `applied` says so. A process killed before the
 * store has changed nothing; one killed after it leaves a journal that the next holder copies
 * again, with the same result. A reader that meets the moment between copies the journal into its
 * own copy of the slot. docs/registry.md has the argument at length.
 */
#ifndef INTERLOCK_LAYOUT_H
#define INTERLOCK_LAYOUT_H

#include "interlock/breaker.h"
#include "interlock/log.h"

#define IL_LAYOUT_MAGIC	    UINT64_C(0x314b434f4c544e49) /* "INTLOCK1" in memory */
#define IL_LAYOUT_VERSION   1U
#define IL_BREAKERS_DEFAULT 256U
#define IL_BREAKERS_MAX	    4096U
#define IL_NAME_BYTES	    264U /* "host:port" or "unix:/path" with its final 0 */
#define IL_LEASES	    32U	 /* a slot; as many as there can be probes */
#define IL_RECENT	    32U	 /* outcomes remembered a slot */
#define IL_DURATIONS	    16U	 /* cells of the histogram */
#define IL_ATTACHED	    1024U /* processes listed */
#define IL_COMMANDS	    256U /* program names remembered */
#define IL_COMMAND_BYTES    16U
#define IL_REGISTRY_EVENTS  128U
#define IL_INLINE_CELLS	    104U /* bytes of window that fit into the slot */

/* Counters by name, in the order of counters.def. */
enum il_counter {
#define IL_COUNTER(name, help) IL_COUNT_##name,
#include "interlock/counters.def"
#undef IL_COUNTER
	IL_COUNTERS
};

/*
 * A lock that outlives its holders. `owner` is 0 or the holder: thread id (bits 0-21), process id
 * (bits 22-43), the low bits of the process's start time (bits 44-63). [atomic]
 */
struct il_lock {
	uint64_t owner;
	uint64_t token;	     /* of this taking; the holder's frame has the same while it lives. Bit 32:
			      * when last looked at, its holder was asleep */
	uint64_t stuck;	     /* the owner for whom somebody waited in vain; nobody waits for it again */
	int64_t looked_at_ns; /* when it was last looked whether that owner is alive */
};

/*
 * One open exchange or probe. `tag` [atomic]: kind (bits 0-2, enum il_lease_kind), flags (bits
 * 3-7), process id (bits 8-29), serial number (bits 30-63; grows each time the place is taken).
 * The rest belongs to whoever holds the tag's serial; `waiting` is changed by compare-and-swap
 * only, so that a late owner cannot write into its successor's entry.
 */
struct il_lease {
	uint64_t tag;
	int64_t begun_ns;
	uint64_t waiting;    /* serial (low 16 bits) << 48 | since, in units of 4096 ns; since 0: not */
	uint64_t sequence;   /* charged: the handle's */
	uint32_t second;     /* charged: the handle's */
	uint32_t start;	     /* the owner's start time, clock ticks since boot, low 32 bits */
	uint32_t generation; /* low 32 bits of the ticket's */
	uint8_t place, outcome; /* charged: the handle's; held: the outcome so far */
	uint8_t reserved[2];
};

enum il_lease_kind { IL_LEASE_FREE, IL_LEASE_FILLING, IL_LEASE_CALL, IL_LEASE_PROBE };
#define IL_LEASE_CHARGED (UINT64_C(1) << 3) /* recorded as slow while it still hung */
#define IL_LEASE_HELD	 (UINT64_C(1) << 4) /* a probe with `outcome` so far; `waiting`: since when */

/* One of the last outcomes, for people. */
struct il_recent {
	int64_t at_ns;
	uint32_t duration_us; /* UINT32_MAX: that or longer */
	uint32_t pid;
	uint16_t seen;	  /* kind in the high byte (enum il_seen_kind), detail in the low; see outcome.h */
	uint8_t outcome;  /* enum il_outcome */
	uint8_t phase;	  /* enum il_phase */
	uint16_t command; /* place in the header's table of program names; IL_COMMANDS: unknown */
	uint16_t status;  /* HTTP status or errno, if one was seen */
};

/* The last trip, for people. */
struct il_trip {
	int64_t at_ns;
	uint32_t calls, failed, slow;
	uint8_t why; /* enum il_why */
	uint8_t reserved[3];
};

/* What one commit changes. Written before the commit word, never after it until applied. */
#define IL_JOURNAL_COUNTS 8U
#define IL_RECENT_RULES   (IL_RECENT + 2U) /* no outcome, but what a control file said */
struct il_journal {
	struct il_breaker breaker;
	struct il_bucket cell; /* cell_bytes == 1: the outcome is the first byte of `second` */
	uint32_t cell_offset, cell_bytes;
	uint64_t count_values[IL_JOURNAL_COUNTS];
	uint8_t count_places[IL_JOURNAL_COUNTS]; /* in il_slot.counts */
	uint32_t counts;			 /* how many of them */
	uint32_t lease_place;			 /* 1 + index; 0: no lease changes */
	uint64_t lease_before; /* the lease changes only if its tag is this ... */
	struct il_lease lease; /* ... to this; `waiting` only when it is made */
	uint32_t recent_place; /* 1 + index; 0: none; or IL_RECENT_RULES */
	uint32_t facts;	       /* il_slot.facts afterwards */
	union {
		struct il_recent recent;
		struct { /* recent_place is IL_RECENT_RULES: il_slot.rules_ afterwards */
			uint64_t version, word;
		} rules;
	};
	struct il_trip trip;	    /* il_slot.trip afterwards */
	int64_t death_charged_ns; /* il_slot.death_charged_ns afterwards */
};

/* What METRICS_ONLY would have done; how often, would_open and would_reject count. */
struct il_shadow {
	int64_t open_until_ns; /* until when it would reject; 0, or a time that is past: it would not */
};

/* What other machines know of this destination; an agent will write it. Reserved, all 0. */
struct il_shared_view {
	uint64_t version;
	int64_t opened_at_ns, polled_at_ns;
	uint16_t probes_permitted, probes_remaining, probes_completed;
	uint8_t state;
	uint8_t degraded;
};

/* Places in il_slot.counts: counters, then state changes, then the histogram. */
#define IL_COUNT_CHANGE(from, to) (IL_COUNTERS + (from) * IL_STATES + (to))
#define IL_COUNT_DURATION(cell)	  (IL_COUNTERS + IL_STATES * IL_STATES + (cell))
#define IL_COUNTS		  IL_COUNT_DURATION(IL_DURATIONS)

/* The commit word: state (bits 0-2), generation (bits 3-31, low 29 bits), sequence (bits 32-63). */
#define IL_COMMIT_STATE(word)	   ((uint32_t)(word) & 7U)
#define IL_COMMIT_GENERATION(word) (((uint32_t)(word) >> 3))
#define IL_COMMIT_SEQUENCE(word)   ((uint32_t)((word) >> 32))
#define IL_GENERATION_MASK	   UINT32_C(0x1fffffff)

/* il_slot.rules_version: 0: no control file has been applied yet; 1: it is missing or empty; else a
 * hash of which file it was. This one: settings with another window are being written, and whoever
 * finds it makes the window empty. */
#define IL_RULES_UNFINISHED UINT64_C(2)

/* il_slot.rules_word: the state word that stands (bits 0-2: 1 + enum il_state, 0: none), whether
 * the settings are the control file's (bit 3), and the rest of the hash of the last reset token. */
#define IL_RULES_STATE	  UINT64_C(7)
#define IL_RULES_SETTINGS UINT64_C(8)
#define IL_RULES_TOKEN	  (~UINT64_C(15))

/* Facts about the destination, in il_slot.facts. */
#define IL_FACT_ANSWERED 1U /* it has answered anyone */
#define IL_FACT_GREETED	 2U /* it has spoken before the program did */

struct il_slot {
	struct il_lock lock;
	uint64_t commit;      /* [lock] one store; read by anyone */
	uint32_t applied;     /* [lock] sequence up to which the journal stands at its places */
	uint32_t facts;	      /* [lock] */
	uint64_t incarnation; /* [lock, and the table's lock] +1 each time the slot gets a new name */
	int64_t used_at_ns;   /* [atomic] last admission */
	int64_t death_charged_ns; /* [lock] last FAILURE by a process's death */
	struct il_log_quiet rejections; /* [atomic] which of them the log has told */
	uint64_t rules_version;	    /* [lock] of the control file, applied to this breaker; see below */
	uint64_t rules_word;	    /* [lock] what it said; see below */
	struct il_settings settings; /* [made]; then [lock] in place, before rules_version is committed */
	uint8_t http_failure[64];    /* [lock] bit n: status 100 + n is a failure */
	uint32_t reject_errno;	     /* [lock] 0: the process's own */
	uint32_t reject_established; /* [lock] 0: the process's own, 1: no, 2: yes */
	struct il_breaker breaker;   /* [lock] */
	struct il_journal journal;   /* [lock] */
	uint64_t counts[IL_COUNTS];  /* [lock] by commit, or [atomic]: il_slot_count says which */
	struct il_recent recent[IL_RECENT]; /* [lock] */
	struct il_lease leases[IL_LEASES];  /* see il_lease */
	struct il_trip trip;		    /* [lock] */
	struct il_shadow shadow;	    /* [atomic] */
	struct il_shared_view shared;	    /* reserved */
	uint8_t cells[IL_INLINE_CELLS] __attribute__((aligned(8))); /* [lock] by commit */
	char name[IL_NAME_BYTES];				    /* [made] */
};

/* A process that uses the registry. `who` [atomic]: 0, or start time (high half) and process id. */
struct il_attached {
	uint64_t who;
};

struct il_registry_event {
	uint64_t sequence; /* [atomic] 1 + its number; 0 while it is written */
	int64_t at_ns;
	uint32_t slot;
	uint32_t pid;
	uint64_t incarnation;
	struct il_event event;
};

/* What a registry is and to whom it belongs: checked by everyone who attaches, constant. */
struct il_registry_id {
	uint64_t magic;
	uint32_t version;
	uint32_t breakers; /* slots */
	uint64_t bytes;	   /* of the whole file */
	uint64_t slots_at, cells_at; /* offsets; must equal what `breakers` gives */
	uint64_t slot_bytes, cells_bytes; /* strides */
	uint8_t boot_id[16];
	uint64_t pid_namespace;	  /* inode */
	int64_t time_offset_ns;	  /* of this time namespace's CLOCK_MONOTONIC */
	uint32_t owner;		  /* effective user at creation */
	uint32_t permanent;	  /* 1: named by INTERLOCK_REGISTRY, never removed */
};

struct il_header {
	struct il_registry_id id;
	struct il_lock table_lock; /* for making and evicting breakers */
	uint64_t control_id;	  /* [table lock] hash of the control file's path that steers it */
	uint64_t control_version; /* [table lock] */
	uint64_t registry_full;	  /* [atomic] calls that passed because there was no slot */
	uint64_t evicted;	  /* [atomic] */
	uint64_t events_next;	  /* [atomic] */
	uint64_t takeovers;	  /* [atomic] locks of slots taken from the dead, or after a jump */
	uint64_t reserved[7];
	struct il_attached attached[IL_ATTACHED];
	/* [atomic] 15 bytes of name, and a 1 when they are whole: two words, each claimed by CAS */
	char commands[IL_COMMANDS][IL_COMMAND_BYTES];
	struct il_registry_event events[IL_REGISTRY_EVENTS];
};

#define IL_CELLS_STRIDE ((IL_CELLS_BYTES_MAX + 4095U) / 4096U * 4096U)

/* The file: header, hashes[breakers] (uint64_t, 0: free slot), slots, page-aligned windows. */
#define IL_HASHES_AT sizeof(struct il_header)

#define IL_AT(type, field, at) \
	_Static_assert(offsetof(type, field) == (at), #type "." #field " moved: new layout version")
#define IL_SIZE(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), #type " changed size: new layout version")

IL_SIZE(struct il_settings, 80);
IL_SIZE(struct il_bucket, 24);
IL_SIZE(struct il_breaker, 96);
IL_SIZE(struct il_lock, 32);
IL_SIZE(struct il_lease, 48);
IL_SIZE(struct il_recent, 24);
IL_SIZE(struct il_journal, 328);
IL_SIZE(struct il_slot, 3976);
IL_SIZE(struct il_header, 21736);
IL_AT(struct il_slot, commit, 32);
IL_AT(struct il_slot, settings, 104);
IL_AT(struct il_slot, breaker, 256);
IL_AT(struct il_slot, journal, 352);
IL_AT(struct il_slot, counts, 680);
IL_AT(struct il_slot, recent, 1240);
IL_AT(struct il_slot, leases, 2008);
IL_AT(struct il_slot, trip, 3544);
IL_AT(struct il_slot, shared, 3576);
IL_AT(struct il_slot, cells, 3608);
IL_AT(struct il_slot, name, 3712);
IL_SIZE(struct il_registry_id, 96);
IL_AT(struct il_header, table_lock, 96);
IL_AT(struct il_header, registry_full, 144);
IL_AT(struct il_header, attached, 232);
IL_AT(struct il_header, commands, 8424);
IL_AT(struct il_header, events, 12520);

#endif
