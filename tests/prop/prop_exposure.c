/*
 * The score of `polc exposure` on random policies that are made of the catalogue's own
 * names.  First law: an edit that tightens raises the score of no fact.  Second law: what
 * the evaluator allows of a row's names is found.  SEED= RUNS= repeat a run.
 */
#include "compiler/analysis/exposure.h"
#include "compiler/eval/eval.h"
#include "tests/prop/exposure_edit.h"

#define SAMPLES 200

static struct {
	unsigned long tried, same, lower, lifts;
} seen[EDITS];

/* --- the first law --------------------------------------------------------------------------- */

static struct exposure_where place(enum ir_scope scope)
{
	struct exposure_where w = { .scope = scope, .cwd = STR("/home/user/project") };

	w.roots = (struct ir_roots){ .dir = {
		[IR_ROOT_FS] = STR("/"), [IR_ROOT_HOME] = STR("/home/user"),
		[IR_ROOT_PROJECT] = STR("/home/user/project"), [IR_ROOT_TMP] = STR("/tmp"),
		[IR_ROOT_SESSION] = STR("/run/session"),
		[IR_ROOT_AGENT] = STR("/tmp/ssh-user/agent.1000"),
		[IR_ROOT_GIT] = STR("/home/user/repository/.git"),
	} };
	return w;
}

/* A narrower allow may lift a default that the wider one did not: then nothing is tighter. */
static size_t count_lifts(const struct ir *ir)
{
	size_t n = 0;

	for (size_t i = 0; i < ir->rules.n; i++)
		n += ir->rules.v[i]->nlifted_by;
	return n;
}

static const struct exposure_finding *find(const struct exposure_result *r,
					   const struct exposure_fact *fact)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (strcmp(r->findings.v[i].fact->title, fact->title) == 0)
			return &r->findings.v[i];
	return NULL;
}

/* A fact that has a higher score in `is`, or NULL. */
static const struct exposure_finding *raised(const struct exposure_result *was,
					     const struct exposure_result *is)
{
	for (size_t i = 0; i < is->findings.n; i++) {
		const struct exposure_finding *f = &is->findings.v[i];
		const struct exposure_finding *old = find(was, f->fact);

		if (!old || old->score < f->score)
			return f;
	}
	assert_true(is->score <= was->score);
	assert_int_equal(is->most, was->most);
	return NULL;
}

static void show(const struct law *l, unsigned long run, struct arena *a,
		 const struct policy *x, const struct policy *y)
{
	struct pol p = texts_of(a, x), q = texts_of(a, y);

	law_show(&p);
	puts("======== tighter:");
	law_show(&q);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
}

static void compare(struct law *l, unsigned long run, struct arena *a, const struct ir *ir[2],
		    const struct policy *const p[2], enum edit e)
{
	/* these matter most where nothing but commands holds an agent */
	bool host = e == ADD_GUARD || e == OPAQUE_STRICTER || run % 3 == 0;
	struct exposure_where w = place(host ? IR_HOST : IR_SANDBOX);
	const struct exposure_finding *f;
	struct exposure_result was, is;

	exposure(ir[0], &w, a, &was);
	exposure(ir[1], &w, a, &is);
	f = raised(&was, &is);
	if (f) {
		show(l, run, a, p[0], p[1]);
		fail_msg("%s raises '%s' to %u", edit_names[e], f->fact->title, f->score);
	}
	l->bites += is.score < was.score;
	seen[e].lower += is.score < was.score;
	seen[e].same += is.score == was.score;
}

static void tighter(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct policy p, q;
	const struct policy *both[2] = { &p, &q };
	enum edit e = (enum edit)((l->seed + run) % EDITS);
	const struct ir *ir[2];
	struct pol x, y;

	for (int i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	set_focus(&r, (l->seed + run) / EDITS);
	for (int i = 0; i < 20; i++) {
		p = random_policy(&r);
		if (e == OPAQUE_STRICTER)
			p.otherwise[COMMAND] = 0;
		q = p;
		if (edit(&r, &q, e))
			break;
		q.n = 0;
	}
	x = texts_of(a, &p);
	y = texts_of(a, &q);
	ir[0] = law_ir(l, &x, a);
	ir[1] = ir[0] && q.n ? law_ir(l, &y, a) : NULL;
	if (!ir[1])
		return;
	seen[e].tried++;
	if ((e == NARROW || e == ADD_EXCEPTION || e == ADD_GUARD) &&
	    count_lifts(ir[1]) > count_lifts(ir[0])) {
		seen[e].lifts++;
		return;
	}
	compare(l, run, a, ir, both, e);
}

static void test_a_tighter_policy_has_no_higher_score(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "tighter", 132, 0);
	law_repeat(&l, tighter);
	for (int e = 0; e < EDITS; e++)
		printf("%s: %lu, lower %lu, same %lu, lifts a default %lu\n", edit_names[e],
		       seen[e].tried, seen[e].lower, seen[e].same, seen[e].lifts);
	law_end(&l);
}

