/* What the files of the gate share. All functions are called inside the guard, and those that take
 * a connection with the right to it, unless they say otherwise. */
#ifndef IL_SHIM_GATE_PRIV_H
#define IL_SHIM_GATE_PRIV_H

#include "base/names.h"
#include "config/settings.h"
#include "core/attempts.h"
#include "engine/steer.h"
#include "report/log.h"
#include "shim/conn.h"
#include "shim/gate.h"
#include "shim/guard.h"

/* gate_state.c: what there is once in a process. */
struct gate_state {
	struct il_config config; /* read before `on` is set, and never changed */
	struct il_engine engine; /* usable once gate_is_open() was true */
	struct il_log log;
	struct il_names names;
	struct il_facts facts; /* of any destination, as far as all have them in common */
	bool minds_exchanges;  /* may be asked to reject them; fixed before `on` */
	struct il_steer steer; /* last: large, and untouched without a control file */
};
extern HIDDEN struct gate_state gate_state;

/* Is there anything to do in this process? Anywhere. */
HIDDEN bool gate_is_on(void);

/* Fixes what the registry is called, once, before `on`. `command` is the program's name. */
HIDDEN void gate_prepares(const char *command);

/* Is the registry open already, or has it a name that others may have filled it under? */
HIDDEN bool gate_may_know(void);

/* Is the registry there? Opens it at the first call; false if none is to be had. */
HIDDEN bool gate_is_open(void);

/* What a new breaker of this process is made with. `name` must outlive it. */
HIDDEN struct il_recipe gate_recipe(const char *name);

/* Who this thread is. */
HIDDEN struct il_self gate_self(void);

/* In a forked child: it is somebody else now. */
HIDDEN void gate_is_child(void);

/* From here on no connection is watched that was not before. True: the registry was open; what
 * there is can still be judged, and then gate_leaves ends our presence in it. */
HIDDEN bool gate_opens_no_more(void);
HIDDEN bool gate_is_leaving(void);
HIDDEN void gate_leaves(void);

/* Facts about the destination of conn, asked anew. For events that they decide; bytes that come and
 * go do with what was last known. */
HIDDEN const struct il_facts *gate_facts(struct fd_conn *conn);

/* gate_resolve.c: a look-up failed for good or without an answer. `service` is "" if there is none.
 */
HIDDEN void gate_lookup_failed(const char *host, const char *service, int64_t began_ns,
			       int64_t now_ns);

/* gate_control.c: what the operator's file says. The registry is open. Looks at the file if that is
 * due: called once a call. */
HIDDEN void gate_looks_at_control(const struct il_self *self, int64_t now_ns);

/* What it says of a destination whose name stands in `name`, and gets another there if it is to
 * have one. False: it is not to be watched. */
HIDDEN bool gate_asks_control(char *name, size_t size, const struct il_address *address,
			      int64_t now_ns, bool *ret_oneway);

/* Is nothing of conn's current call to be recorded, as a line says by now that its destination is
 * ignored? What the call held is then given back. Asks the rules when there are others: else one
 * comparison. And: is the call ignored that is about to begin? */
HIDDEN bool gate_ignores(struct fd_conn *conn, int64_t now_ns);
HIDDEN bool gate_ignores_next(struct fd_conn *conn, int64_t now_ns);

/* Which statuses are failures of conn's destination, from its slot. */
HIDDEN void gate_learns_statuses(struct fd_conn *conn);

/* What a rejected connect to the ticket's destination fails with. */
HIDDEN int gate_reject_errno(const struct il_ticket *ticket);

/* gate_settle.c: one event at a time. */
struct gate_event {
	struct il_guard guard;
	struct fd_conn *conn;
	int fd;
};
/* Comes in and takes the right to conn; false: there is nothing to judge, and nothing to give back.
 * life: the one that conn had when the call began. Outside the guard. */
