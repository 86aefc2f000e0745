/* interlock check: reads settings and rules by the library's own code, and says what came of it. */
#include "cli/cli.h"
#include "cli/environment.h"
#include "config/control.h"
#include "config/settings.h"
#include "core/settings_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cli_usage usage = {
	.name = "interlock check",
	.arguments = " [CONTROL-FILE] [DESTINATION...]",
	.about = "Reads every setting of the environment (INTERLOCK_...) and every rule of the\n"
		 "control file (else that of INTERLOCK_CONTROL), as a program of this user would.\n"
		 "Says what is wrong with which line, and what holds for each DESTINATION\n"
		 "(host:port) and who says so. Ends with 1 if something is wrong.",
};

/* What is being checked. */
static struct {
	struct cli_environment environment;
	struct il_config config;
	struct il_control control;
	struct il_rules rules; /* none without a control file */
	bool wrong;
} checked;

static void say(void *context, const char *line)
{
	(void)context;
	cli_complain("%s", line);
	checked.wrong = true;
}

static bool look(const char *path)
{
	struct stat file;

	if (stat(path, &file) < 0) {
		cli_complain("%s: %s", path, strerror(errno));
		return false;
	}
	checked.control.path = path;
	checked.control.tells_all = true;
	if (il_control_look(&checked.control, 1, (struct il_control_sink){ say, NULL }) ==
	    IL_CONTROL_REFUSED)
		return false;
	if (checked.control.current)
		checked.rules = checked.control.versions[checked.control.current - 1].rules;
	printf("%s: %u rule%s\n", path, checked.rules.count, checked.rules.count == 1 ? "" : "s");
	return true;
}

static void row(const char *what, const char *value, const char *who)
{
	printf("  %-34s %-24s %s\n", what, value, who);
}

/* Who says it: a line, a variable, or nobody. */
static const char *source(uint32_t line, const char *setting)
{
	const char *nearest, *variable = cli_variable_of(setting, &nearest);

	if (line)
		return cli_text("line %u", line);
	if (variable && cli_environment_get(&checked.environment, variable))
		return variable;
	return "default";
}

static void print_settings(const char *name, const struct il_orders *orders)
{
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		const struct il_setting *setting = &il_settings_table[i];
		uint32_t line = orders->contradicts ? 0
						    : il_rules_line_of(&checked.rules, name,
								       strlen(name), setting->name);
		char value[64];
		struct il_text text = il_text_in(value, sizeof(value));

		if (i == IL_SETTING_wait_duration_in_open_max &&
		    orders->settings.wait_duration_in_open_max_ns == INT64_MAX)
			il_text_add(&text, "none");
		else
			il_setting_put(setting, &orders->settings, &text);
		row(setting->name, value, source(line, setting->name));
	}
}

/* Words with a value that are no settings, as their line has them. */
static void print_others(const char *name)
{
	static const char *const keys[] = { "http_failure_status", "reject_errno",
					    "reject_established", "reset" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint32_t line =
			il_rules_line_of(&checked.rules, name, strlen(name), keys[i]);

		if (line)
			row(keys[i], "as there", cli_text("line %u", line));
	}
}

static void print_breaker(const char *name)
{
	struct il_orders orders;
	char why[256];

	il_rules_about(&checked.rules, name, strlen(name), &checked.config.settings, &orders);
	if (orders.classes & IL_RULE_STATE)
		row("state", il_state_name(orders.state), cli_text("line %u", orders.state_line));
	else
		row("state", "as its calls make it", "no line");
	if (orders.contradicts) {
		il_rules_check(&checked.rules, name, strlen(name), &checked.config.settings, why,
			       sizeof(why));
		cli_complain("%s: %s; no line's settings hold for it", name, why);
		checked.wrong = true;
	}
	print_settings(name, &orders);
	print_others(name);
}

static void print_destination(const char *destination)
{
	struct il_rules_destination found;
	const char *name = destination;

	printf("\n%s\n", destination);
	if (!il_config_watches(&checked.config, destination, strlen(destination), NULL)) {
		row("not watched", "", "INTERLOCK_ONLY, INTERLOCK_IGNORE");
		return;
	}
	il_rules_at_connect(&checked.rules, destination, strlen(destination), NULL, &found);
	if (found.ignored) {
		row("not watched", "IGNORE", cli_text("line %u", found.ignored_line));
		return;
	}
	if (found.name)
		name = cli_text("%.*s", (int)found.name_length, found.name);
	row("breaker", name, found.name ? cli_text("line %u", found.name_line) : "default");
	if (found.oneway)
		row("oneway", "no answer is expected", cli_text("line %u", found.oneway_line));
	print_breaker(name);
}

/* A destination has a colon; a file that has one too is there. */
static bool is_file(const char *argument)
{
	return !strchr(argument, ':') || access(argument, F_OK) == 0;
}

static int check(int argc, char **argv, int first)
{
	const char *path = NULL;

	if (!cli_environment_read(&checked.environment, "", &checked.config))
		checked.wrong = true;
	else
		puts("environment: valid");
	if (!checked.wrong && checked.config.control[0])
		path = checked.config.control;
	if (first < argc && is_file(argv[first]))
		path = argv[first++];
	if (path && !look(path))
		return CLI_FAILED;
	if (checked.config.inert == IL_INERT_WRONG)
		return CLI_FAILED;
	for (; first < argc; first++)
		print_destination(argv[first]);
	return checked.wrong ? CLI_FAILED : CLI_OK;
}

int cmd_check(int argc, char **argv)
{
	int first, status;

	if (!cli_options(&usage, argc, argv, NULL, &first, &status))
		return status;
	checked.environment = cli_environment_copy((const char *const *)environ);
	cli_output_begin();
	status = check(argc, argv, first);
	free(checked.environment.entries);
	return cli_output_end(status);
}
