/*
 * Extended attributes.  What a commit carries over are those of users (user.*) and access
 * lists (system.posix_acl_*).  Those of overlayfs itself (user.overlay.*) say how an upper
 * layer covers the lower one; no run can set them.
 */
#ifndef RUNTIME_STAGE_STAGE_ATTR_H
#define RUNTIME_STAGE_STAGE_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stage_attr {
	char *name; /* malloc'ed */
	void *value;
	size_t len;
};

struct stage_attrs {
	struct stage_attr *v; /* sorted by name; what a commit carries over */
	size_t n;
	bool opaque;   /* user.overlay.opaque: nothing of the lower directory shows */
	bool whiteout; /* user.overlay.whiteout: the name is deleted */
	char *strange; /* an attribute that no commit carries over, or NULL; malloc'ed */
};

/* Reads those of the object of any descriptor, also O_PATH.  A file system without
 * attributes has none.  0 or -errno; release it only after 0. */
int stage_attrs_read(int fd, struct stage_attrs *ret);
void stage_attrs_release(struct stage_attrs *a);
bool stage_attrs_equal(const struct stage_attrs *a, const struct stage_attrs *b);
/* Makes the object's attributes equal to `want`.  0 or -errno. */
int stage_attrs_apply(int fd, const struct stage_attrs *want);
/* The digest of all of them (32 bytes). */
void stage_attrs_digest(const struct stage_attrs *a, uint8_t *ret);

/* "/proc/self/fd/N": for calls that do not take O_PATH descriptors. */
enum { STAGE_FD_PATH = 40 };
const char *stage_fd_path(int fd, char out[STAGE_FD_PATH]);

#endif
