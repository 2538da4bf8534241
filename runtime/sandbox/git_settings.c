/*
 * Reads the text of git's configuration, and what of it is in the environment.  The last part
 * of a setting's name says what its value may be: a file to include, which is then read as well,
 * a folder to work in, a directory of hooks, or a command.  Hooks and commands are kept until
 * all files have been read, since their paths are relative to a folder that a later setting may
 * name.  What a command names is git_command.c's.
 */
#include "runtime/sandbox/git_settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/git_command.h"
#include "runtime/sandbox/view_host.h"

#define GIT_VALUE 8300

enum kind {
	KIND_ANY,      /* may name a program */
	KIND_ALIAS,    /* is a command of git's, which may name one */
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
	{ "receivepack", KIND_PROGRAM }, { "alternaterefscommand", KIND_PROGRAM },
	{ "recentobjectshook", KIND_PROGRAM }, { "tunnel", KIND_PROGRAM },
	{ "tocmd", KIND_PROGRAM }, { "cccmd", KIND_PROGRAM }, { "headercmd", KIND_PROGRAM },
	{ "sendmailcmd", KIND_PROGRAM }, { "smtpserver", KIND_PROGRAM },
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
	{ "GIT_PROXY_COMMAND", KIND_PROGRAM }, { "EDITOR", KIND_PROGRAM },
	{ "VISUAL", KIND_PROGRAM }, { "PAGER", KIND_PROGRAM },
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

struct git_value {
	char *text;
	enum kind kind;
};

/* --- what a value names ---------------------------------------------------------------- */

static bool holds_project(const struct git_repo *g, const char *path)
{
	return view_at(g->in->project, path) || view_at(g->base, path);
}

/* Takes ownership of `path`.  Where names are not decided one by one, a folder that does not
 * exist can only be kept by keeping the one above it.  That is done for the project's own hooks
 * alone (`own`); another is reported once it has appeared. */
static int put_hooks(struct git_repo *g, char *path, bool own)
{
	int r = 0;

	if (!path || !holds_project(g, path))
		return git_repo_add_path(g, path, !path || own || view_is_dir(g->in->prefix, path),
					 false);
	for (size_t i = 0; i < sizeof(hook_names) / sizeof(hook_names[0]) && r == 0; i++)
		r = git_repo_add_path_in(g, path, hook_names[i], false);
	free(path);
	return r;
}

static int put_command(struct git_repo *g, const char *base, const struct git_value *v)
{
	bool alias = v->text[0] == '!';

	return git_command_add_paths(g, base, v->text + alias, alias || v->kind == KIND_PROGRAM,
				     v->kind == KIND_ALIAS);
}

int git_settings_add_paths(struct git_repo *g)
{
	int r = 0;

	for (size_t b = 0; b < g->nbases; b++)
		for (size_t i = 0; i < g->nvalues && r == 0; i++)
			r = g->values[i].kind == KIND_HOOKS ?
				    put_hooks(g, git_repo_expand_path(g, g->bases[b],
								      g->values[i].text),
					      g->which != GIT_OTHER && b == 0) :
				    put_command(g, g->bases[b], &g->values[i]);
	return r;
}

static int add_value(struct git_repo *g, enum kind kind, const char *text)
{
	struct git_value *grown;

	/* the many values that are no program */
	if (kind == KIND_ALIAS && text[0] != '!' && !strchr(text, '/'))
		return 0;
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
	grown[g->nvalues] = (struct git_value){ .text = strdup(text), .kind = kind };
	return grown[g->nvalues].text ? g->nvalues++, 0 : rt_fail(g->err, ENOMEM, "out of memory");
}

static int take_value(struct git_repo *g, enum kind kind, bool include, const char *dir,
		      const char *value);

/* "%(prefix)/" is where git was installed, which only git knows: each folder that can be
 * meant is taken. */
static int take_prefixed(struct git_repo *g, enum kind kind, bool include, const char *rest)
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

/* Reads one word of a command, without its quotes.  False: it is longer than any setting. */
static bool read_setting(const char *s, char out[GIT_VALUE])
{
	char quote = '\0';
	size_t n = 0;

	for (; *s && (quote || !strchr(" \t;&|)", *s)); s++) {
		if (quote ? *s == quote : *s == '"' || *s == '\'') {
			quote = quote ? '\0' : *s;
			continue;
		}
		if (*s == '\\' && quote != '\'' && s[1])
			s++;
		if (n == GIT_VALUE - 1)
			return false;
		out[n++] = *s;
	}
	out[n] = '\0';
	return true;
}

/* `git -c core.hooksPath=x` in a command, and in an alias. */
static int take_options(struct git_repo *g, const char *text)
{
	char setting[GIT_VALUE], *eq;
	int r = 0;

	for (const char *s = text; r == 0 && (s = strstr(s, "-c")) != NULL; s += 2) {
		const char *at = s + 2 + strspn(s + 2, " \t");

		if (at == s + 2 || (s != text && !strchr(" \t\"'", s[-1])) ||
		    !read_setting(at, setting))
			continue;
		eq = strchr(setting, '=');
		if (!eq)
			continue;
		*eq = '\0';
		if (strchr(setting, '.'))
			r = git_settings_take_named(g, setting, g->base, eq + 1);
	}
	return r;
}

static int take_value(struct git_repo *g, enum kind kind, bool include, const char *dir,
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
		return git_repo_add_base(g, git_repo_join_path(g, g->dir, value));
	if (kind == KIND_PROGRAM || kind == KIND_ALIAS || value[0] == '!') {
		r = take_options(g, value);
		if (r < 0)
			return r;
	}
	if (kind != KIND_PATH || !include)
		return add_value(g, kind == KIND_PATH ? KIND_PROGRAM : kind, value);
	path = git_repo_expand_path(g, dir, value);
	r = git_repo_add_path(g, path ? strdup(path) : NULL, false, false);
	if (r == 0)
		return git_repo_add_file(g, path);
	free(path);
	return r;
}

/* Sections whose settings have names of their own. */
enum { IN_INCLUDE = 1, IN_PAGER = 2, IN_ALIAS = 4 };

/* In one of the sections `in`. */
static enum kind kind_of(const char *name, size_t len, unsigned in, const char *value)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strlen(settings[i].name) == len && !strncasecmp(settings[i].name, name, len))
			return settings[i].kind;
	/* git's own commands that are given another one: "bisect run", "rebase --exec" */
	if ((in & IN_PAGER) || ((in & IN_ALIAS) && (strstr(value, "run") || strstr(value, "exec") ||
						    strstr(value, "-x"))))
		return KIND_PROGRAM;
	return in & IN_ALIAS ? KIND_ALIAS : KIND_ANY;
}

