/*
 * Copies from and to shared memory. Whoever reads without the lock finds out afterwards whether the
 * bytes moved under him (il_slot_word before and after), so a plain copy serves; the thread
 * sanitizer, which cannot know that, is given atomic words. Sizes are multiples of 8 bytes, both
 * sides aligned to 8.
 */
#ifndef REGISTRY_WORDS_H
#define REGISTRY_WORDS_H

#if defined(__has_feature) && !defined(__SANITIZE_THREAD__)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1 /* clang's way to say it */
#endif
#endif

#include <stddef.h>
#include <stdint.h>

static inline void il_words_copy(void *to, const void *from, size_t bytes)
{
#ifndef __SANITIZE_THREAD__
	/* In pieces that become plain moves: as one copy it would become `rep movs`, which takes
	 * three times as long to begin as all of this. */
	char *target = to;
	const char *source = from;

	for (; bytes >= 64; target += 64, source += 64, bytes -= 64)
		__builtin_memcpy(target, source, 64);
	__builtin_memcpy(target, source, bytes);
#else
	uint64_t *target = to;
	const uint64_t *source = from;

	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
		uint64_t word = __atomic_load_n(&source[i], __ATOMIC_RELAXED);

		__atomic_store_n(&target[i], word, __ATOMIC_RELAXED);
	}
#endif
}

#define IL_WORDS_COPY(to, from)                                                                   \
	do {                                                                                      \
		_Static_assert(sizeof(*(to)) == sizeof(*(from)) && sizeof(*(to)) % 8 == 0,        \
			       "words are copied between things of one size");                    \
		il_words_copy((to), (from), sizeof(*(to)));                                       \
	} while (0)

#endif
