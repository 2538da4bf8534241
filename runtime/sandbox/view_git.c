/*
 * Finds what the project's git reads and would run outside of the sandbox: hooks
 * directories, the files that can name a directory of hooks or a program, and the programs.
 *
 * Two readers are asked, and what either of them finds is kept.  Git itself knows what it
 * reads (git_ask.h).  The reader below does not follow git's syntax, which differs between
 * versions: it takes whatever could be a setting, on any line and in any section, and each
 * file that is included, whatever the condition: a run may change the branch or the remote
 * on which the condition depends.  It is all there is for repositories other than the
 * project's, without a git, and where git refuses to read.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/base/passwd.h"
#include "runtime/sandbox/git_ask.h"
#include "runtime/sandbox/view_git.h"
#include "runtime/sandbox/view_host.h"

#define GIT_FILE_MAX (1024u * 1024)
#define GIT_MAX_PATHS 256u
#define GIT_VALUE 8300
enum { GIT_BASES = 4 };

enum kind {
	KIND_ANY,      /* may name a program */
	KIND_PROGRAM,  /* is a command */
	KIND_HOOKS,    /* is a directory of programs */
	KIND_PATH,     /* is a file to include, or a program */
	KIND_WORKTREE, /* is the folder in which hooks and programs run */
};

/* The last part of a setting's name, in any section. */
static const struct {
	const char *name;
	enum kind kind;
} settings[] = {
	{ "hookspath", KIND_HOOKS }, { "templatedir", KIND_HOOKS }, { "path", KIND_PATH },
	{ "worktree", KIND_WORKTREE }, { "fsmonitor", KIND_PROGRAM },
	{ "sshcommand", KIND_PROGRAM }, { "askpass", KIND_PROGRAM }, { "editor", KIND_PROGRAM },
	{ "pager", KIND_PROGRAM }, { "gitproxy", KIND_PROGRAM }, { "program", KIND_PROGRAM },
	{ "helper", KIND_PROGRAM }, { "command", KIND_PROGRAM }, { "cmd", KIND_PROGRAM },
	{ "textconv", KIND_PROGRAM }, { "driver", KIND_PROGRAM }, { "clean", KIND_PROGRAM },
	{ "smudge", KIND_PROGRAM }, { "process", KIND_PROGRAM }, { "external", KIND_PROGRAM },
	{ "difffilter", KIND_PROGRAM }, { "packobjectshook", KIND_PROGRAM },
	{ "defaultkeycommand", KIND_PROGRAM }, { "uploadpack", KIND_PROGRAM },
	{ "receivepack", KIND_PROGRAM },
};

/* Variables of the environment that say the same. */
static const struct {
	const char *name;
	enum kind kind;
} variables[] = {
	{ "GIT_TEMPLATE_DIR", KIND_HOOKS }, { "GIT_EXEC_PATH", KIND_HOOKS },
	{ "GIT_SSH", KIND_PROGRAM }, { "GIT_SSH_COMMAND", KIND_PROGRAM },
	{ "GIT_EXTERNAL_DIFF", KIND_PROGRAM }, { "GIT_EDITOR", KIND_PROGRAM },
	{ "GIT_SEQUENCE_EDITOR", KIND_PROGRAM }, { "GIT_PAGER", KIND_PROGRAM },
	{ "GIT_ASKPASS", KIND_PROGRAM }, { "SSH_ASKPASS", KIND_PROGRAM },
	{ "GIT_PROXY_COMMAND", KIND_PROGRAM },
};

/* What githooks(5) lists: where the directory of hooks holds the project, no more than these
 * names in it can be kept. */
static const char *const hook_names[] = {
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout",
	"post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive",
	"post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite",
	"sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
	"p4-post-changelist", "p4-pre-submit", "post-index-change",
};

enum which { GIT_PROJECT, GIT_ABOVE, GIT_OTHER };

