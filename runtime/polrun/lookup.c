/* Decides whether the view shows what a run begins with: its program and its working
 * directory.  If not, chooses the exit status and the line that says why. */
#include "runtime/polrun/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/entry/entry.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* --- the working directory ------------------------------------------------------------ */

int lookup_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		     const char *project, struct rt_err *err)
{
	const struct sandbox_node *n = sandbox_view_find(view, run->cwd);
	char shown[200], why[300];

	if (n && !n->masked && (n->ops & PB_READ) && !n->scratch)
		return 0;
	io_escape(shown, sizeof(shown), run->cwd, strlen(run->cwd));
	if (!entry_show_unreadable(&run->ctx, run->cwd, why, sizeof(why)))
		(void)snprintf(why, sizeof(why), "%s%s",
			       n && n->scratch ? "it is a scratch directory there" :
						 "no rule makes it readable",
			       place_is_below(run->cwd, project) ?
				       "; file { allow read \"${PROJECT_DIR}\" } shows it" :
				       "");
	return rt_fail(err, EACCES,
		       "the working directory '%s' is not readable in the sandbox (%s)",
		       shown, why);
}

/* --- the program ---------------------------------------------------------------------- */

enum found { F_NOTHING, F_NOT_EXEC, F_NOT_IN_VIEW, F_NO_EXEC_RULE, F_GOOD, F_ERROR };

static bool is_absent(int e)
{
	return e == ENOENT || e == ENOTDIR || e == EACCES || e == ELOOP ||
	       e == ENAMETOOLONG;
}

/* Finds out what the host has at `path`, and whether the view lets it run.  F_ERROR
 * with errno: we cannot tell, and must not run another program instead. */
static enum found look_at(const struct sandbox_view *view, const char *path,
			  uint32_t *ret_rule)
{
	const struct sandbox_node *n;
	char real[PATH_MAX], own[PATH_MAX];
	struct stat st;

	path = sandbox_view_host(view, path, own, sizeof(own));
	if (!path)
		return F_NOTHING;
	if (!realpath(path, real) || stat(real, &st) != 0)
		return is_absent(errno) ? F_NOTHING : F_ERROR;
	if (S_ISDIR(st.st_mode) || !(st.st_mode & 0111))
		return F_NOT_EXEC;
	if (faccessat(AT_FDCWD, real, X_OK, AT_EACCESS) != 0)
		return is_absent(errno) || errno == EPERM ? F_NOT_EXEC : F_ERROR;
	n = sandbox_view_find(view, real);
	if (!n || n->masked || n->scratch || !(n->ops & PB_READ))
		return F_NOT_IN_VIEW;
	*ret_rule = n->rule[2];
	return n->ops & PB_EXEC ? F_GOOD : F_NO_EXEC_RULE;
}

static int refuse(const struct sandbox_run *run, enum found f, const char *path,
		  uint32_t rule, struct rt_err *err)
{
	char name[80], at[160], to[160], by[300] = "", real[PATH_MAX];

	io_escape(name, sizeof(name), run->argv[0], strlen(run->argv[0]));
	io_escape(at, sizeof(at), path, strlen(path));
	switch (f) {
	case F_NOT_EXEC:
		(void)rt_fail(err, EACCES, "%s: not executable (%s)", name, at);
		return 126;
	case F_NO_EXEC_RULE:
		if (bundle_rule(run->bundle, rule))
			entry_show_rule(run->bundle, rule, by, sizeof(by));
		(void)rt_fail(err, EACCES, "%s: not executable in the sandbox (%s: %s)",
			      name, at, by[0] ? by : "no rule makes it executable");
		return 126;
	case F_NOT_IN_VIEW:
		/* a rule may well allow the link: what is missing is the rule for its target */
		if (realpath(path, real) && strcmp(real, path) != 0) {
			io_escape(to, sizeof(to), real, strlen(real));
			(void)rt_fail(err, ENOENT,
				      "%s: not in the sandbox (%s is a link to %s, which no rule makes "
				      "readable and executable)",
				      name, at, to);
			return 127;
		}
		(void)rt_fail(err, ENOENT,
			      "%s: not in the sandbox (%s exists, no rule makes it "
			      "readable and executable)",
			      name, at);
		return 127;
	case F_ERROR:
		(void)rt_fail_errno(err, errno, "%s: %s", name, at);
		return 125;
	case F_NOTHING:
	case F_GOOD:
	default:
		(void)rt_fail(err, ENOENT, "%s: not found", name);
		return 127;
	}
}

