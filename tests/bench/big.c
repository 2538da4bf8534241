/*
 * big BUNDLE: milliseconds for the answers to lines of a megabyte that nobody
 * writes (tests/lib/big_lines.h): processor time of the best of some runs, in
 * memory that was used before; the slowest ten of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/decide/decide.h"
#include "tests/lib/big_lines.h"

#define ROUNDS 4
#define LONG ((size_t)1 << 20)
#define SHOWN 10

struct took {
	const struct big_line *line;
	double ms;
	struct cmd_line parts;
	uint8_t effect;
};

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct took *)a)->ms, y = ((const struct took *)b)->ms;

	return (x < y) - (x > y);
}

static void measure(const struct decide_ctx *c, const char *text, size_t n, void *block,
		    size_t size, struct took *ret)
{
	struct decision d;

	ret->ms = 1e18;
	for (int i = 0; i < ROUNDS; i++) {
		double t = now();

		decide_line(c, text, n, block, size, &ret->parts, &d);
		t = now() - t;
		ret->ms = t < ret->ms ? t : ret->ms;
	}
	ret->effect = d.effect;
}

int main(int argc, char **argv)
{
	static const char *const effects[] = { "allow", "ask", "deny", "hide" };
	static struct decide_ctx c = { .scope = PB_SANDBOX, .cwd = "/home/dev/app" };
	static struct took took[BIG_LINES];
	static char text[BIG_ROOM(LONG)];
	struct rt_err err;
	struct bundle b;
	size_t size;
	void *block;

	if (argc != 2 || bundle_open(argv[1], &b, &err) < 0)
		return 2;
	c.b = &b;
	c.roots.dir[PB_ROOT_FS] = "/";
	c.roots.dir[PB_ROOT_HOME] = "/home/dev";
	c.roots.dir[PB_ROOT_PROJECT] = "/home/dev/app";
	size = decide_block_size(&c, LONG);
	block = malloc(size);
	if (!block)
		return 2;
	for (size_t i = 0; i < BIG_LINES; i++) {
		took[i].line = &big_lines[i];
		measure(&c, text, big_line(text, &big_lines[i], LONG), block, size, &took[i]);
	}
	qsort(took, BIG_LINES, sizeof(*took), by_time);
	printf("%zu lines of a megabyte, median %.1f ms; the slowest:\n", BIG_LINES,
	       took[BIG_LINES / 2].ms);
	for (size_t i = 0; i < SHOWN; i++)
		printf("%6.1f ms  %-5s %9lu steps  %s%s%s\n", took[i].ms,
		       effects[took[i].effect], (unsigned long)took[i].parts.steps,
		       took[i].line->head, took[i].line->unit,
		       took[i].parts.limit ? "  (past a limit)" : "");
	free(block);
	bundle_release(&b);
	return 0;
}
