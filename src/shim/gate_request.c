/*
 * getaddrinfo_a. Its list is the program's from the moment that it is there, and so is the request:
 * either may be gone a moment later. So requests are only compared here, never looked into, until
 * the program itself comes to gai_error with one; and what it had asked for is copied when it asks.
 * A program that takes the list without asking gai_error teaches us nothing.
 */
#include <string.h>

#include "shim/gate_priv.h"

#define REQUESTS      64 /* remembered; the oldest makes room */
#define SERVICE_BYTES 16

struct asked {
	const struct gaicb *request; /* null: free */
	char host[IL_HOST_MAX + 1];
	char service[SERVICE_BYTES]; /* a longer one is no port */
};

static struct {
	il_right right; /* to all of this */
	uint32_t next;
	struct asked asked[REQUESTS];
} here;

static atomic_bool used;

static struct asked *find(const struct gaicb *request)
{
	for (uint32_t i = 0; i < REQUESTS; i++)
		if (here.asked[i].request == request)
			return &here.asked[i];
	return NULL;
}

static void remember(const struct gaicb *request)
{
	const char *service = request->ar_service ? request->ar_service : "";
	struct asked *asked = find(request);

	if (asked)
		asked->request = NULL; /* its memory is another request's by now */
	if (!request->ar_name || strlen(request->ar_name) > IL_HOST_MAX)
		return;
	if (!asked)
		asked = &here.asked[here.next++ % REQUESTS];
	asked->request = request;
	memcpy(asked->host, request->ar_name, strlen(request->ar_name) + 1);
	if (strlen(service) >= SERVICE_BYTES)
		service = "";
	memcpy(asked->service, service, strlen(service) + 1);
}

int64_t gate_requests(int mode, struct gaicb *const *list, int count)
{
	struct il_guard guard;

	if ((mode != GAI_WAIT && mode != GAI_NOWAIT) || !gate_is_on() || !il_guard_enter(&guard))
		return 0;
	if (il_right_take(&here.right, guard.now_ns)) {
		atomic_store(&used, true);
		for (int i = 0; i < count; i++)
			if (list[i])
				remember(list[i]);
		il_right_give(&here.right);
	}
	il_guard_leave(&guard);
	return guard.now_ns;
}

/* When it was found and forgotten; 0: it was not. */
static int64_t take(const struct gaicb *request, struct asked *ret_asked)
{
	struct il_guard guard;
	struct asked *asked = NULL;

	if (!il_guard_enter(&guard))
		return 0;
	if (il_right_take(&here.right, guard.now_ns)) {
		asked = find(request);
		if (asked) {
			*ret_asked = *asked;
			asked->request = NULL;
		}
		il_right_give(&here.right);
	}
	il_guard_leave(&guard);
	return asked ? guard.now_ns : 0;
}

void gate_saw_request(const struct gaicb *request, int rc, int64_t began_ns)
{
	struct asked asked;
	int64_t now_ns;

	if (!request || rc == EAI_INPROGRESS || !atomic_load(&used))
		return;
	now_ns = take(request, &asked);
	if (now_ns)
		gate_saw_list(began_ns ? began_ns : now_ns, asked.host, asked.service,
			      rc == 0 ? request->ar_result : NULL, rc);
}
