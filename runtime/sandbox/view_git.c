/*
 * Finds what the project's git reads and would run outside of the sandbox: hooks
 * directories, the files that can name a directory of hooks or a program, and the programs.
 *
 * Two readers are asked, and what either of them finds is kept.  Git itself knows what it
 * reads (git_answer.h).  The other reader (git_settings.h) takes whatever could be a setting.
 * It is all there is for repositories other than the project's, without a git, and where git
 * refuses to read.
 */
#include "runtime/sandbox/view_git.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/git_answer.h"
#include "runtime/sandbox/git_repo.h"
#include "runtime/sandbox/git_settings.h"
#include "runtime/sandbox/view_host.h"

/* --- which files ---------------------------------------------------------------------- */

/* Finds the repository whose configuration and hooks the one in `dir` uses. */
static int find_common(struct git_repo *g, const char *dir, char **ret)
{
	AUTO_FREE char *to = NULL;
	char path[4200];
	int r;

	if (snprintf(path, sizeof(path), "%s/commondir", dir) >= (int)sizeof(path))
		return 0;
	r = git_repo_read_text(g, path, &to);
	if (to)
		to[strcspn(to, "\r\n")] = '\0';
	if (r < 0)
		return r;
	*ret = to ? git_repo_join_path(g, dir, to) : strdup(dir);
	return *ret ? 0 : git_repo_fail_path(g);
}

/* Adds the names that no rule of the floor mentions. */
static int add_linked_paths(struct git_repo *g, const char *dir, const char *common)
{
	char path[4200] = "";
	int r = git_repo_add_path_in(g, dir, "commondir", false);

	if (common && snprintf(path, sizeof(path), "%s/hooks", common) >= (int)sizeof(path))
		return 0;

	if (r == 0)
		r = git_repo_add_path_in(g, dir, "config.worktree", false);
	if (r == 0 && common)
		r = git_repo_add_path_in(g, common, "config", false);
	/* hooks of another repository that do not exist may still be created; the
	 * report names them */
	if (r == 0 && common)
		r = git_repo_add_path_in(g, common, "hooks", g->which != GIT_OTHER ||
					 view_is_dir(g->in->prefix, path));
	return r;
}

/* If .git is a file, git uses the directory that it names as the repository. */
static int find_linked(struct git_repo *g, char *text, char **ret_dir)
{
	AUTO_FREE char *above = strdup(g->dot_git);
	char *slash = above ? strrchr(above, '/') : NULL;
	int r;

	if (!slash)
		return git_repo_fail_path(g);
	slash[slash == above] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	*ret_dir = git_repo_join_path(g, above, text + 7 + strspn(text + 7, " \t"));
	r = *ret_dir ? 0 : git_repo_fail_path(g);
	return r == 0 ? git_repo_add_path(g, strdup(g->dot_git), false, false) : r;
}

/* A file that the environment makes a part of git's configuration.  No rule of the floor
 * names it, so it is kept, too. */
static int add_named_file(struct git_repo *g, const char *dir, const char *name)
{
	const char *home = g->in->home;
	AUTO_FREE char *usual = home ? git_repo_join_path(g, home, ".config/git/config") : NULL;
	char *path = git_repo_join_path(g, dir, name);
	int r = 0;

	/* GIT_CONFIG_GLOBAL=/dev/null is usual: no file, and a run writes that device */
	if (path && view_is_system(path)) {
		free(path);
		return 0;
	}
	if (path && (!usual || strcmp(path, usual) != 0))
		r = git_repo_add_path(g, strdup(path), false, false);
	if (r == 0)
		return git_repo_add_file(g, path);
	free(path);
	return r;
}

/*
 * Adds what the environment says.  The user's next git has the same environment as polrun, as
 * far as polrun can know.
 */
static int add_named_files(struct git_repo *g)
{
	static const char *const names[] = { "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM" };
	const char *xdg = getenv("XDG_CONFIG_HOME");
	int r = xdg && *xdg ? add_named_file(g, xdg, "git/config") : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			r = add_named_file(g, g->base, v);
	}
	return r == 0 ? git_settings_take_environment(g) : r;
}

static int find_repository(struct git_repo *g, char **ret_dir, char **ret_common)
{
	AUTO_FREE char *text = NULL;
	bool led = false;
	int r = git_repo_read_text(g, g->dot_git, &text); /* reading a directory fails */

	if (r == 0 && text && !strncmp(text, "gitdir:", 7)) {
		r = find_linked(g, text, ret_dir);
		led = *ret_dir != NULL;
	}
	if (r == 0 && !*ret_dir) {
		*ret_dir = strdup(g->dot_git);
		r = *ret_dir ? 0 : git_repo_fail_path(g);
	}
	if (r == 0)
		r = find_common(g, *ret_dir, ret_common);
	if (r == 0 && (led || (g->link && !text) ||
		       (*ret_common && strcmp(*ret_common, *ret_dir) != 0)))
		r = add_linked_paths(g, *ret_dir, *ret_common);
	/* a hook of a push to the repository runs in its own directory */
	if (r == 0)
		r = git_repo_add_base(g, strdup(g->base));
	if (r == 0)
		r = git_repo_add_base(g, strdup(*ret_dir));
	if (r == 0) /* where both are the same directory there is one */
		g->dir = g->bases[g->nbases - 1];
	return r;
}

