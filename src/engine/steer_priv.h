/* Shared by the two files of steering. engine->steer is not NULL. */
#ifndef ENGINE_STEER_PRIV_H
#define ENGINE_STEER_PRIV_H

#include "engine/engine_priv.h"
#include "engine/steer.h"

/* Is this registry steered by our file? */
bool il_steer_is_ours(const struct il_engine *engine);

/* And is this the latest version of it? */
bool il_steer_is_latest(const struct il_engine *engine, uint64_t version);

#endif
