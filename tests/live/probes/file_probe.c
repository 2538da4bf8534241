/*
 * Does one thing to a path and says what came back:
 *   file_probe VERB PATH [PATH2|VALUE]   →   "OK" (and what was found) or the
 * errno's name.  Static, knows nothing of the policy: run inside the sandbox
 * by the live tests.  Exit 0 for OK, 1 for an errno, 2 for a bad call.
 *   file_probe batch   does each line VERB<tab>PATH[<tab>PATH2] of the standard
 * input; before what came back a line "= IDS" says which objects there were
 * (dev:ino or -): PATH's directory, PATH (through links), the same of PATH2; and
 * after a tab each, what they are called without links (or -).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Closes `fd`; 0 or -1 with errno as it was. */
static int closed(int fd)
{
	int e = errno;

	if (fd < 0)
		return -1;
	(void)close(fd);
	errno = e;
	return 0;
}

static int do_read(const char *path, const char *unused)
{
	char buf[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	(void)unused;
	if (n > 0)
		printf("%.*s%s", (int)n, buf, buf[n - 1] == '\n' ? "" : "\n");
	return n < 0 ? -1 : closed(fd);
}

static int do_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = text ? strlen(text) : 0;

	if (fd >= 0 && len && write(fd, text, len) != (ssize_t)len)
		return -1;
	return closed(fd);
}

static int do_append(const char *path, const char *unused)
{
	(void)unused;
	return closed(open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
}

static int do_create(const char *path, const char *unused)
{
	(void)unused;
	return closed(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}

static int do_opath(const char *path, const char *unused)
{
	(void)unused;
	return closed(open(path, O_PATH | O_CLOEXEC));
}

static int do_tmpfile(const char *path, const char *unused)
{
	(void)unused;
	return closed(open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

static int do_list(const char *path, const char *unused)
{
	DIR *d = opendir(path);
	struct dirent *e;

	(void)unused;
	if (!d)
		return -1;
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			puts(e->d_name);
	return closedir(d);
}

static int do_stat(const char *path, const char *unused)
{
	struct stat st;

	(void)unused;
	if (lstat(path, &st) < 0)
		return -1;
	printf("%o %u %u %lld\n", (unsigned)st.st_mode, st.st_uid, st.st_gid,
	       (long long)st.st_size);
	return 0;
}

/* The child says its errno by a descriptor that the exec closes. */
static int do_exec(const char *path, const char *arg)
{
	int p[2], e = 0, st;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		execl(path, path, arg, (char *)NULL);
		e = errno;
		(void)!write(p[1], &e, sizeof(e));
		_exit(127);
	}
	(void)close(p[1]);
	if (pid < 0)
		return -1;
	if (read(p[0], &e, sizeof(e)) != (ssize_t)sizeof(e))
		e = 0;
	(void)close(p[0]);
	(void)waitpid(pid, &st, 0);
	errno = e;
	return e ? -1 : 0;
}

static int do_map(const char *path, const char *unused)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)unused;
	if (fd < 0)
		return -1;
	return mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED
		       ? -1
		       : closed(fd);
}

/* Of a file that was opened for writing. */
static int do_mapw(const char *path, const char *unused)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);

	(void)unused;
	if (fd < 0 || ftruncate(fd, 1) < 0)
		return -1;
	return mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED
		       ? -1
		       : closed(fd);
}

/* A change that no filter notifies: only the mount decides it. */
static int do_flags(const char *path, const char *unused)
{
	int flags = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)unused;
	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return -1;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0 ? -1 : closed(fd);
}

static int do_rename(const char *a, const char *b)
{
	return rename(a, b);
}

static int do_exchange(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2u);
}

static int do_link(const char *a, const char *b)
{
	return link(a, b);
}

static int do_symlink(const char *path, const char *target)
{
	return symlink(target, path);
}

static int do_unlink(const char *path, const char *unused)
{
	(void)unused;
	return unlink(path);
}

static int do_mkdir(const char *path, const char *unused)
{
	(void)unused;
	return mkdir(path, 0755);
}

static int do_rmdir(const char *path, const char *unused)
{
	(void)unused;
	return rmdir(path);
}

static int do_mkfifo(const char *path, const char *unused)
{
	(void)unused;
	return mkfifo(path, 0600);
}

static int do_mknod(const char *path, const char *unused)
{
	(void)unused;
	return mknod(path, S_IFCHR | 0600, 0x103);
}

static int do_chmod(const char *path, const char *mode)
{
	return chmod(path, mode ? (mode_t)strtoul(mode, NULL, 8) : 0700);
}

static int do_chown(const char *path, const char *uid)
{
	return lchown(path, uid ? (uid_t)strtoul(uid, NULL, 10) : geteuid(), (gid_t)-1);
}

static int do_utime(const char *path, const char *unused)
{
	(void)unused;
	return utimensat(AT_FDCWD, path, NULL, 0);
}

