/* Opens what lies below a directory of a place.  Decides which mounts on the way are
 * entered. */
#include "runtime/broker/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/*
 * File systems that hold files and nothing else, and tell "A" from "a" (folds.h).  In others a file may be a handle of
 * the kernel's: procfs would show this process to itself, and let it be written.
 */
bool broker_holds_files(int fd)
{
	static const uint32_t magic[] = {
		EXT4_SUPER_MAGIC,
		XFS_SUPER_MAGIC,
		BTRFS_SUPER_MAGIC,
		TMPFS_MAGIC,
		F2FS_SUPER_MAGIC,
		OVERLAYFS_SUPER_MAGIC,
		NFS_SUPER_MAGIC,
		FUSE_SUPER_MAGIC,
		V9FS_MAGIC,
		ECRYPTFS_SUPER_MAGIC,
		0x2fc12fc1 /* zfs */,
		0xca451a4e /* bcachefs */,
	};
	struct statfs st;

	if (fstatfs(fd, &st) != 0)
		return false;
	for (size_t i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if ((uint32_t)st.f_type == magic[i])
			return true;
	return false;
}

int broker_open_far(int fd, const char *path, uint64_t flags, uint64_t resolve)
{
	AUTO_CLOSE int here = -1;
	char piece[PATH_MAX];

	while (strlen(path) >= sizeof(piece)) {
		const char *slash = memrchr(path, '/', sizeof(piece) - 1);
		size_t n = slash ? (size_t)(slash - path) : 0;
		int next;

		if (!n) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(piece, path, n);
		piece[n] = '\0';
		next = sys_open_beneath(fd, piece, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, resolve);
		if (next < 0)
			return -1;
		if (here >= 0)
			(void)close(here);
		fd = here = next;
		path = slash + 1;
	}
	return sys_open_beneath(fd, path, flags, resolve);
}

/* Could it be a second name of what lies in a tree?  The rules know it by the first
 * one. */
static bool is_of_a_tree(const struct broker_trees *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return true;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].kind == BROKER_TREE && t->v[i].dev == st.st_dev)
			return true;
	return false;
}

/* The path leads into another mount of the host. */
static int open_mounted(const struct broker_trees *t, int fd, const char *path,
			unsigned flags, uint64_t resolve)
{
	int r = broker_open_far(fd, path, O_PATH | O_CLOEXEC | flags, resolve);

	if (r < 0)
		return -errno;
	if (broker_holds_files(r) && !is_of_a_tree(t, r))
		return r;
	(void)close(r);
	return -EROFS;
}

int broker_open_below(const struct broker_trees *t, const struct broker_place *place, int fd,
		      const char *path, unsigned flags)
{
	uint64_t resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	int r;

	r = broker_open_far(fd, path, O_PATH | O_CLOEXEC | flags,
			    place->kind == BROKER_TREE ? resolve | RESOLVE_NO_XDEV
							   : resolve);
	if (r >= 0)
		return r;
	return errno == EXDEV ? open_mounted(t, fd, path, flags, resolve)
			      : -errno;
}
