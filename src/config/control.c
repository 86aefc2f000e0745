#include "config/control.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define LINES_TOLD     20
#define LINE_BYTES     640
#define PATH_SHOWN     240
#define PIN_EXPIRES_NS INT64_C(10000000000)

/* One look at the file. */
struct look {
	struct il_control *control;
	struct il_control_sink sink;
	int64_t now_ns;
	const char *wrong; /* why it is refused */
	int error;	   /* what the kernel said about it; 0: nothing */
	uint32_t told;	   /* bad lines */
};

static uint64_t identify(const struct stat *file)
{
	const uint64_t parts[] = {
		file->st_dev,	       file->st_ino,
		(uint64_t)file->st_size,    (uint64_t)file->st_mtim.tv_sec,
		(uint64_t)file->st_mtim.tv_nsec, (uint64_t)file->st_ctim.tv_sec,
		(uint64_t)file->st_ctim.tv_nsec,
	};
	uint64_t id = il_hash_bytes(parts, sizeof(parts));

	return id < IL_CONTROL_FIRST ? IL_CONTROL_FIRST : id;
}

/* NULL: to be trusted. */
static const char *distrust(const struct stat *file)
{
	if (!S_ISREG(file->st_mode))
		return "it is no regular file";
	if (file->st_uid != 0 && file->st_uid != il_sys_geteuid())
		return "it belongs to another user";
	if (file->st_mode & (S_IWGRP | S_IWOTH))
		return "its group or others may write to it";
	if (file->st_size > IL_RULES_BYTES_MAX)
		return "it is longer than 64 KiB";
	return NULL;
}

static void add_path(struct il_text *text, const char *path)
{
	il_text_name(text, path, strnlen(path, PATH_SHOWN));
}

/* Said once: as long as the file is what it is, or as long as the kernel says the same. */
__attribute__((noinline)) static enum il_control_news refuse(struct look *look, uint64_t id)
{
	char line[LINE_BYTES];
	struct il_text text = il_text_in(line, sizeof(line));

	look->control->seen = IL_CONTROL_UNKNOWN;
	if (look->control->refused == id)
		return IL_CONTROL_REFUSED;
	look->control->refused = id;
	add_path(&text, look->control->path);
	il_text_add(&text, ": ");
	il_text_add(&text, look->wrong);
	if (look->error) {
		il_text_add(&text, " (errno ");
		il_text_signed(&text, -look->error);
		il_text_char(&text, ')');
	}
	il_text_add(&text, "; refused, and the rules last read stay");
	look->sink.say(look->sink.context, line);
	return IL_CONTROL_REFUSED;
}

static enum il_control_news refuse_error(struct look *look, int error)
{
	look->wrong = "cannot be read";
	look->error = error;
	return refuse(look, (uint64_t)-error);
}

__attribute__((noinline)) static void tell_bad_line(void *context, uint32_t number, const char *why)
{
	struct look *look = context;
	char line[LINE_BYTES];
	struct il_text text = il_text_in(line, sizeof(line));

	if (look->told++ >= LINES_TOLD && !look->control->tells_all)
		return;
	add_path(&text, look->control->path);
	il_text_char(&text, ':');
	il_text_unsigned(&text, number);
	il_text_add(&text, ": ");
	il_text_add(&text, why);
	il_text_add(&text, "; line skipped");
	if (look->told == LINES_TOLD && !look->control->tells_all)
		il_text_add(&text, "; further bad lines are not told");
	look->sink.say(look->sink.context, line);
}

/* A version that does not hold and that nobody reads any more; NULL: none. */
static struct il_control_version *spare(struct look *look)
{
	struct il_control *control = look->control;
	uint32_t current = atomic_load(&control->current);

	for (uint32_t i = 0; i < IL_CONTROL_VERSIONS; i++) {
		struct il_control_version *version = &control->versions[i];
		int64_t pinned_ns = atomic_load(&version->pinned_ns);

		if (i + 1 == current)
			continue;
		if (atomic_load(&version->pins) == 0 ||
		    look->now_ns - pinned_ns > PIN_EXPIRES_NS) {
			atomic_store(&version->pins, 0);
			return version;
		}
	}
	return NULL;
}

