/*
 * L6, no silent "alike": a random policy and one random edit of any statement, of any part
 * of it, under 200 requests around the edit.  Each request that is answered differently lies
 * in a finding or a doubt (as recorded requests that change do: analysis/impact.h), and where
 * something is newly permitted one of them says so.  Rewrites that mean nothing are alike.
 * A rule that only moves to another level is said, too.
 * Each edit comes in turn, and a long run fails if one of them never showed a difference.
 * Then the witnesses again: the evaluator and the bundles of both policies answer as the
 * finding says.  SEED= and RUNS= repeat a run.
 */
#include "compiler/analysis/diff.h"
#include "compiler/analysis/impact.h"
#include "tests/prop/diff_on.h"
#include "tests/prop/diff_says.h"
#include "tests/prop/laws.h"
#include "tests/prop/pair_ask.h"
#include "tests/prop/pair_edit.h"

#define REQUESTS 200
/* How often another policy is drawn for an edit that does nothing, or is refused. */
#define TRIES 8
#define LONG_RUN 5000

static struct pair_edits edits;

static struct {
	unsigned long done[PAIR_MAX_EDITS], differ[PAIR_MAX_EDITS], undecided[PAIR_MAX_EDITS];
	unsigned long pairs, alike, requests, changed, gateway, recorded, witnesses, asked;
} seen;

/* One case. */
struct pair {
	struct law *l;
	unsigned long run;
	const struct pair_edit *edit;
	struct rnd r;
	struct pair_policy policy[2];
	struct pol text[2];
	struct pair_near near;
	struct diff_where where;
	struct diff_result res;
	bool said;    /* there is a finding or a doubt */
	bool excepts; /* the edited rule has an exception */
};

static void broken(struct pair *p, const struct ir_request *q, const char *why)
{
	struct diff_result *res = &p->res;
	size_t i;

	law_show(&p->text[0]);
	law_show(&p->text[1]);
	law_show_request(q);
	if (q && q->line.p)
		printf("line <%.*s>\n", STR_ARG(q->line));
	for (i = 0; i < res->findings.n; i++)
		printf("finding: %s %s %s of %.*s, %.*s\n", res->findings.v[i].kind,
		       diff_change_name(res->findings.v[i].change), res->findings.v[i].widening ? "widening" : "",
		       STR_ARG(res->findings.v[i].side[0].id), STR_ARG(res->findings.v[i].side[1].id));
	for (i = 0; i < res->doubts.n; i++)
		printf("doubt: %.*s\n", STR_ARG(res->doubts.v[i].why));
	printf("WHY %s\nedit %s, role %s\n", why, p->edit->name, p->text[0].role ? p->text[0].role : "none");
	printf("SEED=%llu RUNS=1\n", (unsigned long long)p->l->seed + p->run);
	fail_msg("%s", why);
}

/* --- the pair -------------------------------------------------------------------------------- */

/* Draws until both texts compile, and the edit shows in them. */
static bool draw(struct pair *p, struct arena *a)
{
	enum ir_kind kind = pair_is_of_slots(p->edit) ? (enum ir_kind)rnd_below(&p->r, IR_KIND_COUNT) :
							p->edit->kind;

	for (int i = 0; i < TRIES; i++) {
		p->policy[0] = pair_random(&p->r, kind);
		p->excepts = pair_edit(&p->r, p->edit, &p->policy[0], &p->policy[1]);
		p->text[0] = pair_texts(a, &p->policy[0]);
		p->text[1] = pair_texts(a, &p->policy[1]);
		if (!pair_means_nothing(p->edit) && pair_same_texts(&p->text[0], &p->text[1]))
			continue;
		p->near.ir[0] = law_ir(p->l, &p->text[0], a);
		p->near.ir[1] = p->near.ir[0] ? law_ir(p->l, &p->text[1], a) : NULL;
		if (p->near.ir[1])
			return true;
	}
	return false;
}

/* --- what no request shows -------------------------------------------------------------------- */

/* Has one of the policies a rule, with a day or final, that the other has not? */
static bool has_alone(const struct pair *p, bool until)
{
	for (size_t i = 0; i < p->near.changed.n; i++)
		if (until ? p->near.changed.v[i]->until.n > 0 : p->near.changed.v[i]->final)
			return true;
	return false;
}

/* Some levels take from a rule what they cannot say: what the gateway does, who may answer. */
static bool acts_the_same(const struct ir_rule *x, const struct ir_rule *y)
{
	const struct ir_net *n = &x->set.u.net, *m = &y->set.u.net;

	return x->effect == y->effect && x->scopes == y->scopes && x->may_yes == y->may_yes && x->err == y->err &&
	       x->floor == y->floor && str_eq(x->text, y->text) &&
	       (x->kind != IR_NET || (n->nwithin == m->nwithin && ir_grant_equal(&n->grant, &m->grant)));
}

