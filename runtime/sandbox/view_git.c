/*
 * Finds what the project's git reads and would run outside of the sandbox: hooks
 * directories, and the files that can name a directory of hooks or a program.  Reads
 * every file that git's configuration includes, whatever the condition.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_git.h"
#include "runtime/sandbox/view_host.h"

#define GIT_FILE_MAX (1024u * 1024)
#define GIT_MAX_PATHS 256u

struct git {
	const char *prefix, *home;
	const char *base;    /* folder in which the hooks run: their path is relative to
	                        it */
	const char *dot_git;
	bool other;          /* not the project's own repository */
	bool link;           /* dot_git itself is not a directory */
	struct sandbox_git *v;
	size_t n, max;
	/* configuration files: those that were read and those still to be read */
	char *queue[GIT_MAX_PATHS];
	size_t nqueue;
	struct rt_err *err;
};

/* *ret is NULL if git would not find anything there either. */
static int read_text(const struct git *g, const char *path, char **ret)
{
	char full[8300];
	size_t len;
	int n = snprintf(full, sizeof(full), "%s%s", g->prefix, path);
	int r = n < 0 || (size_t)n >= sizeof(full) ?
			-ENAMETOOLONG : io_read_file(full, GIT_FILE_MAX, ret, &len);

	if (r == -EFBIG)
		return rt_fail(g->err, EFBIG, "git's file %s is larger than %u KiB", path,
			       GIT_FILE_MAX / 1024);
	/* a file that git could read, and that may name a program, must not be
	 * overlooked */
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -EISDIR && r != -EACCES &&
	    r != -ELOOP && r != -ENAMETOOLONG)
		return rt_fail_errno(g->err, -r, "git's file %s", path);
	if (r < 0)
		*ret = NULL;
	/* git reads on behind a NUL */
	for (size_t i = 0; r >= 0 && i < len; i++)
		if (!(*ret)[i])
			(*ret)[i] = '\n';
	return 0;
}

/* Joins `dir` and `rel` without "." and "..", malloc'ed.  On failure NULL with errno;
 * ENOMEM means that the name is not to blame. */
