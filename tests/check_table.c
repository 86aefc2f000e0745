/* Names to slots: finding, making, and who makes room. */
#include "registry_rig.h"

static struct il_recipe recipe;

static void given_a_table(void)
{
	given_a_place();
	segment = opened_as_file("app"); /* of 8 breakers */
	recipe = (struct il_recipe){ .settings = &settings };
	memset(recipe.http_failure, 0x5a, sizeof(recipe.http_failure));
}

/* Eight breakers, host0 used longest ago. */
static void given_a_full_table(void)
{
	char name[32];

	given_a_table();
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "host%d:80", i);
		ck_assert_int_eq(made(name, NOW + i), i);
	}
}

static int found(const char *name)
{
	uint64_t incarnation;

	return il_table_find(&segment, name, &incarnation);
}

static void given_it_is_open(int place, int64_t now_ns)
{
	for (int i = 0; i < 10; i++)
		ck_assert(recorded(place, IL_FAILURE, now_ns));
	ck_assert_uint_eq(IL_COMMIT_STATE(il_slot_word(&segment.slots[place])), IL_OPEN);
}

/* A probe, or an ordinary call, that is under way. */
static struct il_lease_ref admitted(int place, bool probe, int64_t now_ns)
{
	struct il_change change;
	struct il_lease_ref ref;

	if (!probe)
		return il_lease_open(&segment.slots[place], &self, 0, now_ns);
	ck_assert_int_eq(il_slot_begin(&segment, &self, (uint32_t)place,
				       segment.slots[place].incarnation, &change),
			 0);
	ck_assert(il_breaker_acquire(&change.journal.breaker, &change.settings, now_ns,
				     &change.effects));
	ref = il_lease_open_probe(&change, now_ns);
	ck_assert_uint_ne(ref.place, 0);
	ck_assert(il_slot_commit(&change));
	return ref;
}

START_TEST(a_breaker_that_was_made_is_found)
{
	uint64_t made_as, found_as;

	given_a_table();
	recipe.name = "db.internal:5432";
	int place = il_table_make(&segment, &self, &recipe, NOW, &made_as);
	ck_assert_int_eq(place, 0);
	ck_assert_int_eq(il_table_find(&segment, "db.internal:5432", &found_as), 0);
	ck_assert_uint_eq(made_as, found_as);
	ck_assert_uint_eq(made_as, 1);
	ck_assert_int_eq(found("db.internal:5433"), -ENOENT);
	then_the_place_is_removed();
}
END_TEST