/*
 * Does the same rule stand at another level?  Levels that are not compared see it.  Not where a
 * lock or a narrow-only level makes another rule of it, or where a rule that stays may say the same.
 */
static bool is_moved(const struct pair *p)
{
	const struct ir_rule *first = p->near.changed.n ? p->near.changed.v[0] : NULL;
	size_t n[2] = { 0, 0 };

	if (!first || (p->edit->what != EDIT_LEVEL && p->edit->what != EDIT_NARROW))
		return false;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->near.ir[s]->rules.n; i++) {
			const struct ir_rule *r = p->near.ir[s]->rules.v[i];
			bool stays = pair_has_rule(p->near.ir[!s], r);

			if (!stays && !acts_the_same(r, first))
				return false;
			if (stays && r->kind == first->kind && r->effect == first->effect)
				return false;
			n[s] += !stays;
		}
	return n[0] && n[0] == n[1];
}

static bool is_must(const struct pair *p)
{
	const struct slot *s = &slots[p->edit->slot];

	/* a rule whose exception is as large as itself matches nothing */
	if (p->edit->what == EDIT_PART && p->excepts)
		return false;
	if (p->edit->what == EDIT_PART)
		return (p->edit->part == PART_UNTIL && has_alone(p, true)) ||
		       (p->edit->part == PART_FINAL && has_alone(p, false));
	/* another rule may come before these */
	return is_moved(p) || p->edit->what == EDIT_RANK || p->edit->what == EDIT_MOVE ||
	       p->edit->what == EDIT_SHARE ||
	       (p->edit->what == EDIT_SLOT && !slot_is_grant(s) && strncmp(s->text[1], "risk ", 5) != 0);
}

/* --- requests ------------------------------------------------------------------------------------ */

static bool decided_alike(const struct pair *p, const struct ir_request *q, bool *ret_milder)
{
	struct eval_decision d, e;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	eval_decide(p->near.ir[0], q, &tmp, &d);
	eval_decide(p->near.ir[1], q, &tmp, &e);
	arena_release(&tmp);
	*ret_milder = e.effect < d.effect ||
		      (e.effect == d.effect && d.needs_person && !e.needs_person);
	return d.effect == e.effect && d.needs_person == e.needs_person && d.err == e.err &&
	       d.risk == e.risk;
}

/* Is something said about what the gateway does, or about the network? */
static bool says_gateway(const struct diff_result *r)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (strcmp(r->findings.v[i].kind, "net") == 0 || strcmp(r->findings.v[i].kind, "network") == 0)
			return true;
	return r->doubts.n > 0;
}

/* Does the gateway do the same?  Addresses behind names matter where names pass. */
static bool treated_alike(const struct pair *p, const struct ir_request *q, bool *ret_wider)
{
	static const char *const names[] = { "a.example", "b.a.example", "x.example", "x", "other.net",
					     "gw.example", "in.example" };
	const struct ir *x = p->near.ir[0], *y = p->near.ir[1];
	bool wider, tighter, pass, same;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	wider = diff_gateway_widens(x, y, q, &tmp);
	tighter = diff_gateway_widens(y, x, q, &tmp);
	pass = q->is_addr && diff_names_pass(x, q, names, POL_LEN(names), &tmp) &&
	       diff_names_pass(y, q, names, POL_LEN(names), &tmp);
	wider |= pass && diff_reach_widens(x, y, q, &tmp);
	tighter |= pass && diff_reach_widens(y, x, q, &tmp);
	same = diff_grants_alike(x, y, q, &tmp);
	arena_release(&tmp);
	*ret_wider = wider;
	return same && !wider && !tighter;
}

static void check_gateway(struct pair *p, const struct ir_request *q)
{
	bool wider;

	if (q->kind != IR_NET || treated_alike(p, q, &wider))
		return;
	seen.gateway++;
	if (!says_gateway(&p->res))
		broken(p, q, "the gateway treats a connection otherwise, and nothing says so");
	if (wider && !diff_says_widening(&p->res))
		broken(p, q, "the gateway may do more, and nothing says so");
}

static struct impact_request *recorded(struct impact_requests *all, const struct ir_request *q, struct arena *a)
{
	struct impact_request *x = ARENA_NEW(a, struct impact_request);

	*x = (struct impact_request){ .req = *q, .count = 1, .file = "r", .line = all->v.n + 1 };
	VEC_PUSH(a, &all->v, x);
	all->total++;
	return x;
}

