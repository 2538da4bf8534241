/* Decides whether a file of settings is replaced, and how, so that nothing of it is lost. */
#include "runtime/hooks/hook_rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024, NOT_DONE = 1, TROUBLE = 2 };

/* --- reading ------------------------------------------------------------------------- */

/* The path without symbolic links, also of a file that is not there yet. */
static int find(struct hook_rewrite *f, const char *path, struct rt_err *err)
{
	char dir[PATH_MAX];
	const char *name = strrchr(path, '/') + 1;
	struct stat st;
	int n;

	if (realpath(path, f->path))
		return 0;
	if (errno != ENOENT || faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return rt_fail_errno(err, errno, "'%.200s'", path);
	(void)snprintf(dir, sizeof(dir), "%.*s", (int)(name - 1 - path), path);
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return rt_fail_errno(err, errno, "'%.200s'", dir);
	if (!realpath(dir, f->path))
		return rt_fail_errno(err, errno, "'%.200s'", dir);
	/* a file of root's there would be nothing that its owner can change */
	if (stat(f->path, &st) != 0 || st.st_uid != geteuid())
		return rt_fail(err, EPERM, "the folder belongs to somebody else");
	n = snprintf(f->path + strlen(f->path), sizeof(f->path) - strlen(f->path), "/%s", name);
	f->missing = true;
	return n > 0 ? 0 : -ENAMETOOLONG;
}

int hook_rewrite_read(struct hook_rewrite *f, const char *path, struct rt_err *err)
{
	struct stat st;
	int r = find(f, path, err);

	if (r < 0)
		return r;
	f->mode = 0600;
	if (f->missing) {
		f->old.text = strdup("{}\n");
		f->old.n = f->old.text ? 3 : 0;
		return f->old.text ? 0 : rt_fail(err, ENOMEM, "out of memory");
	}
	if (stat(f->path, &st) != 0)
		return rt_fail_errno(err, errno, "'%.200s'", f->path);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return rt_fail(err, EINVAL, "it is no file, or has a second name (a hard link)");
	if (st.st_uid != geteuid())
		return rt_fail(err, EPERM, "it belongs to somebody else");
	f->mode = st.st_mode & 07777;
	r = io_read_file(f->path, MAX_SETTINGS, &f->old.text, &f->old.n);
	if (r == 0 && memchr(f->old.text, '\0', f->old.n))
		r = -EINVAL;
	return r < 0 ? rt_fail(err, -r, "it cannot be read: %s", strerror(-r)) : 0;
}

/* --- showing --------------------------------------------------------------------------- */

static void show(char sign, const char *from, const char *to)
{
	while (from < to) {
		const char *end = memchr(from, '\n', (size_t)(to - from));
		size_t n = (size_t)((end ? end : to) - from);
		char *line = strndup(from, n), *plain = malloc(4 * n + 8);

		if (line && plain) {
			io_plain(plain, 4 * n + 8, line);
			printf("%c%s\n", sign, plain);
		}
		free(line);
		free(plain);
		from += n + (end != NULL);
	}
}

/* The lines that are not the same; what is around them is not shown. */
static void show_change(const struct hook_rewrite *f, const struct hook_edit *new)
{
	const char *a = f->old.text, *b = new->text, *a_end = a + f->old.n, *b_end = b + new->n;
	const char *line = b, *last;

	while (a < a_end && b < b_end && *a == *b) {
		if (*b == '\n')
			line = b + 1;
		a++;
		b++;
	}
	a -= b - line;
	b = line;
	while (a_end > a && b_end > b && a_end[-1] == b_end[-1]) {
		a_end--;
		b_end--;
	}
	last = a_end;
	/* whole lines: up to the end of the one in which they differ */
	if (!(a_end == a && b_end == b) && (last == a || last[-1] != '\n' || b_end == b || b_end[-1] != '\n')) {
		a_end = strchrnul(a_end, '\n');
		b_end = strchrnul(b_end, '\n');
		a_end += *a_end == '\n';
		b_end += *b_end == '\n';
	}
	printf("--- %s%s\n+++ %s\n", f->path, f->missing ? " (there is none)" : "", f->path);
	show('-', f->missing ? a_end : a, a_end);
	show('+', b, b_end);
}

static bool ask(void)
{
	FILE *tty = fopen("/dev/tty", "r+e");
	char answer[16];
	bool yes = false;

	(void)fflush(stdout);
	if (!tty) {
		fprintf(stderr, "polquery: nothing is changed: there is no terminal at which somebody "
			"could be asked; --yes answers yes\n");
		return false;
	}
	fprintf(tty, "polquery: change it? [y/N] ");
	(void)fflush(tty);
	if (fgets(answer, sizeof(answer), tty))
		yes = strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0;
	(void)fclose(tty);
	if (!yes)
		fprintf(stderr, "polquery: nothing is changed\n");
	return yes;
}

/* --- writing ----------------------------------------------------------------------------- */

/* Has nobody changed the file since it was read? */
static bool is_same(const struct hook_rewrite *f)
{
	char *text = NULL;
	size_t n = 0;
	int r = io_read_file(f->path, MAX_SETTINGS, &text, &n);
	bool same = f->missing ? r == -ENOENT :
				 r == 0 && n == f->old.n && memcmp(text, f->old.text, n) == 0;

	free(text);
	return same;
}

static int write_file(const struct hook_rewrite *f, const struct hook_edit *new,
		      struct rt_err *err)
{
	char path[PATH_MAX + 16];
	int fd, r;

	(void)snprintf(path, sizeof(path), "%s.pol.XXXXXX", f->path);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return rt_fail_errno(err, errno, "a file beside it cannot be made");
	r = io_write_all(fd, new->text, new->n);
	if (r == 0 && (fchmod(fd, f->mode) != 0 || fsync(fd) != 0))
		r = -errno;
	(void)close(fd);
	if (r == 0 && !is_same(f)) {
		(void)unlink(path);
		return rt_fail(err, EAGAIN, "it was changed in the meantime: try again");
	}
	if (r == 0 && rename(path, f->path) != 0)
		r = -errno;
	if (r == 0)
		return 0;
	(void)unlink(path);
	return rt_fail(err, -r, "it cannot be written: %s", strerror(-r));
}

int hook_rewrite(const struct hook_rewrite *f, const struct hook_edit *new, bool yes,
		 struct rt_err *err)
{
	if (!f->missing && new->n == f->old.n && memcmp(new->text, f->old.text, new->n) == 0) {
		printf("%s: it is not installed\n", f->path);
		return 0;
	}
	show_change(f, new);
	if (!yes && !ask())
		return NOT_DONE;
	if (write_file(f, new, err) < 0)
		return TROUBLE;
	printf("%s: written\n", f->path);
	return 0;
}

int hook_rewrite_remove(const struct hook_rewrite *f, bool yes, struct rt_err *err)
{
	printf("--- %s\n+++ (no such file)\n", f->path);
	show('-', f->old.text, f->old.text + f->old.n);
	if (!yes && !ask())
		return NOT_DONE;
	if (!is_same(f)) {
		(void)rt_fail(err, EAGAIN, "it was changed in the meantime: try again");
		return TROUBLE;
	}
	if (unlink(f->path) != 0) {
		(void)rt_fail_errno(err, errno, "it cannot be removed");
		return TROUBLE;
	}
	printf("%s: removed\n", f->path);
	return 0;
}

void hook_rewrite_refuse(const struct hook_rewrite *f, const char *path,
			 const struct rt_err *err, const char *line)
{
	char shown[sizeof(err->text) * 4];

	io_plain(shown, sizeof(shown), err->text[0] ? err->text : "failed");
	fprintf(stderr, "polquery: nothing is changed: %s: %s\n", f->path[0] ? f->path : path, shown);
	if (line && f->old.text)
		fprintf(stderr, "polquery: the hook's command, to be put there by hand "
			"(doc/agents.md): %s\n", line);
}

void hook_rewrite_release(struct hook_rewrite *f)
{
	free(f->old.text);
	f->old.text = NULL;
}
