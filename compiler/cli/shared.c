/* Shared by all verbs: finds and reads what the command line names. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/discover.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"
#include "compiler/diag/width.h"
#include "runtime/base/io.h"

struct str cli_clean(struct arena *a, struct str s, bool lines)
{
	struct buf b;
	size_t i, k, n;

	buf_init(&b, a);
	for (i = 0; i < s.n; i += n) {
		uint32_t c;
		bool valid;

		n = utf8_next(s, i, &c, &valid);
		if ((valid && utf8_is_printable(c) && !utf8_is_bidi(c)) ||
		    (lines && (c == '\n' || c == '\t'))) {
			buf_add(&b, s.p + i, n);
			continue;
		}
		for (k = 0; k < n; k++)
			buf_printf(&b, "\\x%02x", (unsigned char)s.p[i + k]);
	}
	return buf_view(&b);
}

void cli_say_path(const char *path, const char *what, int e)
{
	char shown[PATH_MAX];

	io_plain(shown, sizeof(shown), path);
	fprintf(stderr, "polc: '%s' %s%s\n", shown, what, e ? strerror(e) : "");
}

void cli_say_err(const struct rt_err *err)
{
	char shown[4 * sizeof(err->text)];

	io_plain(shown, sizeof(shown), err->text);
	fprintf(stderr, "polc: %s\n", shown);
}

static bool can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0;

	if (ok && S_ISDIR(st.st_mode)) {
		ok = false;
		errno = EISDIR;
	}
	if (!ok)
		cli_say_path(path, "cannot be read: ", errno);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool is_taken(const struct options *o, size_t i, struct str name)
{
	size_t k;

	for (k = 0; k < o->inputs.n; k++)
		if (k != i && str_eq(name, o->inputs.v[k].name.n ?
						   o->inputs.v[k].name :
						   str_from(o->inputs.v[k].path)))
			return true;
	return false;
}

/*
 * A bundle must not depend on where it was compiled.  So a file that was named by an
 * absolute path is printed relative to the working directory, or else by its last
 * components, as many as are needed to tell it from every other file.
 */
static void name_input(struct options *o, struct arena *a, size_t i)
{
	struct sema_input *in = &o->inputs.v[i];
	char *cwd = getcwd(NULL, 0);
	struct str path = str_from(in->path), dir = str_from(cwd);
	size_t from = path.n;

	if (in->name.n || path.p[0] != '/') {
		free(cwd);
		return;
	}
	if (dir.n > 1 && str_starts(path, dir) && path.p[dir.n] == '/')
		in->name = str_dup(a, str_sub(path, dir.n + 1, path.n));
	free(cwd);
	while (!in->name.n || (from && is_taken(o, i, in->name))) {
		while (from && path.p[from - 1] != '/')
			from--;
		in->name = str_sub(path, from, path.n - from);
		if (from)
			from--;
	}
}

static bool is_stream(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
}

/*
 * O_NONBLOCK for the open only: with a writer we wait for its text, and a FIFO without one
 * is empty.
 */
