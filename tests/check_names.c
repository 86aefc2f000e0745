#include "base/file.h"
#include "base/names.h"

#include "check_run.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static struct il_names names;
static char host[IL_HOST_MAX + 1];

static void given_no_names(void)
{
	names = (struct il_names){ 0 };
}

static struct il_address address_number(uint32_t number)
{
	struct il_address address = { .family = 4, .port = 443 };

	memcpy(address.bytes, &number, sizeof(number));
	return address;
}

static void learn(const char *name, uint32_t number, uint64_t thread)
{
	struct il_address address = address_number(number);

	il_names_learn(&names, name, strlen(name), &address, thread);
}

static const char *find(uint32_t number, uint64_t thread)
{
	struct il_address address = address_number(number);

	address.port = 80;
	ck_assert_uint_eq(il_names_find(&names, &address, thread, host), strlen(host));
	return host;
}

START_TEST(an_address_that_nobody_resolved_has_no_name)
{
	given_no_names();
	ck_assert_str_eq(find(1, 1), "");
	learn("a", 2, 1);
	ck_assert_str_eq(find(1, 1), "");
}
END_TEST

START_TEST(a_name_is_kept_in_lower_case_without_its_final_dot)
{
	given_no_names();
	learn("Payments.INTERNAL.", 1, 1);
	ck_assert_str_eq(find(1, 1), "payments.internal");
}
END_TEST

START_TEST(the_name_resolved_last_by_the_same_thread_wins)
{
	given_no_names();
	learn("a", 1, 11);
	learn("b", 1, 22);
	ck_assert_str_eq(find(1, 11), "a");
	ck_assert_str_eq(find(1, 22), "b");
	learn("c", 1, 11);
	ck_assert_str_eq(find(1, 11), "c");
	ck_assert_str_eq(find(1, 22), "b");
}
END_TEST

START_TEST(another_thread_gets_the_name_resolved_last_by_anyone)
{
	given_no_names();
	learn("a", 1, 11);
	learn("b", 1, 22);
	ck_assert_str_eq(find(1, 33), "b");
	ck_assert_str_eq(find(1, 0), "b");
	learn("a", 1, 11);
	ck_assert_str_eq(find(1, 33), "a");
}
END_TEST

START_TEST(numbers_and_what_is_no_host_are_not_learnt)
{
	char longest[IL_HOST_MAX + 2];

	given_no_names();
	learn("10.0.0.1", 1, 1);
	learn("::1", 1, 1);
	learn("", 1, 1);
	learn(".", 1, 1);
	memset(longest, 'x', sizeof(longest));
	longest[IL_HOST_MAX + 1] = 0;
	learn(longest, 1, 1);
	ck_assert_str_eq(find(1, 1), "");
	longest[IL_HOST_MAX] = 0;
	learn(longest, 1, 1);
	ck_assert_str_eq(find(1, 1), longest);
}
END_TEST

START_TEST(the_oldest_of_4096_makes_room)
{
	char name[16];

	given_no_names();
	for (uint32_t i = 0; i < IL_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "h%u", i);
		learn(name, i, 1);
	}
	learn("h0", 0, 1); /* now the youngest */
	learn("new", IL_NAMES_MAX, 1);
	ck_assert_str_eq(find(0, 1), "h0");
	ck_assert_str_eq(find(1, 1), "");
	ck_assert_str_eq(find(2, 1), "h2");
	ck_assert_str_eq(find(IL_NAMES_MAX - 1, 1), "h4095");
	ck_assert_str_eq(find(IL_NAMES_MAX, 1), "new");
}
END_TEST

START_TEST(a_writer_that_never_came_back_is_overtaken)
{
	uint64_t *lock_word;

	given_no_names();
	learn("a", 1, 1);
	lock_word = (uint64_t *)(void *)names.table; /* its first field: locked since */
	*lock_word = 1;                              /* since boot */
	learn("b", 1, 1);
	ck_assert_str_eq(find(1, 1), "b");
	ck_assert_uint_eq(*lock_word, 0);
}
END_TEST

START_TEST(a_writer_that_is_late_is_not_waited_for_long)
{
	uint64_t *lock_word;

	given_no_names();
	learn("a", 1, 1);
	lock_word = (uint64_t *)(void *)names.table;
	*lock_word = INT64_MAX; /* never stale */
	learn("b", 1, 1);
	ck_assert_str_eq(find(1, 1), "a");
}
END_TEST

START_TEST(damaged_memory_reads_as_unknown)
{
	given_no_names();
	learn("some.host", 1, 1);

	char *bytes = (char *)names.table;
	char *kept = memmem(bytes, 1300000, "some.host", 9);

	ck_assert_ptr_nonnull(kept);
	kept[0] = 'x';
	ck_assert_str_eq(find(1, 1), "");
	memset(kept, 'x', 256);
	ck_assert_str_eq(find(1, 1), "");
	memset(bytes + 8, 0xff, 8); /* how many there are */
	ck_assert_str_eq(find(1, 1), "");
}
END_TEST

