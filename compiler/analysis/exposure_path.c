/*
 * May a file or socket of a pattern be had?  A pattern without wildcards is one request.
 * For another, an automaton divides its paths into regions that match the same rules, and
 * the evaluator's steps decide each region.
 *
 * Rules about the run's own scratch trees are left out: nobody outside sees those files.
 */
#include "compiler/analysis/exposure_path.h"

#include "compiler/eval/levels.h"
#include "compiler/eval/request.h"
#include "compiler/sets/lang.h"

/* Past these, the answer is that the pattern can be reached. */
#define MAX_STATES 4000
/* So many patterns are tried in vain; those after them are not decided either. */
#define MAX_GIVEN_UP 3

/* --- patterns --------------------------------------------------------------------- */

static void glob_add(struct ir_glob *g, enum ir_glob_op op, char c)
{
	g->v[g->n++] = (struct ir_glob_item){ .op = op, .byte = (uint8_t)c };
}

/* `**` is a whole name with its '/'. */
static struct ir_glob glob_of(struct arena *a, struct str pattern)
{
	struct ir_glob g = { .v = arena_array(a, pattern.n + 1, sizeof(*g.v)) };

	for (size_t i = 0; i < pattern.n; i++) {
		if (str_starts(str_sub(pattern, i, pattern.n - i), STR("**/"))) {
			glob_add(&g, IR_G_DIRS, 0);
			i += 2;
		} else if (pattern.p[i] == '*') {
			glob_add(&g, IR_G_STAR, 0);
		} else {
			glob_add(&g, IR_G_BYTE, pattern.p[i]);
		}
	}
	return g;
}

/* The root's directory, "" for "/"; p == NULL if there is none. */
static struct str dir_of(const struct exposure_asker *q, enum ir_root root)
{
	return root == IR_ROOT_FS ? STR("") : q->where->roots.dir[root];
}

static struct set_re *language(const struct exposure_asker *q, struct arena *a,
			       const struct ir_path *p)
{
	struct str dir = dir_of(q, p->root);

	if (!dir.p || p->abstract)
		return set_none(a);
	return set_cat(a, set_lit(a, dir), set_from_path(a, p));
}

/* The bytes with which every path of the pattern begins. */
static struct str prefix_of(const struct exposure_asker *q, struct arena *a,
			    const struct ir_path *p)
{
	struct buf b;

	buf_init(&b, a);
	buf_str(&b, dir_of(q, p->root));
	for (size_t i = 0; i < p->glob.n && p->glob.v[i].op == IR_G_BYTE; i++)
		buf_ch(&b, (char)p->glob.v[i].byte);
	return buf_view(&b);
}

static bool may_meet(struct str x, struct str y)
{
	return str_starts(x, y) || str_starts(y, x);
}

/* --- the rules that a pattern may meet --------------------------------------------- */

struct asked {
	const struct exposure_asker *q;
	struct arena *a;
	enum ir_kind kind;
	unsigned ops; /* 0: sockets have none */
	struct ir_path set;
	VEC(const struct ir_rule *) rules; /* in the order of ir.rules */
};

static void find_rules(struct asked *k)
{
	const struct ir *ir = k->q->ir;
	struct str prefix = prefix_of(k->q, k->a, &k->set);

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind != k->kind || r->scratch ||
		    !(r->scopes & (unsigned)k->q->where->scope) ||
		    (k->ops && !(r->set.u.file.ops & k->ops)))
			continue;
		if (dir_of(k->q, ir_set_path(r->kind, &r->set)->root).p &&
		    may_meet(prefix, prefix_of(k->q, k->a, ir_set_path(r->kind, &r->set))))
			VEC_PUSH(k->a, &k->rules, r);
	}
}

/* --- decisions ------------------------------------------------------------------------ */

