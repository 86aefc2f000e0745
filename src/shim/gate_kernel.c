/* Questions to the kernel that consume nothing: never SO_ERROR, which is the program's to read. */
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "shim/gate_priv.h"

/* The kernel's numbers; <netinet/tcp.h> has them too, but not all of tcp_info. */
enum {
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT = 2,
	STATE_SYN_RECEIVED = 3,
	STATE_TIME_WAIT = 6,
	STATE_CLOSE = 7,
	STATE_CLOSE_WAIT = 8,
	STATE_LAST_ACK = 9,
	STATE_CLOSING = 11
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

static uint8_t condition(unsigned state, bool was_connected)
{
	if (state == STATE_SYN_SENT || state == STATE_SYN_RECEIVED)
		return IL_TCP_CONNECTING;
	if (state == STATE_CLOSE && !was_connected)
		return IL_TCP_FAILED;
	return IL_TCP_CONNECTED;
}

/* In these the peer's end of file has come; the kernel counts it as a byte received. Once both sides
 * have ended the socket says CLOSE, as after a reset: then one byte is not enough to tell. */
static bool has_end(unsigned state)
{
	return state == STATE_CLOSE_WAIT || state == STATE_LAST_ACK || state == STATE_CLOSING ||
	       state == STATE_TIME_WAIT || state == STATE_CLOSE;
}

struct il_kernel gate_asks_kernel(int fd, bool was_connected)
{
	struct il_kernel kernel = { .tcp = IL_TCP_UNKNOWN };
	struct tcp_info info;

	memset(&info, 0, sizeof(info));
	if (fd < 0 || ask(fd, IPPROTO_TCP, TCP_INFO, &info, sizeof(info)) < 0)
		return kernel;
	kernel.tcp = condition(info.tcpi_state, was_connected);
	kernel.sent_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
	kernel.sent_ago_ns = 1 + (int64_t)info.tcpi_last_data_sent * 1000000; /* from ms */
	kernel.received_bytes = info.tcpi_bytes_received;
	if (kernel.received_bytes && has_end(info.tcpi_state))
		kernel.received_bytes--;
	return kernel;
}

/* A descriptor that we did not see being made: inherited, or by a way that no hook sees. */
bool gate_is_tcp(int fd, uint32_t *ret_entry)
{
	long protocol = ask_number(fd, SOL_SOCKET, SO_PROTOCOL);

	if (protocol != IPPROTO_TCP && protocol != IPPROTO_MPTCP)
		return false;

	uint32_t entry = FDTAB_SOCKET;
	if (ask_number(fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6)
		entry |= FDTAB_IPV6;
	if (il_sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK)
		entry |= FDTAB_NONBLOCK;
	*ret_entry = entry;
	return true;
}

bool gate_would_connect(int fd, uint32_t entry, const struct sockaddr *to)
{
	uint8_t state = 0;
	int family = entry & FDTAB_IPV6 ? AF_INET6 : AF_INET;

	/* TCP_INFO's first byte is the state; other sockets have no TCP_INFO. */
	return to->sa_family == family && ask(fd, IPPROTO_TCP, TCP_INFO, &state, 1) >= 0 &&
	       state == STATE_CLOSE;
}
