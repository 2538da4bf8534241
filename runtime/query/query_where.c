/* Decides the roots of a request: in a sandbox those that polrun would set, on the host
 * those of the caller. */
#include "runtime/query/query_where.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/git_common.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"

static bool fail(struct rt_err *err, const char *key, const char *path, const char *why)
{
	char shown[160];

	io_escape(shown, sizeof(shown), path, strlen(path));
	(void)rt_fail(err, EINVAL, "'%s': '%s' %s", key, shown, why);
	return false;
}

/* `above`: a path that is known to be physical, or NULL. */
static bool physical_below(const char *key, const char *path, const char *above, char *out,
			   struct rt_err *err)
{
	size_t n = above ? strlen(above) : 0;
	int r = place_physical_below(path, n > 1 && !strncmp(path, above, n) &&
					   path[n] == '/' ? n : 0, out);

	if (r == 0)
		return true;
	return fail(err, key, path, r == -ELOOP ?
		    "has a symbolic link that leads nowhere: what it names is not known" :
		    "is longer than a path can be");
}

static bool physical(const char *key, const char *path, char *out, struct rt_err *err)
{
	return physical_below(key, path, NULL, out, err);
}

void query_where_init(struct query_where *w)
{
	const char *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	struct passwd_entry pw;

	memset(w, 0, sizeof(*w));
	if ((!home || !home[0]) && passwd_lookup(NULL, getuid(), &pw) > 0)
		home = pw.home;
	if (home && home[0] == '/' && !realpath(home, w->own_home))
		(void)snprintf(w->own_home, sizeof(w->own_home), "%s", home);
	if (place_agent(getenv("SSH_AUTH_SOCK"), getuid(), w->own_agent) < 0)
		w->own_agent[0] = '\0';
	if (!realpath(".", w->own_cwd))
		w->own_cwd[0] = '\0';
	if (!tmp || tmp[0] != '/' || !realpath(tmp, w->own_tmpdir))
		(void)snprintf(w->own_tmpdir, sizeof(w->own_tmpdir), "/tmp");
}

/* Takes the directory that the request gives, else the caller's own. */
static bool directory(const char *key, const char *said, const char *own,
		      const char *above, char *out, struct rt_err *err)
{
	if (said)
		return physical_below(key, said, above, out, err);
	(void)snprintf(out, PATH_MAX, "%s", own);
	if (out[0])
		return true;
	(void)rt_fail(err, ENOENT, "'%s' is missing, and polquery has none itself", key);
	return false;
}

/* Is this the directory from which w->cwd was computed? */
static bool cwd_is(const struct query_request *q, const char *dir)
{
	return !q->cwd || strcmp(q->cwd, dir) == 0;
}

/* As in polrun: finds the nearest directory with .pol or .git, and refuses directories
 * that would make everything writable. */
static bool find_project(struct query_where *w, const struct query_request *q,
			 const struct bundle *b, struct rt_err *err)
{
	struct roots r = { .home = w->home, .project = w->project, .cwd = w->cwd,
			   .named = q->project };
	struct rt_err why = { 0 };
	char *found;

	w->git_common[0] = '\0';
	if (q->project && cwd_is(q, q->project)) {
		memcpy(w->project, w->cwd, sizeof(w->project));
	} else if (q->project) {
		if (!physical("project", q->project, w->project, err))
			return false;
	} else {
		found = place_project(w->cwd, w->home);
		if (!found)
			return fail(err, "cwd", w->cwd, "has a project that cannot be found");
		(void)snprintf(w->project, sizeof(w->project), "%s", found);
		free(found);
	}
	if (git_common_find(w->project, w->home, getuid(), w->git_common) < 0)
		w->git_common[0] = '\0';
	if (rt_roots_check_project(&r, b, &why) == 0)
		return true;
	return fail(err, "project", w->project,
		    "is no project, for polrun neither: it is or holds HOME, a directory "
		    "of the system, a scratch directory or the policy's own state, or another "
		    "user has marked it");
}

bool query_where_find(struct query_where *w, const struct query_request *q,
		      struct decide_ctx *ctx, struct rt_err *err)
{
	bool sandbox = ctx->scope == PB_SANDBOX;
	const char *cwd = q->cwd ? q->cwd : q->project;

	if (!directory("home", q->home, w->own_home, NULL, w->home, err) ||
	    !directory("cwd", cwd, w->own_cwd, q->home ? w->home : NULL, w->cwd, err) ||
	    !find_project(w, q, ctx->b, err) ||
	    !directory("tmpdir", q->tmpdir, sandbox ? "/tmp" : w->own_tmpdir, NULL,
		       w->tmpdir, err))
		return false;
	w->session[0] = '\0';
	if (q->session && !physical("session_dir", q->session, w->session, err))
		return false;
	ctx->cwd = w->cwd;
	ctx->roots = (struct decide_roots){ .dir = {
		[PB_ROOT_FS] = "/",
		[PB_ROOT_HOME] = w->home,
		[PB_ROOT_PROJECT] = w->project,
		[PB_ROOT_SESSION] = w->session[0] ? w->session : NULL,
		[PB_ROOT_TMP] = w->tmpdir,
		[PB_ROOT_AGENT] = w->own_agent[0] ? w->own_agent : NULL,
		[PB_ROOT_GIT] = w->git_common[0] ? w->git_common : NULL,
	} };
	return true;
}

const char *query_where_path(struct query_where *w, const struct query_request *q,
			     struct rt_err *err)
{
	if (q->abstract)
		return q->path;
	return physical("path", q->path, w->path, err) ? w->path : NULL;
}
