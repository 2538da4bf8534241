/* The list of the places of a view that is being built. */
#include "runtime/sandbox/view_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: equal paths have equal keys. */
static uint32_t key_of(const char *path)
{
	uint32_t h = 2166136261u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 16777619u;
	return h;
}

struct view_place *view_place_at(struct view_builder *b, const char *path)
{
	const uint32_t key = key_of(path);
	struct view_place *p;

	for (size_t i = 0; i < b->n; i++)
		if (b->places[i].key == key && !strcmp(b->places[i].path, path))
			return &b->places[i];
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 64;
		struct view_place *grown = reallocarray(b->places, cap, sizeof(*grown));

		if (!grown)
			return NULL;
		b->places = grown;
		b->cap = cap;
	}
	p = &b->places[b->n];
	memset(p, 0, sizeof(*p));
	p->key = key;
	p->path = strdup(path);
	if (!p->path)
		return NULL;
	p->wanted.floor = true;
	p->wanted.rule = p->wanted.ro.by = VIEW_NO_RULE;
	p->wanted.unread = p->wanted.unstarted = VIEW_NO_RULE;
	p->found.object.fd = -1;
	p->given.rules[0] = p->given.rules[1] = p->given.rules[2] = VIEW_NO_RULE;
	b->n++;
	return p;
}

int view_place_ro_by(struct view_place *p, uint32_t rule, const char *name)
{
	if (p->wanted.ro.by != VIEW_NO_RULE)
		return 0;
	p->wanted.ro.name = strdup(name);
	if (!p->wanted.ro.name)
		return -ENOMEM;
	p->wanted.ro.by = rule;
	return 0;
}

int view_deny_name(struct view_builder *b, const char *path, uint32_t rule, bool below)
{
	struct sandbox_view *v = b->out;
	struct sandbox_denied *d = reallocarray(v->denied, v->ndenied + 1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	v->denied = d;
	d[v->ndenied] = (struct sandbox_denied){ strdup(path), rule, below };
	return d[v->ndenied++].path ? 0 : -ENOMEM;
}

void view_places_release(struct view_builder *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->places[i].found.object.fd >= 0)
			(void)close(b->places[i].found.object.fd);
		free(b->places[i].path);
		free(b->places[i].source);
		free(b->places[i].wanted.ro.name);
	}
	for (size_t i = 0; i < b->naliases; i++) {
		free(b->aliases[i].path);
		free(b->aliases[i].real);
	}
	for (size_t i = 0; i < b->nguarded; i++) {
		free(b->guarded[i].path);
		free(b->guarded[i].target);
	}
	free(b->guarded);
	free(b->aliases);
	free(b->places);
}

bool view_is_private(const struct view_builder *b, const char *path)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->places[i].wanted.private_ && view_at(path, b->places[i].path))
			return true;
	return false;
}

bool view_is_system(const char *path)
{
	return view_at(path, "/proc") || view_at(path, "/sys") ||
	       (view_at(path, "/dev") && !view_at(path, "/dev/shm"));
}
