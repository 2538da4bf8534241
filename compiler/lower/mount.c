/*
 * Mounts (semantics 5): a mount gives a tree of the host a second name, its place.
 * Lowering leaves only one of the two names: a pattern below a place becomes a pattern
 * below the tree, so that a rule in either spelling holds for both.
 */
#include "compiler/lower/glob.h"
#include "compiler/lower/mount.h"

/* A mount that may count, known before rules are lowered. */
struct lower_alias {
	const struct sema_stmt *t;
	struct str place;
	struct ir_path tree;
	enum ir_level level;
	bool cut;  /* a lock or a narrow-only level has taken it away */
	bool lost; /* another mount, `lost_to`, has the same place */
	struct ir_place lost_to;
	const struct ir_rule *rule; /* the first rule of the mount, if it counts; its
	                               number is known only at the end */
};

/* Bound for the ways in which a pattern with many stars can match a place. */
#define MAX_STEPS 20000u
#define MAX_PLACE 1000u

/* --- patterns below a place ------------------------------------------------------ */

struct walk {
	struct lower *l;
	const struct lower_alias *alias;
	const struct ir_path *p;
	bool narrow;
	bool replaced; /* the place is the literal beginning of the pattern */
	unsigned steps;
	struct lower_paths *out;
};

/*
 * Adds the rest of the pattern, after the place, below the mount's tree; `lead`: with a
 * '/' before it.
 */
static void emit(struct walk *w, const struct ir_glob_item *v, size_t n, bool lead,
		 bool whole)
{
	const struct ir_glob *tree = &w->alias->tree.glob;
	struct ir_path p = *w->p;
	size_t at = 0, have = tree->n + n + 1;
	struct ir_glob_item *all = arena_array(w->l->a, have, sizeof(*all));

	/* an any-depth pattern needs nothing more: it matches below the tree as well */
	if (lead && v == w->p->glob.v + 1)
		return;
	for (; at < tree->n; at++)
		all[at] = tree->v[at];
	if (lead)
		all[at++] = (struct ir_glob_item){ .op = IR_G_BYTE, .byte = '/' };
	for (size_t i = 0; i < n; i++)
		all[at++] = v[i];
	p.root = w->alias->tree.root;
	p.glob = (struct ir_glob){ .v = all, .n = at };
	p.below |= whole;
	for (size_t i = 0; i < w->out->v.n; i++) {
		const struct ir_path *o = &w->out->v.v[i];

		if (o->root == p.root && o->glob.n == at &&
		    memcmp(o->glob.v, all, at * sizeof(*all)) == 0)
			return;
	}
	VEC_PUSH(w->l->a, &w->out->v, p);
}

/* Walks each alternative of v[0], followed by the rest of the pattern. */
static void walk(struct walk *w, const struct ir_glob_item *v, size_t n, struct str s,
		 bool literal);

static void walk_alts(struct walk *w, const struct ir_glob_item *v, size_t n,
		      struct str s)
{
	for (size_t k = 0; k < v->nalts; k++) {
		const struct ir_glob *g = &v->alts[k];
		struct ir_glob_item *all =
			arena_array(w->l->a, g->n + n, sizeof(*all));

		for (size_t i = 0; i < g->n; i++)
			all[i] = g->v[i];
		for (size_t i = 1; i < n; i++)
			all[g->n + i - 1] = v[i];
		walk(w, all, g->n + n - 1, s, false);
	}
}

static struct str drop_front(struct str s, size_t n)
{
	return str_sub(s, n, s.n - n);
}

/* Matches the rest `s` of the place against the beginning of the pattern. */
static void walk(struct walk *w, const struct ir_glob_item *v, size_t n, struct str s,
		 bool literal)
{
	size_t len;

	if (++w->steps > MAX_STEPS)
		return;
	if (n == 0) {
		/*
		 * the pattern names the place or one of its ancestors: it covers the
		 * whole tree
		 */
		if (s.n == 0 || (s.p[0] == '/' && w->p->below && !w->narrow)) {
			w->replaced |= literal && s.n == 0;
			emit(w, v, 0, false, s.n != 0);
		}
		return;
	}
	switch (v->op) {
	case IR_G_BYTE:
		if (s.n == 0 && v->byte == '/') {
			w->replaced |= literal;
			emit(w, v, n, false, false);
		} else if (s.n && (uint8_t)s.p[0] == v->byte) {
			walk(w, v + 1, n - 1, drop_front(s, 1), literal);
		}
		return;
	case IR_G_ONE:
		if (s.n && s.p[0] != '/')
			walk(w, v + 1, n - 1, drop_front(s, 1), false);
		return;
	case IR_G_STAR:
		walk(w, v + 1, n - 1, s, false);
		if (s.n && s.p[0] != '/')
			walk(w, v, n, drop_front(s, 1), false);
		return;
	case IR_G_DEEP:
		walk(w, v + 1, n - 1, s, false);
		if (s.n)
			walk(w, v, n, drop_front(s, 1), false);
		else
			emit(w, v, n, true, false);
		return;
	case IR_G_DIRS:
		walk(w, v + 1, n - 1, s, false);
		for (len = 0; len < s.n && s.p[len] != '/';)
			len++;
		if (len && len < s.n)
			walk(w, v, n, drop_front(s, len + 1), false);
		else if (len)
			emit(w, v, n, true, false);
		return;
	case IR_G_ALT:
		walk_alts(w, v, n, s);
		return;
	}
}