struct git {
	const struct view_in *in;
	const char *base;    /* folder in which the hooks run: their path is relative to
	                        it */
	const char *dot_git;
	enum which which;
	bool link;           /* dot_git itself is not a directory, or no rule knows it */
	char *bases[GIT_BASES]; /* the folders in which hooks and programs may run */
	size_t nbases;
	struct sandbox_git *v;
	size_t n, max;
	/* configuration files: those that were read and those still to be read */
	char *queue[GIT_MAX_PATHS];
	size_t nqueue, nread;
	/* values that are looked at for each base, when all bases are known */
	struct value {
		char *text;
		enum kind kind;
	} *values;
	size_t nvalues;
	struct rt_err *err;
};

/* *ret is NULL if git would not find anything there either. */
static int read_text(const struct git *g, const char *path, char **ret)
{
	char full[8300];
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

/* A path in a configuration: "~/" is HOME.  "~name/" is that user's home, or HOME. */
static char *git_path(const struct git *g, const char *dir, const char *value)
{
	struct passwd_entry user = { .home = "" };
	size_t n = strcspn(value, "/");
	const char *home = g->in->home;
	char name[64];

	if (value[0] != '~')
		return absolute(dir, value);
	if (n > 1 && n <= sizeof(name)) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)n - 1, value + 1);
		if (passwd_lookup(name, 0, &user) == 1)
			home = user.home;
	}
	errno = ENOENT;
	return home ? absolute(home, value[n] ? value + n + 1 : ".") : NULL;
}

/* Handles a missing path, with errno set.  If the path is too long to be a name, git
 * cannot use it either; if memory ran out, it must not be overlooked. */
static int no_path(struct git *g)
{
	return errno == ENOMEM ? rt_fail(g->err, ENOMEM, "out of memory") : 0;
}

/* Takes ownership of `path`. */
static int put(struct git *g, char *path, bool hooks, bool maybe)
{
	struct sandbox_git *grown;

	if (!path)
		return no_path(g);
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].path, path) && g->v[i].hooks == hooks &&
		    g->v[i].maybe <= maybe) {
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
	grown[g->n++] = (struct sandbox_git){ .path = path, .hooks = hooks, .maybe = maybe };
	return 0;
}

