/*
 * The sliding window: the last N outcomes, or those of the last N seconds. The functions read the
 * cells and change only the small struct; a cell to be stored is named in the effects. Cells and
 * structs may hold garbage: every index stays inside il_cells_bytes, every count inside its range,
 * and the work is bounded by the number of cells.
 */
#ifndef IL_CORE_WINDOW_H
#define IL_CORE_WINDOW_H

#include "interlock/breaker.h"

void il_tally_add(struct il_tally *tally, uint32_t outcome);
void il_tally_replace(struct il_tally *tally, uint32_t before, uint32_t after);

/* Empties the window. Cells are left as they are: nothing in them counts any more. */
void il_window_clear(struct il_window *window);

/* Lets the time pass up to now_ns: takes the seconds that have left a TIME_BASED window out of the
 * tally. A now_ns before the last one counts as the last one. */
void il_window_pass(struct il_window *window, const struct il_settings *settings, const void *cells,
		    int64_t now_ns);

/* Adds an outcome as number window->next, at now_ns. */
void il_window_add(struct il_window *window, const struct il_settings *settings, const void *cells,
		   int64_t now_ns, uint32_t outcome, struct il_effects *effects);

/* Puts `outcome` in the place of the one that the handle stands for, if it is still there. Lets the
 * time pass up to now_ns first. */
void il_window_replace(struct il_window *window, const struct il_settings *settings,
		       const void *cells, int64_t now_ns, const struct il_handle *handle,
		       uint32_t outcome, struct il_effects *effects);

#endif
