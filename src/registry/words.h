/* Shared memory is read and written in whole words: a reader without a lock may get an old word,
 * never half of one. Sizes are multiples of 8 bytes, both sides aligned to 8. */
#ifndef REGISTRY_WORDS_H
#define REGISTRY_WORDS_H

#include <stddef.h>
#include <stdint.h>

static inline void il_words_copy(void *to, const void *from, size_t bytes)
{
	uint64_t *target = to;
	const uint64_t *source = from;

	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
		uint64_t word = __atomic_load_n(&source[i], __ATOMIC_RELAXED);

		__atomic_store_n(&target[i], word, __ATOMIC_RELAXED);
	}
}

#define IL_WORDS_COPY(to, from)                                                                   \
	do {                                                                                      \
		_Static_assert(sizeof(*(to)) == sizeof(*(from)) && sizeof(*(to)) % 8 == 0,        \
			       "words are copied between things of one size");                    \
		il_words_copy((to), (from), sizeof(*(to)));                                       \
	} while (0)

#endif
