/*
 * decide BUNDLE POLICY PATTERNS LINES: how long decisions about lines take,
 * reading included, beside others (peers.h) that look for the same word
 * patterns in the whole line and read nothing.  PATTERNS[i] stands in line
 * i + 4 of POLICY, which the bundle was compiled from.
 *
 * Each engine is a process of its own, so that its memory is its own; they run in
 * turn, a round each.  Then what they answered is compared.  Printed are rows for
 * decide.py.  decide.h states the complexity.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/decide/decide.h"
#include "tests/bench/clock.h"
#include "tests/bench/peers.h"

#define ROUNDS 5
#define MAX_LINES 20000
#define MAX_PATTERNS 20000
#define FIRST_LINE 4
/* A loop over many patterns is asked about fewer lines. */
#define LOOP_BUDGET 12000000

static char *lines[MAX_LINES], *patterns[MAX_PATTERNS];
static uint32_t nlines, npatterns;

static uint32_t read_list(const char *path, char **ret, uint32_t max)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	uint32_t n = 0;
	ssize_t got;

	if (!f) {
		perror(path);
		exit(2);
	}
	while (n < max && (got = getline(&line, &cap, f)) > 0) {
		line[got - (line[got - 1] == '\n')] = '\0';
		ret[n++] = strdup(line);
	}
	free(line);
	(void)fclose(f);
	return n;
}

/* --- ours ------------------------------------------------------------------------ */

static const char *bundle_path, *policy;
static struct bundle bundle;
static struct decide_ctx ctx = { .scope = PB_SANDBOX, .cwd = "/home/dev/app" };
static void *block;
static size_t block_size;

static bool build_ours(char *const *unused, uint32_t n)
{
	struct rt_err err;

	(void)unused;
	(void)n;
	if (bundle_open(bundle_path, &bundle, &err) < 0)
		return false;
	ctx.b = &bundle;
	ctx.roots.dir[PB_ROOT_FS] = "/";
	ctx.roots.dir[PB_ROOT_HOME] = "/home/dev";
	ctx.roots.dir[PB_ROOT_PROJECT] = "/home/dev/app";
	block_size = decide_block_size(&ctx, 65536);
	block = malloc(block_size);
	return block != NULL;
}

static bool match_ours(const char *line, size_t n, struct peer_hits *ret)
{
	struct decision d;

	decide_line(&ctx, line, n, block, block_size, NULL, &d);
	ret->n = d.nmatched;
	memcpy(ret->v, d.matched, sizeof(ret->v));
	return true;
}

/* The rules of the policy itself, as numbers of patterns, in place of those of the bundle. */
static void own_rules(struct peer_hits *h)
{
	uint32_t n = h->n < PEER_KEPT ? h->n : PEER_KEPT, i;

	h->n = 0;
	for (i = 0; i < n; i++) {
		const struct pb_rule *r = bundle_rule(&bundle, h->v[i]);

		if (r && r->kind == PB_COMMAND && r->file.len == strlen(policy) &&
		    !memcmp(pb_strp(bundle.rules, r->file), policy, r->file.len))
			peer_hit(h, r->line - FIRST_LINE);
	}
}

static const struct peer ours = { "ours", build_ours, match_ours };
_Static_assert(DECIDE_MAX_MATCHED == PEER_KEPT, "kept alike");

/* --- one engine, in its process ---------------------------------------------------- */

struct engine {
	const struct peer *p;
	uint32_t step; /* every so many lines */
	bool built, wrong;
	double build_ms, mib, mib_after, median[ROUNDS];
	double took[MAX_LINES];
	struct peer_hits hits[MAX_LINES];
	int go, done; /* the parent's ends of two pipes */
	pid_t pid;
};

/* What the process has of its own, in MiB. */
static double memory(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &kib) == 1)
			break;
	if (f)
		(void)fclose(f);
	return (double)kib / 1024;
}

static void round_of(struct engine *e, int k)
{
	static double now[MAX_LINES];
	static struct peer_hits hits;
	uint32_t n = 0;

	for (uint32_t i = 0; i < nlines; i += e->step) {
		size_t len = strlen(lines[i]);
		double t = bench_now();

		hits.n = 0;
		e->wrong |= !e->p->match(lines[i], len, &hits);
		now[n] = bench_now() - t;
		if (!k || now[n] < e->took[n])
			e->took[n] = now[n];
		n++;
	}
	qsort(now, n, sizeof(*now), bench_by_time);
	e->median[k] = now[n / 2];
}

/* Not timed. */
static void answers_of(struct engine *e)
{
	for (uint32_t i = 0; i < nlines; i++) {
		e->hits[i].n = 0;
		e->wrong |= !e->p->match(lines[i], strlen(lines[i]), &e->hits[i]);
		if (e->p == &ours)
			own_rules(&e->hits[i]);
	}
}

static void serve(struct engine *e, int go, int done)
{
	double before = memory(), t = bench_now();
	char c = 0;

	e->built = e->p->build(patterns, npatterns);
	e->build_ms = (bench_now() - t) / 1e6;
	e->mib = memory() - before;
	for (int k = 0; write(done, &c, 1) == 1 && read(go, &c, 1) == 1; k++) {
		if (e->built && k < ROUNDS)
			round_of(e, k);
		if (e->built && k == ROUNDS - 1)
			e->mib_after = memory() - before;
		if (e->built && k == ROUNDS)
			answers_of(e);
	}
	_exit(0);
}

static void wait_for(struct engine *e)
{
	char c;

	if (read(e->done, &c, 1) != 1) {
		fprintf(stderr, "decide: %s ended\n", e->p->name);
		exit(1);
	}
}

static struct engine *start(const struct peer *p, bool loops)
{
	struct engine *e = mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int go[2], done[2];