/*
 * Does the mount apply to a pattern?  To an allow only if the level of its writer may
 * have known of the mount.  A mount that a lock or a narrow-only level took away still
 * counts as a name for denies of its rank and below, but not for an ask that may open
 * what `otherwise` denies.
 */
static bool applies(const struct lower *l, const struct lower_alias *alias,
		    enum lower_side side, enum ir_level level)
{
	const struct sema_stmt *t = l->stmt;

	if (side == LOWER_NARROW)
		return !alias->cut && level >= alias->level;
	if (!alias->cut)
		return true;
	if (t && t->stmt->kind == AST_RULE && t->stmt->effect == AST_ASK && !t->soft)
		return false;
	return level >= alias->level;
}

static bool paths_of(struct lower *l, const struct ir_path *p, enum lower_side side,
		     enum ir_level level, struct span at, struct lower_paths *ret)
{
	bool keep = true, ok = true;

	for (size_t i = 0; i < l->aliases.n && p->root == IR_ROOT_FS && !p->abstract; i++) {
		const struct lower_alias *alias = l->aliases.v[i];
		struct lower_paths found = { .v = { NULL, 0, 0 } };
		struct walk w = { .l = l, .alias = alias, .p = p, .out = &found,
				  .narrow = side == LOWER_NARROW };

		if (!applies(l, alias, side, level) || p->glob.n == 0)
			continue;
		walk(&w, p->glob.v, p->glob.n, alias->place, true);
		if (w.steps > MAX_STEPS) {
			diag_add(l->sink, DIAG_MOUNT_PATTERN, at,
				 "whether '%.*s' names something below the mount at "
				 "'%.*s' takes too long to find out",
				 STR_ARG(p->text), STR_ARG(alias->place));
			ok = false;
		}
		if (side == LOWER_NARROW && !w.replaced)
			continue;
		/* while the mount is there, this name means nothing else */
		keep &= !w.replaced || alias->cut;
		for (size_t k = 0; k < found.v.n; k++)
			VEC_PUSH(l->a, &ret->v, found.v.v[k]);
	}
	if (keep)
		VEC_PUSH(l->a, &ret->v, *p);
	return ok;
}

bool lower_paths(struct lower *l, const struct ast_value *v, enum lower_side side,
		 struct lower_paths *ret)
{
	enum ir_level level = l->stmt ? l->stmt->unit->level : IR_DEFAULT;
	struct ir_path p;

	return lower_path(l, v, side, &p) &&
	       paths_of(l, &p, side, level, v->at, ret);
}

/* --- the statements -------------------------------------------------------------- */

static bool bad(struct lower *l, const struct ast_value *v, const char *what,
		const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_MOUNT_PLACE, v->at, "'%.*s' %s",
				  STR_ARG(v->text), what);

	diag_help(l->sink, d, "%s", help);
	return false;
}

static bool is_at(struct str path, struct str top)
{
	return str_starts(path, top) && (path.n == top.n || path.p[top.n] == '/');
}

static struct str text_of(struct arena *a, const struct ir_glob *g)
{
	char *text = arena_alloc(a, g->n + 1);

	for (size_t i = 0; i < g->n; i++)
		text[i] = (char)g->v[i].byte;
	return (struct str){ text, g->n };
}

/* Is the place in a tree that each run gets anew?  No mount may be there. */
static bool is_own(struct str place)
{
	static const char *const own[] = { "/proc", "/dev", "/sys", "/tmp", "/var/tmp" };

	for (size_t i = 0; i < POL_LEN(own); i++)
		if (is_at(place, str_from(own[i])) || is_at(str_from(own[i]), place))
			return true;
	return str_eqz(place, "/run");
}

static bool read_place(struct lower *l, const struct ast_value *v, struct str *ret)
{
	struct ir_path p;

	if (!lower_path(l, v, LOWER_NARROW, &p))
		return false;
	if (p.root != IR_ROOT_FS || !lower_is_fixed(&p.glob) || p.glob.n == 0)
		return bad(l, v, "is no place for a mount",
			   "name one directory by its whole path, as \"/workspace\"");
	*ret = text_of(l->a, &p.glob);
	if (ret->n > MAX_PLACE)
		return bad(l, v, "is too long a place", "a place has at most 1,000 bytes");
	if (is_own(*ret))
		return bad(l, v, "is, holds or lies in a tree that every run makes for itself",
			   "choose a place away from /proc, /dev, /sys, /run, /tmp and "
			   "/var/tmp");
	return true;
}