HIDDEN bool gate_takes(struct gate_event *ret_event, struct fd_conn *conn, uint32_t life, int fd);
/* Applies what came of it, gives the right back and leaves. */
HIDDEN void gate_gives(struct gate_event *event, struct il_verdict verdict);
/* Nothing of conn is to be judged any more. */
HIDDEN void gate_loses(struct fd_conn *conn, int64_t now_ns);
/* Tells the lease what a visitor is to know, if that changed: since when the program waits, or that
 * a probe is as good as over. With the right to conn. */
HIDDEN void gate_tells_lease(struct fd_conn *conn);
/* Applies a verdict about conn. fd is -1 where the kernel cannot be asked any more. */
HIDDEN void gate_settles(struct fd_conn *conn, struct il_verdict verdict, int fd, int64_t now_ns);

/* What time alone decides, of all that this process has under way: cheap when nothing is due. */
HIDDEN void gate_looks_at_clock(int64_t now_ns);

/* The program knows, or will by what it just got, that conn is connected. */
HIDDEN void gate_connected(struct gate_event *event);

/* gate_kernel.c: questions that change nothing. */
HIDDEN struct il_kernel gate_asks_kernel(const struct fd_conn *conn, int fd);
/* Is fd still a socket of conn's kind? False: its number has become something else unseen. */
HIDDEN bool gate_is_same(const struct fd_conn *conn, int fd);
/* May fd, of which nothing is known, connect to an address of this family and be ours? Fills in its
 * entry. */
HIDDEN bool gate_is_fit(int fd, int family, uint32_t *ret_entry);
/* Would the kernel try, or refuse by itself? `kind`: FDTAB_KIND bits. */
HIDDEN bool gate_would_connect(int fd, uint32_t kind, const struct sockaddr *to, socklen_t length);
HIDDEN bool gate_would_send(const struct fd_conn *conn, int fd);

/* gate_learn.c. A call about conn failed; one that the program knows to have failed to connect may
 * connect anew. */
HIDDEN struct il_verdict gate_fails(struct gate_event *event, int error, bool blocking);
/* connect(), or what stands for it, returned rc. */
HIDDEN struct il_verdict gate_judges_connect(struct gate_event *event, bool blocks, int rc);
/* Is it connected? Asks the kernel only where the program is told so too early. */
HIDDEN bool gate_is_up(const struct gate_event *event);

/* gate_again.c: later exchanges, where the operator wants them rejected too. */
HIDDEN bool gate_may_reject(const struct gate_call *call);
/* What was let through did not begin. */
HIDDEN void gate_drops_next(struct fd_conn *conn, int64_t now_ns);

/* gate_close.c. The last descriptor of conn is about to be closed; `fd` may still be asked. And:
 * conn is gone, and its close was not seen. Without the right. */
HIDDEN void gate_judges_close(struct fd_conn *conn, int fd, int64_t now_ns);
HIDDEN void gate_judges_lost(struct fd_conn *conn, int64_t now_ns);

/* gate_attempts.c: the addresses of one look-up. No right needed. */
struct gate_try {
	int16_t index;	    /* its place; -1: it stands alone */
	bool continues;	    /* with the ticket in ret_ticket */
	int64_t lookup_ns;  /* the look-up's own duration, if this attempt bears it */
	struct il_ticket ticket;
};
HIDDEN struct gate_try gate_tries(const char *host, const struct il_address *address,
				  int64_t now_ns);
HIDDEN void gate_attempt_connected(int16_t index, int64_t now_ns);
HIDDEN bool gate_attempt_is_held(int16_t index, const struct il_ticket *ticket,
				 struct il_verdict verdict, int64_t now_ns);
HIDDEN bool gate_attempt_races(int16_t index, int64_t now_ns);
HIDDEN bool gate_attempt_lost(int16_t index, int64_t now_ns);
HIDDEN void gate_attempt_ends(int16_t index, int64_t now_ns);
HIDDEN void gate_attempts_due(int64_t until_ns, int64_t now_ns); /* INT64_MAX: all of them */
HIDDEN void gate_attempts_forked(void);
/* A look-up of `host` ended with so many addresses. */
HIDDEN void gate_learns_lookup(const char *host, size_t length, uint32_t addresses,
			       int64_t began_ns, int64_t now_ns);

#endif