static int put_in(struct git *g, const char *dir, const char *name, bool hooks)
{
	return put(g, absolute(dir, name), hooks, false);
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

/* Takes ownership of `dir`. */
static int add_base(struct git *g, char *dir)
{
	if (!dir)
		return no_path(g);
	for (size_t i = 0; i < g->nbases; i++)
		if (!strcmp(g->bases[i], dir)) {
			free(dir);
			return 0;
		}
	if (g->nbases == GIT_BASES) {
		free(dir);
		return rt_fail(g->err, E2BIG, "git's configuration of %s names more than %d folders "
			       "to work in", g->base, GIT_BASES);
	}
	g->bases[g->nbases++] = dir;
	return 0;
}

/* --- what a value names ---------------------------------------------------------------- */

static bool holds_project(const struct git *g, const char *path)
{
	return view_at(g->in->project, path) || view_at(g->base, path);
}

/* Takes ownership of `path`.  Where names are not decided one by one, a folder that does not
 * exist can only be kept by keeping the one above it.  That is done for the project's own hooks
 * alone (`own`); another is reported once it has appeared. */
static int put_hooks(struct git *g, char *path, bool own)
{
	int r = 0;

	if (!path || !holds_project(g, path))
		return put(g, path, !path || own || view_is_dir(g->in->prefix, path), false);
	for (size_t i = 0; i < sizeof(hook_names) / sizeof(hook_names[0]) && r == 0; i++)
		r = put_in(g, path, hook_names[i], false);
	free(path);
	return r;
}

/* A word of a command.  It counts if it can be no other word: a file that is there, or what
 * the command begins with. */
static int put_word(struct git *g, const char *base, const char *word, bool first, bool command)
{
	AUTO_FREE char *path = NULL;
	bool slash = strchr(word, '/') != NULL;
	char full[GIT_VALUE];
	struct stat st;
	mode_t mode;

	if ((first || !command) && !slash && word[0] != '~')
		return 0;
	path = git_path(g, base, word);
	if (!path)
		return no_path(g);
	(void)snprintf(full, sizeof(full), "%s%s", g->in->prefix, path);
	mode = stat(full, &st) == 0 ? st.st_mode : 0;
	if (mode ? !S_ISREG(mode) || !(command || (mode & 0111)) : !first || !command)
		return 0;
	return put(g, io_steal_ptr(&path), false, true);
}

static int put_words(struct git *g, const char *base, const struct value *v)
{
	static const char blank[] = " \t\r\n\f\v'\"`;|&()<>$=";
	bool command = v->kind == KIND_PROGRAM || v->text[0] == '!', first = true;
	char *save = NULL, *text = strdup(v->text + (v->text[0] == '!'));
	int r = text ? 0 : no_path(g);

	for (char *w = r == 0 ? strtok_r(text, blank, &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, blank, &save)) {
		r = put_word(g, base, w, first, command);
		first = false;
	}
	free(text);
	return r;
}

static int put_values(struct git *g)
{
	int r = 0;

	for (size_t b = 0; b < g->nbases; b++)
		for (size_t i = 0; i < g->nvalues && r == 0; i++)
			r = g->values[i].kind == KIND_HOOKS ?
				    put_hooks(g, git_path(g, g->bases[b], g->values[i].text),
					      g->which != GIT_OTHER && b == 0) :
				    put_words(g, g->bases[b], &g->values[i]);
	return r;
}

static int add_value(struct git *g, enum kind kind, const char *text)
{
	struct value *grown;

	/* the many values that are no program */
	if (kind == KIND_ANY && text[0] != '!' &&
	    (!strchr(text, '/') || strstr(text, "refs/") || strstr(text, "://")))
		return 0;
	for (size_t i = 0; i < g->nvalues; i++)
		if (g->values[i].kind == kind && !strcmp(g->values[i].text, text))
			return 0;
	grown = reallocarray(g->values, g->nvalues + 1, sizeof(*grown));
	if (!grown)
		return rt_fail(g->err, ENOMEM, "out of memory");
	g->values = grown;
	grown[g->nvalues] = (struct value){ .text = strdup(text), .kind = kind };
	return grown[g->nvalues].text ? g->nvalues++, 0 : rt_fail(g->err, ENOMEM, "out of memory");
}

static int take_value(struct git *g, enum kind kind, bool include, const char *dir,
		      const char *value);

/* "%(prefix)/" is where git was installed, which only git knows: each folder that can be
 * meant is taken. */
static int take_prefixed(struct git *g, enum kind kind, bool include, const char *rest)
{
	static const char *const usual[] = { "", "/usr", "/usr/local" };
	const char *path = getenv("PATH");
	char value[GIT_VALUE];
	int r = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && r == 0; i++) {
		(void)snprintf(value, sizeof(value), "%s/%s", usual[i], rest);
		r = take_value(g, kind, include, "/", value);
	}
	for (; path && *path && r == 0; path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (path[0] == '/' && snprintf(value, sizeof(value), "%.*s/../%s", (int)n, path,
					       rest) < (int)sizeof(value))
			r = take_value(g, kind, include, "/", value);
		path += n;
	}
	return r;
}

static int take_value(struct git *g, enum kind kind, bool include, const char *dir,
		      const char *value)
{
	char *path;
	int r;

	if (!strncmp(value, ":(optional)", 11))
		value += 11;
	if (!strncmp(value, "%(prefix)/", 10))
		return take_prefixed(g, kind, include, value + 10);
	if (!*value)
		return 0;
	if (kind == KIND_WORKTREE)
		return add_base(g, absolute(g->bases[1], value));
	if (kind != KIND_PATH || !include)
		return add_value(g, kind == KIND_PATH ? KIND_PROGRAM : kind, value);
	path = git_path(g, dir, value);
	r = put(g, path ? strdup(path) : NULL, false, false);
	if (r == 0)
		return enqueue(g, path);
	free(path);
	return r;
}

