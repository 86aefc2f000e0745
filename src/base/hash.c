#include "base/hash.h"

uint64_t il_hash_word(uint64_t word)
{
	word = (word ^ word >> 33) * 0xff51afd7ed558ccdU;
	word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53U;
	return word ^ word >> 33;
}

uint64_t il_hash_bytes(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325U;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * 0x100000001b3U;
	return il_hash_word(hash);
}
