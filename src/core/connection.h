/*
 * One connection, from connect() to close(): what the hooks saw goes in as events, what it means
 * for the breaker comes out as verdicts by value.
 *
 * The words. An *exchange* begins with connect(), later with the first byte sent after an answer;
 * it is *open* until the first byte comes back. The *opening* is the first exchange and those that
 * follow within 100 ms of the last byte received, at most 16; it is one call. Each later exchange
 * is a call of its own. There is one current call at a time: a verdict is always about that one,
 * and the caller keeps its ticket and handle until IL_CALL_BEGINS says that a new one took its
 * place. connect() begins the first call; the caller has asked for admission by then.
 *
 * The life of a call: at most one of RECORD, INCONCLUSIVE, CANCELLED, DROPPED, and after a RECORD
 * any number of AMENDs. il_connection_close ends what is still undecided. A call that was not
 * admitted (an exchange while the breaker is not closed) gets the same verdicts; the caller, who
 * knows, throws them away.
 *
 * A probe (IL_CONNECT_PROBE) is recorded when its opening is over, not at its first answer.
 *
 * Pure: no clock, system call, memory or lock. The struct is plain data, all zero is "unused". The
 * caller serialises all access to one struct; otherwise any thread and any signal handler may call.
 * No function can fail or keep a pointer. Bytes are looked at only during the call.
 *
 * Time is CLOCK_MONOTONIC in nanoseconds, > 0. A time before an earlier one counts as that one.
 *   begin, connected, sent, received, wait_begin, wait_end, watch, shutdown, eof, error, close
 *   need the time at which the event happened, read after the system call (begin, wait_begin:
 *   before it).
 * Where il_connection_is_quiet says so, no event needs a time any more: pass 0.
 */
#ifndef CORE_CONNECTION_H
#define CORE_CONNECTION_H

#include "core/outcome.h"

#include <sys/uio.h>

/* What the caller knows of the destination at the moment of the event. */
enum {
	IL_DEST_ANSWERED = 1, /* has answered anyone */
	IL_DEST_GREETED = 2,  /* has spoken before the program did */
	IL_DEST_ONEWAY = 4    /* the operator says that no answer is to be expected */
};
struct il_facts {
	int64_t slow_ns; /* slow_call_duration_threshold, > 0 */
	uint32_t dest;	 /* IL_DEST_ bits; what a verdict lets learn must be set from then on */
	uint32_t reserved;
	uint64_t http_failure[8]; /* bit (status - 100), 100..599: these statuses are failures */
};

void il_facts_add_status(struct il_facts *facts,
			 unsigned status); /* others than 100..599: ignored */
bool il_facts_has_status(const struct il_facts *facts, unsigned status);

/* Followed in one direction of a TLS connection. */
struct il_tls_records {
	uint16_t left;	/* bytes of the current record still to come */
	uint16_t length; /* of the current record */
	uint8_t have;	/* bytes of its header so far, 0..5 */
	uint8_t type;
	uint8_t count;	 /* complete headers seen, at most 255 */
	uint8_t meaning; /* of the current record: enum il_meaning */
};

/* Where a ClientHello is being read; see hello.c. */
struct il_hello {
	uint8_t step;
	uint8_t have;
	uint16_t value, left, ext;
};

/* Private to the sources of a connection and their tests: read it through the functions. */
struct il_connection {
	int64_t begun_ns;      /* connect(), or the first byte of the current exchange */
	int64_t connecting_ns; /* look-up and connecting: a part of the first exchange */
	int64_t connected_ns;
	int64_t sent_ns;     /* the last byte sent; before any, when it was connected */
	int64_t received_ns; /* the last byte received, 0: none */
	int64_t answer_ns;   /* first byte of an answer whose status line is not complete */
	int64_t longest_ns;  /* the longest exchange of the current call */
	int64_t strong_since_ns, strong_ns; /* running since (0: not), ended ones since the last byte */
	int64_t weak_since_ns, weak_ns;
	uint64_t sent_bytes, received_bytes; /* as hooks saw them */
	uint64_t peeked_bytes;		     /* at the head of what is to be read, already seen */
	uint64_t body_left;		     /* of an HTTP answer, still to come */

