/* Decides whether a run could write the answers that the next run relies on, and
 * refuses such a run. */
#include "runtime/polrun/state_view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/state/state_dir.h"

/* Could the run make `path`, or write there?  If it does not exist, the nearest
 * existing directory above it counts. */
static int in_reach(const struct sandbox_view *view, const char *path, bool *ret)
{
	char at[PATH_MAX], real[PATH_MAX];
	const struct sandbox_node *n;
	size_t len = strlen(path);

	if (len >= sizeof(at))
		return -ENAMETOOLONG;
	memcpy(at, path, len + 1);
	while (!realpath(at, real)) {
		/* a directory that the caller may not enter is read-only in the view,
		 * so the run cannot open it either */
		if (errno == EACCES) {
			*ret = false;
			return 0;
		}
		if ((errno != ENOENT && errno != ENOTDIR) || len <= 1)
			return -errno;
		while (len > 1 && at[len - 1] != '/')
			len--;
		while (len > 1 && at[len - 1] == '/')
			len--;
		at[len] = '\0';
	}
	n = sandbox_view_find(view, real);
	*ret = n && (n->ops & PB_WRITE) && !n->masked && !n->locked && !n->scratch;
	return 0;
}

int state_view_make(const struct sandbox_run *run, const char *dir, bool make,
		    struct sandbox_view *ret, struct rt_err *err)
{
	char shown[200];
	bool reach = false;
	int r = sandbox_view_make(run, ret, err);

	io_escape(shown, sizeof(shown), dir, strlen(dir));
	if (r == -ENOSYS)
		return rt_fail_errno(err, ENOSYS, "refused: openat2 (Linux before 5.6, or the "
				     "filter of a sandbox around polrun)");
	if (r < 0)
		return r;
	r = in_reach(ret, dir, &reach);
	if (r == 0 && reach && access(dir, F_OK) != 0) {
		if (!make)
			return 0;
		r = state_dir_make(dir, err);
		sandbox_view_release(ret);
		memset(ret, 0, sizeof(*ret));
		if (r == 0)
			r = sandbox_view_make(run, ret, err);
		if (r < 0)
			return r;
		r = in_reach(ret, dir, &reach);
	}
	if (r < 0)
		return rt_fail_errno(err, -r, "'%s'", shown);
	if (reach)
		return rt_fail(err, EPERM, "the run could write '%s', where answers to "
			       "what the policy asks are remembered", shown);
	return 0;
}