static void check_requests(struct pair *p, struct arena *a)
{
	bool widening = diff_says_widening(&p->res);
	struct impact_requests all = { .total = 0 };
	unsigned long changed = 0, counted = 0;
	struct impact im;

	for (int i = 0; i < REQUESTS; i++) {
		struct ir_request q = pair_request(&p->r, &p->near);
		bool milder;

		seen.requests++;
		check_gateway(p, &q);
		(void)recorded(&all, &q, a);
		if (decided_alike(p, &q, &milder))
			continue;
		changed++;
		if (!p->said)
			broken(p, &q, "called alike, and a request is answered differently");
		if (milder && !widening)
			broken(p, &q, "a request is newly permitted, and nothing says so");
	}
	seen.changed += changed;
	/* the same requests, recorded */
	impact_init(&im, &p->res, a);
	impact_add(&im, p->near.ir[0], p->near.ir[1], STR(""), &all, a);
	for (int i = 0; i < DIFF_CHANGE_COUNT; i++)
		counted += im.changes[i];
	for (size_t i = 0; i < im.lost.n; i++)
		for (int k = 0; k < 2; k++)
			printf("lost: %s, side %d %s by %.*s\n", diff_change_name(im.lost.v[i].change), k,
			       ir_effect_name(im.lost.v[i].side[k].effect), STR_ARG(im.lost.v[i].side[k].id));
	if (im.lost.n)
		broken(p, &im.lost.v[0].request->req, "a recorded request changes, and no finding explains it");
	if (counted != changed)
		broken(p, NULL, "not as many recorded requests change as are answered differently");
	seen.recorded += counted;
}

/* --- one pair ----------------------------------------------------------------------------------------- */

static void check_findings(struct pair *p, struct arena *a)
{
	for (size_t i = 0; i < p->res.findings.n; i++) {
		const char *why = diff_finding_fails(p->near.ir[0], p->near.ir[1], &p->res.findings.v[i], a);

		if (why)
			broken(p, &p->res.findings.v[i].request, why);
	}
}

/* False: there was none. */
static bool begin(struct pair *p, struct law *l, unsigned long run, struct arena *a)
{
	uint64_t seed = l->seed + run;

	*p = (struct pair){ .l = l, .run = run, .edit = &edits.v[seed % edits.n] };
	p->r = (struct rnd){ .s = seed * 0x9e3779b97f4a7c15u | 1, .a = a };
	for (int i = 0; i < 8; i++)
		(void)rnd_below(&p->r, 2);
	pair_set_where(&p->where);
	p->near.where = &p->where;
	if (!draw(p, a))
		return false;
	pair_find_changed(&p->near, a);
	diff_policies(p->near.ir[0], p->near.ir[1], &p->where, a, &p->res);
	p->said = p->res.findings.n || p->res.doubts.n;
	return true;
}

static void one_pair(struct law *l, unsigned long run, struct arena *a)
{
	struct pair p;
	size_t at;

	if (!begin(&p, l, run, a))
		return;
	at = (size_t)(p.edit - edits.v);
	seen.pairs++;
	seen.done[at]++;
	seen.differ[at] += p.res.findings.n > 0;
	seen.undecided[at] += !p.res.findings.n && p.res.doubts.n;
	seen.alike += !p.said;
	l->bites += p.res.findings.n > 0;
	if (pair_means_nothing(p.edit) && p.said)
		broken(&p, NULL, "a rewrite that means nothing is not alike");
	if (!p.said && is_must(&p))
		broken(&p, NULL, "called alike, and what no request shows is different");
	check_findings(&p, a);
	check_requests(&p, a);
}

/* In a run that is long enough each of them has made a difference, too. */
static bool is_each_edit_there(void)
{
	bool all = true, is_long = seen.pairs >= LONG_RUN;

	for (size_t i = 0; i < edits.n; i++)
		if (!seen.done[i] || (is_long && !seen.differ[i] && !pair_means_nothing(&edits.v[i]))) {
			printf("never %s: %s\n", seen.done[i] ? "different" : "drawn", edits.v[i].name);
			all = false;
		}
	return all;
}

static void report(void)
{
	unsigned long undecided = 0;
	size_t i;

	printf("edits (differ/undecided of all):");
	for (i = 0; i < edits.n; i++) {
		printf("%s %s %lu/%lu/%lu", i ? "," : "", edits.v[i].name, seen.differ[i], seen.undecided[i],
		       seen.done[i]);
		undecided += seen.undecided[i];
	}
	printf("\n%lu pairs, %lu alike, %lu undecided; %lu requests, %lu answered differently, each explained; "
	       "%lu treated otherwise by the gateway\n",
	       seen.pairs, seen.alike, undecided, seen.requests, seen.changed, seen.gateway);
}

static void test_L6_no_silent_alike(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L6 pairs", 4 * edits.n, 0);
	l.met = is_each_edit_there;
	law_repeat(&l, one_pair);
	report();
	law_end(&l);
}

/* --- what no texts show ---------------------------------------------------------------------------------- */

