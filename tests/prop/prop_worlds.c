/*
 * L4, L5, L8 and sameness on random policies from their text on: what cannot
 * be read is refused; evaluator, matcher and filter agree; the spelling of a
 * word changes nothing; two compiles make the same bytes.  As prop_laws.c.
 */
#include <sys/wait.h>

#include "runtime/line/shell/shell.h"
#include "tests/prop/laws.h"

#define REQUESTS 60

static unsigned long at_places; /* requests by the name of a mount, that a rule decides */

static bool is_at_places(void)
{
	return at_places > 0;
}

/* --- L4 ------------------------------------------------------------------------ */

/* What no position in a text makes valid. */
static const char *const wrong[] = {
	"}", "\xff", "command { deny }", "file { deny write \"\" }", "command { deny \"{a\" }",
	"role r { use std/base }", "use ./absent", "use ./std", "command { deny \"x\" until 1970-01-01 }",
	"syscall { deny no_such_call }", "let q = ", "file { allow read \"/", "\x01",
	"final deny \"x\"", "command { deny /(/ }", "policy a { } policy b { }",
	"limits { time 5 }", "command { otherwise hide }", "assert never nothing \"x\"",
};

/* Where a statement may stand: before a line of the text that begins one. */
static const char *spoiled(struct pol_gen *g, const char *text)
{
	const char *at = text, *p;
	uint32_t n = 0;

	for (p = text; *p; p++)
		if ((p == text || p[-1] == '\n') && *p != ' ' && *p != '}' &&
		    rnd_below(&g->r, ++n) == 0)
			at = p;
	return arena_printf(g->r.a, "%.*s%s\n%s", (int)(at - text), text, PICK(g, wrong), at);
}

/* Is all that is wrong something that no layer can enforce (P04xx)? */
static bool only_enforcement(const struct diag_sink *sink)
{
	for (size_t i = 0; i < sink->list.n; i++) {
		const struct diag *d = sink->list.v[i];

		if (d->severity == DIAG_ERROR &&
		    strncmp(diag_code_name(d->code), "P04", 3) != 0)
			return false;
	}
	return true;
}

static void unreadable_is_refused(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct compilation c;
	struct options o;
	struct pol p, q;
	int s;

	g.enforceable = true;
	g.never = POL_S_BASE; /* what is left out is not read */
	q = p = pol_random(&g);
	if (!law_compile(l, &c, &o, &p, NULL, a))
		return;
	do
		s = (int)rnd_below(&g.r, POL_LIB);
	while (!p.text[s]);
	q.text[s] = spoiled(&g, p.text[s]);
	if (law_compile(l, &c, &o, &q, NULL, a)) {
		law_show(&q);
		fail_msg("SEED=%llu RUNS=1: %s is accepted",
			 (unsigned long long)l->seed + run, law_files[s].name);
	}
	l->bites++;
	/* without the file it is a policy again: the refusal was the file's; but
	   one that may have lifted or locked what nothing can enforce */
	q.text[s] = s >= POL_BASE ? "network disabled\n" : NULL;
	if (!law_compile(l, &c, &o, &q, NULL, a) && !only_enforcement(&c.sink)) {
		law_show(&q);
		fail_msg("SEED=%llu RUNS=1: without %s it is refused too",
			 (unsigned long long)l->seed + run, law_files[s].name);
	}
}

static int polc(const char *dir, const char *const *args)
{
	const char *build = getenv("BUILD");
	const char *argv[16] = { "polc", "compile", "-o", "out.polb" };
	char path[4096], real[4096];
	size_t n = 4;
	pid_t pid;
	int st;

	snprintf(path, sizeof(path), "%s/bin/polc", build ? build : "build/dev");
	if (!realpath(path, real))
		fail_msg("%s is not there", path);
	for (; *args && n < 15; args++)
		argv[n++] = *args;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (chdir(dir) == 0 && freopen("/dev/null", "w", stderr) &&
		    freopen("/dev/null", "w", stdout))
			execv(real, (char *const *)(uintptr_t)argv);
		_exit(99);
	}
	assert_true(pid > 0 && waitpid(pid, &st, 0) == pid && WIFEXITED(st));
	return WEXITSTATUS(st);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Each way of being unreadable, through polc itself: no bundle comes of it. */
