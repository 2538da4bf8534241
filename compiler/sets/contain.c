/*
 * Does one rule's whole set contain another's?  Sets under different roots are compared
 * for every place where the roots may be.
 */
#include "compiler/sets/box.h"
#include "compiler/sets/lang.h"
#include "compiler/sets/sample.h"

static struct set_re *any_path_bytes(struct arena *a, bool slash)
{
	struct set_bytes b = { { ~(uint64_t)1, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	if (!slash)
		set_bytes_drop(&b, '/');
	return set_class(a, b);
}

/* Any directory that can be a root: "" (the root "/") or "/a/b". */
static struct set_re *any_place(struct arena *a)
{
	struct set_re *name = any_path_bytes(a, false);

	return set_star(a, set_cat(a, set_byte(a, '/'),
				   set_cat(a, name, set_star(a, name))));
}

struct set_re *set_no_rest(struct arena *a)
{
	struct set_re *any = set_star(a, any_path_bytes(a, true));
	struct set_re *slash = set_byte(a, '/'), *re, *dots;

	re = set_cat(a, any_path_bytes(a, false), any);
	re = set_or(a, re, set_cat(a, any, set_cat(a, set_lit(a, STR("//")), any)));
	re = set_or(a, re, set_cat(a, any, slash));
	dots = set_cat(a, set_lit(a, STR("/.")),
		       set_or(a, set_eps(a), set_byte(a, '.')));
	dots = set_cat(a, dots, set_or(a, set_eps(a), set_cat(a, slash, any)));
	return set_or(a, re, set_cat(a, any, dots));
}

/* The path's language relative to its root, or (`lifted`) relative to "/". */
static struct set_re *path_re(struct arena *a, const struct ir_path *p, bool lifted)
{
	struct set_re *re = set_from_path(a, p);

	if (lifted && p->root != IR_ROOT_FS)
		re = set_cat(a, any_place(a), re);
	return re;
}

/*
 * A rule's exceptions, grouped by whether they can be expressed in one frame: relative
 * to a root, or to "/".
 */
struct frame {
	struct set_re *inside;  /* exceptions under the root of the frame */
	struct set_re *own;     /* exceptions under the smaller rule's root, relative
	                           to that root */
	struct set_re *outside; /* the other exceptions, wherever their roots may be */
};

static bool covers_ops(const struct ir_rule *r, const struct ir_set *e, unsigned ops)
{
	return r->kind != IR_FILE || !(ops & ~e->u.file.ops);
}

static bool shares_ops(const struct ir_rule *r, const struct ir_set *e, unsigned ops)
{
	return r->kind != IR_FILE || (ops & e->u.file.ops);
}

struct choice {
	enum ir_root root, own;
	enum { CHOOSE_ROOT, CHOOSE_OWN, CHOOSE_OTHER } which;
};

static bool is_chosen(const struct choice *c, enum ir_root root)
{
	switch (c->which) {
	case CHOOSE_ROOT:
		return root == c->root;
	case CHOOSE_OWN:
		return root != c->root && root == c->own;
	case CHOOSE_OTHER:
		break;
	}
	return root != c->root && root != c->own;
}

static struct set_re *chosen(struct arena *a, const struct ir_rule *r, unsigned ops,
			     struct choice c)
{
	struct set_re **v = arena_array(a, r->nexcept + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < r->nexcept; i++) {
		const struct ir_path *p = ir_set_path(r->kind, &r->except[i]);

		if (!p->abstract && shares_ops(r, &r->except[i], ops) &&
		    is_chosen(&c, p->root))
			v[n++] = path_re(a, p, c.which == CHOOSE_OTHER);
	}
	return set_or_all(a, v, n);
}

static struct frame exceptions_of(struct arena *a, const struct ir_rule *r,
				  enum ir_root root, enum ir_root own, unsigned ops)
{
	return (struct frame){
		.inside = chosen(a, r, ops, (struct choice){root, own, CHOOSE_ROOT}),
		.own = chosen(a, r, ops, (struct choice){root, own, CHOOSE_OWN}),
		.outside = chosen(a, r, ops, (struct choice){root, own, CHOOSE_OTHER}),
	};
}

/* Paths that are certainly not in `small`, relative to this root. */
static struct set_re *surely_not(struct arena *a, const struct ir_rule *small,
				 enum ir_root root, unsigned ops)
{
	struct set_re **v = arena_array(a, small->nexcept + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < small->nexcept; i++) {
		const struct ir_path *p = ir_set_path(small->kind, &small->except[i]);