	if (e == MAP_FAILED || pipe(go) < 0 || pipe(done) < 0)
		exit(2);
	e->p = p;
	e->step = 1;
	if (loops && (uint64_t)nlines * npatterns > LOOP_BUDGET)
		e->step = (uint32_t)((uint64_t)nlines * npatterns / LOOP_BUDGET);
	e->pid = fork();
	if (e->pid == 0) {
		(void)close(go[1]);
		(void)close(done[0]);
		serve(e, go[0], done[1]);
	}
	(void)close(go[0]);
	(void)close(done[1]);
	e->go = go[1];
	e->done = done[0];
	wait_for(e);
	return e;
}

static void next_round(struct engine *e)
{
	char c = 0;

	if (write(e->go, &c, 1) != 1)
		exit(1);
	wait_for(e);
}

static void report(struct engine *e)
{
	double lo = e->median[0], hi = lo;
	uint32_t n = (nlines + e->step - 1) / e->step;

	if (!e->built || e->wrong) {
		printf("engine\t%s\t%s\n", e->p->name, e->built ? "no answer" : "not built");
		return;
	}
	for (int k = 1; k < ROUNDS; k++) {
		lo = e->median[k] < lo ? e->median[k] : lo;
		hi = e->median[k] > hi ? e->median[k] : hi;
	}
	qsort(e->took, n, sizeof(*e->took), bench_by_time);
	printf("engine\t%s\t%u\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.2f\n", e->p->name,
	       n, e->took[n / 2] / 1e3, e->took[n * 9 / 10] / 1e3, e->took[n * 99 / 100] / 1e3,
	       lo / 1e3, hi / 1e3, e->build_ms, e->mib, e->mib_after);
}

/* --- do they answer alike? ---------------------------------------------------------- */

/* One command, words of plain bytes with one blank between them. */
static bool is_simple(const char *z)
{
	char last = ' ';

	for (; *z; last = *z++)
		if (*z == ' ' ? last == ' ' :
		    !((*z >= 'a' && *z <= 'z') || (*z >= 'A' && *z <= 'Z') ||
		      (*z >= '0' && *z <= '9') || strchr("._:/@+-", *z)))
			return false;
	return last != ' ';
}

static bool has(const struct peer_hits *h, uint32_t v)
{
	uint32_t n = h->n < PEER_KEPT ? h->n : PEER_KEPT;

	for (uint32_t i = 0; i < n; i++)
		if (h->v[i] == v)
			return true;
	return false;
}

static bool is_within(const struct peer_hits *a, const struct peer_hits *b)
{
	uint32_t n = a->n < PEER_KEPT ? a->n : PEER_KEPT;

	for (uint32_t i = 0; i < n; i++)
		if (!has(b, a->v[i]))
			return false;
	return true;
}

static bool are_same(const struct peer_hits *a, const struct peer_hits *b)
{
	return a->n == b->n && (a->n > PEER_KEPT || is_within(a, b));
}

/* Peers with the first of them, on all lines; ours with it, on simple ones. */
static void compare(struct engine *const *v, int n)
{
	const struct engine *ref = v[1];
	uint32_t simple = 0, hit = 0, all_hit = 0, less = 0, more = 0, first_less = 0;

	for (int k = 2; k < n; k++) {
		uint32_t differ = 0;

		for (uint32_t i = 0; v[k]->built && i < nlines; i++)
			differ += !are_same(&v[k]->hits[i], &ref->hits[i]);
		if (v[k]->built)
			printf("differs\t%s\t%u\n", v[k]->p->name, differ);
	}
	for (uint32_t i = 0; i < nlines; i++) {
		const struct peer_hits *a = &v[0]->hits[i], *b = &ref->hits[i];

		all_hit += b->n > 0;
		if (!is_simple(lines[i]))
			continue;
		simple++;
		hit += b->n > 0;
		if (!is_within(b, a)) {
			first_less = less++ ? first_less : i;
			if (getenv("POL_BENCH_SHOW"))
				fprintf(stderr, "less: %s\n", lines[i]);
		} else if (a->n > b->n) {
			more++;
			if (getenv("POL_BENCH_SHOW"))
				fprintf(stderr, "more: %s\n", lines[i]);
		}
	}
	printf("ours\t%u\t%u\t%u\t%u\t%u\t%s\n", all_hit, simple, hit, less, more,
	       less ? lines[first_less] : "");
}

int main(int argc, char **argv)
{
	const struct peer *const peers[] = { &ours, &peer_fnmatch, &peer_pcre2, &peer_re2,
					     &peer_hyperscan };
	struct engine *v[5];
	int n = 0;

	if (argc < 5)
		return 2;
	bundle_path = argv[1];
	policy = argv[2];
	npatterns = read_list(argv[3], patterns, MAX_PATTERNS);
	nlines = read_list(argv[4], lines, MAX_LINES);
	if (!npatterns || !nlines)
		return 2;
	for (size_t i = 0; i < sizeof(peers) / sizeof(*peers); i++)
		if (peers[i])
			v[n++] = start(peers[i], peers[i] == &peer_fnmatch ||
							 peers[i] == &peer_pcre2);
	if (!v[0]->built) {
		fprintf(stderr, "decide: '%s' cannot be opened\n", bundle_path);
		return 1;
	}
	for (int k = 0; k <= ROUNDS; k++)
		for (int i = 0; i < n; i++)
			next_round(v[i]);
	compare(v, n);
	for (int i = 0; i < n; i++)
		report(v[i]);
	/* the last first: it has copies of the pipes of those before it */
	while (n-- > 0) {
		(void)close(v[n]->go);
		(void)waitpid(v[n]->pid, NULL, 0);
	}
	return 0;
}
