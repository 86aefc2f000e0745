/* uring HOST PORT: the page, with its header; the kernel connects, sends and receives on our
 * behalf. */
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct io_uring_params params;
static struct io_uring_sqe *entries;
static char *submitted, *completed;
static int ring;

static unsigned *number(char *at, unsigned offset)
{
	return (unsigned *)(void *)(at + offset);
}

/* One operation, from asking to its result. */
static int do_one(int opcode, int fd, const void *at, unsigned length, uint64_t offset)
{
	unsigned *tail = number(submitted, params.sq_off.tail),
		 *head = number(completed, params.cq_off.head);
	unsigned slot = *tail & *number(submitted, params.sq_off.ring_mask);
	struct io_uring_cqe *results = (void *)(completed + params.cq_off.cqes);

	memset(&entries[slot], 0, sizeof(entries[slot]));
	entries[slot].opcode = (uint8_t)opcode;
	entries[slot].fd = fd;
	entries[slot].addr = (uintptr_t)at;
	entries[slot].len = length;
	entries[slot].off = offset;
	number(submitted, params.sq_off.array)[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;

	int result = results[*head & *number(completed, params.cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static void *map(size_t bytes, uint64_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, (off_t)offset);
}

int main(int argc, char **argv)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	struct sockaddr_in to = { .sin_family = AF_INET };
	char text[4096];
	int length;

	if (argc != 3)
		return 2;
	ring = (int)syscall(SYS_io_uring_setup, 4, &params);
	if (ring < 0)
		return 3;
	submitted = map(params.sq_off.array + params.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	completed = map(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
			IORING_OFF_CQ_RING);
	entries = map(params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	to.sin_port = htons((unsigned short)atoi(argv[2]));
	inet_pton(AF_INET, argv[1], &to.sin_addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (do_one(IORING_OP_CONNECT, fd, &to, 0, sizeof(to)) < 0 ||
	    do_one(IORING_OP_SEND, fd, request, sizeof(request) - 1, 0) < 0)
		return 1;
	while ((length = do_one(IORING_OP_RECV, fd, text, sizeof(text), 0)) > 0)
		fwrite(text, 1, (size_t)length, stdout);
	do_one(IORING_OP_CLOSE, fd, NULL, 0, 0);
	return 0;
}
