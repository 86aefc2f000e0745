/* Which file steers, and when it is looked at. */
#include "engine/steer.h"
#include "base/hash.h"
#include "engine/steer_priv.h"

#include <string.h>

#define AGAIN_NS	 INT64_C(100000000) /* the second look at what seems to be on the way */
#define LOOK_EXPIRES_NS INT64_C(10000000000) /* a jump left it behind */

void il_steer_init(struct il_steer *steer, const char *path, int64_t interval_ns,
		   const struct il_settings *base, const struct il_statuses *http_failure)
{
	uint64_t id = il_hash_bytes(path, strlen(path));

	steer->control.path = path;
	steer->interval_ns = interval_ns;
	steer->base = base;
	steer->http_failure = *http_failure;
	steer->id = id ? id : 1;
}

void il_steer_forked(struct il_steer *steer)
{
	atomic_store(&steer->looking_ns, 0);
	il_control_forked(&steer->control);
}

bool il_steer_is_ours(const struct il_engine *engine)
{
	return __atomic_load_n(&engine->segment.header->control_id, __ATOMIC_ACQUIRE) ==
	       engine->steer->id;
}

bool il_steer_is_latest(const struct il_engine *engine, uint64_t version)
{
	return il_steer_is_ours(engine) &&
	       __atomic_load_n(&engine->segment.header->control_version, __ATOMIC_ACQUIRE) ==
		       version;
}

static void say(void *engine, const char *line)
{
	const struct il_log *log = ((struct il_engine *)engine)->log;

	if (log)
		il_log_message(log, IL_LOG_WARNING, line);
}

__attribute__((noinline)) static void tell_foreign(struct il_engine *engine)
{
	char line[512];
	struct il_text text = il_text_in(line, sizeof(line));
	const char *path = engine->steer->control.path;

	if (atomic_exchange(&engine->steer->told_foreign, true))
		return;
	il_text_add(&text, "control file ");
	il_text_quoted(&text, path, strnlen(path, 240));
	il_text_add(&text, ": this registry is steered by another; nothing of it is applied (give all "
			   "its programs the same INTERLOCK_CONTROL)");
	say(engine, line);
}

/* Says in the header which version is the latest. Should the lock not be had, the next look does. */
static void claim(struct il_engine *engine, const struct il_self *self, uint64_t version)
{
	struct il_header *header = engine->segment.header;
	struct il_hold hold;

	if (il_steer_is_latest(engine, version))
		return;
	if (il_lock_take(&header->table_lock, self, IL_LOCK_TABLE, &hold) < 0)
		return;
	if (header->control_id == 0)
		__atomic_store_n(&header->control_id, engine->steer->id, __ATOMIC_RELEASE);
	if (header->control_id == engine->steer->id)
		__atomic_store_n(&header->control_version, version, __ATOMIC_RELEASE);
	il_lock_release(&header->table_lock, self, &hold);
	if (!il_steer_is_ours(engine))
		tell_foreign(engine);
}

static int64_t after(int64_t now_ns, int64_t wait_ns)
{
	return wait_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + wait_ns;
}

__attribute__((noinline)) static void look(struct il_engine *engine, const struct il_self *self,
					   int64_t now_ns)
{
	struct il_steer *steer = engine->steer;
	int64_t since_ns = atomic_load(&steer->looking_ns);
	int64_t wait_ns = steer->interval_ns;

	if ((since_ns && now_ns - since_ns < LOOK_EXPIRES_NS) ||
	    !atomic_compare_exchange_strong(&steer->looking_ns, &since_ns, now_ns))
		return;

	enum il_control_news news = il_control_look(&steer->control, now_ns,
						    (struct il_control_sink){ say, engine });

	if (news == IL_CONTROL_SAME || news == IL_CONTROL_NEW)
		claim(engine, self, il_control_version(&steer->control));
	else if (news == IL_CONTROL_WAITING && wait_ns > AGAIN_NS)
		wait_ns = AGAIN_NS;
	atomic_store(&steer->due_ns, after(now_ns, wait_ns));
	atomic_store(&steer->looking_ns, 0);
}

void il_steer_look(struct il_engine *engine, const struct il_self *self, int64_t now_ns)
{
	if (engine->steer &&
	    now_ns >= atomic_load_explicit(&engine->steer->due_ns, memory_order_relaxed))
		look(engine, self, now_ns);
}

bool il_steer_destination(struct il_engine *engine, const char *name, size_t length,
			  const struct il_address *address, int64_t now_ns,
			  struct il_steer_destination *ret_destination)
{
	struct il_rules_destination found;
	struct il_control_version *version;

	if (!engine->steer || !il_steer_is_ours(engine))
		return false;
	version = il_control_pin(&engine->steer->control, now_ns);
	if (!version)
		return false;
	il_rules_at_connect(&version->rules, name, length, address, &found);
	ret_destination->ignored = found.ignored;
	ret_destination->oneway = found.oneway;
	ret_destination->name[0] = 0;
	if (found.name && found.name_length <= IL_ALIAS_MAX) {
		memcpy(ret_destination->name, found.name, found.name_length);
		ret_destination->name[found.name_length] = 0;
	}
	il_control_unpin(version);
	return true;
}
