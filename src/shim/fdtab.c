#include "shim/fdtab.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "shim/conn.h"
#include "shim/gate.h"
#include "shim/guard.h"

#define PAGE_BYTES 4096

/* One mapping; only what is used takes memory. The first page is emptied by the kernel in a forked
 * child, whoever forked it, and is shared with a vfork child. */
struct table {
	_Atomic int32_t owner; /* pid; 0: a forked copy without one; -1: being adopted */
	char rest_of_page[PAGE_BYTES - sizeof(int32_t)];
	_Atomic uint32_t entries[FDTAB_FDS];
	struct fd_conn conns[FDTAB_CONNS];
};

_Atomic uint32_t *fdtab_entries;
static struct table *_Atomic table;
static _Atomic uint64_t free_head;  /* number of pops and pushes << 32 | index + 1 */
static _Atomic uint32_t conns_used; /* indices from here on were never used */
static _Atomic int32_t highest = -1;

bool fdtab_make(void)
{
	struct table *none = NULL;

	if (atomic_load(&table))
		return true;

	struct table *made = il_sys_mmap(sizeof(*made), PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (il_sys_mmap_failed(made))
		return false;
	il_sys_call(SYS_madvise, (long)made, PAGE_BYTES, MADV_WIPEONFORK, 0, 0, 0);
	atomic_store(&made->owner, il_sys_getpid());
	if (atomic_compare_exchange_strong(&table, &none, made))
		fdtab_entries = made->entries;
	else
		il_sys_munmap(made, sizeof(*made));
	return true;
}

struct fd_conn *fdtab_conn(uint32_t entry)
{
	if (!fdtab_is_conn(entry))
		return NULL;
	return &atomic_load(&table)->conns[entry - FDTAB_CONN];
}

void fdtab_each(void (*visit)(struct fd_conn *, void *), void *argument)
{
	struct table *here = atomic_load(&table);
	uint32_t used = here ? atomic_load(&conns_used) : 0;

	for (uint32_t i = 0; i < used; i++)
		if (atomic_load(&here->conns[i].descriptors))
			visit(&here->conns[i], argument);
}

static void adopt_one(struct fd_conn *conn, void *unused)
{
	(void)unused;
	gate_disowns(conn);
}

bool fdtab_may_change(void)
{
	struct table *here = atomic_load(&table);
	int32_t owner = here ? atomic_load(&here->owner) : -1;
	int32_t self = il_sys_getpid();

	if (owner == self)
		return true;
	if (owner || !atomic_compare_exchange_strong(&here->owner, &owner, -1))
		return false;
	il_sys_call(SYS_madvise, (long)here, PAGE_BYTES, MADV_WIPEONFORK, 0, 0, 0);
	gate_adopts();
	fdtab_each(adopt_one, NULL);
	atomic_store(&here->owner, self);
	return true;
}

bool fdtab_is_mine(void)
{
	struct table *here = atomic_load(&table);

	return here && atomic_load(&here->owner) == il_sys_getpid();
}

bool fdtab_may_add(void)
{
	struct table *here = atomic_load(&table);

	return here && (atomic_load_explicit(&here->owner, memory_order_relaxed) > 0 ||
			fdtab_may_change());
}

int fdtab_highest(void)
{
	return atomic_load(&highest);
}

void fdtab_put(int fd, uint32_t entry)
{
	int32_t seen = atomic_load(&highest);

	if (!fdtab_entries || (unsigned int)fd >= FDTAB_FDS)
		return;
	while (fd > seen && !atomic_compare_exchange_weak(&highest, &seen, fd))
		;
	atomic_store_explicit(&fdtab_entries[fd], entry, memory_order_release);
}

/* An index, or FDTAB_CONNS when all are in use. */
static uint32_t take_index(struct table *here)
{
	uint64_t head = atomic_load(&free_head);

	while ((uint32_t)head) {
		uint32_t index = (uint32_t)head - 1;
		uint64_t next =
			((head >> 32) + 1) << 32 | atomic_load(&here->conns[index].next_free);
		if (atomic_compare_exchange_weak(&free_head, &head, next))
			return index;
	}
	if (atomic_load(&conns_used) >= FDTAB_CONNS)
		return FDTAB_CONNS;
	uint32_t fresh = atomic_fetch_add(&conns_used, 1);

	return fresh < FDTAB_CONNS ? fresh : FDTAB_CONNS;
}

struct fd_conn *fdtab_open(int fd)
{
	struct table *here = atomic_load(&table);

	if (!here || (unsigned int)fd >= FDTAB_FDS)
		return NULL;

	uint32_t index = take_index(here);
	if (index == FDTAB_CONNS)
		return NULL;

	struct fd_conn *conn = &here->conns[index];
	atomic_store(&conn->descriptors, 1);
	atomic_store(&conn->right, 0);
	fdtab_put(fd, FDTAB_CONN + index);
	return conn;
}

void fdtab_dup(int from, int to)
{
	uint32_t entry = fdtab_at(from);

	if (fdtab_is_conn(entry))
		atomic_fetch_add(&fdtab_conn(entry)->descriptors, 1);
	if (entry != FDTAB_STRANGER)
		fdtab_put(to, entry);
}

struct fd_conn *fdtab_drop(int fd)
{
	if (fdtab_at(fd) == FDTAB_STRANGER)
		return NULL;

	uint32_t entry = atomic_exchange(&fdtab_entries[fd], FDTAB_STRANGER);
	struct fd_conn *conn = fdtab_conn(entry);

	if (!conn || atomic_fetch_sub(&conn->descriptors, 1) != 1)
		return NULL;
	return conn;
}

void fdtab_free(struct fd_conn *conn)
{
	struct table *here = atomic_load(&table);
	uint64_t head = atomic_load(&free_head);
	uint64_t next;

	atomic_fetch_add(&conn->life, 1);
	do {
		atomic_store(&conn->next_free, (uint32_t)head);
		next = ((head >> 32) + 1) << 32 | ((uint32_t)(conn - here->conns) + 1);
	} while (!atomic_compare_exchange_weak(&free_head, &head, next));
}
