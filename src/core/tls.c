/* TLS from outside: record headers only, in both directions, until they have told all they can. */
#include "core/connection_priv.h"

enum { CCS = 0x14, ALERT = 0x15, HANDSHAKE = 0x16, APPLICATION = 0x17, LAST_TYPE = 0x18 };

#define HEADER_BYTES	  5
#define CLOSE_NOTIFY_BYTES 19	/* an encrypted alert: 2 + type + tag */
#define TICKET_BYTES_MIN  100
#define TICKETS_MAX	  4
#define TICKETS_BYTES_MAX 2048
#define HELLO_BYTES_MIN	  100 /* longer than any Finished */

/* Two answers tell all about h2: its settings, and something of the backend's. */
bool il_tls_follows(const struct il_connection *c)
{
	if (c->tls & IL_TLS_LOST)
		return false;
	return !(c->tls & IL_TLS_TALKED) || ((c->tls & IL_TLS_H2) && c->others < 2);
}

/* Is it the length of an h2 settings acknowledgement? 9 bytes, and what the cipher adds. */
static bool acknowledges(const struct il_connection *c, unsigned length)
{
	if (!(c->tls & IL_TLS_H2))
		return false;
	return c->tls & IL_TLS_13 ? length == 26 : length == 33 || length == 25;
}

enum il_sending il_tls_sends(const struct il_connection *c, const struct il_content *content)
{
	uint8_t header[HEADER_BYTES];
	unsigned length;

	if (c->protocol != IL_SPEAKS_TLS || (il_tls_follows(c) && (c->out.left || c->out.have)) ||
	    il_content_head(*content, header, sizeof(header)) < sizeof(header) || header[1] != 3)
		return IL_SENDS_BYTES;
	if (header[0] == ALERT)
		return IL_SENDS_FAREWELL;
	length = (unsigned)header[3] << 8 | header[4];
	if (content->bytes != length + HEADER_BYTES)
		return IL_SENDS_BYTES;
	if (header[0] == CCS)
		return IL_SENDS_NO_EXCHANGE;
	if (header[0] != APPLICATION)
		return IL_SENDS_BYTES;
	if (length == CLOSE_NOTIFY_BYTES)
		return IL_SENDS_FAREWELL;
	return acknowledges(c, length) && c->others > 1 ? IL_SENDS_NO_EXCHANGE : IL_SENDS_BYTES;
}

/* Reads on in one piece, to the end of the next header. type 0: this is no record. */
static bool header_ends(struct il_tls_records *r, const uint8_t **at, size_t *length)
{
	size_t skip = r->left < *length ? r->left : *length;

	r->left -= (uint16_t)skip;
	*at += skip;
	*length -= skip;
	while (*length) {
		uint8_t byte = *(*at)++;
		bool strange = (r->have == 0 && (byte < CCS || byte > LAST_TYPE)) ||
			       (r->have == 1 && byte != 3);

		(*length)--;
		if (r->have == 0)
			r->type = byte;
		r->length = (uint16_t)(r->length << 8 | byte); /* the last two stay */
		if (strange)
			r->type = 0;
		if (++r->have < HEADER_BYTES && !strange)
			continue;
		r->left = r->length;
		r->have = 0;
		r->count += r->count < UINT8_MAX;
		return true;
	}
	return false;
}

/* TLS 1.3 if the second flight begins with an application record: its Finished is hidden. */
static void flight_begins(struct il_connection *c)
{
	bool ccs = c->tls & IL_TLS_CCS;

	if (c->out.type == CCS) {
		c->tls |= IL_TLS_CCS;
	} else if (c->out.type == APPLICATION) {
		c->tls |= IL_TLS_FLIGHT | IL_TLS_13;
	} else if (c->out.type == HANDSHAKE) {
		/* Asked to try again, a 1.3 client sends a second ClientHello after it. */
		if (ccs && c->out.length >= HELLO_BYTES_MIN)
			c->tls &= (uint8_t)~IL_TLS_CCS;
		else
			c->tls |= IL_TLS_FLIGHT;
	}
}

