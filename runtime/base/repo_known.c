/* The memory of a search: folders, their texts, and a hash of their paths. */
#include "runtime/base/repo_known.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "runtime/base/sys.h"

/* The kernel's coarse clock stands still for up to 10 ms (CONFIG_HZ=100). */
#define TOO_CLOSE_NS INT64_C(20000000)

struct head {
	uint64_t magic, dev, n, ntext;
};
#define MAGIC UINT64_C(0x31776f6e6b6c6f70) /* "polknow1" */

bool repo_known_fits(int dirfd)
{
	static const long kinds[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC };
	struct statfs fs;

	if (fstatfs(dirfd, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((long)fs.f_type == kinds[i])
			return true;
	return false;
}

static uint64_t dev_of(const struct statx *st)
{
	return (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor;
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static const struct repo_folder *at_path(const struct repo_known *k, const char *path)
{
	for (size_t i = hash(path); k->nslots; i++) {
		const uint32_t at = k->slot[i & (k->nslots - 1)];

		if (!at)
			break;
		if (strcmp(k->text + k->v[at - 1].path, path) == 0)
			return &k->v[at - 1];
	}
	return NULL;
}

const struct repo_folder *repo_known_find(const struct repo_known *k, const char *path, const struct statx *st)
{
	const struct repo_folder *f = k->dev == dev_of(st) ? at_path(k, path) : NULL;

	return f && f->ino == st->stx_ino && f->sec == st->stx_ctime.tv_sec && f->nsec == st->stx_ctime.tv_nsec ? f : NULL;
}

static void put_slot(struct repo_known *k, uint32_t index)
{
	size_t i = hash(k->text + k->v[index].path);

	while (k->slot[i & (k->nslots - 1)])
		i++;
	k->slot[i & (k->nslots - 1)] = index + 1;
}

/* Makes the hash for at least `n` folders. */
static bool make_slots(struct repo_known *k, size_t n)
{
	size_t want = 256;
	uint32_t *slot;

	while (want < 2 * n)
		want *= 2;
	if (want <= k->nslots)
		return true;
	slot = calloc(want, sizeof(*slot));
	if (!slot)
		return false;
	free(k->slot);
	k->slot = slot;
	k->nslots = want;
	for (uint32_t i = 0; i < k->n; i++)
		put_slot(k, i);
	return true;
}

static bool put_text(struct repo_known *k, const char *s, uint32_t *ret)
{
	const size_t n = strlen(s) + 1;

	if (k->ntext + n > k->text_cap) {
		const size_t cap = 2 * (k->text_cap + n);
		char *grown = cap <= UINT32_MAX ? realloc(k->text, cap) : NULL;

		if (!grown)
			return false;
		k->text = grown;
		k->text_cap = cap;
	}
	*ret = (uint32_t)k->ntext;
	memcpy(k->text + k->ntext, s, n);
	k->ntext += n;
	return true;
}

static bool put_folder(struct repo_known *k, const char *path, const struct repo_folder *f)
{
	struct repo_folder put = *f;

	if (k->failed)
		return false;
	if (k->n == k->cap) {
		const size_t cap = k->cap ? 2 * k->cap : 128;
		struct repo_folder *grown = reallocarray(k->v, cap, sizeof(*grown));

		if (!grown) {
			k->failed = true;
			return false;
		}
		k->v = grown;
		k->cap = cap;
	}
	put.nchildren = 0;
	if (!make_slots(k, k->n + 1) || !put_text(k, path, &put.path)) {
		k->failed = true;
		return false;
	}
	put.children = (uint32_t)k->ntext;
	k->v[k->n] = put;
	put_slot(k, (uint32_t)k->n++);
	return true;
}

/* Was the folder changed so shortly before it was read that a later change may have the same time? */
static bool is_too_close(const struct statx *st)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	       (now.tv_sec - st->stx_ctime.tv_sec) * INT64_C(1000000000) + now.tv_nsec -
			       (int64_t)st->stx_ctime.tv_nsec < TOO_CLOSE_NS;
}

bool repo_known_add(struct repo_known *k, const char *path, const struct statx *before, const struct statx *after,
		    uint32_t marks)
{
	const struct repo_folder f = { .ino = after->stx_ino, .sec = after->stx_ctime.tv_sec,
				       .nsec = after->stx_ctime.tv_nsec, .marks = marks };

	if (!k->n)
		k->dev = dev_of(after);
	return before->stx_ino == after->stx_ino && before->stx_ctime.tv_sec == after->stx_ctime.tv_sec &&
	       before->stx_ctime.tv_nsec == after->stx_ctime.tv_nsec && k->dev == dev_of(after) &&
	       !is_too_close(before) && put_folder(k, path, &f);
}

void repo_known_child(struct repo_known *k, const char *name)
{
	uint32_t at;

	if (!k->failed && put_text(k, name, &at))
		k->v[k->n - 1].nchildren++;
	else
		k->failed = true;
}

void repo_known_keep(struct repo_known *k, const struct repo_known *old)
{
	if (k->n && k->dev != old->dev)
		return;
	k->dev = old->dev;
	for (size_t i = 0; i < old->n && !k->failed; i++) {
		const struct repo_folder *f = &old->v[i];
		const char *child = old->text + f->children;

		if (at_path(k, old->text + f->path) || !put_folder(k, old->text + f->path, f))
			continue;
		for (uint32_t c = 0; c < f->nchildren; c++, child += strlen(child) + 1)
			repo_known_child(k, child);
	}
}

bool repo_known_write(const struct repo_known *k, void **ret, size_t *ret_n)
{
	const struct head h = { MAGIC, k->dev, k->n, k->ntext };
	const size_t folders = k->n * sizeof(*k->v);
	char *p = k->failed ? NULL : malloc(sizeof(h) + folders + k->ntext);

	*ret = p;
	*ret_n = sizeof(h) + folders + k->ntext;
	if (!p)
		return false;
	memcpy(p, &h, sizeof(h));
	if (folders)
		memcpy(p + sizeof(h), k->v, folders);
	if (k->ntext)
		memcpy(p + sizeof(h) + folders, k->text, k->ntext);
	return true;
}

/* Do the folder's texts lie in the memory's? */
static bool is_whole(const struct repo_known *k, const struct repo_folder *f)
{
	size_t at = f->children;

	if (f->path >= k->ntext || at > k->ntext)
		return false;
	for (uint32_t i = 0; i < f->nchildren; i++) {
		if (at >= k->ntext)
			return false;
		at += strlen(k->text + at) + 1; /* the last byte is NUL */
	}
	return true;
}

bool repo_known_read(const void *bytes, size_t n, struct repo_known *ret)
{
	struct repo_known k = { 0 };
	struct head h;
	size_t folders;

	*ret = k;
	if (n < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	n -= sizeof(h);
	if (h.magic != MAGIC || !h.n || h.n > n / sizeof(*k.v) || !h.ntext || h.ntext != n - h.n * sizeof(*k.v))
		return false;
	folders = h.n * sizeof(*k.v);
	k = (struct repo_known){ .dev = h.dev, .v = malloc(folders), .n = h.n, .cap = h.n,
				 .text = malloc(h.ntext), .ntext = h.ntext, .text_cap = h.ntext };
	if (!k.v || !k.text) {
		repo_known_release(&k);
		return false;
	}
	memcpy(k.v, (const char *)bytes + sizeof(h), folders);
	memcpy(k.text, (const char *)bytes + sizeof(h) + folders, h.ntext);
	bool whole = k.text[k.ntext - 1] == '\0';

	for (size_t i = 0; i < k.n && whole; i++)
		whole = is_whole(&k, &k.v[i]);
	if (!whole || !make_slots(&k, k.n)) {
		repo_known_release(&k);
		return false;
	}
	*ret = k;
	return true;
}

void repo_known_release(struct repo_known *k)
{
	free(k->v);
	free(k->text);
	free(k->slot);
	*k = (struct repo_known){ 0 };
}
