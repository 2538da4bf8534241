/*
 * Limits that a statement's connections share: who splits it permits more, although no single
 * connection is decided otherwise.
 */
#include "tests/unit/diff_fixture.h"

#define NET "network limited { %s }"

static const char *net(const char *rules)
{
	return arena_printf(&arena, NET, rules);
}

static void widens(const char *old, const char *new)
{
	says(net(old), net(new), DIFF_LOOSER, true);
}

static void alike(const char *old, const char *new)
{
	is_same(net(old), net(new));
}

static void test_a_split_statement_counts_apart(void **state)
{
	(void)state;
	widens("allow tcp \"a.example\" port 443, 444 connections 5",
	       "allow tcp \"a.example\" port 443 connections 5 allow tcp \"a.example\" port 444 connections 5");
	widens("allow tcp \"a.example\", \"b.example\" bytes 5M",
	       "allow tcp \"a.example\" bytes 5M allow tcp \"b.example\" bytes 5M");
	widens("allow tcp 10.0.0.0/8 connections 5",
	       "allow tcp 10.0.0.0/9 connections 5 allow tcp 10.128.0.0/9 connections 5");
	widens("ask tcp \"a.example\" port 1-9 connections 5",
	       "ask tcp \"a.example\" port 1-3 connections 5 ask tcp \"a.example\" port 4-9 connections 5");
}

static void test_the_values_say_how_many(void **state)
{
	(void)state;
	compare(net("allow tcp \"a.example\" port 1-3 connections 5"),
		net("allow tcp \"a.example\" port 1 connections 5 allow tcp \"a.example\" port 2 connections 5"
		    " allow tcp \"a.example\" port 3 connections 5"));
	const struct diff_finding *f = only_finding(DIFF_LOOSER, true);

	assert_true(str_eqz(f->side[0].value, "connections 5"));
	assert_true(str_eqz(f->side[1].value, "connections 5, and 2 more such limits count apart"));
}

/* The first rule that matches says whose limit it is. */
static void test_the_order_says_whose_limit_it_is(void **state)
{
	(void)state;
	widens("allow tcp \"a.example\" connections 5 allow tcp \"a.example\" port 443 connections 5",
	       "allow tcp \"a.example\" port 443 connections 5 allow tcp \"a.example\" connections 5");
}

/* A lower limit, and yet more in all. */
static void test_the_sum_counts(void **state)
{
	size_t looser = 0;

	(void)state;
	compare(net("allow tcp \"a.example\", \"b.example\" connections 5"),
		net("allow tcp \"a.example\" connections 3 allow tcp \"b.example\" connections 3"));
	for (size_t i = 0; i < res.findings.n; i++)
		looser += res.findings.v[i].change == DIFF_LOOSER && res.findings.v[i].widening;
	assert_int_equal(looser, 1);
	compare(net("allow tcp \"a.example\", \"b.example\" connections 6"),
		net("allow tcp \"a.example\" connections 3 allow tcp \"b.example\" connections 3"));
	assert_true(res.findings.n > 0);
	for (size_t i = 0; i < res.findings.n; i++)
		assert_false(res.findings.v[i].widening);
}

static void test_who_counts_the_same_is_alike(void **state)
{
	(void)state;
	alike("allow tcp \"a.example\", \"b.example\" connections 5",
	      "allow tcp \"b.example\", \"a.example\" connections 5");
	alike("allow tcp \"a.example\" connections 5 allow tcp \"b.example\" connections 5",
	      "allow tcp \"b.example\" connections 5 allow tcp \"a.example\" connections 5");
	alike("allow tcp \"a.example\" port 443 connections 5 allow tcp \"a.example\" connections 5",
	      "allow tcp \"a.example\" port 443 connections 5  allow tcp \"a.example\"  connections 5");
	/* the second one never counts */
	alike("allow tcp \"a.example\" connections 5",
	      "allow tcp \"a.example\" connections 5 allow tcp \"a.example\" port 443 connections 5");
	alike("allow tcp 10.0.0.0/8 connections 5", "allow tcp 10.0.0.0/9, 10.128.0.0/9 connections 5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_a_split_statement_counts_apart),
		WITH(arena, test_the_values_say_how_many),
		WITH(arena, test_the_order_says_whose_limit_it_is),
		WITH(arena, test_the_sum_counts),
		WITH(arena, test_who_counts_the_same_is_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
