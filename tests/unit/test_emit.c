/* nft-host: what its guard refuses is what the gateway's guard refuses, and a little more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <arpa/inet.h>
#include <string.h>

#include "compiler/backend/nft/region.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/nft_host.h"
#include "runtime/base/address_guard.h"
#include "tests/unit/fixture.h"

static region_addr address(const char *text)
{
	uint8_t a[16] = { [10] = 0xff, [11] = 0xff };

	if (strchr(text, ':'))
		assert_int_equal(inet_pton(AF_INET6, text, a), 1);
	else
		assert_int_equal(inet_pton(AF_INET, text, a + 12), 1);
	return region_of(a);
}

/* The first and the last address of "ADDRESS/BITS". */
static void block(const char *text, region_addr *ret_lo, region_addr *ret_hi)
{
	char copy[64], *slash;
	unsigned bits = 128;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	slash = strchr(copy, '/');
	if (slash) {
		*slash = '\0';
		bits = (unsigned)strtoul(slash + 1, NULL, 10) + (strchr(copy, ':') ? 0 : 96);
	}
	*ret_lo = address(copy);
	*ret_hi = bits == 128 ? *ret_lo : *ret_lo | (((region_addr)1 << (128 - bits)) - 1);
}

static bool is_refused(bool limited, region_addr a)
{
	/* the rule for ISATAP in nft_host.c */
	if ((a & ((region_addr)0xfdffffffu << 32)) == ((region_addr)0x5efe << 32) &&
	    (a < REGION_V4_LO || a > REGION_V4_HI))
		return true;
	for (unsigned f = 0; f < 2; f++)
		for (const char *const *p = host_guarded[limited][f]; *p; p++) {
			region_addr lo, hi;

			block(*p, &lo, &hi);
			if (a >= lo && a <= hi)
				return true;
		}
	return false;
}

static void compare(region_addr a)
{
	struct guard g = { .on = false };
	uint8_t bytes[16];

	region_bytes(a, bytes);
	for (unsigned k = 0; k < 2; k++) {
		g.on = k;
		if (guard_ask(&g, bytes) != GUARD_PUBLIC && !is_refused(k, a))
			fail_msg("%x:…:%x is not refused in mode %u", (unsigned)(a >> 96),
				 (unsigned)a, k);
	}
	/* v4: not stricter either */
	if (a >= REGION_V4_LO && a <= REGION_V4_HI) {
		g.on = true;
		assert_int_equal(guard_ask(&g, bytes) != GUARD_PUBLIC, is_refused(true, a));
	}
}

static void test_the_guard_is_that_of_the_gateway(void **state)
{
	static const char *const near[] = {
		"2001:0:a:b::", "2002:7f00:1::", "64:ff9b::7f00:1", "::ffff:0:127.0.0.1",
		"fe80::5efe:10.0.0.1", "2a00::200:5efe:127.0.0.1", "fd00:ec2::254",
		"fd20:ce::254", "2606:4700::1111", "1.1.1.1", "169.254.170.2",
	};
	uint64_t x = 1;

	(void)state;
	for (size_t i = 0; i < POL_LEN(near); i++)
		compare(address(near[i]));
	for (unsigned k = 0; k < 2; k++)
		for (unsigned f = 0; f < 2; f++)
			for (const char *const *p = host_guarded[k][f]; *p; p++) {
				region_addr lo, hi;

				block(*p, &lo, &hi);
				compare(lo - 1);
				compare(lo);
				compare(hi);
				compare(hi + 1);
			}
	for (unsigned i = 0; i < 60000; i++) {
		region_addr a = 0;

		for (unsigned k = 0; k < 4; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			a = a << 32 | (uint32_t)(x >> 32);
		}
		compare(i % 2 ? a : REGION_V4_LO | (uint32_t)a);
	}
	/* the test can fail: these are public */
	assert_false(is_refused(true, address("1.1.1.1")));
	assert_false(is_refused(true, address("2606:4700::1111")));
	assert_false(is_refused(false, address("10.0.0.1")));
}

/* --- whom it is about ------------------------------------------------------------------- */

static const struct {
	const char *name, *uid, *cgroup, *want; /* part of the text, or of the refusal */
	bool refused;
} rows[] = {
	{ "p", "1000", NULL, "meta skuid 1000 goto", false },
	{ "p", "agent_1", NULL, "meta skuid \"agent_1\" goto", false },
	{ "p", "agent_1", NULL, "table inet pol-host-p/uid/agent_5f1 {", false },
	{ "a_b", "1", NULL, "table inet pol-host-a_5fb/uid/1 {", false },
	{ "p", NULL, "/a.slice/b", "socket cgroupv2 level 2 \"a.slice/b\" goto", false },
	{ "p", NULL, "a@b", "table inet pol-host-p/cgroup/a_40b {", false },
	{ "p", NULL, NULL, "either --uid", true },
	{ "p", "1", "a", "either --uid", true },
	{ "", "1", NULL, "no name", true },
	{ "p", "0", NULL, "not root", true },
	{ "p", "root", NULL, "not root", true },
	{ "p", "4294967295", NULL, "not root", true },
	{ "p", "4294967296", NULL, "not root", true },
	{ "p", "99999999999999999999999", NULL, "name of a user", true },
	{ "p", "-1", NULL, "name of a user", true },
	{ "p", "a\"b", NULL, "name of a user", true },
	{ "p", "", NULL, "name of a user", true },
	{ "p", NULL, "", "path of a cgroup", true },
	{ "p", NULL, "/", "path of a cgroup", true },
	{ "p", NULL, "a/../b", "path of a cgroup", true },
	{ "p", NULL, "a//b", "path of a cgroup", true },
	{ "p", NULL, "a/./b", "path of a cgroup", true },
	{ "p", NULL, "a\" accept\n", "path of a cgroup", true },
	{ "p", NULL, "a*", "path of a cgroup", true },
};

static void test_only_one_user_or_cgroup_is_held(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ir *ir = ARENA_NEW(&arena, struct ir); /* network disabled */
		const struct emit_options o = { .uid = rows[i].uid, .cgroup = rows[i].cgroup };
		struct emit_report r = { .a = &arena };
		const char *why;
		struct buf b;

		ir->a = &arena;
		ir->name = str_from(rows[i].name);
		buf_init(&b, &arena);
		why = emit_find(STR("nft-host"))->emit(ir, &o, &b, &r);
		if (rows[i].refused != (why != NULL))
			fail_msg("row %zu: %s", i, why ? why : "not refused");
		if (!strstr(why ? why : str_z(&arena, buf_view(&b)), rows[i].want))
			fail_msg("row %zu: no '%s'", i, rows[i].want);
	}
	assert_null(emit_find(STR("nft")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_guard_is_that_of_the_gateway),
		cmocka_unit_test_setup_teardown(test_only_one_user_or_cgroup_is_held,
						arena_setup, arena_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
