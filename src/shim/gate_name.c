/* Look-ups. */
#include <netinet/in.h>
#include <string.h>

#include "base/num.h"
#include "shim/gate_priv.h"
#include "shim/timer.h"

#define ADDRESSES_MAX 64 /* of one look-up */

int gate_host_error(void)
{
	return h_errno;
}

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

/* A host as breakers are named after it: in lower case, without a trailing dot. False: too long. */
static bool add_host(struct il_text *name, const char *host)
{
	size_t length = strlen(host);

	if (length && host[length - 1] == '.')
		length--;
	for (size_t i = 0; i < length; i++)
		il_text_char(name,
			     (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] + 32 : host[i]));
	return !name->cut;
}

static void fail_one(struct il_text *name, int64_t duration_ns, int64_t now_ns)
{
	struct il_self self = gate_self();
	struct il_recipe recipe = gate_recipe(name->at);
	bool oneway;

	if (!il_config_watches(&gate_state.config, name->at, name->used, NULL) ||
	    !gate_asks_control(name->at, name->size, NULL, now_ns, &oneway))
		return;
	il_engine_resolve_failed(&gate_state.engine, &self, &recipe, duration_ns, now_ns);
}

/* `service` is a port, "" or a name. Breakers named after addresses know of no host; and where none can
 * exist yet, a host without a port is nobody's. */
static void fail(const char *host, const char *service, int64_t began_ns, int64_t now_ns)
{
	char room[IL_HOST_MAX + 8];
	struct il_text name = il_text_in(room, sizeof(room));
	struct il_self self = gate_self();
	uint32_t key = gate_state.config.key;
	uint64_t port;
	bool has_port = il_num_whole(service, strlen(service), 1, 65535, &port) == 0;

	if ((key != IL_KEY_HOST && key != IL_KEY_HOST_PORT) || !add_host(&name, host))
		return;
	if ((key == IL_KEY_HOST_PORT && !has_port && !gate_may_know()) || !gate_is_open())
		return;
	if (key == IL_KEY_HOST_PORT && has_port) {
		il_text_char(&name, ':');
		il_text_unsigned(&name, port);
	}
	if (key == IL_KEY_HOST || has_port)
		fail_one(&name, now_ns - began_ns, now_ns);
	else
		il_engine_host_failed(&gate_state.engine, &self, name.at, now_ns - began_ns,
				      now_ns);
	timer_looks();
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
		fail(host, service ? service : "", began_ns, guard.now_ns);
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
		fail(host, "", began_ns, guard.now_ns);
	il_guard_leave(&guard);
}
