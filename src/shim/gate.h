/*
 * Between the hooks and the rest: what a hook saw becomes an event of core/connection, and the
 * verdict a call of engine. A hook calls one function before libc's and one after it; nothing is
 * held between the two, since a program may longjmp out of any call.
 *
 * All functions may be called in any thread and any signal handler, and keep errno, except that one
 * that rejects sets it.
 */
#ifndef IL_SHIM_GATE_H
#define IL_SHIM_GATE_H

#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "shim/export.h"
#include "shim/fdtab.h"

/* One call of the program on one descriptor, from before to after. */
struct gate_call {
	struct fd_conn *conn; /* null: not ours */
	uint32_t life;        /* of conn; another one now: it was closed meanwhile */
	int fd;
	uint32_t received; /* by conn, when this call began */
	bool was_open;	   /* conn, then: what is sent belongs to that exchange */
	bool blocks;
	bool begun; /* this very call is the attempt to connect */
	bool asked; /* it was let through as a new exchange */
};

/* Is this descriptor ours? The whole cost for one that is not. */
static inline bool gate_watches(int fd)
{
	return fdtab_is_conn(fdtab_at(fd));
}

/* Is it at least a socket that may become ours? */
static inline bool gate_knows(int fd)
{
	return fdtab_at(fd) != FDTAB_STRANGER;
}

/* gate_connect.c. True: errno is set and the call must not be made. */
HIDDEN bool gate_rejects_connect(struct gate_call *ret_call, int fd, const struct sockaddr *to,
				 socklen_t length);
HIDDEN void gate_saw_connect(struct gate_call *call, int rc);
/* The same for a send that connects on its way (MSG_FASTOPEN); rc is of the send. */
HIDDEN bool gate_rejects_fast(struct gate_call *ret_call, int fd, const struct sockaddr *to,
			      socklen_t length, int flags);
HIDDEN void gate_saw_fast(struct gate_call *call, ssize_t rc, const struct iovec *parts,
			  size_t count);
/* TCP_FASTOPEN_CONNECT was set to a value. */
HIDDEN void gate_saw_fast_connect(int fd, const void *value, socklen_t length);
/* The program learnt something: SO_ERROR was read (value), or getpeername answered (rc). */
HIDDEN void gate_saw_option(int fd, int level, int name, const void *value, int rc);
HIDDEN void gate_saw_peer(int fd, int rc);

/* gate_io.c. The parts are the program's buffers; of them the first rc bytes count. */
HIDDEN void gate_receives(struct gate_call *ret_call, int fd, int flags);
HIDDEN void gate_received(struct gate_call *call, ssize_t rc, const struct iovec *parts,
			  size_t count, int flags);
/* True: what is to be sent may have to be rejected, ask gate_rejects_send. Only then may it be
 * looked at before the kernel has. */
HIDDEN bool gate_sends(struct gate_call *ret_call, int fd, int flags);
#define GATE_ALL SIZE_MAX
/* gate_again.c. True: errno is set and nothing must be sent. `bytes`: how many are to be sent,
 * GATE_ALL: all that the parts hold. */
HIDDEN bool gate_rejects_send(struct gate_call *call, const struct iovec *parts, size_t count,
			      size_t bytes);
HIDDEN void gate_sent(struct gate_call *call, ssize_t rc, const struct iovec *parts, size_t count);
HIDDEN void gate_shuts_down(int fd, int how);

/* gate_wait.c. Around poll and select: which of ours are waited for, and what came of it.
 * `waits`: the call has a time-out other than 0. */
HIDDEN bool gate_polls(const struct pollfd *fds, nfds_t count, bool waits);
HIDDEN void gate_polled(const struct pollfd *fds, nfds_t count, int rc);
struct gate_sets {
	int count;	/* descriptors to look at, at most FD_SETSIZE; 0: none is ours */
	fd_set in, out; /* as the program asked */
};
HIDDEN void gate_selects(struct gate_sets *ret_sets, int count, const fd_set *in,
			 const fd_set *out, bool waits);
HIDDEN void gate_selected(const struct gate_sets *sets, const fd_set *out, int rc);
/* epoll: `events` are those asked for from now on, 0: none. */
HIDDEN void gate_registers(int fd, uint32_t events);

/* An event loop woke up. */
HIDDEN void gate_woke(void);

/* gate_fd.c. A number becomes another thing. Those that judge come before the program's call:
 * gate_closes before close, gate_covers before a dup2 over `to`. */
HIDDEN void gate_saw_socket(int fd, int family, int type, int protocol);
HIDDEN void gate_saw_stranger(int fd);
HIDDEN void gate_saw_rights(const struct msghdr *message); /* received, perhaps with descriptors */
HIDDEN void gate_saw_stream(int fd);			   /* stdio will read and write it, unseen */
HIDDEN void gate_saw_dup(int from, int to);
HIDDEN void gate_saw_blocking(int fd, bool blocking);
HIDDEN void gate_closes(int fd);
HIDDEN void gate_covers(int from, int to, int flags);
HIDDEN void gate_closes_range(unsigned int first, unsigned int last, int flags);

/* gate_name.c */
HIDDEN int64_t gate_looks_up(void);
HIDDEN void gate_saw_list(int64_t began_ns, const char *host, const char *service,
			  const struct addrinfo *list, int rc);
HIDDEN void gate_saw_host(int64_t began_ns, const char *host, const struct hostent *entry,
			  int host_error);
/* gate_resolve.c. True: the look-up must not be made, as the breaker would reject the connect that
 * follows it. `service` may be null; `flags` are those of the hints. gate_rejects_host sets h_errno
 * and errno as gethostbyname would where nobody answers. */
HIDDEN bool gate_rejects_lookup(const char *host, const char *service, int flags);
HIDDEN bool gate_rejects_host(const char *host);
HIDDEN int gate_host_error(void); /* h_errno */
/* gate_request.c. Requests are about to be made; returns the time, or 0: nothing is to follow. And:
 * rc is what gai_error says of one that the program has in hand. began_ns: since when it was waited
 * for; 0: it was not. */
HIDDEN int64_t gate_requests(int mode, struct gaicb *const *list, int count);
HIDDEN void gate_saw_request(const struct gaicb *request, int rc, int64_t began_ns);

/* gate_process.c. In a forked copy: gate_adopts once, gate_disowns for each connection, whose
 * exchanges are the parent's. */
HIDDEN void gate_adopts(void);
HIDDEN void gate_disowns(struct fd_conn *conn);
HIDDEN void gate_saw_fork(pid_t rc);
HIDDEN void gate_exits(void);
/* Before an exec, which may fail. */
HIDDEN void gate_execs(void);

/* init.c. The program is about to forbid itself system calls: the last one of ours is made here. */
HIDDEN void gate_confines(void);

#endif
