/*
 * auto_transition's thread. There is one only while a breaker that asks for it is OPEN: it sleeps
 * until the wait is over, moves the breaker to HALF_OPEN, and is gone when none is left. It holds
 * nothing while it sleeps, has all signals blocked, and ends with the process.
 *
 * All functions are called inside the guard and without any right; errno is not kept.
 */
#ifndef IL_SHIM_TIMER_H
#define IL_SHIM_TIMER_H

#include "shim/gate_priv.h"

/* After anything that may have opened a breaker: starts the thread or wakes it. */
HIDDEN void timer_looks(void);

/* A call was admitted or rejected: is its breaker one that another process opened? */
HIDDEN void timer_meets(const struct il_ticket *ticket);

/* In a forked child: the thread is not here. */
HIDDEN void timer_forked(void);

#endif
