#include "report/line_priv.h"

#include <string.h>

#include "interlock/settings.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where a line goes, and in which of its two forms. */
struct out {
	struct il_text *text;
	enum il_log_format format;
};

/* What a field has to say; nothing appended means that there is nothing. */
typedef void put_fn(const struct out *out, const struct il_line *line);

/* Words that came from outside. An escape begins with a backslash, which JSON wants doubled. */
static void put_word(const struct out *out, const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (il_is_json(out->format) && !il_text_is_name_byte(word[i]))
			il_text_char(out->text, '\\');
		il_text_name(out->text, word + i, 1);
	}
}

static void put_breaker(const struct out *out, const struct il_line *line)
{
	put_word(out, line->breaker, line->breaker_length);
}

static void put_from(const struct out *out, const struct il_line *line)
{
	il_text_add(out->text, il_state_name(line->event.from));
}

static void put_to(const struct out *out, const struct il_line *line)
{
	il_text_add(out->text, il_state_name(line->event.to));
}

/* Where the numbers speak for themselves they are the reason. */
static void put_why(const struct out *out, const struct il_line *line)
{
	if (line->event.why == IL_WHY_INCONCLUSIVE)
		il_text_add(out->text, "inconclusive");
	else if (line->event.why == IL_WHY_WAIT)
		il_text_add(out->text, "wait");
	else if (line->event.why == IL_WHY_OPERATOR)
		il_text_add(out->text, "operator");
}

static bool is_decided_by_numbers(const struct il_event *event)
{
	return event->why == IL_WHY_FAILURE_RATE || event->why == IL_WHY_SLOW_RATE ||
	       event->why == IL_WHY_CALLS;
}

static void put_share(const struct out *out, const struct il_event *event, uint32_t part)
{
	if (is_decided_by_numbers(event) && event->calls > 0)
		il_text_fixed(out->text, (double)part / event->calls, 2);
}

static void put_number(const struct out *out, const struct il_event *event, uint32_t number)
{
	if (is_decided_by_numbers(event))
		il_text_unsigned(out->text, number);
}

static void put_failure_rate(const struct out *out, const struct il_line *line)
{
	put_share(out, &line->event, line->event.failed);
}

static void put_slow_rate(const struct out *out, const struct il_line *line)
{
	put_share(out, &line->event, line->event.slow);
}

static void put_calls(const struct out *out, const struct il_line *line)
{
	put_number(out, &line->event, line->event.calls);
}

static void put_failed(const struct out *out, const struct il_line *line)
{
	put_number(out, &line->event, line->event.failed);
}

static void put_slow(const struct out *out, const struct il_line *line)
{
	put_number(out, &line->event, line->event.slow);
}

static void put_retry_after(const struct out *out, const struct il_line *line)
{
	if (line->event.to == IL_OPEN && line->event.retry_after_ns >= 0)
		il_text_duration(out->text, line->event.retry_after_ns);
}

static void put_count(const struct out *out, const struct il_line *line)
{
	il_text_unsigned(out->text, line->count);
}

static void put_outcome(const struct out *out, const struct il_line *line)
{
	il_text_add(out->text, il_line_outcome_name(line->event.outcome));
}

static void put_duration(const struct out *out, const struct il_line *line)
{
	if (line->duration_ns >= 0)
		il_text_duration_short(out->text, line->duration_ns);
}

static void put_seen(const struct out *out, const struct il_line *line)
{
	put_word(out, line->seen, strlen(line->seen));
}

static void put_phase(const struct out *out, const struct il_line *line)
{
	put_word(out, line->phase, strlen(line->phase));
}

static void put_address(const struct out *out, const struct il_line *line)
{
	put_word(out, line->address, strlen(line->address));
}

static void put_by(const struct out *out, const struct il_line *line)
{
	put_word(out, line->by, strlen(line->by));
}

#define STATE_CHANGE (1U << IL_EVENT_STATE_CHANGE)
#define ENDED        (1U << IL_EVENT_CALL | 1U << IL_EVENT_AMENDED)
#define REJECTED     (1U << IL_EVENT_REJECTED)
#define RESET        (1U << IL_EVENT_RESET)
#define EVERY        (STATE_CHANGE | ENDED | REJECTED | RESET)

/* In the order of the line. */
static const struct field {
	const char *key;
	put_fn *put;
	unsigned kinds;
	bool is_number; /* JSON: without quotes */
} fields[] = {
	{ "breaker", put_breaker, EVERY, false },
	{ "from", put_from, STATE_CHANGE, false },
	{ "to", put_to, STATE_CHANGE, false },
	{ "why", put_why, STATE_CHANGE, false },
	{ "failure_rate", put_failure_rate, STATE_CHANGE, true },
	{ "slow_rate", put_slow_rate, STATE_CHANGE, true },
	{ "calls", put_calls, STATE_CHANGE, true },
	{ "failed", put_failed, STATE_CHANGE, true },
	{ "slow", put_slow, STATE_CHANGE, true },
	{ "retry_after", put_retry_after, STATE_CHANGE, false },
	{ "state", put_to, REJECTED, false },
	{ "count", put_count, REJECTED, true },
	{ "outcome", put_outcome, ENDED, false },
	{ "duration", put_duration, ENDED, false },
	{ "seen", put_seen, ENDED, false },
	{ "phase", put_phase, ENDED, false },
	{ "address", put_address, ENDED, false },
	{ "by", put_by, RESET | STATE_CHANGE, false },
};

static void add_field(struct il_text *text, enum il_log_format format, const struct field *field,
		      const struct il_line *line)
{
	struct out out = { text, format };
	struct il_text before = *text;
	const char *quote = il_is_json(format) && !field->is_number ? "\"" : "";

	il_text_add(text, il_is_json(format) ? ",\"" : " ");
	il_text_add(text, field->key);
	il_text_add(text, il_is_json(format) ? "\":" : "=");
	il_text_add(text, quote);

	size_t start = text->used;

	field->put(&out, line);

	bool is_empty = text->used == start;

	il_text_add(text, quote);
	if (is_empty || text->cut) {
		*text = before;
		text->at[text->used] = 0;
	}
}

void il_line_fields(struct il_text *text, enum il_log_format format, const struct il_line *line)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (fields[i].kinds >> line->event.kind & 1)
			add_field(text, format, &fields[i], line);
	}
}