static struct exposure_reach decided(const struct asked *k, const struct ir_rule *const *v,
				     size_t n, unsigned op)
{
	struct ir_request req = { .kind = k->kind, .scope = k->q->where->scope,
				  .op = (enum ir_op)op, .roots = k->q->where->roots };
	struct eval_decision d = { .effect = IR_DENY, .risk = IR_RISK_MEDIUM };

	d.matched = arena_array(k->a, n + 1, sizeof(*d.matched));
	for (size_t i = 0; i < n; i++)
		if (!op || (v[i]->set.u.file.ops & op))
			d.matched[d.nmatched++] = v[i];
	eval_by_levels(k->q->ir, &req, true, &d);
	return exposure_reach_of(k->q->ir, &d);
}

/* Every operation must be had: the strictest answer counts. */
static struct exposure_reach of_rules(const struct asked *k, const struct ir_rule *const *v,
				      size_t n)
{
	struct exposure_reach all = { .grade = EXPOSURE_OPEN }, one;
	bool first = true;

	if (!k->ops)
		return decided(k, v, n, 0);
	for (unsigned op = IR_READ; op <= IR_EXEC; op <<= 1) {
		if (!(k->ops & op))
			continue;
		one = decided(k, v, n, op);
		if (first || one.grade < all.grade)
			all = one;
		first = false;
	}
	return all;
}

/* One path: the rules that match it.  They may differ by operation. */
static struct exposure_reach of_one(const struct asked *k, struct str path)
{
	struct ir_request req = { .kind = k->kind, .scope = k->q->where->scope,
				  .roots = k->q->where->roots, .path = path };
	VEC(const struct ir_rule *) v = { NULL, 0, 0 };

	for (size_t i = 0; i < k->rules.n; i++) {
		bool matches = false;

		req.op = IR_READ;
		for (unsigned op = IR_READ; !matches && op <= IR_EXEC; op <<= 1) {
			req.op = (enum ir_op)op;
			if (!k->ops || (k->ops & op))
				matches = eval_rule_matches(k->rules.v[i], &req);
		}
		if (matches)
			VEC_PUSH(k->a, &v, k->rules.v[i]);
	}
	return of_rules(k, v.v, v.n);
}

/* --- regions ---------------------------------------------------------------------------- */

/*
 * What the rule does not match after all.  An exception for some of the asked operations
 * weakens a deny, and is nothing to an allow.
 */
static struct set_re *exceptions(const struct asked *k, const struct ir_rule *r)
{
	struct set_re *re = set_none(k->a);
	unsigned ops = k->ops & r->set.u.file.ops;

	for (size_t i = 0; i < r->nexcept; i++) {
		const struct ir_set *e = &r->except[i];
		bool counts = !k->ops || (r->effect == IR_ALLOW ? !(ops & ~e->u.file.ops) :
								  ops & e->u.file.ops);

		if (counts)
			re = set_or(k->a, re, language(k->q, k->a, ir_set_path(r->kind, e)));
	}
	return re;
}

static struct exposure_reach undecided(const struct asked *k)
{
	struct exposure_reach ret = { .grade = EXPOSURE_OPEN, .undecided = true };

	for (size_t i = 0; i < k->rules.n; i++)
		if (k->rules.v[i]->effect == IR_ALLOW) {
			ret.by = exposure_by_rule(k->rules.v[i]);
			break;
		}
	return ret;
}

/*
 * Strict rules of one kind decide alike wherever one of them matches, so that they are one
 * language.  Apart, ten names at any depth would make an automaton of a thousand parts.
 */
static bool is_alike(const struct ir_rule *x, const struct ir_rule *y)
{
	return x->effect > IR_ALLOW && x->effect == y->effect && x->level == y->level &&
	       x->final == y->final && x->floor == y->floor && x->soft == y->soft &&
	       x->set.u.file.ops == y->set.u.file.ops && !x->nexcept && !y->nexcept &&
	       !x->nlifted_by && !y->nlifted_by;
}

