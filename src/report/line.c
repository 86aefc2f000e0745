#include "report/line_priv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	enum il_log_level level;
} kinds[] = {
	[IL_EVENT_STATE_CHANGE] = { "state_change", IL_LOG_WARNING },
	[IL_EVENT_CALL] = { "call", IL_LOG_DEBUG },
	[IL_EVENT_AMENDED] = { "amended", IL_LOG_DEBUG },
	[IL_EVENT_REJECTED] = { "rejected", IL_LOG_WARNING },
	[IL_EVENT_RESET] = { "reset", IL_LOG_INFO },
};

enum il_log_level il_line_level(const struct il_event *event)
{
	return event->kind < COUNT(kinds) ? kinds[event->kind].level : IL_LOG_DEBUG;
}

const char *il_line_level_name(unsigned level)
{
	static const char *const names[] = { "error", "warning", "info", "debug" };

	return level < COUNT(names) ? names[level] : "?";
}

const char *il_line_outcome_name(unsigned outcome)
{
	static const char *const names[IL_OUTCOMES] = {
		[IL_SUCCESS] = "SUCCESS",
		[IL_FAILURE] = "FAILURE",
		[IL_SLOW_SUCCESS] = "SLOW_SUCCESS",
		[IL_SLOW_FAILURE] = "SLOW_FAILURE",
	};

	return outcome < IL_OUTCOMES ? names[outcome] : "?";
}

/* Time, process and level: what every line begins with. */
static void add_head(struct il_text *text, enum il_log_format format, int64_t wall_ns, uint32_t pid,
		     enum il_log_level level)
{
	il_text_add(text, il_is_json(format) ? "{\"time\":\"" : "");
	il_text_time(text, wall_ns);
	il_text_add(text, il_is_json(format) ? "\",\"pid\":" : " interlock[");
	il_text_unsigned(text, pid);
	il_text_add(text, il_is_json(format) ? ",\"level\":\"" : "] ");
	il_text_add(text, il_line_level_name(level));
}

void il_line_event(struct il_text *text, enum il_log_format format, const struct il_line *line)
{
	unsigned kind = line->event.kind;

	if (kind >= COUNT(kinds) || text->size - text->used < 2)
		return;
	text->size--; /* of the closing brace */
	add_head(text, format, line->wall_ns, line->pid, kinds[kind].level);
	il_text_add(text, il_is_json(format) ? "\",\"event\":\"" : " ");
	il_text_add(text, kinds[kind].name);
	il_text_add(text, il_is_json(format) ? "\"" : "");
	il_line_fields(text, format, line);
	text->size++;
	il_text_add(text, il_is_json(format) ? "}" : "");
}

static void add_byte(struct il_text *text, enum il_log_format format, char byte)
{
	bool is_plain = byte >= ' ' && byte <= '~';

	if (il_is_json(format) && (!is_plain || byte == '"' || byte == '\\'))
		il_text_char(text, '\\');
	if (is_plain) {
		il_text_char(text, byte);
		return;
	}
	il_text_add(text, il_is_json(format) ? "u00" : "\\x");
	il_text_hex(text, (unsigned char)byte, 2);
}

static void add_message(struct il_text *text, enum il_log_format format, const char *message)
{
	for (; *message; message++) {
		struct il_text before = *text;

		add_byte(text, format, *message);
		if (!text->cut)
			continue;
		*text = before;
		text->at[text->used] = 0;
		break;
	}
}

void il_line_message(struct il_text *text, enum il_log_format format, int64_t wall_ns, uint32_t pid,
		     enum il_log_level level, const char *message)
{
	static const char end[] = "\"}";

	if (text->size - text->used < sizeof(end))
		return;
	text->size -= sizeof(end) - 1; /* of the end */
	add_head(text, format, wall_ns, pid, level);
	il_text_add(text, il_is_json(format) ? "\",\"event\":\"message\",\"message\":\"" : " ");
	add_message(text, format, message);
	text->size += sizeof(end) - 1;
	il_text_add(text, il_is_json(format) ? end : "");
}
