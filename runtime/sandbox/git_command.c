/*
 * Takes a shell's command apart into words, more of them than the shell would see: the text of each
 * substitution is taken apart as well, and what a variable stands for is left open.  Each word that
 * names a folder is one in which the other words are looked for, as behind `cd`.  A word too many
 * keeps a file from being written that the command mentions; a word too few lets a run write a
 * program that git starts outside of the sandbox.
 */
#include "runtime/sandbox/git_command.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"

#define MAX_WORD 4096u
enum { MAX_WORDS = 256, MAX_FOLDERS = 16, MAX_DEPTH = 16, MAX_MATCHES = 64 };

/* Stands in a word for what a variable or a substitution leaves open.  No path has this byte. */
static const char OPEN = '\001';

struct word {
	char *text;
	bool begins; /* a command begins with it */
	bool script; /* it is the first operand of a command: `sh tools/x.sh` */
};

struct reader {
	struct git_repo *g;
	struct word v[MAX_WORDS];
	size_t n;
	char word[MAX_WORD];
	size_t len;
	bool any, begins, script, option, assigned;
};

/* --- words ----------------------------------------------------------------------------- */

static int add_word(struct reader *r, const char *text)
{
	if (r->n == MAX_WORDS)
		return rt_fail(r->g->err, E2BIG, "a command of git's configuration of %s has more "
			       "than %d words", r->g->base, MAX_WORDS);
	r->v[r->n] = (struct word){ .text = strdup(text), .begins = r->begins,
				    .script = r->script && text[0] != '-' };
	return r->v[r->n].text ? r->n++, 0 : rt_fail(r->g->err, ENOMEM, "out of memory");
}

/* Is the word no program, or one that runs the command behind it? */
static bool goes_on(const char *word)
{
	static const char *const words[] = { "!", "{", "if", "then", "elif", "else", "while", "until",
					     "do", "exec", "command", "env", "nice", "nohup", "setsid",
					     "time", "stdbuf", "sudo", "xargs" };
	const char *name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

static int end_word(struct reader *r)
{
	int ret = 0;

	if (!r->any)
		return 0;
	r->word[r->len] = '\0';
	ret = add_word(r, r->word);
	/* folders in a list, such as PATH=tools:$PATH */
	for (char *save = NULL, *w = strchr(r->word, ':') ? strtok_r(r->word, ":", &save) : NULL;
	     w && ret == 0; w = strtok_r(NULL, ":", &save))
		ret = add_word(r, w);
	/* the next word may be the value of an option, before the script: `bash -o pipefail tools/x` */
	r->script = r->begins || (r->script && (r->word[0] == '-' || (r->option && !strchr(r->word, '/'))));
	r->option = r->word[0] == '-';
	/* `A=1 sh x`: the value of an assignment is no program either */
	r->begins = r->begins && (r->assigned || goes_on(r->word));
	r->len = 0;
	r->any = false;
	return ret;
}

static void put(struct reader *r, char c)
{
	if (r->len < MAX_WORD - 1)
		r->word[r->len++] = c;
	r->any = true;
}

/* The length of the text up to the byte that closes what `open` has opened. */
static size_t find_end(const char *s, char open, char close)
{
	size_t depth = 1, i;

	for (i = 0; s[i]; i++) {
		if (s[i] == '\\' && s[i + 1])
			i++;
		else if (s[i] == close && --depth == 0)
			break;
		else if (s[i] == open)
			depth++;
	}
	return i;
}

static int read_text(struct reader *r, const char *s, size_t n, int depth);

/* The text of a substitution, or of quotes, is read as a command of its own beside the word that it is
 * in. */
static int read_inner(struct reader *r, const char *s, size_t n, int depth)
{
	struct reader inner = { .g = r->g, .begins = true };
	int ret = depth < MAX_DEPTH ? read_text(&inner, s, n, depth + 1) :
				      rt_fail(r->g->err, E2BIG, "a command of git's configuration of "
					      "%s is nested too deeply", r->g->base);

	for (size_t i = 0; i < inner.n; i++) {
		bool begins = r->begins, script = r->script;

		r->begins = inner.v[i].begins;
		r->script = inner.v[i].script;
		if (ret == 0)
			ret = add_word(r, inner.v[i].text);
		r->begins = begins;
		r->script = script;
		free(inner.v[i].text);
	}
	return ret;
}

/* At a '$'.  *ret_used: the bytes that were read. */
static int read_dollar(struct reader *r, const char *s, size_t *ret_used, int depth)
{
	bool braces = s[1] == '{';
	const char *name = s + 1 + braces;
	size_t n = 0;

	if (s[1] == '(') {
		n = find_end(s + 2, '(', ')');
		*ret_used = n + 2 + (s[n + 2] != '\0');
		put(r, OPEN);
		return read_inner(r, s + 2, n, depth);
	}
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	put(r, n == 4 && !strncmp(name, "HOME", 4) && r->len == 0 ? '~' : OPEN);
	*ret_used = 1 + n + (n == 0 && !braces && s[1] && strchr("@*#?$!-", s[1]));
	if (!braces)
		return 0;
	n = find_end(s + 2, '{', '}');
	*ret_used = n + 2 + (s[n + 2] != '\0');
	return read_inner(r, s + 2, n, depth);
}

/* Quoted text can be code: sh -c 'x y'. */
static int read_quoted(struct reader *r, const char *s, size_t n, int depth)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(" \t\n;|&=", s[i]))
			return read_inner(r, s, n, depth);
	return 0;
}

