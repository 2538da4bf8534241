/*
 * What the calls that change files do where owners, groups and special modes count: in directories
 * with the set-group-ID or the sticky bit or a default ACL, on files with set-ID bits and on those
 * of somebody else, between two mounts, on a program that runs.  One line a case.  Run outside and
 * in a sandbox, the two outputs are compared.  After the manual pages, section 2.
 *
 *   posix_special DIR ELSEWHERE [named]   DIR as tests/live/broker_special.sh prepares it;
 *                ELSEWHERE: a directory of another mount; named: the ACL names a user
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char elsewhere[4096], elsewhere_dir[4096];

/* What is at the name: kind, mode, whose; not the size of a directory. */
static void look(const char *name)
{
	struct stat st;

	if (lstat(name, &st) != 0) {
		printf(" %s=-", name);
		return;
	}
	printf(" %s=%o/%s/%s/%ld", name, st.st_mode, st.st_uid == geteuid() ? "own" : "other",
	       st.st_gid == getegid() ? "own" : "other", S_ISREG(st.st_mode) ? (long)st.st_size : 0);
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
		char acl[200];
		ssize_t n = getxattr(name, "system.posix_acl_access", acl, sizeof(acl));

		printf("/%zd", n < 0 ? 0 : n);
		n = getxattr(name, "system.posix_acl_default", acl, sizeof(acl));
		printf("/%zd", n < 0 ? 0 : n);
	}
}

static void told(const char *what, long r, const char *name, const char *other)
{
	printf("%s: %s;", what, r < 0 ? strerrorname_np(errno) : "0");
	if (name)
		look(name);
	if (other)
		look(other);
	printf("\n");
}

static long opened(const char *name, int flags, mode_t mode, const char *text)
{
	int fd = open(name, flags | O_CLOEXEC, mode), err;
	long r = fd;

	if (fd >= 0 && text)
		r = write(fd, text, strlen(text));
	err = errno;
	if (fd >= 0)
		(void)close(fd);
	errno = err;
	return r;
}

static long bound(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	long r;

	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", name);
	r = bind(s, (struct sockaddr *)&at, sizeof(at));
	err = errno;
	(void)close(s);
	errno = err;
	return r;
}

/* Everything that can be made in a directory, under a umask. */
static void make_in(const char *dir, mode_t mask)
{
	char name[300], linked[300];

	(void)umask(mask);
#define AT(n) (snprintf(name, sizeof(name), "%s/%s%o", dir, n, mask), name)
	told("creat 666", opened(AT("f"), O_WRONLY | O_CREAT, 0666, "x"), name, dir);
	(void)snprintf(linked, sizeof(linked), "%s/l%o", dir, mask);
	told("link", link(name, linked), name, linked);
	told("creat 1777", opened(AT("F"), O_RDWR | O_CREAT | O_EXCL, 01777, NULL), name, NULL);
	told("mkdir 777", mkdir(AT("d"), 0777), name, NULL);
	told("mkdir 2777", mkdir(AT("D"), 02777), name, NULL);
	told("mkdir 1700", mkdir(AT("t"), 01700), name, NULL);
	told("fifo", mkfifo(AT("p"), 0666), name, NULL);
	told("mknod", mknod(AT("n"), S_IFREG | 01777, 0), name, NULL);
	told("symlink", symlink("x", AT("s")), name, NULL);
	told("bind", bound(AT("b")), name, NULL);
	told("chmod 1755", chmod(AT("f"), 01755), name, NULL);
	told("chmod 444", chmod(AT("f"), 0444), name, NULL);
	told("access w of it", access(name, W_OK), name, NULL);
	told("access w of it, by the ids in effect", faccessat(AT_FDCWD, name, W_OK, AT_EACCESS), name, NULL);
	told("access rw of a directory without w", chmod(AT("d"), 0500) != 0 ? -1 : access(name, R_OK | W_OK), name, NULL);
	told("chmod 1711 of a directory", chmod(AT("d"), 01711), name, NULL);
	told("chmod 700 of a directory", chmod(AT("D"), 0700), name, NULL);
#undef AT
}

