/* Finds the places of a policy behind symbolic links: links.h. */
#include "runtime/decide/links.h"

#include <stdio.h>

/* The places are those of the view (mounts.bin), where a literal name or the beginning of a pattern stands. */
static bool holds_for_target(const struct pb_anchor *a)
{
	return a->effect != PB_ALLOW && a->kind != PB_A_ANY && !(a->flags & PB_AF_SOCKET);
}

int decide_links(const struct decide_ctx *c, struct place_links *ret)
{
	const struct pb_mounts *m = c->b->mounts;
	int r = 0;

	*ret = (struct place_links){ NULL, 0 };
	for (uint32_t i = 0; m && i < m->anchors.count && r == 0; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);
		const char *root = a && a->root < PB_ROOT_COUNT ? c->roots.dir[a->root] : NULL;
		char path[PATH_MAX];

		if (root && holds_for_target(a) &&
		    snprintf(path, sizeof(path), "%s%.*s", root[1] || !a->path.len ? root : "", (int)a->path.len,
			     pb_strp(m, a->path)) < (int)sizeof(path))
			r = place_links_add(ret, path);
	}
	return r;
}