static int read_text(struct reader *r, const char *s, size_t n, int depth)
{
	size_t from = 0; /* behind the open quote */
	bool quoted = false;
	int ret = 0;

	for (size_t i = 0, used = 1; i < n && s[i] && ret == 0; i += used) {
		used = 1;
		if (s[i] == '\\' && s[i + 1]) {
			if (s[i + 1] != '\n')
				put(r, s[i + 1]);
			used = 2;
		} else if (s[i] == '"') {
			if (quoted)
				ret = read_quoted(r, s + from, i - from, depth);
			quoted = !quoted;
			from = i + 1;
			r->any = true;
		} else if (s[i] == '\'' && !quoted) {
			size_t len = strcspn(s + i + 1, "'");

			for (size_t k = 0; k < len; k++)
				put(r, s[i + 1 + k]);
			r->any = true;
			ret = read_quoted(r, s + i + 1, len, depth);
			used = len + 1 + (s[i + 1 + len] != '\0');
		} else if (s[i] == '$') {
			ret = read_dollar(r, s + i, &used, depth);
		} else if (s[i] == '`') {
			size_t len = strcspn(s + i + 1, "`");

			put(r, OPEN);
			ret = read_inner(r, s + i + 1, len, depth);
			used = len + 1 + (s[i + 1 + len] != '\0');
		} else if (!quoted && strchr(" \t\r\n\f\v;|&()<>={}!", s[i])) {
			ret = end_word(r);
			/* also behind the '=' of an assignment, and a reserved word */
			if (!strchr(" \t\r<>", s[i]))
				r->begins = true;
			r->assigned = s[i] == '=';
		} else {
			put(r, s[i]);
		}
	}
	return ret == 0 ? end_word(r) : ret;
}

/* --- files ----------------------------------------------------------------------------- */

/* The mode of what the path leads to.  0 if stat(2) fails: then no program can be started from there either. */
static mode_t mode_of(const struct git_repo *g, const char *path)
{
	char full[8300];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", g->in->prefix, path) >= (int)sizeof(full))
		return 0;
	return stat(full, &st) == 0 ? st.st_mode : 0;
}

static int add_file(struct git_repo *g, const char *path, bool command)
{
	mode_t mode = mode_of(g, path);

	if (!S_ISREG(mode) || !(command || (mode & 0111)))
		return 0;
	return git_repo_add_path(g, strdup(path), false, true);
}

static int add_matches(struct git_repo *g, const char *path, bool command)
{
	size_t skip = strlen(g->in->prefix);
	char full[8300];
	glob_t found = { 0 };
	int ret = 0, r;

	if (!strpbrk(path, "*?[") ||
	    snprintf(full, sizeof(full), "%s%s", g->in->prefix, path) >= (int)sizeof(full))
		return 0;
	r = glob(full, GLOB_NOSORT, NULL, &found);
	if (r != 0 && r != GLOB_NOMATCH)
		ret = -ENOMEM;
	else if (found.gl_pathc > MAX_MATCHES)
		ret = rt_fail(g->err, E2BIG, "a command of git's configuration of %s names "
			      "more than %d files", g->base, MAX_MATCHES);
	for (size_t i = 0; i < found.gl_pathc && ret == 0; i++)
		ret = add_file(g, found.gl_pathv[i] + skip, command);
	globfree(&found);
	return ret;
}

