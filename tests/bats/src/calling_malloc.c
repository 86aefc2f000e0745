/* An allocator that closes, reads and connects each time: whoever allocates while he looks up what
 * it calls goes round in circles. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void __libc_free(void *memory);

static void call(void)
{
	char byte;
	int error = errno;
	struct sockaddr none = { .sa_family = AF_INET };

	if (close(-1) == 0 || read(-1, &byte, 1) == 0 || connect(-1, &none, sizeof(none)) == 0)
		_exit(9);
	errno = error;
}

void *malloc(size_t size)
{
	call();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	call();
	return __libc_calloc(count, size);
}

void free(void *memory)
{
	call();
	__libc_free(memory);
}
