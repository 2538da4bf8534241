/*
 * decide BUNDLE PATTERNS [FILE]: how long decisions about lines take, reading
 * included, beside loops of fnmatch() and of PCRE2 with JIT over the same word
 * patterns, which read nothing.  FILE has a line a line (nl2bash.cm); without
 * it lines are generated.  decide.h states the complexity.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fnmatch.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/decide/decide.h"
#include "tests/bench/clock.h"

#define ROUNDS 5
#define MAX_LINES 20000

static char *lines[MAX_LINES];
static size_t nlines;

static void read_lines(const char *path)
{
	FILE *f = path ? fopen(path, "r") : NULL;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while (f && nlines < MAX_LINES && (n = getline(&line, &cap, f)) > 0) {
		line[n - 1] = '\0';
		lines[nlines++] = strdup(line);
	}
	free(line);
	if (f)
		(void)fclose(f);
	for (size_t i = 0; !f && i < 2000; i++) {
		char text[200];

		(void)snprintf(text, sizeof(text),
			       i % 4 == 0 ? "prog%zu run a%zu --x=%zu" :
			       i % 4 == 1 ? "find . -name 'a%zu' | xargs grep %zu > f%zu" :
			       i % 4 == 2 ? "cd d%zu && tar -xzf a%zu.tgz; echo $x%zu" :
					    "git commit -m 'a %zu' %zu %zu",
			       i % 1000, i, i);
		lines[nlines++] = strdup(text);
	}
}

/* --- the three of them ------------------------------------------------------------ */

#define MAX_PATTERNS 20000

static char *patterns[MAX_PATTERNS];
static pcre2_code *codes[MAX_PATTERNS];
static pcre2_match_data *data;
static size_t npatterns;

/* "a b *": all of it, where '*' is any bytes. */
static pcre2_code *compiled(const char *z)
{
	char text[600];
	size_t n = 0, where;
	pcre2_code *code;
	int err;

	text[n++] = '^';
	for (; *z && n < sizeof(text) - 4; z++) {
		if (*z == '*')
			text[n++] = '.';
		text[n++] = *z;
	}
	text[n++] = '$';
	code = pcre2_compile((PCRE2_SPTR)text, n, 0, &err, &where, NULL);
	if (code)
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return code;
}

static void read_patterns(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while (f && npatterns < MAX_PATTERNS && (n = getline(&line, &cap, f)) > 0) {
		line[n - 1] = '\0';
		patterns[npatterns] = strdup(line);
		codes[npatterns++] = compiled(line);
	}
	free(line);
	if (f)
		(void)fclose(f);
	data = pcre2_match_data_create(1, NULL);
}

struct asked {
	struct decide_ctx c;
	void *block;
	size_t size;
	unsigned long effects[PB_EFFECT_COUNT], hits;
};

static void by_decide(struct asked *a, const char *line)
{
	struct decision d;

	decide_line(&a->c, line, strlen(line), a->block, a->size, NULL, &d);
	a->effects[d.effect]++;
}

static void by_fnmatch(struct asked *a, const char *line)
{
	for (size_t i = 0; i < npatterns; i++)
		a->hits += fnmatch(patterns[i], line, 0) == 0;
}

static void by_pcre2(struct asked *a, const char *line)
{
	size_t n = strlen(line);

	for (size_t i = 0; i < npatterns; i++)
		a->hits += pcre2_jit_match(codes[i], (PCRE2_SPTR)line, n, 0, 0, data,
					   NULL) >= 0;
}

static void measure(struct asked *a, const char *name,
		    void (*f)(struct asked *, const char *))
{
	static double took[MAX_LINES];

	for (size_t i = 0; i < nlines; i++) {
		took[i] = 1e18;
		for (int k = 0; k < ROUNDS; k++) {
			double t = bench_now();

			f(a, lines[i]);
			t = bench_now() - t;
			took[i] = t < took[i] ? t : took[i];
		}
	}
	qsort(took, nlines, sizeof(*took), bench_by_time);
	printf("%-8s %6zu patterns, %zu lines: median %7.2f us, p90 %7.2f, p99 %7.2f\n",
	       name, npatterns, nlines, took[nlines / 2] / 1e3,
	       took[nlines * 9 / 10] / 1e3, took[nlines * 99 / 100] / 1e3);
}

int main(int argc, char **argv)
{
	static struct asked a = { .c = { .scope = PB_SANDBOX, .cwd = "/home/dev/app" } };
	struct rt_err err;
	struct bundle b;

	if (argc < 3 || bundle_open(argv[1], &b, &err) < 0)
		return 2;
	read_patterns(argv[2]);
	read_lines(argc > 3 ? argv[3] : NULL);
	a.c.b = &b;
	a.c.roots.dir[PB_ROOT_FS] = "/";
	a.c.roots.dir[PB_ROOT_HOME] = "/home/dev";
	a.c.roots.dir[PB_ROOT_PROJECT] = "/home/dev/app";
	a.size = decide_block_size(&a.c, 65536);
	a.block = malloc(a.size);
	if (!a.block || !data || !nlines)
		return 2;
	measure(&a, "decide", by_decide);
	measure(&a, "fnmatch", by_fnmatch);
	measure(&a, "pcre2", by_pcre2);
	return a.effects[PB_ALLOW] + a.effects[PB_ASK] + a.effects[PB_DENY] == 0;
}
