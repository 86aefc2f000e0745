/* The programs' names in the header. */
#include "registry/table.h"

#include <string.h>

#define WHOLE_MARK 1 /* the last byte of a name that is there as a whole */

struct command {
	uint64_t first, second;
};

static bool claim(uint64_t *word, uint64_t wanted)
{
	uint64_t there = 0;

	return __atomic_compare_exchange_n(word, &there, wanted, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE) ||
	       there == wanted;
}

/* A place is claimed by its first half. Whoever has the same first half may give it its second: so
 * that of a process killed between the two is not lost. */
uint32_t il_table_command(const struct il_segment *segment, const char *command)
{
	char text[IL_COMMAND_BYTES] = { 0 };
	struct command wanted;

	memcpy(text, command, strnlen(command, IL_COMMAND_BYTES - 1));
	if (text[0] == 0)
		return IL_COMMANDS;
	text[IL_COMMAND_BYTES - 1] = WHOLE_MARK;
	memcpy(&wanted, text, sizeof(wanted));
	for (uint32_t i = 0; i < IL_COMMANDS; i++) {
		struct command *place = (struct command *)(void *)segment->header->commands[i];

		if (claim(&place->first, wanted.first) && claim(&place->second, wanted.second))
			return i;
	}
	return IL_COMMANDS;
}
