/*
 * The layout of a filter: the check of the architecture, a binary search over the
 * ranges of numbers that share a decision, the tests of arguments, the returns.
 * Every return that names a rule has an entry in the map.
 */
#include "compiler/backend/seccomp/codegen.h"

#include <assert.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>

#include "compiler/backend/seccomp/asm.h"
#include "compiler/backend/seccomp/trace.h"
#include "compiler/target/target.h"

#define NO_LABEL UINT32_MAX

/* What the accumulator holds: (word of arg) & mask; if arg is ACC_NONE, unknown. */
#define ACC_NONE 0xff
struct acc {
	uint8_t arg, high;
	uint32_t mask;
};

struct gen {
	const struct selection *s;
	const struct dag *dag;
	struct asm_program p;
	bool trace;
	uint32_t *label;       /* by node; for numbers that are not traced */
	struct acc *entry;     /* by node: what the accumulator holds on every way in */
	uint8_t *seen;
	uint32_t trace_label;  /* the return for an allowed traced call */
	VEC(uint32_t) order;   /* inner nodes, children before parents */
	VEC(struct pb_map_entry) map; /* pc holds a label until the program is complete */
	struct filter *out;
};

/* --- the accumulator -------------------------------------------------------------- */

static uint32_t word(uint64_t v, bool high)
{
	return high ? (uint32_t)(v >> 32) : (uint32_t)v;
}

/* A test of both words may end after either load: the accumulator is unknown. */
static struct acc acc_after(const struct ir_cond *c)
{
	bool high = word(c->mask, true) != 0;

	if (high && word(c->mask, false) != 0)
		return (struct acc){ ACC_NONE, 0, 0 };
	return (struct acc){ c->arg, high, word(c->mask, high) };
}

static void acc_meet(struct gen *g, uint32_t node, struct acc from)
{
	struct acc *e = &g->entry[node];

	if (!g->seen[node]) {
		g->seen[node] = 1;
		*e = from;
	} else if (e->arg != from.arg || e->high != from.high ||
		   e->mask != from.mask) {
		e->arg = ACC_NONE;
	}
}

static void post_order(struct gen *g, uint32_t n, uint8_t *done)
{
	const struct dag_node *node = &g->dag->nodes.v[n];

	if (node->atom == DAG_TERMINAL || done[n])
		return;
	done[n] = 1;
	post_order(g, node->hi, done);
	post_order(g, node->lo, done);
	VEC_PUSH(g->p.a, &g->order, n);
}

/* From parents to children: what is loaded at the beginning of each node. */
static void flow(struct gen *g)
{
	uint8_t *done = arena_alloc(g->p.a, g->dag->nodes.n);

	for (size_t i = 0; i < g->s->ranges.n; i++)
		post_order(g, g->s->ranges.v[i].root, done);
	for (size_t i = 0; i < g->s->ranges.n; i++)
		acc_meet(g, g->s->ranges.v[i].root, (struct acc){ ACC_NONE, 0, 0 });
	for (size_t i = g->order.n; i-- > 0;) {
		const struct dag_node *node = &g->dag->nodes.v[g->order.v[i]];
		struct acc after = acc_after(g->dag->atoms.v[node->atom]);

		acc_meet(g, node->hi, after);
		acc_meet(g, node->lo, after);
	}
}

/* --- returns ------------------------------------------------------------------------ */

static uint32_t ret_mapped(struct gen *g, uint32_t value, enum pb_verdict verdict,
			   uint32_t rule, uint16_t err)
{
	uint32_t l = asm_ret(&g->p, value, false);
	struct pb_map_entry e = { .pc = l, .verdict = (uint8_t)verdict,
				  .err = err, .rule = rule };

	VEC_PUSH(g->p.a, &g->map, e);
	return l;
}

static uint32_t ret_of(struct gen *g, const struct dag_leaf *leaf)
{
	switch (leaf->verdict) {
	case DAG_ALLOW:
		return asm_ret(&g->p, SECCOMP_RET_ALLOW, true);
	case DAG_DENY:
		return ret_mapped(g, SECCOMP_RET_USER_NOTIF, PB_V_DENY, leaf->rule,
				  leaf->err);
	case DAG_NONAME:
		/* no entry: nobody wants a report of each probe for a newer call */
		return asm_ret(&g->p, SECCOMP_RET_ERRNO | leaf->err, true);
	case DAG_KILL:
		break;
	}
	return ret_mapped(g, SECCOMP_RET_KILL_PROCESS, PB_V_KILL, UINT32_MAX, 0);
}

