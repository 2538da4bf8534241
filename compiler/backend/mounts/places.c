/*
 * A pattern without wildcards is a finite set of names, one for each choice among
 * its {alternatives}.  A pattern with a wildcard is represented by the deepest
 * directory that contains all its names.
 */
#include "compiler/backend/mounts/places.h"

#include "compiler/ir/texts.h"

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
	struct ir_texts all;

	if (is_any_depth(p)) {
		out.shape = MOUNTS_ANY;
	} else if (!ir_glob_texts(a, &p->glob, IR_MOST_NAMES, &all)) {
		out.shape = MOUNTS_WILD;
		VEC_PUSH(a, &out.paths, literal_dir(a, &p->glob));
	} else {
		/* A name that no resolved path can have is left out. */
		for (size_t i = 0; i < all.n; i++) {
			if (is_resolved(all.v[i]) && !holds(&out, all.v[i]))
				VEC_PUSH(a, &out.paths, all.v[i]);
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
