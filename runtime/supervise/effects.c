/* Decides what counts as a change of a name, and keeps each name once. */
#include "runtime/supervise/effects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A file system counts time in steps: 4 ms on most. */
#define RECENT_NS 20000000

void effects_release(struct effects *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->v[i].path);
	free(e->v);
	free(e->slots);
	*e = (struct effects){ .n = 0 };
}

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

struct effect_look effect_look_of(const struct stat *st)
{
	return (struct effect_look){ .dev = st->st_dev, .ino = st->st_ino,
				     .size = (uint64_t)st->st_size,
				     .mtime_ns = ns_of(&st->st_mtim),
				     .ctime_ns = ns_of(&st->st_ctim),
				     .mode = st->st_mode, .uid = st->st_uid,
				     .gid = st->st_gid };
}

static uint64_t hash(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h ^ h >> 32;
}

/* The slot that has the path, or the free one where it belongs. */
static size_t slot_of(const struct effects *e, const uint32_t *slots, size_t n, const char *path)
{
	size_t i = (size_t)hash(path) & (n - 1);

	while (slots[i] && strcmp(e->v[slots[i] - 1].path, path) != 0)
		i = (i + 1) & (n - 1);
	return i;
}

static bool grow(struct effects *e)
{
	size_t cap = e->cap ? 2 * e->cap : 256, n = 2 * cap;
	struct effect *v = reallocarray(e->v, cap, sizeof(*v));
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (v)
		e->v = v;
	if (!v || !slots) {
		free(slots);
		return false;
	}
	for (size_t i = 0; i < e->n; i++)
		slots[slot_of(e, slots, n, e->v[i].path)] = (uint32_t)i + 1;
	free(e->slots);
	e->slots = slots;
	e->nslots = n;
	e->cap = cap;
	return true;
}

/* The entry of the path; *ret_new: it was not there, and is all 0.  NULL: no room. */
static struct effect *entry_of(struct effects *e, const char *path, bool *ret_new)
{
	size_t slot;

	*ret_new = false;
	if (e->n == e->cap && (e->n >= EFFECTS_MAX || !grow(e))) {
		slot = e->nslots ? slot_of(e, e->slots, e->nslots, path) : 0;
		if (e->nslots && e->slots[slot])
			return &e->v[e->slots[slot] - 1];
		e->lost++;
		return NULL;
	}
	slot = slot_of(e, e->slots, e->nslots, path);
	if (e->slots[slot])
		return &e->v[e->slots[slot] - 1];
	e->v[e->n] = (struct effect){ .path = strdup(path) };
	if (!e->v[e->n].path) {
		e->lost++;
		return NULL;
	}
	*ret_new = true;
	e->slots[slot] = (uint32_t)++e->n;
	return &e->v[e->n - 1];
}

void effects_note(struct effects *e, const char *path, int dir, const char *name)
{
	bool is_new;
	struct effect *it = entry_of(e, path, &is_new);
	struct timespec now;
	struct stat st;

	if (!it || !is_new || dir < 0)
		return;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)) != 0) {
		e->lost += errno != ENOENT && errno != ENOTDIR;
		return;
	}
	it->before = effect_look_of(&st);
	it->recent = clock_gettime(CLOCK_REALTIME, &now) != 0 ||
		     it->before.ctime_ns > ns_of(&now) - RECENT_NS;
}

struct effect *effects_put(struct effects *e, const char *path, const struct effect_look *before,
			   const struct effect_look *after)
{
	bool is_new;
	struct effect *it = entry_of(e, path, &is_new);

	if (!it)
		return NULL;
	it->before = *before;
	it->after = *after;
	return it;
}

void effect_unknown(struct effects *e, struct effect *it)
{
	e->lost++;
	it->after = it->before;
	it->recent = false;
}

enum effect_op effect_op_of(const struct effect *e)
{
	const struct effect_look *b = &e->before, *a = &e->after;

	if (!b->mode || !a->mode)
		return a->mode ? EFFECT_CREATE : b->mode ? EFFECT_DELETE : EFFECT_NONE;
	if (b->dev != a->dev || b->ino != a->ino || b->mode != a->mode || b->uid != a->uid ||
	    b->gid != a->gid)
		return EFFECT_MODIFY;
	if (S_ISDIR(a->mode))
		return EFFECT_NONE;
	return e->recent || b->size != a->size || b->mtime_ns != a->mtime_ns ||
			       b->ctime_ns != a->ctime_ns
		       ? EFFECT_MODIFY
		       : EFFECT_NONE;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct effect *)a)->path, ((const struct effect *)b)->path);
}

void effects_settle(struct effects *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (effect_op_of(&e->v[i]) == EFFECT_NONE)
			free(e->v[i].path);
		else
			e->v[n++] = e->v[i];
	}
	e->n = n;
	if (n)
		qsort(e->v, n, sizeof(*e->v), by_path);
	/* those of the old order */
	free(e->slots);
	e->slots = NULL;
	e->nslots = 0;
}
