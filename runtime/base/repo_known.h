/*
 * What a search for repositories (repo.h) has seen of each folder, so that the next search reads
 * only those that have changed.
 *
 * The kernel sets a folder's time of change (ctime) when a name in it is made, removed or renamed, and
 * no call sets it to another value.  So a folder with the same inode and the same time has the same names.
 * A folder that has changed just before it was read is not remembered: the kernel's clock may have stood
 * still since.  Only file systems that are known to keep this promise count.
 */
#ifndef RUNTIME_BASE_REPO_KNOWN_H
#define RUNTIME_BASE_REPO_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct statx;

struct repo_folder {
	uint64_t ino;
	int64_t sec; /* ctime */
	uint32_t nsec;
	uint32_t marks;             /* what its names say, in the search's own bits */
	uint32_t path;              /* in `text`, relative to the top */
	uint32_t children, nchildren; /* the names of the folders in it, one behind another in `text` */
};

struct repo_known {
	uint64_t dev; /* of all folders */
	struct repo_folder *v;
	size_t n, cap;
	char *text; /* each ends in NUL */
	size_t ntext, text_cap;
	uint32_t *slot; /* a hash of the paths: an index into v plus 1; 0: free */
	size_t nslots;  /* a power of two, or 0 */
	bool failed;    /* no memory: to be thrown away */
};

/* True if the file system of the folder counts. */
bool repo_known_fits(int dirfd);
/* The folder as it was seen, if it has not changed since; or NULL. */
const struct repo_folder *repo_known_find(const struct repo_known *k, const char *path, const struct statx *st);
/* Adds a folder that was read between two looks at it; nothing is added if they differ, or are too
 * close to its change.  Its children follow. */
bool repo_known_add(struct repo_known *k, const char *path, const struct statx *before, const struct statx *after,
		    uint32_t marks);
void repo_known_child(struct repo_known *k, const char *name);
/* Adds the folders of `old` that `k` does not have: what a search did not come to. */
void repo_known_keep(struct repo_known *k, const struct repo_known *old);
/* As bytes for a file of this machine, malloc'ed, and back.  False: no memory, or damaged; *ret is empty
 * then. */
bool repo_known_write(const struct repo_known *k, void **ret, size_t *ret_n);
bool repo_known_read(const void *bytes, size_t n, struct repo_known *ret);
void repo_known_release(struct repo_known *k);

#endif