void il_tls_sent(struct il_connection *c, struct il_content content)
{
	const uint8_t *at;
	size_t length;

	while (il_tls_follows(c) && il_content_next(&content, &at, &length)) {
		if (!at) {
			c->tls |= IL_TLS_LOST;
			return;
		}
		for (;;) {
			if (c->out.count == 1 && c->out.left)
				il_hello_read(c, at, length < c->out.left ? length : c->out.left);
			if (!header_ends(&c->out, &at, &length))
				break;
			if (!c->out.type) {
				c->tls |= IL_TLS_LOST;
				return;
			}
			if (c->in.count && !(c->tls & IL_TLS_FLIGHT))
				flight_begins(c);
			if (c->out.type == APPLICATION && c->own_records < UINT8_MAX)
				c->own_records++;
		}
	}
}

static enum il_meaning is_answer(struct il_connection *c)
{
	c->others += c->others < UINT8_MAX;
	c->tls |= IL_TLS_TALKED;
	return IL_MEANS_ANSWER;
}

/* Is a single record that may be a ticket rather an answer? Not if nothing but the Finished had
 * been sent: GnuTLS reads one ticket, asks, and reads the next. */
bool il_tls_one_answer(const struct il_connection *c)
{
	return c->tickets == 1 && !(c->tls & IL_TLS_EARLY);
}

/* The single record that might have been a ticket was an answer after all. */
void il_tls_exchange_begins(struct il_connection *c)
{
	if (c->tickets != 1)
		return;
	c->tickets = 0;
	is_answer(c);
}

static enum il_meaning record_means(struct il_connection *c)
{
	unsigned length = c->in.length;

	if (!c->in.type) {
		c->tls |= IL_TLS_LOST;
		return is_answer(c);
	}
	if (c->in.type != APPLICATION || !(c->tls & IL_TLS_FLIGHT))
		return IL_MEANS_HANDSHAKE;
	if (acknowledges(c, length))
		return IL_MEANS_NOTHING;
	if (!(c->tls & IL_TLS_13) || (c->tls & IL_TLS_TALKED) || length < TICKET_BYTES_MIN)
		goto answer;
	if (!c->tickets) {
		c->tickets = 1;
		c->ticket_bytes = c->in.length;
		if (c->own_records <= 1)
			c->tls |= IL_TLS_EARLY;
		return IL_MEANS_TICKET;
	}
	if (length == c->ticket_bytes && c->tickets < TICKETS_MAX &&
	    (c->tickets + 1U) * length <= TICKETS_BYTES_MAX) {
		c->tickets++;
		return IL_MEANS_NOTHING;
	}
answer:
	il_tls_exchange_begins(c);
	return is_answer(c);
}

enum il_meaning il_tls_received(struct il_connection *c, struct il_content content)
{
	enum il_meaning means = c->in.left ? c->in.meaning : IL_MEANS_NOTHING;
	const uint8_t *at;
	size_t length;

	while (il_content_next(&content, &at, &length)) {
		if (!at) {
			c->tls |= IL_TLS_LOST;
			return is_answer(c);
		}
		while (il_tls_follows(c) && header_ends(&c->in, &at, &length)) {
			uint8_t tickets = c->tickets;
			enum il_meaning now = record_means(c);

			c->in.meaning = (uint8_t)now;
			if (tickets == 1 && c->tickets == 2 && means == IL_MEANS_TICKET)
				means = IL_MEANS_NOTHING;
			if (now > means)
				means = now;
		}
	}
	if (c->in.have && means < IL_MEANS_PART && il_tls_follows(c))
		means = IL_MEANS_PART;
	return means == IL_MEANS_NOTHING && il_is_first(c) ? IL_MEANS_HANDSHAKE : means;
}

/* Has the program sent nothing after its handshake, and got nothing but tickets? */
bool il_tls_only_tickets(const struct il_connection *c)
{
	return c->protocol == IL_SPEAKS_TLS && (c->tls & IL_TLS_13) && c->own_records <= 1 &&
	       !(c->tls & (IL_TLS_TALKED | IL_TLS_LOST));
}

/* Does it wait, on TLS, for the first answer to records of its own? */
bool il_tls_own_records(const struct il_connection *c)
{
	return c->protocol == IL_SPEAKS_TLS && !(c->tls & (IL_TLS_TALKED | IL_TLS_LOST)) &&
	       c->own_records > (c->tls & IL_TLS_13 ? 1 : 0);
}
