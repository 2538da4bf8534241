/*
 * Boxes against BDDs: the same sets as diagrams over all bits of a request (protocol,
 * address, port; call and arguments).  What sets/box.c includes, what diff finds and
 * what `prove` answers holds exactly where the diagram of the difference is empty; a
 * request that they name is one of it, and requests that the diagrams name are decided
 * so.  SEED= RUNS=
 */
#include "compiler/analysis/diff.h"
#include "compiler/analysis/prove.h"
#include "compiler/sets/box.h"
#include "compiler/target/target.h"
#include "tests/prop/bdd_sets.h"
#include "tests/prop/random_boxes.h"

static struct {
	unsigned long empty, some, doubts, widening, narrowing, alike, proved, refuted,
		undecided, refused, points;
	double largest; /* the requests of a difference */
} seen[2];

static unsigned of(enum ir_kind kind)
{
	return kind == IR_SYSCALL;
}

/* --- requests of a diagram ------------------------------------------------------- */

static bool bit_of_request(const struct ir_request *q, int var)
{
	unsigned i;

	if (var == BITS_SCOPE)
		return q->scope == IR_HOST;
	if (q->kind == IR_SYSCALL) {
		/* the last one stands for all calls that no rule allows or asks about
		 */
		for (i = 0; i + 1 < POL_LEN(bits_calls); i++)
			if (target_call_by_name(str_from(bits_calls[i]))->nr == q->nr)
				break;
		if (var < BITS_ARG)
			return i >> (1 - (var - BITS_CALL)) & 1;
		return q->args[(var - BITS_ARG) / 64] >> (63 - (var - BITS_ARG) % 64) &
		       1;
	}
	if (var == BITS_PROTO)
		return q->proto == IR_UDP;
	if (var == BITS_IS_ADDR)
		return q->is_addr;
	if (var >= BITS_PORT)
		return q->port >> (15 - (var - BITS_PORT)) & 1;
	if (var >= BITS_ADDR)
		return q->addr[(var - BITS_ADDR) / 8] >> (7 - (var - BITS_ADDR) % 8) &
		       1;
	/* a name counts as the one of the eight that the same patterns match */
	for (i = 0; i < 8 && !str_eqz(q->host, bits_names[i]); i++)
		;
	if (i == 8) {
		struct str s = q->host;

		i = str_ends(s, STR(".a.x"))         ? 3
		    : str_ends(s, STR(".x"))         ? 1
		    : str_ends(s, STR(".localhost")) ? 7
						     : 4;
	}
	return i >> (2 - (var - BITS_NAME)) & 1;
}

static bool has(BDD b, const struct ir_request *q)
{
	while (b != bddtrue && b != bddfalse)
		b = bit_of_request(q, bdd_var(b)) ? bdd_high(b) : bdd_low(b);
	return b == bddtrue;
}

/* A random request of a diagram that is not empty. */
static struct ir_request some_request(struct rnd *r, enum ir_kind kind, BDD b)
{
	struct ir_request q = { .kind = kind, .cwd = STR("/h/p"), .host = STR("") };
	uint8_t v[BITS_ALL];
	uint32_t i, x;

	for (i = 0; i < BITS_ALL; i++)
		v[i] = (uint8_t)rnd_below(r, 2);
	while (b != bddtrue) {
		bool one = bdd_low(b) == bddfalse ||
			   (bdd_high(b) != bddfalse && v[bdd_var(b)]);

		v[bdd_var(b)] = one;
		b = one ? bdd_high(b) : bdd_low(b);
	}
	q.scope = v[BITS_SCOPE] ? IR_HOST : IR_SANDBOX;
	if (kind == IR_SYSCALL) {
		x = v[BITS_CALL] * 2u + v[BITS_CALL + 1];
		q.nr = target_call_by_name(str_from(bits_calls[x]))->nr;
		q.nr_known = true;
		for (i = 0; i < 128; i++)
			q.args[i / 64] = q.args[i / 64] << 1 | v[BITS_ARG + i];
		return q;
	}
	q.proto = v[BITS_PROTO] ? IR_UDP : IR_TCP;
	for (i = 0; i < 16; i++)
		q.port = (uint16_t)(q.port << 1 | v[BITS_PORT + i]);
	q.is_addr = v[BITS_IS_ADDR];
	for (i = 0; i < 128 && q.is_addr; i++)
		q.addr[i / 8] = (uint8_t)(q.addr[i / 8] << 1 | v[BITS_ADDR + i]);
	x = v[BITS_NAME] * 4u + v[BITS_NAME + 1] * 2u + v[BITS_NAME + 2];
	q.host = q.is_addr ? STR("") : str_from(bits_names[x]);
	return q;
}

