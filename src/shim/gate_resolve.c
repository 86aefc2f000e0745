/* Look-ups without an address: those that failed, and those that are not to be made. */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "shim/gate_priv.h"
#include "shim/timer.h"

#define NAME_BYTES (IL_HOST_MAX + 8)

int gate_host_error(void)
{
	return h_errno;
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

/* What is known of a destination before it has an address. */
enum knowledge { NOTHING, THE_HOST, THE_BREAKER };

/* `service` is a port, "" or a name. Breakers named after addresses know of no host. */
static enum knowledge name_it(struct il_text *name, const char *host, const char *service)
{
	uint32_t key = gate_state.config.key;
	uint64_t port;

	if ((key != IL_KEY_HOST && key != IL_KEY_HOST_PORT) || !add_host(name, host))
		return NOTHING;
	if (key == IL_KEY_HOST)
		return THE_BREAKER;
	if (il_num_whole(service, strlen(service), 1, 65535, &port) < 0)
		return THE_HOST;
	il_text_char(name, ':');
	il_text_unsigned(name, port);
	return THE_BREAKER;
}

/* The registry is open. May put another name there. */
static bool is_watched(struct il_text *name, int64_t now_ns)
{
	bool oneway;

	return il_config_watches(&gate_state.config, name->at, name->used, NULL) &&
	       gate_asks_control(name->at, name->size, NULL, now_ns, &oneway);
}

void gate_lookup_failed(const char *host, const char *service, int64_t began_ns, int64_t now_ns)
{
	char room[NAME_BYTES];
	struct il_text name = il_text_in(room, sizeof(room));
	enum knowledge known = name_it(&name, host, service);
	struct il_self self = gate_self();
	struct il_recipe recipe = gate_recipe(name.at);

	/* Where no breaker can exist yet, a host without a port is nobody's. */
	if (known == NOTHING || (known == THE_HOST && !gate_may_know()) || !gate_is_open())
		return;
	if (known == THE_HOST)
		il_engine_host_failed(&gate_state.engine, &self, name.at, now_ns - began_ns,
				      now_ns);
	else if (is_watched(&name, now_ns))
		il_engine_resolve_failed(&gate_state.engine, &self, &recipe, now_ns - began_ns,
					 now_ns);
	timer_looks();
}

/* Is it an address, in any spelling that resolvers take, 127.1 and 0x7f000001 too? */
static bool is_address(const char *host)
{
	const char *dot = strrchr(host, '.'), *last = dot ? dot + 1 : host;
	size_t digits = strspn(last, "0123456789");

	return strchr(host, ':') || (digits && last[digits] == 0) ||
	       (last[0] == '0' && (last[1] == 'x' || last[1] == 'X'));
}

static bool rejects(const char *host, const char *service, int64_t now_ns)
{
	char room[NAME_BYTES];
	struct il_text name = il_text_in(room, sizeof(room));
	struct il_self self = gate_self();
	struct il_ticket ticket;

	gate_looks_at_clock(now_ns);
	gate_looks_at_control(&self, now_ns);
	if (name_it(&name, host, service) != THE_BREAKER || !is_watched(&name, now_ns) ||
	    !il_engine_would_reject(&gate_state.engine, &self, name.at, now_ns, &ticket))
		return false;
	il_engine_reject(&gate_state.engine, &ticket, now_ns);
	return true;
}

bool gate_rejects_lookup(const char *host, const char *service, int flags)
{
	struct il_guard guard;
	bool rejected;

	if (!gate_is_on() || !gate_state.config.reject_resolve || !host || is_address(host) ||
	    flags & (AI_PASSIVE | AI_NUMERICHOST) || !il_guard_enter(&guard))
		return false;
	rejected = gate_may_know() && gate_is_open() &&
		   rejects(host, service ? service : "", guard.now_ns);
	il_guard_leave(&guard);
	return rejected;
}

bool gate_rejects_host(const char *host)
{
	if (!gate_rejects_lookup(host, "", 0))
		return false;
	h_errno = TRY_AGAIN;
	errno = EAGAIN;
	return true;
}
