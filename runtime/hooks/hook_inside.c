/*
 * Decides how a line that is allowed is written so that it runs under polrun.  The line
 * itself is one quoted word.  What is put around it only does what a child process cannot
 * do for its parent: change the directory, and leave something in the background.
 */
#include "runtime/hooks/hook_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/in_run.h"
#include "runtime/base/place.h"
#include "runtime/line/shell/shell.h"

/* --- the text --------------------------------------------------------------------- */

struct text {
	char *p;
	size_t n, cap;
	bool lost; /* memory ran out */
};

static void add(struct text *t, const char *s, size_t n)
{
	if (t->n + n + 1 > t->cap) {
		size_t cap = (t->n + n + 1) * 2;
		char *p = t->lost ? NULL : realloc(t->p, cap);

		if (!p) {
			t->lost = true;
			return;
		}
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->n, s, n);
	t->n += n;
	t->p[t->n] = '\0';
}

static void add_str(struct text *t, const char *s)
{
	add(t, s, strlen(s));
}

/* One word in single quotes: the same bytes to sh, bash, dash and zsh, and no alias. */
static void add_word(struct text *t, const char *s, size_t n)
{
	const char *end = s + n;

	add_str(t, "'");
	while (s < end) {
		const char *quote = memchr(s, '\'', (size_t)(end - s));

		add(t, s, (size_t)((quote ? quote : end) - s));
		if (!quote)
			break;
		add_str(t, "'\\''");
		s = quote + 1;
	}
	add_str(t, "'");
}

static void add_option(struct text *t, const char *name, const char *value)
{
	add_str(t, name);
	add_word(t, value, strlen(value));
}

/* --- what stays outside ------------------------------------------------------------------ */

/* What the line does to the shell's directory. */
enum cwd_change { CWD_KEPT, CWD_FIRST, CWD_ELSEWHERE };

struct outside {
	enum cwd_change change;
	char dir[PATH_MAX]; /* CWD_FIRST: physical */
	size_t inner;       /* bytes of the line without a '&' at its end */
	bool background;
};

static bool is_word(const struct sh_word *w, const char *text)
{
	return w && sh_is_literal(w) && w->seg.n == strlen(text) &&
	       memcmp(w->seg.p, text, w->seg.n) == 0;
}

/* May this command change the directory of the shell that reads the line? */
static bool may_move(const struct sh_cmd *c)
{
	static const char *const movers[] = { "cd", "chdir", "pushd", "popd", "eval", "source",
					      ".", "exit", "exec" };
	const struct sh_word *w = c->words;

	if (c->marks & (SH_IN_SUBST | SH_IN_SUBSHELL | SH_IN_PIPE | SH_IN_BACKGROUND))
		return false;
	while (is_word(w, "builtin") || is_word(w, "command"))
		w = w->next;
	if (c->kind == SH_FUNCTION || (w && !sh_is_literal(w)))
		return true;
	for (size_t i = 0; i < sizeof(movers) / sizeof(movers[0]); i++)
		if (is_word(w, movers[i]))
			return true;
	return false;
}

static bool is_cd(const struct sh_cmd *c)
{
	const struct sh_word *w = c->words;

	while (is_word(w, "builtin") || is_word(w, "command"))
		w = w->next;
	return is_word(w, "cd") || is_word(w, "pushd") || is_word(w, "popd");
}

/*
 * What does "cd DIR" at the beginning do?  A DIR outside of the project is not followed:
 * the next line would get another project, and so other walls.
 */
static enum cwd_change first_cd(const struct sh_cmd *c, const struct hook_inside *how,
			   struct outside *out)
{
	const struct sh_word *w = c->words;
	char path[PATH_MAX];
	struct stat st;
	int n;

