/*
 * The right to change something of this process, for a few instructions. Never waits long: false
 * means that another thread has it, or that this one had it when a signal interrupted it. A right
 * that is older than a second was left behind by a longjmp, and is taken.
 *
 * Any thread, any signal handler; times are CLOCK_MONOTONIC nanoseconds; errno is kept.
 */
#ifndef IL_SHIM_RIGHT_H
#define IL_SHIM_RIGHT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/export.h"

/* Whose it is, and since when; 0: nobody's. */
typedef _Atomic uint64_t il_right;

HIDDEN bool il_right_take(il_right *right, int64_t now_ns);
HIDDEN void il_right_give(il_right *right);

/* A number that no other thread of this process has. */
HIDDEN uint64_t il_right_thread(void);

#endif
