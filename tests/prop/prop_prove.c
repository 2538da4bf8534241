/*
 * `prove` against brute force: random policies of one section and random assertions
 * about it.  Every request of a small world is asked (commands, tools, paths: all texts
 * up to length 6 on small alphabets; the network, system calls: a point of each box):
 * what is proved holds for all of them, and the request that refutes is one.  SEED=
 * RUNS= repeat a run.
 */
#include "compiler/analysis/prove.h"
#include "compiler/eval/levels.h"
#include "compiler/target/target.h"
#include "tests/prop/laws.h"

#define MAX_RULES 5
#define MAX_WORLD 12000
#define LONGEST 6

struct world {
	const char *section;
	enum ir_kind kind;
	const char *alphabet;
	const char *pattern[12];
	const char *ops[3];   /* "" where the kind has none */
	const char *guard[6]; /* what may stand behind a pattern; the first is "" */
	bool regex;           /* half of its patterns are random regular expressions */
};

static const struct world worlds[] = {
	{ "tools",
	  IR_TOOL,
	  "ab",
	  { "a", "b", "a*", "*b", "?", "{a|b}", "a?", "*", "??a*", "ab", "*aab*",
	    "bb*" },
	  { "" },
	  { NULL },
	  false },
	{ "command",
	  IR_COMMAND,
	  "ab ",
	  { "a", "b", "a:*", "b:*", "a b:*", "a *", "*:*", "a ** b", "{a|b} a", "aa:*",
	    "* a*", "a b a" },
	  { "" },
	  { NULL },
	  false },
	{ "command",
	  IR_COMMAND,
	  "ab- ",
	  { "a", "b", "a:*", "b:*", "a b:*", "a *", "*:*", "a ** b", "{a|b} -a", "aa:*",
	    "* a*", "a -b:*" },
	  { "" },
	  { "", " with -a", " without -b", " with only -a", " with -a, -b",
	    " with -a with -b" },
	  false },
	{ "command",
	  IR_COMMAND,
	  "ab/ ",
	  { "a", "b", "a:*", "b:*", "a *", "*:*", "a /a", "a b", "b /*", "* a*",
	    "a a/b", "a /b:*" },
	  { "" },
	  { "", " within \"/a\"", " within \"/\"", " within \"${PROJECT_DIR}\"",
	    " within \"/b\", \"/a\"", "" },
	  false },
	{ "command",
	  IR_COMMAND,
	  "ab ",
	  { "a", "b", "a:*", "b:*", "a b:*", "a *", "*:*", "/(a|b) \\1/",
	    "/^(?=a)[ab]*b/", "aa:*", "* a*", "/a(?!b)/" },
	  { "" },
	  { NULL },
	  true },
	{ "syscall",
	  IR_SYSCALL,
	  NULL,
	  { "kill", "kill(0)", "kill(1)", "kill(*, 2)", "kill(1, 2)", "dup2", "dup2(0)",
	    "dup2(*, 3)", "dup2(3, 3)", "getpid", "kill(3, 0)", "dup2(2)" },
	  { "" },
	  { "", "", " when scope == host", " when scope != host", "", "" },
	  false },
	{ "file",
	  IR_FILE,
	  "ab/",
	  { "/a", "${PROJECT_DIR}/b", "/a/b", "${HOME}/*", "/**/a", "/*/b", "/",
	    "${PROJECT_DIR}", "${HOME}/a", "/a*", "${HOME}", "${PROJECT_DIR}/{a,b}/a" },
	  { "read ", "write ", "exec " },
	  { NULL },
	  false },
	{ "unix",
	  IR_UNIX,
	  "ab/",
	  { "/a", "/b", "${HOME}/b", "/a/*", "/**/a", "@a", "/", "${PROJECT_DIR}/?",
	    "${HOME}", "@a*", "${PROJECT_DIR}", "@*" },
	  { "" },
	  { NULL },
	  false },
	{ "network",
	  IR_NET,
	  NULL,
	  { "\"a.x\"", "\"*.x\"", "\"b.a.x\"", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3",
	    "any", "\"y\"", "2001:db8::/32", "0.0.0.0/0", "\"*.a.x\"", "10.128.0.0/9" },
	  { "tcp ", "udp ", "" },
	  { NULL },
	  false },
};