/* What the word may name in any folder: all of it, or what follows what is open.  Behind something
 * open each part of the path can be the first one below the folder. */
static const char *next_name(const char *word, const char *at)
{
	const char *open = strrchr(word, OPEN);

	if (!at)
		return open ? open + 1 + strspn(open + 1, "/") : word;
	at = open ? strchr(at, '/') : NULL;
	return at ? at + strspn(at, "/") : NULL;
}

/* A file that is absent, and with this name would be run: with it a command begins, or it is what a
 * command runs (`sh tools/x.sh`, and `difftool -x ./x` of an alias). */
static bool may_be_made(const struct word *w, const char *name, bool command)
{
	const char *text = w->text;

	if (strpbrk(name, "*?[") || name != next_name(text, NULL) || !strchr(text, '/'))
		return false;
	return (command && (w->begins || w->script)) || strchr("./~", text[0]) || text[0] == OPEN;
}

static int add_names(struct git_repo *g, const char *dir, bool is_base, const struct word *w,
		     bool first, bool command, bool alias)
{
	int ret = 0;

	for (const char *name = next_name(w->text, NULL); name && *name && ret == 0;
	     name = next_name(w->text, name)) {
		bool slash = strchr(w->text, '/') != NULL;
		AUTO_FREE char *path = NULL;

		/* a name without '/' that begins a command is found on PATH, where no folder of the
		 * project is unless a word says so */
		if (!slash && name[0] != '~' && (!command || (first && is_base)))
			continue;
		path = git_repo_expand_path(g, dir, name);
		if (!path)
			return git_repo_fail_path(g);
		ret = add_file(g, path, command);
		if (ret == 0)
			ret = add_matches(g, path, command);
		if (ret == 0 && (command || alias) && may_be_made(w, name, command) &&
		    !mode_of(g, path))
			ret = git_repo_add_path(g, io_steal_ptr(&path), false, true);
	}
	return ret;
}

/* The folder itself and those that words name in it. */
static int find_folders(struct reader *r, const char *base, char *dirs[MAX_FOLDERS], size_t *ret_n)
{
	*ret_n = 0;
	dirs[(*ret_n)++] = strdup(base);
	if (!dirs[0])
		return rt_fail(r->g->err, ENOMEM, "out of memory");
	for (size_t i = 0; i < r->n; i++)
		for (const char *name = next_name(r->v[i].text, NULL); name && *name;
		     name = next_name(r->v[i].text, name)) {
			char *path = git_repo_expand_path(r->g, base, name);
			bool known = !path || !S_ISDIR(mode_of(r->g, path));

			int failed = path ? 0 : git_repo_fail_path(r->g);

			if (failed < 0)
				return failed;
			for (size_t k = 0; k < *ret_n && !known; k++)
				known = !strcmp(dirs[k], path);
			if (!known && *ret_n < MAX_FOLDERS)
				dirs[(*ret_n)++] = io_steal_ptr(&path);
			else if (!known)
				return free(path), rt_fail(r->g->err, E2BIG, "a command of git's configuration of %s "
							   "names more than %d folders", r->g->base, MAX_FOLDERS);
			free(path);
		}
	return 0;
}

/* `-O./x`: the value of an option. */
static int add_attached(struct reader *r)
{
	size_t n = r->n;
	int ret = 0;

	for (size_t i = 0; i < n && ret == 0; i++)
		if (r->v[i].text[0] == '-' && r->v[i].text[1] && strchr("./~", r->v[i].text[2]) &&
		    r->v[i].text[2])
			ret = add_word(r, r->v[i].text + 2);
	return ret;
}

int git_command_add_paths(struct git_repo *g, const char *base, const char *text, bool command,
			  bool alias)
{
	struct reader r = { .g = g, .begins = true };
	char *dirs[MAX_FOLDERS];
	size_t ndirs = 0;
	int ret = read_text(&r, text, strlen(text), 0);

	if (ret == 0)
		ret = add_attached(&r);
	if (ret == 0)
		ret = find_folders(&r, base, dirs, &ndirs);
	for (size_t d = 0; d < ndirs; d++)
		for (size_t i = 0; i < r.n && ret == 0; i++)
			ret = add_names(g, dirs[d], d == 0, &r.v[i], i == 0, command, alias);
	for (size_t d = 0; d < ndirs; d++)
		free(dirs[d]);
	for (size_t i = 0; i < r.n; i++)
		free(r.v[i].text);
	return ret;
}
