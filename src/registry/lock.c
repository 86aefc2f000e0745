#include "base/clock.h"
#include "base/file.h"
#include "registry/lock.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#define ID_BITS	   22 /* the kernel's largest process id is 2^22 */
#define ID_MASK	   ((UINT64_C(1) << ID_BITS) - 1)
#define START_MASK UINT32_C(0xfffff)

#define SEEN_ASLEEP (UINT64_C(1) << 32) /* in il_lock.token: at the last look, the holder slept */

#define SPINS_A_LOOK	 64
#define LOOK_ALIVE_NS	 INT64_C(30000)	    /* how long to spin before asking whether it lives */
#define LOOK_START_NS	 INT64_C(1000000)   /* and whether its number was not used again */
#define SLEEP_NS	 INT64_C(200000)    /* and then how long to sleep between looks */
#define STUCK_LOOK_NS	 INT64_C(100000000) /* how often a holder given up on is looked at */
#define OWN_FRAME_MAX_NS INT64_C(1000000000) /* when our own frame is believed to be gone */

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("" ::: "memory")
#endif

/* Where this thread holds locks. A jump leaves it behind: it is a place to look, not a fact. */
static __thread struct il_hold *held_at[IL_LOCK_RANKS];
static __thread uint32_t takings;

static uint64_t owner_word(const struct il_self *self)
{
	return (self->tid & ID_MASK) | (self->pid & ID_MASK) << ID_BITS |
	       (uint64_t)(self->start & START_MASK) << (2 * ID_BITS);
}

static bool swap_owner(struct il_lock *lock, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&lock->owner, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static uint64_t load_owner(const struct il_lock *lock)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_ACQUIRE);
}

/*
 * Is the holder alive? A number used again by another process is told by its start time (its low 20
 * bits, that is all that the word has room for), and a zombie by its state: both cost reading a
 * file, so only where it is worth it.
 */
static bool owner_alive(uint64_t owner, bool look_closely)
{
	uint32_t tid = owner & ID_MASK;
	uint32_t pid = owner >> ID_BITS & ID_MASK;
	uint32_t start = (uint32_t)(owner >> (2 * ID_BITS));

	if (pid == 0 || tid == 0)
		return false;
	if (il_sys_call(SYS_tgkill, pid, tid, 0, 0, 0, 0) == -ESRCH)
		return false;
	struct il_process process;

	if (!look_closely || !il_process_read(pid, &process))
		return true;
	return !process.dead && (start == 0 || (process.start & START_MASK) == start);
}

static int mark_taken(struct il_lock *lock, enum il_lock_rank rank, struct il_hold *hold, int how)
{
	uint32_t token = ++takings | 1U << 31; /* a fresh one, and never 0 */

	*hold = (struct il_hold){ .first = token, .token = token, .rank = rank, .last = token };
	held_at[rank] = hold;
	__atomic_store_n(&lock->token, token, __ATOMIC_RELAXED);
	__atomic_store_n(&lock->stuck, 0, __ATOMIC_RELAXED);
	return how;
}

/* The kernel compares, so that a stack that is no longer there is an answer and not a crash. */
static bool word_is(const uint32_t *word, uint32_t value)
{
	return il_sys_futex_wait(word, value, 0) == -ETIMEDOUT;
}

static bool on_other_stack(const struct il_hold *old)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	if (il_sys_call(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) < 0 ||
	    !(stack.ss_flags & SS_ONSTACK))
		return false;
	return (uintptr_t)old - (uintptr_t)stack.ss_sp >= stack.ss_size;
}

/*
 * Does the frame in which we took this lock still live, with us in a signal handler above it? Its
 * marks are gone once other calls have used that stack. Where they stand, a living frame is further
 * up the stack than we are, or on another stack.
 */
static bool own_frame_lives(const struct il_lock *lock, enum il_lock_rank rank,
			    const struct il_hold *hold)
{
	const struct il_hold *old = held_at[rank];
	uint32_t token = (uint32_t)__atomic_load_n(&lock->token, __ATOMIC_RELAXED);

	if (!old || (old < hold + 1 && hold < old + 1))
		return false;
	if (!word_is(&old->first, token) || !word_is(&old->token, token) ||
	    !word_is(&old->last, token))
		return false;
	return on_other_stack(old) || (uintptr_t)old > (uintptr_t)hold;
}

/* A look at most every interval_ns, shared by all who come: true for the one who is to look now. */
static bool time_to_look(struct il_lock *lock, uint64_t owner, int64_t interval_ns, int64_t now_ns)
{
	int64_t looked_ns = __atomic_load_n(&lock->looked_at_ns, __ATOMIC_RELAXED);

	if (__atomic_exchange_n(&lock->stuck, owner, __ATOMIC_RELAXED) != owner) {
		__atomic_store_n(&lock->looked_at_ns, now_ns, __ATOMIC_RELAXED);
		return false;
	}
	if (looked_ns <= now_ns && now_ns - looked_ns < interval_ns)
		return false;
	__atomic_store_n(&lock->looked_at_ns, now_ns, __ATOMIC_RELAXED);
	return true;
}