/*
 * One or more for each kind of edit, and what random policies seldom hit: the second text
 * is tighter.  It lowers the score unless `same`: words and options that a rule wants, an
 * attacker writes; and one address or port is as good as many.
 */
static const struct {
	const char *was, *is;
	bool same;
} pairs[] = {
	{ "file { allow write \"${PROJECT_DIR}\" }",
	  "file { allow write \"${PROJECT_DIR}\"  deny write \"${PROJECT_DIR}/.husky\", \".github\"\n"
	  "deny write \".gitlab-ci.yml\", \".circleci\", \"Jenkinsfile\", \"azure-pipelines.yml\"\n"
	  "deny write \".pre-commit-config.yaml\" }", false },
	{ "unix { allow \"/run/docker.sock\" }", "unix { }", false },
	{ "command { otherwise allow }", "command { otherwise ask }", false },
	{ "file { otherwise ask }", "file { otherwise deny }", false },
	{ "command { otherwise allow  opaque allow  deny \"zz:*\" }",
	  "command { otherwise allow  opaque ask  deny \"zz:*\" }", false },
	{ "limits { time 30h }", "limits { time 24h }", false },
	{ "env { keep += LD_PRELOAD, \"MY_TOKEN\" }", "env { keep += LD_PRELOAD }", false },
	{ "network full", "network disabled", false },
	{ "unix { allow \"/run\" }", "unix { allow \"/run\"  except \"/run/snapd.socket\" }", false },
	{ "network limited { allow any }", "network limited { allow \"*.x.org\" }", false },
	{ "network limited { allow any }", "network limited { allow tcp 198.0.0.0/8 }", false },
	{ "network full", "network limited { allow \"*.x.org\"  allow ::/0 }", false },
	{ "network limited { allow 8.0.0.0/7 }", "network limited { allow 8.0.0.0/8 }", true },
	{ "network limited { allow 10.0.0.0/8 }", "network limited { allow 10.1.2.3 }", true },
	{ "network limited { allow 127.0.0.0/8 }", "network limited { allow 127.0.0.1 }", true },
	{ "network limited { allow any }", "network limited { allow any port 25 }", true },
	{ "file { allow read \"${HOME}/.mozilla\"  deny read \"${HOME}/.mozilla\" }",
	  "file { allow read \"${HOME}/.mozilla\"  deny read \"${HOME}/.mozilla\"\n"
	  "deny read \"${HOME}/.mozilla/a\", \"${HOME}/.mozilla/b*\", \"**/c\", \"**/x*y*z\" }", true },
	{ "file { allow read \"/\" }", "file { allow read \"/home\" }", false },
	{ "file { allow read \"/\" }", "file { allow read \"/\"  except \"${HOME}\" }", false },
	{ "command { allow \"*:*\" }", "command { allow \"*:*\" with -q }", true },
	{ "command { allow \"node:*\" }", "command { allow \"node -q:*\" }", true },
	{ "unix { allow \"/run\" }", "unix { allow \"/run/user/1000/bus\" }", false },
	{ "env { keep += \"*\" }", "env { keep += PATH }", false },
	{ "env { keep += \"AWS_*\" }", "env { keep += AWS_REGION }", false },
	{ "limits { memory 2T }", "limits { memory 1T }", false },
	{ "syscall { otherwise allow }",
	  "syscall { otherwise allow  deny perf_event_open }", false },
};