static const char *const own_hosts[] = { "a.x", "b.x",     "b.a.x", "x",
					 "y",   "c.b.a.x", NULL };
static const char *const own_addrs[] = { "10.0.0.1",    "10.1.0.0",    "10.1.2.3",
					 "10.1.2.4",    "10.200.0.1",  "11.0.0.1",
					 "2001:db8::1", "2001:db9::1", "127.0.0.1",
					 NULL };

static struct {
	unsigned long proved, refuted, undecided, violated, elsewhere;
} seen[POL_LEN(worlds)];

/* --- all requests -------------------------------------------------------------------
 */

struct requests {
	struct ir_request v[MAX_WORLD];
	size_t n;
};

static struct ir_request request_of(enum ir_kind kind)
{
	struct ir_request q = { .kind = kind, .cwd = STR("/h/p") };

	for (int i = 0; i < IR_ROOT_COUNT; i++)
		q.roots.dir[i] = i == IR_ROOT_FS ? STR("/") : STR("/h/p");
	return q;
}

static void add(struct requests *all, const struct ir_request *q)
{
	for (int scope = IR_SANDBOX; scope <= IR_HOST; scope <<= 1) {
		assert_true(all->n < MAX_WORLD);
		all->v[all->n] = *q;
		all->v[all->n++].scope = (enum ir_scope)scope;
	}
}

static void add_text(struct requests *all, const struct world *w, struct arena *a,
		     const char *s)
{
	struct ir_request q = request_of(w->kind);
	size_t n = strlen(s), i;

	if (w->kind == IR_TOOL) {
		q.tool = str_from(arena_printf(a, "%s", s));
	} else if (w->kind == IR_COMMAND) {
		q.argv = arena_array(a, LONGEST + 1, sizeof(*q.argv));
		if (s[0] == ' ')
			return; /* no program */
		for (i = 0; i <= n;) {
			size_t to = i + strcspn(s + i, " ");

			q.argv[q.nargv++] =
				str_from(arena_printf(a, "%.*s", (int)(to - i), s + i));
			i = to + 1;
		}
	} else {
		if (strstr(s, "//") || s[0] == '/' || s[n - 1] == '/')
			return; /* not resolved */
		q.path = str_from(arena_printf(a, "/%s", s));
	}
	if (w->kind == IR_UNIX) {
		struct ir_request name = q;

		name.abstract = true;
		name.path = str_from(arena_printf(a, "%s", s));
		add(all, &name);
	}
	if (w->kind != IR_FILE) {
		add(all, &q);
		return;
	}
	for (int op = IR_READ; op <= IR_EXEC; op <<= 1) {
		q.op = (enum ir_op)op;
		add(all, &q);
	}
}

static void add_texts(struct requests *all, const struct world *w, struct arena *a)
{
	size_t k = strlen(w->alphabet), most = LONGEST;
	char s[LONGEST + 1];

	for (size_t n = 1; n <= most; n++) {
		size_t count = 1;

		for (size_t i = 0; i < n; i++)
			count *= k;
		for (size_t c = 0; c < count; c++) {
			size_t rest = c;

			for (size_t i = 0; i < n; i++, rest /= k)
				s[i] = w->alphabet[rest % k];
			s[n] = '\0';
			add_text(all, w, a, s);
		}
	}
}

static void add_nets(struct requests *all)
{
	for (uint16_t port = 1; port <= 4; port++)
		for (int proto = IR_TCP; proto <= IR_UDP; proto <<= 1) {
			struct ir_request q = request_of(IR_NET);
			struct num_cidr c;
			bool bits;

			q.port = port;
			q.proto = (enum ir_proto)proto;
			for (size_t i = 0; own_hosts[i]; i++) {
				q.host = str_from(own_hosts[i]);
				add(all, &q);
			}
			q.host = STR("");
			q.is_addr = true;
			for (size_t i = 0; own_addrs[i]; i++) {
				assert_true(
					num_cidr(str_from(own_addrs[i]), &c, &bits));
				memcpy(q.addr, c.addr, sizeof(q.addr));
				add(all, &q);
			}
		}
}

/* Every value of two arguments in a small box, which all conditions of the world
 * divide. */
