#include "cli/breakers.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef char *cell_of(const struct cli_breaker *breaker);

static char *registry(const struct cli_breaker *breaker)
{
	return cli_text("%s", breaker->registry);
}

static char *name(const struct cli_breaker *breaker)
{
	return cli_text("%s", breaker->name);
}

static char *state(const struct cli_breaker *breaker)
{
	return cli_text("%s", il_state_name(breaker->state));
}

static char *calls(const struct cli_breaker *breaker)
{
	return cli_text("%" PRIu32, breaker->look.total);
}

static char *failed(const struct cli_breaker *breaker)
{
	return cli_text("%" PRIu32, breaker->look.failed);
}

static char *slow(const struct cli_breaker *breaker)
{
	return cli_text("%" PRIu32, breaker->look.slow);
}

static char *failure_rate(const struct cli_breaker *breaker)
{
	return cli_text("%.1f%%", 100 * cli_failure_rate(breaker));
}

static char *slow_rate(const struct cli_breaker *breaker)
{
	return cli_text("%.1f%%", 100 * cli_slow_rate(breaker));
}

static char *rejected(const struct cli_breaker *breaker)
{
	return cli_text("%" PRIu64, breaker->counts[IL_COUNT_rejected]);
}

/* Tenths of a second, rounded up: 0.0s is over. */
static char *retry_after(const struct cli_breaker *breaker)
{
	int64_t tenth_ns = 100000000, ns = breaker->look.retry_after_ns;
	int64_t tenths = ns / tenth_ns + (ns % tenth_ns > 0);

	return ns < 0 ? cli_text("-")
		      : cli_text("%" PRIi64 ".%is", tenths / 10, (int)(tenths % 10));
}

/* Short titles: a line of ordinary names fits into 80 columns. */
/* clang-format off */
static const struct column {
	const char *title;
	cell_of *cell;
	bool to_the_right;
} columns[] = {
	{ "REGISTRY", registry, false },
	{ "NAME", name, false },
	{ "STATE", state, false },
	{ "CALLS", calls, true },
	{ "FAILED", failed, true },
	{ "SLOW", slow, true },
	{ "FAIL%", failure_rate, true },
	{ "SLOW%", slow_rate, true },
	{ "REJECTED", rejected, true },
	{ "RETRY", retry_after, true },
};
/* clang-format on */
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void print_line(char *const *cells, const int *widths)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		int width = columns[i].to_the_right ? widths[i] : -widths[i];

		printf("%s%*s", i == 0 ? "" : " ", width, cells[i]);
	}
	putchar('\n');
}

static void widen(int *width, const char *cell)
{
	int length = (int)strlen(cell);

	if (*width < length)
		*width = length;
}

void cli_print_table(const struct cli_breakers *breakers)
{
	size_t rows = breakers->count + 1;
	char **cells = cli_more(NULL, rows * COLUMNS * sizeof(*cells));
	int widths[COLUMNS] = { 0 };

	for (size_t i = 0; i < COLUMNS; i++)
		cells[i] = cli_text("%s", columns[i].title);
	for (size_t row = 1; row < rows; row++)
		for (size_t i = 0; i < COLUMNS; i++)
			cells[row * COLUMNS + i] = columns[i].cell(&breakers->all[row - 1]);
	for (size_t i = 0; i < rows * COLUMNS; i++)
		widen(&widths[i % COLUMNS], cells[i]);
	for (size_t row = 0; row < rows; row++)
		print_line(cells + row * COLUMNS, widths);
	free(cells);
}
