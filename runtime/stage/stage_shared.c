/* Finds the files that have several changed names, and digests them. */
#include "runtime/stage/stage_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_attr.h"

bool stage_shared_may_be(const struct stage_node *base)
{
	return base && base->st.nlink > 1 && !S_ISDIR(base->st.mode);
}

static int order(const void *a, const void *b)
{
	const struct stage_stat *x = *(const struct stage_stat *const *)a;
	const struct stage_stat *y = *(const struct stage_stat *const *)b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

int stage_shared_find(const struct stage_delta *d, struct stage_shared *ret)
{
	*ret = (struct stage_shared){ .v = calloc(d->n + 1, sizeof(const struct stage_stat *)) };
	if (!ret->v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++)
		if (stage_shared_may_be(d->v[i].base))
			ret->v[ret->n++] = &d->v[i].base->st;
	qsort(ret->v, ret->n, sizeof(const struct stage_stat *), order);
	return 0;
}

void stage_shared_release(struct stage_shared *s)
{
	free(s->v);
	*s = (struct stage_shared){ .v = NULL };
}

bool stage_shared_has(const struct stage_shared *s, const struct stage_stat *file)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (order(&s->v[mid], &file) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo + 1 < s->n && order(&s->v[lo + 1], &file) == 0;
}

int stage_shared_digest(int dir, const char *name, uint8_t ret[STAGE_DIGEST])
{
	AUTO_CLOSE int fd = sys_openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	uint8_t both[2 * STAGE_DIGEST] = { 0 };
	struct stage_attrs a;
	int r;

	if (fd < 0)
		return -errno;
	r = stage_digest_at(dir, name, both);
	if (r < 0 && r != -EINVAL) /* a FIFO has no content */
		return r;
	r = stage_attrs_read(fd, &a);
	if (r < 0)
		return r;
	stage_attrs_digest(&a, both + STAGE_DIGEST);
	stage_attrs_release(&a);
	(void)crypto_generichash(ret, STAGE_DIGEST, both, sizeof(both), NULL, 0);
	return 0;
}
