/* Which addresses the gateway does not dial, and which names get which addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>

#include "runtime/bundle/check.h"
#include "runtime/decide/egress.h"
#include "runtime/base/address_guard.h"
#include "runtime/egress/names.h"
#include "tests/unit/egress_fixture.h"

/* --- guard -------------------------------------------------------------------------- */

static const struct {
	const char *addr;
	enum guard_kind kind;
} kinds[] = {
	/* both ends of each range, and what lies just outside of it */
	{ "0.0.0.0", GUARD_UNSPECIFIED },
	{ "0.0.0.1", GUARD_RESERVED },
	{ "0.255.255.255", GUARD_RESERVED },
	{ "1.0.0.0", GUARD_PUBLIC },
	{ "9.255.255.255", GUARD_PUBLIC },
	{ "10.0.0.0", GUARD_PRIVATE },
	{ "10.255.255.255", GUARD_PRIVATE },
	{ "11.0.0.0", GUARD_PUBLIC },
	{ "100.63.255.255", GUARD_PUBLIC },
	{ "100.64.0.0", GUARD_CGNAT },
	{ "100.127.255.255", GUARD_CGNAT },
	{ "100.128.0.0", GUARD_PUBLIC },
	{ "100.100.100.200", GUARD_METADATA },
	{ "126.255.255.255", GUARD_PUBLIC },
	{ "127.0.0.0", GUARD_LOOPBACK },
	{ "127.0.0.1", GUARD_LOOPBACK },
	{ "127.255.255.255", GUARD_LOOPBACK },
	{ "128.0.0.0", GUARD_PUBLIC },
	{ "168.63.129.16", GUARD_METADATA },
	{ "168.63.129.17", GUARD_PUBLIC },
	{ "169.253.255.255", GUARD_PUBLIC },
	{ "169.254.0.0", GUARD_LINK_LOCAL },
	{ "169.254.169.253", GUARD_LINK_LOCAL },
	{ "169.254.169.254", GUARD_METADATA },
	{ "169.254.170.2", GUARD_METADATA },
	{ "169.254.255.255", GUARD_LINK_LOCAL },
	{ "169.255.0.0", GUARD_PUBLIC },
	{ "172.15.255.255", GUARD_PUBLIC },
	{ "172.16.0.0", GUARD_PRIVATE },
	{ "172.31.255.255", GUARD_PRIVATE },
	{ "172.32.0.0", GUARD_PUBLIC },
	{ "192.0.0.0", GUARD_RESERVED },
	{ "192.0.0.192", GUARD_METADATA },
	{ "192.0.0.255", GUARD_RESERVED },
	{ "192.0.1.0", GUARD_PUBLIC },
	{ "192.167.255.255", GUARD_PUBLIC },
	{ "192.168.0.0", GUARD_PRIVATE },
	{ "192.168.255.255", GUARD_PRIVATE },
	{ "192.169.0.0", GUARD_PUBLIC },
	{ "198.17.255.255", GUARD_PUBLIC },
	{ "198.18.0.0", GUARD_RESERVED },
	{ "198.19.255.255", GUARD_RESERVED },
	{ "198.20.0.0", GUARD_PUBLIC },
	{ "203.0.113.7", GUARD_PUBLIC }, /* documentation */
	{ "223.255.255.255", GUARD_PUBLIC },
	{ "224.0.0.0", GUARD_MULTICAST },
	{ "239.255.255.255", GUARD_MULTICAST },
	{ "240.0.0.0", GUARD_RESERVED },
	{ "255.255.255.255", GUARD_RESERVED },
	{ "::", GUARD_UNSPECIFIED },
	{ "::1", GUARD_LOOPBACK },
	{ "::2", GUARD_EMBEDDED }, /* 0.0.0.2 */
	{ "fc00::", GUARD_PRIVATE },
	{ "fdff:ffff::1", GUARD_PRIVATE },
	{ "fe00::", GUARD_PUBLIC },
	{ "fe80::", GUARD_LINK_LOCAL },
	{ "febf::1", GUARD_LINK_LOCAL },
	{ "fec0::1", GUARD_PRIVATE },
	{ "ff02::1", GUARD_MULTICAST },
	{ "fd00:ec2::254", GUARD_METADATA },
	{ "fd20:ce::254", GUARD_METADATA },
	{ "fd70:6f6c::1", GUARD_PRIVATE },
	{ "2606:4700::1111", GUARD_PUBLIC },
	{ "2001:db8::1", GUARD_PUBLIC }, /* documentation */
	{ "100::1", GUARD_RESERVED },
	{ "2001:2::1", GUARD_RESERVED },
	{ "2001:20::1", GUARD_RESERVED },
	{ "64:ff9b:1::1", GUARD_RESERVED },
	/* each form that carries a v4 address: a guarded and a public one */
	{ "::ffff:127.0.0.1", GUARD_LOOPBACK }, /* mapped: it is that address */
	{ "::ffff:8.8.8.8", GUARD_PUBLIC },
	{ "::127.0.0.1", GUARD_EMBEDDED },
	{ "::8.8.8.8", GUARD_PUBLIC },
	{ "::ffff:0:10.1.2.3", GUARD_EMBEDDED },
	{ "::ffff:0:8.8.8.8", GUARD_PUBLIC },
	{ "64:ff9b::169.254.169.254", GUARD_EMBEDDED },
	{ "64:ff9b::10.1.2.3", GUARD_EMBEDDED },
	{ "64:ff9b::8.8.8.8", GUARD_PUBLIC },
	{ "2002:7f00:1::", GUARD_EMBEDDED },
	{ "2002:a01:203::1", GUARD_EMBEDDED },
	{ "2002:808:808::1", GUARD_PUBLIC },
	{ "2001:0:a01:203::", GUARD_EMBEDDED },                 /* Teredo's server */
	{ "2001:0:808:808:0:0:f5fe:fdfc", GUARD_EMBEDDED },     /* its client 10.1.2.3 */
	{ "2001:0:808:808:0:0:f7f7:f7f7", GUARD_PUBLIC },       /* 8.8.8.8 */
	{ "2606:4700::5efe:192.168.1.1", GUARD_EMBEDDED },
	{ "2606:4700::200:5efe:192.168.1.1", GUARD_EMBEDDED },
	{ "2606:4700::5efe:8.8.8.8", GUARD_PUBLIC },
};

