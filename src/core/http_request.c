/* HTTP/1.x in plain text, as it is asked: the request line, over any split. */
#include "core/connection_priv.h"

/* Where c->request stands: below METHOD_MAX, that many letters of the method were read. */
enum {
	METHOD_MAX = 24,
	TARGET_BEGINS = 32,
	TARGET,
	VERSION, /* and how many bytes of IL_HTTP_VERSION */
	REQUEST_OVER = 64
};


/* Two methods change what an answer means. Each is ruled out by the first letter that differs. */
static unsigned method_by(unsigned kinds, uint8_t n, uint8_t byte)
{
	static const char connect[] = "CONNECT ", head[] = "HEAD ";

	if ((kinds & IL_REQUEST_CONNECT) && byte != (uint8_t)connect[n])
		kinds &= ~(unsigned)IL_REQUEST_CONNECT;
	if ((kinds & IL_REQUEST_HEAD) && byte != (uint8_t)head[n])
		kinds &= ~(unsigned)IL_REQUEST_HEAD;
	return kinds;
}

static const uint8_t *read_method(struct il_connection *c, const uint8_t *at, const uint8_t *end)
{
	unsigned kinds = c->request ? c->request_kind : IL_REQUEST_CONNECT | IL_REQUEST_HEAD;
	uint8_t n = c->request;

	while (at < end && n < METHOD_MAX) {
		uint8_t byte = *at++;

		if (kinds)
			kinds = method_by(kinds, n, byte);
		if (byte == ' ' && n > 0)
			n = TARGET_BEGINS;
		else if ((byte >= 'A' && byte <= 'Z') || byte == '-')
			n++;
		else
			n = REQUEST_OVER;
	}
	c->request = n == METHOD_MAX ? REQUEST_OVER : n;
	c->request_kind = (uint8_t)kinds;
	return at;
}

static const uint8_t *read_version(struct il_connection *c, const uint8_t *at, const uint8_t *end)
{
	size_t have = c->request - (size_t)VERSION;
	size_t more = IL_HTTP_VERSION_BYTES - have;

	if (more > (size_t)(end - at))
		more = (size_t)(end - at);
	if (memcmp(at, &IL_HTTP_VERSION[have], more) != 0) {
		c->request = REQUEST_OVER;
	} else if (have + more < IL_HTTP_VERSION_BYTES) {
		c->request = (uint8_t)(VERSION + have + more);
	} else {
		c->request = REQUEST_OVER;
		c->request_kind |= IL_REQUEST_HTTP;
	}
	return at + more;
}

static void read_request(struct il_connection *c, const uint8_t *at, size_t length)
{
	const uint8_t *end = at + length;

	while (at < end && c->request != REQUEST_OVER) {
		if (c->request < METHOD_MAX) {
			at = read_method(c, at, end);
		} else if (c->request == TARGET_BEGINS) {
			if (*at != '/' && *at != '*')
				c->request_kind |= IL_REQUEST_ABSOLUTE;
			c->request = TARGET;
		} else if (c->request == TARGET) {
			at = memchr(at, ' ', (size_t)(end - at));
			if (!at)
				return;
			at++;
			c->request = VERSION;
		} else {
			at = read_version(c, at, end);
		}
	}
}

void il_http_request(struct il_connection *c, const struct il_content *event)
{
	struct il_content content = *event;
	const uint8_t *at;
	size_t length;

	if (c->request == REQUEST_OVER)
		return;
	at = il_content_peek(event, &length);
	if (at && !c->request && (*at < 'A' || *at > 'Z')) { /* most of what is not HTTP */
		c->request = REQUEST_OVER;
		return;
	}
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

bool il_http_has_body(const struct il_connection *c)
{
	return !is_request(c, IL_REQUEST_HEAD) && !il_http_opens_tunnel(c) && c->status >= 200 &&
	       c->status != 204 && c->status != 304;
}