static void test_pairs_that_tighten(void **state)
{
	static const enum ir_scope scopes[] = { IR_SANDBOX, IR_HOST };
	bool lower = false;
	struct law l;

	(void)state;
	law_begin(&l, "pairs", 1, 0);
	for (size_t i = 0; i < POL_LEN(pairs) * POL_LEN(scopes); i++) {
		struct exposure_where w = place(scopes[i % 2]);
		struct exposure_result was, is;
		const struct ir *ir[2];
		struct arena a;
		struct pol p;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		for (int k = 0; k < 2; k++) {
			struct policy none = { .locked = -1, .mode = 2, .otherwise = { 2, 2, 2, 2, 2 } };

			p = texts_of(&a, &none);
			p.text[POL_PROJECT] = k ? pairs[i / 2].is : pairs[i / 2].was;
			ir[k] = law_ir(&l, &p, &a);
			if (!ir[k])
				fail_msg("refused (SHOW=1 says why): %s", p.text[POL_PROJECT]);
		}
		exposure(ir[0], &w, &a, &was);
		exposure(ir[1], &w, &a, &is);
		lower |= is.score < was.score;
		l.bites += is.score < was.score;
		if (raised(&was, &is))
			fail_msg("%s raises '%s'", pairs[i / 2].is,
				 raised(&was, &is)->fact->title);
		arena_release(&a);
		if (i % 2 && lower == pairs[i / 2].same)
			fail_msg("%s: %slower", pairs[i / 2].is, lower ? "" : "not ");
		lower = lower && !(i % 2);
	}
	law_end(&l);
}

/* --- the second law -------------------------------------------------------------------------- */

static unsigned long allowed, asked;

static struct ir_request request_of(enum ir_kind kind, const struct exposure_where *w)
{
	return (struct ir_request){ .kind = kind, .scope = w->scope, .roots = w->roots,
				    .cwd = w->cwd };
}

/* A file of the row: something for each `*`, folders for `**`. */
static struct str some_path(struct rnd *r, const struct exposure_where *w, const struct name *n)
{
	static const char *const parts[] = { "x", "a", "rsa", "agent.1000", "1000" };
	struct str root = strcmp(n->root, "HOME") == 0	   ? w->roots.dir[IR_ROOT_HOME] :
			  strcmp(n->root, "PROJECT") == 0 ? w->roots.dir[IR_ROOT_PROJECT] :
			  strcmp(n->root, "AGENT") == 0	   ? w->roots.dir[IR_ROOT_AGENT] :
							     STR("");
	struct buf b;

	if (strcmp(n->root, "HOME") == 0 && rnd_one_in(r, 3))
		root = STR("/home/x");
	buf_init(&b, r->a);
	buf_str(&b, root);
	for (const char *c = n->text; *c; c++) {
		if (strncmp(c, "**/", 3) == 0) {
			buf_z(&b, rnd_one_in(r, 2) ? "x/" : rnd_one_in(r, 2) ? "" : "a/x/");
			c += 2;
		} else if (*c == '*') {
			buf_z(&b, RND_PICK(r, parts));
		} else {
			buf_ch(&b, *c);
		}
	}
	return buf_view(&b);
}

static unsigned found(const struct exposure_result *res, const char *fact, bool socket)
{
	for (size_t i = 0; i < res->findings.n; i++) {
		const struct exposure_fact *f = res->findings.v[i].fact;

		if (strcmp(socket ? f->title : f->name, fact) == 0)
			return (unsigned)res->findings.v[i].grade;
	}
	return EXPOSURE_CLOSED;
}

/* Scratch trees are the run's own files. */
static unsigned grade(const struct eval_decision *d)
{
	if (d->effect > IR_ASK || (d->rule && d->rule->scratch))
		return EXPOSURE_CLOSED;
	return d->effect == IR_ALLOW ? EXPOSURE_OPEN : EXPOSURE_ASKED;
}

static unsigned grade_of(const struct ir *ir, const struct ir_request *q, struct arena *a)
{
	struct eval_decision d;

	eval_decide(ir, q, a, &d);
	return grade(&d);
}

static unsigned grade_of_ops(const struct ir *ir, struct ir_request *q, unsigned ops,
			     struct arena *a)
{
	unsigned least = EXPOSURE_OPEN;