static int do_truncate(const char *path, const char *unused)
{
	(void)unused;
	return truncate(path, 0);
}

static int do_setxattr(const char *path, const char *unused)
{
	(void)unused;
	return setxattr(path, "user.probe", "1", 1, 0);
}

static int do_access(const char *path, const char *mode)
{
	int m = 0;

	for (; mode && *mode; mode++)
		m |= *mode == 'r'   ? R_OK
		     : *mode == 'w' ? W_OK
		     : *mode == 'x' ? X_OK
				    : 0;
	return access(path, m);
}

static int do_chdir(const char *path, const char *unused)
{
	(void)unused;
	return chdir(path);
}

static int unix_address(const char *path, struct sockaddr_un *a, socklen_t *len)
{
	size_t n = strlen(path);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (n >= sizeof(a->sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(a->sun_path, path, n);
	if (path[0] == '@')
		a->sun_path[0] = '\0';
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n +
			   (path[0] == '@' ? 0 : 1));
	return 0;
}

static int do_connect(const char *path, const char *unused)
{
	struct sockaddr_un a;
	socklen_t len;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)unused;
	if (fd < 0 || unix_address(path, &a, &len) < 0)
		return -1;
	return connect(fd, (struct sockaddr *)&a, len) < 0 ? -1 : closed(fd);
}

static int do_bind(const char *path, const char *unused)
{
	struct sockaddr_un a;
	socklen_t len;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)unused;
	if (fd < 0 || unix_address(path, &a, &len) < 0)
		return -1;
	return bind(fd, (struct sockaddr *)&a, len) < 0 ? -1 : closed(fd);
}

static const struct {
	const char *name;
	int (*run)(const char *path, const char *other);
	bool two;
} verbs[] = {
	{"read", do_read, false},         {"write", do_write, false},
	{"append", do_append, false},     {"create", do_create, false},
	{"opath", do_opath, false},       {"tmpfile", do_tmpfile, false},
	{"list", do_list, false},         {"stat", do_stat, false},
	{"exec", do_exec, false},         {"map", do_map, false},
	{"mapw", do_mapw, false},         {"flags", do_flags, false},
	{"rename", do_rename, true},      {"exchange", do_exchange, true},
	{"link", do_link, true},          {"symlink", do_symlink, true},
	{"unlink", do_unlink, false},     {"mkdir", do_mkdir, false},
	{"rmdir", do_rmdir, false},       {"mkfifo", do_mkfifo, false},
	{"mknod", do_mknod, false},       {"chmod", do_chmod, false},
	{"chown", do_chown, false},       {"utime", do_utime, false},
	{"truncate", do_truncate, false}, {"setxattr", do_setxattr, false},
	{"access", do_access, false},     {"chdir", do_chdir, false},
	{"connect", do_connect, false},   {"bind", do_bind, false},
};

/* 0: done, with its answer; 1: an errno, that is printed; 2: no such verb. */
static int run_verb(const char *verb, const char *path, const char *other)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(verb, verbs[i].name) || (verbs[i].two && !other))
			continue;
		if (verbs[i].run(path, other) == 0) {
			puts("OK");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	return 2;
}

static void print_id(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		(void)fputs(" -", stdout);
	else
		printf(" %llu:%llu", (unsigned long long)st.st_dev,
		       (unsigned long long)st.st_ino);
}

static void dir_of(const char *path, char dir[4096])
{
	char *slash;

	(void)snprintf(dir, 4096, "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
}

static void print_ids(const char *path)
{
	char dir[4096];

	dir_of(path, dir);
	print_id(dir);
	print_id(path);
}

static void print_real(const char *path)
{
	char *real = realpath(path, NULL);

	printf("\t%s", real ? real : "-");
	free(real);
}

static void print_reals(const char *path)
{
	char dir[4096];

	dir_of(path, dir);
	print_real(dir);
	print_real(path);
}

static int batch(void)
{
	char line[8192];

	while (fgets(line, sizeof(line), stdin)) {
		char *path, *other;

		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '\t');
		if (!path)
			return 2;
		*path++ = '\0';
		other = strchr(path, '\t');
		if (other)
			*other++ = '\0';
		(void)putchar('=');
		print_ids(path);
		if (other && other[0] == '/')
			print_ids(other);
		print_reals(path);
		if (other && other[0] == '/')
			print_reals(other);
		(void)putchar('\n');
		if (run_verb(line, path, other) == 2)
			return 2;
		(void)fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "batch"))
		return batch();
	if (argc >= 3) {
		int r = run_verb(argv[1], argv[2], argc > 3 ? argv[3] : NULL);

		if (r < 2)
			return r;
	}
	(void)fputs("usage: file_probe VERB PATH [PATH2|VALUE]\nverbs:", stderr);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		(void)fprintf(stderr, " %s", verbs[i].name);
	(void)fputc('\n', stderr);
	return 2;
}
