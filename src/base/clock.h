/* The two clocks. Any thread, any signal handler; errno is untouched. */
#ifndef IL_BASE_CLOCK_H
#define IL_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds, > 0. All arithmetic on time uses this one. */
int64_t il_clock_now_ns(void);

/* CLOCK_REALTIME in nanoseconds since 1970, UTC. Only for stamps that people read. */
int64_t il_clock_wall_ns(void);

#endif
