/*
 * Nanoseconds that cmd_from_line() takes for each line of a file, or of lines
 * that it makes itself: median and 99th percentile over the lines, of the best
 * of some runs each; and what of that is the reading of the shell's grammar.
 *   command [FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/line/command.h"
#include "tests/bench/clock.h"
#include "tests/bench/lines.h"
#include "tests/lib/facts.h"

#define RUNS 15
#define MAX_LINES 200000

static char block[256 * 1024] __attribute__((aligned(16)));
static double took[2][MAX_LINES];

static double one(const struct cmd_world *w, const char *line, size_t n, int whole)
{
	struct cmd_line l;
	struct sh sh;
	double best = 1e18;

	for (int i = 0; i < RUNS; i++) {
		double from = bench_now(), t;

		if (whole)
			cmd_from_line(&l, block, sizeof(block), w, line, n);
		else
			sh_parse(&sh, block, sizeof(block), line, n, SH_BASH);
		t = bench_now() - from;
		best = t < best ? t : best;
	}
	return best;
}

static void report(const char *what, double *t, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += t[i];
	qsort(t, n, sizeof(*t), bench_by_time);
	printf("%-8s %zu lines: median %.0f ns, p99 %.0f ns, mean %.0f ns\n", what, n,
	       t[n / 2], t[n * 99 / 100], sum / (double)n);
}

int main(int argc, char **argv)
{
	struct cmd_world w = { .facts = facts_make(facts_text), .cwd = "/w", .home = "/h" };
	FILE *f = argc > 1 ? fopen(argv[1], "re") : NULL;
	size_t cap = 0, n = 0;
	char *line = NULL;
	ssize_t got;

	if (argc > 1 && !f) {
		perror(argv[1]);
		return 2;
	}
	while (n < MAX_LINES) {
		const char *text = bench_lines[n % (sizeof(bench_lines) / sizeof(*bench_lines))];

		if (f) {
			got = getline(&line, &cap, f);
			if (got <= 0)
				break;
			got -= line[got - 1] == '\n';
			text = line;
		} else if (n == 1200) {
			break;
		} else {
			got = (ssize_t)strlen(text);
		}
		took[0][n] = one(&w, text, (size_t)got, 0);
		took[1][n++] = one(&w, text, (size_t)got, 1);
	}
	if (n) {
		report("grammar", took[0], n);
		report("whole", took[1], n);
	}
	free(line);
	return 0;
}
