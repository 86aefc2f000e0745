#include "cli/cli.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define LETTERS 63 /* looked at of each name */

static size_t letters(const char *name)
{
	return strnlen(name, LETTERS);
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Levenshtein's distance, one row at a time. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[LETTERS + 1] = { 0 };

	for (size_t j = 0; j <= letters(b); j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= letters(a); i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= letters(b); j++) {
			unsigned above = row[j];
			unsigned changed = diagonal + !same(a[i - 1], b[j - 1]);
			unsigned moved = (above < row[j - 1] ? above : row[j - 1]) + 1;

			row[j] = changed < moved ? changed : moved;
			diagonal = above;
		}
	}
	return row[letters(b)];
}

const char *cli_nearest(const char *name, const char *const *names, size_t count)
{
	const char *best = NULL;
	unsigned least = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		unsigned far = distance(name, names[i]);

		if (far < least) {
			least = far;
			best = names[i];
		}
	}
	return best;
}
