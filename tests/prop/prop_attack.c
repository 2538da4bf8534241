/*
 * Patterns that are made to be costly, in two policies that differ by them, and in what
 * is to be proved: the answer comes in time and memory that are bounded, and what it
 * does not know is undecided with the rule, never alike or proved.
 */
#include <sys/resource.h>

#include "compiler/analysis/diff.h"
#include "compiler/analysis/prove.h"
#include "tests/prop/laws.h"

/* Processor time; a second in the released build, and some room for the others. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_SECONDS 40
#else
#define MOST_SECONDS 4
#endif
#define MOST_MIB 400

#define Q20 "????????????????????"
#define STARS "*a*b*a*b*a*b*a*b*a*b*a*b*a*b*a*b*a*b*a*b*"
/* is replaced by sixty alternatives */
#define MANY "@MANY@"
/* each divides a pattern for any program once more */
#define PROGRAMS                                                                 \
	"allow \"p1\", \"p2\", \"p3\", \"p4\", \"p5\", \"p6\", \"p7\", \"p8\", " \
	"\"p9\", \"q1\", \"q2\"\n"                                               \
	"allow \"q3\", \"q4\", \"q5\", \"q6\", \"q7\", \"q8\", \"q9\", \"r1\", " \
	"\"r2\", \"r3\", \"r4\""

static const struct {
	const char *section, *old, *new; /* the texts of its rules */
	const char *assertion;
	bool undecided; /* no automaton is small enough: diff must say so */
} cases[] = {
	{ "command", "allow \"x *a" Q20 "\"\ndeny \"x *b" Q20 "\"",
	  "allow \"x *a" Q20 "\"\ndeny \"x *c" Q20 "\"",
	  "never command \"x *d" Q20 "\"", true },
	{ "command", "allow \"" MANY " " MANY " " MANY "\"\n" PROGRAMS,
	  "allow \"" MANY " " MANY " " MANY "\"\n" PROGRAMS "\ndeny \"* " MANY "\"",
	  "never command \"* * " MANY "\"", true },
	{ "command", "allow \"x " STARS "\"",
	  "allow \"x " STARS "\"\ndeny \"x " STARS "c\"",
	  "never command \"x " STARS "d\"", false },
	{ "command", "allow /^x (a|b)*a(a|b){18}$/",
	  "allow /^x (a|b)*a(a|b){18}$/\ndeny /^x (a|b)*b(a|b){17}$/",
	  "never command /^x (a|b)*c(a|b|c){18}$/", true },
	{ "tools", "allow \"*a" Q20 "\"", "allow \"*a" Q20 "\"\ndeny \"*b" Q20 "\"",
	  "never tool \"*c" Q20 "\"", true },
	{ "unix", "allow \"/run/*a" Q20 "\"",
	  "allow \"/run/*a" Q20 "\"\ndeny \"/run/*b" Q20 "\"",
	  "never unix \"/run/*c" Q20 "\"", true },
	{ "file", "allow read \"/srv/*a" Q20 "\"",
	  "allow read \"/srv/*a" Q20 "\"\ndeny read \"/srv/*b" Q20 "\"",
	  "never file read \"/srv/*c" Q20 "\"", true },
	{ "file", "allow read \"/**/a/**/b/**/c/**/d/**/e/**/f/**\"",
	  "allow read \"/**/a/**/b/**/c/**/d/**/e/**/f/**\"\ndeny read "
	  "\"/**/f/**/e/**/d/**/c/**/b/**\"",
	  "never file read \"${PROJECT_DIR}/**/b/**/a/**/d/**\"", false },
};

static const char *filled(struct arena *a, const char *rules)
{
	struct buf b;
	const char *at;

	buf_init(&b, a);
	while ((at = strstr(rules, MANY))) {
		buf_printf(&b, "%.*s{", (int)(at - rules), rules);
		for (int i = 0; i < 60; i++)
			buf_printf(&b, "%sa*b%d*c", i ? "|" : "", i);
		buf_z(&b, "}");
		rules = at + strlen(MANY);
	}
	buf_z(&b, rules);
	return str_z(a, buf_view(&b));
}

static struct pol of(struct arena *a, const char *section, const char *text)
{
	const char *rules = filled(a, text);
	struct pol p = { .role = NULL };

	p.text[POL_PROJECT] =
		strcmp(section, "assert") == 0
			? arena_printf(a, "assert %s\n", rules)
			: arena_printf(a, "%s {\n%s\n}\n", section, rules);
	p.text[POL_BASE] = "network limited\n";
	p.text[POL_FLOOR] = "file { }\n";
	return p;
}

static const struct ir *compiled(struct law *l, struct arena *a, const char *section,
				 const char *rules)
{
	struct pol p = of(a, section, rules);
	const struct ir *ir = law_ir(l, &p, a);

	if (!ir) {
		law_show(&p);
		fail_msg("refused (SHOW=1 says why)");
	}
	return ir;
}