static int take_own(struct il_lock *lock, uint64_t me, enum il_lock_rank rank, struct il_hold *hold)
{
	if (own_frame_lives(lock, rank, hold) &&
	    !time_to_look(lock, me, OWN_FRAME_MAX_NS, il_clock_now_ns()))
		return -EBUSY;
	return mark_taken(lock, rank, hold, IL_LOCK_TAKEN_OVER);
}

/*
 * Has the holder left the lock by a jump, and waits for something else meanwhile? Nobody sleeps for
 * long with a lock, but in a handler that interrupted him: so two looks must find the holder of the
 * same taking asleep. (If it was a handler all the same, its lock is lost to it, as commit
 * notices.)
 */
static bool owner_jumped_out(struct il_lock *lock, uint64_t owner)
{
	uint64_t token = __atomic_load_n(&lock->token, __ATOMIC_RELAXED);
	uint64_t seen = token | SEEN_ASLEEP;

	if (!il_thread_asleep(owner >> ID_BITS & ID_MASK, owner & ID_MASK))
		seen = token & ~SEEN_ASLEEP;
	else if (token & SEEN_ASLEEP)
		return true;
	__atomic_compare_exchange_n(&lock->token, &token, seen, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return false;
}

/* For a holder that somebody waited for in vain: no wait, and now and then a look. */
static int take_stuck(struct il_lock *lock, uint64_t me, uint64_t owner)
{
	if (time_to_look(lock, owner, STUCK_LOOK_NS, il_clock_now_ns()) &&
	    (!owner_alive(owner, true) || owner_jumped_out(lock, owner)) &&
	    swap_owner(lock, owner, me))
		return IL_LOCK_TAKEN_OVER;
	return -ETIMEDOUT;
}

static void spin(const struct il_lock *lock)
{
	for (int i = 0; i < SPINS_A_LOOK && load_owner(lock) != 0; i++)
		PAUSE();
}

/* Sleeping on the word needs no one to wake us: it ends by itself, and a changed word ends it. */
static void rest(const struct il_lock *lock, uint64_t owner)
{
	il_sys_futex_wait((const uint32_t *)&lock->owner, (uint32_t)owner, SLEEP_NS);
}

static int take_waiting(struct il_lock *lock, uint64_t me)
{
	int64_t begun_ns = il_clock_now_ns();
	int64_t waited_ns = 0;
	uint64_t owner = load_owner(lock);

	while (waited_ns < IL_LOCK_WAIT_NS) {
		if (owner == 0) {
			if (swap_owner(lock, 0, me))
				return IL_LOCK_TAKEN;
		} else if (waited_ns < LOOK_ALIVE_NS) {
			spin(lock);
		} else if (!owner_alive(owner, waited_ns >= LOOK_START_NS)) {
			if (swap_owner(lock, owner, me))
				return IL_LOCK_TAKEN_OVER;
		} else {
			rest(lock, owner);
		}
		owner = load_owner(lock);
		waited_ns = il_clock_now_ns() - begun_ns;
	}
	/* On a busy machine the time may have passed without a look at the holder. */
	if (!owner_alive(owner, true) && swap_owner(lock, owner, me))
		return owner ? IL_LOCK_TAKEN_OVER : IL_LOCK_TAKEN;
	time_to_look(lock, owner, STUCK_LOOK_NS, begun_ns + waited_ns);
	return -ETIMEDOUT;
}

int il_lock_take(struct il_lock *lock, const struct il_self *self, enum il_lock_rank rank,
		 struct il_hold *hold)
{
	uint64_t me = owner_word(self);
	uint64_t owner = load_owner(lock);
	int taken;

	if (owner == 0 && swap_owner(lock, 0, me))
		return mark_taken(lock, rank, hold, IL_LOCK_TAKEN);
	owner = load_owner(lock);
	if (owner == me)
		return take_own(lock, me, rank, hold);
	if (owner != 0 && __atomic_load_n(&lock->stuck, __ATOMIC_RELAXED) == owner)
		taken = take_stuck(lock, me, owner);
	else
		taken = take_waiting(lock, me);
	return taken < 0 ? taken : mark_taken(lock, rank, hold, taken);
}

bool il_lock_is_idle(const struct il_lock *lock)
{
	uint64_t owner = load_owner(lock);

	return owner == 0 || !owner_alive(owner, false);
}

bool il_lock_held(const struct il_lock *lock, const struct il_self *self,
		  const struct il_hold *hold)
{
	return load_owner(lock) == owner_word(self) &&
	       (uint32_t)__atomic_load_n(&lock->token, __ATOMIC_RELAXED) == hold->token;
}

bool il_lock_release(struct il_lock *lock, const struct il_self *self, struct il_hold *hold)
{
	bool ours = __atomic_load_n(&lock->token, __ATOMIC_RELAXED) == hold->token;

	if (held_at[hold->rank % IL_LOCK_RANKS] == hold)
		held_at[hold->rank % IL_LOCK_RANKS] = NULL;
	hold->first = hold->token = hold->last = 0;
	return ours && swap_owner(lock, owner_word(self), 0);
}
