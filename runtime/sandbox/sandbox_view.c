/* Finds what governs a path in a view that has been made, and releases the view. */
#include "runtime/sandbox/sandbox_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sandbox/view_host.h"

void sandbox_view_close(struct sandbox_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->nodes[i].pin_fd >= 0)
			(void)close(v->nodes[i].pin_fd);
		v->nodes[i].pin_fd = -1;
	}
}

void sandbox_view_release(struct sandbox_view *v)
{
	sandbox_view_close(v);
	for (size_t i = 0; i < v->n; i++) {
		free(v->nodes[i].path);
		free(v->nodes[i].source);
		free(v->nodes[i].forced_name);
		free(v->nodes[i].text);
	}
	for (size_t i = 0; i < v->ncreatable; i++)
		free(v->creatable[i].path);
	for (size_t i = 0; i < v->nlinks; i++) {
		free(v->links[i].path);
		free(v->links[i].target);
	}
	for (size_t i = 0; i < v->nwalls; i++) {
		free(v->walls[i].path);
		free(v->walls[i].target);
	}
	for (size_t i = 0; i < v->nrestricted; i++)
		free(v->restricted[i]);
	for (size_t i = 0; i < v->ndenied; i++) {
		free(v->denied[i].path);
		free(v->denied[i].link);
	}
	for (size_t i = 0; i < v->nunsearched; i++)
		free(v->unsearched[i].path);
	for (size_t i = 0; i < v->naliases; i++) {
		free(v->aliases[i].path);
		free(v->aliases[i].real);
	}
	free(v->restricted);
	free(v->denied);
	free(v->unsearched);
	free(v->aliases);
	free(v->project.path);
	repo_release(&v->project.repos);
	for (size_t i = 0; i < v->ntrees; i++) {
		free(v->trees[i].path);
		repo_release(&v->trees[i].repos);
	}
	free(v->trees);
	for (size_t i = 0; i < v->ngit; i++)
		free(v->git[i].path);
	free(v->git);
	free(v->nodes);
	free(v->creatable);
	free(v->links);
	free(v->walls);
	memset(v, 0, sizeof(*v));
}

const struct sandbox_node *sandbox_view_find(const struct sandbox_view *v, const char *path)
{
	const struct sandbox_node *best = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (view_at(path, v->nodes[i].path))
			best = &v->nodes[i];
	return best;
}

bool sandbox_view_owns(const struct sandbox_view *v, const char *path)
{
	const struct sandbox_node *n = v->owns ? sandbox_view_find(v, path) : NULL;

	return n && n->scratch;
}

const char *sandbox_view_host(const struct sandbox_view *v, const char *path, char *buf,
			      size_t cap)
{
	const struct sandbox_node *n = sandbox_view_find(v, path);
	int len;

	if (!n || !n->source)
		return path;
	len = snprintf(buf, cap, "%s%s", n->source, path + strlen(n->path));
	return len < 0 || (size_t)len >= cap ? NULL : buf;
}
