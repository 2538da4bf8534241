/*
 * Aliases that the line defines. An alias is text: the shell puts it in the place of the
 * first word of a command and reads on, so it may hold the beginning of a command only (an
 * assignment, a redirection, `eval`), and the words behind it are the command. So each
 * command that begins with the name is read once more, with the text in its place.
 *
 * Whether the shell expands it is not known (bash: only with expand_aliases, and only from
 * the next line on; dash: from the next command on). The command as written and the command
 * with the text are both judged, wherever it stands behind the definition. Where that does
 * not say what runs, the commands are opaque.
 */
#include "runtime/line/cmd_change.h"
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_text.h"

static const char any_time[] = "an alias in text that the shell may read at any time";
static const char reserved[] = "an alias whose name the shell reads as its own word";
static const char unclosed[] = "an alias whose text is a part of what follows it";
static const char several[] = "an alias that may have several texts";
static const char function[] = "a function whose name is an alias";

/* --- definitions ---------------------------------------------------------------------- */

static bool is_reserved(const char *p, size_t n)
{
	static const char *const words[] = {
		"!", "{", "}", "[[", "]]", "((", "case", "coproc", "do", "done", "elif", "else",
		"esac", "fi", "for", "function", "if", "in", "select", "then", "time", "until",
		"while",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && memcmp(words[i], p, n) == 0)
			return true;
	return false;
}

/* Does the text end between two words, so that it changes no text but that of its own
 * command? */
static bool is_whole(const struct cmd_an *a, const struct cmd_ctx *c,
		     const struct cmd_alias *alias)
{
	struct sh sh;

	for (uint32_t i = 0; i < alias->text_n; i++) {
		const char *p = alias->text + i;
		uint32_t left = alias->text_n - i;

		if (!*p || strchr("\\'\"`$(){}#\n", *p))
			return false;
		if (left > 1 && memcmp(p, "<<", 2) == 0 && (left == 2 || p[2] != '<'))
			return false;
		i += left > 2 && memcmp(p, "<<<", 3) == 0 ? 2 : 0;
	}
	return sh_parse(&sh, a->mem, (size_t)(a->mem_end - a->mem), alias->text, alias->text_n,
			c->scope->dialects & CMD_IN_BASH ? SH_BASH : SH_POSIX) == SH_PARSED;
}

bool cmd_alias_define(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_alias *from)
{
	struct cmd_proc *e = c->scope->env;
	struct cmd_alias *alias = cmd_alloc(a, sizeof(*alias));

	if (!alias || !cmd_work(a, from->text_n))
		return false;
	*alias = *from;
	alias->whole = is_whole(a, c, alias);
	alias->blank = alias->text_n && strchr(" \t", alias->text[alias->text_n - 1]);
	alias->next = e->aliases;
	e->aliases = alias;
	if (e->late || is_reserved(alias->name, alias->name_n)) {
		cmd_taint(c, e->late ? any_time : reserved);
		e->taint_all = true;
	}
	return true;
}

/* The next alias with this name, from `alias` on; NULL: none, or a limit was exceeded. */
static struct cmd_alias *find(struct cmd_an *a, struct cmd_alias *alias, const char *p, size_t n)
{
	for (; alias; alias = alias->next)
		if (!cmd_work(a, 1))
			return NULL;
		else if (alias->name_n == n && memcmp(alias->name, p, n) == 0)
			return alias;
	return NULL;
}

void cmd_alias_function(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n)
{
	if (find(a, c->scope->env->aliases, name, n))
		cmd_taint(c, function);
}

/* --- commands that begin with one ----------------------------------------------------- */

/* Only a word without quotes and expansions is an alias: its text is its value. */
static bool may_be_alias(const struct sh_word *w)
{
	return w && sh_is_literal(w) && w->seg.n &&
	       !(w->flags & (SH_W_QUOTED | SH_W_BRACED | SH_W_LOCALE));
}

