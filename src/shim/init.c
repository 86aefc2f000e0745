/* Start and end. Everything works before and after: hooks bind libc at first use, and a process
 * whose settings were not read yet is not watched. */
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/file.h"
#include "shim/gate_priv.h"
#include "shim/real.h"

__thread volatile int64_t il_guard_since_ns;
static atomic_bool on;

bool gate_is_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

/* A vfork child shares our memory, and confines only itself. */
void gate_confines(void)
{
	int error = errno;

	if (gate_is_on() && (!fdtab_entries || fdtab_may_change()) &&
	    (uint32_t)il_sys_getpid() == gate_self().pid) {
		gate_exits();
		atomic_store(&on, false);
		il_log_message(&gate_state.log, IL_LOG_WARNING,
			       "seccomp: this program confines itself; it is not watched any more");
	}
	errno = error;
}

static void say(void *context, bool is_error, const char *line)
{
	(void)context;
	if (is_error)
		il_log_complain(&gate_state.log, line);
	else
		il_log_message(&gate_state.log, IL_LOG_WARNING, line);
}

/* The base name of the executable. */
static const char *command(char *room, size_t size)
{
	ssize_t length = il_sys_readlink("/proc/self/exe", room, size - 1);
	const char *slash;

	room[length > 0 ? length : 0] = 0;
	slash = strrchr(room, '/');
	return slash ? slash + 1 : room;
}

static void configure(void)
{
	struct il_config_sink sink = { .say = say };
	const char *const *environment = (const char *const *)environ;
	char room[256];
	const char *name = command(room, sizeof(room));

	il_log_start(&gate_state.log);
	if (getauxval(AT_SECURE))
		environment = NULL;
	il_config_read(&gate_state.config, environment, name, sink);
	if (gate_state.config.inert != IL_ACTIVE)
		return;
	il_log_set(&gate_state.log, gate_state.config.log,
		   (enum il_log_level)gate_state.config.log_level,
		   (enum il_log_format)gate_state.config.log_format);
	gate_prepares(name);
	atomic_store(&on, true);
}

__attribute__((constructor)) static void begin(void)
{
	int error = errno;

	real();
	configure();
	errno = error;
}

__attribute__((destructor)) static void end(void)
{
	gate_exits();
}