static int open_pipe(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && fcntl(fd, F_SETFL, 0) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Reads "-" or a pipe ("<(…)") to its end.  Nothing in it is an error: so it is when the
 * program at the other end failed, and the policy must not be that no rule was written.
 */
static bool read_stream(struct sema_input *in, struct arena *a)
{
	bool standard = strcmp(in->path, "-") == 0;
	char *text = NULL;
	size_t n = 0;
	int fd = standard ? STDIN_FILENO : open_pipe(in->path);
	int r = fd < 0 ? -errno : io_read_all(fd, SOURCE_MAX_BYTES, &text, &n);

	if (!standard && fd >= 0)
		close(fd);
	if (standard)
		in->name = STR("<stdin>");
	if (r == 0 && n)
		in->text = str_dup(a, (struct str){ text, n });
	else
		cli_say_path(standard ? "<stdin>" : in->path, r ? "cannot be read: " : "is empty", -r);
	free(text);
	return r == 0 && n;
}

bool cli_sources(struct options *o, struct arena *a)
{
	struct roots roots;
	size_t i;

	for (i = 0; i < o->inputs.n; i++)
		if (!o->inputs.v[i].text.p && !o->inputs.v[i].store &&
		    is_stream(o->inputs.v[i].path) &&
		    !read_stream(&o->inputs.v[i], a))
			return false;

	if (o->discover &&
	    (!roots_find(o, a, &roots, stderr) || !discover_all(o, a, &roots, stderr)))
		return false;
	for (i = 0; i < o->inputs.n; i++)
		name_input(o, a, i);
	for (i = 0; i < o->inputs.n; i++)
		if (!o->inputs.v[i].text.p && !o->inputs.v[i].store &&
		    !can_read(o->inputs.v[i].path))
			return false;
	return true;
}

static bool write_all(int fd, struct str bytes)
{
	size_t done = 0;

	while (done < bytes.n) {
		ssize_t n = write(fd, bytes.p + done, bytes.n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool is_bundle(int fd)
{
	char head[512];

	/* the first member and the magic of a tar archive, of any version */
	return read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       strncmp(head, "manifest.json", 100) == 0 &&
	       memcmp(head + 257, "ustar", 5) == 0;
}

/*
 * May the file be overwritten?  A file that is not a bundle was named by mistake: the
 * text of a policy, a key, a device.  An absent or empty file may be written.
 */
static bool can_replace(const struct output *o, const char *name, const char *path)
{
	int fd = openat(o->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	bool ok;

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0 || fstat(fd, &st) != 0) {
		cli_say_path(path, "cannot be written: ", errno);
		ok = false;
	} else {
		ok = S_ISREG(st.st_mode) && (!st.st_size || is_bundle(fd));
		if (!ok)
			cli_say_path(path, "is no bundle: polc replaces bundles and empty files only", 0);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

const char *cli_temp(struct arena *a, const struct output *o, int *ret_fd)
{
	const char *name = arena_printf(a, "%s.%08x", strrchr(o->real, '/') + 1,
					randombytes_random());

	*ret_fd = openat(o->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return name;
}

bool cli_find_output(const char *path, struct output *ret)
{
	struct rt_err err = { 0 };

	if (output_find(ret, "file", path, NULL, &err) == 0)
		return true;
	cli_say_err(&err);
	return false;
}

/* The new file is made beside OUT, so that the rename stays in one file system. */
bool cli_write(struct arena *a, const char *path, struct str bytes)
{
	const char *temp, *name;
	struct output o;
	bool ok;
	int fd;

	if (!cli_find_output(path, &o))
		return false;
	name = strrchr(o.real, '/') + 1;
	if (!can_replace(&o, name, path)) {
		output_close(&o);
		return false;
	}
	temp = cli_temp(a, &o, &fd);
	/* 0644 whatever the umask is: the polrun of another user may have to read it */
	ok = fd >= 0 && write_all(fd, bytes) && fchmod(fd, 0644) == 0 && fsync(fd) == 0 &&
	     renameat(o.dir, temp, o.dir, name) == 0;
	if (!ok)
		cli_say_path(path, "cannot be written: ", errno);
	if (!ok && fd >= 0)
		unlinkat(o.dir, temp, 0);
	if (fd >= 0)
		close(fd);
	output_close(&o);
	return ok;
}

bool cli_members(struct bundle *b, struct rt_err *err)
{
	for (size_t i = 0; i < b->nmembers; i++) {
		if (bundle_member(b, b->members[i].path))
			continue;
		(void)rt_fail(err, EBADMSG,
			      "bundle '%s': member '%s' is damaged: its "
			      "digest is not the manifest's",
			      b->name, b->members[i].path);
		return false;
	}
	return true;
}

bool cli_bundle(const char *path, struct bundle *ret)
{
	struct rt_err err = { .err = 0 };

	if (bundle_open(path, ret, &err) == 0) {
		if (cli_members(ret, &err))
			return true;
		bundle_release(ret);
	}
	cli_say_err(&err);
	return false;
}

enum cli_exit cli_refuse(struct compilation *c, enum cli_exit e,
			 enum cli_exit errors)
{
	report_print(c);
	if (e == CLI_INTERNAL)
		report_internal(c);
	return e == CLI_FINDINGS ? errors : e;
}
