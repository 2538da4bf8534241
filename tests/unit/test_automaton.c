/* Automata: what they accept, how small they are, what inclusion answers. */
#include "compiler/sets/automaton.h"
#include "tests/unit/fixture.h"

static struct set_re *lit(const char *z)
{
	return set_lit(&arena, str_from(z));
}

static struct set_re *any(void)
{
	struct set_bytes b = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	return set_star(&arena, set_class(&arena, b));
}

static bool has_tag(const struct set_dfa *d, const char *word, uint32_t tag)
{
	size_t n, i;
	const uint32_t *tags = set_dfa_run(d, str_from(word), &n);

	for (i = 0; i < n; i++)
		if (tags[i] == tag)
			return true;
	return false;
}

static void test_empty_union_is_one_dead_state(void **state)
{
	struct set_dfa d;
	size_t n = 1;

	(void)state;
	assert_int_equal(set_dfa_build(&arena, NULL, 0, 10, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 1);
	assert_int_equal(d.start, 0);
	assert_null(set_dfa_run(&d, STR("x"), &n));
	assert_int_equal(n, 0);
}

static void test_tags_of_all_languages_and_minus(void **state)
{
	struct set_tagged t[] = {
		{ .re = set_cat(&arena, lit("a"), any()), .tag = 7 },
		{ .re = any(), .minus = lit("ab"), .tag = 9 },
	};
	struct set_dfa d;

	(void)state;
	assert_int_equal(set_dfa_build(&arena, t, 2, 100, &d), SET_HOLDS);
	assert_true(has_tag(&d, "ab", 7));
	assert_false(has_tag(&d, "ab", 9));
	assert_true(has_tag(&d, "abc", 7));
	assert_true(has_tag(&d, "abc", 9));
	assert_false(has_tag(&d, "b", 7));
	assert_true(has_tag(&d, "", 9));
}

static void test_minimal(void **state)
{
	struct set_tagged t = { .tag = 1 };
	struct set_dfa d;

	(void)state;
	/* words that end in "ab": three states, and the dead one */
	t.re = set_cat(&arena, any(), lit("ab"));
	assert_int_equal(set_dfa_build(&arena, &t, 1, 100, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 4);
	assert_int_equal(d.nclasses, 3);
	/* the same language, spelled twice */
	t.re = set_or(&arena, set_cat(&arena, any(), lit("ab")),
		      set_cat(&arena, any(), set_cat(&arena, any(), lit("ab"))));
	assert_int_equal(set_dfa_build(&arena, &t, 1, 100, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 4);
	/* nothing left: only the dead state */
	t.minus = any();
	assert_int_equal(set_dfa_build(&arena, &t, 1, 100, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 1);
}

static void test_budget_is_undecided_and_touches_nothing(void **state)
{
	struct set_re *one = set_or(&arena, set_byte(&arena, 'a'), set_byte(&arena, 'b'));
	struct set_re *star = set_star(&arena, one);
	struct set_re *re = set_cat(&arena, star, set_byte(&arena, 'a'));
	struct set_tagged t = { .tag = 1 };
	struct set_dfa d = { .nstates = 77 };
	struct str w;
	int i;

	(void)state;
	for (i = 0; i < 16; i++)
		re = set_cat(&arena, re, one);
	t.re = re;
	assert_int_equal(set_dfa_build(&arena, &t, 1, 1000, &d), SET_UNDECIDED);
	assert_int_equal(d.nstates, 77);
	/* on the fly the first difference is found at once */
	assert_int_equal(set_included(&arena, star, NULL, &t, 1, 3, &w), SET_WITNESS);
	assert_int_equal(w.n, 0);
}

/* What another language distinguishes elsewhere costs nothing. */
static void test_of_the_first_language_only(void **state)
{
	struct set_re *star = any(), *re = set_cat(&arena, star, set_byte(&arena, 'a'));
	struct set_tagged t[2] = { { .re = lit("xya"), .tag = 5 }, { .tag = 7 } };
	size_t work = 100000, before;
	struct set_dfa d;
	int i;

	(void)state;
	for (i = 0; i < 16; i++)
		re = set_cat(&arena, re, set_or(&arena, lit("x"), lit("a")));
	t[1].re = set_or(&arena, re, set_cat(&arena, star, lit("ya")));
	assert_int_equal(set_dfa_build(&arena, t, 2, 1000, &d), SET_UNDECIDED);
	assert_int_equal(set_dfa_build_of_first(&arena, t, 2, 1, 1000, &work, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 5);
	assert_true(has_tag(&d, "xya", 5) && has_tag(&d, "xya", 7));
	assert_false(has_tag(&d, "ya", 7) || has_tag(&d, "xy", 7));
	before = work;
	t[0].re = star;
	assert_int_equal(set_dfa_build_of_first(&arena, t, 2, 1, 1000, &work, &d), SET_UNDECIDED);
	assert_true(work < before);
}

/* Where all that follows is subtracted, nothing else is told apart any more. */
static void test_what_is_subtracted_ends_a_language(void **state)
{
	struct set_re *star = any(), *re = set_cat(&arena, star, set_byte(&arena, 'a'));
	struct set_tagged t[2] = { { .re = star, .tag = 5 }, { .tag = 7 } };
	size_t work = 100000;
	struct set_dfa d;
	int i;

	(void)state;
	for (i = 0; i < 16; i++)
		re = set_cat(&arena, re, set_or(&arena, lit("x"), lit("a")));
	t[1].re = re;
	t[0].minus = set_cat(&arena, set_byte(&arena, 'a'), star);
	assert_int_equal(set_dfa_build_of_first(&arena, t, 2, 1, 1000, &work, &d), SET_UNDECIDED);
	work = 100000;
	t[0].minus = set_cat(&arena, star, set_cat(&arena, set_byte(&arena, 'a'), star));
	assert_int_equal(set_dfa_build_of_first(&arena, t, 2, 1, 1000, &work, &d), SET_HOLDS);
	assert_true(has_tag(&d, "xyx", 5));
	assert_false(has_tag(&d, "xya", 5) || has_tag(&d, "xyaxxxxxxxxxxxxxxxx", 7));
}

/* In none of these languages alone, but in both, are few words. */
static void test_of_several_languages_only(void **state)
{
	struct set_re *star = any(), *re = set_cat(&arena, star, set_byte(&arena, 'a'));
	struct set_tagged t[3] = { { .tag = 1 }, { .tag = 2 }, { .tag = 3 } };
	size_t work = 100000;
	struct set_dfa d;
	int i;

	(void)state;
	for (i = 0; i < 16; i++)
		re = set_cat(&arena, re, set_or(&arena, lit("x"), lit("a")));
	t[0].re = set_cat(&arena, star, lit("y"));
	t[1].re = set_or(&arena, lit("xay"), lit("xax"));
	t[2].re = re;
	assert_int_equal(set_dfa_build_of_first(&arena, t, 3, 1, 1000, &work, &d), SET_UNDECIDED);
	work = 100000;
	assert_int_equal(set_dfa_build_of_first(&arena, t, 3, 2, 1000, &work, &d), SET_HOLDS);
	assert_int_equal(d.nstates, 5);
	assert_true(has_tag(&d, "xay", 1) && has_tag(&d, "xay", 2));
	assert_false(has_tag(&d, "xax", 2) || has_tag(&d, "y", 1));
}

static void test_inclusion_budget(void **state)
{
	struct set_re *x = any(), *y = set_none(&arena);
	struct set_tagged t = { .tag = 1 };
	struct str w;
	int i;

	(void)state;
	/* no byte alone is an answer, so a hundred bytes must be walked */
	for (i = 0; i < 100; i++)
		x = set_cat(&arena, lit("x"), x);
	y = set_cat(&arena, x, lit("y"));
	t.re = set_cat(&arena, lit("x"), any());
	t.minus = y;
	assert_int_equal(set_included(&arena, x, NULL, &t, 1, 10, &w), SET_UNDECIDED);
	assert_int_equal(set_included(&arena, x, NULL, &t, 1, 10000, &w), SET_WITNESS);
	assert_int_equal(w.n, 101);
	assert_int_equal(w.p[100], 'y');
}

static void test_witness_is_shortest_and_readable(void **state)
{
	struct set_tagged t = { .re = set_or(&arena, lit("ab"), lit("b")) };
	struct set_re *x = set_or(&arena, lit("b"), set_cat(&arena, lit("a"), any()));
	struct str w;

	(void)state;
	assert_int_equal(set_included(&arena, x, NULL, &t, 1, 1000, &w), SET_WITNESS);
	assert_true(str_eqz(w, "a"));
	assert_int_equal(set_included(&arena, x, lit("a"), &t, 1, 1000, &w), SET_WITNESS);
	assert_int_equal(w.n, 2);
	assert_true(w.p[1] >= 'a' && w.p[1] <= 'z');
}

static void test_member(void **state)
{
	struct str w;

	(void)state;
	assert_int_equal(set_member(&arena, set_none(&arena), NULL, 10, &w), SET_HOLDS);
	assert_int_equal(set_member(&arena, lit("xy"), NULL, 10, &w), SET_WITNESS);
	assert_true(str_eqz(w, "xy"));
	assert_int_equal(set_member(&arena, lit("xy"), any(), 10, &w), SET_HOLDS);
}

static void test_after(void **state)
{
	struct set_re *re = set_cat(&arena, set_star(&arena, lit("./")), lit("./a"));
	struct set_tagged t = { .re = set_after(&arena, set_after(&arena, re, '.'), '/') };
	struct set_dfa d;

	(void)state;
	assert_int_equal(set_dfa_build(&arena, &t, 1, 100, &d), SET_HOLDS);
	assert_true(has_tag(&d, "a", 0));
	assert_true(has_tag(&d, "./a", 0));
	assert_false(has_tag(&d, "", 0));
}

static void test_a_long_literal_does_not_nest(void **state)
{
	size_t n = 200000;
	char *p = arena_alloc(&arena, n + 1);
	struct set_tagged t = { .tag = 3 };
	struct set_dfa d;

	(void)state;
	memset(p, 'x', n);
	t.re = lit(p);
	assert_int_equal(set_dfa_build(&arena, &t, 1, n + 10, &d), SET_HOLDS);
	assert_int_equal(d.nstates, n + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_empty_union_is_one_dead_state),
		WITH(arena, test_tags_of_all_languages_and_minus),
		WITH(arena, test_minimal),
		WITH(arena, test_budget_is_undecided_and_touches_nothing),
		WITH(arena, test_of_the_first_language_only),
		WITH(arena, test_what_is_subtracted_ends_a_language),
		WITH(arena, test_of_several_languages_only),
		WITH(arena, test_inclusion_budget),
		WITH(arena, test_witness_is_shortest_and_readable),
		WITH(arena, test_member),
		WITH(arena, test_after),
		WITH(arena, test_a_long_literal_does_not_nest),
	};

	return cmocka_run_group_tests_name("automaton", tests, NULL, NULL);
}