static enum il_control_news take(struct look *look, struct il_control_version *version, uint64_t id,
				 size_t length)
{
	struct il_control *control = look->control;
	struct il_rules_sink sink = { tell_bad_line, look };

	version->id = id;
	version->rules = (struct il_rules){ .rules = version->room, .room = IL_RULES_MAX };
	il_rules_read(&version->rules, version->text, length, sink);
	control->seen = id;
	control->refused = 0;
	atomic_store(&control->current, 1 + (uint32_t)(version - control->versions));
	return IL_CONTROL_NEW;
}

/* Missing or empty. */
static enum il_control_news take_nothing(struct look *look)
{
	struct il_control *control = look->control;
	struct il_control_version *version;

	if (il_control_version(control) == IL_CONTROL_NOTHING) {
		control->seen = IL_CONTROL_NOTHING;
		return IL_CONTROL_SAME;
	}
	if (control->seen != IL_CONTROL_NOTHING) {
		control->seen = IL_CONTROL_NOTHING;
		return IL_CONTROL_WAITING;
	}
	version = spare(look);
	return version ? take(look, version, IL_CONTROL_NOTHING, 0) : IL_CONTROL_WAITING;
}

/* All bytes: `length`, or less where it was cut meanwhile. */
static ssize_t read_all(int fd, char *text, size_t length)
{
	size_t used = 0;

	while (used < length) {
		ssize_t got = il_sys_pread(fd, text + used, length - used, (off_t)used);

		if (got == -EINTR)
			continue;
		if (got < 0)
			return got;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	return (ssize_t)used;
}

static enum il_control_news read_open(struct look *look, int fd)
{
	struct il_control_version *version;
	struct stat before, after;
	int error = il_sys_fstat(fd, &before);

	if (error < 0)
		return refuse_error(look, error);
	look->wrong = distrust(&before);
	if (look->wrong)
		return refuse(look, identify(&before));
	version = spare(look);
	if (!version)
		return IL_CONTROL_WAITING;

	ssize_t length = read_all(fd, version->text, (size_t)before.st_size);

	if (length < 0)
		return refuse_error(look, (int)length);
	if (il_sys_fstat(fd, &after) < 0 || identify(&before) != identify(&after) ||
	    length != before.st_size)
		return IL_CONTROL_WAITING; /* it is being written */
	return take(look, version, identify(&before), (size_t)length);
}

enum il_control_news il_control_look(struct il_control *control, int64_t now_ns,
				     struct il_control_sink sink)
{
	struct look look = { .control = control, .sink = sink, .now_ns = now_ns };
	enum il_control_news news;
	struct stat file;
	int error = il_sys_stat(control->path, &file);

	if (error == -ENOENT || error == -ENOTDIR)
		return take_nothing(&look);
	if (error < 0)
		return refuse_error(&look, error);
	if (control->seen >= IL_CONTROL_FIRST && control->seen == identify(&file))
		return IL_CONTROL_SAME;
	look.wrong = distrust(&file);
	if (look.wrong)
		return refuse(&look, identify(&file));
	if (file.st_size == 0)
		return take_nothing(&look);

	int fd = il_sys_open(control->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return refuse_error(&look, fd);
	news = read_open(&look, fd);
	il_sys_close(fd);
	return news;
}

uint64_t il_control_version(const struct il_control *control)
{
	uint32_t current = atomic_load_explicit(&control->current, memory_order_acquire);

	return current ? control->versions[current - 1].id : IL_CONTROL_UNKNOWN;
}

struct il_control_version *il_control_pin(struct il_control *control, int64_t now_ns)
{
	for (;;) {
		uint32_t current = atomic_load(&control->current);
		struct il_control_version *version;

		if (!current)
			return NULL;
		version = &control->versions[current - 1];
		atomic_store(&version->pinned_ns, now_ns);
		atomic_fetch_add(&version->pins, 1);
		if (atomic_load(&control->current) == current)
			return version;
		il_control_unpin(version);
	}
}

void il_control_unpin(struct il_control_version *version)
{
	uint32_t pins = atomic_load(&version->pins);

	/* Not below 0: it may have been counted as left behind. */
	while (pins && !atomic_compare_exchange_weak(&version->pins, &pins, pins - 1))
		;
}

void il_control_forked(struct il_control *control)
{
	for (uint32_t i = 0; i < IL_CONTROL_VERSIONS; i++)
		atomic_store(&control->versions[i].pins, 0);
}
