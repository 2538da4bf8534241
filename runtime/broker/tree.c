/* The set of places, as a sorted table.  Decides which place a path belongs to; looks
 * at text only. */
#include "runtime/broker/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/place.h"

/* Where the path is or belongs: the first place that does not sort before it.  A '/'
 * sorts before every other byte, so that what is below a path follows it at once. */
static size_t first_not_before(const struct broker_trees *t, const char *path,
			       size_t len)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t half = low + (high - low) / 2;
		const struct broker_place *p = &t->v[half];
		size_t i = 0;
		bool before;

		while (i < p->len && i < len && p->at[i] == path[i])
			i++;
		if (i == p->len || i == len)
			before = p->len < len;
		else if (p->at[i] == '/' || path[i] == '/')
			before = p->at[i] == '/';
		else
			before = (unsigned char)p->at[i] < (unsigned char)path[i];
		if (before)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

int broker_trees_add(struct broker_trees *t, enum broker_place_kind kind,
		     const char *at, int fd)
{
	struct broker_place p = { .at = at, .fd = fd, .kind = (uint8_t)kind };
	struct stat st;
	size_t i;

	if (!place_is_plain(at) || (kind == BROKER_HOLE) != (fd < 0))
		return -EINVAL;
	p.len = at[1] ? strlen(at) : 0;
	if (p.len == 0 && kind == BROKER_TREE)
		return -EINVAL;
	if (broker_trees_at(t, at, p.len))
		return -EEXIST;
	if (kind != BROKER_HOLE && kind != BROKER_LOOK) {
		if (fstat(fd, &st) != 0)
			return -errno;
		p.dev = st.st_dev;
	}
	if (t->n == BROKER_MOST_PLACES)
		return -E2BIG;
	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 16;
		struct broker_place *v = reallocarray(t->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->v = v;
		t->cap = cap;
	}
	i = first_not_before(t, at, p.len);
	memmove(&t->v[i + 1], &t->v[i], (t->n - i) * sizeof(p));
	t->v[i] = p;
	t->n++;
	return 0;
}

void broker_trees_release(struct broker_trees *t)
{
	free(t->v);
	*t = (struct broker_trees){ 0 };
}

const struct broker_place *broker_trees_at(const struct broker_trees *t,
					   const char *path, size_t len)
{
	size_t i = first_not_before(t, path, len);

	return i < t->n && t->v[i].len == len && memcmp(t->v[i].at, path, len) == 0
		       ? &t->v[i]
		       : NULL;
}

const struct broker_place *broker_trees_find(const struct broker_trees *t,
					     const char *path, size_t len,
					     const char **ret_rest)
{
	for (size_t n = len;;) {
		const struct broker_place *p = broker_trees_at(t, path, n);

		if (p) {
			if (ret_rest)
				*ret_rest = path + n + (n < len);
			return p;
		}
		if (n == 0)
			return NULL;
		/* the directory above */
		while (path[--n] != '/')
			;
	}
}

bool broker_trees_below(const struct broker_trees *t, const char *path, size_t len)
{
	size_t i = first_not_before(t, path, len);

	if (i < t->n && t->v[i].len == len && memcmp(t->v[i].at, path, len) == 0)
		i++;
	return i < t->n && t->v[i].len > len && memcmp(t->v[i].at, path, len) == 0 &&
	       t->v[i].at[len] == '/';
}
