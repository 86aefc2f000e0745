/* What there is once in a process: the registry, and who we are. */
#include "shim/gate_priv.h"

#include "base/file.h"

#include <string.h>

#define DIR_BYTES      64
#define OPENING_NAPS   16
#define OPENING_NAP_NS 250000

struct gate_state gate_state;

/* The process and, for locks, its thread. */
static uint32_t pid, start;
static uid_t user; /* at the start */
static __thread uint32_t thread_id; /* 0: not asked yet */

static char command_name[IL_REGISTRY_MAX];
static struct il_segment_options options;
static atomic_bool is_open, is_hopeless;
static il_right opening;

struct il_self gate_self(void)
{
	if (!thread_id)
		thread_id = (uint32_t)il_sys_gettid();
	return (struct il_self){ .pid = pid, .tid = thread_id, .start = start };
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
}

static void default_dir(char ret_dir[DIR_BYTES], uid_t whose)
{
	struct il_text text = il_text_in(ret_dir, DIR_BYTES);

	il_text_add(&text, "/dev/shm/interlock-");
	il_text_unsigned(&text, whose);
}

/* A worker that gave up root has the default directory of its new user: with its like, it shares the
 * registry of its family there. */
static void follow_user(void)
{
	static char dir[DIR_BYTES];
	uid_t now = il_sys_geteuid();

	default_dir(dir, user);
	if (now == user || strcmp(options.dir, dir) != 0)
		return;
	default_dir(dir, now);
	options.dir = dir;
}

static void open_now(void)
{
	struct il_self self = gate_self();
	char why[256];

	follow_user();
	why[0] = 0;
	int rc = il_segment_open(&gate_state.engine.segment, &options, &self, why, sizeof(why));
	if (why[0])
		il_log_message(&gate_state.log, IL_LOG_WARNING, why);
	gate_state.engine.log = &gate_state.log;
	if (rc < 0) {
		atomic_store(&is_hopeless, true);
		return;
	}
	gate_state.engine.command = il_table_command(&gate_state.engine.segment, command_name);
	atomic_store(&is_open, true);
}

/* Opening takes longer than a right is waited for, and a connection that was not watched when it
 * began never is: the other threads wait, as long as the path of a call allows, once. */
static bool take_opening(int64_t now_ns)
{
	static atomic_bool is_stuck;

	for (int nap = 0; !il_right_take(&opening, now_ns); nap++) {
		if (nap == OPENING_NAPS)
			atomic_store(&is_stuck, true);
		if (atomic_load(&is_stuck))
			return false;
		il_sys_nanosleep(OPENING_NAP_NS);
	}
	return true;
}

bool gate_is_open(int64_t now_ns)
{
	if (atomic_load_explicit(&is_open, memory_order_acquire))
		return true;
	if (atomic_load(&is_hopeless) || !take_opening(now_ns))
		return false;
	if (!atomic_load(&is_open) && !atomic_load(&is_hopeless))
		open_now();
	il_right_give(&opening);
	return atomic_load(&is_open);
}

const struct il_facts *gate_facts(struct fd_conn *conn)
{
	conn->facts.dest = il_engine_facts(&gate_state.engine, &conn->ticket);
	conn->facts.slow_ns = il_engine_slow_ns(&gate_state.engine, &conn->ticket);
	return &conn->facts;
}

void gate_is_child(void)
{
	struct il_self self;

	atomic_store(&opening, 0);
	read_self();
	self = gate_self();
	if (atomic_load(&is_open))
		il_segment_join(&gate_state.engine.segment, &self);
}

bool gate_may_know(void)
{
	return atomic_load(&is_open) || options.permanent;
}

void gate_leaves(void)
{
	struct il_self self = gate_self();

	atomic_store(&is_hopeless, true);
	if (atomic_exchange(&is_open, false))
		il_segment_leave(&gate_state.engine.segment, &options, &self);
}
