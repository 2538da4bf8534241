/* Decides whether a run could write what the next run relies on, and refuses such a run. */
#include "runtime/polrun/state_view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/in_run.h"
#include "runtime/base/io.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/state/state_dir.h"

/* Could the run make `path`, or write there?  If it does not exist, the nearest
 * existing directory above it counts. */
static int in_reach(const struct sandbox_run *run, const struct sandbox_view *view,
		    const char *path, bool *ret)
{
	char at[PATH_MAX], real[PATH_MAX];
	const struct sandbox_node *n;
	size_t len = strlen(path);
	bool there;
	uint32_t rule;

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
	there = !path[len];
	n = sandbox_view_find(view, real);
	*ret = n && sandbox_node_writes(n) &&
	       (!n->broker || !there ||
		view_allows_name(&run->ctx, view, PB_WRITE, real, &rule));
	return 0;
}

static int make_view(const struct sandbox_run *run, struct sandbox_view *ret,
		     struct rt_err *err)
{
	int r = sandbox_view_make(run, ret, err);

	if (r == -ENOSYS && in_run())
		return rt_fail(err, ENOSYS, "refused: this is already inside a run of polrun, which holds no "
			       "second one: start the command itself");
	if (r == -ENOSYS)
		return rt_fail_errno(err, ENOSYS, "refused: openat2 (Linux before 5.6, or the "
				     "filter of a sandbox around polrun)");
	return r;
}

/* Makes the folders that the run could make.  1: the view must be made again, 0, -errno. */
static int make_dirs(const struct sandbox_run *run, const struct sandbox_view *view,
		     const struct state_view_dir dirs[STATE_VIEW_DIRS], bool make,
		     bool reach[STATE_VIEW_DIRS], struct rt_err *err)
{
	int made = 0;

	for (size_t i = 0; i < STATE_VIEW_DIRS; i++) {
		int r = in_reach(run, view, dirs[i].path, &reach[i]);

		if (r < 0)
			return rt_fail_errno(err, -r, "'%.200s'", dirs[i].path);
		if (!reach[i] || access(dirs[i].path, F_OK) == 0)
			continue;
		if (!make) {
			reach[i] = false;
			continue;
		}
		r = state_dir_make(dirs[i].path, err);
		if (r < 0)
			return r;
		made = 1;
	}
	return made;
}

int state_view_make(const struct sandbox_run *run,
		    const struct state_view_dir dirs[STATE_VIEW_DIRS], bool make,
		    struct sandbox_view *ret, struct rt_err *err)
{
	bool reach[STATE_VIEW_DIRS];
	char shown[200];
	int r = make_view(run, ret, err);

	if (r == 0)
		r = make_dirs(run, ret, dirs, make, reach, err);
	if (r == 1) {
		sandbox_view_release(ret);
		memset(ret, 0, sizeof(*ret));
		r = make_view(run, ret, err);
		if (r == 0)
			r = make_dirs(run, ret, dirs, false, reach, err);
	}
	for (size_t i = 0; i < STATE_VIEW_DIRS && r == 0; i++) {
		io_escape(shown, sizeof(shown), dirs[i].path, strlen(dirs[i].path));
		if (reach[i])
			r = rt_fail(err, EPERM, "the run could write '%s', where %s", shown,
				    dirs[i].what);
	}
	return r;
}
