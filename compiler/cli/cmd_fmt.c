/*
 * `polc fmt`: the canonical layout of texts, each by itself.  A file with an error is
 * left alone; a file that is written back is replaced as a whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/texts.h"
#include "compiler/cli/unified.h"
#include "compiler/format/format.h"

static bool trouble(const char *path, const char *what)
{
	cli_say_path(path, what, 0);
	return false;
}

static bool trouble_errno(const char *path, const char *what)
{
	char why[200];

	(void)snprintf(why, sizeof(why), "%s: ", what);
	cli_say_path(path, why, errno);
	return false;
}

/* --- writing back ------------------------------------------------------------ */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Refuses files where a rename would lose something or hit another file. */
static bool can_replace(int dir, const char *path, struct stat *ret)
{
	if (fstatat(dir, name_of(path), ret, AT_SYMLINK_NOFOLLOW) != 0)
		return trouble_errno(path, "cannot be looked at");
	if (S_ISLNK(ret->st_mode))
		return trouble(path, "is a symbolic link: name the file itself");
	if (ret->st_nlink > 1)
		return trouble(path, "has other names (hard links), which would keep "
				     "the old text");
	return true;
}

static bool is_unchanged(int dir, const char *path, const struct stat *was)
{
	struct stat is;

	return fstatat(dir, name_of(path), &is, AT_SYMLINK_NOFOLLOW) == 0 && is.st_dev == was->st_dev &&
	       is.st_ino == was->st_ino && is.st_size == was->st_size &&
	       is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

static bool write_all(int fd, struct str s)
{
	while (s.n) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		s = str_sub(s, (size_t)n, s.n - (size_t)n);
	}
	return true;
}

/* Fills the new file and copies all but the text from the old one. */
static bool fill(int fd, const struct stat *was, struct str text)
{
	struct stat is;

	if (fstat(fd, &is) != 0)
		return false;
	if ((is.st_uid != was->st_uid || is.st_gid != was->st_gid) &&
	    fchown(fd, was->st_uid, was->st_gid) != 0)
		return false;
	return fchmod(fd, was->st_mode & 07777) == 0 && write_all(fd, text) &&
	       fsync(fd) == 0;
}

static bool write_back(struct arena *a, const struct output *o, const char *path,
		       const struct stat *was, struct str text)
{
	int fd;
	const char *temp = cli_temp(a, o, &fd);
	bool ok;

	if (fd < 0)
		return trouble_errno(path, "cannot be written: no file beside it");
	ok = fill(fd, was, text);
	if (!ok)
		trouble_errno(path, "cannot be written");
	if (close(fd) != 0 && ok)
		ok = trouble_errno(path, "cannot be written");
	if (ok && !is_unchanged(o->dir, path, was))
		ok = trouble(path, "was changed meanwhile: nothing is written");
	if (ok && renameat(o->dir, temp, o->dir, name_of(path)) != 0)
		ok = trouble_errno(path, "cannot be replaced");
	if (!ok)
		unlinkat(o->dir, temp, 0);
	return ok;
}

/* --- one text ------------------------------------------------------------------ */

static enum cli_exit deliver(const struct options *o, struct arena *a, const struct output *at,
			     const char *path, const struct stat *st, struct str was, struct str is)
{
	bool changed = !str_eq(was, is);

	if (!o->write && !o->check && !o->diff) {
		if (is.n)
			fwrite(is.p, 1, is.n, stdout);
		return CLI_CLEAN;
	}
	if (changed && o->diff)
		unified_diff(stdout, a, str_z(a, cli_clean(a, str_from(path), false)), was, is);
	else if (changed && o->check)
		printf("%s\n", path);
	if (changed && o->write && !write_back(a, at, path, st, is))
		return CLI_TROUBLE;
	return changed && o->check ? CLI_FINDINGS : CLI_CLEAN;
}

static enum cli_exit format_one(struct options *o, const char *path)
{
	struct compilation c;
	struct arena a;
	struct ast_file *tree = NULL;
	struct output at = OUTPUT_NONE;
	struct stat st = { 0 };
	struct buf b;
	enum cli_exit e = CLI_TROUBLE;

	if (texts_is_yaml(path)) {
		trouble(path, "is YAML: fmt lays out the policy language; `polc convert "
			      "--to pol` makes that of it");
		return CLI_TROUBLE;
	}
	if (o->write && (!cli_find_output(path, &at) || !can_replace(at.dir, path, &st))) {
		output_close(&at);
		return CLI_TROUBLE;
	}
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	compilation_init(&c, o, &a);
	buf_init(&b, &a);
	tree = texts_parse(&c, path, false);
	report_print(&c);
	if (tree && format_dsl(&b, &c.map, tree)) {
		e = deliver(o, &a, &at, path, &st, c.map.files.v[tree->source].text,
			    buf_view(&b));
	} else if (tree) {
		c.internal = arena_printf(&a, "'%s' would not say the same in its "
					  "canonical layout; nothing is written", path);
		report_internal(&c);
		e = CLI_INTERNAL;
	}
	arena_release(&a);
	output_close(&at);
	return e;
}

enum cli_exit cmd_fmt(struct options *o, struct arena *a)
{
	enum cli_exit worst = CLI_CLEAN;

	(void)a;
	for (size_t i = 0; i < o->inputs.n; i++) {
		enum cli_exit e = format_one(o, o->inputs.v[i].path);

		if (e > worst)
			worst = e;
	}
	return worst;
}
