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

/* A text that is kept, and the one before it. */
struct kept {
	struct kept *before;
	char text[];
};

char *cli_text(const char *format, ...)
{
	static struct kept *last;
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);

	size_t bytes = length < 0 ? 1 : (size_t)length + 1;
	struct kept *kept = cli_more(NULL, sizeof(*kept) + bytes);

	kept->text[0] = 0;
	va_start(arguments, format);
	vsnprintf(kept->text, bytes, format, arguments);
	va_end(arguments);
	kept->before = last;
	last = kept;
	return kept->text;
}