static void add_calls(struct requests *all)
{
	static const char *const calls[] = { "kill", "dup2", "getpid", "getuid" };

	for (size_t i = 0; i < POL_LEN(calls); i++)
		for (uint64_t x = 0; x < 25; x++) {
			struct ir_request q = request_of(IR_SYSCALL);

			q.nr = target_call_by_name(str_from(calls[i]))->nr;
			q.nr_known = true;
			q.args[0] = x % 5;
			q.args[1] = x / 5;
			add(all, &q);
		}
}

/* --- policies and assertions
 * ---------------------------------------------------------- */

static struct pol of_texts(const char *managed, const char *project)
{
	struct pol p = { .role = NULL };

	p.text[POL_MANAGED] = managed;
	p.text[POL_PROJECT] = project;
	p.text[POL_BASE] = "network limited\n";
	p.text[POL_FLOOR] = "file { }\n";
	return p;
}

static const char *quoted(struct arena *a, const struct world *w, const char *pattern)
{
	if (w->regex && pattern[0] == '/')
		return pattern;
	return w->kind == IR_NET || w->kind == IR_SYSCALL
		       ? pattern
		       : arena_printf(a, "\"%s\"", pattern);
}

/* Of the regular subset, or with one piece that is not. */
static const char *a_regex(struct rnd *r)
{
	static const char *const pieces[] = { "a",     "b",      " ",         "(a|b)",
					      "[ab]*", "a?",     "b+",        ".",
					      ".*",    "(a b)*", "\\b",       "(b| a)",
					      "[^a]",  "a{2}",   "(?:ab|b )*" };
	static const char *const others[] = { "(a)\\1", "(?=b)", "(?!a)", "(?<=a)",
					      "(b*)a\\1" };
	uint32_t n = 1 + rnd_below(r, 4), odd = rnd_one_in(r, 8) ? rnd_below(r, n) : n;
	struct buf b;

	buf_init(&b, r->a);
	buf_z(&b, rnd_one_in(r, 2) ? "/^" : "/");
	for (uint32_t i = 0; i < n; i++)
		buf_z(&b, i == odd ? RND_PICK(r, others) : RND_PICK(r, pieces));
	buf_z(&b, rnd_one_in(r, 2) ? "$/" : "/");
	return str_z(r->a, buf_view(&b));
}

/* "OPS PATTERN GUARD"; some worlds have no guards, and neither has `only` */
static const char *guarded(struct rnd *r, const struct world *w, const char *set)
{
	return w->guard[0] ? arena_printf(r->a, "%s%s", set,
					  w->guard[rnd_below(r, POL_LEN(w->guard))])
			   : set;
}

static const char *a_set(struct rnd *r, const struct world *w, bool ports)
{
	size_t nops = w->ops[1] ? 3 : 1;
	const char *ops = w->ops[rnd_below(r, (uint32_t)nops)];
	const char *p = quoted(r->a, w, w->pattern[rnd_below(r, POL_LEN(w->pattern))]);
	const char *port = "";

	if (w->regex && rnd_one_in(r, 2))
		p = a_regex(r);
	if (w->kind == IR_NET && ports && rnd_one_in(r, 2))
		port = rnd_one_in(r, 2) ? " port 2" : " port 2-3";
	return arena_printf(r->a, "%s%s%s", ops, p, port);
}

static const char *some_rules(struct rnd *r, const struct world *w, bool managed)
{
	static const char *const effects[] = { "allow", "ask", "deny" };
	static const char *const otherwise[] = { "", "allow", "ask", "deny", "deny" };
	uint32_t i, n = rnd_below(r, MAX_RULES + 1),
		    other = rnd_below(r, POL_LEN(otherwise));
	struct buf b;

	buf_init(&b, r->a);
	buf_printf(&b, "%s {\n", w->section);
	if (other && w->kind == IR_FILE)
		buf_printf(&b, "otherwise read, write, exec %s\n", otherwise[other]);
	else if (other)
		buf_printf(&b, "otherwise %s\n", otherwise[other]);
	for (i = 0; i < n; i++) {
		const char *effect = effects[rnd_below(r, 3)];
		bool final = managed && strcmp(effect, "ask") != 0 && rnd_one_in(r, 5);

		buf_printf(&b, "%s%s %s", final ? "final " : "", effect,
			   w->kind == IR_SYSCALL ? a_set(r, w, true)
						 : guarded(r, w, a_set(r, w, true)));
		if (rnd_one_in(r, 4) && w->kind != IR_NET && w->kind != IR_SYSCALL)
			buf_printf(
				&b, " except %s",
				quoted(r->a, w,
				       w->pattern[rnd_below(r, POL_LEN(w->pattern))]));
		if (rnd_one_in(r, 4))
			buf_printf(&b, " when scope == %s",
				   rnd_one_in(r, 2) ? "sandbox" : "host");
		buf_ch(&b, '\n');
	}
	buf_z(&b, "}\n");
	return str_z(r->a, buf_view(&b));
}

