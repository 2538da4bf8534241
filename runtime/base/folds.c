/* Decides whether a directory takes names in any case. */
#include "runtime/base/folds.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

#ifndef FS_CASEFOLD_FL
#define FS_CASEFOLD_FL 0x40000000
#endif

#define MOST_NAMES 64 /* that are tried */

static bool is_one_of(const uint32_t *v, size_t n, long f_type)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == (uint32_t)f_type)
			return true;
	return false;
}

bool folds_by_type(long f_type)
{
	static const uint32_t magic[] = {
		MSDOS_SUPER_MAGIC, 0x2011bab0 /* exfat */, 0x7366746e /* ntfs3 */,
		0x5346544e /* ntfs */, 0xff534d42 /* cifs */, 0xfe534d42 /* smb2 */,
		0x517b /* smb */, 0x4244 /* hfs */, 0x482b /* hfsplus */,
		0x786f4256 /* vboxsf */, 0xadff /* affs */,
	};

	return is_one_of(magic, sizeof(magic) / sizeof(magic[0]), f_type);
}

/* Linux's own, which know their names themselves. */
static bool is_exact(long f_type)
{
	static const uint32_t magic[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
		F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC, ECRYPTFS_SUPER_MAGIC,
	};

	return is_one_of(magic, sizeof(magic) / sizeof(magic[0]), f_type);
}

/* The name in the other case; false: it has no letter. */
static bool swap_case(const char *name, char out[256])
{
	bool letter = false;
	size_t n = strlen(name);

	if (n > 255)
		return false;
	for (size_t i = 0; i <= n; i++) {
		unsigned char c = (unsigned char)name[i];

		letter |= c < 128 && isalpha(c);
		out[i] = (char)(c < 128 && islower(c) ? toupper(c) : c < 128 ? tolower(c) : c);
	}
	return letter;
}

bool folds_by_names(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	unsigned tried = 0;
	bool folds = false;

	if (!d) {
		if (fd >= 0)
			(void)close(fd);
		return true;
	}
	while (!folds && tried < MOST_NAMES && (e = readdir(d))) {
		char other[256];
		struct stat a, b;

		if (!swap_case(e->d_name, other) ||
		    fstatat(fd, e->d_name, &a, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		tried++;
		folds = fstatat(fd, other, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
			a.st_ino == b.st_ino;
	}
	(void)closedir(d);
	return folds;
}

static int has_flag(int dir)
{
	int fd = SYS_RETRY(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), flags = 0, r;

	if (fd < 0)
		return -errno;
	r = ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 ? (flags & FS_CASEFOLD_FL) != 0 : -errno;
	(void)close(fd);
	/* a file system without flags */
	return r == -ENOTTY || r == -EINVAL || r == -EOPNOTSUPP ? 0 : r;
}

/* Not even a name that is known can be looked up.  1, 0 or -errno. */
static int is_closed(int dir)
{
	struct stat st;

	if (fstatat(dir, ".", &st, 0) == 0)
		return 0;
	return errno == EACCES ? 1 : -errno;
}

int folds_case(int dir)
{
	int closed = is_closed(dir);
	struct statfs st;

	if (closed != 0)
		return closed < 0 ? closed : 0;
	if (SYS_RETRY(fstatfs(dir, &st)) != 0)
		return -errno;
	if (folds_by_type(st.f_type))
		return 1;
	return is_exact(st.f_type) ? has_flag(dir) : folds_by_names(dir);
}
