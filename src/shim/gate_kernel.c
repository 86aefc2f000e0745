/* Questions to the kernel that consume nothing: never SO_ERROR, which is the program's to read. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "base/file.h"
#include "shim/gate_priv.h"

/* The kernel's numbers; <netinet/tcp.h> has them too, but not all of tcp_info. */
enum {
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT = 2,
	STATE_SYN_RECEIVED = 3,
	STATE_FIN_WAIT_1 = 4,
	STATE_FIN_WAIT_2 = 5,
	STATE_CLOSE = 7,
	STATE_CLOSE_WAIT = 8
};

static long ask(int fd, int level, int name, void *ret_value, socklen_t size)
{
	return il_sys_call(SYS_getsockopt, fd, level, name, (long)ret_value, (long)&size, 0);
}

static long ask_number(int fd, int level, int name)
{
	int value = 0;
	long rc = ask(fd, level, name, &value, sizeof(value));

	return rc < 0 ? rc : value;
}

/* 0: it has a peer; else -ENOTCONN, or that it is no socket. */
static long ask_peer(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);

	return il_sys_call(SYS_getpeername, fd, (long)&peer, (long)&size, 0, 0, 0);
}

static bool is_tcp(long protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

bool gate_is_same(const struct fd_conn *conn, int fd)
{
	bool is_unix = conn->kind & FDTAB_UNIX;
	long rc = ask_number(fd, SOL_SOCKET, is_unix ? SO_DOMAIN : SO_PROTOCOL);

	if (rc < 0) /* a filter may forbid the question: that says nothing */
		return rc != -ENOTSOCK && rc != -EBADF;
	return is_unix ? rc == AF_UNIX : is_tcp(rc);
}

static uint8_t condition(unsigned state, bool was_connected)
{
	if (state == STATE_SYN_SENT || state == STATE_SYN_RECEIVED)
		return IL_TCP_CONNECTING;
	if (state == STATE_CLOSE && !was_connected)
		return IL_TCP_FAILED;
	return IL_TCP_CONNECTED;
}

/* The peer's end of file counts as a byte received. In CLOSE it may have come, or a reset did; but
 * a byte more than the hooks saw, and a reset on top of it, is far rarer than a program that shuts
 * both sides and then closes. */
static bool may_have_end(unsigned state)
{
	return state != STATE_ESTABLISHED && state != STATE_FIN_WAIT_1 && state != STATE_FIN_WAIT_2;
}

static void ask_tcp(struct il_kernel *kernel, int fd, bool was_connected)
{
	struct tcp_info info;

	memset(&info, 0, sizeof(info));
	if (ask(fd, IPPROTO_TCP, TCP_INFO, &info, sizeof(info)) < 0)
		return;
	kernel->tcp = condition(info.tcpi_state, was_connected);
	kernel->sent_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
	kernel->sent_ago_ns = 1 + (int64_t)info.tcpi_last_data_sent * 1000000; /* from ms */
	kernel->received_bytes = info.tcpi_bytes_received;
	if (kernel->received_bytes && may_have_end(info.tcpi_state))
		kernel->received_bytes--;
}

/* Nobody counts the bytes of a unix socket; what stands in its queues can be told. */
static void ask_unix(struct il_kernel *kernel, int fd, const struct il_connection *core)
{
	int unread = 0, untaken = 0;

	if (ask_peer(fd) < 0)
		return;
	kernel->tcp = IL_TCP_CONNECTED;
	il_sys_call(SYS_ioctl, fd, SIOCOUTQ, (long)&untaken, 0, 0, 0);
	il_sys_call(SYS_ioctl, fd, SIOCINQ, (long)&unread, 0, 0, 0);
	kernel->sent_bytes = (uint64_t)untaken;
	kernel->received_bytes = il_connection_taken_bytes(core) + (uint64_t)unread;
}

struct il_kernel gate_asks_kernel(const struct fd_conn *conn, int fd)
{
	struct il_kernel kernel = { .tcp = IL_TCP_UNKNOWN };

	if (fd < 0)
		return kernel;
	if (conn->kind & FDTAB_UNIX)
		ask_unix(&kernel, fd, &conn->core);
	else
		ask_tcp(&kernel, fd, conn->phase == CONN_CONNECTED);
	kernel.late = kernel.tcp == IL_TCP_UNKNOWN && !gate_is_same(conn, fd);
	return kernel;
}

static bool is_free_unix_stream(int fd)
{
	return ask_number(fd, SOL_SOCKET, SO_DOMAIN) == AF_UNIX &&
	       ask_number(fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM &&
	       ask_number(fd, SOL_SOCKET, SO_ACCEPTCONN) == 0 && ask_peer(fd) == -ENOTCONN;
}

bool gate_is_fit(int fd, int family, uint32_t *ret_entry)
{
	uint32_t entry = FDTAB_SOCKET;

	if (family == AF_UNIX ? !is_free_unix_stream(fd)
			      : !is_tcp(ask_number(fd, SOL_SOCKET, SO_PROTOCOL)))
		return false;
	if (family == AF_UNIX)
		entry |= FDTAB_UNIX;
	else if (ask_number(fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6)
		entry |= FDTAB_IPV6;
	if (il_sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK)
		entry |= FDTAB_NONBLOCK;
	*ret_entry = entry;
	return true;
}

/* Is there a socket by that path, and may we write to it? An abstract name cannot be asked for. */
static bool would_find(const struct sockaddr *to, socklen_t length)
{
	size_t size = length - offsetof(struct sockaddr_un, sun_path);
	char path[sizeof(struct sockaddr_un)];
	struct stat found;

	memcpy(path, (const char *)to + offsetof(struct sockaddr_un, sun_path), size);
	path[size] = 0;
	return !path[0] || (il_sys_stat(path, &found) == 0 && S_ISSOCK(found.st_mode) &&
			    il_sys_call(SYS_faccessat, AT_FDCWD, (long)path, W_OK, 0, 0, 0) == 0);
}

bool gate_would_connect(int fd, uint32_t kind, const struct sockaddr *to, socklen_t length)
{
	int family = kind & FDTAB_IPV6 ? AF_INET6 : kind & FDTAB_UNIX ? AF_UNIX : AF_INET;
	uint8_t state = 0;

	if (il_address_family(to, length) != family)
		return false;
	if (family == AF_UNIX)
		return is_free_unix_stream(fd) && would_find(to, length);
	/* TCP_INFO's first byte is the state; other sockets have no TCP_INFO. */
	return ask(fd, IPPROTO_TCP, TCP_INFO, &state, 1) >= 0 && state == STATE_CLOSE;
}

bool gate_would_send(const struct fd_conn *conn, int fd)
{
	struct pollfd poll = { .fd = fd, .events = POLLOUT };
	uint8_t state = 0;

	if (conn->kind & FDTAB_UNIX)
		return ask_number(fd, SOL_SOCKET, SO_DOMAIN) == AF_UNIX && ask_peer(fd) == 0 &&
		       il_sys_poll(&poll, 1, 0) >= 0 && !(poll.revents & (POLLHUP | POLLERR));
	return ask(fd, IPPROTO_TCP, TCP_INFO, &state, 1) >= 0 &&
	       (state == STATE_ESTABLISHED || state == STATE_CLOSE_WAIT);
}