static void count(enum ir_kind kind, BDD b)
{
	/* the variables that a request of the kind does not have are free */
	double n = bdd_satcount(b) /
		   (kind == IR_NET ? 1 : 1u << (BITS_ALL - BITS_SYSCALL));

	assert_true((n > 0) == (b != bddfalse));
	seen[of(kind)].some += b != bddfalse;
	seen[of(kind)].empty += b == bddfalse;
	if (n > seen[of(kind)].largest)
		seen[of(kind)].largest = n;
}

static unsigned log_of(double n)
{
	unsigned ret = 0;

	for (; n >= 2; n /= 2)
		ret++;
	return ret;
}

/* --- the laws ----------------------------------------------------------------------
 */

static void broken(struct law *l, unsigned long run, const struct pol *const p[2],
		   const struct ir_request *q, const char *why)
{
	for (int s = 0; s < 2; s++)
		if (p[s])
			law_show(p[s]);
	law_show_request(q);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
	fail_msg("%s", why);
}

static struct rnd chance(const struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };

	for (int i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	return r;
}

/* The diagrams decide as the evaluator does: requests of each effect's diagram get it.
 */
static void check_points(struct law *l, unsigned long run, struct rnd *r,
			 const struct pol *p, const struct ir *ir, enum ir_kind kind,
			 const BDD said[IR_EFFECT_COUNT])
{
	const struct pol *const both[2] = { p, NULL };

	for (int e = 0; e < IR_EFFECT_COUNT; e++)
		for (int i = 0; i < 3 && said[e] != bddfalse; i++) {
			struct ir_request q = some_request(r, kind, said[e]);
			struct eval_decision d = law_decide(l, ir, &q, r->a);

			seen[of(kind)].points++;
			assert_true(has(said[e], &q));
			if (d.effect == (enum ir_effect)e)
				continue;
			printf("%s, and the evaluator: %s\n",
			       ir_effect_name((enum ir_effect)e), law_by(ir, &d, r->a));
			broken(l, run, both, &q, "the evaluator decides otherwise");
		}
}

/* The requests that get less under y than under x. */
static BDD milder(const BDD x[IR_EFFECT_COUNT], const BDD y[IR_EFFECT_COUNT])
{
	BDD b = bddfalse;

	for (int e = 0; e < IR_EFFECT_COUNT; e++)
		for (int m = 0; m < e; m++)
			b = bits_or(b, bits_and(x[e], y[m]));
	return b;
}

static void diff_agrees(struct law *l, unsigned long run, const struct pol *const p[2],
			const struct ir *const ir[2], enum ir_kind kind,
			BDD said[2][IR_EFFECT_COUNT], struct arena *a)
{
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	BDD wider = milder(said[0], said[1]), narrower = milder(said[1], said[0]);
	bool found[2] = { false, false };
	struct diff_result res;

	diff_policies(ir[0], ir[1], &where, a, &res);
	count(kind, wider);
	count(kind, narrower);
	for (size_t i = 0; i < res.findings.n; i++) {
		const struct diff_finding *f = &res.findings.v[i];
		bool widens = f->side[1].effect < f->side[0].effect;

		/* those about what the gateway does are of no request's effect */
		if (!f->asked || f->change == DIFF_REACH || f->change == DIFF_GATEWAY ||
		    f->side[0].effect == f->side[1].effect)
			continue;
		found[!widens] = true;
		if (!has(widens ? wider : narrower, &f->request))
			broken(l, run, p, &f->request,
			       "this request is not of the difference");
	}
	for (int k = 0; k < 2; k++)
		if (!res.doubts.n && found[k] != ((k ? narrower : wider) != bddfalse))
			broken(l, run, p, NULL,
			       found[k] ? "a difference that is none"
					: "no finding tells this difference");
	seen[of(kind)].doubts += res.doubts.n > 0;
	l->bites += wider != bddfalse;
	seen[of(kind)].widening += wider != bddfalse;
	seen[of(kind)].narrowing += narrower != bddfalse;
	seen[of(kind)].alike += wider == bddfalse && narrower == bddfalse;
}

