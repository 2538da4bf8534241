/* A set of numbers that only grows. */
#include <errno.h>

#include "runtime/supervise/numbers.h"
#include "tests/unit/fixture.h"

/* Many of them share a slot. */
static uint64_t number(uint64_t i)
{
	return (i % 7) << 40 | (i / 7 + 1) << 12;
}

static void test_numbers_that_were_added_are_found(void **state)
{
	struct numbers s = { .n = 0 };

	(void)state;
	assert_false(numbers_has(&s, 1));
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(numbers_add(&s, number(i), 1 << 20), 0);
		assert_int_equal(numbers_add(&s, number(i / 2), 1 << 20), 0);
		assert_int_equal(s.n, i + 1);
	}
	for (uint64_t i = 0; i < 5000; i++) {
		assert_true(numbers_has(&s, number(i)));
		assert_false(numbers_has(&s, number(i) + 1));
	}
	assert_false(numbers_has(&s, 0));
	numbers_release(&s);
	assert_false(numbers_has(&s, number(1)));
}

static void test_a_full_set_keeps_what_it_has(void **state)
{
	struct numbers s = { .n = 0 };

	(void)state;
	for (uint64_t i = 0; i < 512; i++)
		assert_int_equal(numbers_add(&s, number(i), 1024), 0);
	assert_int_equal(numbers_add(&s, number(512), 1024), -ENOMEM);
	assert_int_equal(numbers_add(&s, number(511), 1024), 0);
	assert_true(numbers_has(&s, number(0)));
	assert_false(numbers_has(&s, number(512)));
	numbers_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_that_were_added_are_found),
		cmocka_unit_test(test_a_full_set_keeps_what_it_has),
	};

	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