/* Index of the first rule that decides like this one. */
static size_t first_alike(const struct asked *k, size_t i)
{
	for (size_t n = 0; n < i; n++)
		if (is_alike(k->rules.v[n], k->rules.v[i]))
			return n;
	return i;
}

/* The languages of the rules, each with the index of a rule as its tag, and tag 0. */
static size_t languages(const struct asked *k, struct set_tagged *langs)
{
	size_t *at = arena_array(k->a, k->rules.n + 1, sizeof(*at)), n = 1;
	struct set_re **all = arena_array(k->a, k->rules.n + 1, sizeof(*all));

	langs[0].re = language(k->q, k->a, &k->set);
	langs[0].minus = set_no_rest(k->a);
	for (size_t i = 0; i < k->rules.n; i++) {
		const struct ir_rule *r = k->rules.v[i];
		struct set_re *re = language(k->q, k->a, ir_set_path(r->kind, &r->set));
		size_t first = first_alike(k, i);

		if (first < i) {
			all[first] = set_or(k->a, all[first], re);
			langs[at[first]].re = all[first];
			continue;
		}
		at[i] = n;
		all[i] = re;
		langs[n].re = re;
		langs[n].minus = exceptions(k, r);
		langs[n++].tag = (uint32_t)i + 1;
	}
	return n;
}

static struct exposure_reach of_many(const struct asked *k)
{
	struct set_tagged *langs = arena_array(k->a, k->rules.n + 1, sizeof(*langs));
	const struct ir_rule **v = arena_array(k->a, k->rules.n + 1, sizeof(*v));
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	size_t nlangs = languages(k, langs);
	struct set_dfa f;

	if (*k->q->given_up >= MAX_GIVEN_UP ||
	    set_dfa_build(k->a, langs, nlangs, MAX_STATES, &f) != SET_HOLDS) {
		++*k->q->given_up;
		return undecided(k);
	}
	for (uint32_t s = 0; s < f.nstates && ret.grade != EXPOSURE_OPEN; s++) {
		size_t n = 0;

		if (f.tag_at[s] == f.tag_at[s + 1] || f.tags[f.tag_at[s]] != 0)
			continue;
		for (uint32_t t = f.tag_at[s] + 1; t < f.tag_at[s + 1]; t++)
			v[n++] = k->rules.v[f.tags[t] - 1];
		exposure_add(&ret, of_rules(k, v, n));
	}
	return ret;
}

/* Most rows meet no rule that allows: then no automaton is needed. */
static bool may_open(const struct asked *k, unsigned op)
{
	if (decided(k, NULL, 0, op).grade != EXPOSURE_CLOSED)
		return true;
	for (size_t i = 0; i < k->rules.n; i++)
		if (k->rules.v[i]->effect <= IR_ASK &&
		    (!op || (k->rules.v[i]->set.u.file.ops & op)))
			return true;
	return false;
}

static bool all_may_open(const struct asked *k)
{
	if (!k->ops)
		return may_open(k, 0);
	for (unsigned op = IR_READ; op <= IR_EXEC; op <<= 1)
		if ((k->ops & op) && !may_open(k, op))
			return false;
	return true;
}

struct exposure_reach exposure_path(const struct exposure_asker *q, enum ir_kind kind,
				    unsigned ops, enum ir_root root, struct str pattern)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	struct arena tmp;
	struct asked k = { .q = q, .a = &tmp, .kind = kind, .ops = ops };

	if (!dir_of(q, root).p)
		return ret;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	k.set = (struct ir_path){ .root = root, .glob = glob_of(&tmp, pattern) };
	find_rules(&k);
	if (!all_may_open(&k))
		ret.grade = EXPOSURE_CLOSED;
	else if (memchr(pattern.p, '*', pattern.n))
		ret = of_many(&k);
	else
		ret = of_one(&k, str_cat(&tmp, dir_of(q, root), pattern));
	arena_release(&tmp);
	return ret;
}