/* Is there a doubt, and does each name a rule? */
static bool doubts_with_rules(const struct diff_result *res)
{
	for (size_t i = 0; i < res->doubts.n; i++) {
		const struct diff_doubt *d = &res->doubts.v[i];

		assert_true(d->side[0].id.n || d->side[1].id.n);
		assert_true(d->why.n > 0);
	}
	return res->doubts.n > 0;
}

static void one(struct law *l, size_t i, struct arena *a)
{
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	const struct ir *old = compiled(l, a, cases[i].section, cases[i].old);
	const struct ir *new = compiled(l, a, cases[i].section, cases[i].new);
	const struct ir *claim = compiled(l, a, "assert", cases[i].assertion);
	enum prove_answer got;
	struct diff_result res;
	struct rusage use;
	clock_t from;
	double took[2];

	for (int r = 0; r < IR_ROOT_COUNT; r++)
		where.roots.dir[r] = r == IR_ROOT_FS ? STR("/") : STR("/h/p");
	from = clock();
	diff_policies(old, new, &where, a, &res);
	took[0] = (double)(clock() - from) / CLOCKS_PER_SEC;
	if (doubts_with_rules(&res) != cases[i].undecided && !res.findings.n)
		fail_msg("case %zu: %zu findings, %zu doubts", i, res.findings.n,
			 res.doubts.n);
	from = clock();
	got = prove(new, &claim->assertions.v[0], &where, a, &res);
	took[1] = (double)(clock() - from) / CLOCKS_PER_SEC;
	assert_true(doubts_with_rules(&res) || got != PROVE_UNDECIDED);
	assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
	printf("case %zu: diff %.2f s, prove %.2f s (%s), %ld MiB so far\n", i, took[0],
	       took[1],
	       got == PROVE_PROVED    ? "proved"
	       : got == PROVE_REFUTED ? "refuted"
				      : "undecided",
	       use.ru_maxrss / 1024);
	assert_true(took[0] < MOST_SECONDS && took[1] < MOST_SECONDS);
#ifndef __SANITIZE_ADDRESS__
	assert_true(use.ru_maxrss / 1024 < MOST_MIB);
#endif
}

/*
 * Many rules for ports of small blocks, inside one large block whose ports have
 * changed: as many regions as blocks × ends of ranges.
 */
static const char *blocks_and_ports(struct arena *a, unsigned last)
{
	struct buf b;

	buf_init(&b, a);
	buf_printf(&b, "allow tcp \"10.0.0.0/8\" port 1-%u\n", last);
	for (unsigned i = 0; i < 3000; i++)
		buf_printf(&b, "%s tcp \"10.%u.%u.0/24\" port %u-%u\n",
			   i % 7 == 3 ? "deny" : "allow", i / 256, i % 256,
			   1000 + i % 50, 2000 + i % 60);
	return str_z(a, buf_view(&b));
}

/* The first test: what a process has once used counts for the others. */
static void test_overlapping_networks_take_little(void **state)
{
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	const struct ir *old, *new;
	struct diff_result res;
	struct rusage use;
	clock_t from;
	struct arena a;
	double took;
	struct law l;

	(void)state;
	law_begin(&l, "attack", 1, 0);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (int r = 0; r < IR_ROOT_COUNT; r++)
		where.roots.dir[r] = r == IR_ROOT_FS ? STR("/") : STR("/h/p");
	old = compiled(&l, &a, "network", blocks_and_ports(&a, 60000));
	new = compiled(&l, &a, "network", blocks_and_ports(&a, 60001));
	from = clock();
	diff_policies(old, new, &where, &a, &res);
	took = (double)(clock() - from) / CLOCKS_PER_SEC;
	assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
	printf("overlapping networks: %.2f s, %ld MiB\n", took, use.ru_maxrss / 1024);
	l.bites += res.findings.n;
	assert_int_equal(res.findings.n, 1);
	assert_int_equal(res.findings.v[0].request.port, 60001);
	assert_int_equal(res.doubts.n, 0);
#ifndef __SANITIZE_ADDRESS__
	assert_true(took < 2 * MOST_SECONDS);
	assert_true(use.ru_maxrss / 1024 < 100);
#endif
	arena_release(&a);
	law_end(&l);
}

static void test_costly_patterns_end_in_time(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "attack", POL_LEN(cases), 0);
	for (size_t i = 0; i < POL_LEN(cases); i++) {
		struct arena a;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		one(&l, i, &a);
		arena_release(&a);
	}
	l.bites = POL_LEN(cases);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlapping_networks_take_little),
		cmocka_unit_test(test_costly_patterns_end_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
