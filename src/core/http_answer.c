/* HTTP/1.x in plain text, as it is answered: the status line, and how long the body shall be. */
#include "core/connection_priv.h"

#define STATUS_BYTES 12 /* "HTTP/1.1 200" */
#define LENGTH_BYTES 15 /* "Content-Length:" */
#define CODING_BYTES 18 /* "Transfer-Encoding:" */

/* One more byte of a status line. False: this is none. */
static bool read_status(struct il_connection *c, uint8_t byte)
{
	uint8_t n = c->status_have;
	bool digit = byte >= '0' && byte <= '9';

	if (n < IL_HTTP_VERSION_BYTES ? byte != (uint8_t)IL_HTTP_VERSION[n]
	    : n == 8                  ? byte != ' '
				      : !digit)
		return false;
	if (n == IL_HTTP_VERSION_BYTES + 1)
		c->status = 0;
	else if (n > IL_HTTP_VERSION_BYTES + 1)
		c->status = (uint16_t)(c->status * 10 + (byte - '0'));
	c->status_have++;
	return true;
}

/* Within the header of a 1xx answer, to the empty line that ends it. */
enum { SKIP_NOT, SKIP_LINE, SKIP_LINE_BEGINS };

static void skip_header(struct il_connection *c, uint8_t byte)
{
	if (byte == '\n')
		c->skip = c->skip == SKIP_LINE_BEGINS ? SKIP_NOT : SKIP_LINE_BEGINS;
	else if (byte != '\r')
		c->skip = SKIP_LINE;
}

/* A status line that came whole, as nearly all do: what read_status would make of it. */
static bool reads_status_whole(struct il_connection *c, const uint8_t *at, size_t length)
{
	unsigned status = 0;

	if (length < STATUS_BYTES || memcmp(at, IL_HTTP_VERSION, IL_HTTP_VERSION_BYTES) != 0 ||
	    (unsigned)(at[IL_HTTP_VERSION_BYTES] - '0') > 9 || at[IL_HTTP_VERSION_BYTES + 1] != ' ')
		return false;
	for (unsigned i = IL_HTTP_VERSION_BYTES + 2; i < STATUS_BYTES; i++) {
		if ((unsigned)(at[i] - '0') > 9)
			return false;
		status = status * 10 + (unsigned)(at[i] - '0');
	}
	c->status = (uint16_t)status;
	return status / 100 != 1;
}

/* Reads to the end of the status line of an answer. True: the meaning is decided, and *at stands
 * behind the 12 bytes, or at the byte that made it no HTTP. */
static bool status_ends(struct il_connection *c, const uint8_t **at, size_t *length,
			enum il_meaning *ret_means)
{
	for (; *length; (*at)++, (*length)--) {
		if (c->skip) {
			skip_header(c, **at);
			continue;
		}
		if (!read_status(c, **at)) {
			c->status_have = 0;
			*ret_means = IL_MEANS_ANSWER;
			return true;
		}
		if (c->status_have < STATUS_BYTES)
			continue;
		c->status_have = 0;
		if (c->status / 100 != 1 || c->status == 101) {
			*ret_means = IL_MEANS_HTTP;
			return true;
		}
		c->skip = SKIP_LINE;
	}
	return false;
}

/* "Content-Length: N" of one header line, at the N. False: it is not one. */
static bool reads_length(const uint8_t *at, const uint8_t *end, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at == end || end - at > 18)
		return false;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		bytes = bytes * 10 + (*at - '0');
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	if (at < end)
		return false;
	*ret_bytes = bytes;
	return true;
}

/* Eight letters at once, in either case; `small` has none that the mask would change. */
static bool are_letters(const uint8_t *at, const char *small)
{
	uint64_t a, b;

	memcpy(&a, at, sizeof(a));
	memcpy(&b, small, sizeof(b));
	return (a | 0x2020202020202020U) == b;
}

static bool is_length(const uint8_t *at, size_t length)
{
	return length >= LENGTH_BYTES && are_letters(at, "content-") && are_letters(at + 7, "-length:");
}

static bool is_coding(const uint8_t *at, size_t length)
{
	return length >= CODING_BYTES && are_letters(at, "transfer") &&
	       are_letters(at + 8, "-encodin") && are_letters(at + 10, "ncoding:");
}

/* The body's length by a header that is whole within [at, end); -1 if that is not certain.
 * *ret_body: where the body begins. */
static int64_t body_bytes(const uint8_t *at, const uint8_t *end, const uint8_t **ret_body)
{
	int64_t bytes = -1;

	for (;;) {
		const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length;
		uint64_t value;

		if (!line_end)
			return -1;
		length = (size_t)(line_end - at);
		if (length == 0 || (length == 1 && *at == '\r')) {
			*ret_body = line_end + 1;
			return bytes;
		}
		if (is_coding(at, length))
			return -1;
		if (is_length(at, length)) {
			if (bytes >= 0 || !reads_length(at + LENGTH_BYTES, line_end, &value))
				return -1;
			bytes = (int64_t)value;
		}
		at = line_end + 1;
	}
}

/* The rest of the status line is at `at`; `behind` bytes of this event follow this piece. */
static void expect_body(struct il_connection *c, const uint8_t *at, size_t length, size_t behind)
{
	const uint8_t *end = at + length, *body = end;
	const uint8_t *line_end = memchr(at, '\n', length);
	int64_t bytes;

	if (!line_end || !il_http_has_body(c))
		return;
	bytes = body_bytes(line_end + 1, end, &body);
	if (bytes > 0 && (uint64_t)bytes > (size_t)(end - body) + behind)
		c->body_left = (uint64_t)bytes - ((size_t)(end - body) + behind);
}

enum il_meaning il_http_received(struct il_connection *c, const struct il_content *event)
{
	struct il_content content = *event;
	enum il_meaning means = IL_MEANS_NOTHING;
	const uint8_t *at;
	size_t length;

	at = c->status_have || c->skip ? NULL : il_content_peek(event, &length);
	if (at && *at != IL_HTTP_VERSION[0])
		return IL_MEANS_ANSWER;
	if (at && reads_status_whole(c, at, length)) {
		expect_body(c, at + STATUS_BYTES, length - STATUS_BYTES, content.bytes - length);
		return IL_MEANS_HTTP;
	}
	while (il_content_next(&content, &at, &length)) {
		bool began_before = c->status_have > 0;

		if (!at)
			return IL_MEANS_ANSWER;
		if (!status_ends(c, &at, &length, &means))
			continue;
		if (means == IL_MEANS_HTTP && !began_before)
			expect_body(c, at, length, content.bytes);
		return means;
	}
	return c->status_have ? IL_MEANS_PART : IL_MEANS_NOTHING;
}
