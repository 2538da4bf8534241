/*
 * How long a bundle takes from its path to "ready to decide": opened as polrun
 * opens it, with its signature, its list of signers and its filter.
 *
 *     open RUNS BUNDLE [LIST]
 *
 * Prints one line: min, p5, p25, median, p75, p95 in milliseconds.  The first
 * runs, which warm the caches, do not count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/bundle/trust.h"

enum { WARM = 20 };

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static void once(const char *path, const char *list)
{
	struct trust_options opt = { .file = list, .require = list != NULL,
				     .now = (int64_t)time(NULL) };
	const struct pb_map *map;
	struct rt_err err;
	const void *insns;
	struct trust t;
	struct bundle b;
	size_t n;

	if (trust_open(path, true, &opt, &b, &t, &err) < 0 ||
	    bundle_check_time(&b, opt.now, &err) < 0 ||
	    bundle_filter(&b, PB_FILTER_ENFORCE, &insns, &n, &map, &err) < 0) {
		fprintf(stderr, "open: %s\n", err.text);
		exit(1);
	}
	bundle_release(&b);
}

int main(int argc, char **argv)
{
	const double at[] = { 0, .05, .25, .5, .75, .95 };
	long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	double *ms;

	if (runs < 1 || runs > 1000000) {
		fputs("usage: open RUNS BUNDLE [LIST]\n", stderr);
		return 2;
	}
	ms = calloc((size_t)runs, sizeof(*ms));
	if (!ms)
		return 1;
	for (long i = -WARM; i < runs; i++) {
		double from = now_ms();

		once(argv[2], argc > 3 ? argv[3] : NULL);
		if (i >= 0)
			ms[i] = now_ms() - from;
	}
	qsort(ms, (size_t)runs, sizeof(*ms), by_size);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		printf("%s%.3f", i ? " " : "", ms[(size_t)((double)runs * at[i])]);
	putchar('\n');
	free(ms);
	return 0;
}