static void test_kinds_of_addresses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (guard_kind(address(kinds[i].addr)) != kinds[i].kind)
			fail_msg("%s is %s, not %s", kinds[i].addr,
				 guard_text(guard_kind(address(kinds[i].addr))),
				 guard_text(kinds[i].kind));
}

static void test_names_that_lead_to_guarded_addresses(void **state)
{
	static const struct {
		const char *name, *addr; /* NULL: not known */
		bool is_localhost;
	} rows[] = {
		{ "localhost", "127.0.0.1", true },
		{ "a.b.localhost", "127.0.0.1", true },
		{ "localhost.localdomain", "127.0.0.1", false },
		{ "ip6-localhost", "::1", false },
		{ "ip6-loopback", "::1", false },
		{ "metadata.google.internal", "169.254.169.254", false },
		{ "notlocalhost", NULL, false },
		{ "localhost.example", NULL, false },
		{ "a.ip6-localhost", NULL, false },
		{ "x.metadata.google.internal", NULL, false },
		{ "", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].name);
		const uint8_t *addr = guard_name_address(rows[i].name, n);

		assert_int_equal(guard_is_localhost(rows[i].name, n), rows[i].is_localhost);
		assert_int_equal(addr != NULL, rows[i].addr != NULL);
		if (addr) {
			assert_memory_equal(addr, address(rows[i].addr), 16);
			assert_int_not_equal(guard_kind(addr), GUARD_PUBLIC);
		}
	}
}

static void test_the_hosts_own_addresses(void **state)
{
	struct guard g = { .on = true };

	(void)state;
	assert_int_equal(guard_ask(&g, address("203.0.113.2")), GUARD_PUBLIC);
	assert_int_equal(guard_add_own(&g, address("203.0.113.2")), 0);
	assert_int_equal(guard_add_own(&g, address("203.0.113.2")), 0);
	assert_int_equal(guard_add_own(&g, address("2001:db8::7")), 0);
	assert_int_equal(g.own_count, 2);
	assert_int_equal(guard_ask(&g, address("203.0.113.2")), GUARD_OWN);
	assert_int_equal(guard_ask(&g, address("203.0.113.3")), GUARD_PUBLIC);
	assert_int_equal(guard_ask(&g, address("2001:db8::7")), GUARD_OWN);
	/* also in the forms that carry it */
	assert_int_equal(guard_ask(&g, address("64:ff9b::203.0.113.2")), GUARD_EMBEDDED);
	assert_int_equal(guard_ask(&g, address("2002:cb00:7102::")), GUARD_EMBEDDED);
	/* in the mode full only what leads back to the host is guarded */
	g.on = false;
	assert_int_equal(guard_ask(&g, address("203.0.113.2")), GUARD_OWN);
	assert_int_equal(guard_ask(&g, address("127.0.0.1")), GUARD_LOOPBACK);
	assert_int_equal(guard_ask(&g, address("0.0.0.0")), GUARD_UNSPECIFIED);
	assert_int_equal(guard_ask(&g, address("::127.0.0.1")), GUARD_EMBEDDED);
	assert_int_equal(guard_ask(&g, address("10.0.0.1")), GUARD_PUBLIC);
	assert_int_equal(guard_ask(&g, address("169.254.169.254")), GUARD_PUBLIC);
	guard_release(&g);
}

