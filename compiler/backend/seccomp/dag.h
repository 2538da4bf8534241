/*
 * Decisions over conditions: a shared, ordered decision graph.  An inner node
 * tests one atom (a normal compare of one argument).  A terminal is a truth value
 * or a verdict.  Equal graphs are the same node, so results are compared by number.
 */
#ifndef COMPILER_BACKEND_SECCOMP_DAG_H
#define COMPILER_BACKEND_SECCOMP_DAG_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

enum dag_verdict {
	DAG_ALLOW,
	DAG_DENY,   /* with rule and errno */
	DAG_NONAME, /* ENOSYS: no table has a name for this number */
	DAG_KILL,   /* not our architecture */
	DAG_TRACE,  /* allowed, and reported */
	DAG_BROKER  /* allowed, and the broker makes it */
};

struct dag_leaf {
	enum dag_verdict verdict;
	uint32_t rule; /* number in rules.bin; UINT32_MAX for none */
	uint16_t err;
};

/* The first two nodes.  Every number below `nodes.n` is a valid node. */
#define DAG_FALSE 0u
#define DAG_TRUE 1u
#define DAG_TERMINAL UINT32_MAX

struct dag_node {
	uint32_t atom;   /* index into atoms, or DAG_TERMINAL */
	uint32_t hi, lo; /* the node if the atom holds, the node if not */
	struct dag_leaf leaf; /* of terminals */
};

struct dag_memo {
	uint32_t key[3], value;
};

struct dag {
	struct arena *a;
	VEC(struct dag_node) nodes;
	/* EQ or GE only, mask inside width, value inside mask (EQ) or 1..mask (GE) */
	VEC(struct ir_cond *) atoms;
	uint32_t *unique; /* open addressing over nodes, value + 1 */
	size_t nunique;
	struct dag_memo *memo; /* results of dag_ite; key[0] == 0 marks a free slot */
	size_t nmemo, memo_used;
	size_t limit; /* of nodes; beyond it `full` is set and results mean nothing */
	bool full;
};

#define DAG_MAX_NODES ((size_t)1 << 18)

void dag_init(struct dag *d, struct arena *a);
uint32_t dag_leaf(struct dag *d, struct dag_leaf leaf);
/* The truth of a condition as a graph; NULL is TRUE. */
uint32_t dag_cond(struct dag *d, const struct ir_cond *c);
/* if f then g else h; the terminals of f are truth values. */
uint32_t dag_ite(struct dag *d, uint32_t f, uint32_t g, uint32_t h);
uint32_t dag_and(struct dag *d, uint32_t x, uint32_t y);
uint32_t dag_or(struct dag *d, uint32_t x, uint32_t y);
uint32_t dag_not(struct dag *d, uint32_t x);
/* The decision with the graph `by` wherever `root` allows. */
uint32_t dag_where_allowed(struct dag *d, uint32_t root, uint32_t by);
bool dag_is_terminal(const struct dag *d, uint32_t n);
/* The number of inner nodes of the graph of `root`. */
size_t dag_size(const struct dag *d, uint32_t root);

/*
 * The same decision without the tests whose answer follows from the tests above them,
 * exact in every bit (sets/box.h).  If that would cost too much or make the graph
 * larger, the result is `root` itself: never a wrong graph, at worst a longer one.
 */
uint32_t dag_prune(struct dag *d, uint32_t root);

#endif