static enum kind kind_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strlen(settings[i].name) == len && !strncasecmp(settings[i].name, name, len))
			return settings[i].kind;
	return KIND_ANY;
}

/* SECTION.NAME or SECTION.SUB.NAME */
static int take_named(struct git *g, const char *key, const char *dir, const char *value)
{
	const char *name = strrchr(key, '.');

	name = name ? name + 1 : key;
	return take_value(g, kind_of(name, strlen(name)), !strncasecmp(key, "include", 7), dir,
			  value);
}

/* --- the text of a configuration ------------------------------------------------- */

/* Unquotes what follows a '='.  In `spaced` each blank outside of quotes is a space, as in git
 * before 2.45.  False: it is longer than any path. */
static bool read_value(const char *s, char out[GIT_VALUE], char spaced[GIT_VALUE])
{
	bool quoted = false;
	size_t n = 0, end = 0; /* end: after the last byte that counts */

	for (; *s && *s != '\n' && n < GIT_VALUE - 1; s++) {
		char c = *s;

		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (c == '#' || c == ';'))
			break;
		if (!quoted && strchr(" \t\r", c)) { /* git's blanks: no \v, no \f */
			/* also behind a continued line */
			if (n > 0) {
				spaced[n] = ' ';
				out[n++] = c;
			}
			continue;
		}
		if (c == '\\' && s[1]) {
			c = *++s;
			if (c == '\r' && s[1] == '\n')
				c = *++s;
			if (c == '\n')
				continue;
			c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'b' ? '\b' : c;
		}
		spaced[n] = out[n] = c;
		end = ++n;
	}
	out[end] = spaced[end] = '\0';
	return n < GIT_VALUE - 1;
}

/* What stands around one '=' of a line. */
static int take_setting(struct git *g, const char *line, const char *eq, bool include,
			const char *dir)
{
	char value[GIT_VALUE], spaced[GIT_VALUE];
	const char *end = eq, *name;
	enum kind kind;
	int r;

	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	for (name = end; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '-');)
		name--;
	if (name == end || !read_value(eq + 1, value, spaced))
		return 0;
	kind = kind_of(name, (size_t)(end - name));
	r = take_value(g, kind, include, dir, value);
	return r == 0 && strcmp(value, spaced) != 0 ? take_value(g, kind, include, dir, spaced) : r;
}

static bool mentions_include(const char *s, const char *end)
{
	for (; end - s >= 7; s++)
		if (!strncasecmp(s, "include", 7))
			return true;
	return false;
}

/* A section ends only where one surely begins: at a '[' that begins a line which continues no
 * other. */