/* Owner rwx, group r-x, others none; `named`: one user by name, too.  As the kernel keeps it. */
static long set_acl(const char *dir, bool named)
{
	static const uint16_t tags[][2] = { { 1, 7 }, { 2, 6 }, { 4, 5 }, { 16, 7 }, { 32, 0 } };
	struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} e[5];
	} acl = { .version = htole32(2) };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (!named && (tags[i][0] == 2 || tags[i][0] == 16))
			continue;
		acl.e[n].tag = htole16(tags[i][0]);
		acl.e[n].perm = htole16(tags[i][1]);
		acl.e[n++].id = tags[i][0] == 2 ? htole32(geteuid()) : UINT32_MAX;
	}
	return setxattr(dir, "system.posix_acl_default", &acl, 4 + n * sizeof(acl.e[0]), 0);
}

/* The filter lets nobody give the bits (std/floor): su1, su2 … have them. */
static void set_ids(void)
{
	told("write of a set-ID file", opened("su1", O_WRONLY, 0, "y"), "su1", NULL);
	told("truncate of it", truncate("su2", 3), "su2", NULL);
	told("open that truncates it", opened("su3", O_WRONLY | O_TRUNC, 0, NULL), "su3", NULL);
	told("chown -1 of it", chown("su4", (uid_t)-1, (gid_t)-1), "su4", NULL);
	told("chown to its own group", chown("su5", (uid_t)-1, getegid()), "su5", NULL);
	told("link of it", link("su6", "su"), "su6", "su");
	told("rename of it", rename("su", "su7"), "su7", NULL);
	told("chmod 755", chmod("su7", 0755), "su6", "su7");
	told("chown to somebody", chown("su1", 12345, (gid_t)-1), "su1", NULL);
	told("chown to some group", chown("su1", (uid_t)-1, 12345), "su1", NULL);
}

/* In a directory that everybody writes, sticky or not; `theirs` and `closed` in it are somebody else's, if root prepared it. */
static void others_in(const char *dir)
{
	static const struct timespec times[2] = { { 1000, 1 }, { 2000, 2 } };
	char theirs[300], mine[300], closed[300], sub[300], own[300];

	(void)snprintf(theirs, sizeof(theirs), "%s/theirs", dir);
	(void)snprintf(mine, sizeof(mine), "%s/mine", dir);
	(void)snprintf(closed, sizeof(closed), "%s/closed", dir);
	(void)snprintf(sub, sizeof(sub), "%s/sub", dir);
	(void)snprintf(own, sizeof(own), "%s/own", dir);
	printf("in %s\n", dir);
	told("write of another's", opened(theirs, O_WRONLY | O_APPEND, 0, "z"), theirs, NULL);
	told("write of one that is closed", opened(closed, O_WRONLY, 0, "z"), closed, NULL);
	told("open creat", opened(theirs, O_WRONLY | O_CREAT, 0666, NULL), theirs, NULL);
	told("open creat excl", opened(theirs, O_WRONLY | O_CREAT | O_EXCL, 0666, NULL), theirs, NULL);
	told("truncate", truncate(theirs, 2), theirs, NULL);
	told("truncate of a closed one", truncate(closed, 2), closed, NULL);
	told("chmod", chmod(theirs, 0600), theirs, NULL);
	told("chown", chown(theirs, geteuid(), (gid_t)-1), theirs, NULL);
	told("utimensat", utimensat(AT_FDCWD, theirs, times, 0), theirs, NULL);
	told("utimensat now", utimensat(AT_FDCWD, theirs, NULL, 0), theirs, NULL);
	told("utimensat now of a closed one", utimensat(AT_FDCWD, closed, NULL, 0), closed, NULL);
	told("setxattr", setxattr(theirs, "user.x", "v", 1, 0), NULL, NULL);
	told("setxattr of a closed one", setxattr(closed, "user.x", "v", 1, 0), NULL, NULL);
	told("access", access(closed, W_OK), NULL, NULL);
	told("link of a closed one", link(closed, own), closed, own);
	told("rename over another's", rename(mine, theirs), mine, theirs);
	told("rename of another's", rename(theirs, own), theirs, own);
	told("rename of another's directory", rename(sub, own), sub, own);
	told("rmdir of another's", rmdir(sub), sub, NULL);
	told("unlink of another's", unlink(theirs), theirs, NULL);
	told("unlink of a closed one", unlink(closed), closed, NULL);
	told("unlink of one's own", unlink(mine), mine, NULL);
}