int git_settings_take_named(struct git_repo *g, const char *key, const char *dir,
			    const char *value)
{
	const char *name = strrchr(key, '.');

	unsigned in = !strncasecmp(key, "include", 7) ? IN_INCLUDE : 0;

	in |= !strncasecmp(key, "pager.", 6) ? IN_PAGER : !strncasecmp(key, "alias.", 6) ? IN_ALIAS : 0;
	name = name ? name + 1 : key;
	return take_value(g, kind_of(name, strlen(name), in, value), in & IN_INCLUDE, dir, value);
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
static int take_setting(struct git_repo *g, const char *line, const char *eq, unsigned in,
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
	kind = kind_of(name, (size_t)(end - name), in, value);
	r = take_value(g, kind, in & IN_INCLUDE, dir, value);
	return r == 0 && strcmp(value, spaced) != 0 ? take_value(g, kind, in & IN_INCLUDE, dir, spaced) : r;
}

/* The sections of which the line can be the beginning. */
static unsigned find_sections(const char *s, const char *end)
{
	unsigned in = 0;

	for (; end - s >= 5; s++) {
		in |= end - s >= 7 && !strncasecmp(s, "include", 7) ? IN_INCLUDE : 0;
		in |= !strncasecmp(s, "pager", 5) ? IN_PAGER : 0;
		in |= !strncasecmp(s, "alias", 5) ? IN_ALIAS : 0;
	}
	return in;
}

/* A section ends only where one surely begins: at a '[' that begins a line which continues no
 * other. */
static int read_config(struct git_repo *g, const char *s, const char *dir)
{
	unsigned in = IN_INCLUDE;
	bool continued = false;
	int r = 0;

	if (!strncmp(s, "\xef\xbb\xbf", 3)) /* a byte order mark */
		s += 3;
	while (*s && r == 0) {
		const char *first = s + strspn(s, " \t\r"), *end = s + strcspn(s, "\n");

		if (*first == '[')
			in = find_sections(first, end) | (continued ? in : 0);
		if (*first != '#' && *first != ';')
			for (const char *eq = s;
			     r == 0 && (eq = memchr(eq, '=', (size_t)(end - eq))); eq++)
				r = take_setting(g, s, eq, in, dir);
		continued = end > s && (end[-1] == '\\' ||
					(end - s > 1 && end[-1] == '\r' && end[-2] == '\\'));
		s = *end ? end + 1 : end;
	}
	return r;
}

/* --- the environment and the files ----------------------------------------------------- */

/* GIT_CONFIG_COUNT, GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 … */
static int take_counted(struct git_repo *g)
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
			r = git_settings_take_named(g, key, g->base, value);
	}
	return r;
}

/* 'core.hooksPath'='x' 'a.b=c': each quote that is not at a '=' parts two settings. */
static int take_parameters(struct git_repo *g)
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
	return text ? read_config(g, text, g->base) : given ? git_repo_fail_path(g) : 0;
}

int git_settings_take_environment(struct git_repo *g)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && r == 0; i++) {
		const char *v = getenv(variables[i].name);

		if (v && *v)
			r = add_value(g, variables[i].kind, v);
	}
	if (r == 0)
		r = take_counted(g);
	return r == 0 ? take_parameters(g) : r;
}

/* The queue grows while it is read. */
int git_settings_read_files(struct git_repo *g)
{
	int r = 0;

	for (; g->nread < g->nqueue && r == 0; g->nread++) {
		AUTO_FREE char *text = NULL;
		AUTO_FREE char *dir = strdup(g->queue[g->nread]);

		r = dir ? git_repo_read_text(g, g->queue[g->nread], &text) : git_repo_fail_path(g);
		if (r == 0 && text) {
			*strrchr(dir, '/') = '\0';
			r = read_config(g, text, dir);
		}
	}
	return r;
}

void git_settings_release(struct git_repo *g)
{
	for (size_t i = 0; i < g->nvalues; i++)
		free(g->values[i].text);
	free(g->values);
}
