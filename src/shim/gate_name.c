/* Look-ups that found addresses. */
#include <netinet/in.h>
#include <string.h>

#include "shim/gate_priv.h"

#define ADDRESSES_MAX 64 /* of one look-up */

int64_t gate_looks_up(void)
{
	return gate_is_on() ? il_clock_now_ns() : 0;
}

static void learn(const char *host, const struct sockaddr *from, socklen_t length)
{
	struct il_address address;

	if (il_address_from(&address, from, length) == 0)
		il_names_learn(&gate_state.names, host, strlen(host), &address, il_right_thread());
}

/* Lists have each address once for each kind of socket, one after the other. */
static uint32_t learn_list(const char *host, const struct addrinfo *list)
{
	const struct addrinfo *before = NULL;
	uint32_t addresses = 0;

	for (; list && addresses < ADDRESSES_MAX; before = list, list = list->ai_next) {
		if (before && before->ai_addrlen == list->ai_addrlen &&
		    !memcmp(before->ai_addr, list->ai_addr, list->ai_addrlen))
			continue;
		learn(host, list->ai_addr, list->ai_addrlen);
		addresses++;
	}
	return addresses;
}

void gate_saw_list(int64_t began_ns, const char *host, const char *service,
		   const struct addrinfo *list, int rc)
{
	struct il_guard guard;

	if (!began_ns || !host || !il_guard_enter(&guard))
		return;
	if (rc == 0)
		gate_learns_lookup(host, strlen(host), learn_list(host, list), began_ns,
				   guard.now_ns);
	else if (rc == EAI_AGAIN || rc == EAI_FAIL)
		gate_lookup_failed(host, service ? service : "", began_ns, guard.now_ns);
	il_guard_leave(&guard);
}

static uint32_t learn_entry(const char *host, const struct hostent *entry)
{
	uint32_t addresses = 0;

	for (; entry->h_addr_list[addresses] && addresses < ADDRESSES_MAX; addresses++) {
		struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
		struct sockaddr_in v4 = { .sin_family = AF_INET };

		if (entry->h_addrtype == AF_INET6) {
			memcpy(&v6.sin6_addr, entry->h_addr_list[addresses], sizeof(v6.sin6_addr));
			learn(host, (struct sockaddr *)&v6, sizeof(v6));
		} else if (entry->h_addrtype == AF_INET) {
			memcpy(&v4.sin_addr, entry->h_addr_list[addresses], sizeof(v4.sin_addr));
			learn(host, (struct sockaddr *)&v4, sizeof(v4));
		}
	}
	return addresses;
}

void gate_saw_host(int64_t began_ns, const char *host, const struct hostent *entry, int host_error)
{
	struct il_guard guard;

	if (!began_ns || !host || !il_guard_enter(&guard))
		return;
	if (entry)
		gate_learns_lookup(host, strlen(host), learn_entry(host, entry), began_ns,
				   guard.now_ns);
	else if (host_error == TRY_AGAIN || host_error == NO_RECOVERY)
		gate_lookup_failed(host, "", began_ns, guard.now_ns);
	il_guard_leave(&guard);
}