/* A name with a '/' means exactly that file. */
static int lookup_path(const struct sandbox_run *run, const struct sandbox_view *view,
		       char **ret_path, struct rt_err *err)
{
	const char *name = run->argv[0];
	char path[PATH_MAX];
	uint32_t rule = UINT32_MAX;
	enum found f;

	if ((size_t)snprintf(path, sizeof(path), name[0] == '/' ? "%s%s" : "%s/%s",
			     name[0] == '/' ? "" : run->cwd, name) >= sizeof(path))
		return refuse(run, F_NOTHING, name, rule, err);
	f = look_at(view, path, &rule);
	if (f != F_GOOD)
		return refuse(run, f, path, rule, err);
	*ret_path = strdup(path);
	if (*ret_path)
		return 0;
	(void)rt_fail(err, ENOMEM, "out of memory");
	return 125;
}

/* --- PATH ------------------------------------------------------------------------------ */

/* Can the directory be reached by this name inside?  Also through a link that the view brings in. */
static bool is_reached(const struct sandbox_view *view, const char *dir)
{
	const struct sandbox_node *n = sandbox_view_find(view, dir);

	if (n && !n->masked && !n->scratch)
		return true;
	for (size_t i = 0; i < view->nlinks; i++)
		if (place_is_below(dir, view->links[i].path))
			return true;
	return false;
}

/* The same directory by a name that is shown, or `dir`. */
static const char *shown_name(const struct sandbox_view *view, const char *dir, char real[PATH_MAX])
{
	const struct sandbox_node *n;

	if (dir[0] != '/' || is_reached(view, dir) || !realpath(dir, real) || strpbrk(real, ":"))
		return dir;
	n = sandbox_view_find(view, real);
	return n && !n->masked && !n->scratch && (n->ops & PB_EXEC) ? real : dir;
}

int lookup_path_inside(char **envp, const struct sandbox_view *view)
{
	for (char **e = envp; e && *e; e++) {
		AUTO_FREE char *old = strncmp(*e, "PATH=", 5) == 0 ? strdup(*e + 5) : NULL;
		char *text = NULL, *rest = old, real[PATH_MAX];
		size_t size;
		FILE *out;

		if (strncmp(*e, "PATH=", 5) != 0)
			continue;
		out = old ? open_memstream(&text, &size) : NULL;
		if (!out)
			return -ENOMEM;
		fputs("PATH=", out);
		for (const char *dir; (dir = strsep(&rest, ":"));)
			fprintf(out, "%s%s", shown_name(view, dir, real), rest ? ":" : "");
		if (fclose(out) != 0) {
			free(text);
			return -ENOMEM;
		}
		free(*e);
		*e = text;
	}
	return 0;
}

/* --- by a name ------------------------------------------------------------------------- */

int lookup_program(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *path, char **ret_path, struct rt_err *err)
{
	char best_path[PATH_MAX] = "", at[PATH_MAX];
	uint32_t best_rule = UINT32_MAX;
	enum found best = F_NOTHING;

	if (strchr(run->argv[0], '/'))
		return lookup_path(run, view, ret_path, err);
	if (!path || !*path)
		path = DEFAULT_PATH;
	while (*path) {
		size_t len = strcspn(path, ":");
		uint32_t rule = UINT32_MAX;
		enum found f = F_NOTHING;

		/* Relative entries would run programs from the current directory. */
		if (path[0] == '/' &&
		    (size_t)snprintf(at, sizeof(at), "%.*s/%s", (int)len, path,
				     run->argv[0]) < sizeof(at))
			f = look_at(view, at, &rule);
		if (f == F_GOOD) {
			*ret_path = strdup(at);
			if (*ret_path)
				return 0;
			(void)rt_fail(err, ENOMEM, "out of memory");
			return 125;
		}
		if (f == F_ERROR)
			return refuse(run, f, at, rule, err);
		if (f > best) {
			best = f;
			best_rule = rule;
			memcpy(best_path, at, sizeof(at));
		}
		path += len;
		if (*path)
			path++;
	}
	return refuse(run, best, best_path, best_rule, err);
}
