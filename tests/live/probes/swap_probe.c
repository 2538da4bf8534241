/*
 * swap_probe swap DIR TURNS: exchanges a directory and links, and a file and links, in
 * DIR, TURNS times, while somebody makes calls below them.  Prints "swaps N".
 * swap_probe call DIR OVER [swap]: makes calls below "d.ts" of DIR until the file OVER
 * is there; with "swap" a second process exchanges the names as well.  Prints "calls N
 * done N denied N elsewhere N inside N" (EACCES; EROFS; exchanges of its own).
 *
 * DIR holds the directory d.ts, the links l.ts and m.ts, and source.ts; d.ts the file
 * f.ts and the links g.ts, h.ts and e.ts.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *const pairs[][2] = {
	{ "d.ts", "l.ts" }, { "d.ts/f.ts", "d.ts/g.ts" },
	{ "d.ts", "m.ts" }, { "d.ts/f.ts", "d.ts/h.ts" },
	{ "l.ts", "m.ts" }, { "d.ts/f.ts", "d.ts/e.ts" },
};
#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/*
 * Twice, so that each name has its own object again, unless another one swaps as well.
 * `in`: of the directory; -1: by its name, which may lead elsewhere for one name and
 * not for the other.
 */
static uint64_t swap_twice(unsigned long turn, int in)
{
	const char *const *p = pairs[turn % PAIRS];
	size_t skip = in >= 0 && strchr(p[0], '/') ? sizeof("d.ts/") - 1 : 0;
	int at = skip ? in : AT_FDCWD;
	uint64_t n = 0;

	for (int i = 0; i < 2; i++) {
		n += renameat2(at, p[0] + skip, at, p[1] + skip, RENAME_EXCHANGE) == 0;
		if (in >= 0)
			(void)usleep(20); /* a call is to be made meanwhile */
	}
	return n;
}

static int swap(unsigned long turns)
{
	int in = open("d.ts", O_PATH | O_DIRECTORY);
	uint64_t n = 0;

	if (in < 0)
		return 2;
	for (unsigned long i = 0; n < turns && i < 100 * turns; i++)
		n += swap_twice(i, in);
	printf("swaps %lu\n", n);
	return n < turns;
}

static int written(int fd)
{
	if (fd < 0)
		return -1;
	(void)!write(fd, "EVIL", 4);
	return close(fd);
}

/* One of the calls. */
static int call(unsigned long i)
{
	static const struct timespec times[2] = { { 1, 0 }, { 2, 0 } };

	switch (i % 16) {
	case 0:
		return written(open("d.ts/f.ts", O_WRONLY | O_TRUNC));
	case 1:
		return written(open("d.ts/new.ts", O_WRONLY | O_CREAT, 0600));
	case 2:
		return unlink("d.ts/new.ts");
	case 3:
		return mkdir("d.ts/nd.ts", 0700);
	case 4:
		return written(
			open("d.ts/nd.ts/in.ts", O_WRONLY | O_CREAT | O_EXCL, 0600));
	case 5:
		return unlink("d.ts/nd.ts/in.ts");
	case 6:
		return rmdir("d.ts/nd.ts");
	case 7:
		return rename("source.ts", "d.ts/moved.ts");
	case 8:
		return rename("d.ts/moved.ts", "source.ts");
	case 9:
		return link("source.ts", "d.ts/link.ts");
	case 10:
		return unlink("d.ts/link.ts");
	case 11:
		return symlink("nowhere", "d.ts/sym.ts");
	case 12:
		return unlink("d.ts/sym.ts");
	case 13:
		return truncate("d.ts/f.ts", 2);
	case 14:
		return chmod("d.ts/f.ts", i & 16 ? 0640 : 0600);
	default:
		return i & 16 ? utimensat(AT_FDCWD, "d.ts/f.ts", times, 0)
			      : setxattr("d.ts/f.ts", "user.evil", "x", 1, 0);
	}
}

static int make_calls(const char *over, bool swaps)
{
	uint64_t n = 0, done = 0, denied = 0, elsewhere = 0;
	uint64_t *inside = mmap(NULL, sizeof(*inside), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = 0;

	if (inside == MAP_FAILED || (swaps && (pid = fork()) < 0))
		return 2;
	if (swaps && pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (unsigned long i = 0;; i++)
			*inside += swap_twice(i, -1);
	}
	for (; n % 64 || access(over, F_OK) != 0; n++) {
		if (call(n) == 0) {
			done++;
			continue;
		}
		denied += errno == EACCES;
		elsewhere += errno == EROFS;
	}
	if (pid > 0)
		(void)kill(pid, SIGKILL);
	printf("calls %lu done %lu denied %lu elsewhere %lu inside %lu\n", n, done,
	       denied, elsewhere, *inside);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4 || chdir(argv[2]) != 0)
		return 2;
	if (strcmp(argv[1], "swap") == 0)
		return swap(strtoul(argv[3], NULL, 10));
	/* the sign that it has begun */
	if (written(open("begun.ts", O_WRONLY | O_CREAT, 0600)) != 0)
		return 2;
	return make_calls(argv[3], argc > 4);
}
