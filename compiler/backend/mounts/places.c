/*
 * A pattern without wildcards is a finite set of names, one for each choice among
 * its {alternatives}.  A pattern with a wildcard is represented by the deepest
 * directory that contains all its names.
 */
#include "compiler/backend/mounts/places.h"

struct names {
	VEC(struct str) list;
};

/* Appends the literal bytes from item `i` on; returns their number. */
static size_t append_run(struct arena *a, struct names *n, const struct ir_glob *g,
			 size_t i)
{
	size_t len = 0;
	char *run;

	while (i + len < g->n && g->v[i + len].op == IR_G_BYTE)
		len++;
	run = arena_alloc(a, len + 1);
	for (size_t k = 0; k < len; k++)
		run[k] = (char)g->v[i + k].byte;
	for (size_t k = 0; k < n->list.n; k++)
		n->list.v[k] = str_cat(a, n->list.v[k], (struct str){ run, len });
	return len;
}

/* Appends every name of the glob to every name of `n`; false: wild, or too many. */
static bool expand(struct arena *a, const struct ir_glob *g, struct names *n)
{
	for (size_t i = 0; i < g->n;) {
		const struct ir_glob_item *it = &g->v[i];
		struct names sum = { { NULL, 0, 0 } };

		if (it->op == IR_G_BYTE) {
			i += append_run(a, n, g, i);
			continue;
		}
		if (it->op != IR_G_ALT)
			return false;
		for (size_t k = 0; k < it->nalts; k++) {
			struct names one = { { NULL, 0, 0 } };

			for (size_t j = 0; j < n->list.n; j++)
				VEC_PUSH(a, &one.list, n->list.v[j]);
			if (!expand(a, &it->alts[k], &one) ||
			    sum.list.n + one.list.n > MOUNTS_MAX_NAMES)
				return false;
			for (size_t j = 0; j < one.list.n; j++)
				VEC_PUSH(a, &sum.list, one.list.v[j]);
		}
		*n = sum;
		i++;
	}
	return true;
}

/* Can a resolved path have this rest?  It has no empty, "." or ".." component. */
static bool is_resolved(struct str s)
{
	size_t start = 1;

	if (s.n == 0)
		return true;
	if (s.p[0] != '/')
		return false;
	for (size_t i = 1; i <= s.n; i++) {
		struct str part;

		if (i < s.n && s.p[i] != '/')
			continue;
		part = str_sub(s, start, i - start);
		if (part.n == 0 || str_eqz(part, ".") || str_eqz(part, ".."))
			return false;
		start = i + 1;
	}
	return true;
}

static bool holds(const struct mounts_places *p, struct str s)
{
	for (size_t i = 0; i < p->paths.n; i++) {
		if (str_eq(p->paths.v[i], s))
			return true;
	}
	return false;
}

/* The literal bytes that the glob begins with, cut to whole components. */
static struct str literal_dir(struct arena *a, const struct ir_glob *g)
{
	char *text = arena_alloc(a, g->n + 1);
	size_t n = 0, cut = 0;

	while (n < g->n && g->v[n].op == IR_G_BYTE) {
		if (g->v[n].byte == '/')
			cut = n;
		text[n] = (char)g->v[n].byte;
		n++;
	}
	return (struct str){ text, cut };
}

static bool is_any_depth(const struct ir_path *p)
{
	const struct ir_glob *g = &p->glob;

	return p->root == IR_ROOT_FS && g->n > 1 && g->v[0].op == IR_G_BYTE &&
	       g->v[0].byte == '/' &&
	       (g->v[1].op == IR_G_DIRS || g->v[1].op == IR_G_DEEP);
}

void mounts_places(struct arena *a, const struct ir_path *p, struct mounts_places *ret)
{
	struct mounts_places out = { .shape = MOUNTS_LITERAL };
	struct names all = { { NULL, 0, 0 } };
	struct str dir = STR("");

	VEC_PUSH(a, &all.list, dir);
	if (is_any_depth(p)) {
		out.shape = MOUNTS_ANY;
	} else if (!expand(a, &p->glob, &all)) {
		out.shape = MOUNTS_WILD;
		dir = literal_dir(a, &p->glob);
		VEC_PUSH(a, &out.paths, dir);
	} else {
		/* A name that no resolved path can have is left out. */
		for (size_t i = 0; i < all.list.n; i++) {
			if (is_resolved(all.list.v[i]) && !holds(&out, all.list.v[i]))
				VEC_PUSH(a, &out.paths, all.list.v[i]);
		}
	}
	*ret = out;
}

bool mounts_is_literal(struct arena *a, const struct ir_path *p)
{
	struct mounts_places at;

	mounts_places(a, p, &at);
	return at.shape == MOUNTS_LITERAL;
}

struct str mounts_place_text(struct arena *a, enum ir_root root, struct str rest)
{
	if (root == IR_ROOT_FS)
		return rest.n ? rest : STR("/");
	return str_printf(a, "${%s}%.*s", ir_root_name(root), STR_ARG(rest));
}

bool mounts_is_below(struct str at, struct str top)
{
	return str_starts(at, top) && (at.n == top.n || at.p[top.n] == '/');
}
