/*
 * Walks one glob over one text by backtracking.  The pattern is first laid
 * out as nodes that know what follows them; a branch that has failed at a
 * place is not walked again, so the time is bounded by nodes x text x text.
 */
#include "compiler/ir/match.h"
#include "compiler/ir/match_glob.h"

struct node {
	enum ir_glob_op op;
	uint8_t byte;
	uint32_t next;
	uint32_t *alts; /* first node of each alternative */
	size_t nalts;
};

#define NODE_END 0u

struct walk {
	struct arena a;
	VEC(struct node) nodes;
	uint32_t first;
	struct str text;
	enum ir_bytes bytes;
	enum ir_until until;
	bool *failed; /* node x (position 0 .. text.n) */
};

/* Lays `g` out before node `next`; returns its first node. */
static uint32_t lay_out(struct walk *w, const struct ir_glob *g, uint32_t next)
{
	size_t i, k;

	for (i = g->n; i-- > 0;) {
		const struct ir_glob_item *it = &g->v[i];
		struct node n = { .op = it->op, .byte = it->byte, .next = next };

		if (it->op == IR_G_ALT) {
			n.nalts = it->nalts;
			n.alts = arena_array(&w->a, it->nalts + 1, sizeof(*n.alts));
			for (k = 0; k < it->nalts; k++)
				n.alts[k] = lay_out(w, &it->alts[k], next);
		}
		VEC_PUSH(&w->a, &w->nodes, n);
		next = (uint32_t)(w->nodes.n - 1);
	}
	return next;
}

static bool is_plain(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._:/@+-", c));
}

static bool is_matched(const struct walk *w, size_t at)
{
	uint8_t c = (uint8_t)w->text.p[at];

	switch (w->bytes) {
	case IR_B_PATH:
		return c != '/' && c != 0;
	case IR_B_ANY:
		return c != 0;
	case IR_B_PLAIN:
		return is_plain(c);
	}
	return false;
}

static bool may_end(const struct walk *w, size_t at)
{
	size_t i;

	if (at == w->text.n)
		return true;
	if (w->until == IR_U_BELOW)
		return w->text.p[at] == '/';
	if (w->until != IR_U_COLON || w->text.p[at] != ':')
		return false;
	for (i = at + 1; i < w->text.n; i++)
		if (!is_matched(w, i))
			return false;
	return true;
}

static bool walk(struct walk *w, uint32_t at_node, size_t at);

/* * and **: nothing, or one byte more, or two … */
static bool walk_star(struct walk *w, const struct node *n, size_t at)
{
	for (;; at++) {
		if (walk(w, n->next, at))
			return true;
		if (at == w->text.n || w->text.p[at] == 0)
			return false;
		if (n->op == IR_G_STAR && !is_matched(w, at))
			return false;
	}
}

/* A component ** and its '/': no "name/", or one, or two … */
static bool walk_dirs(struct walk *w, const struct node *n, size_t at)
{
	size_t from;

	for (;;) {
		if (walk(w, n->next, at))
			return true;
		for (from = at; at < w->text.n && w->text.p[at] != '/'; at++)
			if (w->text.p[at] == 0)
				return false;
		if (at == w->text.n || at == from)
			return false;
		at++;
	}
}

static bool walk_branch(struct walk *w, const struct node *n, size_t at)
{
	size_t i;

	switch (n->op) {
	case IR_G_STAR:
	case IR_G_DEEP:
		return walk_star(w, n, at);
	case IR_G_DIRS:
		return walk_dirs(w, n, at);
	case IR_G_ALT:
		for (i = 0; i < n->nalts; i++)
			if (walk(w, n->alts[i], at))
				return true;
		return false;
	case IR_G_BYTE:
	case IR_G_ONE:
		break;
	}
	return false;
}

static bool walk(struct walk *w, uint32_t at_node, size_t at)
{
	const struct node *n = &w->nodes.v[at_node];
	bool *failed;

	while (at_node != NODE_END && (n->op == IR_G_BYTE || n->op == IR_G_ONE)) {
		if (at == w->text.n)
			return false;
		if (n->op == IR_G_BYTE ? (uint8_t)w->text.p[at] != n->byte :
					 !is_matched(w, at))
			return false;
		at++;
		at_node = n->next;
		n = &w->nodes.v[at_node];
	}
	if (at_node == NODE_END)
		return may_end(w, at);
	failed = &w->failed[at_node * (w->text.n + 1) + at];
	if (*failed)
		return false;
	if (walk_branch(w, n, at))
		return true;
	*failed = true;
	return false;
}

static void walk_init(struct walk *w, const struct ir_glob *g, struct str text,
		      enum ir_bytes bytes, enum ir_until until)
{
	struct node end = { .op = IR_G_BYTE };

	*w = (struct walk){ .text = text, .bytes = bytes, .until = until };
	arena_init(&w->a, ARENA_DEFAULT_BUDGET);
	VEC_PUSH(&w->a, &w->nodes, end);
	w->first = lay_out(w, g, NODE_END);
	w->failed = arena_array(&w->a, w->nodes.n * (text.n + 1), sizeof(bool));
}

/* The bytes that the glob begins with. */
static size_t literal_prefix(const struct ir_glob *g)
{
	size_t n = 0;

	while (n < g->n && g->v[n].op == IR_G_BYTE)
		n++;
	return n;
}

/*
 * Most patterns differ from most texts in their first bytes, and many hold
 * no wildcard: these are answered without laying out anything.
 */
static bool answered(const struct ir_glob *g, struct str text,
		     enum ir_bytes bytes, enum ir_until until, bool *ret_yes)
{
	struct walk w = { .text = text, .bytes = bytes, .until = until };
	size_t n = literal_prefix(g), i;

	*ret_yes = false;
	if (text.n < n)
		return true;
	for (i = 0; i < n; i++)
		if ((uint8_t)text.p[i] != g->v[i].byte)
			return true;
	if (n < g->n)
		return false;
	*ret_yes = may_end(&w, n);
	return true;
}

bool ir_match_glob(const struct ir_glob *g, struct str text,
		   enum ir_bytes bytes, enum ir_until until)
{
	struct walk w;
	bool yes;

	if (answered(g, text, bytes, until, &yes))
		return yes;
	walk_init(&w, g, text, bytes, until);
	yes = walk(&w, w.first, 0);
	arena_release(&w.a);
	return yes;
}

bool ir_glob_has_slash(const struct ir_glob *g)
{
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].op == IR_G_BYTE && g->v[i].byte == '/')
			return true;
		for (k = 0; g->v[i].op == IR_G_ALT && k < g->v[i].nalts; k++)
			if (ir_glob_has_slash(&g->v[i].alts[k]))
				return true;
	}
	return false;
}