/* A policy that allows the set of an assertion and nothing else, or denies just that.
 */
static struct pol deciding(struct rnd *r, enum ir_kind kind, const char *set, bool only)
{
	struct pol p = { .role = NULL };

	p.text[POL_MANAGED] =
		arena_printf(r->a, "%s { otherwise %s\n%s %s }\n", box_section(kind),
			     only ? "deny" : "allow", only ? "allow" : "deny", set);
	/* in `limited` the guard would be a part of the set */
	p.text[POL_BASE] = kind == IR_NET ? "network full\n" : "network limited\n";
	p.text[POL_FLOOR] = "file { }\n";
	return p;
}

static void prove_agrees(struct law *l, unsigned long run, struct rnd *r,
			 const struct pol *p, const struct ir *ir, enum ir_kind kind,
			 BDD said[IR_EFFECT_COUNT])
{
	static const char *const forms[] = { "never ", "always ask ", "always deny ",
					     "only " };
	uint32_t form = rnd_below(r, POL_LEN(forms));
	enum ir_effect least = form == 1 ? IR_ASK : IR_DENY;
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	const char *kind_word = kind == IR_NET ? "net" : "syscall";
	const struct ir *in, *claim;
	BDD of_set[IR_EFFECT_COUNT], bad;
	struct pol deciding_it, says = { .role = NULL };
	const struct pol *both[2] = { p, &says };
	struct diff_result res;
	enum prove_answer got;
	const char *set;
	bool when;

	do
		set = box_set(r, kind, &when);
	while (when && form == 3); /* `only` takes no condition */
	says.text[POL_MANAGED] =
		arena_printf(r->a, "assert %s%s %s\n", forms[form], kind_word, set);
	says.text[POL_BASE] = "network limited\n";
	says.text[POL_FLOOR] = "file { }\n";
	deciding_it = deciding(r, kind, set, form == 3);
	in = law_ir(l, &deciding_it, r->a);
	claim = law_ir(l, &says, r->a);
	if (!in || !claim) { /* a condition that always or never holds is an error */
		seen[of(kind)].refused++;
		return;
	}
	bits_policy(in, kind, r->a, of_set);
	bad = of_set[IR_DENY]; /* the rest is denied for `only`, else the set is */
	for (int e = 0; e < IR_EFFECT_COUNT; e++)
		if (e >= (int)least)
			bad = bits_without(bad, said[e]);
	if (kind == IR_NET)
		bad = bits_without(bad, bits_own_loopback()); /* no request */
	got = prove(ir, &claim->assertions.v[0], &where, r->a, &res);
	count(kind, bad);
	if (got == PROVE_PROVED && bad != bddfalse) {
		struct ir_request q = some_request(r, kind, bad);

		broken(l, run, both, &q, "it is proved, and this is against it");
	}
	if (got == PROVE_REFUTED && bad == bddfalse)
		broken(l, run, both, &res.findings.v[0].request,
		       "it is refuted, and it is true");
	for (size_t i = 0; i < res.findings.n; i++)
		if (!has(bad, &res.findings.v[i].request))
			broken(l, run, both, &res.findings.v[i].request,
			       "this is not against it");
	seen[of(kind)].proved += got == PROVE_PROVED;
	seen[of(kind)].refuted += got == PROVE_REFUTED;
	seen[of(kind)].undecided += got == PROVE_UNDECIDED;
}