static int read_config(struct git *g, const char *s, const char *dir)
{
	bool include = true, continued = false;
	int r = 0;

	if (!strncmp(s, "\xef\xbb\xbf", 3)) /* a byte order mark */
		s += 3;
	while (*s && r == 0) {
		const char *first = s + strspn(s, " \t\r"), *end = s + strcspn(s, "\n");

		if (*first == '[')
			include = mentions_include(first, end) || (include && continued);
		if (*first != '#' && *first != ';')
			for (const char *eq = s; r == 0 && (eq = memchr(eq, '=', (size_t)(end - eq)));
			     eq++)
				r = take_setting(g, s, eq, include, dir);
		continued = end > s && (end[-1] == '\\' ||
					(end - s > 1 && end[-1] == '\r' && end[-2] == '\\'));
		s = *end ? end + 1 : end;
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
		r = put_in(g, common, "hooks", g->which != GIT_OTHER || view_is_dir(g->in->prefix, path));
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
	return r == 0 ? put(g, strdup(g->dot_git), false, false) : r;
}

/* A file that the environment makes a part of git's configuration.  No rule of the floor
 * names it, so it is kept, too. */
static int enqueue_named(struct git *g, const char *dir, const char *name)
{
	const char *home = g->in->home;
	AUTO_FREE char *usual = home ? absolute(home, ".config/git/config") : NULL;
	char *path = absolute(dir, name);
	int r = 0;

	/* GIT_CONFIG_GLOBAL=/dev/null is usual: no file, and a run writes that device */
	if (path && !strncmp(path, "/dev/", 5)) {
		free(path);
		return 0;
	}
	if (path && (!usual || strcmp(path, usual) != 0))
		r = put(g, strdup(path), false, false);
	if (r == 0)
		return enqueue(g, path);
	free(path);
	return r;
}

/* GIT_CONFIG_COUNT, GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 … */
static int take_counted(struct git *g)
{
	const char *count = getenv("GIT_CONFIG_COUNT");
	unsigned long n = count ? strtoul(count, NULL, 10) : 0;
	int r = 0;

	if (n > GIT_MAX_PATHS)
		return rt_fail(g->err, E2BIG, "GIT_CONFIG_COUNT is more than %u", GIT_MAX_PATHS);
	for (unsigned long i = 0; i < n && r == 0; i++) {
		char name[60];
		const char *key, *value;

		(void)snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%lu", i);
		key = getenv(name);
		(void)snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%lu", i);
		value = getenv(name);
		if (key && value)
			r = take_named(g, key, g->base, value);
	}
	return r;
}

/* 'core.hooksPath'='x' 'a.b=c': each quote that is not at a '=' parts two settings. */
static int take_parameters(struct git *g)
{
	const char *given = getenv("GIT_CONFIG_PARAMETERS");
	AUTO_FREE char *text = given ? strdup(given) : NULL;
	char *to = text;

	for (char *s = text; s && *s; s++)
		if (*s != '\'')
			*to++ = *s;
		else if (s[1] != '=' && (s == text || s[-1] != '='))
			*to++ = '\n';
	if (to)
		*to = '\0';
	return text ? read_config(g, text, g->base) : given ? no_path(g) : 0;
}

/*
 * What the environment adds.  The user's next git has the same environment as polrun, as
 * far as polrun can know.
 */
static int find_named(struct git *g)
{
	static const char *const names[] = { "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM" };
	const char *xdg = getenv("XDG_CONFIG_HOME");
	int r = xdg && *xdg ? enqueue_named(g, xdg, "git/config") : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			r = enqueue_named(g, g->base, v);
	}
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && r == 0; i++) {
		const char *v = getenv(variables[i].name);

		if (v && *v)
			r = add_value(g, variables[i].kind, v);
	}
	if (r == 0)
		r = take_counted(g);
	return r == 0 ? take_parameters(g) : r;
}

static int find_repository(struct git *g, char **ret_dir, char **ret_common)
{
	AUTO_FREE char *text = NULL;
	bool led = false;
	int r = read_text(g, g->dot_git, &text); /* reading a directory fails */

	if (r == 0 && text && !strncmp(text, "gitdir:", 7)) {
		r = linked_repository(g, text, ret_dir);
		led = *ret_dir != NULL;
	}
	if (r == 0 && !*ret_dir) {
		*ret_dir = strdup(g->dot_git);
		r = *ret_dir ? 0 : no_path(g);
	}
	if (r == 0)
		r = find_common(g, *ret_dir, ret_common);
	if (r == 0 && (led || (g->link && !text) ||
		       (*ret_common && strcmp(*ret_common, *ret_dir) != 0)))
		r = put_all(g, *ret_dir, *ret_common);
	/* a hook of a push to the repository runs in its own directory */
	if (r == 0)
		r = add_base(g, strdup(g->base));
	if (r == 0)
		r = add_base(g, strdup(*ret_dir));
	return r;
}