static int find_files(struct git_repo *g)
{
	AUTO_FREE char *dir = NULL, *common = NULL;
	const char *home = g->in->home;
	int r = find_repository(g, &dir, &common);

	if (r == 0 && common)
		r = git_repo_add_file(g, git_repo_join_path(g, common, "config"));
	if (r == 0)
		r = git_repo_add_file(g, git_repo_join_path(g, dir, "config.worktree"));
	if (r == 0 && home)
		r = git_repo_add_file(g, git_repo_join_path(g, home, ".gitconfig"));
	if (r == 0 && home)
		r = git_repo_add_file(g, git_repo_join_path(g, home, ".config/git/config"));
	if (r == 0)
		r = add_named_files(g);
	/* where a git that was built here looks */
	if (r == 0)
		r = git_repo_add_file(g, strdup("/usr/local/etc/gitconfig"));
	return r == 0 ? git_repo_add_file(g, strdup("/etc/gitconfig")) : r;
}

/* --- the repositories ------------------------------------------------------------------ */

/* *ret and *ret_n keep what they held before. */
static int read_repository(struct git_repo *g, struct sandbox_git **ret, size_t *ret_n)
{
	int r;

	g->v = *ret;
	g->n = *ret_n;
	r = find_files(g);
	if (r == 0)
		r = git_settings_read_files(g);
	if (r == 0 && g->which == GIT_PROJECT)
		r = git_answer_take_settings(g);
	if (r == 0)
		r = git_settings_add_paths(g);
	git_settings_release(g);
	git_repo_release(g);
	*ret = g->v;
	*ret_n = g->n;
	return r;
}

int view_git_other(const struct view_in *in, const char *base, const char *dot_git, bool link,
		   size_t max, struct sandbox_git **ret, size_t *ret_n, struct rt_err *err)
{
	struct git_repo g = { .in = in, .base = base, .dot_git = dot_git, .which = GIT_OTHER,
			      .link = link, .max = max, .err = err };

	return read_repository(&g, ret, ret_n);
}

int view_git_common(const struct view_in *in, char **ret, struct rt_err *err)
{
	struct git_repo g = { .in = in, .base = in->project, .which = GIT_PROJECT,
			      .max = GIT_MAX_PATHS, .err = err };
	AUTO_FREE char *dot_git = git_repo_join_path(&g, in->project, ".git"), *dir = NULL;
	int r;

	*ret = NULL;
	g.dot_git = dot_git;
	if (!dot_git)
		return git_repo_fail_path(&g);
	/* what it adds to the list on the way is in that of view_git_paths() */
	r = find_repository(&g, &dir, ret);
	for (size_t i = 0; i < g.n; i++)
		free(g.v[i].path);
	free(g.v);
	git_repo_release(&g);
	return r;
}

/* One that a rule of the floor does not know, and that is not looked for below the project. */
static int add_repository(const struct view_in *in, enum git_which which, const char *base,
			  const char *dot_git, struct sandbox_git **ret, size_t *ret_n,
			  struct rt_err *err)
{
	struct git_repo g = { .in = in, .base = base, .dot_git = dot_git, .which = which,
			      .link = which != GIT_PROJECT, .max = *ret_n + GIT_MAX_PATHS,
			      .err = err };

	return strlen(dot_git) < 4096 ? read_repository(&g, ret, ret_n) : 0;
}

/* A repository above the project runs hooks that its settings may put into the project. */
static int add_above(const struct view_in *in, struct sandbox_git **ret, size_t *ret_n,
		     struct rt_err *err)
{
	char base[4200], dot_git[4300], full[8400], *slash;
	struct stat st;
	int r = 0;

	(void)snprintf(base, sizeof(base), "%s", in->project);
	while (r == 0 && (slash = strrchr(base, '/')) != NULL && base[1]) {
		slash[slash == base] = '\0';
		(void)snprintf(dot_git, sizeof(dot_git), "%s/.git", base[1] ? base : "");
		(void)snprintf(full, sizeof(full), "%s%s", in->prefix, dot_git);
		if (lstat(full, &st) == 0)
			r = add_repository(in, GIT_ABOVE, base, dot_git, ret, ret_n, err);
		else if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			r = rt_fail_errno(err, errno, "%s", dot_git);
	}
	return r;
}

int view_git_paths(const struct view_in *in, struct sandbox_git **ret, size_t *ret_n,
		   struct rt_err *err)
{
	static const char *const dirs[] = { "GIT_DIR", "GIT_COMMON_DIR" };
	char dot_git[4200];
	int r;

	(void)snprintf(dot_git, sizeof(dot_git), "%s/.git", in->project);
	r = add_repository(in, GIT_PROJECT, in->project, dot_git, ret, ret_n, err);
	if (r == 0)
		r = add_above(in, ret, ret_n, err);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && r == 0; i++) {
		const char *v = getenv(dirs[i]);
		struct git_repo g = { .in = in, .base = in->project, .v = *ret, .n = *ret_n,
				      .max = *ret_n + GIT_MAX_PATHS, .err = err };
		AUTO_FREE char *named = v && *v ? git_repo_join_path(&g, in->project, v) : NULL;

		*ret = g.v;
		*ret_n = g.n;
		if (v && *v && !named)
			r = git_repo_fail_path(&g);
		if (r < 0)
			return r;
		if (named && strcmp(named, dot_git) != 0)
			r = add_repository(in, GIT_ABOVE, in->project, named, ret, ret_n, err);
	}
	return r;
}