static void between_mounts(void)
{
	told("rename to another mount", rename("x", elsewhere), "x", NULL);
	told("link to another mount", link("x", elsewhere), "x", NULL);
	told("rename of a directory there", rename("e", elsewhere_dir), "e", NULL);
	told("symlink to it", symlink(elsewhere, "away"), NULL, NULL);
	told("creat through it", opened("away", O_WRONLY | O_CREAT, 0644, "x"), NULL, NULL);
	told("creat excl through it", opened("away", O_WRONLY | O_CREAT | O_EXCL, 0644, "x"), NULL, NULL);
	told("rename from there", rename(elsewhere, "back"), "back", NULL);
	told("link from there", link(elsewhere, "back"), "back", NULL);
	told("link through the link", linkat(AT_FDCWD, "away", AT_FDCWD, "back", AT_SYMLINK_FOLLOW), "back", NULL);
	(void)unlink(elsewhere);
	told("link of the link", link("away", "away2"), NULL, NULL);
}

/* ETXTBSY: nobody writes a program that runs. */
static void a_program(void)
{
	int up[2], status;
	pid_t pid;
	char c;

	if (pipe2(up, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		exit(3);
	if (pid == 0) {
		(void)dup2(up[1], 1);
		(void)execl("./prog", "prog", "wait", (char *)NULL);
		_exit(9);
	}
	(void)close(up[1]);
	printf("it runs: %zd\n", read(up[0], &c, 1));
	told("write", opened("prog", O_WRONLY, 0, NULL), NULL, NULL);
	told("open that truncates", opened("prog", O_RDWR | O_TRUNC, 0, NULL), NULL, NULL);
	told("truncate", truncate("prog", 1), NULL, NULL);
	told("chmod", chmod("prog", 0755), "prog", NULL);
	told("rename", rename("prog", "prog2"), "prog2", NULL);
	told("creat in its place", opened("prog", O_WRONLY | O_CREAT | O_EXCL, 0644, "x"), "prog", NULL);
	told("unlink", unlink("prog2"), "prog2", NULL);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
}

int main(int argc, char **argv)
{
	static const mode_t masks[] = { 0, 027, 077, 0777 };

	if (argc == 2 && strcmp(argv[1], "wait") == 0) {
		(void)!write(1, "r", 1);
		(void)pause();
		return 0;
	}
	if (argc < 3 || argc > 4 || chdir(argv[1]) != 0)
		return 2;
	(void)snprintf(elsewhere, sizeof(elsewhere), "%s/pol-special", argv[2]);
	(void)snprintf(elsewhere_dir, sizeof(elsewhere_dir), "%s/pol-special-d", argv[2]);
	(void)unlink(elsewhere);
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		printf("umask %o\n", masks[i]);
		make_in("plain", masks[i]);
		make_in("sg", masks[i]);
	}
	told("a default ACL", set_acl("acl", argc == 4), "acl", NULL);
	make_in("acl", 0);
	make_in("acl", 077);
	(void)umask(022);
	set_ids();
	others_in("sticky");
	others_in("open");
	between_mounts();
	a_program();
	return fflush(stdout) != 0;
}
