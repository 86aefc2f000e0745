/* Processes that come and go. vfork and dlopen are in thunks.S. */
#include <stdlib.h>
#include <unistd.h>

#include "shim/gate.h"
#include "shim/hooks.h"

pid_t fork(void)
{
	pid_t rc = real()->fork();

	gate_saw_fork(rc);
	return rc;
}

void _exit(int status)
{
	gate_exits();
	real()->_exit(status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	gate_exits();
	real()->_Exit(status);
	__builtin_unreachable();
}

/* Its handlers run after this and may still talk; what they begin is not seen to the end. */
void quick_exit(int status)
{
	gate_exits();
	real()->quick_exit(status);
	__builtin_unreachable();
}