static char *absolute(const char *dir, const char *rel)
{
	char out[8300] = "", in[8300];
	size_t have = 0;

	if (snprintf(in, sizeof(in), "%s%s%s", rel[0] == '/' ? "" : dir,
		     rel[0] == '/' ? "" : "/", rel) >= (int)sizeof(in)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	for (char *save = NULL, *c = strtok_r(in, "/", &save); c;
	     c = strtok_r(NULL, "/", &save)) {
		if (!strcmp(c, "."))
			continue;
		if (!strcmp(c, "..")) {
			char *slash = strrchr(out, '/');

			if (slash)
				*slash = '\0';
			have = strlen(out);
			continue;
		}
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

/* A path in a configuration: "~/" and "~name/" are both taken to mean HOME. */
static char *git_path(const struct git *g, const char *dir, const char *value)
{
	const char *slash = strchr(value, '/');

	if (value[0] != '~')
		return absolute(dir, value);
	errno = ENOENT;
	return slash && g->home ? absolute(g->home, slash + 1) : NULL;
}

/* Handles a missing path, with errno set.  If the path is too long to be a name, git
 * cannot use it either; if memory ran out, it must not be overlooked. */
static int no_path(struct git *g)
{
	return errno == ENOMEM ? rt_fail(g->err, ENOMEM, "out of memory") : 0;
}

/* Takes ownership of `path`. */
static int put(struct git *g, char *path, bool hooks)
{
	struct sandbox_git *grown;

	if (!path)
		return no_path(g);
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].path, path) && g->v[i].hooks == hooks) {
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
	grown[g->n].path = path;
	grown[g->n++].hooks = hooks;
	return 0;
}

static int put_in(struct git *g, const char *dir, const char *name, bool hooks)
{
	return put(g, absolute(dir, name), hooks);
}

/* Takes ownership of `path`. */
static int enqueue(struct git *g, char *path)
{
	if (!path)
		return no_path(g);
	for (size_t i = 0; i < g->nqueue; i++)
		if (!strcmp(g->queue[i], path)) {
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

/* --- the text of a configuration ------------------------------------------------- */

enum section { SEC_OTHER, SEC_CORE, SEC_INCLUDE };

/* Reads [name "sub"] and returns the position after the ']'. */
static char *read_section(char *s, enum section *ret)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789-.");
	bool quoted = false;

	*ret = len == 4 && !strncasecmp(s, "core", 4) ? SEC_CORE :
	       (len == 7 && !strncasecmp(s, "include", 7)) ||
			       (len == 9 && !strncasecmp(s, "includeif", 9)) ?
							SEC_INCLUDE : SEC_OTHER;
	for (s += len; *s && *s != '\n' && (quoted || *s != ']'); s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
	}
	return *s == ']' ? s + 1 : s;
}

/* Reads the value after the '=' and unquotes it in place; *ret_end is the position
 * after its line. */
static char *read_value(char *s, char **ret_end)
{
	bool quoted = false;
	char *start, *w, *end; /* end: after the last byte that counts */

	s += strspn(s, " \t\r");
	start = w = end = s;
	for (; *s && *s != '\n'; s++) {
		/* also behind a continued line */
		if (w == start && !quoted && isspace((unsigned char)*s))
			continue;
		if (!quoted && (*s == '#' || *s == ';')) {
			s += strcspn(s, "\n");
			break;
		}
		if (*s == '"') {
			quoted = !quoted;
			continue;
		}
		if (*s == '\\' && s[1]) {
			s++;
			if (*s == '\r' && s[1] == '\n')
				s++;
			if (*s == '\n')
				continue;
			*w++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s == 'b' ? '\b' : *s;
			end = w;
			continue;
		}
		*w++ = *s;
		if (quoted || !isspace((unsigned char)*s))
			end = w;
	}
	*ret_end = *s ? s + 1 : s;
	*end = '\0';
	return start;
}

/* A run may have made another repository.  Such a repository must not close a tree that
 * holds it, nor a folder that does not exist: that folder is reported once it has
 * appeared. */
static int put_hooks(struct git *g, char *path)
{
	if (path && g->other && view_at(g->base, path)) {
		free(path);
		return rt_fail(g->err, E2BIG, "the hooks of %s lie above it", g->base);
	}
	return put(g, path, !path || !g->other || view_is_dir(g->prefix, path));
}

static int take_value(struct git *g, enum section sec, const char *dir,
		      const char *key, size_t klen, const char *value);

/* "%(prefix)/" is where git was installed, which only git knows: each folder that can be
 * meant is taken. */
static int take_prefixed(struct git *g, enum section sec, const char *key, size_t klen,
			 const char *rest)
{
	static const char *const usual[] = { "", "/usr", "/usr/local" };
	const char *path = getenv("PATH");
	char value[8300];
	int r = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && r == 0; i++) {
		(void)snprintf(value, sizeof(value), "%s/%s", usual[i], rest);
		r = take_value(g, sec, "/", key, klen, value);
	}
	for (; path && *path && r == 0; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (path[0] == '/' && snprintf(value, sizeof(value), "%.*s/../%s", (int)n, path,
					       rest) < (int)sizeof(value))
			r = take_value(g, sec, "/", key, klen, value);
		path += n;
	}
	return r;
}

static int take_value(struct git *g, enum section sec, const char *dir,
		      const char *key, size_t klen, const char *value)
{
	if (sec == SEC_OTHER)
		return 0;
	if (!strncmp(value, ":(optional)", 11))
		value += 11;
	if (!strncmp(value, "%(prefix)/", 10))
		return take_prefixed(g, sec, key, klen, value + 10);
	if (!*value)
		return 0;
	if (sec == SEC_CORE && klen == 9 && !strncasecmp(key, "hookspath", 9))
		return put_hooks(g, git_path(g, g->base, value));
	if (sec == SEC_INCLUDE && klen == 4 && !strncasecmp(key, "path", 4)) {
		char *path = git_path(g, dir, value);
		int r = put(g, path ? strdup(path) : NULL, false);

		if (r == 0)
			return enqueue(g, path);
		free(path);
		return r;
	}
	return 0;
}

/* Reads every core.hooksPath and include.path of the text, and changes the text. */
static int read_config(struct git *g, char *s, const char *dir)
{
	enum section sec = SEC_OTHER;
	int r = 0;

	if (!strncmp(s, "\xef\xbb\xbf", 3)) /* a byte order mark */
		s += 3;
	while (*s && r == 0) {
		char *key, *value;
		size_t klen;

		s += strspn(s, " \t\r\n");
		if (*s == '[') {
			s = read_section(s + 1, &sec);
			continue;
		}
		key = s;
		klen = strcspn(s, " \t\r\n=#;");
		s += klen;
		s += strspn(s, " \t\r");
		if (*s != '=') {
			s += strcspn(s, "\n");
			continue;
		}
		value = read_value(s + 1, &s);
		r = take_value(g, sec, dir, key, klen, value);
	}
	return r;
}

/* --- which files ---------------------------------------------------------------------- */

/* Finds the repository whose configuration and hooks the one in `dir` uses. */
static int find_common(struct git *g, const char *dir, char **ret)
{
	AUTO_FREE char *to = NULL;
	char path[4200];
	int r;

	if (snprintf(path, sizeof(path), "%s/commondir", dir) >= (int)sizeof(path))
		return 0;
	r = read_text(g, path, &to);
	if (to)
		to[strcspn(to, "\r\n")] = '\0';
	if (r < 0)
		return r;
	*ret = to ? absolute(dir, to) : strdup(dir);
	return *ret ? 0 : no_path(g);
}

/* Adds the names that no rule of the floor mentions. */
static int put_all(struct git *g, const char *dir, const char *common)
{
	char path[4200] = "";
	int r = put_in(g, dir, "commondir", false);

	if (common && snprintf(path, sizeof(path), "%s/hooks", common) >= (int)sizeof(path))
		return 0;

	if (r == 0)
		r = put_in(g, dir, "config.worktree", false);
	if (r == 0 && common)
		r = put_in(g, common, "config", false);
	/* hooks of another repository that do not exist may still be created; the
	 * report names them */
	if (r == 0 && common)
		r = put_in(g, common, "hooks", !g->other || view_is_dir(g->prefix, path));
	return r;
}

/* If .git is a file, git uses the directory that it names as the repository. */
static int linked_repository(struct git *g, char *text, char **ret_dir)
{
	AUTO_FREE char *above = strdup(g->dot_git);
	char *slash = above ? strrchr(above, '/') : NULL;
	int r;

	if (!slash)
		return no_path(g);
	slash[slash == above] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	*ret_dir = absolute(above, text + 7 + strspn(text + 7, " \t"));
	r = *ret_dir ? 0 : no_path(g);
	return r == 0 ? put(g, strdup(g->dot_git), false) : r;
}

/* A file that the environment makes a part of git's configuration.  No rule of the floor
 * names it, so it is kept, too. */
static int enqueue_named(struct git *g, const char *dir, const char *name)
{
	AUTO_FREE char *usual = g->home ? absolute(g->home, ".config/git/config") : NULL;
	char *path = absolute(dir, name);
	int r = 0;

	/* GIT_CONFIG_GLOBAL=/dev/null is usual: no file, and a run writes that device */
	if (path && !strncmp(path, "/dev/", 5)) {
		free(path);
		return 0;
	}
	if (path && (!usual || strcmp(path, usual) != 0))
		r = put(g, strdup(path), false);
	if (r == 0)
		return enqueue(g, path);
	free(path);
	return r;
}

/*
 * What the environment adds.  The user's next git has the same environment as polrun, as
 * far as polrun can know.
 */
static int find_named(struct git *g)
{
	static const char *const names[] = { "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM" };
	const char *xdg = getenv("XDG_CONFIG_HOME"), *count = getenv("GIT_CONFIG_COUNT");
	unsigned long n = count ? strtoul(count, NULL, 10) : 0;
	int r = xdg && *xdg ? enqueue_named(g, xdg, "git/config") : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			r = enqueue_named(g, g->base, v);
	}
	if (r == 0 && n > GIT_MAX_PATHS)
		return rt_fail(g->err, E2BIG, "GIT_CONFIG_COUNT is more than %u", GIT_MAX_PATHS);
	for (unsigned long i = 0; i < n && r == 0; i++) {
		char name[60];
		const char *key, *value;

		(void)snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%lu", i);
		key = getenv(name);
		(void)snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%lu", i);
		value = getenv(name);
		if (key && value && !strcasecmp(key, "core.hookspath"))
			r = take_value(g, SEC_CORE, g->base, "hookspath", 9, value);
		else if (key && value && !strncasecmp(key, "include", 7))
			r = take_value(g, SEC_INCLUDE, g->base, "path", 4, value);
	}
	return r;
}

