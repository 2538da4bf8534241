/*
 * Decides which directories of a writable tree are mounted on themselves: those above a
 * restriction.  A directory that is a mount point cannot be moved away from over the
 * restriction.
 */
#include "runtime/sandbox/plan_pins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True if the node takes away something that the tree above it gives, or hides it with a
 * tree of the run's own: a move of the directory would show what the host has there. */
static bool restricts(const struct sandbox_view *v, const int *parent, size_t i)
{
	const struct sandbox_node *n = &v->nodes[i];
	int up = parent[i];

	if (n->noted || up < 0)
		return false;
	return n->masked || n->locked || (n->scratch && !v->nodes[up].scratch) ||
	       (sandbox_node_native(&v->nodes[up]) & ~sandbox_node_native(n));
}

static void pin_between(const char *top, const char *path, char ***pins, size_t *npins,
			int *err)
{
	for (size_t k = strlen(top) > 1 ? strlen(top) + 1 : 1; path[k]; k++) {
		char **grown, *dir;
		bool known = false;

		if (path[k] != '/')
			continue;
		for (size_t m = 0; m < *npins; m++)
			known |= !strncmp((*pins)[m], path, k) && !(*pins)[m][k];
		if (known)
			continue;
		grown = reallocarray(*pins, *npins + 1, sizeof(**pins));
		dir = strndup(path, k);
		if (!grown || !dir) {
			*err = -ENOMEM;
			free(dir);
			*pins = grown ? grown : *pins;
			return;
		}
		*pins = grown;
		(*pins)[(*npins)++] = dir;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t plan_pins(const struct sandbox_view *v, const int *parent, size_t t, char ***ret,
		 int *err)
{
	size_t n = 0;

	*ret = NULL;
	for (size_t j = t + 1; j < v->n; j++) {
		size_t child = j;
		int up = parent[j];

		if (!restricts(v, parent, j))
			continue;
		while (up >= 0 && plan_node_writable(&v->nodes[up])) {
			if (up == (int)t)
				pin_between(v->nodes[t].path, v->nodes[child].path, ret,
					    &n, err);
			child = (size_t)up;
			up = parent[up];
		}
	}
	if (n)
		qsort(*ret, n, sizeof(**ret), by_name);
	return n;
}
