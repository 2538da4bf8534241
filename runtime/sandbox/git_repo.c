/*
 * Keeps what becomes known of a repository: each name, file and folder once, and no more of
 * them than a limit.
 */
#include "runtime/sandbox/git_repo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/passwd.h"
#include "runtime/sandbox/view_host.h"

/* A folder and a name in it, both as long as the kernel takes them. */
enum { PATH_ROOM = 2 * 4096 + 108 };

int git_repo_read_text(const struct git_repo *g, const char *path, char **ret)
{
	char full[PATH_ROOM];
	size_t len;
	int n = snprintf(full, sizeof(full), "%s%s", g->in->prefix, path);
	int r = n < 0 || (size_t)n >= sizeof(full) ?
			-ENAMETOOLONG : io_read_file(full, GIT_FILE_MAX, ret, &len);

	if (r == -EFBIG)
		return rt_fail(g->err, EFBIG, "git's file %s is larger than %u KiB", path,
			       GIT_FILE_MAX / 1024);
	/* a file that git could read, and that may name a program, must not be
	 * overlooked */
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -EISDIR && r != -EACCES &&
	    r != -ELOOP && r != -ENAMETOOLONG && r != -EINVAL /* a FIFO */)
		return rt_fail_errno(g->err, -r, "git's file %s", path);
	if (r < 0)
		*ret = NULL;
	/* git reads on behind a NUL */
	for (size_t i = 0; r >= 0 && i < len; i++)
		if (!(*ret)[i])
			(*ret)[i] = '\n';
	return 0;
}

static int add_name(struct git_repo *g, char *path, struct sandbox_git like)
{
	struct sandbox_git *grown;

	if (!path)
		return git_repo_fail_path(g);
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].path, path) && g->v[i].hooks == like.hooks &&
		    g->v[i].stays == like.stays && g->v[i].maybe <= like.maybe) {
			free(path);
			return 0;
		}
	if (g->n == g->max) {
		free(path);
		return rt_fail(g->err, E2BIG, "git's configuration of %s names more than "
			       "%zu paths", g->base, g->max);
	}
	grown = reallocarray(g->v, g->n + 1, sizeof(*grown));
	if (!grown) {
		free(path);
		return rt_fail(g->err, ENOMEM, "out of memory");
	}
	g->v = grown;
	grown[g->n] = like;
	grown[g->n++].path = path;
	return 0;
}

/* The path, and the directories above it, keep their names.  The project does anyway. */
static int add_stays(struct git_repo *g, const char *path)
{
	char at[4096], *slash = at;
	int r = 0;

	(void)snprintf(at, sizeof(at), "%s", path);
	while (r == 0 && slash && at[0] && !view_at(g->in->project, at)) {
		r = add_name(g, strdup(at), (struct sandbox_git){ .stays = true });
		slash = strrchr(at, '/');
		if (slash)
			*slash = '\0';
	}
	return r;
}

/*
 * At a ".." behind the name `way`, which a setting mentions if `named`.  The kernel goes up from
 * where the name leads, and not back to the directory that holds it: behind a link these differ.
 * So a run must not put something else at the name, nor make it if it is absent.
 */
static int go_up(struct git_repo *g, char way[PATH_ROOM], bool named)
{
	struct view_link *links = NULL;
	char real[4096], *slash;
	size_t n = 0;
	int found = view_resolve(g->in->prefix, way, real, &links, &n), r = 0;
	/* what cannot be resolved (a loop, a name that is too long) leads git nowhere either */
	bool known = found == 0;

	if (found == -ENOMEM || found == -EIO) {
		free(links);
		return rt_fail_errno(g->err, -found, "%s", way);
	}
	if (named && !view_is_dir(g->in->prefix, way))
		r = add_name(g, strdup(way), (struct sandbox_git){ .maybe = true });
	for (size_t i = 0; known && named && i < n && r == 0; i++)
		r = add_stays(g, links[i].path);
	if (known && named && r == 0)
		r = add_stays(g, real);
	if (known)
		(void)snprintf(way, PATH_ROOM, "%s", real);
	free(links);
	slash = strrchr(way, '/');
	if (slash)
		*slash = '\0';
	return r;
}

