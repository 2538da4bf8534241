/* Decides whether polrun may write the file that --report names: what is there, who may
 * have led polrun to it, and what the policy says about its name. */
#include "runtime/polrun/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"

/* Only files that polrun wrote begin with this text. */
static int check_replaced(int fd, const struct stat *st, const char *shown,
			  struct rt_err *err)
{
	char head[sizeof(REPORT_BEGINS) - 1];
	ssize_t n;

	if (!S_ISREG(st->st_mode))
		return rt_fail(err, EINVAL, "the report '%s' is not a regular file",
			       shown);
	if (st->st_nlink > 1)
		return rt_fail(err, EMLINK, "the report '%s' is a file with another name, "
			       "too (a hard link)", shown);
	if (!st->st_size)
		return 0;
	n = SYS_RETRY(pread(fd, head, sizeof(head), 0));
	if (n < 0)
		return rt_fail_errno(err, errno, "the report '%s'", shown);
	if ((size_t)n < sizeof(head) || memcmp(head, REPORT_BEGINS, sizeof(head)) != 0)
		return rt_fail(err, EEXIST, "'%s' is no report: polrun replaces reports "
			       "and empty files only", shown);
	return 0;
}

int report_open(const char *path, bool *ret_made, struct rt_err *err)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	AUTO_CLOSE int fd = sys_open(path, flags | O_CREAT | O_EXCL, 0600);
	bool made = fd >= 0;
	char shown[200];
	struct stat st;

	if (fd < 0 && errno == EEXIST)
		fd = sys_open(path, flags, 0);
	io_escape(shown, sizeof(shown), path, strlen(path));
	if (fd < 0 && errno == ELOOP)
		return rt_fail(err, ELOOP, "the report '%s' is a symbolic link", shown);
	if (fd < 0)
		return rt_fail_errno(err, errno, "the report '%s'", shown);
	if (fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "the report '%s'", shown);
	if (check_replaced(fd, &st, shown, err) < 0)
		return -err->err;
	*ret_made = made;
	return io_steal_fd(&fd);
}

/* Does the directory that holds the name path[0..len) lie, physically, in the project? */
static bool lies_in(const char *path, size_t len, const char *project)
{
	char dir[PATH_MAX], real[PATH_MAX];
	size_t n = strlen(project);

	while (len && path[len - 1] != '/')
		len--;
	if (len + 2 > sizeof(dir))
		return true;
	memcpy(dir, len ? path : ".", len ? len : 1);
	dir[len ? len : 1] = '\0';
	if (!realpath(dir, real))
		return true;
	return strncmp(real, project, n) == 0 && (real[n] == '/' || !real[n]);
}

static bool report_is_led(const char *path, const char *project)
{
	char name[PATH_MAX];
	struct stat st;

	for (size_t i = 1; path[i]; i++) {
		if (path[i] != '/' || path[i - 1] == '/')
			continue;
		if (i >= sizeof(name))
			return true;
		memcpy(name, path, i);
		name[i] = '\0';
		if (lstat(name, &st) != 0) {
			/* what we cannot look at may be a link */
			if (errno != ENOENT && errno != ENOTDIR)
				return true;
			continue;
		}
		if (S_ISLNK(st.st_mode) && lies_in(path, i, project))
			return true;
	}
	return false;
}

/* --- what the policy says -------------------------------------------------------- */

static bool is_writable(const struct decide_ctx *c, const char *path)
{
	struct decision d;

	decide_file(c, PB_WRITE, path, &d);
	return d.effect == PB_ALLOW;
}

/* True if it lies in a tree that the run may write. */
static bool below_writable(const struct decide_ctx *c, const char *path)
{
	size_t n = strlen(path);
	char dir[PATH_MAX], *slash;

	if (n >= sizeof(dir))
		return true;
	memcpy(dir, path, n + 1);
	while ((slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (is_writable(c, dir))
			return true;
	}
	return false;
}

static int refuse(const char *shown, const struct bundle *b, uint32_t by, struct rt_err *err)
{
	char rule[EXPLAIN_RULE_CAP];

	return rt_fail(err, EPERM, "the report '%s' has a name that %s keeps from being "
		       "written", shown, explain_rule(b, by, rule));
}

int report_check(const char *path, const char *project, const struct decide_ctx *c,
		 struct rt_err *err)
{
	char shown[200];
	AUTO_FREE char *real = NULL;
	const struct pb_rule *r;
	struct decision d;

	io_escape(shown, sizeof(shown), path, strlen(path));
	if (report_is_led(path, project))
		return rt_fail(err, EPERM, "the report '%s' is reached by a symbolic link "
			       "in the project, which a run can have made", shown);
	real = realpath(path, NULL); /* it is open already, and is not a link */
	if (!real)
		return rt_fail_errno(err, errno, "the report '%s'", shown);
	decide_file(c, PB_WRITE, real, &d);
	r = bundle_rule(c->b, d.rule);
	if (d.effect == PB_ALLOW || !r || r->kind != PB_FILE ||
	    (!(r->flags & PB_F_FLOOR) && !below_writable(c, real))) {
		struct decide_ctx host = *c;

		host.scope = PB_HOST;
		decide_file(&host, PB_WRITE, real, &d);
		r = bundle_rule(c->b, d.rule);
		if (d.effect == PB_ALLOW || !r || r->kind != PB_FILE ||
		    !(r->flags & PB_F_FLOOR))
			return 0;
	}
	return refuse(shown, c->b, d.rule, err);
}

int report_check_view(const char *path, const struct bundle *b,
		      const struct sandbox_view *view, struct rt_err *err)
{
	AUTO_FREE char *real = realpath(path, NULL);
	char shown[200], kept[PATH_MAX];

	io_escape(shown, sizeof(shown), path, strlen(path));
	if (!real)
		return rt_fail_errno(err, errno, "the report '%s'", shown);
	for (size_t i = 0; i < view->ngit; i++) {
		const struct sandbox_git *g = &view->git[i];
		size_t n;

		/* the report exists, so a name that does not exist is not another name
		 * of it */
		if (!realpath(g->path, kept))
			continue;
		n = strlen(kept);
		if (!strncmp(real, kept, n) && (!real[n] || (real[n] == '/' && g->hooks)))
			return refuse(shown, b, g->rule, err);
	}
	return 0;
}