static bool read_mount(struct lower *l, const struct sema_stmt *t,
		       struct lower_alias *ret)
{
	const struct ast_value *host = t->stmt->values;
	const struct ast_value *place = host ? host->next : NULL;

	*ret = (struct lower_alias){ .t = t, .level = t->unit->level,
				     .cut = t->cut != NULL };
	/* a missing value was reported when its text was resolved */
	if (!place || !lower_path(l, host, LOWER_NARROW, &ret->tree) ||
	    !read_place(l, place, &ret->place))
		return false;
	if (!lower_is_fixed(&ret->tree.glob) ||
	    (ret->tree.root == IR_ROOT_FS && ret->tree.glob.n == 0))
		return bad(l, host, "is no one tree to mount",
			   "name a directory or a file without '*', '?' and braces");
	if (!(t->stmt->ops & AST_OP_READ))
		return bad(l, place, "is mounted without 'read'",
			   "a mount shows a tree: say 'read' first");
	return true;
}

static void conflict(struct lower *l, const struct lower_alias *x,
		     const struct lower_alias *first, const char *what)
{
	struct diag *d = diag_add(l->sink, DIAG_MOUNT_CONFLICT,
				  x->t->stmt->values->next->at, "'%.*s' %s",
				  STR_ARG(x->place), what);

	diag_note(l->sink, d, first->t->stmt->values->next->at, "the other one is here");
}

/* Compares a mount with one of the same or a higher rank: can both count? */
static void compare(struct lower *l, struct lower_alias *x, const struct lower_alias *o)
{
	struct str tree = text_of(l->a, &x->tree.glob),
		   other = text_of(l->a, &o->tree.glob);
	bool same = x->tree.root == o->tree.root && str_eq(tree, other);

	if (x->cut || o->cut)
		return;
	if (str_eq(x->place, o->place)) {
		if (same)
			return;
		if (x->level == o->level) {
			conflict(l, x, o, "is the place of two trees");
			return;
		}
		x->lost = true;
		x->lost_to = o->t->at;
		return;
	}
	if (is_at(x->place, o->place) || is_at(o->place, x->place))
		conflict(l, x, o, "lies in the place of another mount, or holds it");
	else if ((x->tree.root == IR_ROOT_FS && is_at(tree, o->place)) ||
		 (o->tree.root == IR_ROOT_FS && is_at(other, x->place)))
		conflict(l, x, o, "and another mount hang on each other: name the "
			 "host's own path");
}

void lower_mounts(struct lower *l)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		struct sema_stmt *t = l->s->stmts.v[i];
		struct lower_alias *x;

		if (!t->in_section || t->stmt->kind != AST_MOUNT)
			continue;
		x = ARENA_NEW(l->a, struct lower_alias);
		if (!read_mount(l, t, x) || t->off)
			continue;
		for (size_t k = 0; k < l->aliases.n; k++)
			compare(l, x, l->aliases.v[k]);
		if (x->lost) {
			t->cut = "its place is taken by a mount of a higher rank";
			t->cut_by = x->lost_to;
			continue;
		}
		VEC_PUSH(l->a, &l->aliases, x);
	}
}

void lower_mount(struct lower *l, const struct sema_stmt *t)
{
	static const enum ir_op each[] = { IR_READ, IR_WRITE, IR_EXEC };
	struct lower_alias *x = NULL;
	struct ir_rule h;

	for (size_t i = 0; i < l->aliases.n; i++)
		if (l->aliases.v[i]->t == t)
			x = l->aliases.v[i];
	if (!x || !lower_head(l, t, IR_FILE, &h))
		return; /* it was refused or has lost: nothing of it counts */
	h.effect = IR_ALLOW;
	for (size_t i = 0; i < POL_LEN(each); i++) {
		struct ir_set set = { 0 };
		const struct ir_rule *r;

		if (!(t->stmt->ops & (unsigned)each[i]))
			continue;
		set.u.file.ops = each[i];
		set.u.file.path = x->tree;
		r = lower_add(l, &h, &set);
		if (!x->rule && !t->cut)
			x->rule = r;
	}
}

void lower_mounts_done(struct lower *l)
{
	struct ir *ir = l->ir;

	for (size_t i = 0; i < l->aliases.n; i++) {
		const struct lower_alias *x = l->aliases.v[i];
		struct ir_mount m = { .place = x->place };
		size_t at = 0;

		while (at < ir->mounts.n && str_cmp(ir->mounts.v[at].place, m.place) < 0)
			at++;
		if (!x->rule || (at < ir->mounts.n && str_eq(ir->mounts.v[at].place, m.place)))
			continue;
		m.rule = x->rule->index;
		VEC_PUSH(l->a, &ir->mounts, m);
		for (size_t k = ir->mounts.n - 1; k > at; k--)
			ir->mounts.v[k] = ir->mounts.v[k - 1];
		ir->mounts.v[at] = m;
	}
}
