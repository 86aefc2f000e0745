/* A control file. Whatever it says, it is read to its end, its bad lines are told in order, and
 * what it orders of a destination is within bounds and passes the settings' check. */
#include "config/rules.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 512

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void say(void *context, uint32_t line, const char *why)
{
	uint32_t *last = context;

	if (line < *last || strlen(why) >= IL_RULE_WHY_MAX || strchr(why, '\n'))
		abort();
	*last = line;
}

static void check_connect(const struct il_rules *rules, const char *name)
{
	struct il_rules_destination destination;
	struct il_address address;
	bool known = il_address_parse(&address, "10.2.0.7", 8) == 0;

	il_rules_at_connect(rules, name, strlen(name), known ? &address : NULL, &destination);
	if (destination.name &&
	    (!destination.name_length || destination.name_length > IL_ALIAS_MAX))
		abort();
}

static void check_orders(const struct il_rules *rules, const char *name)
{
	struct il_settings base = il_settings_default();
	struct il_orders orders;
	char why[256];

	il_rules_about(rules, name, strlen(name), &base, &orders);
	if ((orders.classes & IL_RULE_SETTING) &&
	    il_settings_check(&orders.settings, why, sizeof(why)))
		abort();
	if ((orders.classes & IL_RULE_RESET) && !orders.reset)
		abort();
	if ((orders.classes & IL_RULE_STATE) &&
	    (orders.state == IL_OPEN || orders.state == IL_HALF_OPEN || orders.state >= IL_STATES))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const names[] = { "db.internal:5432", "10.2.0.7:443",
					     "[2001:db8::1]:443", "unix:/run/a.sock" };
	static struct il_rule room[ROOM];
	struct il_rules rules = { .rules = room, .room = ROOM };
	uint32_t last = 0;
	struct il_rules_sink sink = { .say = say, .context = &last };
	char *text = malloc(size ? size : 1); /* to the byte: a read beyond it is found */

	memcpy(text, bytes, size);
	il_rules_read(&rules, text, size, sink);
	if (rules.count > ROOM)
		abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check_connect(&rules, names[i]);
		check_orders(&rules, names[i]);
	}
	free(text);
	return 0;
}
