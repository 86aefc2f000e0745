/* One binary, one case: tests are named as sentences and listed once, in main. */
#ifndef IL_CHECK_RUN_H
#define IL_CHECK_RUN_H

#include <check.h>
#include <stdlib.h>

#define RUN_TESTS(name, ...)                                                                       \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = { __VA_ARGS__ };                                      \
                                                                                                   \
		return run_tests(name, tests, sizeof(tests) / sizeof(tests[0]));                   \
	}

static inline int run_tests(const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, 60); /* of a machine that is busy with other things */
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	srunner_run_all(runner, CK_ENV);

	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
