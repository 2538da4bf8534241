/* Decides whether a bundle is opened: who may have signed it, its validity in time, and
 * whether its filter can be read. */
#include "runtime/bundle/verified.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/found.h"
#include "runtime/base/passwd.h"
#include "runtime/bundle/managed.h"

static int check_filter(struct bundle *b, enum pb_filter_kind kind, struct rt_err *err)
{
	const struct pb_map *map;
	const void *insns;
	size_t n;

	return bundle_filter(b, kind, &insns, &n, &map, err);
}

/* The filters that may be loaded are verified before anything is said or done in the
 * bundle's name: whether there is a broker is known only when the view is made. */
static int check_filters(struct bundle *b, bool trace, struct rt_err *err)
{
	int r;

	if (trace)
		return check_filter(b, PB_FILTER_TRACE, err);
	r = check_filter(b, PB_FILTER_ENFORCE, err);
	return r < 0 ? r : check_filter(b, PB_FILTER_BROKER, err);
}

/* True if `dir` is marked as the top of somebody's project. */
static bool may_be_project(const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < 2; i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, i ? ".pol" : ".git") <
			    sizeof(path) && (lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR)))
			return true;
	return false;
}

/*
 * Refuses a list of signers that lies in a project and not in a folder .pol: the policy of
 * this run may keep it from being written, but the policy of another run in the same
 * project, or in one that contains it, need not.  The floor keeps .pol for all of them.
 */
static int check_list_kept(const char *list, struct rt_err *err)
{
	char real[PATH_MAX], *slash;

	if (!realpath(list, real)) /* trust_open() says that it is not there */
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 :
		       rt_fail_errno(err, errno, "the list of signers '%s'", list);
	if (strstr(real, "/.pol/"))
		return 0;
	while ((slash = strrchr(real, '/')) && slash != real) {
		*slash = '\0';
		if (may_be_project(real))
			return rt_fail(err, EPERM,
				       "the list of signers '%.160s' lies in the project '%.160s', "
				       "where another run could write it: keep it in a folder "
				       "'.pol', which no run writes, or outside of the project",
				       list, real);
	}
	return 0;
}

int verified_open(const struct verified_options *o, struct bundle *ret,
		  struct trust *ret_trust, struct rt_err *err)
{
	struct trust_options t = { .file = o->signers,
				   .require = o->require,
				   .home = o->home ? o->home : getenv("HOME"),
				   .now = o->now ? o->now : (int64_t)time(NULL) };
	struct passwd_entry pw;
	int r;

	memset(ret, 0, sizeof(*ret));
	if ((!t.home || !t.home[0]) && passwd_lookup(NULL, getuid(), &pw) > 0)
		t.home = pw.home;
	r = o->signers ? check_list_kept(o->signers, err) : 0;
	if (r < 0)
		return r;
	r = o->bytes ? trust_parse(o->bytes, o->size, &t, ret, ret_trust, err) :
		       trust_open(o->path, true, &t, ret, ret_trust, err);
	if (r < 0)
		return r;
	r = bundle_check_time(ret, t.now, err);
	if (r == 0)
		r = managed_check(ret, FOUND_MANAGED, ret_trust->by_system, err);
	if (r == 0)
		r = check_filters(ret, o->trace, err);
	if (r < 0) {
		bundle_release(ret);
		memset(ret, 0, sizeof(*ret));
	}
	return r;
}
