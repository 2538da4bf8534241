/*
 * Decision graphs: normal atoms, unique nodes, if-then-else.  select.c chooses the
 * decisions, and prune.c removes superfluous tests.
 */
#include "compiler/backend/seccomp/dag.h"

#include <assert.h>

void dag_init(struct dag *d, struct arena *a)
{
	*d = (struct dag){ .a = a, .limit = DAG_MAX_NODES };
	d->nunique = 1024;
	d->unique = arena_array(a, d->nunique, sizeof(*d->unique));
	d->nmemo = 1024;
	d->memo = arena_array(a, d->nmemo, sizeof(*d->memo));
	/* the truth values are leaves that are equal to no verdict */
	VEC_PUSH(a, &d->nodes, ((struct dag_node){ .atom = DAG_TERMINAL }));
	VEC_PUSH(a, &d->nodes, ((struct dag_node){ .atom = DAG_TERMINAL, .hi = 1 }));
}

bool dag_is_terminal(const struct dag *d, uint32_t n)
{
	return d->nodes.v[n].atom == DAG_TERMINAL;
}

/* --- unique nodes ----------------------------------------------------------- */

static uint32_t hash3(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u;

	h = (h ^ b) * 0xbf58476d1ce4e5b9u;
	h = (h ^ (h >> 29) ^ c) * 0x94d049bb133111ebu;
	return (uint32_t)(h >> 32);
}

static uint32_t node_hash(const struct dag_node *n)
{
	if (n->atom == DAG_TERMINAL)
		return hash3((uint32_t)n->leaf.verdict + 2, n->leaf.rule,
			     n->leaf.err);
	return hash3(n->atom, n->hi, n->lo);
}

static bool node_eq(const struct dag_node *x, const struct dag_node *y)
{
	return x->atom == y->atom && x->hi == y->hi && x->lo == y->lo &&
	       x->leaf.verdict == y->leaf.verdict &&
	       x->leaf.rule == y->leaf.rule && x->leaf.err == y->leaf.err;
}

static void unique_grow(struct dag *d)
{
	size_t n = d->nunique * 2;
	uint32_t *to = arena_array(d->a, n, sizeof(*to));

	for (size_t i = 0; i < d->nunique; i++) {
		size_t at;

		if (!d->unique[i])
			continue;
		at = node_hash(&d->nodes.v[d->unique[i] - 1]) & (n - 1);
		while (to[at])
			at = (at + 1) & (n - 1);
		to[at] = d->unique[i];
	}
	d->unique = to;
	d->nunique = n;
}

static uint32_t intern(struct dag *d, struct dag_node node)
{
	size_t at;

	if (d->nodes.n * 2 > d->nunique)
		unique_grow(d);
	at = node_hash(&node) & (d->nunique - 1);
	for (; d->unique[at]; at = (at + 1) & (d->nunique - 1))
		if (node_eq(&d->nodes.v[d->unique[at] - 1], &node))
			return d->unique[at] - 1;
	if (d->nodes.n >= d->limit) {
		d->full = true;
		return DAG_FALSE;
	}
	VEC_PUSH(d->a, &d->nodes, node);
	d->unique[at] = (uint32_t)d->nodes.n;
	return (uint32_t)d->nodes.n - 1;
}

uint32_t dag_leaf(struct dag *d, struct dag_leaf leaf)
{
	/* hi = 2 marks a verdict, so that no verdict is equal to a truth value */
	return intern(d, (struct dag_node){ .atom = DAG_TERMINAL, .hi = 2,
					    .leaf = leaf });
}

static uint32_t make(struct dag *d, uint32_t atom, uint32_t hi, uint32_t lo)
{
	if (hi == lo)
		return hi;
	return intern(d, (struct dag_node){ .atom = atom, .hi = hi, .lo = lo });
}

/* --- if then else -------------------------------------------------------------- */

static void memo_grow(struct dag *d)
{
	size_t n = d->nmemo * 2;
	struct dag_memo *to = arena_array(d->a, n, sizeof(*to));

	for (size_t i = 0; i < d->nmemo; i++) {
		const struct dag_memo *m = &d->memo[i];
		size_t at = hash3(m->key[0], m->key[1], m->key[2]) & (n - 1);

		if (!m->key[0])
			continue;
		while (to[at].key[0])
			at = (at + 1) & (n - 1);
		to[at] = *m;
	}
	d->memo = to;
	d->nmemo = n;
}