START_TEST(making_it_again_finds_it)
{
	given_a_table();
	ck_assert_int_eq(made("a:1", NOW), 0);
	ck_assert_int_eq(made("b:1", NOW), 1);
	ck_assert_int_eq(made("a:1", NOW), 0);
	ck_assert_uint_eq(segment.slots[0].incarnation, 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(names_of_every_length_are_told_apart)
{
	char name[IL_NAME_BYTES + 1];

	given_a_place();
	struct il_segment_options options = options_of("app");
	options.breakers = 300;
	ck_assert_int_eq(il_segment_open(&segment, &options, &self, why, sizeof(why)), 0);
	for (size_t length = 1; length < IL_NAME_BYTES; length++) {
		memset(name, 'x', length);
		name[length] = 0;
		ck_assert_int_eq(made(name, NOW), (int)length - 1);
	}
	for (size_t length = 1; length < IL_NAME_BYTES; length++) {
		memset(name, 'x', length);
		name[length] = 0;
		ck_assert_int_eq(found(name), (int)length - 1);
		ck_assert_str_eq(segment.slots[length - 1].name, name);
	}
	then_the_place_is_removed();
}
END_TEST

START_TEST(names_that_are_empty_or_too_long_have_no_breaker)
{
	char name[IL_NAME_BYTES + 1];

	given_a_table();
	memset(name, 'x', sizeof(name));
	name[IL_NAME_BYTES] = 0;
	ck_assert_int_eq(made(name, NOW), -EINVAL);
	ck_assert_int_eq(made("", NOW), -EINVAL);
	ck_assert_int_eq(found(name), -ENOENT);
	ck_assert_int_eq(found(""), -ENOENT);
	then_the_place_is_removed();
}
END_TEST

START_TEST(two_names_with_one_hash_are_two_breakers)
{
	given_a_table();
	ck_assert_int_eq(made("a:1", NOW), 0);
	ck_assert_int_eq(made("b:1", NOW), 1);
	segment.hashes[0] = segment.hashes[1];
	ck_assert_int_eq(found("b:1"), 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_new_breaker_is_as_its_recipe_says)
{
	uint64_t incarnation;

	given_a_table();
	settings.window_size = 7;
	settings.minimum_number_of_calls = 3;
	settings.initial_state = IL_METRICS_ONLY;
	recipe.name = "db:1";
	ck_assert_int_eq(il_table_make(&segment, &self, &recipe, NOW, &incarnation), 0);
	const struct il_slot *slot = &segment.slots[0];

	ck_assert_mem_eq(&slot->settings, &settings, sizeof(settings));
	ck_assert_mem_eq(slot->http_failure, recipe.http_failure, sizeof(slot->http_failure));
	ck_assert_uint_eq(IL_COMMIT_STATE(slot->commit), IL_METRICS_ONLY);
	ck_assert_uint_eq(slot->breaker.state, IL_METRICS_ONLY);
	ck_assert_uint_eq(slot->applied, IL_COMMIT_SEQUENCE(slot->commit));
	ck_assert_int_eq(slot->used_at_ns, NOW);
	ck_assert_uint_eq(slot->lock.owner, 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_full_table_gives_the_place_of_the_longest_unused)
{
	given_a_full_table();
	segment.slots[0].used_at_ns = NOW + 100;
	ck_assert_int_eq(made("new:80", NOW + 200), 1);
	ck_assert_int_eq(found("host1:80"), -ENOENT);
	ck_assert_int_eq(found("new:80"), 1);
	ck_assert_uint_eq(segment.slots[1].incarnation, 2);
	ck_assert_uint_eq(segment.header->evicted, 1);
	ck_assert_int_eq(made("newer:80", NOW + 300), 2);
	then_the_place_is_removed();
}
END_TEST

START_TEST(nothing_of_the_evicted_is_left)
{
	given_a_full_table();
	struct il_slot *slot = &segment.slots[0];

	for (int i = 0; i < 20; i++)
		ck_assert(recorded(0, IL_SUCCESS, NOW));
	slot->trip.calls = 5;
	slot->recent[3].pid = 5;
	slot->shadow.open_until_ns = 5;
	slot->facts = IL_FACT_ANSWERED;
	slot->death_charged_ns = slot->rejections.until_ns = 5;
	slot->rejections.count = slot->rules_version = 5;
	slot->reject_errno = slot->reject_established = 5;
	uint32_t sequence = IL_COMMIT_SEQUENCE(slot->commit);

	ck_assert_int_eq(made("new:80", NOW + 200), 0);
	struct il_slot zeros = { 0 };

	ck_assert_mem_eq(slot->counts, zeros.counts, sizeof(zeros.counts));
	ck_assert_mem_eq(slot->recent, zeros.recent, sizeof(zeros.recent));
	ck_assert_mem_eq(&slot->trip, &zeros.trip, sizeof(zeros.trip));
	ck_assert_mem_eq(&slot->shadow, &zeros.shadow, sizeof(zeros.shadow));
	ck_assert_uint_eq(slot->breaker.window.next, 0);
	ck_assert_uint_eq(slot->facts, 0);
	ck_assert(slot->death_charged_ns == 0 && slot->rejections.until_ns == 0);
	ck_assert(slot->rejections.count == 0 && slot->rules_version == 0);
	ck_assert(slot->reject_errno == 0 && slot->reject_established == 0);
	ck_assert_uint_gt(IL_COMMIT_SEQUENCE(slot->commit), sequence);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_lease_a_control_line_or_an_override_keeps_its_place)
{
	given_a_full_table();
	admitted(0, false, NOW);
	segment.slots[1].rules_word = 1;
	given_it_is_open(2, NOW);
	segment.slots[3].breaker.state = IL_DISABLED;
	segment.slots[3].commit = IL_DISABLED | (uint64_t)segment.slots[3].applied << 32;
	ck_assert_int_eq(made("new:80", NOW + 200), 4);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_ticket_of_the_evicted_finds_no_breaker)
{
	struct il_change change;

	given_a_full_table();
	uint64_t before = segment.slots[0].incarnation;
	ck_assert_int_eq(made("new:80", NOW + 200), 0);
	ck_assert_int_eq(il_slot_begin(&segment, &self, 0, before, &change), -ESTALE);
	ck_assert_uint_eq(segment.slots[0].lock.owner, 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(then_goes_the_longest_unused_whose_wait_ended_one_wait_ago)
{
	given_a_full_table();
	for (int i = 0; i < 8; i++)
		given_it_is_open(i, NOW); /* for 60 s */
	ck_assert_int_eq(made("new:80", NOW + 120 * SECOND), -ENOSPC);
	ck_assert_uint_eq(segment.header->registry_full, 1);
	ck_assert_int_eq(made("new:80", NOW + 121 * SECOND), 0);
	segment.slots[0].rules_word = 1;
	admitted(1, true, NOW + 61 * SECOND);
	ck_assert_int_eq(made("newer:80", NOW + 121 * SECOND), 2); /* host1 has a probe out */
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_quiet_go_before_the_open)
{
	given_a_full_table();
	given_it_is_open(0, NOW);
	segment.slots[7].used_at_ns = NOW + 1000 * SECOND;
	for (int i = 1; i < 7; i++)
		segment.slots[i].rules_word = 1;
	ck_assert_int_eq(made("new:80", NOW + 1000 * SECOND), 7);
	then_the_place_is_removed();
}
END_TEST

static void lease_all(void)
{
	for (int i = 0; i < 8; i++)
		admitted(i, false, NOW);
}

START_TEST(leases_of_the_dead_keep_no_place_if_all_are_leased)
{
	given_a_full_table();
	ck_assert_int_eq(in_a_process(lease_all), 0);
	admitted(0, false, NOW);
	struct il_lease before = segment.slots[1].leases[0];

	ck_assert_int_eq(made("new:80", NOW + 200), 1);
	for (uint32_t i = 0; i < IL_LEASES; i++)
		ck_assert_uint_eq(segment.slots[1].leases[i].tag & 7, IL_LEASE_FREE);
	ck_assert_uint_ge(segment.slots[1].leases[0].tag >> 30, before.tag >> 30);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_full_table_of_the_busy_is_counted)
{
	given_a_full_table();
	lease_all();
	ck_assert_int_eq(made("new:80", NOW + 200), -ENOSPC);
	ck_assert_int_eq(made("new:80", NOW + 200), -ENOSPC);
	ck_assert_uint_eq(segment.header->registry_full, 2);
	ck_assert_int_eq(made("host3:80", NOW + 200), 3);
	then_the_place_is_removed();
}
END_TEST

static void take_and_die(void)
{
	struct il_hold hold;

	il_lock_take(&segment.header->table_lock, &self, IL_LOCK_TABLE, &hold);
	il_lock_take(&segment.slots[0].lock, &self, IL_LOCK_SLOT, &hold);
	kill(getpid(), SIGKILL);
}

START_TEST(the_locks_of_a_dead_maker_are_no_obstacle)
{
	given_a_table();
	ck_assert_int_eq(in_a_process(take_and_die), 128 + SIGKILL);
	ck_assert_int_eq(made("a:1", NOW), 0);
	ck_assert(recorded(0, IL_SUCCESS, NOW));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_half_made_slot_is_made_anew)
{
	given_a_table();
	/* As a killed maker leaves it: free, but full of something. */
	memset(&segment.slots[0], 0xa5, sizeof(struct il_slot));
	memset(&segment.slots[0].lock, 0, sizeof(struct il_lock));
	ck_assert_int_eq(made("a:1", NOW), 0);
	ck_assert(recorded(0, IL_FAILURE, NOW));
	ck_assert_uint_eq(segment.slots[0].counts[IL_COUNT_calls_failure], 1);
	ck_assert_str_eq(segment.slots[0].name, "a:1");
	then_the_place_is_removed();
}
END_TEST

#define MAKERS 6
START_TEST(makers_at_once_make_one_breaker_a_name)
{
	char name[32];

	given_a_place();
	struct il_segment_options options = options_of("app");
	options.breakers = 64;
	ck_assert_int_eq(il_segment_open(&segment, &options, &self, why, sizeof(why)), 0);
	for (int maker = 0; maker < MAKERS; maker++) {
		if (fork() != 0)
			continue;
		self = il_self_read();
		for (int i = 0; i < 64; i++) {
			snprintf(name, sizeof(name), "host%d:80", (i + maker * 7) % 64);
			int place = made(name, NOW);
			while (place == -ETIMEDOUT)
				place = made(name, NOW);
			while (place >= 0 && !recorded(place, IL_SUCCESS, NOW))
				;
		}
		_exit(0);
	}
	for (int maker = 0; maker < MAKERS; maker++)
		wait(NULL);
	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "host%d:80", i);
		int place = found(name);

		ck_assert_int_ge(place, 0);
		ck_assert_uint_eq(segment.slots[place].counts[IL_COUNT_calls_success], MAKERS);
		ck_assert_uint_eq(segment.slots[place].incarnation, 1);
	}
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_programs_name_has_one_place)
{
	given_a_table();
	ck_assert_uint_eq(il_table_command(&segment, "curl"), 0);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefgh"), 1);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefghi"), 2);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefgh"), 1);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefghijklmnop"), 3);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefghijklmnoq"), 3);
	ck_assert_uint_eq(il_table_command(&segment, "curl"), 0);
	ck_assert_uint_eq(il_table_command(&segment, ""), IL_COMMANDS);
	ck_assert_int_eq(memcmp(segment.header->commands[3], "abcdefghijklmno\1", 16), 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_name_left_half_written_is_completed)
{
	given_a_table();
	memcpy(segment.header->commands[0], "abcdefgh", 8);
	ck_assert_uint_eq(il_table_command(&segment, "curl"), 1);
	ck_assert_uint_eq(il_table_command(&segment, "abcdefghijk"), 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_full_table_of_programs_has_no_more_places)
{
	char name[16];

	given_a_table();
	for (unsigned i = 0; i < IL_COMMANDS; i++) {
		snprintf(name, sizeof(name), "program%u", i);
		ck_assert_uint_eq(il_table_command(&segment, name), i);
	}
	ck_assert_uint_eq(il_table_command(&segment, "one more"), IL_COMMANDS);
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("table", a_breaker_that_was_made_is_found, making_it_again_finds_it,
	  names_of_every_length_are_told_apart, names_that_are_empty_or_too_long_have_no_breaker,
	  two_names_with_one_hash_are_two_breakers, a_new_breaker_is_as_its_recipe_says,
	  a_full_table_gives_the_place_of_the_longest_unused, nothing_of_the_evicted_is_left,
	  a_lease_a_control_line_or_an_override_keeps_its_place,
	  a_ticket_of_the_evicted_finds_no_breaker,
	  then_goes_the_longest_unused_whose_wait_ended_one_wait_ago, the_quiet_go_before_the_open,
	  leases_of_the_dead_keep_no_place_if_all_are_leased, a_full_table_of_the_busy_is_counted,
	  the_locks_of_a_dead_maker_are_no_obstacle, a_half_made_slot_is_made_anew,
	  makers_at_once_make_one_breaker_a_name, a_programs_name_has_one_place,
	  a_name_left_half_written_is_completed, a_full_table_of_programs_has_no_more_places)
