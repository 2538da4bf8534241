/*
 * What the calls that change files do: each call on each kind of name, with what it leaves.
 * One line a case: "call name: errno; what has changed".  Run outside and in a sandbox, the
 * two outputs are compared.  After the manual pages, section 2.
 *
 *   posix_files DIR [N K [DEPTH]]   DIR is there and empty; it is left so.  Every Nth case, from the
 *                                   Kth on; in a directory that is DEPTH names of 200 bytes below it
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HAS(v) (sizeof(v) / sizeof((v)[0]))
#define CHMOD2 452

static char long255[256], long256[257], path4095[4096], path4096[4097];
static int top = -1;
static unsigned long every = 1, turn, cases;

/* --- what is there at the beginning of each case ---------------------------------------- */

static void put(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# put %s: %s\n", name, strerror(errno));
	(void)close(fd);
}

static void populate(void)
{
	static const char *const dirs[] = { "d", "e", "t" };
	static const char *const links[][2] = { { "f", "l" }, { "d", "ld" }, { "none", "dang" },
						{ "loop", "loop" }, { "../c/f", "lu" } };
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "s" };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (size_t i = 0; i < HAS(dirs); i++)
		(void)mkdir(dirs[i], 0755);
	(void)chmod("t", 01777);
	for (size_t i = 0; i < HAS(links); i++)
		(void)symlink(links[i][0], links[i][1]);
	put("f", "hello", 0644);
	put("g", "other", 0600);
	put("ro", "fixed", 0444);
	put("d/x", "below", 0644);
	(void)link("f", "h");
	(void)mkfifo("p", 0600);
	if (bind(s, (struct sockaddr *)&name, sizeof(name)) != 0)
		printf("# bind: %s\n", strerror(errno));
	(void)close(s);
	(void)setxattr("f", "user.x", "v", 1, 0);
}

static void empty(int dir)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fdopendir(own);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlinkat(own, e->d_name, 0) == 0)
			continue;
		/* no link: that would have gone */
		(void)fchmodat(own, e->d_name, 0700, 0);
		int fd = openat(own, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0) {
			empty(fd);
			(void)close(fd);
		}
		(void)unlinkat(own, e->d_name, AT_REMOVEDIR);
	}
	if (d)
		(void)closedir(d);
}

/* --- what is left ----------------------------------------------------------------------- */

struct entry {
	char name[300], what[100];
	ino_t ino;
	struct timespec mtime, ctime;
};

struct list {
	struct entry v[60];
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static void look(struct list *l, const char *dir, bool deep)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) && l->n < HAS(l->v)) {
		struct entry *x = &l->v[l->n];
		char text[16] = "", value[8] = "";
		struct stat st;

		if (strcmp(e->d_name, "..") == 0 || (deep && strcmp(e->d_name, ".") == 0))
			continue;
		(void)snprintf(x->name, sizeof(x->name), "%s%s%.250s", deep ? dir : "", deep ? "/" : "", e->d_name);
		if (lstat(x->name, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode)) {
			int fd = open(x->name, O_RDONLY | O_CLOEXEC);

			(void)!read(fd, text, sizeof(text) - 1);
			(void)!fgetxattr(fd, "user.x", value, sizeof(value) - 1);
			(void)close(fd);
		} else if (S_ISLNK(st.st_mode)) {
			(void)!readlink(x->name, text, sizeof(text) - 1);
		}
		(void)snprintf(x->what, sizeof(x->what), "%o/%ld/%lu/%s/%s", st.st_mode,
			       S_ISDIR(st.st_mode) ? 0 : (long)st.st_size, (unsigned long)st.st_nlink, text, value);
		x->ino = st.st_ino;
		x->mtime = st.st_mtim;
		x->ctime = st.st_ctim;
		l->n++;
		if (S_ISDIR(st.st_mode) && !deep && strcmp(e->d_name, ".") != 0)
			look(l, x->name, true);
	}
	if (d)
		(void)closedir(d);
}

