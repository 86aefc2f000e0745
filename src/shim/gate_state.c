/* What there is once in a process: the registry, and who we are. */
#include "shim/gate_priv.h"

#include "base/file.h"

#include <string.h>

#define DIR_BYTES     64
#define COMING_NAPS   30 /* 5 ms at most, as a nap takes half as long again */
#define COMING_NAP_NS 100000

struct gate_state gate_state;

/* The process and, for locks, its thread. */
static uint32_t pid, start;
static uid_t user; /* at the start */
static __thread uint32_t thread_id; /* 0: not asked yet */

static char command_name[IL_REGISTRY_MAX];
static struct il_segment_options options;

static _Atomic int registry;
enum {
	REGISTRY_NONE,
	REGISTRY_COMING, /* a thread is about to let all have it */
	REGISTRY_OPEN,
	REGISTRY_HOPELESS /* not to be had, or we have left it */
};

struct il_self gate_self(void)
{
	if (!thread_id)
		thread_id = (uint32_t)il_sys_gettid();
	return (struct il_self){ .pid = pid, .tid = thread_id, .start = start };
}

struct il_recipe gate_recipe(const char *name)
{
	struct il_recipe recipe = { .name = name, .settings = &gate_state.config.settings };

	memcpy(recipe.http_failure, gate_state.config.http_failure.bits,
	       sizeof(recipe.http_failure));
	return recipe;
}

static void read_self(void)
{
	struct il_self self = il_self_read();

	pid = self.pid;
	start = self.start;
	thread_id = self.tid;
}

static void name_command(const char *command)
{
	struct il_text text = il_text_in(command_name, sizeof(command_name));

	il_text_add(&text, command);
}

/* A family's private registry is called COMMAND.PID.STARTTIME; forks inherit the name. */
static void name_private(void)
{
	static char room[IL_REGISTRY_MAX + 32];
	struct il_text name = il_text_in(room, sizeof(room));

	for (const char *at = command_name; *at; at++) {
		char c = *at;
		bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';

		il_text_char(&name, fits ? c : '_');
	}
	il_text_char(&name, '.');
	il_text_unsigned(&name, pid);
	il_text_char(&name, '.');
	il_text_unsigned(&name, start);
	options.name = room;
}

void gate_prepares(const char *command)
{
	const struct il_config *config = &gate_state.config;

	read_self();
	user = il_sys_geteuid();
	name_command(command);
	options = (struct il_segment_options){ .dir = config->runtime_dir,
					       .name = config->registry,
					       .breakers = config->max_breakers,
					       .permanent = config->registry[0] != 0 };
	if (!options.permanent)
		name_private();
	for (unsigned status = 100; status < 600; status++)
		if (il_statuses_has(&config->http_failure, status))
			il_facts_add_status(&gate_state.facts, status);
	gate_state.minds_exchanges = config->reject_established || config->control[0];
	if (config->control[0])
		il_steer_init(&gate_state.steer, config->control, config->control_interval_ns,
			      &config->settings, &config->http_failure);
}

static void default_dir(char ret_dir[DIR_BYTES], uid_t whose)
{
	struct il_text text = il_text_in(ret_dir, DIR_BYTES);

	il_text_add(&text, "/dev/shm/interlock-");
	il_text_unsigned(&text, whose);
}

/* A worker that gave up root has the default directory of its new user: with its like, it shares
 * the registry of its family there. */
static void follow_user(void)
{
	static char followed[DIR_BYTES];
	char first[DIR_BYTES];
	uid_t now = il_sys_geteuid();

	default_dir(first, user);
	if (now == user || strcmp(options.dir, first) != 0)
		return;
	default_dir(followed, now); /* two threads at once write the same */
	options.dir = followed;
}

static void publish(const struct il_segment *segment, const char *why)
{
	uint32_t command = il_table_command(segment, command_name);
	int nothing = REGISTRY_NONE;

	if (!atomic_compare_exchange_strong(&registry, &nothing, REGISTRY_COMING)) {
		il_segment_discard(segment);
		return;
	}
	gate_state.engine = (struct il_engine){ .segment = *segment,
						.log = &gate_state.log,
						.steer = gate_state.config.control[0]
								 ? &gate_state.steer
								 : NULL,
						.command = command };
	atomic_store(&registry, REGISTRY_OPEN);
	if (why[0])
		il_log_message(&gate_state.log, IL_LOG_WARNING, why);
}

/* Each thread that comes before there is one opens the registry for itself, and the first that has
 * it lets all have it: nobody waits for somebody else's system calls. */
static void open_registry(void)
{
	struct il_self self = gate_self();
	struct il_segment segment;
	char why[256] = "";
	int nothing = REGISTRY_NONE;

	follow_user();
	if (il_segment_open(&segment, &options, &self, why, sizeof(why)) == 0)
		publish(&segment, why);
	else if (atomic_compare_exchange_strong(&registry, &nothing, REGISTRY_HOPELESS) && why[0])
		il_log_message(&gate_state.log, IL_LOG_WARNING, why);
}

bool gate_is_open(void)
{
	int state = atomic_load_explicit(&registry, memory_order_acquire);

	if (state == REGISTRY_OPEN)
		return true;
	if (state == REGISTRY_NONE)
		open_registry();
	/* Another thread stores a few words, and may have lost its processor. Not a plain sleep: see
	 * right.c. */
	for (int i = 0; i < COMING_NAPS && atomic_load(&registry) == REGISTRY_COMING; i++)
		il_sys_futex_wait((const uint32_t *)(const void *)&registry, REGISTRY_COMING,
				  COMING_NAP_NS);
	return atomic_load(&registry) == REGISTRY_OPEN;
}

const struct il_facts *gate_facts(struct fd_conn *conn)
{
	conn->facts.dest = il_engine_facts(&gate_state.engine, &conn->ticket) |
			   (conn->oneway ? IL_DEST_ONEWAY : 0);
	conn->facts.slow_ns = il_engine_slow_ns(&gate_state.engine, &conn->ticket);
	return &conn->facts;
}

void gate_is_child(void)
{
	int coming = REGISTRY_COMING; /* the thread that was about to is not here */

	atomic_compare_exchange_strong(&registry, &coming, REGISTRY_NONE);
	read_self();
	if (gate_state.config.control[0])
		il_steer_forked(&gate_state.steer);

	struct il_self self = gate_self();
	if (atomic_load(&registry) == REGISTRY_OPEN)
		il_segment_join(&gate_state.engine.segment, &self);
}

bool gate_may_know(void)
{
	return atomic_load(&registry) == REGISTRY_OPEN || options.permanent;
}

bool gate_opens_no_more(void)
{
	return atomic_exchange(&registry, REGISTRY_HOPELESS) == REGISTRY_OPEN;
}

bool gate_is_leaving(void)
{
	return atomic_load_explicit(&registry, memory_order_relaxed) != REGISTRY_OPEN;
}

void gate_leaves(void)
{
	struct il_self self = gate_self();

	il_segment_leave(&gate_state.engine.segment, &options, &self);
}