	for (unsigned op = IR_READ; op <= IR_EXEC; op <<= 1) {
		unsigned one;

		q->op = (enum ir_op)op;
		one = ops & op ? grade_of(ir, q, a) : EXPOSURE_OPEN;
		least = one < least ? one : least;
	}
	return least;
}

struct sample {
	const char *fact;
	bool socket;
	unsigned grade;
	struct ir_request req;
};

static struct ir_request net_of(struct rnd *r, const struct exposure_where *w,
				const struct name *n)
{
	static const uint16_t ports[] = { 443, 25, 80, 22, 465 };
	struct ir_request q = request_of(IR_NET, w);

	q.proto = rnd_one_in(r, 3) ? IR_UDP : IR_TCP;
	q.port = n->ops ? (uint16_t)n->ops : RND_PICK(r, ports);
	q.host = str_from(!*n->text ? "example.org" :
			  *n->text == '*' ? arena_printf(r->a, "x%s", n->text + 1) : n->text);
	return q;
}

static struct ir_request address_of(struct rnd *r, const struct exposure_where *w,
				    const struct name *n)
{
	struct ir_request q = request_of(IR_NET, w);
	struct num_cidr c;
	bool bits;

	assert_true(num_cidr(str_from(n->text), &c, &bits));
	q.proto = IR_TCP;
	q.port = rnd_one_in(r, 2) ? 25 : 80;
	q.is_addr = true;
	memcpy(q.addr, c.addr, sizeof(q.addr));
	return q;
}

static struct sample sample(struct rnd *r, const struct ir *ir, const struct exposure_where *w)
{
	const struct name *n;
	struct sample s = { .socket = false };

	switch (rnd_below(r, 6)) {
	case 0:
		n = &RND_PICK(r, hosts);
		s.req = net_of(r, w, n);
		break;
	case 1:
		n = &RND_PICK(r, ranges);
		s.req = address_of(r, w, n);
		break;
	case 2:
		n = &RND_PICK(r, calls);
		s.req = request_of(IR_SYSCALL, w);
		s.req.nr_known = target_call_by_name(str_from(n->text)) != NULL;
		if (s.req.nr_known)
			s.req.nr = target_call_by_name(str_from(n->text))->nr;
		s.req.args[0] = rnd_below(r, 3);
		break;
	case 3:
		n = &RND_PICK(r, sockets);
		s.req = request_of(IR_UNIX, w);
		s.req.path = some_path(r, w, n);
		s.socket = true;
		break;
	default:
		n = rnd_one_in(r, 2) ? row_nearby(r) : &RND_PICK(r, paths);
		s.req = request_of(IR_FILE, w);
		s.req.path = some_path(r, w, n);
		s.fact = n->fact;
		s.grade = grade_of_ops(ir, &s.req, n->ops, r->a);
		return s;
	}
	s.fact = n->fact;
	s.grade = grade_of(ir, &s.req, r->a);
	return s;
}

static void reached(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct exposure_where w = place(run & 1 ? IR_HOST : IR_SANDBOX);
	struct exposure_result res;
	const struct ir *ir;
	struct policy p;
	struct pol x;

	for (int i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	set_focus(&r, l->seed + run);
	p = random_policy(&r);
	x = texts_of(a, &p);
	ir = law_ir(l, &x, a);
	if (!ir)
		return;
	exposure(ir, &w, a, &res);
	for (int i = 0; i < SAMPLES; i++) {
		struct sample s = sample(&r, ir, &w);

		l->requests++;
		l->bites += s.grade != EXPOSURE_CLOSED;
		allowed += s.grade == EXPOSURE_OPEN;
		asked += s.grade == EXPOSURE_ASKED;
		if (found(&res, s.fact, s.socket) >= s.grade)
			continue;
		law_show(&x);
		law_show_request(&s.req);
		printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
		fail_msg("'%s' is %u, and this request %u", s.fact,
			 found(&res, s.fact, s.socket), s.grade);
	}
}

static void test_what_is_allowed_is_found(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "found", 60, 0);
	law_repeat(&l, reached);
	law_end(&l);
	printf("allowed %lu, asked %lu\n", allowed, asked);
	assert_true((allowed && asked) || !law_is_whole(&l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tighter_policy_has_no_higher_score),
		cmocka_unit_test(test_pairs_that_tighten),
		cmocka_unit_test(test_what_is_allowed_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
