#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <errno.h>
#include <stddef.h>

#include "shim/gate_priv.h"
#include "shim/guard.h"

bool gate_rejects_connect(struct gate_call *ret_call, int fd, const struct sockaddr *to,
			  socklen_t length)
{
	(void)to;
	(void)length;
	ret_call->fd = fd;
	ret_call->conn = NULL;
	return false;
}

void gate_saw_connect(struct gate_call *call, int rc)
{
	struct il_guard guard;
	uint32_t entry = fdtab_at(call->fd);

	if (entry == FDTAB_STRANGER || fdtab_is_conn(entry))
		return;
	if ((rc && errno != EINPROGRESS) || !il_guard_enter(&guard))
		return;
	if (fdtab_may_change())
		fdtab_open(call->fd);
	il_guard_leave(&guard);
}

void gate_saw_option(int fd, int level, int name, const void *value, int rc)
{
}
void gate_saw_peer(int fd, int rc)
{
}
void gate_judge_close(struct fd_conn *conn, int fd, int64_t now_ns)
{
}
void gate_judge_lost(struct fd_conn *conn)
{
}
void gate_receives(struct gate_call *ret_call, int fd, int flags)
{
}
void gate_received(struct gate_call *call, ssize_t rc, const struct iovec *parts, size_t count,
		   int flags)
{
}
void gate_sends(struct gate_call *ret_call, int fd, const struct iovec *parts, size_t count)
{
}
void gate_sent(struct gate_call *call, ssize_t rc)
{
}
void gate_shuts_down(int fd, int how)
{
}
void gate_polls(struct gate_wait *ret_wait, const struct pollfd *fds, nfds_t count)
{
}
void gate_polled(struct gate_wait *wait, const struct pollfd *fds, nfds_t count, int rc)
{
}
void gate_selects(struct gate_sets *ret_sets, int count, const fd_set *in, const fd_set *out)
{
}
void gate_selected(struct gate_sets *sets, const fd_set *in, const fd_set *out, int rc)
{
}
void gate_registers(int fd, int operation, uint32_t events)
{
}
void gate_woke(void)
{
}
void gate_saw_stream(int fd)
{
}
int64_t gate_looks_up(void)
{
	return 0;
}
void gate_saw_list(int64_t began_ns, const char *host, const char *service,
		   const struct addrinfo *list, int rc)
{
}
void gate_saw_host(int64_t began_ns, const char *host, const struct hostent *entry, int host_error)
{
}
int gate_host_error(void)
{
	return h_errno;
}