static void test_L4_what_cannot_be_read_makes_no_bundle(void **state)
{
	static const char *const good[] = { "--managed", "m.pol", "--user", "u.pol", NULL };
	static const char *const bad[] = { "broken.pol", "absent.pol", "folder.pol", "dangling.pol",
					   "uses.pol", "loop.pol" };
	char dir[] = "/tmp/pol-laws.XXXXXX", out[64], path[96];
	size_t i, k;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out.polb", dir);
	put(dir, "m.pol", "command { deny \"x\" }\n");
	put(dir, "u.pol", "command { allow \"y\" }\n");
	put(dir, "broken.pol", "command { deny \"x\" \n");
	put(dir, "uses.pol", "use ./absent\n");
	snprintf(path, sizeof(path), "%s/folder.pol", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/dangling.pol", dir);
	assert_int_equal(symlink("nowhere", path), 0);
	snprintf(path, sizeof(path), "%s/loop.pol", dir);
	assert_int_equal(symlink("loop.pol", path), 0);
	assert_int_equal(polc(dir, good), 0);
	assert_int_equal(access(out, F_OK), 0);
	for (i = 0; i < POL_LEN(bad); i++)
		for (k = 0; k < 2; k++) {
			const char *args[] = { "--managed", k ? "m.pol" : bad[i], "--user",
					       k ? bad[i] : "u.pol", NULL };
			int status;

			assert_int_equal(unlink(out), 0);
			status = polc(dir, args);
			if ((status != 1 && status != 2) || access(out, F_OK) == 0)
				fail_msg("%s as %s: exit %d", bad[i], k ? "user" : "managed",
					 status);
			/* the control: without it there is one */
			assert_int_equal(polc(dir, good), 0);
			assert_int_equal(access(out, F_OK), 0);
		}
	snprintf(path, sizeof(path), "rm -rf '%s'", dir);
	assert_int_equal(system(path), 0);
}

/* --- L5 -------------------------------------------------------------------------- */

static void worlds_agree(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct compilation c;
	struct bundle b;
	struct options o;
	struct pol p;
	int i;

	g.mounts = true;
	g.enforceable = true;
	p = law_pol(&g);
	if (!law_compile(l, &c, &o, &p, NULL, a)) {
		law_row_decides(l, &g, NULL, a);
		return;
	}
	law_row_decides(l, &g, c.ir, a);
	if (!compiled_open(&c, &b)) {
		law_show(&p);
		fail_msg("%s", c.internal ? c.internal : "no bundle");
	}
	for (i = 0; i < REQUESTS; i++) {
		struct ir_request q = law_request(&g, i, near_request(&g.r, c.ir));
		struct eval_decision e;
		struct decision d;
		const char *why = NULL;

		if (q.kind == IR_SYSCALL)
			q.scope = IR_SANDBOX;
		q.text = STR("the request");
		/* a bundle's table of the network is what runs get */
		if (!compiled_answers(c.ir, &q))
			continue;
		e = law_decide(l, c.ir, &q, a);
		at_places += q.kind == IR_FILE && e.rule && ir_mount_at(c.ir, q.path);
		if (!compiled_ask(&b, &q, a, &d, &why) ||
		    (why = compiled_differs(&b, &e, &q, &d, a))) {
			law_show(&p);
			law_show_request(&q);
			fail_msg("SEED=%llu RUNS=1: %s; the evaluator: %s",
				 (unsigned long long)l->seed + run, why,
				 law_by(c.ir, &e, a));
		}
		l->bites++;
	}
	bundle_release(&b);
}

/* --- L8 -------------------------------------------------------------------------------- */

static void octal(struct buf *b, char c, bool hex)
{
	if (hex)
		buf_printf(b, "$'\\x%02x'", (unsigned char)c);
	else
		buf_printf(b, "$'\\%03o'", (unsigned char)c);
}

/* One byte, as one of the ways in which a shell writes it. */
static void spell_byte(struct rnd *r, struct buf *b, char c, bool plain)
{
	switch (rnd_below(r, plain ? 7 : 5)) {
	case 0:
		buf_printf(b, c == '\'' ? "\"%c\"" : "'%c'", c);
		break;
	case 1:
		buf_printf(b, strchr("\"$`\\", c) ? "\"\\%c\"" : "\"%c\"", c);
		break;
	case 2:
		buf_printf(b, "\\%c", c);
		break;
	case 3:
		octal(b, c, true);
		break;
	case 4:
		octal(b, c, false);
		break;
	default:
		buf_ch(b, c);
		break;
	}
	if (rnd_one_in(r, 12))
		buf_z(b, "\\\n");
}

static void spell_word(struct rnd *r, struct buf *b, struct str w)
{
	size_t i;

	if (!w.n || rnd_one_in(r, 6))
		buf_z(b, rnd_one_in(r, 2) ? "''" : "\"\"");
	for (i = 0; i < w.n; i++) {
		char c = w.p[i];
		bool plain = (c >= 'a' && c <= 'z') || strchr("-./:@+", c);

		spell_byte(r, b, c, plain);
	}
}

static const char *spell(struct rnd *r, struct arena *a, const struct ir_request *q)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < q->nargv; i++) {
		buf_z(&b, i ? rnd_one_in(r, 3) ? " \t " : " " : "");
		spell_word(r, &b, q->argv[i]);
	}
	return str_z(a, buf_view(&b));
}

