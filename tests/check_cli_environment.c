/* The environment of the program to be started, and the names of its variables. */
#include "cli/cli.h"
#include "cli/environment.h"
#include "config/settings.h"

#include "check_run.h"

#include <string.h>

static struct cli_environment environment;

static void given_an_environment(void)
{
	static const char *const entries[] = { "A=1", "AB=2", "A=3", "EMPTY=", NULL };

	environment = cli_environment_copy(entries);
}

START_TEST(the_first_of_two_equal_names_counts)
{
	given_an_environment();
	ck_assert_str_eq(cli_environment_get(&environment, "A"), "1");
	ck_assert_str_eq(cli_environment_get(&environment, "AB"), "2");
	ck_assert_str_eq(cli_environment_get(&environment, "EMPTY"), "");
	ck_assert_ptr_null(cli_environment_get(&environment, "B"));
}
END_TEST

START_TEST(a_variable_that_is_set_is_there_once)
{
	given_an_environment();
	cli_environment_set(&environment, "A", "4=5");
	ck_assert_str_eq(cli_environment_get(&environment, "A"), "4=5");
	ck_assert_uint_eq(environment.count, 3);
	ck_assert_ptr_null(environment.entries[3]);
	cli_environment_drop(&environment, "A");
	ck_assert_ptr_null(cli_environment_get(&environment, "A"));
	ck_assert_str_eq(cli_environment_get(&environment, "AB"), "2");
}
END_TEST

static const char *variable_of(const char *setting)
{
	const char *nearest = NULL;
	const char *variable = cli_variable_of(setting, &nearest);

	ck_assert((variable == NULL) != (nearest == NULL));
	return variable ? variable : nearest;
}

START_TEST(settings_are_called_as_in_the_tables_or_as_their_variables)
{
	ck_assert_str_eq(variable_of("window_size"), "INTERLOCK_WINDOW_SIZE");
	ck_assert_str_eq(variable_of("Window_Size"), "INTERLOCK_WINDOW_SIZE");
	ck_assert_str_eq(variable_of("INTERLOCK_WINDOW_SIZE"), "INTERLOCK_WINDOW_SIZE");
	ck_assert_str_eq(variable_of("reject_errno"), "INTERLOCK_REJECT_ERRNO");
	ck_assert_str_eq(variable_of("interlock"), "INTERLOCK");
}
END_TEST

START_TEST(what_is_no_setting_is_answered_with_the_nearest)
{
	ck_assert_str_eq(variable_of("windowsize"), "window_size");
	ck_assert_str_eq(variable_of("INTERLOCK_REJECT_ERNO"), "reject_errno");
	ck_assert_str_eq(variable_of("slow_call_threshold"), "slow_call_rate_threshold");
}
END_TEST

START_TEST(every_variable_is_known_by_its_name)
{
	static const char *const variables[] = {
#define IL_OPTION(variable, type, member, default_text, valid_text, help) #variable,
#include "config/options.def"
#undef IL_OPTION
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		ck_assert_str_eq(variable_of(variables[i]), variables[i]);
}
END_TEST

START_TEST(the_nearest_name_is_that_with_the_fewest_changes)
{
	static const char *const names[] = { "run", "status", "check" };
	char longest[2000];

	ck_assert_str_eq(cli_nearest("stauts", names, 3), "status");
	ck_assert_str_eq(cli_nearest("RUN", names, 3), "run");
	ck_assert_str_eq(cli_nearest("ckeck", names, 3), "check");
	ck_assert_str_eq(cli_nearest("", names, 3), "run");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	ck_assert_ptr_nonnull(cli_nearest(longest, names, 3));
}
END_TEST

RUN_TESTS("cli_environment", the_first_of_two_equal_names_counts,
	  a_variable_that_is_set_is_there_once,
	  settings_are_called_as_in_the_tables_or_as_their_variables,
	  what_is_no_setting_is_answered_with_the_nearest, every_variable_is_known_by_its_name,
	  the_nearest_name_is_that_with_the_fewest_changes)