/* sets/box.c on the rules of a policy, without their exceptions and scopes. */
static void boxes_agree(const struct ir *ir, enum ir_kind kind, struct arena *a)
{
	const struct ir_net **nets = arena_array(a, ir->rules.n + 1, sizeof(*nets));
	size_t i, k, n = 0;

	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_set *x = &ir->rules.v[i]->set;
		BDD all = bddfalse, mine;

		if (ir->rules.v[i]->kind != kind)
			continue;
		mine = bits_set(kind, x);
		if (mine == bddfalse)
			continue;
		for (k = 0; k < ir->rules.n; k++) {
			const struct ir_set *y = &ir->rules.v[k]->set;
			BDD its, rest;

			if (k == i || ir->rules.v[k]->kind != kind)
				continue;
			its = bits_set(kind, y);
			rest = bits_without(mine, its);
			if (kind == IR_NET) {
				assert_true(box_net_included(&x->u.net, &y->u.net) ==
					    (rest == bddfalse));
				assert_true(box_net_meets(&x->u.net, &y->u.net) ==
					    (bits_and(mine, its) != bddfalse));
				nets[n++] = &y->u.net;
				all = bits_or(all, its);
			} else if (x->u.syscall.nr == y->u.syscall.nr) {
				struct ir_request q = { .kind = kind,
							.nr = x->u.syscall.nr };
				enum set_answer got =
					box_cond_included(a, x->u.syscall.cond,
							  y->u.syscall.cond, q.args);

				assert_true(got == (rest == bddfalse ? SET_HOLDS
								     : SET_WITNESS));
				assert_true(got == SET_HOLDS || has(rest, &q));
			}
		}
		/* a name that is in no list lies in no union of names and blocks */
		if (kind == IR_NET)
			assert_true(box_net_covered(&x->u.net, nets, n) ==
				    (bits_without(mine, all) == bddfalse));
		n = 0;
	}
}

static void one_pair(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = chance(l, run, a);
	enum ir_kind kind = (l->seed + run) % 2 ? IR_NET : IR_SYSCALL;
	struct box_text t = box_texts(&r, kind);
	struct pol p[2];
	const struct pol *const both[2] = { &p[0], &p[1] };
	const struct ir *ir[2];
	BDD said[2][IR_EFFECT_COUNT];
	bool full = rnd_one_in(&r, 4);

	p[0] = box_written(&r, kind, &t, full);
	box_edit(&r, kind, &t);
	p[1] = box_written(&r, kind, &t, full);
	for (int s = 0; s < 2; s++) {
		ir[s] = law_ir(l, &p[s], a);
		if (!ir[s]) {
			seen[of(kind)].refused++;
			return;
		}
	}
	for (int s = 0; s < 2; s++) {
		bits_policy(ir[s], kind, a, said[s]);
		check_points(l, run, &r, &p[s], ir[s], kind, said[s]);
	}
	boxes_agree(ir[1], kind, a);
	diff_agrees(l, run, both, ir, kind, said, a);
	prove_agrees(l, run, &r, &p[0], ir[0], kind, said[0]);
	bits_forget();
}

static void test_diff_and_prove_agree_with_diagrams(void **state)
{
	struct law l;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "boxes", 400, 0);
	bits_begin();
	law_repeat(&l, one_pair);
	bits_end();
	for (int k = 0; k < 2; k++) {
		printf("%s: %lu differences empty, %lu not (the largest of 2^%u "
		       "requests); %lu pairs "
		       "wider, %lu narrower, %lu alike, %lu with doubts; %lu proved, "
		       "%lu refuted, %lu "
		       "undecided; %lu requests asked; %lu refused\n",
		       k ? "syscall" : "network", seen[k].empty, seen[k].some,
		       log_of(seen[k].largest), seen[k].widening, seen[k].narrowing,
		       seen[k].alike, seen[k].doubts, seen[k].proved, seen[k].refuted,
		       seen[k].undecided, seen[k].points, seen[k].refused);
		if (!law_is_whole(&l))
			continue;
		assert_true(seen[k].widening && seen[k].narrowing && seen[k].alike);
		assert_true(seen[k].proved && seen[k].refuted);
		assert_true(seen[k].doubts * 20 < l.runs &&
			    seen[k].undecided * 20 < l.runs);
		assert_true(seen[k].refused * 2 < l.runs);
	}
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diff_and_prove_agree_with_diagrams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