/* The words of a line that is one simple command of literal words, or 0. */
static size_t read_line(const char *line, struct arena *a, struct str **ret)
{
	size_t n = strlen(line), size = sh_block_size(n), i = 0;
	struct sh sh;

	if (sh_parse(&sh, arena_alloc(a, size), size, line, n, SH_BASH) != SH_PARSED ||
	    sh.ncmds != 1 || sh.first->assigns || sh.first->redirs)
		return 0;
	*ret = arena_array(a, sh.first->nwords + 1, sizeof(**ret));
	for (const struct sh_word *w = sh.first->words; w; w = w->next) {
		if (!sh_is_literal(w))
			return 0;
		(*ret)[i++] = (struct str){ w->seg.p, w->seg.n };
	}
	return i;
}

static bool same_words(const struct str *words, size_t n, const struct ir_request *q)
{
	if (n != q->nargv)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!str_eq(q->argv[i], words[i]))
			return false;
	return true;
}

/* Lines for bash to read, and what it must make of them. */
static FILE *bash_in;
static unsigned long bash_lines;

static void for_bash(const char *line, const struct ir_request *q)
{
	size_t i;

	fprintf(bash_in, "set -- %s\nwant=(", line);
	for (i = 0; i < q->nargv; i++) {
		size_t k;

		fputs(" $'", bash_in);
		for (k = 0; k < q->argv[i].n; k++)
			fprintf(bash_in, "\\%03o", (unsigned char)q->argv[i].p[k]);
		fputs("'", bash_in);
	}
	fprintf(bash_in, " )\ncheck %zu \"$@\"\n", q->nargv);
	bash_lines++;
}

static void spelling_changes_nothing(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	const struct ir *ir;
	struct pol p;
	int i;

	p = law_pol(&g);
	ir = law_ir(l, &p, a);
	law_row_decides(l, &g, ir, a);
	for (i = 0; ir && i < REQUESTS; i++) {
		struct ir_request q = near_nothing(&g.r), other;
		struct eval_decision d, e;
		struct str *words = NULL;
		size_t nwords;
		const char *line;

		if (ir->rules.n && i % 4)
			near_rule(&g.r, ir->rules.v[rnd_below(&g.r, (uint32_t)ir->rules.n)], &q);
		q = law_request(&g, i, q);
		if (q.kind != IR_COMMAND)
			continue;
		d = law_decide(l, ir, &q, a);
		if (q.unparsed) {
			assert_true(d.effect != IR_ALLOW);
			continue;
		}
		line = spell(&g.r, a, &q);
		nwords = read_line(line, a, &words);
		if (!same_words(words, nwords, &q))
			fail_msg("SEED=%llu RUNS=1: <%s> is read otherwise",
				 (unsigned long long)l->seed + run, line);
		other = q;
		other.argv = words;
		e = law_decide(l, ir, &other, a);
		if (d.effect != e.effect || d.rule != e.rule || d.scalar != e.scalar)
			fail_msg("<%s>: %s and %s", line, law_by(ir, &d, a), law_by(ir, &e, a));
		for_bash(line, &q);
		l->bites++;
	}
}

