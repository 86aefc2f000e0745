#include "config/settings.h"

#include "check_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct il_config config;
static char errors[4096], warnings[4096];
static int error_count;

static void note(void *context, bool is_error, const char *line)
{
	char *to = is_error ? errors : warnings;

	ck_assert_ptr_null(context);
	error_count += is_error;
	snprintf(to + strlen(to), sizeof(errors) - strlen(to), "%s\n", line);
}

/* Up to three variables, for a program called curl. */
static void read_three(const char *first, const char *second, const char *third)
{
	const char *environment[] = { "PATH=/bin", first, second, third, NULL };

	errors[0] = warnings[0] = 0;
	error_count = 0;
	il_config_read(&config, environment, "curl", (struct il_config_sink){ note, NULL });
}

static void read_one(const char *first)
{
	read_three(first, NULL, NULL);
}

static void then_it_is_accepted(const char *entry)
{
	ck_assert_msg(config.inert != IL_INERT_WRONG && !errors[0] && !warnings[0], "%s: %s%s", entry,
		      errors, warnings);
}

static void then_it_is_refused(const char *entry, const char *valid)
{
	const char *equals = strchr(entry, '=');
	char expected[1024];

	snprintf(expected, sizeof(expected),
		 "interlock: %.*s '%s' is not valid; interlock is off in this process (give %s)\n",
		 (int)(equals - entry), entry, equals + 1, valid);
	ck_assert_str_eq(errors, expected);
	ck_assert_int_eq(config.inert, IL_INERT_WRONG);
}

struct row {
	const char *variable, *type, *default_text, *valid;
};

