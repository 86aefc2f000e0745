#include "cli/breakers.h"

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "registry/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEMPORARY   ".new-" /* a registry that is being made */
#define PATIENCE_MS 1000

static struct il_snapshot snapshot; /* large */

/* Bytes that a terminal or JSON would trip over are \xHH. */
static char *printable(const char *name, size_t length)
{
	char room[4 * IL_NAME_BYTES];
	struct il_text text = il_text_in(room, sizeof(room));

	il_text_name(&text, name, length);
	return cli_text("%s", room);
}

static void add(struct cli_breakers *breakers, const char *registry)
{
	const struct il_slot *slot = &snapshot.slot;
	size_t bytes = (breakers->count + 1) * sizeof(*breakers->all);
	struct cli_breaker *breaker;

	breakers->all = cli_more(breakers->all, bytes);
	breaker = &breakers->all[breakers->count++];
	breaker->registry = printable(registry, strlen(registry));
	breaker->name = printable(slot->name, strnlen(slot->name, IL_NAME_BYTES));
	breaker->state = slot->breaker.state;
	breaker->look = snapshot.look;
	memcpy(breaker->counts, slot->counts, sizeof(breaker->counts));
}

/* A slot that changes faster than it can be read comes to rest sooner or later. */
static int read_slot(const struct il_reader *reader, uint32_t place)
{
	int error = -EAGAIN;

	for (int i = 0; i < PATIENCE_MS && error == -EAGAIN; i++) {
		error = il_reader_read(reader, place, il_clock_now_ns(), &snapshot);
		if (error == -EAGAIN)
			usleep(1000);
	}
	return error;
}

static void read_slots(const struct il_reader *reader, const char *registry,
		       struct cli_breakers *breakers)
{
	for (uint32_t place = 0; place < reader->breakers; place++) {
		int error = read_slot(reader, place);

		if (error == 0) {
			add(breakers, registry);
		} else if (error != -ENOENT) {
			cli_complain("registry '%s': breaker %u cannot be read (%s); left out",
				     printable(registry, strlen(registry)), (unsigned)place,
				     strerror(-error));
			breakers->unreadable++;
		}
	}
}

static void read_registry(const char *directory, const char *registry, bool was_asked_for,
			  struct cli_breakers *breakers)
{
	const char *wrong;
	struct il_reader reader;
	int error = il_reader_open(&reader, directory, registry, &wrong);

	if (error == -ENOENT)
		return; /* gone since we looked */
	if (error < 0) {
		cli_complain("'%s/%s' cannot be read: %s; left out", directory,
			     printable(registry, strlen(registry)), wrong);
		breakers->unreadable++;
		return;
	}
	if (was_asked_for || !il_reader_is_left(&reader)) {
		breakers->registries++;
		read_slots(&reader, registry, breakers);
	}
	il_reader_close(&reader);
}

/* Directories, sockets and the like are somebody else's. */
static int may_be_registry(const struct dirent *entry)
{
	bool is_file =
		entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN;

	return is_file && strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) != 0;
}

static int by_name(const void *a, const void *b)
{
	const struct cli_breaker *left = a, *right = b;
	int order = strcmp(left->registry, right->registry);

	return order ? order : strcmp(left->name, right->name);
}

bool cli_breakers_read(const char *directory, const char *registry,
		       struct cli_breakers *ret_breakers)
{
	struct cli_breakers breakers = { 0 };
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, may_be_registry, alphasort);

	if (count < 0 && errno != ENOENT) {
		cli_complain("cannot read the runtime directory '%s': %s", directory,
			     strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (!registry || strcmp(registry, name) == 0)
			read_registry(directory, name, registry != NULL, &breakers);
		free(entries[i]);
	}
	free(entries);
	if (breakers.count > 0)
		qsort(breakers.all, breakers.count, sizeof(*breakers.all), by_name);
	*ret_breakers = breakers;
	return true;
}

static double share(uint32_t part, uint32_t total)
{
	return total ? (double)part / total : 0;
}

double cli_failure_rate(const struct cli_breaker *breaker)
{
	return share(breaker->look.failed, breaker->look.total);
}

double cli_slow_rate(const struct cli_breaker *breaker)
{
	return share(breaker->look.slow, breaker->look.total);
}