struct claim {
	const struct ir_assertion *says;
	const struct ir *in; /* decides whether a request is of the set */
	bool only;
	struct pol text;
};

static const struct ir *must(struct law *l, const struct pol *p, struct arena *a)
{
	const struct ir *ir = law_ir(l, p, a);

	if (!ir) {
		law_show(p);
		fail_msg("a text is refused (SHOW=1 says why)");
	}
	return ir;
}

static const char *const request_words[] = {
	[IR_COMMAND] = "command", [IR_FILE] = "file",       [IR_NET] = "net",
	[IR_UNIX] = "unix",       [IR_SYSCALL] = "syscall", [IR_TOOL] = "tool",
};

/*
 * A policy that decides which requests the assertion is about, made without it: for
 * `only` one that allows the set and denies the rest, else one that has the effect for
 * the set.
 */
static struct claim a_claim(struct law *l, struct rnd *r, const struct world *w)
{
	struct claim c = { .only = rnd_one_in(r, 3) };
	const char *kind = request_words[w->kind], *effect = "deny", *set;
	const struct ir *ir;
	struct pol t;

	set = a_set(r, w, true);
	if (!c.only)
		set = guarded(r, w, set);
	if (c.only) {
		t = of_texts(arena_printf(r->a, "%s { otherwise %s\nallow %s }\n",
					  w->section,
					  w->kind == IR_FILE ? "read, write, exec deny"
							     : "deny",
					  set),
			     "");
		c.text = of_texts(arena_printf(r->a, "assert only %s %s\n", kind, set),
				  "");
	} else {
		effect = rnd_one_in(r, 2) ? "ask" : "deny";
		t = of_texts(arena_printf(r->a, "%s { otherwise %s\n%s %s }\n",
					  w->section,
					  w->kind == IR_FILE ? "read, write, exec allow"
							     : "allow",
					  effect, set),
			     "");
		c.text = of_texts(arena_printf(r->a, "assert always %s %s %s\n", effect,
					       kind, set),
				  "");
	}
	c.in = must(l, &t, r->a);
	ir = must(l, &c.text, r->a);
	assert_int_equal(ir->assertions.n, 1);
	c.says = &ir->assertions.v[0];
	assert_int_equal(c.says->least, strcmp(effect, "ask") == 0 ? IR_ASK : IR_DENY);
	return c;
}

/* --- the law
 * -------------------------------------------------------------------------- */

static enum ir_effect effect_of(struct law *l, const struct ir *ir,
				const struct ir_request *q)
{
	struct eval_decision d;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	d = law_decide(l, ir, q, &tmp);
	arena_release(&tmp);
	return d.effect;
}

/* Is it in the set of the assertion, and gets less than it says? */
static bool violates(struct law *l, const struct ir *ir, const struct claim *c,
		     const struct ir_request *q)
{
	struct ir_request member = *q; /* a set has no guard */

	member.before_guard = true;
	if (eval_is_own_loopback(q))
		return false; /* no request */
	if (c->only ? effect_of(l, c->in, &member) == IR_ALLOW
		    : effect_of(l, c->in, &member) != c->says->least)
		return false;
	return effect_of(l, ir, q) < c->says->least;
}

static void broken(struct law *l, unsigned long run, const struct pol *p,
		   const struct claim *c, const struct ir_request *q, const char *why)
{
	law_show(p);
	law_show(&c->text);
	if (q)
		law_show_request(q);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
	fail_msg("%s", why);
}

/* --- other places of the roots
 * ---------------------------------------------------------- */

static const char *const places[] = { "/", "/a", "/b", "/a/b", "/b/a", "/h/p" };