/* Does the word stand in the text as it is? */
static bool stands_in(const struct cmd_scope *s, const struct sh_word *w)
{
	return s->text && w->from < w->to && w->to <= s->text_n &&
	       w->to - w->from == w->seg.n && memcmp(s->text + w->from, w->seg.p, w->seg.n) == 0;
}

static bool has_heredoc(const struct sh_cmd *cmd)
{
	for (const struct sh_redir *r = cmd->redirs; r; r = r->next)
		if (r->op == SH_R_HEREDOC)
			return true;
	return false;
}

struct expanded {
	struct cmd_an *a;
	char *from, *at;
	bool ok;
};

static void add(struct expanded *x, const char *p, size_t n)
{
	/* the text grows at the end of the block, and is reserved afterwards */
	x->ok = x->ok && (size_t)(x->a->mem_end - x->at) > n + 8;
	if (x->ok && n) {
		memcpy(x->at, p, n);
		x->at += n;
	}
}

static void add_alias(struct expanded *x, const struct cmd_alias *alias)
{
	add(x, alias->text, alias->text_n);
	add(x, " ", 1);
}

/*
 * The text of the command with the text of the alias in it. If that ends in a blank, the
 * next word is expanded as well. What the alias may take of the text behind the command (a
 * quote that it opens, the lines of a here-document) is read with it.
 */
static char *expand(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		    const struct cmd_alias *alias, size_t *ret_n)
{
	struct expanded x = { .a = a, .from = a->mem, .at = a->mem, .ok = true };
	const struct cmd_scope *s = c->scope;
	const struct sh_word *w = c->cmd->words;
	bool whole = alias->whole;
	uint32_t to = w->to, end;

	add(&x, s->text + c->cmd->from, w->from - c->cmd->from);
	add_alias(&x, alias);
	while (alias && alias->blank && may_be_alias(w = w->next) && stands_in(s, w)) {
		alias = find(a, s->env->aliases, w->seg.p, w->seg.n);
		if (!alias)
			break;
		if (find(a, alias->next, w->seg.p, w->seg.n))
			cmd_opaque(p, several);
		add(&x, s->text + to, w->from - to);
		add_alias(&x, alias);
		whole &= alias->whole;
		to = w->to;
	}
	if (!whole)
		cmd_opaque(p, unclosed);
	end = whole && !has_heredoc(c->cmd) ? c->cmd->to : (uint32_t)s->text_n;
	add(&x, s->text + to, end > to ? end - to : 0);
	*ret_n = (size_t)(x.at - x.from);
	/* also sets the limit if there is no room */
	return cmd_alloc(a, x.ok ? *ret_n + 1 : (size_t)(a->mem_end - a->mem) + 8);
}

bool cmd_aliased(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct sh_word *w = c->cmd->words;
	struct cmd_proc *e = c->scope->env;
	struct cmd_alias *alias;

	if (!e->aliases || !may_be_alias(w))
		return true;
	for (alias = find(a, e->aliases, w->seg.p, w->seg.n); alias;
	     alias = find(a, alias->next, w->seg.p, w->seg.n)) {
		struct cmd_ctx in = *c;
		size_t n;
		bool literal;
		char *text;

		if (alias->busy)
			continue;
		if (stands_in(c->scope, w) && c->cmd->from <= w->from && w->to <= c->cmd->to) {
			text = expand(a, c, p, alias, &n);
		} else {
			/* in backquotes, or with a broken line in it: its redirections are
			 * not read again */
			cmd_opaque(p, unclosed);
			text = cmd_guess(a, &(struct cmd_joint){ .text = alias->text, .n = alias->text_n,
					 .words = p->words + 1,
					 .count = p->nwords ? p->nwords - 1 : 0,
					 .quoted = true }, &n, &literal);
		}
		if (!text || !cmd_work(a, n))
			return false;
		in.alternative = true;
		alias->busy = true;
		if (!cmd_nested(a, &in, p, text, n, CMD_CODE_EXPANDED, c->scope->dialects))
			return false;
		alias->busy = false;
	}
	return !a->ret->limit;
}
