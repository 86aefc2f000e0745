#include "core/outcome.h"

#include "check_run.h"

#include <errno.h>

START_TEST(what_the_destination_or_its_network_does_is_a_failure)
{
	static const int errnos[] = { ECONNREFUSED, ECONNRESET, ECONNABORTED, ETIMEDOUT,
				      EHOSTUNREACH, EHOSTDOWN,	ENETRESET,    EPIPE };

	for (unsigned i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		ck_assert_int_eq(il_errno_class(errnos[i]), IL_ERRNO_FAILED);
}
END_TEST

START_TEST(what_this_machine_lacks_is_local)
{
	static const int errnos[] = { ENETUNREACH, EADDRNOTAVAIL, EACCES, EPERM,  EMFILE, ENFILE,
				      ENOBUFS,	   ENOMEM,	  EINVAL, EFAULT, 0,	  -1,
				      ENOENT,	   ENOTCONN,	  99999 };

	for (unsigned i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		ck_assert_int_eq(il_errno_class(errnos[i]), IL_ERRNO_LOCAL);
}
END_TEST

START_TEST(what_may_still_come_is_pending)
{
	static const int errnos[] = { EAGAIN, EWOULDBLOCK, EINTR, EALREADY, EINPROGRESS };

	for (unsigned i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		ck_assert_int_eq(il_errno_class(errnos[i]), IL_ERRNO_PENDING);
}
END_TEST

/* One letter a judgement: Success, Failure, Inconclusive, Cancelled, Dropped. */
static char letter(enum il_ending ending, enum il_situation situation)
{
	struct il_judgement is = il_outcome_judge(ending, situation);

	if (is.kind == IL_VERDICT_RECORD)
		return is.outcome == IL_FAILURE ? 'F' : 'S';
	return is.kind == IL_VERDICT_INCONCLUSIVE ? 'I' : is.kind == IL_VERDICT_CANCELLED ? 'C' : 'D';
}

START_TEST(every_ending_in_every_situation_has_its_judgement)
{
	/* in opening, after wait, one way, excused, later */
	static const char *const rows[IL_ENDINGS] = {
		[IL_END_ANSWER] = "SSSSS", [IL_END_HTTP_FAILURE] = "FFFFF",
		[IL_END_BROKEN] = "FFSDD", [IL_END_LOCAL] = "IIIII",
		[IL_END_CLOSED] = "CFSDD", [IL_END_UNUSED] = "CFSDD",
	};

	for (unsigned ending = 0; ending < IL_ENDINGS; ending++)
		for (unsigned situation = 0; situation < IL_SITUATIONS; situation++)
			ck_assert_int_eq(letter(ending, situation), rows[ending][situation]);
}
END_TEST

START_TEST(what_is_not_in_the_table_says_nothing)
{
	ck_assert_int_eq(il_outcome_judge(IL_ENDINGS, IL_IN_OPENING).kind, IL_VERDICT_DROPPED);
	ck_assert_int_eq(il_outcome_judge(IL_END_ANSWER, IL_SITUATIONS).kind, IL_VERDICT_DROPPED);
}
END_TEST

START_TEST(a_process_that_died_after_500_ms_of_waiting_is_a_failure)
{
	struct il_verdict v = il_outcome_of_death(1000, 500001000);

	ck_assert_int_eq(v.kind, IL_VERDICT_RECORD);
	ck_assert_int_eq(v.outcome, IL_FAILURE);
	ck_assert_int_eq(v.duration_ns, 500000000);
	ck_assert_int_eq(v.seen, IL_SEEN_DEATH);
}
END_TEST

START_TEST(one_that_died_sooner_tells_nothing)
{
	ck_assert_int_eq(il_outcome_of_death(1000, 500000999).kind, IL_VERDICT_DROPPED);
}
END_TEST

START_TEST(one_that_did_not_wait_tells_nothing)
{
	ck_assert_int_eq(il_outcome_of_death(0, 500000000000).kind, IL_VERDICT_DROPPED);
}
END_TEST

START_TEST(a_wait_in_the_future_tells_nothing)
{
	ck_assert_int_eq(il_outcome_of_death(INT64_MAX, 5).kind, IL_VERDICT_DROPPED);
	ck_assert_int_eq(il_outcome_of_death(INT64_MIN, 5).kind, IL_VERDICT_DROPPED);
}
END_TEST

START_TEST(everything_has_a_name)
{
	for (unsigned i = 0; i < IL_SEEN_KINDS; i++)
		ck_assert_str_ne(il_seen_name(i), "?");
	for (unsigned i = 0; i < IL_PHASES; i++)
		ck_assert_str_ne(il_phase_name(i), "?");
	ck_assert_str_eq(il_seen_name(IL_SEEN_KINDS), "?");
	ck_assert_str_eq(il_phase_name(IL_PHASES), "?");
	ck_assert_str_eq(il_seen_name(IL_SEEN_HTTP), "http");
	ck_assert_str_eq(il_phase_name(IL_PHASE_RESOLVE), "resolve");
}
END_TEST

RUN_TESTS("outcome", what_the_destination_or_its_network_does_is_a_failure,
	  what_this_machine_lacks_is_local, what_may_still_come_is_pending,
	  every_ending_in_every_situation_has_its_judgement, what_is_not_in_the_table_says_nothing,
	  a_process_that_died_after_500_ms_of_waiting_is_a_failure, one_that_died_sooner_tells_nothing,
	  one_that_did_not_wait_tells_nothing, a_wait_in_the_future_tells_nothing, everything_has_a_name)
