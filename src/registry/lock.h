/*
 * A lock in shared memory that outlives whoever holds it.
 *
 * It is a word with the holder's identity, taken by compare-and-swap. A waiter spins, then sleeps
 * in short bounded steps; it takes over from a holder that is dead, and from itself where the
 * holder's stack frame has been left by a jump. A holder that is alive but stopped keeps the lock:
 * whoever waited for it in vain says so in `stuck`, and nobody waits for that holder again. One
 * that was twice found asleep has jumped out, for nobody sleeps with a lock: it is taken over from.
 *
 * Every function is lock-free towards the process itself: it never blocks for more than
 * IL_LOCK_WAIT_NS, never allocates, and is safe in a signal handler (which finds the lock held by
 * the frame that it interrupted, and is told -EBUSY at once).
 */
#ifndef REGISTRY_LOCK_H
#define REGISTRY_LOCK_H

#include "interlock/layout.h"

#define IL_LOCK_WAIT_NS INT64_C(5000000) /* the longest that a call waits for us */

/* Who we are, as locks and leases write it down. Refreshed by its owner after a fork. */
struct il_self {
	uint32_t pid, tid; /* as the kernel says them, raw */
	uint32_t start;	   /* start time of pid, clock ticks since boot, low 32 bits; 0: unknown */
};

/* Reads our identity: getpid, gettid and /proc/self/stat. Never fails (start 0 without /proc). */
struct il_self il_self_read(void);

/* What /proc says of a process. False, and nothing: there is none, or no /proc. */
struct il_process {
	uint32_t start; /* as in il_self */
	bool dead;	/* killed or ended, and its parent has not asked for it yet */
	bool asleep;	/* its main thread waits for something; not: runs, is stopped, waits for a disk */
};
bool il_process_read(uint32_t pid, struct il_process *ret_process);

/* Does this thread wait for something? */
bool il_thread_asleep(uint32_t pid, uint32_t tid);

/* When the process started, as in il_self; 0: there is no such process, or no /proc. */
uint32_t il_process_start(uint32_t pid);

/* Is the process alive and the one that started at `start` (0: any)? EPERM counts as alive,
 * a zombie as dead. */
bool il_process_alive(uint32_t pid, uint32_t start);

/*
 * Stands in the stack frame of whoever holds a lock, for as long as it does. A thread that meets
 * its own lock again looks whether that frame still lives: if it was left by a jump, the lock is
 * free for the taking; if a signal handler interrupted it, it is not. A thread may hold one lock of
 * each rank. Uninitialised on entry; nothing in it is the caller's business.
 */
enum il_lock_rank { IL_LOCK_TABLE, IL_LOCK_SLOT, IL_LOCK_RANKS };
struct il_hold {
	uint32_t first, token, rank, last;
};

enum il_lock_taken {
	IL_LOCK_TAKEN = 0,     /* it was free */
	IL_LOCK_TAKEN_OVER = 1 /* its holder died or jumped out: repair before use */
};

/*
 * Takes the lock. Returns enum il_lock_taken; -EBUSY when this very thread holds it in a frame that
 * still lives; -ETIMEDOUT when the holder lives and did not let go (at once, if that is known).
 */
int il_lock_take(struct il_lock *lock, const struct il_self *self, enum il_lock_rank rank,
		 struct il_hold *hold);

/* Would it be had without waiting: is it free, or its holder dead? */
bool il_lock_is_idle(const struct il_lock *lock);

/* Lets go, if it is still ours: false, and nothing is written, if it is not. */
bool il_lock_release(struct il_lock *lock, const struct il_self *self, struct il_hold *hold);

/* Is it ours, and by this very taking? */
bool il_lock_held(const struct il_lock *lock, const struct il_self *self,
		  const struct il_hold *hold);

#endif
