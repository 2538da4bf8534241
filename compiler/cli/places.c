/* Finds the places of a policy behind symbolic links: places.h. */
#include "compiler/cli/places.h"

#include "compiler/backend/mounts/places.h"

struct finder {
	const struct ir_roots *roots;
	struct arena *a;
	struct place_links *ret;
};

static bool add_set(const struct finder *f, const struct ir_set *set)
{
	const struct ir_path *p = &set->u.file.path;
	const struct str root = f->roots->dir[p->root];
	struct mounts_places at;

	mounts_places(f->a, p, &at);
	if (!root.p || at.shape == MOUNTS_ANY)
		return true;
	for (size_t i = 0; i < at.paths.n; i++) {
		const struct str top = root.n > 1 || !at.paths.v[i].n ? root : STR("");
		const char *path = str_z(f->a, str_cat(f->a, top, at.paths.v[i]));

		if (place_links_add(f->ret, path) < 0)
			return false;
	}
	return true;
}

/* An exception of an allow is a deny. */
static bool add_rule(const struct finder *f, const struct ir_rule *r)
{
	if (r->effect != IR_ALLOW)
		return add_set(f, &r->set);
	for (size_t i = 0; i < r->nexcept; i++)
		if (!add_set(f, &r->except[i]))
			return false;
	return true;
}

bool places_find_links(const struct ir *ir, const struct ir_roots *roots, struct arena *a, struct place_links *ret)
{
	const struct finder f = { roots, a, ret };
	bool good = true;

	*ret = (struct place_links){ NULL, 0 };
	for (size_t i = 0; i < ir->rules.n && good; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		/* those of mounts.bin */
		if (r->kind == IR_FILE && (r->scopes & IR_SANDBOX))
			good = add_rule(&f, r);
	}
	return good;
}
