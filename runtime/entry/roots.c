/* Decides the roots of a run (doc/polrun.md).  They are always physical paths.  A
 * project is refused if it is so large that the sandbox would protect nothing. */
#include "runtime/entry/roots.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/git_common.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"

const char *rt_roots_pwd(const struct roots *r, char *buf)
{
	const char *link = r->project_link;
	const char *rest = r->cwd + strlen(r->project);

	if (!link || !place_is_below(r->cwd, r->project) ||
	    (size_t)snprintf(buf, PATH_MAX, "%s%s", link, rest) >= PATH_MAX)
		return r->cwd;
	return buf;
}

void rt_roots_release(struct roots *r)
{
	free(r->home);
	free(r->project);
	free(r->cwd);
	free(r->project_link);
	free(r->agent);
	free(r->git_common);
	memset(r, 0, sizeof(*r));
}

void rt_roots_decide(const struct roots *r, struct decide_roots *ret)
{
	*ret = (struct decide_roots){ 0 };
	ret->dir[PB_ROOT_FS] = "/";
	ret->dir[PB_ROOT_HOME] = r->home;
	ret->dir[PB_ROOT_PROJECT] = r->project;
	ret->dir[PB_ROOT_TMP] = "/tmp";
	ret->dir[PB_ROOT_AGENT] = r->agent;
	ret->dir[PB_ROOT_GIT] = r->git_common;
}

/* True if the path is absolute, without '.', '..', '//' and a trailing '/'. */
static bool is_clean(const char *p)
{
	if (p[0] != '/')
		return false;
	if (!p[1])
		return true;
	while (*p == '/') {
		size_t n = strcspn(++p, "/");

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
	}
	return true;
}

