/* Numbers, strings, maps, buffers: the ground that the compiler stands on. */
#include "compiler/base/buf.h"
#include "compiler/base/json_buf.h"
#include "compiler/base/map.h"
#include "compiler/base/num.h"
#include "compiler/base/vec.h"
#include "tests/unit/fixture.h"

static void test_numbers_take_the_whole_text_or_nothing(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t v;
	} rows[] = {
		{ "0", true, 0 },	{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "0x1f", true, 31 },	{ "0xffffffffffffffff", true, UINT64_MAX },
		{ "0x10000000000000000", false, 0 },
		{ "", false, 0 },	{ "0x", false, 0 },
		{ "12a", false, 0 },	{ " 1", false, 0 },
		{ "-1", false, 0 },	{ "+1", false, 0 },
		{ "0777", false, 0 },	{ "00", false, 0 },
		{ "0x0777", true, 0x777 },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		uint64_t v = 77;

		print_message("%s\n", rows[i].text);
		assert_int_equal(num_u64(str_from(rows[i].text), &v), rows[i].ok);
		assert_int_equal(v, rows[i].ok ? rows[i].v : 77);
	}
}

static void test_signed_numbers_reach_both_ends(void **state)
{
	int64_t v;

	(void)state;
	assert_true(num_i64(STR("-9223372036854775808"), &v));
	assert_true(v == INT64_MIN);
	assert_false(num_i64(STR("9223372036854775808"), &v));
	assert_false(num_i64(STR("--1"), &v));
}

static void test_units_multiply_and_overflow_is_refused(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(num_size(STR("4G"), &v));
	assert_true(v == 4ull << 30);
	assert_false(num_size(STR("4g"), &v));
	assert_false(num_size(STR("17179869184G"), &v));
	assert_true(num_duration(STR("2h"), &v));
	assert_int_equal(v, 7200000);
	assert_true(num_duration(STR("0"), &v));
	assert_false(num_duration(STR("5"), &v));
	assert_true(num_milli(STR("2.05"), &v));
	assert_int_equal(v, 2050);
	assert_false(num_milli(STR("2."), &v));
	assert_false(num_milli(STR("0x2"), &v));
	assert_false(num_milli(STR("2.0001"), &v));
}

static void test_dates_exist(void **state)
{
	int64_t d;

	(void)state;
	assert_true(num_date(STR("1970-01-01"), &d));
	assert_int_equal(d, 0);
	assert_true(num_date(STR("2024-02-29"), &d));
	assert_int_equal(d, 19782);
	assert_false(num_date(STR("2023-02-29"), &d));
	assert_false(num_date(STR("2023-13-01"), &d));
	assert_false(num_date(STR("2023-1-01"), &d));
}

static void test_addresses_are_mapped_and_host_bits_refused(void **state)
{
	struct num_cidr c;
	bool host;

	(void)state;
	assert_true(num_cidr(STR("10.0.0.0/8"), &c, &host));
	assert_int_equal(c.bits, 104);
	assert_int_equal(c.addr[10], 0xff);
	assert_int_equal(c.addr[12], 10);
	assert_false(num_cidr(STR("10.0.0.1/8"), &c, &host));
	assert_true(host);
	assert_true(num_cidr(STR("::1"), &c, &host));
	assert_int_equal(c.bits, 128);
	assert_false(num_cidr(STR("10.0.0.0/33"), &c, &host));
	assert_false(host);
	assert_false(num_cidr(STR("10.0.0"), &c, &host));
	assert_false(num_cidr(STR("::1/129"), &c, &host));
	assert_true(num_cidr(STR("0.0.0.0/0"), &c, &host));
	assert_int_equal(c.bits, 96);
}

static void test_ports_are_ranges(void **state)
{
	uint16_t lo, hi;

	(void)state;
	assert_true(num_port_range(STR("80-443"), &lo, &hi));
	assert_int_equal(hi, 443);
	assert_false(num_port_range(STR("443-80"), &lo, &hi));
	assert_false(num_port_range(STR("65536"), &lo, &hi));
	assert_false(num_port_range(STR("-1"), &lo, &hi));
}