/*
 * A lock takes the rules below it out of what is compiled, so no two texts differ in the lock alone.
 * Two policies that were put together otherwise may: the rule is the same, and counts in one of them.
 */
static void test_a_lock_alone_is_not_alike(void **state)
{
	const struct pol text = { .text = { [POL_MANAGED] = "command { }\n", [POL_USER] = "command { allow \"foo:*\" }\n",
					    [POL_BASE] = "network disabled\n", [POL_FLOOR] = "file { }\n" } };
	struct law l = { .dir = "" };
	struct diff_where where;
	struct ir ir[2];
	struct arena a;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	law_begin(&l, "L6 lock", 1, 0);
	pair_set_where(&where);
	for (int locked = 0; locked < 2; locked++) {
		const struct ir *one = law_ir(&l, &text, &a);

		assert_non_null(one);
		ir[locked] = *one;
		ir[locked].index = NULL;
		if (locked)
			ir[locked].locked[IR_COMMAND].level = IR_MANAGED;
	}
	for (int s = 0; s < 2; s++) {
		struct diff_result res;
		size_t said = 0;

		diff_policies(&ir[s], &ir[!s], &where, &a, &res);
		for (size_t i = 0; i < res.findings.n; i++)
			said += res.findings.v[i].asked && res.findings.v[i].widening == (s == 1);
		if (!said) {
			printf("WHY no finding about a rule that a lock alone switches off\n");
			fail();
		}
	}
	l.bites = 1;
	law_end(&l);
	arena_release(&a);
}

/* --- the witnesses ------------------------------------------------------------------------------------- */

/* Both bundles, as they would be installed; one in three pairs or so cannot be enforced. */
static bool open_both(struct pair *p, struct bundle b[2], struct arena *a)
{
	struct compilation *c[2];
	int s;

	for (s = 0; s < 2; s++) {
		struct options *o = ARENA_NEW(a, struct options);

		c[s] = ARENA_NEW(a, struct compilation);
		if (!law_compile(p->l, c[s], o, &p->text[s], NULL, a))
			return false;
	}
	for (s = 0; s < 2; s++) {
		if (compiled_open(c[s], &b[s]))
			continue;
		if (s)
			bundle_release(&b[0]);
		if (c[s]->internal)
			broken(p, NULL, c[s]->internal);
		return false;
	}
	return true;
}

/* Asks both bundles, through libpol: each answers as the evaluator, and so the two differ. */
static void ask_bundles(struct pair *p, struct bundle b[2], const struct diff_finding *f, struct arena *a)
{
	struct ir_request q = f->request;
	struct eval_decision e[2];
	struct decision d[2];
	const char *why = NULL;

	q.text = STR("the request");
	for (int s = 0; s < 2; s++) {
		if (!compiled_answers(p->near.ir[s], &q))
			return;
		eval_decide(p->near.ir[s], &q, a, &e[s]);
		if (!compiled_ask(&b[s], &q, a, &d[s], &why) ||
		    (why = compiled_differs(&b[s], &e[s], &q, &d[s], a)))
			broken(p, &q, why);
	}
	seen.asked++;
	if (f->change <= DIFF_UNHIDDEN && d[0].effect == d[1].effect)
		broken(p, &q, "the bundles answer alike, and the finding says that the policies do not");
	if (f->change <= DIFF_UNHIDDEN && f->widening != (d[1].effect < d[0].effect))
		broken(p, &q, "the bundles do not widen as the finding says");
}

static void one_witness(struct law *l, unsigned long run, struct arena *a)
{
	struct bundle b[2];
	struct pair p;

	if (!begin(&p, l, run, a))
		return;
	check_findings(&p, a);
	for (size_t i = 0; i < p.res.findings.n; i++)
		seen.witnesses += p.res.findings.v[i].asked;
	if (!p.res.findings.n || !open_both(&p, b, a))
		return;
	l->bites++;
	for (size_t i = 0; i < p.res.findings.n; i++)
		if (p.res.findings.v[i].asked)
			ask_bundles(&p, b, &p.res.findings.v[i], a);
	bundle_release(&b[0]);
	bundle_release(&b[1]);
}

static void test_witnesses_differ_in_the_bundles_too(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L6 witnesses", edits.n, 0);
	law_repeat(&l, one_witness);
	printf("%lu witnesses, %lu of them asked of two bundles\n", seen.witnesses, seen.asked);
	law_end(&l);
	assert_true(!law_is_whole(&l) || seen.asked > l.runs / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L6_no_silent_alike),
		cmocka_unit_test(test_a_lock_alone_is_not_alike),
		cmocka_unit_test(test_witnesses_differ_in_the_bundles_too),
	};

	pair_edits_all(&edits);
	pair_edits_keep(&edits, getenv("EDIT"));
	cmocka_set_test_filter(getenv("ONLY")); /* with * and ? */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
