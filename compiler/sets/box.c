/*
 * Conditions over arguments.  All atoms on one argument are compared together, bit by
 * bit from the top.  The first masked bit that differs from an atom's value settles the
 * atom.  So masks and intervals are decided together, and the smallest witness is found
 * first.
 */
#include "compiler/sets/box.h"

/* Limit for the branches and sets of atoms that one inclusion may try. */
#define BOX_BUDGET 100000
/*
 * Limit for the steps from bit to bit in one question: with masks it is as hard as
 * satisfiability.
 */
#define SOLVE_STEPS 200000

struct atom {
	uint64_t mask, value;
	enum ir_cmp cmp; /* a negation has been folded into it */
};

/*
 * A set of atoms that are still open before this bit, from which no solution was found.
 */
struct failed {
	struct failed *next;
	int bit;
	uint64_t open[]; /* nwords long */
};

#define FAILED_SLOTS 256

/*
 * One bit position of all atoms: sets of atoms, nwords words each.
 */
struct column {
	uint64_t *mask, *value; /* whose mask, whose value has this bit */
	uint64_t *run;          /* whose mask has this bit and all below it */
	uint64_t *last, *rest;  /* whose mask ends here, and hold if nothing above differs */
};

struct solve {
	struct arena a;
	size_t n, nwords;
	struct column columns[64];
	uint64_t *greater, *less, *equal; /* which atoms hold for this order */
	uint64_t *levels;                 /* the open sets of the search, one for each bit */
	struct failed *seen[FAILED_SLOTS];
	uint64_t value;
	size_t left; /* remaining steps; 0: given up, and "no" means nothing */
};

static enum ir_cmp negate(enum ir_cmp c)
{
	switch (c) {
	case IR_EQ:
		return IR_NE;
	case IR_NE:
		return IR_EQ;
	case IR_LT:
		return IR_GE;
	case IR_LE:
		return IR_GT;
	case IR_GT:
		return IR_LE;
	case IR_GE:
		return IR_LT;
	}
	return c;
}

/* Does the comparison hold for two values in this order (-1, 0, 1)? */
static bool holds(enum ir_cmp c, int order)
{
	switch (c) {
	case IR_EQ:
		return order == 0;
	case IR_NE:
		return order != 0;
	case IR_LT:
		return order < 0;
	case IR_LE:
		return order <= 0;
	case IR_GT:
		return order > 0;
	case IR_GE:
		return order >= 0;
	}
	return false;
}

static struct failed **slot_of(struct solve *s, int bit, const uint64_t *open)
{
	uint64_t h = (uint64_t)bit * 0x9e3779b97f4a7c15u;
	size_t i;