/* The slot of this key: free (key[0] == 0) or filled. */
static struct dag_memo *memo_slot(struct dag *d, uint32_t f, uint32_t g, uint32_t h)
{
	size_t at = hash3(f, g, h) & (d->nmemo - 1);

	for (; d->memo[at].key[0]; at = (at + 1) & (d->nmemo - 1))
		if (d->memo[at].key[0] == f && d->memo[at].key[1] == g &&
		    d->memo[at].key[2] == h)
			break;
	return &d->memo[at];
}

static uint32_t cofactor(const struct dag *d, uint32_t n, uint32_t atom, bool hi)
{
	const struct dag_node *node = &d->nodes.v[n];

	if (node->atom != atom)
		return n;
	return hi ? node->hi : node->lo;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t m = a < b ? a : b;

	return m < c ? m : c;
}

uint32_t dag_ite(struct dag *d, uint32_t f, uint32_t g, uint32_t h)
{
	struct dag_memo *m;
	uint32_t atom, hi, lo, r;

	if (f == DAG_TRUE || g == h)
		return g;
	if (f == DAG_FALSE || d->full)
		return h;
	if (g == DAG_TRUE && h == DAG_FALSE)
		return f;
	m = memo_slot(d, f, g, h);
	if (m->key[0])
		return m->value;
	atom = min3(d->nodes.v[f].atom, d->nodes.v[g].atom, d->nodes.v[h].atom);
	assert(atom != DAG_TERMINAL);
	hi = dag_ite(d, cofactor(d, f, atom, true), cofactor(d, g, atom, true),
		     cofactor(d, h, atom, true));
	lo = dag_ite(d, cofactor(d, f, atom, false), cofactor(d, g, atom, false),
		     cofactor(d, h, atom, false));
	r = make(d, atom, hi, lo);
	if (++d->memo_used * 2 > d->nmemo)
		memo_grow(d);
	*memo_slot(d, f, g, h) = (struct dag_memo){ { f, g, h }, r };
	return r;
}

uint32_t dag_and(struct dag *d, uint32_t x, uint32_t y)
{
	return dag_ite(d, x, y, DAG_FALSE);
}

uint32_t dag_or(struct dag *d, uint32_t x, uint32_t y)
{
	return dag_ite(d, x, DAG_TRUE, y);
}

uint32_t dag_not(struct dag *d, uint32_t x)
{
	return dag_ite(d, x, DAG_FALSE, DAG_TRUE);
}

static uint32_t where_allowed(struct dag *d, uint32_t n, uint32_t by, uint32_t *done)
{
	const struct dag_node node = d->nodes.v[n];
	uint32_t hi, lo;

	if (node.atom == DAG_TERMINAL)
		return n > DAG_TRUE && node.leaf.verdict == DAG_ALLOW ? by : n;
	if (!done[n]) {
		hi = where_allowed(d, node.hi, by, done);
		lo = where_allowed(d, node.lo, by, done);
		done[n] = dag_ite(d, make(d, node.atom, DAG_TRUE, DAG_FALSE), hi, lo);
	}
	return done[n];
}

uint32_t dag_where_allowed(struct dag *d, uint32_t root, uint32_t by)
{
	/* no result is node 0, DAG_FALSE: decisions end in leaves with a verdict */
	uint32_t *done = arena_array(d->a, root + 1, sizeof(*done));

	memset(done, 0, (root + 1) * sizeof(*done));
	return where_allowed(d, root, by, done);
}

/* --- conditions ----------------------------------------------------------------- */

static uint32_t atom_node(struct dag *d, const struct ir_cond *c)
{
	struct ir_cond *copy;
	size_t i;

	for (i = 0; i < d->atoms.n; i++) {
		const struct ir_cond *k = d->atoms.v[i];

		if (k->arg == c->arg && k->width == c->width && k->cmp == c->cmp &&
		    k->mask == c->mask && k->value == c->value)
			break;
	}
	if (i == d->atoms.n) {
		copy = arena_dup(d->a, c, sizeof(*c));
		VEC_PUSH(d->a, &d->atoms, copy);
	}
	return make(d, (uint32_t)i, DAG_TRUE, DAG_FALSE);
}

