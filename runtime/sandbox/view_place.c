/* The list of the places of a view that is being built. */
#include "runtime/sandbox/view_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: equal paths have equal keys. */
#define KEY_EMPTY 2166136261u

static uint32_t key_with(uint32_t key, char c)
{
	return (key ^ (unsigned char)c) * 16777619u;
}

static uint32_t key_of(const char *path, size_t len)
{
	uint32_t key = KEY_EMPTY;

	for (size_t i = 0; i < len; i++)
		key = key_with(key, path[i]);
	return key;
}

/* The slot of the path, or the empty one in which it would be. */
static uint32_t *slot_of(const struct view_builder *b, uint32_t key, const char *path, size_t len)
{
	uint32_t *slots = b->index, i = key & (b->nindex - 1);

	for (; slots[i]; i = (i + 1) & (b->nindex - 1)) {
		const struct view_place *p = &b->places[slots[i] - 1];

		if (p->key == key && p->len == len && !memcmp(p->path, path, len))
			break;
	}
	return &slots[i];
}

static struct view_place *find(const struct view_builder *b, uint32_t key, const char *path,
			       size_t len)
{
	uint32_t at = b->nindex ? *slot_of(b, key, path, len) : 0;

	return at ? &b->places[at - 1] : NULL;
}

const struct view_place *view_place_find(const struct view_builder *b, const char *path)
{
	size_t len = strlen(path);

	return find(b, key_of(path, len), path, len);
}

int view_places_index(struct view_builder *b)
{
	uint32_t want = 64;
	uint32_t *index;

	while (want < 2 * (b->n + 1))
		want *= 2;
	index = calloc(want, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(b->index);
	b->index = index;
	b->nindex = want;
	for (size_t i = 0; i < b->n; i++) {
		const struct view_place *p = &b->places[i];

		*slot_of(b, p->key, p->path, p->len) = (uint32_t)i + 1;
	}
	return 0;
}

struct view_place *view_places_above(const struct view_builder *b, const char *path,
				     struct view_upwards *at)
{
	uint32_t key = at->len ? at->key : KEY_EMPTY;
	struct view_place *p = NULL;
	size_t i = at->len;

	/* the root first, which is the only one to end with a '/' */
	if (i == 0 && path[0] == '/' && path[1]) {
		key = key_with(key, '/');
		p = find(b, key, path, 1);
		i = 1;
	}
	while (!p && path[i]) {
		do
			key = key_with(key, path[i++]);
		while (path[i] && path[i] != '/');
		if (path[i])
			p = find(b, key, path, i);
	}
	*at = (struct view_upwards){ i, key };
	return p;
}

struct view_place *view_place_at(struct view_builder *b, const char *path)
{
	const size_t len = strlen(path);
	const uint32_t key = key_of(path, len);
	struct view_place *p = find(b, key, path, len);

	if (p)
		return p;
	if (2 * (b->n + 1) > b->nindex && view_places_index(b) < 0)
		return NULL;
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
	p->len = (uint32_t)len;
	p->path = strndup(path, len);
	if (!p->path)
		return NULL;
	p->wanted.floor = p->wanted.library = true;
	p->wanted.rule = p->wanted.ro.by = VIEW_NO_RULE;
	p->wanted.unread = p->wanted.unstarted = VIEW_NO_RULE;
	p->found.object.fd = -1;
	p->given.rules[0] = p->given.rules[1] = p->given.rules[2] = VIEW_NO_RULE;
	*slot_of(b, key, path, len) = (uint32_t)++b->n;
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
	d[v->ndenied] = (struct sandbox_denied){ strdup(path), NULL, rule, below };
	return d[v->ndenied++].path ? 0 : -ENOMEM;
}

int view_denied_by_link(struct view_builder *b, const char *link)
{
	struct sandbox_denied *d = &b->out->denied[b->out->ndenied - 1];

	d->link = strdup(link);
	return d->link ? 0 : -ENOMEM;
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
	host_mounts_release(&b->mounts);
	free(b->guarded);
	free(b->aliases);
	free(b->places);
	free(b->index);
	for (size_t i = 0; i < VIEW_MISSED; i++)
		free(b->missed[i].dir);
}

static struct view_missed *missed_at(struct view_builder *b, const char *path, size_t len)
{
	return &b->missed[key_of(path, len) % VIEW_MISSED];
}

/* A name was missing in the directory: the second time it is looked at itself. */
static int note_missed(const struct view_builder *b, struct view_missed *m, const char *path,
		       size_t len)
{
	struct view_object dir;
	int r;

	if (!m->dir || strncmp(m->dir, path, len) != 0 || m->dir[len]) {
		free(m->dir);
		*m = (struct view_missed){ .dir = strndup(path, len) };
		return m->dir ? 0 : -ENOMEM;
	}
	if (m->looked)
		return 0;
	r = view_look(b->in->prefix, m->dir, &dir);
	/* by a link on the way it is not missing */
	if (r < 0 && r != -ELOOP)
		return r;
	m->looked = true;
	m->absent = r == 0 && !dir.exists && !dir.unreachable;
	if (r == 0 && dir.fd >= 0)
		(void)close(dir.fd);
	return 0;
}

int view_look_once(struct view_builder *b, const char *path, struct view_object *ret)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash && slash != path ? (size_t)(slash - path) : 0;
	struct view_missed *m = missed_at(b, path, len);
	int r;

	if (len && m->absent && !strncmp(m->dir, path, len) && !m->dir[len]) {
		*ret = (struct view_object){ .fd = -1 };
		return 0;
	}
	r = view_look(b->in->prefix, path, ret);
	return r == 0 && len && !ret->exists && !ret->unreachable ? note_missed(b, m, path, len) : r;
}

bool view_is_private(const struct view_builder *b, const char *path)
{
	struct view_upwards at = { 0 };
	const struct view_place *p;

	while ((p = view_places_above(b, path, &at)))
		if (p->wanted.private_)
			return true;
	p = view_place_find(b, path);
	return p && p->wanted.private_;
}
