/* A conversation: each event is a letter, some take an argument, `>` and `<` take the bytes up to
 * the next end of line. Whatever happens, each call is decided at most once, times stay sane, and
 * no byte outside an event is read. */
#include "core/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct play {
	struct il_connection c;
	struct il_facts facts;
	const uint8_t *at, *end;
	int64_t now_ns;
	int undecided; /* calls that begun and have no verdict yet */
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint8_t next(struct play *p)
{
	return p->at < p->end ? *p->at++ : 0;
}

static void hear(struct play *p, struct il_verdict verdict)
{
	bool decides = verdict.kind == IL_VERDICT_RECORD ||
		       verdict.kind == IL_VERDICT_INCONCLUSIVE ||
		       verdict.kind == IL_VERDICT_CANCELLED || verdict.kind == IL_VERDICT_DROPPED;

	if (decides && --p->undecided < 0)
		abort();
	if (verdict.duration_ns < 0 || verdict.outcome >= IL_OUTCOMES)
		abort();
	if (verdict.flags & IL_CALL_BEGINS)
		p->undecided = 1;
	if (verdict.flags & IL_LEARNT_ANSWERED)
		p->facts.dest |= IL_DEST_ANSWERED;
	if (verdict.flags & IL_LEARNT_GREETED)
		p->facts.dest |= IL_DEST_GREETED;
}

/* The bytes of a send or a receive, in memory of their own. */
static void carry(struct play *p, bool sends, bool peeks)
{
	const uint8_t *stop = memchr(p->at, '\n', (size_t)(p->end - p->at));
	size_t length = (size_t)((stop ? stop : p->end) - p->at);
	struct iovec piece = { .iov_base = malloc(length ? length : 1), .iov_len = length };

	memcpy(piece.iov_base, p->at, length);
	p->at = stop ? stop + 1 : p->end;
	if (length && sends) {
		bool asks =
			il_connection_would_begin(&p->c, &p->facts, p->now_ns, &piece, 1, length);
		struct il_verdict verdict =
			il_connection_sent(&p->c, &p->facts, p->now_ns, &piece, 1, length);

		if (asks != ((verdict.flags & IL_CALL_BEGINS) != 0))
			abort();
		hear(p, verdict);
	} else if (length) {
		hear(p,
		     il_connection_received(&p->c, &p->facts, p->now_ns, &piece, 1, length, peeks));
	}
	free(piece.iov_base);
}

static void finish(struct play *p)
{
	struct il_kernel kernel = { .tcp = next(p) % 4, .late = next(p) & 1 };

	kernel.sent_bytes = next(p);
	kernel.received_bytes = next(p);
	hear(p, il_connection_close(&p->c, &p->facts, p->now_ns, &kernel));
	if (il_connection_is_used(&p->c) || p->undecided)
		abort();
}

static void begin(struct play *p, unsigned flags)
{
	p->facts.slow_ns = next(p) & 1 ? 1000000000 : 60000000000;
	il_connection_begin(&p->c, p->now_ns, (int64_t)next(p) * 1000000, flags);
	p->undecided = 1;
}

static void fail(struct play *p, bool blocking)
{
	static const int errors[] = { EAGAIN,  EINTR, ECONNREFUSED, ECONNRESET,
				      ENOBUFS, EPIPE, EINPROGRESS };

	hear(p, il_connection_error(&p->c, &p->facts, p->now_ns, errors[next(p) % 7], blocking));
}

static void happen(struct play *p, uint8_t what)
{
	switch (what) {
	case '>':
		carry(p, true, false);
		break;
	case '<':
		carry(p, false, false);
		break;
	case 'p':
		carry(p, false, true);
		break;
	case 'o':
		hear(p, il_connection_connected(&p->c, &p->facts, p->now_ns));
		break;
	case 'e':
		fail(p, false);
		break;
	case 'E':
		fail(p, true);
		break;
	case 'w':
		il_connection_wait_begin(&p->c, p->now_ns);
		break;
	case 'W':
		hear(p, il_connection_wait_end(&p->c, &p->facts, p->now_ns, next(p) % 3));
		break;
	case 'r':
		il_connection_watch(&p->c, p->now_ns, true);
		break;
	case 'R':
		il_connection_watch(&p->c, p->now_ns, false);
		break;
	case 's':
		hear(p, il_connection_shutdown(&p->c, &p->facts, p->now_ns));
		break;
	case 'f':
		hear(p, il_connection_eof(&p->c, &p->facts, p->now_ns));
		break;
	case 't':
		hear(p, il_connection_tick(&p->c, &p->facts, p->now_ns));
		break;
	case 'x':
		finish(p);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct play p = { .at = bytes, .end = bytes + size, .now_ns = 1000000000 };

	p.facts.dest = next(&p) & 7;
	il_facts_add_status(&p.facts, 503);
	while (p.at < p.end) {
		uint8_t what = next(&p);

		if (what == '+')
			p.now_ns += (int64_t)next(&p) * 10000000;
		else if (!il_connection_is_used(&p.c))
			begin(&p, what & (IL_CONNECT_BLOCKING | IL_CONNECT_PROBE));
		else
			happen(&p, what);
		if (il_connection_waiting_since_ns(&p.c, &p.facts) < 0 ||
		    il_connection_due_ns(&p.c, &p.facts) < 0)
			abort();
	}
	if (il_connection_is_used(&p.c))
		finish(&p);
	return 0;
}
