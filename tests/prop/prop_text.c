/*
 * Law: whatever a policy text holds, polc answers.  Texts of the tree (goldens,
 * library, examples) are cut, doubled, swapped, mixed and sprinkled with bytes;
 * each mutant goes through every pass in a child of its own batch.  It has to
 * end in time, clean or with an error that has been said, never with a broken
 * IR or a bundle that is not the policy; and no message hands a control byte
 * of the text to the terminal.
 *
 * SEED and RUNS choose the mutants; a failure names its seed, and the text
 * stays in a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/cli/compiled.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/tests.h"

#define BATCH 25u
/* Of the processor: proving a whole policy of the library takes 5, with sanitizers ten times that. */
#define SECONDS_A_MUTANT 120
#define MAX_FILES 512u
#define MAX_TEXT (256u * 1024)

static struct text_file {
	char *path, *bytes;
	size_t n;
} corpus[MAX_FILES];
static size_t ncorpus, nlibrary; /* the first ones have no faults */
static size_t whole[MAX_FILES], nwhole; /* those of the library that compile alone */
static uint64_t state_;
static char folder[] = "/tmp/pol-prop-text.XXXXXX";

/* What the child does, for the parent to tell when the child has died. */
static struct progress {
	uint64_t seed;
	uint64_t clean, faulty, bundles;
	char why[400];
} *progress;

static uint64_t rnd(uint64_t below)
{
	state_ ^= state_ << 13;
	state_ ^= state_ >> 7;
	state_ ^= state_ << 17;
	return below ? (state_ >> 11) % below : 0;
}

static uint64_t env_u64(const char *name, uint64_t none)
{
	const char *v = getenv(name);

	return v && *v ? strtoull(v, NULL, 0) : none;
}

/* --- the corpus ------------------------------------------------------------ */

static int read_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	size_t n = strlen(path);
	FILE *f;

	(void)at;
	if (type != FTW_F || n < 4 || strcmp(path + n - 4, ".pol") != 0 ||
	    st->st_size > 65536 || ncorpus == MAX_FILES)
		return 0;
	f = fopen(path, "rb");
	if (!f)
		return 0;
	corpus[ncorpus].path = strdup(path);
	corpus[ncorpus].bytes = malloc((size_t)st->st_size + 1);
	corpus[ncorpus].n = fread(corpus[ncorpus].bytes, 1, (size_t)st->st_size, f);
	ncorpus++;
	fclose(f);
	return 0;
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct text_file *)x)->path, ((const struct text_file *)y)->path);
}

/* In the order of their names, not of the folder: a seed makes the same text in each clone. */
static void put_in_order(size_t from)
{
	qsort(corpus + from, ncorpus - from, sizeof(*corpus), by_path);
}

static int set_up(void **state)
{
	size_t i;

	(void)state;
	nftw("stdlib-policies", read_one, 16, FTW_PHYS);
	nftw("examples", read_one, 16, FTW_PHYS);
	nlibrary = ncorpus;
	put_in_order(0);
	nftw("tests/golden", read_one, 16, FTW_PHYS);
	put_in_order(nlibrary);
	for (i = 0; i < nlibrary; i++)
		if (strncmp(corpus[i].path, "stdlib-policies/cmd/", 20) == 0 ||
		    strncmp(corpus[i].path, "stdlib-policies/dev/", 20) == 0)
			whole[nwhole++] = i;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return progress == MAP_FAILED || ncorpus < 40 || !nwhole || !mkdtemp(folder) ? -1 : 0;
}

/* --- mutants --------------------------------------------------------------- */

struct text {
	char p[MAX_TEXT];
	size_t n;
};

static void put_in(struct text *t, size_t at, size_t drop, const char *put, size_t n)
{
	if (t->n - drop + n > sizeof(t->p))
		n = sizeof(t->p) - (t->n - drop);
	memmove(t->p + at + n, t->p + at + drop, t->n - at - drop);
	memcpy(t->p + at, put, n);
	t->n += n - drop;
}