	uint8_t state;	 /* enum in connection_priv.h; 0: unused */
	uint8_t exchanges; /* of the opening, 1..16 */
	uint8_t outcome; /* enum il_outcome of the current call, so far */
	uint8_t call;	 /* enum in connection_priv.h: how far the current call is decided */
	uint8_t protocol; /* enum in connection_priv.h: what the first bytes say it speaks */
	uint8_t head_bytes; /* how many of head[] are there */
	uint8_t head[8];    /* the first bytes sent, 8 at most */
	bool open;	    /* the current exchange is unanswered */
	bool probe;
	bool shut;	 /* the program shut its writing side */
	bool farewell;	 /* it has said good-bye */
	bool ran_out;	 /* the last strong wait came back empty or never */
	bool gave_up;	 /* one that ran out was followed by another send */
	bool charged;	 /* the current exchange; connecting is one of its own */
	uint8_t exchange_bytes; /* sent in the current exchange of the opening, at most 255 */
	uint8_t word[8];	/* its first bytes */
	bool fast;	 /* bytes may go before it is connected */
	bool deferred;	 /* and none has: nothing is under way */

	uint8_t request;      /* http_request.c: how far the request line was read */
	uint8_t request_kind; /* http_request.c: bits */
	uint8_t status_have;  /* http_answer.c: bytes of the status line so far, 0..12 */
	uint8_t skip;	      /* http_answer.c: within the header of a 1xx answer */
	uint16_t status;

	uint8_t tls;	     /* tls.c: bits */
	uint8_t tickets;     /* records that may be tickets */
	uint16_t ticket_bytes; /* the length of each */
	uint8_t others;	     /* records received besides handshake, tickets, acknowledgements */
	uint8_t own_records; /* application records sent, at most 255 */
	struct il_tls_records out, in;
	struct il_hello hello;
};

/* ---- connecting ---- */

enum {
	IL_CONNECT_BLOCKING = 1, /* connect() blocks: a strong wait begins with it */
	IL_CONNECT_PROBE = 2,
	IL_CONNECT_FAST = 4 /* fast open: bytes sent do not show that it is connected */
};

/*
 * An attempt to connect was admitted and is about to be made. Whatever the struct held is forgotten
 * (call il_connection_close first if it was in use). lookup_ns >= 0: how long the look-up took that
 * this attempt has to bear. A connect() repeated while one is pending is no event.
 */
void il_connection_begin(struct il_connection *c, int64_t now_ns, int64_t lookup_ns,
			 unsigned flags);

/*
 * The attempt succeeded and the program has learnt it: connect() returned 0 or EISCONN, SO_ERROR
 * said 0 and the kernel says established. Bytes received imply it, and bytes sent, unless they may
 * go with the SYN (IL_CONNECT_FAST). Never a RECORD: a connection alone is no answer. Nothing if it
 * was connected already.
 */
struct il_verdict il_connection_connected(struct il_connection *c, const struct il_facts *facts,
					  int64_t now_ns);

/*
 * An errno that the program got: from connect(), from a repeated connect(), as SO_ERROR (not 0),
 * from a send or a receive, at any time. `blocking`: the call was one that blocks (a blocking
 * socket without MSG_DONTWAIT): a pending errno then means that the wait ran out. A running strong
 * wait ends. While connecting, a verdict of phase CONNECT may first be held back: see attempts.h.
 */
struct il_verdict il_connection_error(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns, int err, bool blocking);

/* connect() said 0, but the kernel put the attempt off until the first send: nothing is under way,
 * so that no waiting counts, and closing it tells nothing. */
void il_connection_defer(struct il_connection *c, int64_t now_ns);

/* That send is about to be made: the attempt begins. */
void il_connection_resume(struct il_connection *c, int64_t now_ns, bool blocking);

/* ---- bytes ---- */

/*
 * `bytes` > 0 were accepted for sending. They are the first `bytes` of the `count` pieces at iov;
 * iov == NULL: not to be seen (sendfile, splice). Fewer pieces than bytes is allowed: the rest is
 * then not to be seen.
 */
struct il_verdict il_connection_sent(struct il_connection *c, const struct il_facts *facts,
				     int64_t now_ns, const struct iovec *iov, int count,
				     size_t bytes);

/* Would sending these bytes now begin a call of its own? For those who want to ask for admission
 * before a send on an established connection. Changes nothing. */
bool il_connection_would_begin(const struct il_connection *c, const struct il_facts *facts,
			       int64_t now_ns, const struct iovec *iov, int count, size_t bytes);

/* `bytes` > 0 were received (not 0: that is il_connection_eof). peek: MSG_PEEK, they will come
 * again. A running strong wait ends. Otherwise as il_connection_sent. */
struct il_verdict il_connection_received(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns, const struct iovec *iov, int count,
					 size_t bytes, bool peek);

/* A receive returned 0 although room was given: the end of file. A running strong wait ends. */
struct il_verdict il_connection_eof(struct il_connection *c, const struct il_facts *facts,
				    int64_t now_ns);

/* ---- waiting ---- */

/*
 * A strong wait begins: the program is about to block in a receive, to poll or select for input on
 * it, or to wait (blocking or by poll) for connecting to finish. One that begins while another
 * still runs means that the former never returned (a longjmp) or that two threads wait: both were
 * waiting.
 */
