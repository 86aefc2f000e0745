/* The kernel's own clock, in the page of code that it maps into every process. */
#ifndef IL_BASE_VDSO_H
#define IL_BASE_VDSO_H

#include <time.h>

typedef int (*il_vdso_clock)(clockid_t clock, struct timespec *ret_at);

/* Its clock_gettime, from the image at `base` (AT_SYSINFO_EHDR). Null: there is none, or it is not
 * understood. Any thread, any signal handler; reads only. */
il_vdso_clock il_vdso_find_clock(const void *base);

#endif