/* What a scanner, a pattern reader or a renderer may stumble over. */
static const struct {
	const char *p;
	size_t n;
} sharp[] = {
#define S(x) { x, sizeof(x) - 1 }
	S("\0"), S("\xff"), S("\xc0\x80"), S("\xed\xa0\x80"), S("\xe2\x80\xae"),
	S("\x1b[31m"), S("\r"), S("\""), S("\\"), S("{"), S("}"), S("("), S(")"), S("["),
	S("]"), S("/"), S("/*"), S("#"), S("$"), S("${"), S("${HOME}"), S("${x}"), S("*"),
	S("**"), S("?"), S(":*"), S(","), S("|"), S("&"), S("<="), S("=>"), S("not "),
	S(" and "), S(" except "), S(" when "), S("locked "), S("final "), S("allow "),
	S("hide "), S("otherwise "), S("-1"), S("0x"), S("99999999999999999999"), S("0-"),
	S("1.2.3.4/33"), S("::/"), S("@"), S("@mount"), S("-f|--x:"), S("r\""), S(";"),
	S("use \"./m\"\n"), S("use std/base\n"), S("let a = a\n"), S("\xc3\xbc"),
	S("{a,{b,{c,"), S("policy p { base none }\n"), S("~"), S(".."), S("//"),
#undef S
};

static void mutate(struct text *t)
{
	size_t at = (size_t)rnd(t->n + 1), left = t->n - at;
	size_t len = (size_t)rnd(left < 40 ? left + 1 : rnd(2) ? 8 : 40);
	size_t k, other, from;
	char buf[64];

	if (len > left)
		len = left;
	switch (rnd(7)) {
	case 0: /* cut */
		put_in(t, at, len, "", 0);
		break;
	case 1: /* double */
		memcpy(buf, t->p + at, len);
		put_in(t, at, 0, buf, len);
		break;
	case 2: /* another byte */
		if (left)
			t->p[at] = (char)(rnd(2) ? rnd(256) : 32 + rnd(95));
		break;
	case 3: /* truncate */
		if (rnd(4) == 0)
			t->n = at;
		break;
	case 4: /* swap two pieces */
		if (!left)
			break;
		other = (size_t)rnd(t->n);
		buf[0] = t->p[at];
		t->p[at] = t->p[other];
		t->p[other] = buf[0];
		break;
	case 5: /* something sharp */
		k = (size_t)rnd(sizeof(sharp) / sizeof(*sharp));
		put_in(t, at, rnd(2) ? 0 : len, sharp[k].p, sharp[k].n);
		break;
	default: /* a piece of another text */
		k = (size_t)rnd(ncorpus);
		from = (size_t)rnd(corpus[k].n + 1);
		len = (size_t)rnd(corpus[k].n - from + 1);
		put_in(t, at, 0, corpus[k].bytes + from, len > 400 ? 400 : len);
		break;
	}
}

/* One text in so many is a policy of the library as it is, in turn: it is clean for certain. */
#define WHOLE_EACH 16u

static void make(struct text *t, uint64_t seed)
{
	uint64_t rounds;
	size_t k;

	state_ = seed * 0x9e3779b97f4a7c15u | 1;
	rnd(0), rnd(0);
	k = (size_t)rnd(rnd(2) && nlibrary ? nlibrary : ncorpus);
	if (seed % WHOLE_EACH == 0)
		k = whole[seed / WHOLE_EACH % nwhole];
	memcpy(t->p, corpus[k].bytes, corpus[k].n);
	t->n = corpus[k].n;
	for (rounds = seed % WHOLE_EACH ? 1 + rnd(3) : 0; rounds > 0; rounds--)
		mutate(t);
}

/* --- one mutant ------------------------------------------------------------ */

static _Noreturn void fail_child(const char *why)
{
	snprintf(progress->why, sizeof(progress->why), "%s", why);
	_exit(3);
}