static void *learn_and_find(void *arg)
{
	uint64_t thread = (uint64_t)(uintptr_t)arg;
	char name[32], found[IL_HOST_MAX + 1];

	for (uint32_t i = 0; i < 300; i++) {
		struct il_address address = address_number(i % 7);

		snprintf(name, sizeof(name), "host-%u.of.%u", i % 7, (unsigned)thread);
		il_names_learn(&names, name, strlen(name), &address, thread);
		snprintf(name, sizeof(name), "host-%u.of.", i % 7);
		if (il_names_find(&names, &address, thread, found) > 0 &&
		    strncmp(found, name, strlen(name)) != 0)
			return (void *)"mixed";
	}
	return NULL;
}

START_TEST(threads_never_read_a_mixture)
{
	pthread_t threads[4];

	given_no_names();
	learn_and_find((void *)9);
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, learn_and_find, (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		void *wrong = NULL;

		pthread_join(threads[i], &wrong);
		ck_assert_msg(!wrong, "%s", (char *)wrong);
	}
}
END_TEST

static char named[300];

static const char *name_of(enum il_key key, const char *known, const void *to, socklen_t size)
{
	struct il_text text = il_text_in(named, sizeof(named));
	int rc = il_address_name(&text, key, known, to, size);

	return rc < 0 ? strerror(-rc) : named;
}

START_TEST(a_breaker_is_named_in_four_ways)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(443) };

	to.sin_addr.s_addr = htonl(0x0a020007);
	ck_assert_str_eq(name_of(IL_KEY_HOST_PORT, "web", &to, sizeof(to)), "web:443");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "web", &to, sizeof(to)), "web");
	ck_assert_str_eq(name_of(IL_KEY_ADDRESS_PORT, "web", &to, sizeof(to)), "10.2.0.7:443");
	ck_assert_str_eq(name_of(IL_KEY_ADDRESS, "web", &to, sizeof(to)), "10.2.0.7");
	ck_assert_str_eq(name_of(IL_KEY_HOST_PORT, "", &to, sizeof(to)), "10.2.0.7:443");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &to, sizeof(to)), "10.2.0.7");
}
END_TEST

START_TEST(a_mapped_address_is_named_like_the_plain_one)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(80) };

	to.sin6_addr.s6_addr[10] = to.sin6_addr.s6_addr[11] = 0xff;
	to.sin6_addr.s6_addr[12] = 10;
	ck_assert_str_eq(name_of(IL_KEY_HOST_PORT, "", &to, sizeof(to)), "10.0.0.0:80");
	to.sin6_addr.s6_addr[0] = 0x20;
	ck_assert_str_eq(name_of(IL_KEY_HOST_PORT, "", &to, sizeof(to)), "[2000::ffff:a00:0]:80");
}
END_TEST

START_TEST(a_socket_in_the_file_system_is_named_by_its_path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/run/x" };
	struct sockaddr_un abstract = { .sun_family = AF_UNIX, .sun_path = "\0bus" };

	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &to, sizeof(to)), "unix:/run/x");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &to, 2 + 6), "unix:/run/x");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &abstract, 2 + 4), "unix:%00bus");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &abstract, sizeof(abstract)), "unix:%00bus");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &abstract, 2 + 1), "unix:%00");
	abstract.sun_path[2] = 0;
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &abstract, 2 + 4), "unix:%00b%00s");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &abstract, 2), "unix:");
	memset(to.sun_path, 'x', sizeof(to.sun_path));
	ck_assert_uint_eq(strlen(name_of(IL_KEY_HOST, "", &to, sizeof(to))), 5 + 108);
}
END_TEST

START_TEST(an_address_that_is_too_short_is_refused)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr none = { .sa_family = AF_NETLINK };

	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &to, sizeof(to) - 1), "Invalid argument");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &to, 1), "Invalid argument");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", NULL, 0), "Invalid argument");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &six, 23), "Invalid argument");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &six, 24), "[::]");
	ck_assert_str_eq(name_of(IL_KEY_HOST, "", &none, sizeof(none)),
			 "Address family not supported by protocol");
}
END_TEST

RUN_TESTS("names", an_address_that_nobody_resolved_has_no_name,
	  a_name_is_kept_in_lower_case_without_its_final_dot,
	  the_name_resolved_last_by_the_same_thread_wins,
	  another_thread_gets_the_name_resolved_last_by_anyone,
	  numbers_and_what_is_no_host_are_not_learnt, the_oldest_of_4096_makes_room,
	  a_writer_that_never_came_back_is_overtaken, a_writer_that_is_late_is_not_waited_for_long,
	  damaged_memory_reads_as_unknown, threads_never_read_a_mixture,
	  a_breaker_is_named_in_four_ways, a_mapped_address_is_named_like_the_plain_one,
	  a_socket_in_the_file_system_is_named_by_its_path, an_address_that_is_too_short_is_refused)