static void test_maps_keep_insertion_order(void **state)
{
	struct map m;
	int x[100];

	(void)state;
	map_init(&m, &arena);
	assert_null(map_get(&m, STR("none")));
	for (int i = 0; i < 100; i++)
		assert_null(map_put(&m, str_printf(&arena, "k%d", i), &x[i]));
	for (int i = 0; i < 100; i++)
		assert_ptr_equal(map_get(&m, str_printf(&arena, "k%d", i)), &x[i]);
	assert_ptr_equal(map_put(&m, STR("k7"), &x[0]), &x[7]);
	assert_int_equal(m.n, 100);
	assert_true(str_eqz(m.e[7].key, "k7"));
}

static void test_json_escapes_what_is_no_utf8(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, &arena);
	buf_json(&b, (struct str){ "a\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80", 11 });
	assert_true(str_eqz(buf_view(&b),
			    "\"a\\\"\\\\\\n\\u0001\\u00ff\xc3\xa9"
			    "\\u00ed\\u00a0\\u0080\""));
}

static void test_buffers_grow_and_patch(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, &arena);
	for (int i = 0; i < 5000; i++)
		buf_u8(&b, (uint8_t)i);
	buf_align(&b, 8);
	buf_patch_u32(&b, 4, 0x01020304);
	assert_int_equal(b.n, 5000);
	assert_int_equal(b.p[4], 4);
	assert_int_equal(b.p[7], 1);
	assert_int_equal(b.p[4999], 4999 & 255);
}

static void test_vectors_grow_where_they_lie_if_they_can(void **state)
{
	VEC(uint32_t) v = { NULL, 0, 0 }, w = { NULL, 0, 0 };
	struct arena a;
	const uint32_t *first;
	size_t used;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	VEC_PUSH(&a, &v, 0);
	first = v.v;
	for (uint32_t i = 1; i < 1000; i++)
		VEC_PUSH(&a, &v, i);
	assert_ptr_equal(v.v, first);
	used = a.used;
	assert_int_equal(used, v.cap * sizeof(*v.v));
	/* from here on something lies behind it: both move, and keep what they have */
	VEC_PUSH(&a, &w, 7);
	for (uint32_t i = 1000; i < 100000; i++) {
		VEC_PUSH(&a, &v, i);
		VEC_PUSH(&a, &w, 7 + i);
	}
	assert_ptr_not_equal(v.v, first);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(v.v[i], i);
	for (uint32_t i = 1; i < w.n; i++)
		assert_int_equal(w.v[i], 7 + 999 + i);
	arena_release(&a);
}

static void test_memory_is_extended_zeroed_and_within_its_limits(void **state)
{
	unsigned char *p, *q;
	struct arena a;

	(void)state;
	arena_init(&a, 4096);
	p = arena_alloc(&a, 20);
	assert_true(arena_extend(&a, p, 20, 200));
	for (int i = 0; i < 200; i++)
		assert_int_equal(p[i], 0);
	q = arena_alloc(&a, 1);
	assert_true(q >= p + 200);
	assert_false(arena_extend(&a, p, 200, 300)); /* q lies behind it */
	assert_true(arena_extend(&a, q, 1, 1000));
	assert_false(arena_extend(&a, q, 1000, 5000)); /* past the budget */
	assert_true(a.used <= 4096);
	arena_release(&a);
	assert_false(arena_extend(&a, q, 1, 2)); /* nothing is there */
}

static void test_strings_compare_as_bytes(void **state)
{
	(void)state;
	assert_true(str_cmp(STR("a"), STR("ab")) < 0);
	assert_true(str_cmp(STR("\xff"), STR("a")) > 0);
	assert_int_equal(str_cmp(STR("ab"), STR("ab")), 0);
	assert_true(str_starts(STR("abc"), STR("ab")));
	assert_false(str_ends(STR("abc"), STR("ab")));
	assert_true(str_eq(str_sub(STR("abc"), 1, 9), STR("bc")));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_take_the_whole_text_or_nothing),
		cmocka_unit_test(test_signed_numbers_reach_both_ends),
		cmocka_unit_test(test_units_multiply_and_overflow_is_refused),
		cmocka_unit_test(test_dates_exist),
		cmocka_unit_test(test_addresses_are_mapped_and_host_bits_refused),
		cmocka_unit_test(test_ports_are_ranges),
		cmocka_unit_test(test_maps_keep_insertion_order),
		cmocka_unit_test(test_json_escapes_what_is_no_utf8),
		cmocka_unit_test(test_buffers_grow_and_patch),
		cmocka_unit_test(test_vectors_grow_where_they_lie_if_they_can),
		cmocka_unit_test(test_memory_is_extended_zeroed_and_within_its_limits),
		cmocka_unit_test(test_strings_compare_as_bytes),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