void il_connection_wait_begin(struct il_connection *c, int64_t now_ns);

enum il_wait_end {
	IL_WAIT_READY, /* something came for this connection, or another descriptor was ready */
	IL_WAIT_EMPTY, /* 0, EAGAIN of a blocking call, EINTR */
	IL_WAIT_LOST   /* it never returned: noticed when its thread did something else */
};

/* A strong wait ended. Received bytes, end of file and errors end it by themselves, so a blocking
 * receive needs no such event; poll and select do. May say what il_connection_tick says. */
struct il_verdict il_connection_wait_end(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns, enum il_wait_end how);

/* A weak wait: registered with epoll for input (while connecting: for anything), or no more. */
void il_connection_watch(struct il_connection *c, int64_t now_ns, bool registered);

/* ---- the end ---- */

/* The program shut its writing side (SHUT_WR or SHUT_RDWR). */
struct il_verdict il_connection_shutdown(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns);

/* What the kernel says at the moment of closing: stdio, splice and children bypass the hooks. */
enum il_tcp { IL_TCP_UNKNOWN, IL_TCP_CONNECTING /* SYN_SENT */, IL_TCP_CONNECTED, IL_TCP_FAILED };
struct il_kernel {
	uint8_t tcp; /* enum il_tcp. FAILED: state CLOSE. UNKNOWN: no TCP, or not to be had */
	bool late;   /* the close itself was not seen: the number was found to be another socket.
		      * Waits that were running then prove nothing */
	uint64_t sent_bytes;	 /* of data, 0 if not known; TCP_INFO counts a FIN as a byte: */
	uint64_t received_bytes; /* take it off, or a mere end of file passes for an answer */
	int64_t sent_ago_ns;	 /* since the last data was sent, 0: not known */
};

/* The program closed it (the last of its dups), exited, or it was found gone. Decides what is
 * undecided; the struct is unused afterwards. kernel may be NULL: nothing is known. */
struct il_verdict il_connection_close(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns, const struct il_kernel *kernel);

/* In a forked child, before any other event: the copy owns no open exchange and no call. What it
 * begins itself is judged. */
void il_connection_forked(struct il_connection *c);

/* ---- looking at the clock ---- */

/* What time alone decides: the pause of 100 ms that ends a probe's opening, and the charge of a
 * call that hangs. Harmless at any time. */
struct il_verdict il_connection_tick(struct il_connection *c, const struct il_facts *facts,
				     int64_t now_ns);

/* From when on il_connection_tick will have something to say if nothing else happens; INT64_MAX:
 * never. */
int64_t il_connection_due_ns(const struct il_connection *c, const struct il_facts *facts);

/* For its lease: since when the program has been waiting for the current exchange, in the sense
 * that counts; 0: it does not wait. Ends of earlier waits in a row are taken in. */
int64_t il_connection_waiting_since_ns(const struct il_connection *c, const struct il_facts *facts);

/* For its lease: a probe that has succeeded so far and has nothing unanswered, since when (its last
 * byte received), and with what outcome. 100 ms later that is its verdict, whoever sees it. 0: it
 * is no such probe; ret_outcome is untouched then. */
int64_t il_connection_held_since_ns(const struct il_connection *c, enum il_outcome *ret_outcome);

/* ---- looks ---- */

static inline bool il_connection_is_used(const struct il_connection *c)
{
	return c->state != 0;
}

/* Is its current exchange unanswered? Such a one, and an undecided probe, has a lease. */
static inline bool il_connection_is_open(const struct il_connection *c)
{
	return c->open;
}

static inline bool il_connection_is_probe(const struct il_connection *c)
{
	return c->probe; /* and its verdict is not given yet */
}

/* Is it registered with epoll, as il_connection_watch was told last? */
static inline bool il_connection_is_watched(const struct il_connection *c)
{
	return c->weak_since_ns != 0;
}

static inline int64_t il_connection_begun_ns(const struct il_connection *c)
{
	return c->begun_ns;
}

/* Put off by the kernel, as il_connection_defer was told? */
static inline bool il_connection_is_deferred(const struct il_connection *c)
{
	return c->deferred;
}

/* How many bytes have been taken out of the socket, as hooks saw them. */
static inline uint64_t il_connection_taken_bytes(const struct il_connection *c)
{
	return c->received_bytes - c->peeked_bytes;
}

bool il_connection_is_connecting(const struct il_connection *c);

/* Nothing that can still happen matters, save close: a stream after its first answer, a good-bye
 * said, an end seen. Events may be left out. */
bool il_connection_is_quiet(const struct il_connection *c);

#endif