	if (c->kind != SH_COMMAND || c->marks || c->func || c->parent || c->assigns || c->redirs ||
	    c->nwords != 2 || !is_word(w, "cd"))
		return CWD_ELSEWHERE;
	w = w->next;
	if (!sh_is_literal(w) || (w->flags & (SH_W_GLOB | SH_W_LOCALE)) || w->seg.n == 0 ||
	    w->seg.p[0] == '-' || memchr(w->seg.p, '\0', w->seg.n))
		return CWD_ELSEWHERE;
	n = snprintf(path, sizeof(path), "%s%s%.*s", w->seg.p[0] == '/' ? "" : how->cwd,
		     w->seg.p[0] == '/' ? "" : "/", (int)w->seg.n, w->seg.p);
	if (n < 0 || (size_t)n >= sizeof(path) || !realpath(path, out->dir) ||
	    stat(out->dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return CWD_KEPT; /* it fails */
	return how->follows_cd && place_is_below(out->dir, how->project) ? CWD_FIRST :
									   CWD_ELSEWHERE;
}

/* Between two commands: is there a '&' that ends a list? */
static bool has_end(const char *line, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (line[i] != '&')
			continue;
		if (line[i + 1] == '&')
			i++;
		else if (i == 0 || line[i - 1] != '|')
			return true;
	}
	return false;
}

/* Is the whole line one list of commands that ends with '&'?  Then *ret_inner is its
 * length without. */
static bool is_background(const struct sh *sh, const char *line, size_t n, size_t *ret_inner)
{
	size_t end = n, at = 0;

	for (const struct sh_cmd *c = sh->first; c; c = c->next) {
		if (!(c->marks & SH_IN_BACKGROUND) || c->parent || c->from < at ||
		    has_end(line, at, c->from))
			return false;
		at = c->to;
		/* a here-document would stand behind the '&' */
		for (const struct sh_redir *r = c->redirs; r; r = r->next)
			if (r->op == SH_R_HEREDOC)
				return false;
	}
	while (end && strchr(" \t\n", line[end - 1]))
		end--;
	if (!at || end < at + 1 || line[end - 1] != '&')
		return false;
	for (size_t i = at; i < end - 1; i++)
		if (line[i] != ' ' && line[i] != '\t')
			return false;
	*ret_inner = end - 1;
	return true;
}

static void look(const struct hook_inside *how, const char *line, size_t n, struct outside *out)
{
	size_t size = sh_block_size(n), movers = 0;
	void *block = malloc(size);
	struct sh sh;
	bool moves = false;

	*out = (struct outside){ .inner = n };
	if (!block)
		return;
	if (sh_parse(&sh, block, size, line, n, SH_BASH) != SH_PARSED) {
		free(block);
		return;
	}
	out->background = is_background(&sh, line, n, &out->inner);
	for (const struct sh_cmd *c = sh.first; c; c = c->next) {
		movers += may_move(c);
		moves |= may_move(c) && is_cd(c);
	}
	if (moves)
		out->change = movers == 1 ? first_cd(sh.first, how, out) : CWD_ELSEWHERE;
	free(block);
}

/* --- the line ----------------------------------------------------------------------------- */

/* Agents take a directory over only from a line that succeeds. */
static void add_cd(struct text *t, const struct hook_inside *how, const struct outside *out)
{
	if (!how->keeps_cwd || out->change == CWD_KEPT)
		return;
	if (out->change == CWD_FIRST) {
		/* the line itself may have put a link to another tree in its place */
		add_str(t, " && { ! \\builtin cd -P -- ");
		add_word(t, out->dir, strlen(out->dir));
		add_str(t, " 2>/dev/null || [ \"$PWD\" = ");
		add_word(t, out->dir, strlen(out->dir));
		add_str(t, " ] || exit 126; }");
		return;
	}
	add_str(t, " && { \\builtin printf '%s\\n' ");
	add_option(t, "", "polquery: later commands start in the same directory as this one: only a "
			  "line that begins with 'cd DIR', a directory of the project, and has no "
			  "other cd, changes it");
	add_str(t, " >&2 || :; }");
}

char *hook_inside_line(const struct hook_inside *how, const char *line, struct rt_err *err)
{
	size_t n = strlen(line);
	struct text t = { .p = NULL };
	struct outside out;

	if (n > HOOK_INSIDE_MAX) {
		(void)rt_fail(err, E2BIG, "the line is too long to be run by polrun: put it into "
			      "a file");
		return NULL;
	}
	look(how, line, n, &out);
	add_word(&t, how->polrun, strlen(how->polrun));
	add_option(&t, " --project ", how->project);
	add_option(&t, " --bundle ", how->bundle);
	if (how->signers)
		add_option(&t, " --allowed-signers ", how->signers);
	if (how->require_signed)
		add_str(&t, " --require-signed");
	add_str(&t, how->yes ? " --ask=deny --yes -c " : " --ask=deny -c ");
	add_word(&t, line, out.inner);
	if (out.background)
		add_str(&t, " &");
	else
		add_cd(&t, how, &out);
	if (!t.lost)
		return t.p;
	free(t.p);
	(void)rt_fail(err, ENOMEM, "out of memory");
	return NULL;
}

int hook_inside_polrun(char out[PATH_MAX], struct rt_err *err)
{
	static const char name[] = "polrun";
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
	struct stat st;
	char *slash;

	if (in_run())
		return rt_fail(err, ENOSYS, "this is already inside a run of polrun, which holds no second one: "
			       "use a hook without --run there");
	if (n <= 0)
		return rt_fail_errno(err, errno, "/proc/self/exe (is /proc mounted?)");
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (!slash || (size_t)(slash + 1 - out) + sizeof(name) > PATH_MAX)
		return rt_fail(err, ENOENT, "polquery does not know where it lies");
	memcpy(slash + 1, name, sizeof(name));
	if (stat(out, &st) != 0 || access(out, X_OK) != 0)
		return rt_fail_errno(err, errno, "polrun, which is to run the command, cannot be "
				     "executed: '%.200s'", out);
	if (!S_ISREG(st.st_mode) || (st.st_mode & S_IWOTH))
		return rt_fail(err, EPERM, "polrun, which is to run the command, is not a file "
			       "that only its owner can write: '%.200s'", out);
	return 0;
}
