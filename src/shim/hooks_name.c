/* Names and the addresses that they stand for. */
#include <errno.h>

#include "shim/gate.h"
#include "shim/hooks.h"

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret_list)
{
	if (gate_rejects_lookup(host, service, hints ? hints->ai_flags : 0))
		return EAI_AGAIN;

	int64_t began_ns = gate_looks_up();
	int rc = real()->getaddrinfo(host, service, hints, ret_list);

	gate_saw_list(began_ns, host, service, rc == 0 ? *ret_list : NULL, rc);
	return rc;
}

/* How long one of several took is not known. */
int getaddrinfo_a(int mode, struct gaicb **list, int count, struct sigevent *done)
{
	int64_t began_ns = gate_requests(mode, list, count);
	int rc = real()->getaddrinfo_a(mode, list, count, done);

	for (int i = 0; began_ns && mode == GAI_WAIT && i < count; i++)
		if (list[i])
			gate_saw_request(list[i], real()->gai_error(list[i]),
					 count == 1 ? began_ns : 0);
	return rc;
}

int gai_error(struct gaicb *request)
{
	int rc = real()->gai_error(request);

	gate_saw_request(request, rc, 0);
	return rc;
}

struct hostent *gethostbyname(const char *host)
{
	if (gate_rejects_host(host))
		return NULL;

	int64_t began_ns = gate_looks_up();
	struct hostent *entry = real()->gethostbyname(host);

	gate_saw_host(began_ns, host, entry, entry ? 0 : gate_host_error());
	return entry;
}

struct hostent *gethostbyname2(const char *host, int family)
{
	if (gate_rejects_host(host))
		return NULL;

	int64_t began_ns = gate_looks_up();
	struct hostent *entry = real()->gethostbyname2(host, family);

	gate_saw_host(began_ns, host, entry, entry ? 0 : gate_host_error());
	return entry;
}

/* As libc's ends where nobody answers: errno says so too. */
static int try_again(struct hostent **ret_result, int *ret_error)
{
	*ret_result = NULL;
	*ret_error = TRY_AGAIN;
	errno = EAGAIN;
	return EAGAIN;
}

int gethostbyname_r(const char *host, struct hostent *ret_entry, char *buffer, size_t size,
		    struct hostent **ret_result, int *ret_error)
{
	if (gate_rejects_lookup(host, NULL, 0))
		return try_again(ret_result, ret_error);

	int64_t began_ns = gate_looks_up();
	int rc = real()->gethostbyname_r(host, ret_entry, buffer, size, ret_result, ret_error);
	bool found = rc == 0 && *ret_result;

	gate_saw_host(began_ns, host, found ? *ret_result : NULL, found ? 0 : *ret_error);
	return rc;
}

int gethostbyname2_r(const char *host, int family, struct hostent *ret_entry, char *buffer,
		     size_t size, struct hostent **ret_result, int *ret_error)
{
	if (gate_rejects_lookup(host, NULL, 0))
		return try_again(ret_result, ret_error);

	int64_t began_ns = gate_looks_up();
	int rc = real()->gethostbyname2_r(host, family, ret_entry, buffer, size, ret_result,
					  ret_error);
	bool found = rc == 0 && *ret_result;

	gate_saw_host(began_ns, host, found ? *ret_result : NULL, found ? 0 : *ret_error);
	return rc;
}
