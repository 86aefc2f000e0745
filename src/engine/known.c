/*
 * What the rules say about a destination is asked at each of its connects, and going through them
 * takes as long as there are rules: so the answers are remembered. One is a word: 48 bits of a hash
 * of the destination and the rules' version, and what came of it. Whoever overwrites it takes
 * nothing away but time.
 */
#include "base/hash.h"
#include "engine/steer.h"
#include "engine/steer_priv.h"

#include <string.h>

#define KNOWN      UINT64_C(1)
#define IGNORED    UINT64_C(2)
#define ONEWAY     UINT64_C(4)
#define RULE_SHIFT 3 /* 1 + index of the rule with the name: 13 bits */
#define RULE_MAX   UINT64_C(8191)
#define HASH       (~UINT64_C(0xffff))

#define SAYS (IL_RULE_IGNORE | IL_RULE_NAME | IL_RULE_ONEWAY)

static uint64_t hash_of(uint64_t version, const char *name, size_t length,
			const struct il_address *address)
{
	uint64_t hash = il_hash_word(version) + il_hash_bytes(name, length);

	return address ? il_hash_word(hash) + il_hash_bytes(address, sizeof(*address)) : hash;
}

static uint64_t find_out(const struct il_rules *rules, const char *name, size_t length,
			 const struct il_address *address)
{
	struct il_rules_destination found;

	il_rules_at_connect(rules, name, length, address, &found);
	return KNOWN | (found.ignored ? IGNORED : 0) | (found.oneway ? ONEWAY : 0) |
	       (found.name_rule <= RULE_MAX ? (uint64_t)found.name_rule << RULE_SHIFT : 0);
}

static void copy_name(const struct il_rules *rules, uint64_t rule, char *ret_name)
{
	const char *name;
	size_t length;

	ret_name[0] = 0;
	if (!rule || !il_rules_name(rules, (uint32_t)rule - 1, &name, &length) ||
	    length > IL_ALIAS_MAX)
		return;
	memcpy(ret_name, name, length);
	ret_name[length] = 0;
}

bool il_steer_destination(struct il_engine *engine, const char *name, size_t length,
			  const struct il_address *address, int64_t now_ns,
			  struct il_steer_destination *ret_destination)
{
	struct il_control_version *version;
	_Atomic uint64_t *place;
	uint64_t hash, known;

	if (!engine->steer || !il_steer_is_ours(engine))
		return false;
	version = il_control_pin(&engine->steer->control, now_ns);
	if (!version)
		return false;
	if (!(version->rules.classes & SAYS)) {
		il_control_unpin(version);
		return false;
	}
	hash = hash_of(version->id, name, length, address);
	place = &engine->steer->known[hash % IL_STEER_KNOWN];
	known = atomic_load_explicit(place, memory_order_relaxed);
	if (!(known & KNOWN) || (known ^ hash) & HASH) {
		known = (hash & HASH) | find_out(&version->rules, name, length, address);
		atomic_store_explicit(place, known, memory_order_relaxed);
	}
	ret_destination->ignored = known & IGNORED;
	ret_destination->oneway = known & ONEWAY;
	copy_name(&version->rules, known >> RULE_SHIFT & RULE_MAX, ret_destination->name);
	il_control_unpin(version);
	return true;
}
