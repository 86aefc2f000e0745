/* Values that the environment and the control file write in the same words. Pure; no allocation, no
 * locale, errno untouched; any thread, any signal handler. 0, -EINVAL or -ERANGE; ret_ untouched on
 * failure. */
#ifndef IL_CONFIG_WORDS_H
#define IL_CONFIG_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of HTTP statuses, 100..599. */
struct il_statuses {
	uint64_t bits[8];
};

/* "429,500,503", or "off" for none. */
int il_words_statuses(const char *text, size_t length, struct il_statuses *ret_statuses);

/* Any number may be asked for; what is no status is not in the set. */
bool il_statuses_has(const struct il_statuses *statuses, unsigned status);

/* "ECONNREFUSED" in any case, or a number from 1 to 133. EINTR, EAGAIN, EINPROGRESS, EALREADY and
 * EISCONN are refused: programs take them for something other than a failure. */
int il_words_errno(const char *text, size_t length, int *ret_errno);

#define IL_FAMILY_INET  1U
#define IL_FAMILY_INET6 2U
#define IL_FAMILY_UNIX  4U

/* "inet,inet6,unix" in any order and case; at least one. */
int il_words_families(const char *text, size_t length, uint32_t *ret_families);

#endif