static int find_files(struct git *g)
{
	AUTO_FREE char *text = NULL, *dir = NULL, *common = NULL;
	bool led = false;
	int r = read_text(g, g->dot_git, &text); /* reading a directory fails */

	if (r == 0 && text && !strncmp(text, "gitdir:", 7)) {
		r = linked_repository(g, text, &dir);
		led = dir != NULL;
	}
	if (r == 0 && !dir) {
		dir = strdup(g->dot_git);
		r = dir ? 0 : no_path(g);
	}
	if (r == 0)
		r = find_common(g, dir, &common);
	if (r == 0 && (led || (g->link && !text) || (common && strcmp(common, dir) != 0)))
		r = put_all(g, dir, common);
	if (r == 0 && common)
		r = enqueue(g, absolute(common, "config"));
	if (r == 0)
		r = enqueue(g, absolute(dir, "config.worktree"));
	if (r == 0 && g->home)
		r = enqueue(g, absolute(g->home, ".gitconfig"));
	if (r == 0 && g->home)
		r = enqueue(g, absolute(g->home, ".config/git/config"));
	if (r == 0)
		r = find_named(g);
	/* where a git that was built here looks */
	if (r == 0)
		r = enqueue(g, strdup("/usr/local/etc/gitconfig"));
	return r == 0 ? enqueue(g, strdup("/etc/gitconfig")) : r;
}