static const char bash_head[] =
	"bad=0\n"
	"check() {\n"
	"  [ \"$1\" -eq \"$(($# - 1))\" ] || { echo \"count: $want\"; bad=1; return; }\n"
	"  shift\n"
	"  for w in \"${want[@]}\"; do\n"
	"    [ \"$w\" = \"$1\" ] || { echo \"<$1> is not <$w>\"; bad=1; }; shift\n"
	"  done\n"
	"}\n";

static void one_bash(const char *script)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "LC_ALL=C bash '%s'", script);
	if (system(cmd) != 0)
		fail_msg("bash reads a line otherwise: %s", script);
}

/* --- sameness ----------------------------------------------------------------------------- */

static void bytes_of(struct law *l, const struct pol *p, struct buf *ret, bool *ret_ok,
		     struct arena *a)
{
	struct bundle_options opt = { .created = -1, .version = POL_VERSION };
	struct compilation *c = ARENA_NEW(a, struct compilation);
	struct options *o = ARENA_NEW(a, struct options);

	buf_init(ret, a);
	*ret_ok = law_compile(l, c, o, p, NULL, a) &&
		  bundle_write(c->ir, &c->out, &opt, ret, &c->sink);
}

static void bytes_are_the_same(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct buf x, y;
	char first[sizeof(l->dir)], deep[64];
	bool ok, again;
	struct pol p;

	g.enforceable = true;
	p = pol_random(&g);
	bytes_of(l, &p, &x, &ok, a);
	/* other addresses, another folder */
	(void)arena_alloc(a, 4096 + 16 * rnd_below(&g.r, 99));
	memcpy(first, l->dir, sizeof(first));
	snprintf(l->dir, sizeof(l->dir), "%.24s/std", first);
	snprintf(deep, sizeof(deep), "%s/std", l->dir);
	(void)mkdir(deep, 0700);
	bytes_of(l, &p, &y, &again, a);
	memcpy(l->dir, first, sizeof(first));
	assert_int_equal(ok, again);
	if (ok && (x.n != y.n || memcmp(x.p, y.p, x.n) != 0)) {
		law_show(&p);
		fail_msg("SEED=%llu RUNS=1: two compiles differ",
			 (unsigned long long)l->seed + run);
	}
	l->bites += ok;
}

/* --- all ------------------------------------------------------------------------------------- */

static void test_L4_an_invalid_file_is_refused_wherever_it_stands(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L4", 60, 0);
	law_repeat(&l, unreadable_is_refused);
	law_end(&l);
	assert_true(l.runs < 20 || l.bites * 3 > l.runs * 2);
}

static void test_L5_evaluator_matcher_and_filter_agree(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L5", 75, (1u << IR_KIND_COUNT) - 1);
	l.met = is_at_places;
	law_repeat(&l, worlds_agree);
	print_message("  at the place of a mount: %lu\n", at_places);
	law_end(&l);
}

static void test_L8_the_spelling_of_a_word_changes_nothing(void **state)
{
	struct law l;
	char script[64];

	(void)state;
	law_begin(&l, "L8", 60, 1u << IR_COMMAND);
	snprintf(script, sizeof(script), "%s/words.sh", l.dir);
	bash_in = fopen(script, "we");
	assert_non_null(bash_in);
	fputs(bash_head, bash_in);
	law_repeat(&l, spelling_changes_nothing);
	fputs("exit $bad\n", bash_in);
	assert_int_equal(fclose(bash_in), 0);
	assert_true(l.runs < 20 || bash_lines > 0);
	one_bash(script);
	law_end(&l);
}

static void test_two_compiles_make_the_same_bytes(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "same bytes", 30, 0);
	law_repeat(&l, bytes_are_the_same);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L4_an_invalid_file_is_refused_wherever_it_stands),
		cmocka_unit_test(test_L4_what_cannot_be_read_makes_no_bundle),
		cmocka_unit_test(test_L5_evaluator_matcher_and_filter_agree),
		cmocka_unit_test(test_L8_the_spelling_of_a_word_changes_nothing),
		cmocka_unit_test(test_two_compiles_make_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