		if (!p->abstract && p->root == root &&
		    covers_ops(small, &small->except[i], ops))
			v[n++] = path_re(a, p, false);
	}
	return set_or(a, set_no_rest(a), set_or_all(a, v, n));
}

/* The number of bytes with which every path of the glob begins. */
static size_t literal_prefix(const struct ir_path *p)
{
	size_t n = 0;

	while (n < p->glob.n && p->glob.v[n].op == IR_G_BYTE)
		n++;
	return n;
}

/*
 * Most pairs of rules differ in their first bytes; then no query is needed to see that
 * one does not contain the other.  No glob is empty, so `small` has a path (ir_verify).
 */
static bool surely_apart(const struct ir_path *big, const struct ir_path *small)
{
	size_t nb = literal_prefix(big), ns = literal_prefix(small), i;

	if (big->root != small->root)
		return big->root != IR_ROOT_FS || nb > 1;
	for (i = 0; i < nb && i < ns; i++)
		if (big->glob.v[i].byte != small->glob.v[i].byte)
			return true;
	return ns < nb && ns == small->glob.n;
}

/*
 * Does one path of `small` lie outside of `big`?  Then it does so wherever its root lies
 * (`lift`), so any place will do.  The exceptions of `small` might take that path away.
 */
static bool sample_lies_outside(const struct ir_path *big, const struct ir_rule *small,
				bool lift)
{
	char buf[SAMPLE_SIZE + 2] = "/q";
	struct str path;

	if (small->nexcept)
		return false;
	path = sample_path(ir_set_path(small->kind, &small->set), buf + 2);
	if (path.p && lift)
		path = (struct str){ buf, path.n + 2 };
	return path.p && !sample_may_match(big, path);
}

/* Are the paths of the set and the exceptions disjoint? */
static enum set_answer none_meets(struct arena *a, const struct set_re *paths,
				  const struct set_re *except)
{
	struct set_tagged y = { .re = set_star(a, any_path_bytes(a, true)),
				.minus = except };

	if (except->op == SET_EMPTY)
		return SET_HOLDS;
	return set_included(a, paths, set_no_rest(a), &y, 1, SET_DEFAULT_BUDGET, NULL);
}

static enum set_answer path_query(struct arena *a, const struct ir_rule *big,
				  const struct ir_rule *small)
{
	const struct ir_path *bp = ir_set_path(big->kind, &big->set);
	const struct ir_path *sp = ir_set_path(small->kind, &small->set);
	unsigned ops = small->kind == IR_FILE ? small->set.u.file.ops : 0;
	bool lift = bp->root != sp->root;
	enum ir_root root = lift ? IR_ROOT_FS : sp->root;
	struct frame f;
	struct set_tagged y;
	enum set_answer answer;

	if (surely_apart(bp, sp) || sample_lies_outside(bp, small, lift))
		return SET_WITNESS;
	f = exceptions_of(a, big, root, sp->root, ops);
	y = (struct set_tagged){ .re = path_re(a, bp, false), .minus = f.inside };
	answer = set_included(a, path_re(a, sp, lift), surely_not(a, small, root, ops),
			      &y, 1, SET_DEFAULT_BUDGET, NULL);
	if (answer == SET_HOLDS)
		answer = none_meets(a, path_re(a, sp, false), f.own);
	/* an exception under another root may cover any place in the smaller set */
	if (answer == SET_HOLDS)
		answer = none_meets(a, path_re(a, sp, true), f.outside);
	return answer;
}

/* --- words ----------------------------------------------------------------------- */

static struct set_re *word_re(struct arena *a, const struct ir_rule *r,
			      const struct ir_set *s, enum set_side side)
{
	if (r->kind == IR_COMMAND)
		return set_from_command(a, &s->u.command, side);
	if (r->kind == IR_TOOL)
		return set_from_word(a, &s->u.tool.glob, side);
	return s->u.unix_path.abstract ?
	       set_from_word(a, &s->u.unix_path.glob, side) : set_none(a);
}

/*
 * Do the words alone describe more than the set holds, because there is a guard or a
 * regex?
 */
static bool is_loose(const struct ir_rule *r, const struct ir_set *s)
{
	return r->kind == IR_COMMAND && (s->u.command.regex || s->u.command.nguards);
}

/*
 * The exceptions as words; `exact`: without those that remove less than their words
 * say.
 */
static struct set_re *word_except(struct arena *a, const struct ir_rule *r, bool exact)
{
	enum set_side side =
		set_side_of(r->effect) == SET_BROAD ? SET_NARROW : SET_BROAD;
	struct set_re **v = arena_array(a, r->nexcept + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < r->nexcept; i++)
		if (!exact || !is_loose(r, &r->except[i]))
			v[n++] = word_re(a, r, &r->except[i], side);
	return set_or_all(a, v, n);
}

static enum set_answer word_query(struct arena *a, const struct ir_rule *big,
				  const struct ir_rule *small)
{
	struct set_tagged y = {
		.re = word_re(a, big, &big->set, set_side_of(big->effect)),
		.minus = word_except(a, big, false),
	};
	enum set_answer answer;

	answer = set_included(a,
			      word_re(a, small, &small->set,
				      set_side_of(small->effect)),
			      word_except(a, small, true), &y, 1, SET_DEFAULT_BUDGET,
			      NULL);
	/*
	 * a guard of the larger set depends on options and paths, which the words do
	 * not show
	 */
	return answer == SET_HOLDS && is_loose(big, &big->set) ? SET_UNDECIDED : answer;
}

/* --- boxes -------------------------------------------------------------- */

/* Is `small` minus its exceptions inside `big`, and outside of big's exceptions? */
static enum set_answer net_query(struct arena *a, const struct ir_rule *big,
				 const struct ir_rule *small)
{
	const struct ir_net *x = &small->set.u.net, **ys;
	size_t i, n = small->nexcept;

	ys = arena_array(a, n + 1, sizeof(*ys));
	for (i = 0; i < n; i++)
		ys[i] = &small->except[i].u.net;
	for (i = 0; i < big->nexcept; i++) {
		struct ir_net meet = *x;
		const struct ir_net *e = &big->except[i].u.net;

		if (!box_net_meets(x, e))
			continue;
		meet.protos &= e->protos;
		if (e->port_lo > meet.port_lo)
			meet.port_lo = e->port_lo;
		if (e->port_hi < meet.port_hi)
			meet.port_hi = e->port_hi;
		if (x->host == IR_HOST_ANY || (e->host != IR_HOST_ANY &&
		    e->cidr.bits >= x->cidr.bits && e->name.n >= x->name.n)) {
			meet.host = e->host;
			meet.name = e->name;
			meet.cidr = e->cidr;
		}
		if (!box_net_covered(&meet, ys, n))
			return SET_WITNESS;
	}
	ys[n] = &big->set.u.net;
	return box_net_covered(x, ys, n + 1) ? SET_HOLDS : SET_WITNESS;
}

static struct ir_cond *cond_less(struct arena *a, const struct ir_rule *r)
{
	struct ir_cond *c = r->set.u.syscall.cond;
	size_t i;