/* Stands in for the kernel's routes. */
static bool is_routed_here(int routes, const uint8_t addr[16])
{
	static const uint8_t here[16] = { [10] = 0xff, 0xff, 198, 51, 100, 70 };

	return routes == 7 && memcmp(addr, here, sizeof(here)) == 0;
}

static void test_what_a_route_brings_here(void **state)
{
	struct guard g = { .on = true, .is_local = is_routed_here, .routes = 7 };

	(void)state;
	assert_int_equal(guard_ask(&g, address("198.51.100.70")), GUARD_OWN);
	assert_int_equal(guard_ask(&g, address("198.51.100.71")), GUARD_PUBLIC);
	assert_int_equal(guard_ask(&g, address("64:ff9b::198.51.100.70")), GUARD_EMBEDDED);
	g.on = false;
	assert_int_equal(guard_ask(&g, address("198.51.100.70")), GUARD_OWN);
	assert_int_equal(guard_ask(&g, address("127.0.0.1")), GUARD_LOOPBACK);
	/* a route is no own address, so that it is not kept */
	assert_int_equal(guard_add_own(&g, address("198.51.100.70")), 0);
	assert_int_equal(g.own_count, 1);
	guard_release(&g);
}

static void test_the_table_of_own_addresses_is_bounded(void **state)
{
	struct guard g = { .on = true };
	uint8_t a[16] = { 0x20, 0x01, 0x0d, 0xb8 };

	(void)state;
	for (uint32_t i = 0; i < GUARD_MAX_OWN; i++) {
		a[14] = (uint8_t)(i >> 8);
		a[15] = (uint8_t)i;
		assert_int_equal(guard_add_own(&g, a), 0);
	}
	a[13] = 1;
	assert_int_equal(guard_add_own(&g, a), -E2BIG);
	guard_release(&g);
}

/* --- names ----------------------------------------------------------------------------- */

static uint32_t give(struct names *n, const char *name)
{
	uint32_t index = UINT32_MAX;
	int r = names_give(n, name, strlen(name), &index);

	assert_true(r == 0 || index == UINT32_MAX);
	return r ? UINT32_MAX : index;
}

static void make(struct made *m, uint32_t pool, const char *const *lines)
{
	struct rt_err err = { 0 };

	memset(m, 0, sizeof(*m));
	m->pool_size = pool;
	for (; *lines; lines++)
		assert_true(made_add(m, *lines));
	(void)made_write(m);
	if (bundle_check_egress(m->data, m->size, m->rule_count + 1, &err) != 0)
		fail_msg("%s", err.text);
}

static struct made made;

static void test_names_get_addresses_once(void **state)
{
	static const char *const lines[] = { "allow a.example 443", "allow *.w.example 443",
					     "deny d.example 1-65535", NULL };
	struct names n;
	uint32_t a, w;
	uint8_t addr[16];

	(void)state;
	make(&made, 100, lines);
	assert_int_equal(names_init(&n, (const void *)made.data), 0);
	a = give(&n, "a.example");
	w = give(&n, "x.w.example");
	assert_true(a > 0 && w > 0 && a != w);
	assert_int_equal(give(&n, "a.example"), a);
	assert_int_equal(give(&n, "x.w.example"), w);
	assert_true(give(&n, "y.w.example") != w);
	/* what is denied, below an exact name, or the wildcard's own name */
	assert_int_equal(give(&n, "d.example"), 0);
	assert_int_equal(give(&n, "b.a.example"), 0);
	assert_int_equal(give(&n, "w.example"), 0);
	assert_int_equal(give(&n, "other.example"), 0);
	assert_string_equal(names_at(&n, a)->name, "a.example");
	assert_null(names_at(&n, 0));
	assert_null(names_at(&n, a + 50));
	assert_null(names_at(&n, UINT32_MAX));
	names_v6(w, addr);
	assert_true(names_is_pool(addr));
	assert_int_equal(egress_index(addr), w);
	memcpy(addr, address("198.18.0.0"), 16);
	names_v4(w, addr + 12);
	assert_true(names_is_pool(addr));
	assert_int_equal(egress_index(addr), w);
	assert_true(names_is_pool(address("198.19.255.255")));
	assert_false(names_is_pool(address("198.20.0.0")));
	assert_false(names_is_pool(address("198.17.255.255")));
	names_release(&n);
}

