/*
 * The last word of a conversation, on which the other side hangs up without an answer. Most
 * programs close after it themselves; some wait for the other side to do so (asyncpg, clamdscan),
 * and that end of file is no failure.
 */
#include "core/connection_priv.h"

#define ANY_BYTE '?'

/* The first bytes of an exchange, and how long it is as a whole. */
static const struct {
	const char *bytes;
	uint8_t count, length;
} goodbyes[] = {
	{ "X\0\0\0\4", 5, 5 },		/* PostgreSQL: Terminate */
	{ "\1\0\0\0\1", 5, 5 },		/* MySQL: COM_QUIT */
	{ "0\5\2\1?B\0", 7, 7 },	/* LDAP: UnbindRequest, of any one-byte number */
	{ "\0\0\10\7", 4, 17 },		/* HTTP/2: GOAWAY without a word more */
	{ "0000", 4, 4 },		/* git: flush, with nothing wanted */
	{ "zEND", 4, 5 },		/* clamd, either way of ending a word */
	{ "nEND\n", 5, 5 },
	{ "quit\r\n", 6, 6 },		/* memcached, beanstalkd, and whoever reads lines */
	{ "QUIT\r\n", 6, 6 },
	{ "quit\n", 5, 5 },
	{ "QUIT\n", 5, 5 },
};
#define GOODBYES (sizeof(goodbyes) / sizeof(goodbyes[0]))

/* Such a word in TLS: of a record of up to so many bytes nothing else is to be seen. */
#define TLS_GOODBYE_BYTES 40

void il_exchange_sent(struct il_connection *c, const struct il_content *content)
{
	if (c->exchange_bytes < sizeof(c->word)) {
		size_t room = sizeof(c->word) - c->exchange_bytes;
		size_t got = il_content_head(*content, c->word + c->exchange_bytes, room);

		memset(c->word + c->exchange_bytes + got, 0, room - got);
	}
	c->exchange_bytes = (uint8_t)(content->bytes < UINT8_MAX - (size_t)c->exchange_bytes
					      ? c->exchange_bytes + content->bytes
					      : UINT8_MAX);
}

static bool is_word(const struct il_connection *c, size_t which)
{
	if (c->exchange_bytes != goodbyes[which].length)
		return false;
	for (size_t i = 0; i < goodbyes[which].count; i++)
		if (goodbyes[which].bytes[i] != ANY_BYTE &&
		    (uint8_t)goodbyes[which].bytes[i] != c->word[i])
			return false;
	return true;
}

bool il_exchange_may_be_goodbye(const struct il_connection *c)
{
	if (c->protocol == IL_SPEAKS_TLS)
		return (c->tls & IL_TLS_TALKED) && c->exchange_bytes <= TLS_GOODBYE_BYTES;
	for (size_t i = 0; i < GOODBYES; i++)
		if (is_word(c, i))
			return true;
	return false;
}
