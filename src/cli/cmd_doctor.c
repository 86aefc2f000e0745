/* interlock doctor: what would happen if this program were run with the library, said beforehand.
 */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/script.h"

#include <stdarg.h>

static const struct cli_usage usage = {
	.name = "interlock doctor",
	.arguments = " [--] PROGRAM",
	.about =
		"Looks at PROGRAM, its libraries, the settings and the runtime directory, without\n"
		"running the program, and says what stands in the way of protecting it and what\n"
		"to do about it. Ends with 1 if it cannot be protected as things are.",
};

static unsigned counts[DOCTOR_PROBLEM + 1];

void doctor_says(enum doctor_level level, const char *about, const char *remedy, const char *format,
		 ...)
{
	static const char *const words[] = { "ok", "note", "PROBLEM" };
	va_list arguments;

	counts[level]++;
	printf("%-8s %-13s ", words[level], about);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	if (remedy)
		printf("%-22s -> %s\n", "", remedy);
}

unsigned doctor_problems(void)
{
	return counts[DOCTOR_PROBLEM];
}

static void look(const char *program)
{
	struct cli_object object = { 0 };
	const char *path = doctor_program(program, &object);

	if (path) {
		doctor_place(cli_base_name(path));
		doctor_library(path, &object);
	}
	cli_object_free(&object);
}

int cmd_doctor(int argc, char **argv)
{
	int first, status;

	if (!cli_options(&usage, argc, argv, NULL, &first, &status))
		return status;
	if (first == argc)
		return cli_misused(&usage, "which program?");
	cli_output_begin();
	look(argv[first]);
	printf("\n'%s' %s\n", argv[first],
	       doctor_problems() ? "cannot be protected as things are" : "can be protected");
	return cli_output_end(doctor_problems() ? CLI_FAILED : CLI_OK);
}
