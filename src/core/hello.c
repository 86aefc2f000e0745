/* Does a ClientHello offer h2? Read as it is sent, over any split. */
#include "core/connection_priv.h"

enum {
	MESSAGE, /* type 1; then length, version and random: 37 bytes */
	SESSION,
	CIPHERS,
	COMPRESSION,
	EXTENSIONS,
	EXTENSION_TYPE,
	EXTENSION_LENGTH,
	NAMES,
	NAME_LENGTH,
	NAME,
	DONE
};

#define ALPN   16
#define NAME_H2 0x6832

static const uint8_t widths[DONE] = {
	[MESSAGE] = 1,	  [SESSION] = 1,	[CIPHERS] = 2,		[COMPRESSION] = 1,
	[EXTENSIONS] = 2, [EXTENSION_TYPE] = 2, [EXTENSION_LENGTH] = 2, [NAMES] = 2,
	[NAME_LENGTH] = 1, [NAME] = 2,
};

static void skip(struct il_hello *h, unsigned bytes, uint8_t then)
{
	h->left = (uint16_t)bytes;
	h->step = then;
}

/* One protocol name's length: only one of two bytes is worth reading. */
static void read_name(struct il_hello *h, unsigned length)
{
	if (h->ext < length + 1) {
		h->step = DONE;
		return;
	}
	h->ext -= (uint16_t)(length + 1);
	if (length == 2)
		h->step = NAME;
	else
		skip(h, length, h->ext ? NAME_LENGTH : DONE);
}

static void read_number(struct il_connection *c, unsigned value)
{
	struct il_hello *h = &c->hello;

	switch (h->step) {
	case MESSAGE:
		skip(h, 37, value == 1 ? SESSION : DONE);
		break;
	case SESSION:
	case CIPHERS:
	case COMPRESSION:
		skip(h, value, h->step + 1);
		break;
	case EXTENSION_TYPE:
		h->ext = (uint16_t)value;
		h->step = EXTENSION_LENGTH;
		break;
	case EXTENSION_LENGTH:
		if (h->ext == ALPN)
			h->step = NAMES;
		else
			skip(h, value, EXTENSION_TYPE);
		break;
	case NAMES:
		h->ext = (uint16_t)value;
		h->step = NAME_LENGTH;
		break;
	case NAME_LENGTH:
		read_name(h, value);
		break;
	case NAME:
		if (value == NAME_H2)
			c->tls |= IL_TLS_H2;
		h->step = value == NAME_H2 || !h->ext ? DONE : NAME_LENGTH;
		break;
	default:
		h->step++;
	}
}

void il_hello_read(struct il_connection *c, const uint8_t *at, size_t length)
{
	struct il_hello *h = &c->hello;

	while (length && h->step < DONE) {
		if (h->left) {
			size_t step = h->left < length ? h->left : length;

			h->left -= (uint16_t)step;
			at += step;
			length -= step;
			continue;
		}
		h->value = (uint16_t)(h->value << 8 | *at++);
		length--;
		if (++h->have == widths[h->step]) {
			unsigned value = h->value;

			h->have = 0;
			h->value = 0;
			read_number(c, value);
		}
	}
}