/* A command makes up labels: others keep their places. */
static void test_a_flood_below_a_wildcard_takes_only_its_share(void **state)
{
	static const char *const lines[] = { "allow a.example 443", "allow *.w.example 443",
					     "allow *.v.example 443", NULL };
	struct names n;
	char name[64];
	uint32_t given = 0;

	(void)state;
	make(&made, 40000, lines);
	/* all three share one pool, as equal decisions do */
	for (uint32_t i = 0; i < ((struct pb_egress *)made.data)->classes.count; i++) {
		struct pb_egress *e = (void *)made.data;
		struct pb_class *c = (void *)(made.data + e->classes.off);

		if (c[i].pool != PB_NO_POOL)
			c[i].pool = 0;
	}
	assert_int_equal(names_init(&n, (const void *)made.data), 0);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t index;

		(void)snprintf(name, sizeof(name), "l%u.w.example", i);
		index = give(&n, name);
		given += index != UINT32_MAX;
	}
	assert_int_equal(given, (40000 - 1) / 2); /* less the exact one, halved */
	assert_true(give(&n, "a.example") != UINT32_MAX);
	for (uint32_t i = 0; i < (40000 - 1) / 2; i++) {
		(void)snprintf(name, sizeof(name), "l%u.v.example", i);
		assert_true(give(&n, name) != UINT32_MAX);
	}
	assert_int_equal(give(&n, "one.more.v.example"), UINT32_MAX);
	/* who has an address keeps it */
	assert_true(give(&n, "l7.w.example") != UINT32_MAX);
	names_release(&n);
}

static void test_an_empty_list_allows_nothing(void **state)
{
	static const char *const lines[] = { NULL };
	struct names n;

	(void)state;
	make(&made, 100, lines);
	assert_int_equal(names_init(&n, (const void *)made.data), 0);
	assert_int_equal(give(&n, "a.example"), 0);
	assert_int_equal(give(&n, "localhost"), 0);
	names_release(&n);
}

static bool names(const char *block, unsigned bits, const char *addr)
{
	uint8_t b[16] = { [10] = 0xff, [11] = 0xff }, a[16] = { [10] = 0xff, [11] = 0xff };

	if (strchr(block, ':')) {
		assert_int_equal(inet_pton(AF_INET6, block, b), 1);
	} else {
		assert_int_equal(inet_pton(AF_INET, block, b + 12), 1);
		bits += 96;
	}
	if (strchr(addr, ':'))
		assert_int_equal(inet_pton(AF_INET6, addr, a), 1);
	else
		assert_int_equal(inet_pton(AF_INET, addr, a + 12), 1);
	return guard_is_named(b, bits, a);
}

static void test_a_block_names_no_narrower_range(void **state)
{
	(void)state;
	assert_true(names("10.0.0.0", 8, "10.1.2.3"));
	assert_true(names("10.1.2.3", 32, "10.1.2.3"));
	assert_false(names("10.1.2.3", 32, "10.1.2.4"));
	assert_true(names("169.254.0.0", 16, "169.254.1.1"));
	assert_false(names("169.254.0.0", 16, "169.254.169.254"));
	assert_true(names("169.254.169.254", 32, "169.254.169.254"));
	assert_false(names("0.0.0.0", 0, "10.1.2.3"));
	assert_false(names("::", 0, "10.1.2.3"));
	assert_false(names("8.0.0.0", 5, "10.1.2.3"));
	assert_false(names("64:ff9b::", 96, "64:ff9b::a00:1"));
	assert_true(names("64:ff9b::a00:0", 104, "64:ff9b::a00:1"));
	assert_false(names("2002::", 16, "2002:a00:1::1"));
	/* an address of this host that is in no range: of a block in which there is none */
	assert_true(names("8.8.8.0", 24, "8.8.8.8"));
	assert_false(names("0.0.0.0", 0, "8.8.8.8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_block_names_no_narrower_range),
		cmocka_unit_test(test_kinds_of_addresses),
		cmocka_unit_test(test_names_that_lead_to_guarded_addresses),
		cmocka_unit_test(test_the_hosts_own_addresses),
		cmocka_unit_test(test_what_a_route_brings_here),
		cmocka_unit_test(test_the_table_of_own_addresses_is_bounded),
		cmocka_unit_test(test_names_get_addresses_once),
		cmocka_unit_test(test_a_flood_below_a_wildcard_takes_only_its_share),
		cmocka_unit_test(test_an_empty_list_allows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
