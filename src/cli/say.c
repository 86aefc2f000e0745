/* What the tool says, and where its memory comes from. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_complain(const char *format, ...)
{
	va_list arguments;

	fputs("interlock: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void cli_output_begin(void)
{
	signal(SIGPIPE, SIG_IGN);
}

int cli_output_end(int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	cli_complain("cannot write to standard output: %s",
		     errno ? strerror(errno) : "not everything was written");
	return CLI_FAILED;
}

void *cli_more(void *memory, size_t bytes)
{
	void *more = realloc(memory, bytes ? bytes : 1);

	if (more)
		return more;
	cli_complain("no memory");
	exit(CLI_FAILED);
}

char *cli_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		return text;
	cli_complain("no memory");
	exit(CLI_FAILED);
}
