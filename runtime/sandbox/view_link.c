/*
 * Links of the host: which are copied into the run's own trees, by which a rule reaches
 * its object, and which must not change during the run.
 */
#include "runtime/sandbox/view_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int view_add_link(struct view_builder *b, const char *path, const char *target)
{
	struct sandbox_view *v = b->out;
	struct sandbox_link *l;

	for (size_t i = 0; i < v->nlinks; i++)
		if (!strcmp(v->links[i].path, path))
			return 0;
	l = reallocarray(v->links, v->nlinks + 1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	v->links = l;
	l[v->nlinks].path = strdup(path);
	l[v->nlinks].target = strdup(target);
	if (!l[v->nlinks].path || !l[v->nlinks].target) {
		free(l[v->nlinks].path);
		free(l[v->nlinks].target);
		return -ENOMEM;
	}
	v->nlinks++;
	return 0;
}

int view_copy_link(struct view_builder *b, const char *path)
{
	char full[4200], target[4096];
	ssize_t n;

	(void)snprintf(full, sizeof(full), "%s%s", b->in->prefix, path);
	n = readlink(full, target, sizeof(target) - 1);
	/* EINVAL: on this host it is a directory */
	if (n < 0)
		return errno == EINVAL || errno == ENOENT ? 0 : -errno;
	target[n] = '\0';
	return view_add_link(b, path, target);
}

int view_add_alias(struct view_builder *b, const char *path, const char *real,
		   uint32_t rule, bool lends)
{
	struct sandbox_alias *v = reallocarray(b->aliases, b->naliases + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	b->aliases = v;
	v[b->naliases].path = strdup(path);
	v[b->naliases].real = strdup(real);
	v[b->naliases].rule = rule;
	v[b->naliases].lends = lends;
	if (!v[b->naliases].path || !v[b->naliases].real) {
		free(v[b->naliases].path);
		free(v[b->naliases].real);
		return -ENOMEM;
	}
	b->naliases++;
	return 0;
}

int view_guard_link(struct view_builder *b, const struct view_link *link, uint32_t rule)
{
	struct view_guarded *v;

	for (size_t i = 0; i < b->nguarded; i++)
		if (!strcmp(b->guarded[i].path, link->path))
			return 0;
	v = reallocarray(b->guarded, b->nguarded + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	b->guarded = v;
	v[b->nguarded].path = strdup(link->path);
	v[b->nguarded].target = strdup(link->target);
	v[b->nguarded].rule = rule;
	if (!v[b->nguarded].path || !v[b->nguarded].target) {
		free(v[b->nguarded].path);
		free(v[b->nguarded].target);
		return -ENOMEM;
	}
	b->nguarded++;
	return 0;
}

/* Do the rules make the place writable, and not only take a denial back? */
static bool is_made_writable(const struct view_in *in, const struct view_anchor *a)
{
	enum view_answer answer;

	if (a->effect != PB_ALLOW || !(a->ops & PB_WRITE) || (a->flags & PB_AF_SCRATCH))
		return false;
	answer = view_may_write(in, a->path);
	return answer == VIEW_ALLOW || answer == VIEW_OWN;
}

bool view_link_is_foreign(const struct view_builder *b, const char *path)
{
	const struct view_in *in = b->in;
	enum view_answer answer;

	if (in->project && view_at(path, in->project))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		const struct view_anchor *a = &in->anchors[i];

		if (a->kind == PB_A_PATH && view_at(path, a->path) && is_made_writable(in, a))
			return false;
	}
	answer = view_may_write(in, path);
	return answer == VIEW_OWN ? view_is_private(b, path) : answer != VIEW_ALLOW;
}
