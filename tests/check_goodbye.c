/* Last words on which the other side hangs up, each over any split. */
#include "conversation.h"

static const struct {
	const char *what, *bytes;
	size_t length;
} words[] = {
	{ "PostgreSQL's Terminate", "X\0\0\0\4", 5 },
	{ "MySQL's COM_QUIT", "\1\0\0\0\1", 5 },
	{ "LDAP's UnbindRequest", "\x30\x05\x02\x01\x03\x42\x00", 7 },
	{ "HTTP/2's GOAWAY", "\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0", 17 },
	{ "git's flush", "0000", 4 },
	{ "clamd's end", "zEND", 5 },
	{ "clamd's end of a line", "nEND\n", 5 },
	{ "memcached's quit", "quit\r\n", 6 },
	{ "a quit of others", "QUIT\n", 5 },
};
#define WORDS (sizeof(words) / sizeof(words[0]))

static struct talk given_an_answered_question(void)
{
	struct talk t = given_talk();
	static const char *const events[] = { "connect", "connected", "> a", "< b", NULL };

	for (int i = 0; events[i]; i++)
		talk_event(&t, events[i]);
	return t;
}

/* What comes of it if the other side hangs up after these bytes, in sends of so many each. */
static const char *hangs_up_after(struct talk *t, const char *bytes, size_t length, size_t at_once)
{
	*t = given_an_answered_question();
	talk_bytes(t, true, (const uint8_t *)bytes, length, at_once, false);
	talk_event(t, "eof");
	talk_event(t, "close");
	return t->said;
}

START_TEST(the_end_after_it_is_no_failure)
{
	struct talk t;

	for (size_t i = 0; i < WORDS; i++)
		for (size_t at_once = 1; at_once <= words[i].length; at_once++)
			ck_assert_msg(!strcmp(hangs_up_after(&t, words[i].bytes, words[i].length,
							     at_once),
					      "SUCCESS"),
				      "%s, %zu at once: %s", words[i].what, at_once, t.said);
}
END_TEST

/* `other` is words[i].bytes with something changed. */
static void is_another_word(size_t i, const char *other, size_t length)
{
	struct talk t;

	ck_assert_msg(!strcmp(hangs_up_after(&t, other, length, length), "SUCCESS ~FAILURE"),
		      "%s, changed: %s", words[i].what, t.said);
}

START_TEST(a_byte_more_makes_it_another_word)
{
	for (size_t i = 0; i < WORDS; i++) {
		char more[32] = { 0 };

		memcpy(more, words[i].bytes, words[i].length);
		is_another_word(i, more, words[i].length + 1);
	}
}
END_TEST

START_TEST(so_does_another_first_byte)
{
	for (size_t i = 0; i < WORDS; i++) {
		char other[32];

		memcpy(other, words[i].bytes, words[i].length);
		other[0] ^= 0x40;
		is_another_word(i, other, words[i].length);
	}
}
END_TEST

START_TEST(and_its_first_byte_alone)
{
	for (size_t i = 0; i < WORDS; i++)
		is_another_word(i, words[i].bytes, 1);
}
END_TEST

RUN_TESTS("goodbye", the_end_after_it_is_no_failure, a_byte_more_makes_it_another_word,
	  so_does_another_first_byte, and_its_first_byte_alone)