static int find_files(struct git *g)
{
	AUTO_FREE char *dir = NULL, *common = NULL;
	const char *home = g->in->home;
	int r = find_repository(g, &dir, &common);

	if (r == 0 && common)
		r = enqueue(g, absolute(common, "config"));
	if (r == 0)
		r = enqueue(g, absolute(dir, "config.worktree"));
	if (r == 0 && home)
		r = enqueue(g, absolute(home, ".gitconfig"));
	if (r == 0 && home)
		r = enqueue(g, absolute(home, ".config/git/config"));
	if (r == 0)
		r = find_named(g);
	/* where a git that was built here looks */
	if (r == 0)
		r = enqueue(g, strdup("/usr/local/etc/gitconfig"));
	return r == 0 ? enqueue(g, strdup("/etc/gitconfig")) : r;
}

/* The queue grows while it is read. */
static int read_queue(struct git *g)
{
	int r = 0;

	for (; g->nread < g->nqueue && r == 0; g->nread++) {
		AUTO_FREE char *text = NULL;
		AUTO_FREE char *dir = strdup(g->queue[g->nread]);

		r = dir ? read_text(g, g->queue[g->nread], &text) : no_path(g);
		if (r == 0 && text) {
			*strrchr(dir, '/') = '\0';
			r = read_config(g, text, dir);
		}
	}
	return r;
}

/* --- what git says --------------------------------------------------------------------- */

static bool is_queued(const struct git *g, const char *path)
{
	for (size_t i = 0; i < g->nqueue; i++)
		if (!strcmp(g->queue[i], path))
			return true;
	return false;
}

/* The next setting of the answer, ORIGIN NUL NAME [newline VALUE] NUL; `value` is NULL where
 * there is none.  The newline becomes a NUL. */
static bool next_setting(const struct git_answer *said, size_t *at, char **origin, char **name,
			 char **value)
{
	if (*at >= said->len)
		return false;
	*origin = said->text + *at;
	*at += strlen(*origin) + 1;
	if (*at >= said->len)
		return false;
	*name = said->text + *at;
	*at += strlen(*name) + 1;
	*value = strchr(*name, '\n');
	if (*value)
		++*value;
	return true;
}

/* The file from which a setting comes, malloc'ed; NULL: it is from none. */
static char *file_of(const struct git *g, const char *origin)
{
	return strncmp(origin, "file:", 5) ? NULL : absolute(g->in->project, origin + 5);
}

static int take_answer(struct git *g, const struct git_answer *said)
{
	char *origin, *name, *value;
	size_t at = 0;
	int r = 0;

	while (r == 0 && next_setting(said, &at, &origin, &name, &value)) {
		AUTO_FREE char *file = file_of(g, origin), *key = NULL;
		const char *dir = g->in->project;

		if (file && !is_queued(g, file)) {
			r = put(g, strdup(file), false, true);
			if (r == 0)
				r = enqueue(g, strdup(file));
		}
		/* what git_ask_now() has git include */
		if (!value || r < 0 || (!file && is_queued(g, value)))
			continue;
		if (file) {
			*strrchr(file, '/') = '\0';
			dir = file;
		}
		key = strndup(name, (size_t)(value - name) - 1);
		r = key ? take_named(g, key, dir, value) : no_path(g);
	}
	return r;
}

static void hash_file(crypto_generichash_state *h, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	int64_t is = io_read_file(path, GIT_FILE_MAX, &text, &len);

	is = is < 0 ? is : (int64_t)len;
	(void)crypto_generichash_update(h, (const unsigned char *)path, strlen(path) + 1);
	(void)crypto_generichash_update(h, (const unsigned char *)&is, sizeof(is));
	if (is > 0)
		(void)crypto_generichash_update(h, (const unsigned char *)text, len);
	free(text);
}

