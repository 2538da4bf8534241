/*
 * Unified diffs: applied to the old text each gives the new one, with as few
 * changed lines as there have to be; what is too far apart is one change.
 * SEED= and RUNS= choose the runs.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/base/buf.h"
#include "compiler/cli/unified.h"

static uint64_t rng;

static unsigned below(unsigned n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)((rng >> 11) % n);
}

static struct str diff(struct arena *a, struct str was, struct str is)
{
	char *p = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&p, &n);
	struct str ret;

	unified_diff(f, a, "x", was, is);
	fclose(f);
	ret = str_dup(a, (struct str){ p, n });
	free(p);
	return ret;
}

/* Takes a line, with its newline, off the begin. */
static struct str line(struct str *s)
{
	const char *end = s->n ? memchr(s->p, '\n', s->n) : NULL;
	struct str l = { s->p, end ? (size_t)(end - s->p) + 1 : s->n };

	*s = str_sub(*s, l.n, s->n);
	return l;
}

static void expect(struct str *s, struct str want)
{
	struct str l = line(s);

	assert_true(str_eq(l, want));
}

/* patch(1) in small: each hunk must fit exactly. */
static struct str apply(struct arena *a, struct str was, struct str patch,
			size_t *ret_changed)
{
	size_t at = 0, changed = 0;
	struct buf b;

	buf_init(&b, a);
	expect(&patch, STR("--- x\n"));
	expect(&patch, STR("+++ x (formatted)\n"));
	while (patch.n) {
		struct str l = line(&patch);

		if (str_starts(l, STR("@@"))) {
			size_t from = strtoul(l.p + 4, NULL, 10);
			const char *comma = strpbrk(l.p + 4, ", ");

			from -= *comma != ',' || comma[1] != '0'; /* an empty range */
			assert_true(from >= at);
			for (; at < from; at++)
				buf_str(&b, line(&was));
			continue;
		}
		if (str_starts(patch, STR("\\"))) {
			line(&patch);
			l.n--;
		}
		changed += l.p[0] != ' ';
		if (l.p[0] != '+') {
			expect(&was, str_sub(l, 1, l.n));
			at++;
		}
		if (l.p[0] != '-')
			buf_str(&b, str_sub(l, 1, l.n));
	}
	buf_str(&b, was);
	*ret_changed = changed;
	return buf_view(&b);
}

static struct str random_text(struct arena *a, unsigned lines)
{
	struct buf b;

	buf_init(&b, a);
	for (unsigned n = below(lines + 1); n; n--)
		buf_printf(&b, "%c%s", (char)('a' + below(3)),
			   n == 1 && below(3) == 0 ? "" : "\n");
	return buf_view(&b);
}

/* Lines that are not in a longest common subsequence, of either text. */
static size_t fewest(struct str was, struct str is)
{
	enum { MAX = 64 };
	struct str x[MAX], y[MAX];
	size_t n = 0, m = 0;
	static size_t best[MAX + 1][MAX + 1];

	while (was.n)
		x[n++] = line(&was);
	while (is.n)
		y[m++] = line(&is);
	for (size_t i = 0; i <= n; i++) {
		for (size_t k = 0; k <= m; k++) {
			if (i == 0 || k == 0) {
				best[i][k] = i + k;
				continue;
			}
			best[i][k] = 1 + (best[i - 1][k] < best[i][k - 1] ?
						  best[i - 1][k] : best[i][k - 1]);
			if (str_eq(x[i - 1], y[k - 1]) &&
			    best[i - 1][k - 1] < best[i][k])
				best[i][k] = best[i - 1][k - 1];
		}
	}
	return best[n][m];
}

static void test_random_texts_are_reached(void **state)
{
	const char *s = getenv("SEED"), *r = getenv("RUNS");
	unsigned long seed = s ? strtoul(s, NULL, 0) : (unsigned long)time(NULL);
	unsigned long runs = r ? strtoul(r, NULL, 0) : 3000;

	(void)state;
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++) {
		struct arena a;
		struct str was, is, patch;
		size_t changed;

		rng = (seed + i) * 0x9e3779b97f4a7c15u + 1;
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		was = random_text(&a, 40);
		is = random_text(&a, 40);
		patch = diff(&a, was, is);
		if (str_eq(was, is)) {
			assert_int_equal(patch.n, 0);
		} else {
			struct str got = apply(&a, was, patch, &changed);

			if (!str_eq(got, is) || changed != fewest(was, is))
				fail_msg("SEED=%lu: %.*s", seed + i, STR_ARG(patch));
		}
		arena_release(&a);
	}
}

static void test_texts_far_apart_are_one_change(void **state)
{
	struct arena a;
	struct buf was, is;
	struct str patch;
	size_t changed;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	buf_init(&was, &a);
	buf_init(&is, &a);
	for (unsigned i = 0; i < 2000; i++) {
		buf_printf(&was, "same %u\nold %u\n", i, i);
		buf_printf(&is, "same %u\nnew %u\n", i, i);
	}
	patch = diff(&a, buf_view(&was), buf_view(&is));
	assert_true(str_eq(apply(&a, buf_view(&was), patch, &changed), buf_view(&is)));
	assert_int_equal(changed, 2 * (2 * 2000 - 1)); /* all but the first line */
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_texts_are_reached),
		cmocka_unit_test(test_texts_far_apart_are_one_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
