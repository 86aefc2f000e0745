/* HTTP/1.x in plain text: the request line, the status line, and how long the body shall be. */
#include "core/connection_priv.h"

/* Where c->request stands: below METHOD_MAX, that many letters of the method were read. */
enum {
	METHOD_MAX = 24,
	TARGET_BEGINS = 32,
	TARGET,
	VERSION, /* and how many bytes of VERSION_TEXT */
	REQUEST_OVER = 64
};

#define VERSION_TEXT  "HTTP/1."
#define VERSION_BYTES 7
#define STATUS_BYTES  12 /* "HTTP/1.1 200" */

static void read_method(struct il_connection *c, uint8_t byte)
{
	static const char connect[] = "CONNECT", head[] = "HEAD";
	uint8_t n = c->request;

	if (n == 0)
		c->request_kind = IL_REQUEST_CONNECT | IL_REQUEST_HEAD;
	if (byte == ' ' && n > 0) {
		if (n != sizeof(connect) - 1)
			c->request_kind &= (uint8_t)~IL_REQUEST_CONNECT;
		if (n != sizeof(head) - 1)
			c->request_kind &= (uint8_t)~IL_REQUEST_HEAD;
		c->request = TARGET_BEGINS;
		return;
	}
	if (n >= sizeof(connect) - 1 || byte != (uint8_t)connect[n])
		c->request_kind &= (uint8_t)~IL_REQUEST_CONNECT;
	if (n >= sizeof(head) - 1 || byte != (uint8_t)head[n])
		c->request_kind &= (uint8_t)~IL_REQUEST_HEAD;
	c->request++;
	if ((byte < 'A' || byte > 'Z') && byte != '-')
		c->request = REQUEST_OVER;
	if (c->request == METHOD_MAX)
		c->request = REQUEST_OVER;
}

static void read_version(struct il_connection *c, uint8_t byte)
{
	if (byte != (uint8_t)VERSION_TEXT[c->request - VERSION]) {
		c->request = REQUEST_OVER;
		return;
	}
	if (++c->request < VERSION + VERSION_BYTES)
		return;
	c->request = REQUEST_OVER;
	c->request_kind |= IL_REQUEST_HTTP;
}

static void read_request(struct il_connection *c, const uint8_t *at, size_t length)
{
	const uint8_t *end = at + length;

	while (at < end && c->request != REQUEST_OVER) {
		if (c->request < METHOD_MAX) {
			read_method(c, *at++);
		} else if (c->request == TARGET_BEGINS) {
			if (*at != '/' && *at != '*')
				c->request_kind |= IL_REQUEST_ABSOLUTE;
			c->request = TARGET;
		} else if (c->request == TARGET) {
			at = memchr(at, ' ', (size_t)(end - at));
			if (!at++)
				return;
			c->request = VERSION;
		} else {
			read_version(c, *at++);
		}
	}
}

void il_http_request(struct il_connection *c, struct il_content content)
{
	const uint8_t *at;
	size_t length;

	while (c->request != REQUEST_OVER && il_content_next(&content, &at, &length)) {
		if (at)
			read_request(c, at, length);
		else
			c->request = REQUEST_OVER;
	}
}

static bool is_request(const struct il_connection *c, unsigned kind)
{
	return (c->request_kind & IL_REQUEST_HTTP) && (c->request_kind & kind);
}

/* Whatever the status of its answer is, a proxy gave it. */
bool il_http_is_proxys(const struct il_connection *c)
{
	return is_request(c, IL_REQUEST_CONNECT | IL_REQUEST_ABSOLUTE);
}

bool il_http_opens_tunnel(const struct il_connection *c)
{
	return is_request(c, IL_REQUEST_CONNECT) && c->status / 100 == 2;
}

/* One more byte of a status line. False: this is none. */
static bool read_status(struct il_connection *c, uint8_t byte)
{
	uint8_t n = c->status_have;
	bool digit = byte >= '0' && byte <= '9';

	if (n < VERSION_BYTES ? byte != (uint8_t)VERSION_TEXT[n] : n == 8 ? byte != ' ' : !digit)
		return false;
	if (n == VERSION_BYTES + 1)
		c->status = 0;
	else if (n > VERSION_BYTES + 1)
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

static bool is_field(const uint8_t *at, size_t length, const char *name, size_t name_length)
{
	if (length < name_length)
		return false;
	for (size_t i = 0; i < name_length; i++)
		if ((at[i] | 0x20) != (uint8_t)name[i] && at[i] != (uint8_t)name[i])
			return false;
	return true;
}

/* The body's length by a header that is whole within [at, end); -1 if that is not certain.
 * *ret_body: where the body begins. */
static int64_t body_bytes(const uint8_t *at, const uint8_t *end, const uint8_t **ret_body)
{
	static const char field[] = "content-length:", coding[] = "transfer-encoding:";
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
		if (is_field(at, length, coding, sizeof(coding) - 1))
			return -1;
		if (is_field(at, length, field, sizeof(field) - 1)) {
			if (bytes >= 0 || !reads_length(at + sizeof(field) - 1, line_end, &value))
				return -1;
			bytes = (int64_t)value;
		}
		at = line_end + 1;
	}
}

static bool has_body(const struct il_connection *c)
{
	return !is_request(c, IL_REQUEST_HEAD) && !il_http_opens_tunnel(c) && c->status >= 200 &&
	       c->status != 204 && c->status != 304;
}

/* The rest of the status line is at `at`; `behind` bytes of this event follow this piece. */
static void expect_body(struct il_connection *c, const uint8_t *at, size_t length, size_t behind)
{
	const uint8_t *end = at + length, *body = end;
	const uint8_t *line_end = memchr(at, '\n', length);
	int64_t bytes;

	if (!line_end || !has_body(c))
		return;
	bytes = body_bytes(line_end + 1, end, &body);
	if (bytes > 0 && (uint64_t)bytes > (size_t)(end - body) + behind)
		c->body_left = (uint64_t)bytes - ((size_t)(end - body) + behind);
}

enum il_meaning il_http_received(struct il_connection *c, struct il_content content)
{
	enum il_meaning means = IL_MEANS_NOTHING;
	const uint8_t *at;
	size_t length;

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
