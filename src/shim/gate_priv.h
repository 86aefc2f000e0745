/* What the files of the gate share. All of it inside the guard. */
#ifndef IL_SHIM_GATE_PRIV_H
#define IL_SHIM_GATE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/conn.h"
#include "shim/gate.h"

/* init.c: is there anything to do in this process? False until the settings were read. */
HIDDEN bool gate_is_on(void);

/* The last descriptor of conn is about to be closed. `fd` may still be asked. */
HIDDEN void gate_judge_close(struct fd_conn *conn, int fd, int64_t now_ns);

/* conn is gone, and its close was not seen. */
HIDDEN void gate_judge_lost(struct fd_conn *conn);

#endif