static uint32_t trace_ret(struct gen *g)
{
	if (g->trace_label == NO_LABEL)
		g->trace_label = ret_mapped(g, SECCOMP_RET_USER_NOTIF, PB_V_TRACE,
					    UINT32_MAX, 0);
	return g->trace_label;
}

/* --- tests ----------------------------------------------------------------------------- */

static uint32_t load_off(uint8_t arg, bool high)
{
	uint32_t low = (uint32_t)(offsetof(struct seccomp_data, args) + 8u * arg);

	return high ? low + 4 : low; /* little-endian */
}

/* Loads a word under its mask in front of `next`, unless `in` holds it already. */
static uint32_t gen_load(struct gen *g, uint8_t arg, bool high, uint32_t mask,
			 struct acc in, uint32_t next)
{
	bool same = in.arg == arg && in.high == high;

	if (same && in.mask == mask)
		return next;
	if (mask != UINT32_MAX)
		next = asm_stmt(&g->p, BPF_ALU | BPF_AND | BPF_K, mask, next);
	if (same && in.mask == UINT32_MAX)
		return next;
	return asm_stmt(&g->p, BPF_LD | BPF_W | BPF_ABS, load_off(arg, high), next);
}

static uint32_t gen_word(struct gen *g, const struct ir_cond *c, bool high,
			 uint16_t op, struct acc in, uint32_t yes, uint32_t no)
{
	uint32_t l = asm_jump(&g->p, op, word(c->value, high), yes, no);

	return gen_load(g, c->arg, high, word(c->mask, high), in, l);
}

static const struct acc unknown = { ACC_NONE, 0, 0 };

static uint32_t gen_eq(struct gen *g, const struct ir_cond *c, struct acc in,
		       uint32_t yes, uint32_t no)
{
	bool low = word(c->mask, false) != 0, high = word(c->mask, true) != 0;

	if (!high)
		return gen_word(g, c, false, BPF_JEQ, in, yes, no);
	if (low)
		yes = gen_word(g, c, false, BPF_JEQ, unknown, yes, no);
	return gen_word(g, c, true, BPF_JEQ, in, yes, no);
}

/* value <= (arg & mask), with the higher word tested first. */
static uint32_t gen_ge(struct gen *g, const struct ir_cond *c, struct acc in,
		       uint32_t yes, uint32_t no)
{
	uint32_t equal, l;

	if (word(c->mask, true) == 0)
		return gen_word(g, c, false, BPF_JGE, in, yes, no);
	if (word(c->mask, false) == 0)
		return gen_word(g, c, true,
				word(c->value, false) ? BPF_JGT : BPF_JGE, in,
				yes, no);
	equal = gen_word(g, c, false, BPF_JGE, unknown, yes, no);
	l = asm_jump(&g->p, BPF_JEQ, word(c->value, true), equal, no);
	l = asm_jump(&g->p, BPF_JGT, word(c->value, true), yes, l);
	return gen_load(g, c->arg, true, word(c->mask, true), in, l);
}

static uint32_t gen_node(struct gen *g, uint32_t *label, uint32_t n, bool traced)
{
	const struct dag_node *node = &g->dag->nodes.v[n];
	const struct ir_cond *c;
	uint32_t yes, no;

	if (node->atom == DAG_TERMINAL && traced &&
	    node->leaf.verdict == DAG_ALLOW)
		return trace_ret(g);
	if (node->atom == DAG_TERMINAL)
		label = g->label;
	if (label[n] != NO_LABEL)
		return label[n];
	if (node->atom == DAG_TERMINAL)
		return label[n] = ret_of(g, &node->leaf);
	c = g->dag->atoms.v[node->atom];
	no = gen_node(g, label, node->lo, traced);
	yes = gen_node(g, label, node->hi, traced);
	label[n] = c->cmp == IR_EQ ? gen_eq(g, c, g->entry[n], yes, no) :
				     gen_ge(g, c, g->entry[n], yes, no);
	return label[n];
}

/* --- numbers ------------------------------------------------------------------------------ */