/* Messages as they are printed: no control byte but the end of a line. */
static void render(const struct compilation *c)
{
	char *p = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&p, &n);

	diag_render(f, &c->sink, &c->map, false);
	fclose(f);
	if (c->sink.errors && !n)
		fail_child("an error without a message");
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)p[i] < 0x20 && p[i] != '\n') || p[i] == 0x7f)
			fail_child("a control byte in a message");
	free(p);
}

static void run(const char *path, uint64_t seed)
{
	static const enum ir_level levels[] = { 0, IR_MANAGED, IR_PROJECT, IR_USER };
	struct options o = { .verb = CLI_COMPILE, .created = -1 };
	struct sema_input in = { .path = path, .name = STR("m.pol") };
	struct tests_result t = { .judged = NULL };
	struct compilation c;
	struct bundle b;
	enum cli_exit e;
	struct arena a;

	in.level = levels[seed % 4];
	in.discovered = in.level == IR_PROJECT && seed % 3 == 0;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	VEC_PUSH(&a, &o.inputs, in);
	compilation_init(&c, &o, &a);
	e = passes_run(&c, NULL);
	if (c.ir)
		report_fill(&c);
	if (e == CLI_CLEAN && !c.sink.errors)
		e = tests_run(&c, &t);
	render(&c);
	if (e == CLI_CLEAN && !c.sink.errors) {
		progress->clean++;
		/* proving is slow: some of them */
		if (seed % 4 == 0) {
			e = passes_verify(&c);
			if (e == CLI_CLEAN && compiled_open(&c, &b)) {
				bundle_release(&b);
				progress->bundles++;
			}
		}
	} else {
		progress->faulty++;
	}
	if (e == CLI_INTERNAL || c.internal)
		fail_child(c.internal ? c.internal : "internal, without a reason");
	if (e != CLI_CLEAN && !c.sink.errors)
		fail_child("findings without an error");
	arena_release(&a);
}

static void put(const char *path, const struct text *t)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(t->p, 1, t->n, f) != t->n || fclose(f) != 0)
		fail_child("the mutant cannot be written");
}

static _Noreturn void batch(uint64_t first, uint64_t n, const char *path)
{
	static const struct itimerval most = { .it_value = { .tv_sec = SECONDS_A_MUTANT } };
	static struct text t;

	for (uint64_t i = 0; i < n; i++) {
		if (setitimer(ITIMER_PROF, &most, NULL) < 0)
			fail_child("the time of a mutant cannot be limited");
		progress->seed = first + i;
		make(&t, first + i);
		put(path, &t);
		run(path, first + i);
	}
	_exit(0);
}

static void test_every_mutant_gets_an_answer(void **state)
{
	uint64_t seed = env_u64("SEED", (uint64_t)time(NULL));
	uint64_t runs = env_u64("RUNS", 200);
	char path[64];

	(void)state;
	printf("SEED=%llu RUNS=%llu\n", (unsigned long long)seed,
	       (unsigned long long)runs);
	snprintf(path, sizeof(path), "%s/m.pol", folder);
	for (uint64_t i = 0; i < runs; i += BATCH) {
		uint64_t n = runs - i < BATCH ? runs - i : BATCH;
		pid_t pid;
		int status;

		fflush(stdout);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			batch(seed + i, n, path);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status != 0)
			fail_msg("SEED=%llu RUNS=1 (the text is %s): %s, status %#x",
				 (unsigned long long)progress->seed, path,
				 progress->why[0] ? progress->why : "died", status);
	}
	printf("%llu clean, %llu with errors, %llu bundles\n",
	       (unsigned long long)progress->clean,
	       (unsigned long long)progress->faulty,
	       (unsigned long long)progress->bundles);
	unlink(path);
	rmdir(folder);
	/* a generator that only makes one kind tests nothing */
	if (runs >= 2 * WHOLE_EACH) {
		assert_true(progress->clean > runs / 50);
		assert_true(progress->faulty > runs / 4);
		assert_true(progress->bundles > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_mutant_gets_an_answer),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
