/*
 * Seccomp. A program may forbid itself all system calls but those that it makes, on pain of death.
 * Ours (getpid at a close, a look at the kernel at a failure, the log) would then be the end of it,
 * and nobody can tell what a filter allows: such a program is watched no further.
 */
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "shim/gate.h"
#include "shim/hooks.h"

/* Filters without a program are questions: libseccomp asks so what the kernel can do. */
static bool is_filter(unsigned long operation, const void *program)
{
	return operation == SECCOMP_SET_MODE_STRICT ||
	       (operation == SECCOMP_SET_MODE_FILTER && program);
}

int hook_prctl(int option, long a, long b, long c, long d)
{
	if (option == PR_SET_SECCOMP &&
	    (a == SECCOMP_MODE_STRICT || (a == SECCOMP_MODE_FILTER && b)))
		gate_confines();
	return real()->prctl(option, a, b, c, d);
}

/* From thunks.S. */
HIDDEN long il_syscall_seccomp(long number, unsigned int operation, unsigned int flags,
			       const void *program);
long il_syscall_seccomp(long number, unsigned int operation, unsigned int flags,
			const void *program)
{
	if (is_filter(operation, program))
		gate_confines();
	return real()->syscall(number, operation, flags, (long)program, 0, 0, 0);
}
