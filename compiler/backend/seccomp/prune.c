/*
 * Removes tests that the tests above them already answer: after `cmd == TIOCSTI`
 * held, no other `cmd == X` is tested.  sets/box.c decides bit by bit which
 * combinations of atoms are possible.
 */
#include "compiler/backend/seccomp/dag.h"

#include "compiler/backend/seccomp/cost.h"
#include "compiler/base/map.h"

/* Beyond this length, or beyond COST_BUDGET, the graph stays as it is. */
#define MAX_PATH 512

struct walk {
	struct dag *d;
	struct box_atom path[MAX_PATH]; /* the answers on the path to this node */
	uint32_t path_atom[MAX_PATH];
	size_t npath;
	uint8_t *args; /* by node: arguments tested at the node or below */
	size_t nargs;
	struct map memo;
	size_t cost;
	bool over;
};

/* Arguments tested at or below `n`, as bits; 0x80 marks "known". */
static uint8_t args_below(struct walk *w, uint32_t n)
{
	const struct dag_node *node = &w->d->nodes.v[n];
	uint8_t bits;

	if (node->atom == DAG_TERMINAL)
		return 0;
	if (w->args[n])
		return w->args[n] & 0x7f;
	bits = (uint8_t)(1u << w->d->atoms.v[node->atom]->arg);
	bits = (uint8_t)(bits | args_below(w, node->hi) | args_below(w, node->lo));
	w->args[n] = bits | 0x80;
	return bits;
}

/* Can the path continue with this answer of the atom?  Arguments are independent. */
static bool is_possible(struct walk *w, const struct ir_cond *atom,
			bool negated)
{
	struct box_atom on_arg[MAX_PATH + 1];
	size_t n = 0;

	for (size_t i = 0; i < w->npath; i++)
		if (w->path[i].cmp->arg == atom->arg)
			on_arg[n++] = w->path[i];
	on_arg[n++] = (struct box_atom){ atom, negated };
	w->cost += cost_of(on_arg, n);
	if (w->cost > COST_BUDGET) {
		w->over = true;
		return true;
	}
	return box_atoms_hold(on_arg, n, NULL);
}

/* The node, and what the path says about the arguments that it tests. */
static struct str memo_key(struct walk *w, uint32_t n)
{
	uint8_t args = args_below(w, n);
	uint32_t *key = arena_array(w->d->a, w->npath + 1, sizeof(*key));
	size_t len = 0;

	key[len++] = n;
	for (size_t i = 0; i < w->npath; i++)
		if (args & (1u << w->path[i].cmp->arg))
			key[len++] = w->path_atom[i] * 2 + w->path[i].negated;
	return (struct str){ (const char *)key, len * sizeof(*key) };
}

static uint32_t walk(struct walk *w, uint32_t n);

static uint32_t walk_with(struct walk *w, uint32_t atom, bool negated, uint32_t to)
{
	uint32_t r;

	w->path[w->npath] = (struct box_atom){ w->d->atoms.v[atom], negated };
	w->path_atom[w->npath++] = atom;
	r = walk(w, to);
	w->npath--;
	return r;
}

static uint32_t walk(struct walk *w, uint32_t n)
{
	struct dag_node node = w->d->nodes.v[n];
	struct str key;
	uint32_t *known, hi, lo, test, r;

	if (node.atom == DAG_TERMINAL || w->over)
		return n;
	if (w->npath == MAX_PATH) {
		w->over = true;
		return n;
	}
	if (!is_possible(w, w->d->atoms.v[node.atom], false))
		return walk(w, node.lo);
	if (!is_possible(w, w->d->atoms.v[node.atom], true))
		return walk(w, node.hi);
	key = memo_key(w, n);
	known = map_get(&w->memo, key);
	if (known)
		return *known;
	hi = walk_with(w, node.atom, false, node.hi);
	lo = walk_with(w, node.atom, true, node.lo);
	/* the children test only later atoms, so this makes one node without rewriting */
	test = dag_cond(w->d, w->d->atoms.v[node.atom]);
	r = dag_ite(w->d, test, hi, lo);
	known = ARENA_NEW(w->d->a, uint32_t);
	*known = r;
	map_put(&w->memo, key, known);
	return r;
}

uint32_t dag_prune(struct dag *d, uint32_t root)
{
	struct walk *w = ARENA_NEW(d->a, struct walk);
	uint32_t r;

	w->d = d;
	w->nargs = d->nodes.n;
	w->args = arena_alloc(d->a, w->nargs);
	map_init(&w->memo, d->a);
	r = walk(w, root);
	if (w->over || d->full || dag_size(d, r) > dag_size(d, root))
		return root;
	return r;
}
