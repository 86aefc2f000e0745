/* A library that is opened with RTLD_DEEPBIND and connects. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

/* Which object the connect that this library calls is in. */
const char *where(void);
const char *where(void)
{
	static Dl_info info;

	if (!dladdr((void *)connect, &info))
		return "nowhere";
	return info.dli_fname;
}
