#include "config/words.h"
#include "base/num.h"
#include "base/pattern.h"

#include <errno.h>

#define STATUS_MIN   100
#define STATUS_MAX   599
#define ERRNO_MAX    133
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool il_statuses_has(const struct il_statuses *statuses, unsigned status)
{
	unsigned bit = status - STATUS_MIN;

	return bit <= STATUS_MAX - STATUS_MIN && (statuses->bits[bit / 64] >> bit % 64 & 1);
}

int il_words_statuses(const char *text, size_t length, struct il_statuses *ret_statuses)
{
	struct il_statuses statuses = { { 0 } };
	struct il_list list = { text, length };
	const char *item;
	size_t item_length, items = 0;

	if (il_num_is_word(text, length, "off")) {
		*ret_statuses = statuses;
		return 0;
	}
	while (il_list_next(&list, &item, &item_length)) {
		uint64_t status;
		int rc = il_num_whole(item, item_length, STATUS_MIN, STATUS_MAX, &status);

		if (rc < 0)
			return rc;
		status -= STATUS_MIN;
		statuses.bits[status / 64] |= (uint64_t)1 << status % 64;
		items++;
	}
	if (items == 0)
		return -EINVAL;
	*ret_statuses = statuses;
	return 0;
}

/* What connect is known to fail with. */
static const struct il_word errnos[] = {
	{ "ECONNREFUSED", ECONNREFUSED },
	{ "ETIMEDOUT", ETIMEDOUT },
	{ "EHOSTUNREACH", EHOSTUNREACH },
	{ "ENETUNREACH", ENETUNREACH },
	{ "ECONNRESET", ECONNRESET },
	{ "ECONNABORTED", ECONNABORTED },
	{ "EHOSTDOWN", EHOSTDOWN },
	{ "ENETDOWN", ENETDOWN },
	{ "EADDRNOTAVAIL", EADDRNOTAVAIL },
	{ "EACCES", EACCES },
	{ "EPERM", EPERM },
	{ "EIO", EIO },
};

static bool misleads(int number)
{
	return number == EINTR || number == EAGAIN || number == EINPROGRESS || number == EALREADY ||
	       number == EISCONN;
}

int il_words_errno(const char *text, size_t length, int *ret_errno)
{
	uint64_t number;
	int rc;

	if (il_num_word(text, length, errnos, COUNT(errnos), ret_errno) == 0)
		return 0;
	rc = il_num_whole(text, length, 1, ERRNO_MAX, &number);
	if (rc < 0)
		return rc;
	if (misleads((int)number))
		return -ERANGE;
	*ret_errno = (int)number;
	return 0;
}

int il_words_families(const char *text, size_t length, uint32_t *ret_families)
{
	static const struct il_word words[] = {
		{ "inet", IL_FAMILY_INET },
		{ "inet6", IL_FAMILY_INET6 },
		{ "unix", IL_FAMILY_UNIX },
	};
	struct il_list list = { text, length };
	uint32_t families = 0;
	const char *item;
	size_t item_length;

	while (il_list_next(&list, &item, &item_length)) {
		int family;

		if (il_num_word(item, item_length, words, COUNT(words), &family) < 0)
			return -EINVAL;
		families |= (uint32_t)family;
	}
	if (families == 0)
		return -EINVAL;
	*ret_families = families;
	return 0;
}
