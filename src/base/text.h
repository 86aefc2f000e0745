/*
 * Text appended piece by piece to a caller's buffer: never beyond its end, always 0-terminated.
 * What no longer fits sets `cut`, and from then on nothing more is added, so that a cut text is the
 * beginning of the whole one. No allocation, no locale, errno untouched; any thread, any signal
 * handler, as long as nobody else uses the same struct.
 */
#ifndef IL_BASE_TEXT_H
#define IL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct il_text {
	char *at;    /* the caller's buffer */
	size_t size; /* of the buffer, with the final 0; >= 1 */
	size_t used; /* bytes so far, without the final 0; < size */
	bool cut;    /* something did not fit */
};

/* An empty text in `at`, which must outlive it. size is at least 1. */
struct il_text il_text_in(char *at, size_t size);

/* A string, as it is. */
void il_text_add(struct il_text *text, const char *string);

/* `count` bytes, as they are; as many as fit. */
void il_text_bytes(struct il_text *text, const char *bytes, size_t count);

/* One byte, as it is. */
void il_text_char(struct il_text *text, char c);

/* Numbers in decimal. il_text_padded puts zeros in front up to `digits` (at most 20). */
void il_text_unsigned(struct il_text *text, uint64_t value);
void il_text_signed(struct il_text *text, int64_t value);
void il_text_padded(struct il_text *text, uint64_t value, unsigned digits);

/* Lower-case hexadecimal without 0x, at least `digits` (at most 16) long. */
void il_text_hex(struct il_text *text, uint64_t value, unsigned digits);

/* A number with `digits` (0..9) digits after the point, rounded half up: 0.62. What is not a number
 * or is beyond 1e9 in size prints as "?". */
void il_text_fixed(struct il_text *text, double value, unsigned digits);

/* A duration as people write it, exact, in the largest unit of s, ms, us, ns that is not above it:
 * 60s, 2.104s, 250ms, 0s. il_num_duration reads it back. */
void il_text_duration(struct il_text *text, int64_t ns);

/* The same for something measured: at most three digits after the point, the rest dropped. */
void il_text_duration_short(struct il_text *text, int64_t ns);

/* CLOCK_REALTIME nanoseconds as 2026-11-29T19:38:59.123Z. Negative values print as 1970. */
void il_text_time(struct il_text *text, int64_t wall_ns);

/* A breaker's name: bytes outside A-Za-z0-9.:_%/[]- become \xHH, a sequence whole or not at all. */
void il_text_name(struct il_text *text, const char *bytes, size_t count);

/* Does il_text_name leave this byte as it is? */
bool il_text_is_name_byte(char c);

/* A user's text in single quotes; quotes, backslashes and what is not printable ASCII as \xHH. */
void il_text_quoted(struct il_text *text, const char *bytes, size_t count);

#endif