/* (arg & mask) == value; a value with bits outside of the mask never occurs. */
static uint32_t eq(struct dag *d, struct ir_cond c)
{
	if (c.value & ~c.mask)
		return DAG_FALSE;
	if (c.mask == 0)
		return DAG_TRUE;
	c.cmp = IR_EQ;
	return atom_node(d, &c);
}

/* (arg & mask) >= value */
static uint32_t ge(struct dag *d, struct ir_cond c)
{
	if (c.value == 0)
		return DAG_TRUE;
	if (c.value > c.mask)
		return DAG_FALSE;
	if (c.value == c.mask)
		return eq(d, c); /* only the mask itself is that large */
	c.cmp = IR_GE;
	return atom_node(d, &c);
}

/* (arg & mask) > value */
static uint32_t gt(struct dag *d, struct ir_cond c)
{
	if (c.value == UINT64_MAX)
		return DAG_FALSE;
	c.value++;
	return ge(d, c);
}

static uint32_t compare(struct dag *d, const struct ir_cond *from)
{
	struct ir_cond c = *from;

	c.mask &= c.width == 32 ? UINT32_MAX : UINT64_MAX;
	switch (c.cmp) {
	case IR_EQ:
		return eq(d, c);
	case IR_NE:
		return dag_not(d, eq(d, c));
	case IR_GE:
		return ge(d, c);
	case IR_LT:
		return dag_not(d, ge(d, c));
	case IR_GT:
		return gt(d, c);
	case IR_LE:
		return dag_not(d, gt(d, c));
	}
	d->full = true; /* no such compare: no result may be used */
	return DAG_FALSE;
}

/* Orders the atoms as in the text, in whatever order graphs are built. */
static void name_atoms(struct dag *d, const struct ir_cond *c)
{
	if (c->op == IR_C_CMP)
		(void)compare(d, c);
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT)
		name_atoms(d, c->a);
	if (c->op == IR_C_AND || c->op == IR_C_OR)
		name_atoms(d, c->b);
}

static uint32_t build(struct dag *d, const struct ir_cond *c);

/*
 * Chains (`cmd in [ … ]`) are built from their last link: from the first link, each
 * link would copy all links before it.
 */
static uint32_t build_chain(struct dag *d, const struct ir_cond *c,
			    enum ir_cond_op op, uint32_t rest)
{
	if (c->op == op)
		return build_chain(d, c->a, op, build_chain(d, c->b, op, rest));
	return op == IR_C_AND ? dag_and(d, build(d, c), rest) :
				dag_or(d, build(d, c), rest);
}

static uint32_t build(struct dag *d, const struct ir_cond *c)
{
	switch (c->op) {
	case IR_C_TRUE:
		return DAG_TRUE;
	case IR_C_FALSE:
		return DAG_FALSE;
	case IR_C_AND:
		return build_chain(d, c, IR_C_AND, DAG_TRUE);
	case IR_C_OR:
		return build_chain(d, c, IR_C_OR, DAG_FALSE);
	case IR_C_NOT:
		return dag_not(d, build(d, c->a));
	case IR_C_CMP:
		return compare(d, c);
	}
	d->full = true; /* no such condition: no result may be used */
	return DAG_FALSE;
}

uint32_t dag_cond(struct dag *d, const struct ir_cond *c)
{
	if (!c)
		return DAG_TRUE;
	name_atoms(d, c);
	return build(d, c);
}

/* --- size ------------------------------------------------------------------------- */

static size_t count(const struct dag *d, uint32_t n, uint8_t *seen)
{
	const struct dag_node *node = &d->nodes.v[n];

	if (node->atom == DAG_TERMINAL || seen[n])
		return 0;
	seen[n] = 1;
	return 1 + count(d, node->hi, seen) + count(d, node->lo, seen);
}

size_t dag_size(const struct dag *d, uint32_t root)
{
	return count(d, root, arena_alloc(d->a, d->nodes.n));
}