struct slot {
	uint32_t lo, root;
	bool traced;
};

static void add_slot(struct slot *v, size_t *n, uint32_t lo, uint32_t root,
		     bool traced)
{
	if (*n && v[*n - 1].root == root && v[*n - 1].traced == traced)
		return;
	v[(*n)++] = (struct slot){ lo, root, traced };
}

/* The ranges, cut where traced numbers and others meet. */
static struct slot *slots_of(struct gen *g, size_t *ret_n)
{
	uint32_t end = target_call_end();
	struct slot *v = arena_array(g->p.a, g->s->ranges.n + end, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < g->s->ranges.n; i++) {
		const struct sel_range *r = &g->s->ranges.v[i];

		if (!g->trace || r->lo >= end) {
			add_slot(v, &n, r->lo, r->root, false);
			continue;
		}
		for (uint32_t nr = r->lo; nr <= r->hi && nr < end; nr++)
			add_slot(v, &n, nr, r->root, filter_is_traced(nr));
		/* numbers above the last name are no calls */
		if (r->hi >= end)
			add_slot(v, &n, end, r->root, false);
	}
	*ret_n = n;
	return v;
}

static uint32_t gen_search(struct gen *g, uint32_t *traced_label,
			   const struct slot *v, size_t n)
{
	uint32_t left, right;
	size_t mid = n / 2;

	if (n == 1) {
		size_t before = g->p.back.n, size;
		uint32_t l = gen_node(g, v->traced ? traced_label : g->label,
				      v->root, v->traced);

		size = g->p.back.n - before;
		if (size > g->out->largest_size) {
			g->out->largest_size = size;
			g->out->largest_nr = v->lo;
		}
		return l;
	}
	right = gen_search(g, traced_label, v + mid, n - mid);
	left = gen_search(g, traced_label, v, mid);
	return asm_jump(&g->p, BPF_JGE, v[mid].lo, right, left);
}

static uint32_t killed_label(const struct gen *g)
{
	for (size_t i = 0; i < g->s->ranges.n; i++) {
		uint32_t n = g->s->ranges.v[i].root;
		const struct dag_node *node = &g->dag->nodes.v[n];

		if (node->atom == DAG_TERMINAL && node->leaf.verdict == DAG_KILL)
			return g->label[n];
	}
	assert(!"a selection without the range of x32");
	return NO_LABEL;
}

/* Loads arch, then nr; the first jump of the search follows. */
static void gen_entry(struct gen *g, uint32_t search)
{
	uint32_t l;

	l = asm_stmt(&g->p, BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, nr), search);
	l = asm_jump(&g->p, BPF_JEQ, TARGET_AUDIT_ARCH_X86_64, l, killed_label(g));
	asm_stmt(&g->p, BPF_LD | BPF_W | BPF_ABS,
		 offsetof(struct seccomp_data, arch), l);
}

static int by_pc(const void *x, const void *y)
{
	const struct pb_map_entry *a = x, *b = y;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static uint32_t *no_labels(struct gen *g)
{
	uint32_t *v = arena_array(g->p.a, g->dag->nodes.n, sizeof(*v));

	memset(v, 0xff, g->dag->nodes.n * sizeof(*v));
	return v;
}

void filter_build(const struct selection *s, struct arena *a, bool trace,
		  struct filter *ret)
{
	struct gen g = { .s = s, .dag = &s->dag, .trace = trace, .out = ret,
			 .trace_label = NO_LABEL };
	struct slot *slots;
	size_t n;

	*ret = (struct filter){ 0 };
	asm_init(&g.p, a);
	g.label = no_labels(&g);
	g.seen = arena_alloc(a, s->dag.nodes.n);
	g.entry = arena_array(a, s->dag.nodes.n, sizeof(*g.entry));
	flow(&g);
	slots = slots_of(&g, &n);
	gen_entry(&g, gen_search(&g, no_labels(&g), slots, n));
	ret->insns = asm_finish(&g.p, &ret->n);
	for (size_t i = 0; i < g.map.n; i++)
		g.map.v[i].pc = asm_pc(&g.p, g.map.v[i].pc);
	if (g.map.n)
		qsort(g.map.v, g.map.n, sizeof(*g.map.v), by_pc);
	ret->map = g.map.v;
	ret->nmap = g.map.n;
}