static int read_all(struct git *g)
{
	int r = find_files(g);

	/* the queue grows while we read it */
	for (size_t i = 0; i < g->nqueue && r == 0; i++) {
		AUTO_FREE char *text = NULL;
		AUTO_FREE char *dir = strdup(g->queue[i]);

		r = dir ? read_text(g, g->queue[i], &text) : no_path(g);
		if (r == 0 && text) {
			*strrchr(dir, '/') = '\0';
			r = read_config(g, text, dir);
		}
	}
	for (size_t i = 0; i < g->nqueue; i++)
		free(g->queue[i]);
	return r;
}

int view_git_paths(const char *prefix, const char *home, const char *project,
		   struct sandbox_git **ret, size_t *ret_n, struct rt_err *err)
{
	char dot_git[4200];
	struct git g = { .prefix = prefix, .home = home, .base = project, .dot_git = dot_git,
			 .v = *ret, .n = *ret_n, .max = *ret_n + GIT_MAX_PATHS, .err = err };
	int r = 0;

	if (snprintf(dot_git, sizeof(dot_git), "%s/.git", project) < (int)sizeof(dot_git))
		r = read_all(&g);
	*ret = g.v;
	*ret_n = g.n;
	return r;
}

int view_git_other(const char *prefix, const char *home, const char *base,
		   const char *dot_git, bool link, size_t max, struct sandbox_git **ret,
		   size_t *ret_n, struct rt_err *err)
{
	struct git g = { .prefix = prefix, .home = home, .base = base, .dot_git = dot_git,
			 .other = true, .link = link, .v = *ret, .n = *ret_n, .max = max,
			 .err = err };
	int r = read_all(&g);

	*ret = g.v;
	*ret_n = g.n;
	return r;
}
