/*
 * Which wrappers and shells need no permission of their own: those of which the table says
 * so, if they are surely these programs, and run nothing but what their words show.
 */
#include "runtime/line/cmd_clear.h"
#include "runtime/line/cmd_text.h"

bool cmd_is_itself(const struct line_facts *f, const struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	const struct line_program *t;
	const struct line_pin *pin;
	const char *base;
	size_t n;

	if (!sh_is_literal(w) || !cmd_base(w, &base, &n))
		return false;
	/* under another name (`timeout-9`, or `also`) it needs a permission of its own */
	t = cmd_program(f, base, n);
	if (!t || t->name.len != n || memcmp(pb_strp(f, t->name), base, n) != 0)
		return false;
	if (n == w->seg.n)
		return true;
	pin = cmd_pin(f, base, n);
	if (!pin)
		return cmd_trusted_place(w->seg.p, w->seg.n);
	return pin->path.len == w->seg.n &&
	       memcmp(pb_strp(f, pin->path), w->seg.p, w->seg.n) == 0;
}

/* --- a shell's options --------------------------------------------------------------------- */

static bool is_called(const struct cmd_part *p, const char *name)
{
	const char *base;
	size_t n;

	return cmd_base(p->words[0].w, &base, &n) && n == strlen(name) &&
	       memcmp(base, name, n) == 0;
}

static bool is_one_of(const struct sh_word *w, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cmd_lit(w, names[i]))
			return true;
	return false;
}

/*
 * -k, -o allexport, -O, --posix and the like change how the text is read; -i reads aliases
 * and goes on after errors. With -c and -s dash reads its standard input as well.
 */
static bool plain_options(const struct cmd_part *p)
{
	static const char *const words[] = { "--login", "--norc", "--noprofile" };
	static const char *const modes[] = { "pipefail", "errexit", "nounset", "xtrace" };
	bool code = false, input = false;

	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;
		uint32_t values = 0;

		if (!sh_is_literal(w))
			return false;
		if (is_one_of(w, words, sizeof(words) / sizeof(words[0])))
			continue;
		/* `+x` is an option as well, and others may follow it */
		if (w->seg.n && w->seg.p[0] == '+')
			return false;
		if (!w->seg.n || w->seg.p[0] != '-' || cmd_lit(w, "--"))
			break;
		for (uint32_t k = 1; k < w->seg.n; k++) {
			if (!strchr("celosuvx", w->seg.p[k]))
				return false;
			values += w->seg.p[k] == 'o';
			code |= w->seg.p[k] == 'c';
			input |= w->seg.p[k] == 's';
		}
		for (; values; values--)
			if (++i >= p->nwords ||
			    !is_one_of(p->words[i].w, modes, sizeof(modes) / sizeof(modes[0])))
				return false;
		if (w->seg.n == 1)
			break;
	}
	return !code || !input;
}

bool cmd_plain_shell(const struct cmd_part *p)
{
	return (is_called(p, "bash") || is_called(p, "dash") || is_called(p, "sh")) &&
	       plain_options(p);
}

/* --- zsh, ksh ---------------------------------------------------------------------------------- */

/*
 * Text that zsh reads as bash does, whatever options its start-up files have set: plain
 * words in pipes and lists. Not '=', but in an option: `path=/x` sets PATH, and `=rm` is
 * the path of rm.
 */
static bool plain_text(const char *p, size_t n)
{
	bool option = false;

	for (size_t i = 0; i < n; i++) {
		char before = i ? p[i - 1] : ' ';

		if (strchr(" \t\n;|&'\"", before))
			option = p[i] == '-';
		if (!p[i] || (p[i] == '\'' && before == '\''))
			return false;
		if (p[i] == '=') {
			if (!option)
				return false;
			option = false;
		} else if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_./:,@+-% \t\n;|&>'\"",
				   p[i])) {
			return false;
		}
	}
	return true;
}

bool cmd_is_foreign(const struct line_facts *f, const struct cmd_part *p, const char *text,
		    size_t n)
{
	const struct pb_str *name = &p->program->name;
	const char *s = pb_strp(f, *name);

	return name->len == 3 && (memcmp(s, "zsh", 3) == 0 || memcmp(s, "ksh", 3) == 0) &&
	       !plain_text(text, n);
}

bool cmd_clear_shell(const struct line_facts *f, const struct cmd_part *p, const char *text,
		     size_t n)
{
	const uint32_t flags = LINE_PF_SHELL | LINE_PF_TRANSPARENT;

	if (!p->program || (p->program->flags & flags) != flags || !cmd_is_itself(f, p))
		return false;
	if (is_called(p, "zsh"))
		return plain_options(p) && plain_text(text, n);
	return cmd_plain_shell(p);
}

/* --- text from the standard input ------------------------------------------------------------- */

/* These read nothing, unless an option says so. */
static const char *const silent[] = {
	":", "true", "false", "echo", "printf", "cd", "export", "set", "test", "[", "pwd",
	"umask", "unset", "local", "return", "exit", "break", "continue", "shift", "type",
	"hash", "wait", "times", "ulimit", "declare", "shopt",
};

/* With these the shell may read on elsewhere. */
static const char *const moving[] = {
	"exec", "eval", ".", "source", "command", "builtin", "trap", "alias", "enable",
};

/* Is there anything to read behind the line in which this byte stands? */
static bool is_last_line(const char *text, size_t n, size_t at)
{
	const char *p = at < n ? memchr(text + at, '\n', n - at) : text;

	for (; p && p < text + n; p++)
		if (!strchr(" \t\n", *p))
			return false;
	return true;
}

/*
 * An input of its own (`</dev/null`, a pipe) does not make a program safe: it may also
 * read `/proc/PID/fd/0` of the shell, or a descriptor that was made of its input (`3<&0`).
 */
bool cmd_keeps_input(const struct sh *sh, const char *text, size_t n)
{
	const struct sh_flow *e;
	const struct sh_cmd *c;

	for (c = sh->first; c; c = c->next) {
		if (c->kind != SH_COMMAND || !c->words)
			continue;
		if (!sh_is_literal(c->words) ||
		    is_one_of(c->words, moving, sizeof(moving) / sizeof(moving[0])))
			return false;
		if (!is_one_of(c->words, silent, sizeof(silent) / sizeof(silent[0])) &&
		    !is_last_line(text, n, c->from))
			return false;
	}
	/* `select` reads an answer */
	for (e = sh->flow; e; e = e->next)
		if (e->kind == SH_F_SETS)
			return false;
	return sh->status == SH_PARSED;
}