/* Control bytes in a root would appear in every message and in passwd. */
static bool has_control(const char *p)
{
	for (; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return true;
	return false;
}

static int find_home(const struct roots_input *in, struct roots *ret, struct rt_err *err)
{
	const char *h = in->home_env && in->home_env[0] ? in->home_env : NULL;
	const char *from = "HOME";
	char shown[200];

	if (in->pw && in->pw->home[0] && (!h || in->prefer_passwd)) {
		h = in->pw->home;
		from = "the home in /etc/passwd";
	}
	if (!h)
		return rt_fail(err, ENOENT,
			       "no home directory: HOME is not set and /etc/passwd "
			       "has no entry for this user");
	io_escape(shown, sizeof(shown), h, strlen(h));
	if (h[0] != '/' || has_control(h))
		return rt_fail(err, EINVAL, "%s is '%s', not an absolute path", from,
			       shown);
	ret->home = realpath(h, NULL);
	if (!ret->home && errno == ENOENT) {
		/* HOME need not exist: inside it is private anyway. */
		size_t n = strlen(h);

		ret->home = strdup(h);
		while (ret->home && n > 1 && ret->home[n - 1] == '/')
			ret->home[--n] = '\0';
		if (ret->home && !is_clean(ret->home))
			return rt_fail(err, EINVAL, "%s is '%s', which does not exist",
				       from, shown);
	}
	if (!ret->home)
		return rt_fail_errno(err, errno, "%s '%s'", from, shown);
	if (strcmp(ret->home, "/") == 0)
		return rt_fail(err, EINVAL,
			       "%s is '/': a run needs a home directory of its own "
			       "(set HOME)", from);
	return 0;
}

char *rt_roots_link(const char *logical, const char *physical, const char *project)
{
	size_t nl = strlen(logical), np = strlen(physical), nj = strlen(project);
	const char *rest;
	char *link;

	if (!is_clean(logical) || has_control(logical) ||
	    !place_is_below(physical, project) || nj > np)
		return NULL;
	rest = physical + nj;
	if (nl <= strlen(rest) || strcmp(logical + nl - strlen(rest), rest) != 0)
		return NULL;
	link = strndup(logical, nl - strlen(rest));
	if (link && strcmp(link, project) == 0) {
		free(link);
		return NULL;
	}
	return link;
}

/* 1, 0, or -errno.  A path that does not exist is not the same file. */
static int same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	if (stat(a, &sa) != 0 || stat(b, &sb) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static int find_project(const struct roots_input *in, struct roots *ret,
			struct rt_err *err)
{
	AUTO_FREE char *link = NULL;
	char shown[200];
	struct stat st;

	if (in->project) {
		io_escape(shown, sizeof(shown), in->project, strlen(in->project));
		ret->project = realpath(in->project, NULL);
		if (!ret->project)
			return rt_fail_errno(err, errno, "--project '%s'", shown);
		if (stat(ret->project, &st) != 0 || !S_ISDIR(st.st_mode))
			return rt_fail(err, ENOTDIR, "--project '%s' is not a directory",
				       shown);
		link = rt_roots_link(in->project, ret->project, ret->project);
	} else {
		ret->project = place_project(ret->cwd, ret->home);
	}
	if (!ret->project)
		return rt_fail_errno(err, errno, "finding the project");
	if (!link && in->pwd_env && same_file(in->pwd_env, ".") == 1)
		link = rt_roots_link(in->pwd_env, ret->cwd, ret->project);
	if (link && same_file(link, ret->project) == 1)
		ret->project_link = io_steal_ptr(&link);
	return 0;
}

/* What is no socket of the user's own is no agent. */
static int find_agent(const struct roots_input *in, struct roots *ret)
{
	char path[PATH_MAX];

	if (place_agent(in->agent_env, in->uid, path) < 0 || has_control(path))
		return 0;
	ret->agent = strdup(path);
	return ret->agent ? 0 : -ENOMEM;
}

static int find_git_common(const struct roots_input *in, struct roots *ret)
{
	char path[PATH_MAX];

	if (git_common_find(ret->project, ret->home, in->uid, path) < 0)
		return 0;
	ret->git_common = strdup(path);
	return ret->git_common ? 0 : -ENOMEM;
}

int rt_roots_find(const struct roots_input *in, struct roots *ret, struct rt_err *err)
{
	struct roots r = { 0 };
	int e;

	(void)snprintf(r.user, sizeof(r.user), "%s", in->pw ? in->pw->name : "user");
	r.named = in->project;
	e = find_home(in, &r, err);
	if (e == 0) {
		r.cwd = realpath(".", NULL);
		if (!r.cwd)
			e = rt_fail_errno(err, errno, "the working directory");
		else if (has_control(r.cwd))
			e = rt_fail(err, EINVAL,
				    "the working directory's path has control bytes");
	}
	if (e == 0)
		e = find_project(in, &r, err);
	if (e == 0)
		e = find_agent(in, &r);
	if (e == 0)
		e = find_git_common(in, &r);
	if (e == 0 && has_control(r.project))
		e = rt_fail(err, EINVAL, "the project's path has control bytes");
	if (e < 0) {
		rt_roots_release(&r);
		return e;
	}
	*ret = r;
	return 0;
}

/* --- projects that are refused ------------------------------------------------- */

static int check_state(const struct roots *r, const char *shown, struct rt_err *err)
{
	static const struct {
		bool home;
		const char *path;
	} state[] = {
		{ false, "/etc/pol" },
		{ false, "/var/lib/pol" },
		{ true, "/.config/pol" },
		{ true, "/.local/state/pol" },
		{ true, "/.cache/pol" },
	};

	for (size_t i = 0; i < sizeof(state) / sizeof(state[0]); i++) {
		size_t n = state[i].home ? strlen(r->home) : 0, len = strlen(state[i].path);
		char path[PATH_MAX];

		if (n + len >= sizeof(path))
			return rt_fail(err, ENAMETOOLONG, "HOME is too long");
		memcpy(path, r->home, n);
		memcpy(path + n, state[i].path, len + 1);
		if (place_is_below(path, r->project) || place_is_below(r->project, path))
			return rt_fail(err, EPERM,
				       "the project '%s' holds the policy's own state "
				       "(%s): start in a directory below it", shown,
				       path);
	}
	return 0;
}

/* `path` is the directory `root` followed by these bytes. */
static bool is_joined(const char *path, const char *root, const char *rest, size_t len)
{
	size_t n = strcmp(root, "/") ? strlen(root) : 0;

	return !strncmp(path, root, n) && strlen(path + n) == len &&
	       memcmp(path + n, rest, len) == 0;
}

static bool is_scratch_dir(const struct roots *r, const struct bundle *b,
			   const struct pb_anchor *a)
{
	struct decide_roots roots;
	const char *root;

	rt_roots_decide(r, &roots);
	root = a->root < PB_ROOT_COUNT ? roots.dir[a->root] : NULL;
	return root && is_joined(r->project, root, pb_strp(b->mounts, a->path), a->path.len);
}

/* Refuses the run's own trees and the policy's scratch trees. */
static int check_scratch(const struct roots *r, const struct bundle *b,
			 const char *shown, struct rt_err *err)
{
	static const char *const private[] = { "/tmp", "/var/tmp", "/dev/shm" };

	for (size_t i = 0; i < sizeof(private) / sizeof(private[0]); i++)
		if (strcmp(r->project, private[i]) == 0)
			return rt_fail(err, EPERM,
				       "the project '%s' is a scratch directory: start "
				       "in a directory of its own", shown);
	for (uint32_t i = 0; b && b->mounts && i < b->mounts->anchors.count; i++) {
		const struct pb_anchor *a =
			pb_at(b->mounts, b->mounts->anchors, sizeof(*a), i);

		if ((a->flags & PB_AF_SCRATCH) && is_scratch_dir(r, b, a))
			return rt_fail(err, EPERM,
				       "the project '%s' is a scratch directory of the "
				       "policy: start in a directory of its own", shown);
	}
	return 0;
}

/* Another user who makes a .git in a directory above must not make all of it the project,
 * which the run may write. */
static int check_owners(const struct roots *r, struct rt_err *err)
{
	static const char *const marks[] = { "", "/.pol", "/.git" };
	char path[PATH_MAX], shown[200];
	struct stat here, st;

	if (r->named || strcmp(r->project, r->cwd) == 0)
		return 0;
	if (stat(r->cwd, &here) != 0)
		here.st_uid = 0; /* a directory that is not there has no owner to believe */
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s%s", r->project, marks[i]) >=
		    sizeof(path))
			return rt_fail(err, ENAMETOOLONG, "the project's path is too long");
		if (lstat(path, &st) != 0) {
			if (errno == ENOENT || errno == ENOTDIR)
				continue;
			return rt_fail_errno(err, errno, "%s", path);
		}
		if (st.st_uid == 0 || st.st_uid == getuid() || st.st_uid == here.st_uid)
			continue;
		io_escape(shown, sizeof(shown), path, strlen(path));
		return rt_fail(err, EPERM, "'%s' would make a directory above this one the "
			       "project, and belongs to uid %u: name the project with --project",
			       shown, (unsigned)st.st_uid);
	}
	return 0;
}

