#include "base/hash.h"

#include "check_run.h"

START_TEST(the_hash_of_a_name_is_the_same_for_ever)
{
	/* Registries of other processes rely on it. */
	ck_assert_uint_eq(il_hash_bytes("", 0), 0xefd01f60ba992926U);
	ck_assert_uint_eq(il_hash_bytes("payments.internal:443", 21), 9498747730189194653U);
}
END_TEST

START_TEST(every_bit_of_the_text_moves_about_half_of_the_hash)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		char text[8] = "db:5432";
		uint64_t before = il_hash_bytes(text, sizeof(text));

		text[bit / 8] ^= (char)(1U << bit % 8);

		int moved = __builtin_popcountll(before ^ il_hash_bytes(text, sizeof(text)));

		ck_assert_int_ge(moved, 16);
		ck_assert_int_le(moved, 48);
	}
}
END_TEST

START_TEST(mixing_a_word_loses_nothing)
{
	ck_assert_uint_eq(il_hash_word(0), 0);
	for (uint64_t i = 1; i < 1000; i++)
		ck_assert_uint_ne(il_hash_word(i), il_hash_word(i - 1));
}
END_TEST

RUN_TESTS("hash", the_hash_of_a_name_is_the_same_for_ever,
	  every_bit_of_the_text_moves_about_half_of_the_hash, mixing_a_word_loses_nothing)
