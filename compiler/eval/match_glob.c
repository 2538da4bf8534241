/*
 * Matches one glob against one text by backtracking.  The pattern is first laid out as
 * nodes that know what follows them.  A node that has failed at a place is not tried
 * there again, so time is bounded by nodes x text x text.
 */
#include "compiler/eval/match_glob.h"

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
	enum eval_bytes bytes;
	enum eval_until until;
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
	case EVAL_B_PATH:
		return c != '/' && c != 0;
	case EVAL_B_ANY:
		return c != 0;
	case EVAL_B_PLAIN:
		return is_plain(c);
	}
	return false;
}

static bool may_end(const struct walk *w, size_t at)
{
	size_t i;

	if (at == w->text.n)
		return true;
	if (w->until == EVAL_U_BELOW)
		return w->text.p[at] == '/';
	if (w->until != EVAL_U_COLON || w->text.p[at] != ':')
		return false;
	for (i = at + 1; i < w->text.n; i++)
		if (!is_matched(w, i))
			return false;
	return true;
}

static bool walk(struct walk *w, uint32_t at_node, size_t at);

/* * and **: tries no byte, then one, then two … */
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

/* ** as a path component, with its '/': tries no "name/", then one, then two … */
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
		      enum eval_bytes bytes, enum eval_until until)
{
	struct node end = { .op = IR_G_BYTE };

	*w = (struct walk){ .text = text, .bytes = bytes, .until = until };
	arena_init(&w->a, ARENA_DEFAULT_BUDGET);
	VEC_PUSH(&w->a, &w->nodes, end);
	w->first = lay_out(w, g, NODE_END);
	w->failed = arena_array(&w->a, w->nodes.n * (text.n + 1), sizeof(bool));
}

/* The number of literal bytes that the glob begins with. */
static size_t literal_prefix(const struct ir_glob *g)
{
	size_t n = 0;

	while (n < g->n && g->v[n].op == IR_G_BYTE)
		n++;
	return n;
}

/*
 * Answers without laying out nodes where possible: most patterns differ from most texts
 * in the first bytes, and many have no wildcard.
 */
static bool answered(const struct ir_glob *g, struct str text,
		     enum eval_bytes bytes, enum eval_until until, bool *ret_yes)
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

bool eval_match_glob(const struct ir_glob *g, struct str text,
		   enum eval_bytes bytes, enum eval_until until)
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

bool eval_glob_has_slash(const struct ir_glob *g)
{
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].op == IR_G_BYTE && g->v[i].byte == '/')
			return true;
		for (k = 0; g->v[i].op == IR_G_ALT && k < g->v[i].nalts; k++)
			if (eval_glob_has_slash(&g->v[i].alts[k]))
				return true;
	}
	return false;
}

/* --- a glob and a pattern ------------------------------------------------------------ */

struct meet {
	struct walk w;
	const struct cmd_pattern *p;
	bool *seen; /* node x (place 0 .. p->n) */
	bool below;
};

static bool meet(struct meet *m, uint32_t at_node, uint32_t at);

static bool many(uint16_t item)
{
	return item == CMD_G_STAR || item == CMD_G_DEEP;
}

/* Is there a byte that both can match?  `n` is neither ALT nor DIRS. */
static bool share(const struct node *n, uint16_t item)
{
	bool slash = item == CMD_G_DEEP || item == '/';

	if (n->op == IR_G_BYTE)
		return item < 256 ? item == n->byte :
				    n->byte && (slash || n->byte != '/');
	if (n->op == IR_G_DEEP)
		return item != 0;
	/* ? and *: no '/' */
	return item && item != '/';
}

/* May the rest of the pattern match the empty text? */
static bool may_be_empty(const struct cmd_pattern *p, uint32_t at)
{
	while (at < p->n && many(p->v[at]))
		at++;
	return at == p->n;
}

/* May the next byte be a '/'? */
static bool may_be_slash(const struct cmd_pattern *p, uint32_t at)
{
	for (; at < p->n; at++) {
		if (p->v[at] == '/' || p->v[at] == CMD_G_DEEP)
			return true;
		if (!many(p->v[at]))
			return false;
	}
	return false;
}

/* Matches "name/" any number of times; the name is not empty. */
static bool meet_dirs(struct meet *m, const struct node *n, uint32_t at_node, uint32_t at)
{
	bool some = false;

	if (meet(m, n->next, at))
		return true;
	for (uint32_t i = at; i < m->p->n; i++) {
		uint16_t item = m->p->v[i];

		if (item == CMD_G_DEEP)
			return meet(m, at_node, i + 1) || meet(m, n->next, i);
		if (item == '/')
			return some && meet(m, at_node, i + 1);
		some = true;
	}
	return false;
}

static bool meet_branch(struct meet *m, const struct node *n, uint32_t at_node, uint32_t at)
{
	bool more = at < m->p->n;
	uint16_t item = more ? m->p->v[at] : 0;
	size_t i;

	switch (n->op) {
	case IR_G_ALT:
		for (i = 0; i < n->nalts; i++)
			if (meet(m, n->alts[i], at))
				return true;
		return false;
	case IR_G_DIRS:
		return meet_dirs(m, n, at_node, at);
	case IR_G_STAR:
	case IR_G_DEEP:
		if (meet(m, n->next, at))
			return true;
		if (more && many(item) && meet(m, at_node, at + 1))
			return true;
		/* both match one byte, after which either may go on */
		if (!more || !share(n, item))
			return false;
		return many(item) ? meet(m, n->next, at) : meet(m, at_node, at + 1);
	case IR_G_BYTE:
	case IR_G_ONE:
		if (more && many(item) && meet(m, at_node, at + 1))
			return true;
		return more && share(n, item) && meet(m, n->next, many(item) ? at : at + 1);
	}
	return false;
}

static bool meet(struct meet *m, uint32_t at_node, uint32_t at)
{
	bool *seen = &m->seen[at_node * (m->p->n + 1) + at];

	if (*seen)
		return false;
	*seen = true;
	if (at_node == NODE_END)
		return may_be_empty(m->p, at) || (m->below && may_be_slash(m->p, at));
	return meet_branch(m, &m->w.nodes.v[at_node], at_node, at);
}

bool eval_glob_meets(const struct ir_glob *g, bool below, const struct cmd_pattern *p,
		   uint32_t at)
{
	struct meet m = { .p = p, .below = below };
	bool yes;

	walk_init(&m.w, g, STR(""), EVAL_B_PATH, EVAL_U_END);
	m.seen = arena_array(&m.w.a, m.w.nodes.n * (p->n + 1), sizeof(bool));
	yes = meet(&m, m.w.first, at);
	arena_release(&m.w.a);
	return yes;
}
