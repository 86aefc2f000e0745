/* The bytes of an event, piece by piece, and what the first ones sent say. */
#include "core/connection_priv.h"

bool il_content_next(struct il_content *content, const uint8_t **ret_at, size_t *ret_length)
{
	size_t length;

	while (content->iov && content->count > 0 && content->skip >= content->iov->iov_len) {
		content->skip -= content->iov->iov_len;
		content->iov++;
		content->count--;
	}
	if (!content->bytes)
		return false;
	if (!content->iov || content->count <= 0 || !content->iov->iov_base) {
		*ret_at = NULL;
		*ret_length = content->bytes;
		content->bytes = 0;
		return true;
	}
	length = content->iov->iov_len - content->skip;
	if (length > content->bytes)
		length = content->bytes;
	*ret_at = (const uint8_t *)content->iov->iov_base + content->skip;
	*ret_length = length;
	content->skip += length;
	content->bytes -= length;
	return true;
}

void il_content_skip(struct il_content *content, size_t bytes)
{
	if (bytes > content->bytes)
		bytes = content->bytes;
	content->skip += bytes;
	content->bytes -= bytes;
}

size_t il_content_head(struct il_content content, uint8_t *to, size_t size)
{
	const uint8_t *at;
	size_t length, done = 0;

	while (done < size && il_content_next(&content, &at, &length) && at) {
		if (length > size - done)
			length = size - done;
		memcpy(to + done, at, length);
		done += length;
	}
	return done;
}

static bool begins_with(const struct il_connection *c, const char *text, uint8_t length)
{
	return memcmp(c->head, text, c->head_bytes < length ? c->head_bytes : length) == 0;
}

static bool has_mq(const struct il_connection *c)
{
	for (unsigned i = 1; i + 1 < c->head_bytes; i++)
		if (c->head[i] == 'M' && c->head[i + 1] == 'Q')
			return true;
	return false;
}

/* By what is there of the first 8 bytes. */
static enum il_protocol protocol_of(const struct il_connection *c)
{
	if (begins_with(c, "\x16\x03", 2))
		return c->head_bytes >= 2 ? IL_SPEAKS_TLS : IL_SPEAKS_UNKNOWN;
	if (begins_with(c, "SSH-", 4))
		return c->head_bytes >= 4 ? IL_SPEAKS_STREAM : IL_SPEAKS_UNKNOWN;
	if (!begins_with(c, "\x10", 1))
		return IL_SPEAKS_PLAIN;
	if (has_mq(c))
		return IL_SPEAKS_STREAM;
	return c->head_bytes < sizeof(c->head) ? IL_SPEAKS_UNKNOWN : IL_SPEAKS_PLAIN;
}

/* A TLS connection whose first byte was sent alone: it belongs to the first record. */
static void tls_begins(struct il_connection *c, uint8_t before)
{
	struct iovec first = { c->head, before };

	c->tls = c->tickets = c->others = c->own_records = 0;
	memset(&c->out, 0, sizeof(c->out));
	memset(&c->in, 0, sizeof(c->in));
	memset(&c->hello, 0, sizeof(c->hello));
	il_tls_sent(c, (struct il_content){ &first, 1, 0, before });
}

void il_content_classify(struct il_connection *c, const struct il_content *content)
{
	uint8_t before = c->head_bytes;
	size_t room = sizeof(c->head) - before;
	size_t got = il_content_head(*content, c->head + before, room);

	c->head_bytes = (uint8_t)(before + got);
	c->protocol = c->head_bytes ? (uint8_t)protocol_of(c) : IL_SPEAKS_PLAIN;
	if (c->protocol == IL_SPEAKS_UNKNOWN && got < room && got < content->bytes)
		c->protocol = IL_SPEAKS_PLAIN; /* the rest of it is not to be seen */
	if (c->protocol == IL_SPEAKS_TLS)
		tls_begins(c, before);
}