static bool same(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Names that have come (+), gone (-) and changed (~), and which times have. */
static void print_changes(struct list *a, struct list *b)
{
	size_t i = 0, k = 0;

	qsort(a->v, a->n, sizeof(a->v[0]), by_name);
	qsort(b->v, b->n, sizeof(b->v[0]), by_name);
	while (i < a->n || k < b->n) {
		const struct entry *x = &a->v[i], *y = &b->v[k];
		int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(x->name, y->name);

		if (c < 0)
			printf(" -%.40s", x->name);
		else if (c > 0)
			printf(" +%.40s=%s", y->name, y->what);
		else if (x->ino != y->ino) /* another object has the name */
			printf(" !%.40s=%s", y->name, y->what);
		else if (strcmp(x->what, y->what) != 0 || !same(x->mtime, y->mtime) || !same(x->ctime, y->ctime))
			printf(" ~%.40s=%s%s%s", y->name, strcmp(x->what, y->what) ? y->what : "",
			       same(x->mtime, y->mtime) ? "" : "m", same(x->ctime, y->ctime) ? "" : "c");
		i += c <= 0;
		k += c >= 0;
	}
	printf("\n");
}

/* --- the calls -------------------------------------------------------------------------- */

struct op {
	const char *name;
	int kind, flags;
	mode_t mode;
};

enum { OPEN, MKDIR, RMDIR, UNLINK, REMOVE_AT, MKNOD, SYMLINK, TRUNCATE, CHMOD, LCHMOD, CHOWN, LCHOWN,
       TIMES, LTIMES, NOW, SETX, LSETX, REMX, ACCESS, BIND, LINK, RENAME };

static const struct op one[] = {
	{ "open w", OPEN, O_WRONLY, 0 },
	{ "open rw", OPEN, O_RDWR, 0 },
	{ "open w trunc", OPEN, O_WRONLY | O_TRUNC, 0 },
	{ "open r trunc", OPEN, O_RDONLY | O_TRUNC, 0 },
	{ "open w append", OPEN, O_WRONLY | O_APPEND, 0 },
	{ "open w nofollow", OPEN, O_WRONLY | O_NOFOLLOW, 0 },
	{ "open w directory", OPEN, O_WRONLY | O_DIRECTORY, 0 },
	{ "open creat 666", OPEN, O_WRONLY | O_CREAT, 0666 },
	{ "open creat r", OPEN, O_RDONLY | O_CREAT, 0640 },
	{ "open creat 0", OPEN, O_RDWR | O_CREAT, 0 },
	{ "open creat excl", OPEN, O_RDWR | O_CREAT | O_EXCL, 0600 },
	{ "open creat trunc", OPEN, O_RDWR | O_CREAT | O_TRUNC, 0644 },
	{ "open creat nofollow", OPEN, O_WRONLY | O_CREAT | O_NOFOLLOW, 0644 },
	{ "open creat directory", OPEN, O_WRONLY | O_CREAT | O_DIRECTORY, 0644 },
	{ "open tmpfile", OPEN, O_RDWR | O_TMPFILE, 0600 },
	{ "open tmpfile r", OPEN, O_RDONLY | O_TMPFILE, 0600 },
	{ "open path", OPEN, O_PATH | O_WRONLY, 0 },
	{ "mkdir 777", MKDIR, 0, 0777 },
	{ "mkdir 1700", MKDIR, 0, 01700 },
	{ "rmdir", RMDIR, 0, 0 },
	{ "unlink", UNLINK, 0, 0 },
	{ "unlinkat dir", REMOVE_AT, AT_REMOVEDIR, 0 },
	{ "unlinkat bad", REMOVE_AT, 1, 0 },
	{ "mknod reg", MKNOD, 0, S_IFREG | 0666 },
	{ "mknod 0", MKNOD, 0, 0604 },
	{ "mknod fifo", MKNOD, 0, S_IFIFO | 0666 },
	{ "mknod dir", MKNOD, 0, S_IFDIR | 0755 },
	{ "symlink", SYMLINK, 0, 0 },
	{ "truncate 2", TRUNCATE, 2, 0 },
	{ "truncate 9", TRUNCATE, 9, 0 },
	{ "truncate same", TRUNCATE, 5, 0 },
	{ "truncate -1", TRUNCATE, -1, 0 },
	{ "chmod 600", CHMOD, 0, 0600 },
	{ "chmod 1755", CHMOD, 0, 01755 },
	{ "chmod nofollow", LCHMOD, AT_SYMLINK_NOFOLLOW, 0600 },
	{ "chown -1", CHOWN, 0, 0 },
	{ "lchown -1", LCHOWN, 0, 0 },
	{ "utimensat", TIMES, 0, 0 },
	{ "utimensat nofollow", LTIMES, AT_SYMLINK_NOFOLLOW, 0 },
	{ "utimensat bad", LTIMES, 0x8000, 0 },
	{ "utimensat now", NOW, 0, 0 },
	{ "setxattr", SETX, 0, 0 },
	{ "setxattr create", SETX, XATTR_CREATE, 0 },
	{ "setxattr replace", SETX, XATTR_REPLACE, 0 },
	{ "setxattr bad", SETX, 4, 0 },
	{ "lsetxattr", LSETX, 0, 0 },
	{ "removexattr", REMX, 0, 0 },
	{ "access w", ACCESS, W_OK, 0 },
	{ "access rwx", ACCESS, R_OK | W_OK | X_OK, 0 },
	{ "access bad", ACCESS, 8 | W_OK, 0 },
	{ "bind", BIND, 0, 0 },
};

static const struct op two[] = {
	{ "link", LINK, 0, 0 },
	{ "link follow", LINK, AT_SYMLINK_FOLLOW, 0 },
	{ "link bad", LINK, 1, 0 },
	{ "rename", RENAME, 0, 0 },
	{ "rename noreplace", RENAME, 1, 0 },
	{ "rename exchange", RENAME, 2, 0 },
	{ "rename both", RENAME, 3, 0 },
	{ "rename bad", RENAME, 8, 0 },
};

/* "@": the directory's own path; "\1": NULL; "\2": memory that is not there. */
static const char *const paths[] = {
	"f", "d", "e", "l", "ld", "lu", "dang", "loop", "p", "s", "ro", "t", "h", "none", "", ".", "..", "e/.", "e/..",
	"d/.", "d/..", "f/", "d/", "e/", "e//", "l/", "ld/", "dang/", "p/", "none/", "f/x", "none/x", "d/x", "ld/x",
	"d/new", "ld/new", "d/../new", "./new", "loop/x", "l/x", "dang/x", "@/new", "@/f", "@//d//x", "t/new", "\1", "\2",
	long255, long256, path4095, path4096,
};
static const char *const from[] = { "f", "d", "e", "l", "ld", "dang", "p", "s", "none", "", ".", "d/.", "d/..",
				    "f/", "d/", "ld/", "d/x", "ld/x", "f/x", "loop/x", "\2", long255, long256 };
static const char *const to[] = { "f", "g", "h", "d", "e", "l", "dang", "new", "new/", "none/x", "d/new", "d/x",
				  "d/e", "e/", "f/x", "", ".", "e/..", "ld/new", "\1", long256, path4096 };

static const char *real(const char *path, char out[8192])
{
	char cwd[4096];

	if (path[0] == '\1')
		return NULL;
	if (path[0] == '\2')
		return (const char *)16;
	if (path[0] != '@')
		return path;
	(void)snprintf(out, 8192, "%s%s", getcwd(cwd, sizeof(cwd)), path + 1);
	return out;
}

static long bind_it(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r, err;

	if (path && path != (const char *)16)
		(void)snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	r = path == (const char *)16 ? bind(s, (const void *)path, 20) :
				       bind(s, (struct sockaddr *)&name, name.sun_path[0] ? sizeof(name) : 2);
	err = errno;
	(void)close(s);
	errno = err;
	return r;
}

static long open_it(const struct op *o, const char *p)
{
	/* one that waits for a reader of a FIFO would wait for ever */
	long fd = syscall(SYS_openat, AT_FDCWD, p, o->flags | O_NONBLOCK | O_CLOEXEC, o->mode);

	if (fd < 0)
		return fd;
	if (!(o->flags & O_PATH) && (o->flags & O_ACCMODE) != O_RDONLY)
		printf("wrote %zd, flags %o: ", write((int)fd, "ABC", 3), fcntl((int)fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	return close((int)fd);
}

static long make(const struct op *o, const char *p, const char *q)
{
	static const struct timespec times[2] = { { 1000, 1 }, { 2000, 2 } };
	const int cwd = AT_FDCWD;

	switch (o->kind) {
	case OPEN: return open_it(o, p);
	case MKDIR: return syscall(SYS_mkdir, p, o->mode);
	case RMDIR: return syscall(SYS_rmdir, p);
	case UNLINK: return syscall(SYS_unlink, p);
	case REMOVE_AT: return syscall(SYS_unlinkat, cwd, p, o->flags);
	case MKNOD: return syscall(SYS_mknodat, cwd, p, o->mode, 0);
	case SYMLINK: return syscall(SYS_symlink, "f", p);
	case TRUNCATE: return syscall(SYS_truncate, p, (long)o->flags);
	case CHMOD: return syscall(SYS_chmod, p, o->mode);
	case LCHMOD: return syscall(CHMOD2, cwd, p, o->mode, o->flags);
	case CHOWN: return syscall(SYS_chown, p, -1, -1);
	case LCHOWN: return syscall(SYS_lchown, p, -1, -1);
	case TIMES: case LTIMES: return syscall(SYS_utimensat, cwd, p, times, o->flags);
	case NOW: return syscall(SYS_utimensat, cwd, p, NULL, 0);
	case SETX: return syscall(SYS_setxattr, p, "user.x", "new", 3, o->flags);
	case LSETX: return syscall(SYS_lsetxattr, p, "user.x", "new", 3, o->flags);
	case REMX: return syscall(SYS_removexattr, p, "user.x");
	case ACCESS: return syscall(SYS_access, p, o->flags);
	case BIND: return bind_it(p);
	case LINK: return syscall(SYS_linkat, cwd, p, cwd, q, o->flags);
	case RENAME: return syscall(SYS_renameat2, cwd, p, cwd, q, o->flags);
	}
	return -1;
}

static const char *shown(const char *path)
{
	return path[0] == '\1' ? "NULL" : path[0] == '\2' ? "BAD" : path == long255 ? "N255" :
	       path == long256 ? "N256" : path == path4095 ? "P4095" : path == path4096 ? "P4096" : path;
}

static void one_case(const struct op *o, const char *path, const char *other)
{
	static struct list before, after;
	char a[8192], b[8192];
	long r;

	if (cases++ % every != turn)
		return;
	(void)umask(022);
	if (mkdirat(top, "c", 0755) != 0 || fchdir(top) != 0 || chdir("c") != 0) {
		printf("# no directory: %s\n", strerror(errno));
		return;
	}
	populate();
	(void)umask(027);
	before.n = after.n = 0;
	look(&before, ".", false);
	/* a change is to be seen in the times, however coarse the kernel's clock is */
	(void)usleep(4500);
	printf("%s '%s' '%s': ", o->name, shown(path), other ? shown(other) : "-");
	r = make(o, real(path, a), other ? real(other, b) : NULL);
	printf("%s;", r < 0 ? strerrorname_np(errno) : "0");
	look(&after, ".", false);
	print_changes(&before, &after);
	(void)umask(022);
	(void)fchdir(top);
	/* ".." was changed, too */
	(void)fchmod(top, 0755);
	(void)fchmodat(top, "c", 0700, 0);
	int fd = openat(top, "c", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	empty(fd);
	(void)close(fd);
	if (unlinkat(top, "c", AT_REMOVEDIR) != 0)
		printf("# the directory stays: %s\n", strerror(errno));
}

/* Makes a directory in `top`, goes into it, and so on: no path is as long as what comes out. */
static bool go_down(unsigned long depth)
{
	char name[201] = "";

	memset(name, 'v', 200);
	while (depth--) {
		int fd;

		if (mkdirat(top, name, 0755) != 0)
			return false;
		fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)close(top);
		top = fd;
		if (top < 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	memset(long255, 'n', 255);
	memset(long256, 'n', 256);
	for (int i = 0; i < 4096; i++)
		path4096[i] = i % 2 ? '/' : '.';
	memcpy(path4095, path4096, 4095);
	path4095[4094] = 'q'; /* "./././q" */
	if (argc == 4 || argc == 5) {
		every = strtoul(argv[2], NULL, 10);
		turn = strtoul(argv[3], NULL, 10);
	}
	if ((argc != 2 && argc != 4 && argc != 5) || !every || (top = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 2;
	if (argc == 5 && !go_down(strtoul(argv[4], NULL, 10))) {
		printf("# not so deep: %s\n", strerror(errno));
		return 1;
	}
	for (size_t i = 0; i < HAS(one); i++)
		for (size_t k = 0; k < HAS(paths); k++)
			one_case(&one[i], paths[k], NULL);
	for (size_t i = 0; i < HAS(two); i++)
		for (size_t k = 0; k < HAS(from); k++)
			for (size_t m = 0; m < HAS(to); m++)
				one_case(&two[i], from[k], to[m]);
	return fflush(stdout) != 0;
}