	for (i = 0; i < s->nwords; i++)
		h = (h ^ open[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 31;
	return &s->seen[h % FAILED_SLOTS];
}

static bool has_failed(struct solve *s, int bit, const uint64_t *open)
{
	const struct failed *f;

	for (f = *slot_of(s, bit, open); f; f = f->next)
		if (f->bit == bit &&
		    memcmp(f->open, open, s->nwords * sizeof(*open)) == 0)
			return true;
	return false;
}

/* Settles the atoms that this bit decides; false if one of them is then false. */
static bool take_bit(const struct solve *s, int bit, bool one, const uint64_t *open,
		     uint64_t *ret_open)
{
	const struct column *c = &s->columns[bit];
	size_t w;

	for (w = 0; w < s->nwords; w++) {
		uint64_t x = one ? c->mask[w] : 0, differs = x ^ c->value[w];
		uint64_t settled = open[w] & (differs | c->last[w]);
		uint64_t holding = (differs & x & s->greater[w]) |
				   (differs & ~x & s->less[w]) | (~differs & c->rest[w]);

		if (settled & ~holding)
			return false;
		ret_open[w] = open[w] & ~settled;
	}
	return true;
}

static bool solve_from(struct solve *s, int bit, const uint64_t *open)
{
	uint64_t *next;
	struct failed *f, **slot;
	size_t w;
	int one;

	if (bit < 0) {
		for (w = 0; w < s->nwords; w++)
			if (open[w] & ~s->equal[w])
				return false;
		return true;
	}
	if (!s->left || has_failed(s, bit, open))
		return false;
	s->left--;
	next = s->levels + (size_t)bit * s->nwords;
	for (one = 0; one < 2; one++) {
		if (!take_bit(s, bit, one, open, next))
			continue;
		if (one)
			s->value |= (uint64_t)1 << bit;
		if (solve_from(s, bit - 1, next))
			return true;
		s->value &= ~((uint64_t)1 << bit);
	}
	if (!s->left)
		return false;
	slot = slot_of(s, bit, open);
	f = arena_alloc(&s->a, sizeof(*f) + s->nwords * sizeof(*open));
	f->bit = bit;
	memcpy(f->open, open, s->nwords * sizeof(*open));
	f->next = *slot;
	*slot = f;
	return false;
}

static struct atom atom_of(const struct box_atom *b)
{
	const struct ir_cond *c = b->cmp;
	uint64_t width = c->width == 32 ? UINT32_MAX : UINT64_MAX;

	return (struct atom){ .mask = c->mask & width, .value = c->value,
			      .cmp = b->negated ? negate(c->cmp) : c->cmp };
}

enum answer { NO, YES, UNKNOWN };

static void put_bits(struct solve *s, uint64_t bits, bool value, size_t i)
{
	for (; bits; bits &= bits - 1) {
		struct column *c = &s->columns[__builtin_ctzll(bits)];

		(value ? c->value : c->mask)[i / 64] |= (uint64_t)1 << (i % 64);
	}
}

/*
 * Adds an atom, and sees to it that the search begins high enough: above *top no atom has
 * a bit.  Where the mask ends the atom is settled; the value's bits below it are greater
 * than the zeros that the mask leaves.
 */
static void put_atom(struct solve *s, const struct atom *t, int *top)
{
	const size_t i = s->n++, w = i / 64;
	const uint64_t me = (uint64_t)1 << (i % 64);
	const int end = t->mask ? __builtin_ctzll(t->mask) : 63;
	const uint64_t below = t->value & (((uint64_t)1 << end) - 1);
	const uint64_t used = t->mask | t->value;
	const int high = t->mask ? 63 - __builtin_clzll(used) : 63;

	if (t->mask && !(t->mask & (t->mask + 1)))
		s->columns[63 - __builtin_clzll(t->mask)].run[w] |= me;
	else
		put_bits(s, t->mask, false, i);
	put_bits(s, t->value, true, i);
	s->columns[end].last[w] |= me;
	if (holds(t->cmp, below ? -1 : 0))
		s->columns[end].rest[w] |= me;
	s->greater[w] |= holds(t->cmp, 1) ? me : 0;
	s->less[w] |= holds(t->cmp, -1) ? me : 0;
	s->equal[w] |= holds(t->cmp, 0) ? me : 0;
	if (high > *top)
		*top = high;
}

/* Most masks are all bits of an argument: these are put at the first one only. */
static void spread_runs(struct solve *s, int top)
{
	for (size_t w = 0; w < s->nwords; w++) {
		uint64_t run = 0;

		for (int bit = top; bit >= 0; bit--) {
			run |= s->columns[bit].run[w];
			s->columns[bit].mask[w] |= run;
		}
	}
}

#define COLUMN_SETS 5

/* The sets of a question about n atoms: those of 64 bits, and one more, which is returned. */
static uint64_t *make_sets(struct solve *s, size_t n)
{
	const size_t k = n / 64 + 1;
	uint64_t *at;

	s->nwords = k;
	/* an arena's memory is zero */
	at = arena_array(&s->a, (64 * (COLUMN_SETS + 1) + 4) * k, sizeof(*at));
	for (int bit = 0; bit < 64; bit++, at += COLUMN_SETS * k)
		s->columns[bit] = (struct column){ at, at + k, at + 2 * k, at + 3 * k,
						   at + 4 * k };
	s->levels = at;
	at += 64 * k;
	s->greater = at;
	s->less = at + k;
	s->equal = at + 2 * k;
	return at + 3 * k;
}

static enum answer solve_arg(const struct box_atom *atoms, size_t n, uint8_t arg,
			     uint64_t *ret_value, size_t *steps)
{
	struct solve s = { .value = 0, .left = SOLVE_STEPS };
	uint64_t *open;
	int top = 0;
	size_t i;
	bool yes;

	arena_init(&s.a, ARENA_DEFAULT_BUDGET);
	open = make_sets(&s, n);
	for (i = 0; i < n; i++) {
		struct atom t;

		if (atoms[i].cmp->arg != arg)
			continue;
		t = atom_of(&atoms[i]);
		open[s.n / 64] |= (uint64_t)1 << (s.n % 64);
		put_atom(&s, &t, &top);
	}
	spread_runs(&s, top);
	yes = solve_from(&s, top, open);
	*ret_value = s.value;
	*steps += SOLVE_STEPS - s.left;
	arena_release(&s.a);
	return yes ? YES : s.left ? NO : UNKNOWN;
}

/* Can the atoms hold together?  Adds the number of steps to *steps. */
static enum answer atoms_hold(const struct box_atom *atoms, size_t n,
			      uint64_t ret_args[6], size_t *steps)
{
	uint64_t args[6] = { 0, 0, 0, 0, 0, 0 };
	enum answer all = YES, one;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++)
			if (atoms[k].cmp->arg == atoms[i].cmp->arg)
				break;
		if (k < i)
			continue;
		one = solve_arg(atoms, n, atoms[i].cmp->arg,
				&args[atoms[i].cmp->arg], steps);
		if (one == NO)
			return NO;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	if (ret_args && all == YES)
		memcpy(ret_args, args, sizeof(args));
	return all;
}

bool box_atoms_hold(const struct box_atom *atoms, size_t n, uint64_t ret_args[6])
{
	size_t steps = 0;

	return atoms_hold(atoms, n, ret_args, &steps) != NO;
}

/* --- trees --------------------------------------------------------------- */

/* A condition that must still be made true. */
struct goal {
	const struct ir_cond *c;
	bool negated;
	const struct goal *next;
};

struct tree {
	struct arena a;
	VEC(struct box_atom) atoms;
	size_t left; /* what is left of the budget */
	uint64_t *args;
};

static enum set_answer find(struct tree *t, const struct goal *g);

/*
 * Makes both of the goal's conditions true, or one of them (where negation turns AND
 * into OR).
 */
static enum set_answer find_branch(struct tree *t, const struct goal *g, bool both)
{
	struct goal y = { g->c->b, g->negated, g->next };
	struct goal x = { g->c->a, g->negated, both ? &y : g->next };
	enum set_answer first = find(t, &x), second;

