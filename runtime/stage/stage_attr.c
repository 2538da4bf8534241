/* Decides which extended attributes belong to an object and are carried over. */
#include "runtime/stage/stage_attr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/stage/stage_stat.h"

#define OVERLAY "user.overlay."
enum { LIST_MAX = 65536, VALUE_MAX = 65536 }; /* XATTR_LIST_MAX, XATTR_SIZE_MAX */

const char *stage_fd_path(int fd, char out[STAGE_FD_PATH])
{
	(void)snprintf(out, STAGE_FD_PATH, "/proc/self/fd/%d", fd);
	return out;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* What overlayfs writes for itself, and what means nothing without its mount. */
static bool is_bookkeeping(const char *name)
{
	static const char *const names[] = { "origin", "impure", "nlink", "uuid", "upper" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name + strlen(OVERLAY), names[i]))
			return true;
	return false;
}

static int add(struct stage_attrs *a, const char *name, const void *value, size_t len)
{
	struct stage_attr *v = reallocarray(a->v, a->n + 1, sizeof(*v));
	size_t i = a->n;

	if (!v)
		return -ENOMEM;
	a->v = v;
	for (; i > 0 && strcmp(v[i - 1].name, name) > 0; i--)
		v[i] = v[i - 1];
	v[i] = (struct stage_attr){ strdup(name), malloc(len + 1), len };
	a->n++;
	if (!v[i].name || !v[i].value)
		return -ENOMEM;
	if (len)
		memcpy(v[i].value, value, len);
	return 0;
}

static int note_strange(struct stage_attrs *a, const char *name)
{
	if (a->strange)
		return 0;
	a->strange = strdup(name);
	return a->strange ? 0 : -ENOMEM;
}

static int take(struct stage_attrs *a, const char *name, const char *value, size_t len)
{
	if (!strcmp(name, OVERLAY "opaque")) {
		/* "x" says that the directory may hold names deleted by an attribute */
		a->opaque = len == 1 && value[0] == 'y';
		return 0;
	}
	if (!strcmp(name, OVERLAY "whiteout")) {
		a->whiteout = true;
		return 0;
	}
	if (begins(name, OVERLAY))
		return is_bookkeeping(name) ? 0 : note_strange(a, name);
	if (begins(name, "user.") || begins(name, "system.posix_acl_"))
		return add(a, name, value, len);
	/* the file system's own labels come with every new object */
	if (!strcmp(name, "security.capability"))
		return note_strange(a, name);
	return 0;
}

int stage_attrs_read(int fd, struct stage_attrs *ret)
{
	AUTO_FREE char *list = malloc(LIST_MAX), *value = malloc(VALUE_MAX);
	struct stage_attrs a = { .v = NULL };
	char path[STAGE_FD_PATH];
	ssize_t n, len;
	int r = 0;

	if (!list || !value)
		return -ENOMEM;
	n = listxattr(stage_fd_path(fd, path), list, LIST_MAX);
	if (n < 0 && errno != EOPNOTSUPP)
		return -errno;
	for (ssize_t at = 0; at < n && r == 0; at += (ssize_t)strlen(list + at) + 1) {
		const char *name = list + at;

		len = getxattr(path, name, value, VALUE_MAX);
		if (len < 0 && errno == ENODATA)
			continue;
		r = len >= 0 ? take(&a, name, value, (size_t)len) :
		    begins(name, "user.") || begins(name, "system.posix_acl_") ? -errno : 0;
	}
	if (r < 0) {
		stage_attrs_release(&a);
		return r;
	}
	*ret = a;
	return 0;
}

void stage_attrs_release(struct stage_attrs *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].name);
		free(a->v[i].value);
	}
	free(a->v);
	free(a->strange);
	*a = (struct stage_attrs){ .v = NULL };
}

static bool same(const struct stage_attr *a, const struct stage_attr *b)
{
	return !strcmp(a->name, b->name) && a->len == b->len &&
	       (!a->len || !memcmp(a->value, b->value, a->len));
}

bool stage_attrs_equal(const struct stage_attrs *a, const struct stage_attrs *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same(&a->v[i], &b->v[i]))
			return false;
	return true;
}

static const struct stage_attr *find(const struct stage_attrs *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->v[i].name, name))
			return &a->v[i];
	return NULL;
}

int stage_attrs_apply(int fd, const struct stage_attrs *want)
{
	struct stage_attrs have;
	char path[STAGE_FD_PATH];
	int r = stage_attrs_read(fd, &have);

	if (r < 0)
		return r;
	(void)stage_fd_path(fd, path);
	for (size_t i = 0; i < have.n && r == 0; i++)
		if (!find(want, have.v[i].name) && removexattr(path, have.v[i].name) != 0)
			r = -errno;
	for (size_t i = 0; i < want->n && r == 0; i++) {
		const struct stage_attr *w = &want->v[i], *h = find(&have, w->name);

		if ((!h || !same(h, w)) && setxattr(path, w->name, w->value, w->len, 0) != 0)
			r = -errno;
	}
	stage_attrs_release(&have);
	return r;
}

void stage_attrs_digest(const struct stage_attrs *a, uint8_t *ret)
{
	crypto_generichash_state st;

	(void)crypto_generichash_init(&st, NULL, 0, STAGE_DIGEST);
	for (size_t i = 0; i < a->n; i++) {
		const struct stage_attr *v = &a->v[i];
		uint64_t len = v->len;

		(void)crypto_generichash_update(&st, (const uint8_t *)v->name, strlen(v->name) + 1);
		(void)crypto_generichash_update(&st, (const uint8_t *)&len, sizeof(len));
		(void)crypto_generichash_update(&st, v->value, v->len);
	}
	(void)crypto_generichash_final(&st, ret, STAGE_DIGEST);
}