	for (i = 0; i < r->nexcept; i++)
		if (r->except[i].u.syscall.nr == r->set.u.syscall.nr)
			c = box_and(a, c, box_not(a, r->except[i].u.syscall.cond));
	return c;
}

static enum set_answer syscall_query(struct arena *a, const struct ir_rule *big,
				     const struct ir_rule *small)
{
	const struct ir_cond *x = cond_less(a, small);
	struct ir_cond none = { .op = IR_C_FALSE };

	if (big->set.u.syscall.nr != small->set.u.syscall.nr)
		return box_cond_included(a, x, &none, NULL);
	return box_cond_included(a, x, cond_less(a, big), NULL);
}

enum set_answer set_rule_contains(struct arena *a, const struct ir_rule *big,
				  const struct ir_rule *small)
{
	if (big->kind != small->kind || (small->scopes & ~big->scopes))
		return SET_WITNESS;
	switch (big->kind) {
	case IR_COMMAND:
	case IR_TOOL:
		return word_query(a, big, small);
	case IR_FILE:
		if (small->set.u.file.ops & ~big->set.u.file.ops)
			return SET_WITNESS;
		return path_query(a, big, small);
	case IR_UNIX:
		if (big->set.u.unix_path.abstract != small->set.u.unix_path.abstract)
			return SET_WITNESS;
		return big->set.u.unix_path.abstract ? word_query(a, big, small) :
						       path_query(a, big, small);
	case IR_NET:
		return net_query(a, big, small);
	case IR_SYSCALL:
		return syscall_query(a, big, small);
	case IR_KIND_COUNT:
		break;
	}
	return SET_WITNESS;
}
