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
#include "compiler/target/target.h"

#define NO_LABEL UINT32_MAX

/* What the accumulator holds: (word of arg) & mask; if arg is ACC_NONE, unknown. */
#define ACC_NONE 0xff
struct acc {
	uint8_t arg, high;
	uint32_t mask;
};

struct gen {
	const struct sel_ranges *ranges;
	const struct dag *dag;
	struct asm_program p;
	uint32_t *label;       /* by node */
	struct acc *entry;     /* by node: what the accumulator holds on every way in */
	uint8_t *seen;
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

	for (size_t i = 0; i < g->ranges->n; i++)
		post_order(g, g->ranges->v[i].root, done);
	for (size_t i = 0; i < g->ranges->n; i++)
		acc_meet(g, g->ranges->v[i].root, (struct acc){ ACC_NONE, 0, 0 });
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
	case DAG_TRACE:
		return ret_mapped(g, SECCOMP_RET_USER_NOTIF, PB_V_TRACE, UINT32_MAX, 0);
	case DAG_BROKER:
		return ret_mapped(g, SECCOMP_RET_USER_NOTIF, PB_V_BROKER, UINT32_MAX,
				  0);
	case DAG_KILL:
		break;
	}
	return ret_mapped(g, SECCOMP_RET_KILL_PROCESS, PB_V_KILL, UINT32_MAX, 0);
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

static uint32_t gen_node(struct gen *g, uint32_t n)
{
	const struct dag_node *node = &g->dag->nodes.v[n];
	const struct ir_cond *c;
	uint32_t yes, no;

	if (g->label[n] != NO_LABEL)
		return g->label[n];
	if (node->atom == DAG_TERMINAL)
		return g->label[n] = ret_of(g, &node->leaf);
	c = g->dag->atoms.v[node->atom];
	no = gen_node(g, node->lo);
	yes = gen_node(g, node->hi);
	g->label[n] = c->cmp == IR_EQ ? gen_eq(g, c, g->entry[n], yes, no)
				      : gen_ge(g, c, g->entry[n], yes, no);
	return g->label[n];
}

/* --- numbers ------------------------------------------------------------------------------ */

static uint32_t gen_search(struct gen *g, const struct sel_range *v, size_t n)
{
	uint32_t left, right;
	size_t mid = n / 2;

	if (n == 1) {
		size_t before = g->p.back.n, size;
		uint32_t l = gen_node(g, v->root);

		size = g->p.back.n - before;
		if (size > g->out->largest_size) {
			g->out->largest_size = size;
			g->out->largest_nr = v->lo;
		}
		return l;
	}
	right = gen_search(g, v + mid, n - mid);
	left = gen_search(g, v, mid);
	return asm_jump(&g->p, BPF_JGE, v[mid].lo, right, left);
}

static uint32_t killed_label(const struct gen *g)
{
	for (size_t i = 0; i < g->ranges->n; i++) {
		uint32_t n = g->ranges->v[i].root;
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

void filter_build(const struct selection *s, enum pb_filter_kind kind, struct arena *a,
		  struct filter *ret)
{
	struct gen g = { .ranges = &s->ranges[kind], .dag = &s->dag, .out = ret };

	*ret = (struct filter){ 0 };
	asm_init(&g.p, a);
	g.label = arena_array(a, s->dag.nodes.n, sizeof(*g.label));
	memset(g.label, 0xff, s->dag.nodes.n * sizeof(*g.label));
	g.seen = arena_alloc(a, s->dag.nodes.n);
	g.entry = arena_array(a, s->dag.nodes.n, sizeof(*g.entry));
	flow(&g);
	gen_entry(&g, gen_search(&g, g.ranges->v, g.ranges->n));
	ret->insns = asm_finish(&g.p, &ret->n);
	for (size_t i = 0; i < g.map.n; i++)
		g.map.v[i].pc = asm_pc(&g.p, g.map.v[i].pc);
	if (g.map.n)
		qsort(g.map.v, g.map.n, sizeof(*g.map.v), by_pc);
	ret->map = g.map.v;
	ret->nmap = g.map.n;
}
