/* Decides whether polrun may write the file that --report names, by what is there. */
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

int report_open(struct output *o, const char *path, const struct decide_ctx *c,
		struct rt_err *err)
{
	char shown[200];
	struct stat st;
	int r = output_open(o, "report", path, O_RDWR, c, err);

	if (r < 0)
		return r;
	io_escape(shown, sizeof(shown), path, strlen(path));
	r = fstat(o->fd, &st) != 0 ? rt_fail_errno(err, errno, "the report '%s'", shown) :
				     check_replaced(o->fd, &st, shown, err);
	if (r < 0)
		output_close(o);
	return r;
}

int output_check_view(const struct output *o, const char *kind, const char *path,
		      const struct bundle *b, const struct sandbox_view *view,
		      struct rt_err *err)
{
	char kept[PATH_MAX];

	for (size_t i = 0; i < view->ngit; i++) {
		const struct sandbox_git *g = &view->git[i];
		size_t n;

		/* the file exists, so a name that does not exist is not another name of it */
		if (g->stays || !realpath(g->path, kept))
			continue;
		n = strlen(kept);
		if (!strncmp(o->real, kept, n) &&
		    (!o->real[n] || (o->real[n] == '/' && g->hooks)))
			return output_refuse(kind, path, b, g->rule, err);
	}
	return 0;
}
