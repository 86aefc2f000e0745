/* Processes that come, change and go. vfork, dlopen, execl and its like are in thunks.S. */
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

/* libc calls none of these from another, so each stands for itself. posix_spawn needs nothing: its
 * child is libc's own and owns no connection. */
int execve(const char *path, char *const argv[], char *const env[])
{
	gate_execs();
	return real()->execve(path, argv, env);
}

int execv(const char *path, char *const argv[])
{
	gate_execs();
	return real()->execv(path, argv);
}

int execvp(const char *file, char *const argv[])
{
	gate_execs();
	return real()->execvp(file, argv);
}

int execvpe(const char *file, char *const argv[], char *const env[])
{
	gate_execs();
	return real()->execvpe(file, argv, env);
}

int fexecve(int fd, char *const argv[], char *const env[])
{
	gate_execs();
	return real()->fexecve(fd, argv, env);
}

int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	gate_execs();
	return real()->execveat(dir, path, argv, env, flags);
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