int rt_roots_check_project(const struct roots *r, const struct bundle *b,
			struct rt_err *err)
{
	/* a policy that makes the project writable never means these */
	static const char *const system[] = {
		"/bin", "/boot", "/dev", "/home", "/lib", "/lib32", "/lib64", "/libx32",
		"/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/usr/bin",
		"/usr/lib", "/usr/local", "/usr/local/bin", "/usr/local/lib",
		"/usr/local/sbin", "/usr/sbin", "/usr/share",
	};
	char shown[200];
	int e;

	io_escape(shown, sizeof(shown), r->project, strlen(r->project));
	if (strcmp(r->project, "/") == 0)
		return rt_fail(err, EPERM,
			       "the project is '/': start in a project or name one "
			       "with --project");
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (strcmp(r->project, system[i]) == 0)
			return rt_fail(err, EPERM,
				       "the project '%s' is a directory of the system: "
				       "start in a directory of its own", shown);
	/* HOME may also be reached through another mount */
	e = same_file(r->project, r->home);
	if (e < 0)
		return rt_fail_errno(err, -e, "comparing the project '%s' with HOME",
				     shown);
	if (strcmp(r->project, r->home) == 0 || e)
		return rt_fail(err, EPERM,
			       "the project '%s' is HOME itself: start in a project or "
			       "name one with --project", shown);
	if (place_is_below(r->home, r->project))
		return rt_fail(err, EPERM,
			       "the project '%s' contains HOME: start in a project or "
			       "name one with --project", shown);
	e = check_scratch(r, b, shown, err);
	if (e == 0)
		e = check_state(r, shown, err);
	return e < 0 ? e : check_owners(r, err);
}
