/*
 * Nanoseconds that sh_parse() takes for each line of a file, or of lines that
 * it makes itself: median and 99th percentile over the lines, of the best of
 * some runs each.  Then the lines that are unparsed, by reason.
 *   shell [FILE [unparsed]]       "unparsed" prints these lines as well
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/line/shell/shell.h"
#include "tests/bench/clock.h"
#include "tests/bench/lines.h"

#define RUNS 15
#define MAX_LINES 200000

static char block[64 * 1024] __attribute__((aligned(16)));
static double took[MAX_LINES];

struct reason {
	const char *why;
	unsigned n;
};

static struct reason reasons[256];

static void count(const char *why)
{
	struct reason *r = reasons;

	while (r->why && strcmp(r->why, why) != 0 && r < reasons + 254)
		r++;
	r->why = why;
	r->n++;
}

static double one(const char *line, size_t n, struct sh *s)
{
	double best = 1e18;

	for (int i = 0; i < RUNS; i++) {
		double from = bench_now(), t;

		sh_parse(s, block, sizeof(block), line, n, SH_BASH);
		t = bench_now() - from;
		best = t < best ? t : best;
	}
	return best;
}

static void report(size_t n, size_t bytes)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += took[i];
	qsort(took, n, sizeof(*took), bench_by_time);
	printf("%zu lines, %.1f bytes each: median %.0f ns, p99 %.0f ns, mean %.0f ns\n", n,
	       (double)bytes / (double)n, took[n / 2], took[n * 99 / 100], sum / (double)n);
	for (struct reason *r = reasons; r->why; r++)
		printf("%6u unparsed: %s\n", r->n, r->why);
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "re") : NULL;
	size_t cap = 0, n = 0, bytes = 0;
	char *line = NULL;
	ssize_t got;

	if (argc > 1 && !f) {
		perror(argv[1]);
		return 2;
	}
	while (n < MAX_LINES) {
		const char *text = bench_lines[n % (sizeof(bench_lines) / sizeof(*bench_lines))];
		struct sh s;

		if (f) {
			got = getline(&line, &cap, f);
			if (got <= 0)
				break;
			got -= line[got - 1] == '\n';
			text = line;
		} else if (n == 1000) {
			break;
		} else {
			got = (ssize_t)strlen(text);
		}
		took[n++] = one(text, (size_t)got, &s);
		bytes += (size_t)got;
		if (s.status != SH_PARSED) {
			count(s.why);
			if (argc > 2)
				printf("%s\t%.*s\n", s.why, (int)got, text);
		}
	}
	if (n)
		report(n, bytes);
	free(line);
	return 0;
}