static const struct row options[] = {
#define IL_OPTION(variable, type, member, default_text, valid_text, help)                          \
	{ #variable, #type, default_text, valid_text },
#include "config/options.def"
#undef IL_OPTION
};

static const struct row settings[] = {
#define IL_SETTING(name, type, field, default_text, valid_text, help)                              \
	{ #name, #type, default_text, valid_text },
#include "interlock/settings.def"
#undef IL_SETTING
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Values of every type; a row of a new type must bring its own. */
static const struct sample {
	const char *type, *good[4], *bad[4];
} samples[] = {
	{ "RATE", { "0.25", "25%", "1", "100%" }, { "0", "1.01", "-0.5", "half" } },
	{ "DURATION", { "60000ms", "2m", "61", "1.5h" }, { "0", "0ms", "5 minuts", "-1s" } },
	{ "COUNT", { "1", "01" }, { "0", "1.5", "many", "4294967297" } },
	{ "FACTOR", { "1", "1.5", "1000" }, { "0.99", "1000.1", "150%", "x" } },
	{ "BOOLEAN", { "on", "TRUE", "1", "yes" }, { "2", "maybe", "onn" } },
	{ "WINDOW", { "count_based", "TIME_BASED" }, { "COUNT", "TIME_BASED " } },
	{ "STATE",
	  { "closed", "FORCED_OPEN", "disabled", "metrics_only" },
	  { "OPEN", "half_open", "SHUT" } },
	{ "PATH", { "/etc/x", "x" }, { NULL } },
	{ "LOG", { "stderr", "SYSLOG", "/var/log/x.%p", "x.log" }, { NULL } },
	{ "DIRECTORY", { "/run/x" }, { "run/x", "." } },
	{ "REGISTRY", { "a", "a.b_C-9", "..." }, { "a/b", "..", "a b", "\xc3\xa4" } },
	{ "KEY", { "host:port", "HOST", "address:port", "address" }, { "port", "host:" } },
	{ "FAMILIES", { "inet", "unix, INET6", "inet,inet" }, { "ipv4", "inet,ipx", "," } },
	{ "BREAKERS", { "1", "4096" }, { "0", "4097", "-1", "lots" } },
	{ "ERRNO",
	  { "ECONNREFUSED", "etimedout", "110", "EHOSTUNREACH" },
	  { "0", "EINPROGRESS", "115", "134" } },
	{ "STATUSES", { "500", "off", "429, 599,100", "OFF" }, { "99", "600", "5xx", "500;501" } },
	{ "PATTERNS",
	  { "*.internal:443,10.0.0.0/8", "a", "[::1]:80" },
	  { "10.0.0.0/99", "::1", "a b", "a:" } },
	{ "COMMANDS", { "curl,python3*", "*" }, { NULL } },
	{ "LEVEL", { "error", "WARNING", "info", "debug" }, { "warn", "5" } },
	{ "FORMAT", { "text", "JSON" }, { "xml" } },
};

static void try_row(const char *variable, const struct row *row)
{
	const struct sample *sample = samples;
	char entry[256];

	while (sample < samples + COUNT(samples) && strcmp(sample->type, row->type) != 0)
		sample++;
	ck_assert_msg(sample < samples + COUNT(samples), "no samples of %s", row->type);
	for (size_t i = 0; i < 4 && sample->good[i]; i++) {
		snprintf(entry, sizeof(entry), "%s=%s", variable, sample->good[i]);
		read_one(entry);
		then_it_is_accepted(entry);
	}
	for (size_t i = 0; i < 4 && sample->bad[i]; i++) {
		snprintf(entry, sizeof(entry), "%s=%s", variable, sample->bad[i]);
		if (strchr(sample->bad[i], '\xc3'))
			continue;
		read_one(entry);
		then_it_is_refused(entry, row->valid);
	}
	snprintf(entry, sizeof(entry), "%s=%s", variable, row->default_text);
	read_one(entry);
	then_it_is_accepted(entry);
}

static void setting_variable(const struct row *row, char *ret_variable)
{
	char *at = ret_variable + sprintf(ret_variable, "INTERLOCK_%s", row->variable);

	while (at-- > ret_variable) {
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 32);
	}
}

START_TEST(every_setting_takes_what_is_valid_and_names_what_is_not)
{
	char variable[128];

	for (size_t i = 0; i < COUNT(settings); i++) {
		setting_variable(&settings[i], variable);
		try_row(variable, &settings[i]);
	}
}
END_TEST

START_TEST(every_option_takes_what_is_valid_and_names_what_is_not)
{
	for (size_t i = 0; i < COUNT(options); i++)
		try_row(options[i].variable, &options[i]);
}
END_TEST

START_TEST(an_empty_environment_gives_the_defaults)
{
	char directory[64];
	struct il_settings defaults = il_settings_default();

	read_one(NULL);
	snprintf(directory, sizeof(directory), "/dev/shm/interlock-%u", geteuid());
	ck_assert_int_eq(config.inert, IL_ACTIVE);
	ck_assert_mem_eq(&config.settings, &defaults, sizeof(defaults));
	ck_assert_int_eq(config.control_interval_ns, 1000000000);
	ck_assert_uint_eq(config.key, IL_KEY_HOST_PORT);
	ck_assert_uint_eq(config.families, IL_FAMILY_INET | IL_FAMILY_INET6);
	ck_assert_uint_eq(config.max_breakers, 256);
	ck_assert_int_eq(config.reject_errno, ECONNREFUSED);
	ck_assert(!config.reject_established);
	ck_assert(!config.reject_resolve);
	ck_assert_uint_eq(config.log_level, IL_LOG_WARNING);
	ck_assert_uint_eq(config.log_format, IL_LOG_TEXT);
	ck_assert_str_eq(config.runtime_dir, directory);
	ck_assert_str_eq(config.control, "");
	ck_assert_str_eq(config.registry, "");
	ck_assert_str_eq(config.log, "");
	for (unsigned status = 0; status < 1000; status++)
		ck_assert_int_eq(il_statuses_has(&config.http_failure, status),
				 status == 429 || status == 500 ||
					 (status >= 502 && status <= 504));
}
END_TEST

START_TEST(no_environment_at_all_is_an_empty_one)
{
	il_config_read(&config, NULL, "curl", (struct il_config_sink){ note, NULL });
	ck_assert_int_eq(config.inert, IL_ACTIVE);
}
END_TEST

START_TEST(values_are_copied)
{
	char entry[] = "INTERLOCK_REGISTRY=shop";

	read_three(entry, "INTERLOCK_WINDOW_SIZE=5", "INTERLOCK_FAILURE_RATE_THRESHOLD=25%");
	memset(entry, 'x', sizeof(entry) - 1);
	ck_assert_str_eq(config.registry, "shop");
	ck_assert_uint_eq(config.settings.window_size, 5);
	ck_assert_uint_eq(config.settings.minimum_number_of_calls, 5);
	ck_assert(config.settings.failure_rate_threshold == 0.25);
}
END_TEST

START_TEST(off_is_inert_before_anything_else_is_looked_at)
{
	read_three("INTERLOCK=off", "INTERLOCK_WINDOW_SIZE=0", "INTERLOCK_NONSENSE=1");
	ck_assert_int_eq(config.inert, IL_INERT_SWITCHED_OFF);
	ck_assert_str_eq(errors, "");
	ck_assert_str_eq(warnings, "");
}
END_TEST

START_TEST(a_program_that_is_not_listed_is_left_alone)
{
	read_three("INTERLOCK_COMMANDS=wget,cur?", NULL, NULL);
	ck_assert_int_eq(config.inert, IL_ACTIVE);
	read_three("INTERLOCK_COMMANDS=wget,CURL", "INTERLOCK_WINDOW_SIZE=0", NULL);
	ck_assert_int_eq(config.inert, IL_INERT_COMMAND);
	ck_assert_str_eq(errors, "");
	read_three("INTERLOCK_COMMANDS=curl", "INTERLOCK_IGNORE_COMMANDS=c*", NULL);
	ck_assert_int_eq(config.inert, IL_INERT_COMMAND);
}
END_TEST

START_TEST(every_wrong_value_is_told)
{
	read_three("INTERLOCK_WINDOW_SIZE=0", "INTERLOCK_KEY=x",
		   "INTERLOCK_FAILURE_RATE_THRESHOLD=1.5");
	ck_assert_int_eq(error_count, 3);
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_WINDOW_SIZE '0'"));
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_KEY 'x'"));
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_FAILURE_RATE_THRESHOLD '1.5'"));
}
END_TEST

START_TEST(values_that_contradict_each_other_are_told)
{
	read_three("INTERLOCK_MINIMUM_NUMBER_OF_CALLS=20", "INTERLOCK_WINDOW_SIZE=10", NULL);
	ck_assert_int_eq(error_count, 1);
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_MINIMUM_NUMBER_OF_CALLS '20'"));
	read_three("INTERLOCK_MINIMUM_NUMBER_OF_CALLS=20", "INTERLOCK_WINDOW_SIZE=10",
		   "INTERLOCK_WINDOW_TYPE=TIME_BASED");
	ck_assert_int_eq(error_count, 0);
	read_three("INTERLOCK_WAIT_DURATION_IN_OPEN=2m", "INTERLOCK_WAIT_DURATION_IN_OPEN_MAX=1m",
		   NULL);
	ck_assert_int_eq(error_count, 1);
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_WAIT_DURATION_IN_OPEN_MAX '1m'"));
	read_three("INTERLOCK_MAX_CONCURRENT_PROBES=4", "INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN=3",
		   "INTERLOCK_WINDOW_SIZE=10001");
	ck_assert_int_eq(error_count, 2);
}
END_TEST

START_TEST(an_unknown_variable_is_a_warning_with_the_nearest_name)
{
	read_three("INTERLOCK_WINDW_SIZE=5", "INTERLOCK_REJECT_ERNO=1", "INTERLOCKED=1");
	ck_assert_int_eq(config.inert, IL_ACTIVE);
	ck_assert_str_eq(errors, "");
	ck_assert_str_eq(warnings, "INTERLOCK_WINDW_SIZE is no variable of interlock "
				   "(did you mean INTERLOCK_WINDOW_SIZE?); ignored\n"
				   "INTERLOCK_REJECT_ERNO is no variable of interlock "
				   "(did you mean INTERLOCK_REJECT_ERRNO?); ignored\n");
}
END_TEST

START_TEST(an_empty_value_is_wrong_where_there_is_a_default)
{
	read_three("INTERLOCK_WINDOW_SIZE=", "INTERLOCK_CONTROL=", "INTERLOCK_ONLY=");
	ck_assert_int_eq(error_count, 1);
	ck_assert_ptr_nonnull(strstr(errors, "INTERLOCK_WINDOW_SIZE ''"));
}
END_TEST

START_TEST(a_wrong_value_cannot_disturb_the_terminal)
{
	char entry[1024] = "INTERLOCK_KEY=\x1b[2J";

	memset(entry + 18, 'x', 1000);
	read_one(entry);
	ck_assert_ptr_nonnull(strstr(errors, "'\\x1b[2Jx"));
	ck_assert_ptr_nonnull(strstr(errors, "x'... is not valid; "));
	ck_assert_uint_lt(strlen(errors), 400);
}
END_TEST

START_TEST(a_text_too_long_is_refused)
{
	static char entry[5000] = "INTERLOCK_ONLY=";

	memset(entry + strlen(entry), 'x', IL_LIST_MAX);
	read_one(entry);
	ck_assert_int_eq(error_count, 1);
	entry[strlen(entry) - 1] = 0;
	read_one(entry);
	ck_assert_int_eq(error_count, 0);
}
END_TEST

START_TEST(a_relative_path_starts_where_the_program_did)
{
	static char entry[2000] = "INTERLOCK_CONTROL=";

	ck_assert_int_eq(chdir("/tmp"), 0);
	read_three("INTERLOCK_CONTROL=x/y", "INTERLOCK_LOG=z.%p", NULL);
	ck_assert_str_eq(config.control, "/tmp/x/y");
	ck_assert_str_eq(config.log, "/tmp/z.%p");
	ck_assert_int_eq(chdir("/"), 0);
	read_one("INTERLOCK_CONTROL=x");
	ck_assert_str_eq(config.control, "/x");
	memset(entry + strlen(entry), 'x', 1000);
	read_one(entry);
	ck_assert_int_eq(error_count, 1);
}
END_TEST

static bool watches(const char *name)
{
	return il_config_watches(&config, name, strlen(name), NULL);
}

START_TEST(only_and_ignore_choose_destinations)
{
	read_one(NULL);
	ck_assert(watches("db:5432"));
	read_three("INTERLOCK_ONLY=*.internal,db:5432", "INTERLOCK_IGNORE=a.internal:80", NULL);
	ck_assert(watches("db:5432"));
	ck_assert(watches("a.internal:81"));
	ck_assert(!watches("a.internal:80"));
	ck_assert(!watches("web:80"));
}
END_TEST

START_TEST(the_first_of_two_equal_names_counts)
{
	read_three("INTERLOCK_WINDOW_SIZE=5", "INTERLOCK_WINDOW_SIZE=7", NULL);
	ck_assert_uint_eq(config.settings.window_size, 5);
}
END_TEST

RUN_TESTS("config", every_setting_takes_what_is_valid_and_names_what_is_not,
	  every_option_takes_what_is_valid_and_names_what_is_not,
	  an_empty_environment_gives_the_defaults, no_environment_at_all_is_an_empty_one,
	  values_are_copied, off_is_inert_before_anything_else_is_looked_at,
	  a_program_that_is_not_listed_is_left_alone, every_wrong_value_is_told,
	  values_that_contradict_each_other_are_told,
	  an_unknown_variable_is_a_warning_with_the_nearest_name,
	  an_empty_value_is_wrong_where_there_is_a_default,
	  a_wrong_value_cannot_disturb_the_terminal, a_text_too_long_is_refused,
	  a_relative_path_starts_where_the_program_did, only_and_ignore_choose_destinations,
	  the_first_of_two_equal_names_counts)