char *git_repo_join_path(struct git_repo *g, const char *dir, const char *rel)
{
	char out[PATH_ROOM] = "", in[PATH_ROOM];
	size_t have = 0, base = rel[0] == '/' ? 0 : strlen(dir) + 1;

	if (snprintf(in, sizeof(in), "%s%s%s", rel[0] == '/' ? "" : dir,
		     rel[0] == '/' ? "" : "/", rel) >= (int)sizeof(in)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	for (char *save = NULL, *c = strtok_r(in, "/", &save), *last = NULL; c;
	     c = strtok_r(NULL, "/", &save)) {
		if (!strcmp(c, "."))
			continue;
		if (!strcmp(c, "..")) {
			int r = go_up(g, out, last && last >= in + base);

			last = NULL; /* two ".." behind one name: it was seen to */
			if (r < 0) {
				errno = -r;
				return NULL;
			}
			have = strlen(out);
			continue;
		}
		last = c;
		if (have + strlen(c) + 2 > sizeof(out)) {
			errno = ENAMETOOLONG;
			return NULL;
		}
		out[have] = '/';
		memcpy(out + have + 1, c, strlen(c) + 1);
		have += strlen(c) + 1;
	}
	errno = ENAMETOOLONG;
	return have && have < 4096 ? strdup(out) : NULL;
}

char *git_repo_expand_path(struct git_repo *g, const char *dir, const char *value)
{
	struct passwd_entry user = { .home = "" };
	size_t n = strcspn(value, "/");
	const char *home = g->in->home;
	char name[64];

	if (value[0] != '~')
		return git_repo_join_path(g, dir, value);
	if (n > 1 && n <= sizeof(name)) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)n - 1, value + 1);
		if (passwd_lookup(name, 0, &user) == 1)
			home = user.home;
	}
	errno = ENOENT;
	return home ? git_repo_join_path(g, home, value[n] ? value + n + 1 : ".") : NULL;
}

int git_repo_fail_path(struct git_repo *g)
{
	/* too many paths: git_repo_add_path() has said it */
	if (errno == E2BIG)
		return -E2BIG;
	return errno == ENOMEM ? rt_fail(g->err, ENOMEM, "out of memory") : 0;
}

int git_repo_add_path(struct git_repo *g, char *path, bool hooks, bool maybe)
{
	return add_name(g, path, (struct sandbox_git){ .hooks = hooks, .maybe = maybe });
}

int git_repo_add_path_in(struct git_repo *g, const char *dir, const char *name, bool hooks)
{
	return git_repo_add_path(g, git_repo_join_path(g, dir, name), hooks, false);
}

bool git_repo_has_file(const struct git_repo *g, const char *path)
{
	for (size_t i = 0; i < g->nqueue; i++)
		if (!strcmp(g->queue[i], path))
			return true;
	return false;
}

int git_repo_add_file(struct git_repo *g, char *path)
{
	if (!path)
		return git_repo_fail_path(g);
	if (git_repo_has_file(g, path)) {
		free(path);
		return 0;
	}
	if (g->nqueue == GIT_MAX_PATHS) {
		free(path);
		return rt_fail(g->err, E2BIG, "git's configuration of %s has more than "
			       "%u files", g->base, GIT_MAX_PATHS);
	}
	g->queue[g->nqueue++] = path;
	return 0;
}

int git_repo_add_base(struct git_repo *g, char *dir)
{
	if (!dir)
		return git_repo_fail_path(g);
	for (size_t i = 0; i < g->nbases; i++)
		if (!strcmp(g->bases[i], dir)) {
			free(dir);
			return 0;
		}
	if (g->nbases == GIT_BASES) {
		free(dir);
		return rt_fail(g->err, E2BIG, "git's configuration of %s names more than %d "
			       "folders to work in", g->base, GIT_BASES);
	}
	g->bases[g->nbases++] = dir;
	return 0;
}

void git_repo_release(struct git_repo *g)
{
	for (size_t i = 0; i < g->nqueue; i++)
		free(g->queue[i]);
	for (size_t i = 0; i < g->nbases; i++)
		free(g->bases[i]);
}
