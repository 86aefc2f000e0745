/* Who uses a registry, and the files that nobody uses any more. */
#include "registry/segment_priv.h"

#include "base/file.h"
#include "base/num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>

/* Of the header, what tells whether its file can go. */
#define LISTED_BYTES offsetof(struct il_header, commands)

/* Too large for the program's stack, and needed seldom: mapped while it is in use. */
struct scratch {
	char entries[4096];
	struct il_header header;
};

static struct scratch *scratch_map(void)
{
	void *at = il_sys_mmap(sizeof(struct scratch), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return il_sys_mmap_failed(at) ? NULL : at;
}

static uint64_t who_word(const struct il_self *self)
{
	return (uint64_t)self->start << 32 | self->pid;
}

static bool is_alive(uint64_t who)
{
	return who != 0 && il_process_alive((uint32_t)who, (uint32_t)(who >> 32));
}

static bool swap_who(struct il_attached *place, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&place->who, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static uint64_t load_who(const struct il_attached *place)
{
	return __atomic_load_n(&place->who, __ATOMIC_RELAXED);
}

/* Takes the first place that is free, or, in the second round, that of a dead process. */
static bool take_place(struct il_attached *list, uint64_t who, bool of_the_dead)
{
	for (uint32_t i = 0; i < IL_ATTACHED; i++) {
		uint64_t there = load_who(&list[i]);

		if (there == who)
			return true;
		if (there != 0 && (!of_the_dead || is_alive(there)))
			continue;
		if (swap_who(&list[i], there, who))
			return true;
	}
	return false;
}

void il_segment_join(const struct il_segment *segment, const struct il_self *self)
{
	struct il_attached *list = segment->header->attached;
	uint64_t who = who_word(self);

	if (!take_place(list, who, false))
		take_place(list, who, true);
}

void il_segment_leave(const struct il_segment *segment, const struct il_segment_options *options,
		      const struct il_self *self)
{
	struct il_attached *list = segment->header->attached;
	struct il_identity identity;
	const char *wrong;

	for (uint32_t i = 0; i < IL_ATTACHED; i++)
		if (load_who(&list[i]) == who_word(self))
			swap_who(&list[i], who_word(self), 0);
	if (segment->anonymous || options->permanent || il_identity_read(&identity) < 0)
		return;
	int dir = il_directory_existing(options->dir, identity.owner, &wrong);

	if (dir < 0)
		return;
	il_file_sweep(dir, options->name, &identity);
	il_sys_close(dir);
}

static bool nobody_listed(const struct il_header *header)
{
	for (uint32_t i = 0; i < IL_ATTACHED; i++)
		if (is_alive(header->attached[i].who))
			return false;
	return true;
}

/* A file of another boot has no living process; one of another pid namespace is not ours to judge.
 */
static bool is_left(const struct il_header *header, const struct il_identity *identity)
{
	const struct il_registry_id *id = &header->id;

	if (id->magic != IL_LAYOUT_MAGIC || id->version != IL_LAYOUT_VERSION || id->permanent != 0)
		return false;
	if (memcmp(id->boot_id, identity->boot_id, sizeof(id->boot_id)) != 0)
		return true;
	return id->pid_namespace == identity->pid_namespace && nobody_listed(header);
}

static bool look_left(int fd, const struct il_identity *identity, struct scratch *scratch)
{
	struct stat stat;

	if (il_sys_fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) || stat.st_nlink == 0 ||
	    stat.st_uid != identity->owner)
		return false;
	return il_sys_pread(fd, &scratch->header, LISTED_BYTES, 0) == (ssize_t)LISTED_BYTES &&
	       is_left(&scratch->header, identity);
}

/* The second look is under a lock that keeps joiners off; see keep_sweepers_off. */
static void sweep_file(int dir, const char *name, const struct il_identity *identity,
		       struct scratch *scratch)
{
	int fd = il_sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0)
		return;
	if (look_left(fd, identity, scratch) && il_sys_flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    look_left(fd, identity, scratch))
		il_sys_unlinkat(dir, name);
	il_sys_close(fd);
}

bool il_file_is_left(int fd, const struct il_identity *identity)
{
	struct scratch *scratch = scratch_map();
	bool left;

	if (!scratch)
		return false;
	left = look_left(fd, identity, scratch);
	il_sys_munmap(scratch, sizeof(*scratch));
	return left;
}

void il_file_sweep(int dir, const char *name, const struct il_identity *identity)
{
	struct scratch *scratch = scratch_map();

	if (!scratch)
		return;
	sweep_file(dir, name, identity, scratch);
	il_sys_munmap(scratch, sizeof(*scratch));
}

void il_temporary_name(char *ret_name, size_t size, const struct il_opening *opening)
{
	struct il_text name = il_text_in(ret_name, size);

	il_text_add(&name, IL_TEMPORARY_PREFIX);
	il_text_unsigned(&name, opening->self->pid);
	il_text_add(&name, "-");
	il_text_unsigned(&name, opening->self->tid);
	il_text_add(&name, "-");
	il_text_unsigned(&name, opening->identity.pid_namespace);
}

/* The maker's number, from a temporary name of our pid namespace; 0: none of our business. */
static uint32_t maker_of(const char *name, const struct il_identity *identity)
{
	const char *pid = name + strlen(IL_TEMPORARY_PREFIX);
	const char *tid = strchr(pid, '-');
	const char *namespace = strrchr(pid, '-');
	uint64_t number, inode;

	if (!tid || namespace == tid ||
	    il_num_whole(pid, (size_t)(tid - pid), 1, INT32_MAX, &number) < 0 ||
	    il_num_whole(namespace + 1, strlen(namespace + 1), 0, UINT64_MAX, &inode) < 0)
		return 0;
	return inode == identity->pid_namespace ? (uint32_t)number : 0;
}

static void sweep_entry(int dir, const char *name, const struct il_identity *identity,
			struct scratch *scratch)
{
	if (strncmp(name, IL_TEMPORARY_PREFIX, strlen(IL_TEMPORARY_PREFIX)) != 0) {
		sweep_file(dir, name, identity, scratch);
		return;
	}
	uint32_t maker = maker_of(name, identity);

	if (maker != 0 && !il_process_alive(maker, 0))
		il_sys_unlinkat(dir, name);
}

void il_directory_sweep(int dir, const struct il_identity *identity)
{
	struct scratch *scratch = scratch_map();
	int files = 0;
	ssize_t bytes;

	if (!scratch)
		return;
	while (files < IL_SWEEP_FILES &&
	       (bytes = il_sys_getdents(dir, scratch->entries, sizeof(scratch->entries))) > 0) {
		for (ssize_t at = 0; at < bytes && files < IL_SWEEP_FILES;) {
			struct dirent64 *entry = (struct dirent64 *)(scratch->entries + at);

			at += entry->d_reclen;
			if (entry->d_type == DT_DIR)
				continue;
			files++;
			sweep_entry(dir, entry->d_name, identity, scratch);
		}
	}
	il_sys_munmap(scratch, sizeof(*scratch));
}
