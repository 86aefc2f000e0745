/* A 64-bit hash of bytes: FNV-1a with a finaliser, so that every bit of the result depends on every
 * byte. The same on every machine and run; not for secrets. Pure; any thread, any signal handler.
 */
#ifndef IL_BASE_HASH_H
#define IL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t il_hash_bytes(const void *bytes, size_t count);

/* Mixes one word; a bijection with il_hash_word(0) == 0. */
uint64_t il_hash_word(uint64_t word);

#endif
