/* Names and the addresses that they stand for. */
#include "shim/gate.h"
#include "shim/hooks.h"

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret_list)
{
	int64_t began_ns = gate_looks_up();
	int rc = real()->getaddrinfo(host, service, hints, ret_list);

	gate_saw_list(began_ns, host, service, rc == 0 ? *ret_list : NULL, rc);
	return rc;
}

/* Its answers are read when they are used: the names are then unknown. */
int getaddrinfo_a(int mode, struct gaicb **list, int count, struct sigevent *done)
{
	return real()->getaddrinfo_a(mode, list, count, done);
}

struct hostent *gethostbyname(const char *host)
{
	int64_t began_ns = gate_looks_up();
	struct hostent *entry = real()->gethostbyname(host);

	gate_saw_host(began_ns, host, entry, entry ? 0 : gate_host_error());
	return entry;
}

struct hostent *gethostbyname2(const char *host, int family)
{
	int64_t began_ns = gate_looks_up();
	struct hostent *entry = real()->gethostbyname2(host, family);

	gate_saw_host(began_ns, host, entry, entry ? 0 : gate_host_error());
	return entry;
}

int gethostbyname_r(const char *host, struct hostent *ret_entry, char *buffer, size_t size,
		    struct hostent **ret_result, int *ret_error)
{
	int64_t began_ns = gate_looks_up();
	int rc = real()->gethostbyname_r(host, ret_entry, buffer, size, ret_result, ret_error);

	if (rc == 0)
		gate_saw_host(began_ns, host, *ret_result, *ret_result ? 0 : *ret_error);
	return rc;
}

int gethostbyname2_r(const char *host, int family, struct hostent *ret_entry, char *buffer,
		     size_t size, struct hostent **ret_result, int *ret_error)
{
	int64_t began_ns = gate_looks_up();
	int rc = real()->gethostbyname2_r(host, family, ret_entry, buffer, size, ret_result,
					  ret_error);

	if (rc == 0)
		gate_saw_host(began_ns, host, *ret_result, *ret_result ? 0 : *ret_error);
	return rc;
}
