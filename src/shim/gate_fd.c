#include "shim/gate.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "shim/conn.h"
#include "shim/gate_priv.h"
#include "shim/timer.h"
#include "shim/guard.h"

/* Judges what stood behind fd, if this was the last descriptor of it. */
static void drop(int fd, int64_t now_ns)
{
	struct fd_conn *conn = fdtab_drop(fd);

	if (!conn)
		return;
	gate_judges_close(conn, fd, now_ns);
	fdtab_free(conn);
	timer_looks();
}

/* A number that was something else: its close went unseen, and nothing can be asked of it. */
static void forget(int fd, int64_t now_ns)
{
	struct fd_conn *conn = fdtab_drop(fd);

	if (!conn)
		return;
	gate_judges_lost(conn, now_ns);
	fdtab_free(conn);
}

static bool is_tcp(int family, int type, int protocol)
{
	return (family == AF_INET || family == AF_INET6) && type == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP);
}

static bool is_unix(int family, int type)
{
	return family == AF_UNIX && type == SOCK_STREAM &&
	       gate_state.config.families & IL_FAMILY_UNIX;
}

/* What a new socket is in the table. */
static uint32_t entry_of(int family, int type, int protocol)
{
	uint32_t entry = FDTAB_SOCKET;
	int plain = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (!is_tcp(family, plain, protocol) && !is_unix(family, plain))
		return FDTAB_STRANGER;
	if (type & SOCK_NONBLOCK)
		entry |= FDTAB_NONBLOCK;
	if (family != AF_INET)
		entry |= family == AF_INET6 ? FDTAB_IPV6 : FDTAB_UNIX;
	return entry;
}

void gate_saw_socket(int fd, int family, int type, int protocol)
{
	struct il_guard guard;

	if (fd < 0 || !gate_is_on())
		return;

	uint32_t entry = entry_of(family, type, protocol);
	if ((entry == FDTAB_STRANGER && !gate_knows(fd)) || !il_guard_enter(&guard))
		return;
	if (fdtab_make() && fdtab_may_add()) {
		forget(fd, guard.now_ns);
		if (entry != FDTAB_STRANGER)
			fdtab_put(fd, entry);
	}
	il_guard_leave(&guard);
}

void gate_saw_stranger(int fd)
{
	struct il_guard guard;

	if (fd < 0 || !gate_knows(fd) || !il_guard_enter(&guard))
		return;
	if (fdtab_may_change())
		forget(fd, guard.now_ns);
	il_guard_leave(&guard);
}

/* Descriptors that somebody sent: whatever stood at these numbers is gone. */
void gate_saw_rights(const struct msghdr *message)
{
	struct msghdr copy = *message;
	struct cmsghdr *part;
	int fd;

	for (part = CMSG_FIRSTHDR(&copy); part; part = CMSG_NXTHDR(&copy, part)) {
		const unsigned char *at = CMSG_DATA(part);
		const unsigned char *end = (const unsigned char *)part + part->cmsg_len;

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (; at + sizeof(fd) <= end; at += sizeof(fd)) {
			memcpy(&fd, at, sizeof(fd));
			gate_saw_stranger(fd);
		}
	}
}

/* On a unix socket, nobody counts the bytes that stdio moves. */
void gate_saw_stream(int fd)
{
	struct fd_conn *conn = fdtab_conn(fdtab_at(fd));
	struct gate_event event;

	if (!conn || !(conn->kind & FDTAB_UNIX) ||
	    !gate_takes(&event, conn, atomic_load(&conn->life), fd))
		return;
	gate_loses(conn, event.guard.now_ns);
	gate_gives(&event, (struct il_verdict){ 0 });
}

void gate_saw_dup(int from, int to)
{
	struct il_guard guard;

	if (to < 0 || from == to || (!gate_knows(from) && !gate_knows(to)))
		return;
	if (!il_guard_enter(&guard))
		return;
	if (fdtab_may_change()) {
		forget(to, guard.now_ns);
		fdtab_dup(from, to);
	}
	il_guard_leave(&guard);
}

void gate_saw_blocking(int fd, bool blocking)
{
	uint32_t entry = fdtab_at(fd);
	struct fd_conn *conn = fdtab_conn(entry);

	if (conn)
		atomic_store(&conn->nonblocking, !blocking);
	else if (entry != FDTAB_STRANGER)
		fdtab_put(fd, blocking ? entry & ~(uint32_t)FDTAB_NONBLOCK : entry | FDTAB_NONBLOCK);
}

void gate_closes(int fd)
{
	struct il_guard guard;

	if (!il_guard_enter(&guard))
		return;
	if (fdtab_may_change())
		drop(fd, guard.now_ns);
	il_guard_leave(&guard);
}

void gate_covers(int from, int to, int flags)
{
	struct il_guard guard;

	if (flags & ~O_CLOEXEC || !il_guard_enter(&guard))
		return;
	if (il_sys_call(SYS_fcntl, from, F_GETFD, 0, 0, 0, 0) >= 0 && fdtab_may_change())
		drop(to, guard.now_ns);
	il_guard_leave(&guard);
}

void gate_closes_range(unsigned int first, unsigned int last, int flags)
{
	struct il_guard guard;
	int highest = fdtab_highest();

	if (flags & ~CLOSE_RANGE_UNSHARE || first > last || highest < 0)
		return;
	if (!il_guard_enter(&guard))
		return;
	if (last > (unsigned int)highest)
		last = (unsigned int)highest;
	if (fdtab_may_change())
		for (unsigned int fd = first; fd <= last; fd++)
			if (gate_knows((int)fd))
				drop((int)fd, guard.now_ns);
	il_guard_leave(&guard);
}