/* A digest of what the answer depends on, also of files that this reader does not know of. */
static void stamp(const struct git *g, const struct git_ask *a, const struct git_answer *said,
		  char ret[GIT_ASK_STAMP + 1])
{
	unsigned char sum[GIT_ASK_STAMP / 2];
	char *origin, *name, *value, *last = NULL;
	crypto_generichash_state h;
	size_t at = 0;

	(void)crypto_generichash_init(&h, NULL, 0, sizeof(sum));
	git_ask_hash(a, &h);
	for (size_t i = 0; i < g->nqueue; i++)
		hash_file(&h, g->queue[i]);
	while (said && next_setting(said, &at, &origin, &name, &value)) {
		AUTO_FREE char *file = file_of(g, origin);

		if (!file || is_queued(g, file) || (last && !strcmp(last, origin)))
			continue;
		hash_file(&h, file);
		last = origin;
	}
	(void)crypto_generichash_final(&h, sum, sizeof(sum));
	(void)sodium_bin2hex(ret, GIT_ASK_STAMP + 1, sum, sizeof(sum));
}

/* Git is asked again where a file has changed meanwhile, or where it has named a file that was
 * not among those that it was to read. */
static int ask_git(struct git *g)
{
	enum { TRIES = 3 };
	struct git_answer said = { .text = NULL };
	char before[GIT_ASK_STAMP + 1], after[GIT_ASK_STAMP + 1];
	struct git_ask a;
	bool done = false;
	int r = 0;

	git_ask_begin(&a, g->in);
	if (a.git >= 0 && git_ask_kept(&a, &said)) {
		stamp(g, &a, &said, after);
		done = !strcmp(said.stamp, after);
		if (done)
			r = take_answer(g, &said);
	}
	for (int i = 0; i < TRIES && a.git >= 0 && !done && r == 0; i++) {
		size_t n = g->nqueue;

		free(said.text);
		stamp(g, &a, NULL, before);
		if (git_ask_now(&a, g->queue, n, &said) < 0)
			break;
		r = take_answer(g, &said);
		done = g->nqueue == n;
		if (r == 0)
			r = read_queue(g);
		if (r == 0 && done && g->nqueue == n) {
			stamp(g, &a, NULL, after);
			done = !strcmp(before, after);
			memcpy(said.stamp, after, sizeof(after));
			if (done)
				git_ask_keep(&a, &said);
		}
	}
	free(said.text);
	git_ask_end(&a);
	return r;
}

/* --- the repositories ------------------------------------------------------------------ */

static int read_all(struct git *g)
{
	int r = find_files(g);

	if (r == 0)
		r = read_queue(g);
	if (r == 0 && g->which == GIT_PROJECT)
		r = ask_git(g);
	if (r == 0)
		r = put_values(g);
	for (size_t i = 0; i < g->nqueue; i++)
		free(g->queue[i]);
	for (size_t i = 0; i < g->nbases; i++)
		free(g->bases[i]);
	for (size_t i = 0; i < g->nvalues; i++)
		free(g->values[i].text);
	free(g->values);
	return r;
}

int view_git_other(const struct view_in *in, const char *base, const char *dot_git, bool link,
		   size_t max, struct sandbox_git **ret, size_t *ret_n, struct rt_err *err)
{
	struct git g = { .in = in, .base = base, .dot_git = dot_git, .which = GIT_OTHER,
			 .link = link, .v = *ret, .n = *ret_n, .max = max, .err = err };
	int r = read_all(&g);

	*ret = g.v;
	*ret_n = g.n;
	return r;
}

/* One that a rule of the floor does not know, and that is not looked for below the project. */
static int add_repository(const struct view_in *in, enum which which, const char *base,
			  const char *dot_git, struct sandbox_git **ret, size_t *ret_n,
			  struct rt_err *err)
{
	struct git g = { .in = in, .base = base, .dot_git = dot_git, .which = which,
			 .link = which != GIT_PROJECT, .v = *ret, .n = *ret_n,
			 .max = *ret_n + GIT_MAX_PATHS, .err = err };
	int r = strlen(dot_git) < 4096 ? read_all(&g) : 0;

	*ret = g.v;
	*ret_n = g.n;
	return r;
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
		AUTO_FREE char *named = v && *v ? absolute(in->project, v) : NULL;

		if (named && strcmp(named, dot_git) != 0)
			r = add_repository(in, GIT_ABOVE, in->project, named, ret, ret_n, err);
	}
	return r;
}