/* What is proved and holds nowhere else only, holds wherever the roots lie. */
static void anywhere(struct law *l, unsigned long run, const struct pol *p,
		     const struct ir *ir, const struct claim *c,
		     const struct ir_request *q)
{
	for (size_t i = 0; i < POL_LEN(places) * POL_LEN(places); i++) {
		struct ir_request x = *q;

		x.roots.dir[IR_ROOT_HOME] = str_from(places[i % POL_LEN(places)]);
		x.roots.dir[IR_ROOT_PROJECT] = str_from(places[i / POL_LEN(places)]);
		if (violates(l, ir, c, &x)) {
			printf("HOME=%s PROJECT_DIR=%s\n", places[i % POL_LEN(places)],
			       places[i / POL_LEN(places)]);
			broken(l, run, p, c, &x,
			       "it is proved for all roots, and this is against it");
		}
	}
}

static struct requests all; /* too large for a stack */

static void one(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	size_t k = (size_t)((l->seed + run) % POL_LEN(worlds)), i, bad = 0;
	const struct world *w = &worlds[k];
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	struct diff_result res;
	enum prove_answer got;
	const struct ir *ir;
	struct claim c;
	struct pol p;

	for (i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	p = of_texts(some_rules(&r, w, true), some_rules(&r, w, false));
	ir = must(l, &p, a);
	c = a_claim(l, &r, w);
	where.roots = request_of(w->kind).roots;
	got = prove(ir, c.says, &where, a, &res);
	all.n = 0;
	if (w->kind == IR_NET)
		add_nets(&all);
	else if (w->kind == IR_SYSCALL)
		add_calls(&all);
	else
		add_texts(&all, w, a);
	for (i = 0; i < all.n; i++) {
		if (got == PROVE_PROVED && !res.elsewhere.n && all.v[i].path.n &&
		    all.v[i].path.n < 5)
			anywhere(l, run, &p, ir, &c, &all.v[i]);
		if (!violates(l, ir, &c, &all.v[i]))
			continue;
		bad++;
		if (got == PROVE_PROVED)
			broken(l, run, &p, &c, &all.v[i],
			       "it is proved, and this request is against it");
	}
	assert_true((got == PROVE_REFUTED) == (res.findings.n > 0));
	assert_true((got == PROVE_PROVED) == (!res.findings.n && !res.doubts.n));
	/* what is undecided has its rule; PCRE2 alone knows some of these */
	for (i = 0; i < res.doubts.n; i++)
		if (!res.doubts.v[i].side[0].id.n && !res.doubts.v[i].side[1].id.n)
			broken(l, run, &p, &c, NULL, "a doubt that names no rule");
	/* names of tools depend on nothing else: there is no doubt about them */
	if (w->kind == IR_TOOL && got == PROVE_UNDECIDED)
		broken(l, run, &p, &c, NULL, "it is undecided");
	for (i = 0; i < res.findings.n; i++)
		if (!violates(l, ir, &c, &res.findings.v[i].request))
			broken(l, run, &p, &c, &res.findings.v[i].request,
			       "this request is not against it");
	for (i = 0; i < res.elsewhere.n; i++)
		if (!violates(l, ir, &c, &res.elsewhere.v[i].request))
			broken(l, run, &p, &c, &res.elsewhere.v[i].request,
			       "with these roots it is not against it");
	seen[k].elsewhere += res.elsewhere.n > 0;
	seen[k].proved += got == PROVE_PROVED;
	seen[k].refuted += got == PROVE_REFUTED;
	seen[k].undecided += got == PROVE_UNDECIDED;
	seen[k].violated += bad > 0;
	l->bites += bad > 0;
}

static void test_prove_agrees_with_brute_force(void **state)
{
	struct law l;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "prove", 400, 0);
	law_repeat(&l, one);
	for (size_t k = 0; k < POL_LEN(worlds); k++) {
		printf("%s: %lu proved (%lu not for all roots), %lu refuted, %lu "
		       "undecided; "
		       "%lu with a request against it\n",
		       worlds[k].section, seen[k].proved, seen[k].elsewhere,
		       seen[k].refuted, seen[k].undecided, seen[k].violated);
		if (law_is_whole(&l))
			assert_true(seen[k].refuted && seen[k].proved);
	}
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prove_agrees_with_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
