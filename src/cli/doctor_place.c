/* What the library will find in this environment. */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/environment.h"
#include "config/control.h"
#include "config/settings.h"
#include "registry/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)

static void say_setting(void *context, bool is_error, const char *line)
{
	(void)context;
	doctor_says(is_error ? DOCTOR_PROBLEM : DOCTOR_NOTE, "settings",
		    is_error ? "the program would run unprotected until it is mended" : NULL, "%s",
		    line);
}

/* False: the library would look at nothing else. */
static bool look_at_settings(const char *command, struct il_config *config)
{
	static const char *const why[] = {
		[IL_INERT_SWITCHED_OFF] = "INTERLOCK=off: the library does nothing",
		[IL_INERT_COMMAND] = "INTERLOCK_COMMANDS or INTERLOCK_IGNORE_COMMANDS leaves this "
				     "program out",
	};

	il_config_read(config, (const char *const *)environ, command,
		       (struct il_config_sink){ .say = say_setting });
	if (config->inert == IL_ACTIVE)
		doctor_says(DOCTOR_OK, "settings", NULL, "valid");
	else if (config->inert != IL_INERT_WRONG)
		doctor_says(DOCTOR_PROBLEM, "settings", "unset it", "%s", why[config->inert]);
	return config->inert == IL_ACTIVE;
}

static void say_rule(void *context, const char *line)
{
	(void)context;
	doctor_says(DOCTOR_NOTE, "control file", "`interlock check` says what holds", "%s", line);
}

static void look_at_control(const char *path)
{
	static struct il_control control;
	struct stat file;

	if (!path[0])
		return;
	if (stat(path, &file) != 0) {
		doctor_says(DOCTOR_NOTE, "control file", "it may be made later, or check its path",
			    "%s: %s", path, strerror(errno));
		return;
	}
	control.path = path;
	if (il_control_look(&control, 1, (struct il_control_sink){ .say = say_rule }) ==
	    IL_CONTROL_REFUSED)
		return;
	doctor_says(DOCTOR_OK, "control file", NULL, "%s: %u rules", path,
		    control.current ? control.versions[control.current - 1].rules.count : 0);
}

/* Makes a registry there and removes it, as the program would. */
static void look_at_directory(const struct il_config *config)
{
	struct il_self self = il_self_read();
	const char *name = config->registry[0] ? config->registry
					       : cli_text("doctor.%u.%u", self.pid, self.start);
	struct il_segment_options options = { .dir = config->runtime_dir,
					      .name = name,
					      .breakers = config->max_breakers,
					      .permanent = config->registry[0] != 0 };
	struct il_segment segment;
	struct statvfs space;
	char why[256];

	if (il_segment_open(&segment, &options, &self, why, sizeof(why)) < 0) {
		doctor_says(DOCTOR_PROBLEM, "registry", "give it more memory (ulimit -v)",
			    "there is no memory for breakers");
		return;
	}
	if (segment.anonymous)
		doctor_says(
			DOCTOR_NOTE, "registry",
			"mend it, or set INTERLOCK_RUNTIME_DIR to a folder of mode 0700 of this "
			"user; until then each program keeps its breakers to itself and its "
			"forks, and `interlock status` cannot show them",
			"%s", why);
	else if (statvfs(config->runtime_dir, &space) == 0)
		doctor_says(DOCTOR_OK, "registry", NULL, "%s, %.0f MiB free", config->runtime_dir,
			    (double)space.f_bavail * (double)space.f_frsize / MIB);
	il_segment_leave(&segment, &options, &self);
}

void doctor_place(const char *command)
{
	static struct il_config config;

	if (!look_at_settings(command, &config))
		return;
	look_at_control(config.control);
	look_at_directory(&config);
}