	if (both || first == SET_WITNESS)
		return first;
	second = find(t, &y);
	return second == SET_HOLDS ? first : second;
}

/* Can the atoms hold together?  A long search uses more of the budget. */
static enum answer ask(struct tree *t, uint64_t *ret_args)
{
	size_t steps = 0;
	enum answer answer = atoms_hold(t->atoms.v, t->atoms.n, ret_args, &steps);

	steps /= 128;
	t->left = t->left > steps ? t->left - steps : 0;
	return answer;
}

/* SET_WITNESS: all goals can hold together; SET_HOLDS: they cannot. */
static enum set_answer find(struct tree *t, const struct goal *g)
{
	struct goal in;
	enum set_answer answer;

	if (!g)
		switch (ask(t, t->args)) {
		case YES:
			return SET_WITNESS;
		case NO:
			return SET_HOLDS;
		case UNKNOWN:
			return SET_UNDECIDED;
		}
	if (!t->left)
		return SET_UNDECIDED;
	t->left--;
	switch (g->c->op) {
	case IR_C_TRUE:
		return g->negated ? SET_HOLDS : find(t, g->next);
	case IR_C_FALSE:
		return g->negated ? find(t, g->next) : SET_HOLDS;
	case IR_C_NOT:
		in = (struct goal){ g->c->a, !g->negated, g->next };
		return find(t, &in);
	case IR_C_AND:
		return find_branch(t, g, !g->negated);
	case IR_C_OR:
		return find_branch(t, g, g->negated);
	case IR_C_CMP:
		break;
	}
	VEC_PUSH(&t->a, &t->atoms, ((struct box_atom){ g->c, g->negated }));
	answer = SET_HOLDS;
	if (ask(t, NULL) != NO)
		answer = find(t, g->next);
	t->atoms.n--;
	return answer;
}

enum set_answer box_cond_included(struct arena *a, const struct ir_cond *x,
				  const struct ir_cond *y, uint64_t ret_args[6])
{
	struct tree t = { .left = BOX_BUDGET };
	uint64_t args[6] = { 0, 0, 0, 0, 0, 0 };
	struct goal not_y = { y, true, NULL };
	struct goal both = { x, false, &not_y };
	enum set_answer answer;

	(void)a;
	if (!y)
		return SET_HOLDS;
	t.args = args;
	arena_init(&t.a, ARENA_DEFAULT_BUDGET);
	answer = find(&t, x ? &both : &not_y);
	arena_release(&t.a);
	if (answer == SET_WITNESS && ret_args)
		memcpy(ret_args, args, sizeof(args));
	return answer;
}

static struct ir_cond *combine(struct arena *a, enum ir_cond_op op,
			       struct ir_cond *x, struct ir_cond *y)
{
	struct ir_cond *c = ARENA_NEW(a, struct ir_cond);

	c->op = op;
	c->a = x;
	c->b = y;
	return c;
}

struct ir_cond *box_and(struct arena *a, struct ir_cond *x, struct ir_cond *y)
{
	if (!x || x->op == IR_C_TRUE || (y && y->op == IR_C_FALSE))
		return y;
	if (!y || y->op == IR_C_TRUE || x->op == IR_C_FALSE)
		return x;
	return combine(a, IR_C_AND, x, y);
}

struct ir_cond *box_or(struct arena *a, struct ir_cond *x, struct ir_cond *y)
{
	if (!x || x->op == IR_C_TRUE || (y && y->op == IR_C_FALSE))
		return x;
	if (!y || y->op == IR_C_TRUE || x->op == IR_C_FALSE)
		return y;
	return combine(a, IR_C_OR, x, y);
}

struct ir_cond *box_not(struct arena *a, struct ir_cond *x)
{
	if (!x || x->op == IR_C_TRUE)
		return combine(a, IR_C_FALSE, NULL, NULL);
	if (x->op == IR_C_FALSE)
		return combine(a, IR_C_TRUE, NULL, NULL);
	return x->op == IR_C_NOT ? x->a : combine(a, IR_C_NOT, x, NULL);
}
