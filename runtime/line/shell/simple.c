/*
 * Simple commands: assignments, words and redirections in any order; and the definitions
 * of functions that begin like a simple command.
 */
#include <strings.h>

#include "runtime/line/shell/option.h"
#include "runtime/line/shell/parse.h"

/* --- assignments -------------------------------------------------------------------- */

/* The end of a name at p, or NULL if there is no name. */
static const char *name_end(const char *p, bool *ret_broken)
{
	*ret_broken = false;
	if (!shell_is(*p, C_NAME) || shell_is(*p, C_DIGIT))
		return NULL;
	for (;;) {
		while (shell_is(*p, C_NAME))
			p++;
		if (p[0] != '\\' || p[1] != '\n')
			return p;
		*ret_broken = true;
		p += 2;
	}
}

const char *shell_joined(struct shell *s, const char *from, const char *end, size_t *ret_n)
{
	char *name = s->src.out + (from - s->src.text), *to = name;

	for (; from < end; from++) {
		if (*from == '\\')
			from++;
		else
			*to++ = *from;
	}
	*ret_n = (size_t)(to - name);
	return name;
}

/*
 * Reads a subscript; '[' is at p. If it only looks like a subscript, the text is read
 * once more. If bash takes it for one word only because of its brackets, it is not read
 * further and stays unparsed.
 */
static bool subscript(struct shell *s, bool *ret_is, bool *ret_literal)
{
	const char *at = s->p, *q;
	uint32_t cmds = s->ret->ncmds;
	char only;

	s->p++;
	if (!shell_subscript(s, &only))
		return false;
	*ret_literal = only;
	*ret_is = *s->p == '=' || (*s->p == '+' && s->p[1] == '=');
	if (*ret_is)
		return true;
	for (q = at; q < s->p; q++)
		if (shell_is(*q, C_META)) {
			shell_fail(s, at, "a '[' that is no subscript");
			return true;
		}
	if (s->ret->ncmds != cmds && !shell_again(s))
		return false;
	s->p = at;
	return true;
}

/* Reads [SUB]= before a member of an array. */
static bool item(struct shell *s)
{
	bool is, literal;

	if (!subscript(s, &is, &literal))
		return false;
	if (!is)
		return true;
	s->ret->calculates = true;
	if (!literal)
		shell_evaluates(s->cmd, "a subscript is arithmetic, which may run code");
	s->p += *s->p == '+' ? 2 : 1;
	return true;
}

bool shell_array(struct shell *s, struct sh_word **ret)
{
	struct sh_word **tail = ret, *first, *last;
	struct sh_cmd **inner = s->tail;

	s->p++;
	s->parens++;
	*ret = NULL;
	for (;;) {
		if (!shell_newlines(s))
			return false;
		if (*s->p == ')')
			break;
		if (!shell_starts_word(s))
			return shell_fail(s, s->p, *s->p ? "this does not belong into an array" :
							   "an array is not closed");
		if (*s->p == '[' && SHELL_OFF(ARRAY_ITEM))
			return shell_fail(s, s->p, "switched off");
		if (*s->p == '[' && !item(s))
			return false;
		if (!shell_starts_word(s))
			continue;
		if (!shell_word(s, W_BRACES, &first, &last))
			return false;
		SHELL_DROP(s, inner, ARRAY_WORDS);
		*tail = first;
		tail = &last->next;
	}
	s->p++;
	s->parens--;
	return true;
}

/* Text after the ')' of an array. Bash takes it for a part of the array. */
static bool behind_array(struct shell *s)
{
	struct sh_word *w;

	if (!shell_starts_word(s))
		return true;
	shell_fail(s, s->p, "text behind an array");
	return shell_word(s, W_PLAIN, &w, &w);
}

/* Once one of these is set, bash follows other rules. */
static bool changes_bash(const struct sh_assign *a)
{
	static const char *const names[] = { "POSIXLY_CORRECT", "BASH_COMPAT", "SHELLOPTS",
					     "BASHOPTS" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == a->name_n &&
		    memcmp(names[i], a->name, a->name_n) == 0)
			return true;
	return false;
}

/* If the locale is not UTF-8, bash reads bytes from 0x80 on differently: the second byte
 * of a character may be a backslash or a '|'. */
static bool changes_locale(const struct shell *s, const struct sh_assign *a)
{
	static const char *const names[] = { "LANG", "LC_ALL", "LC_CTYPE" };
	const struct sh_word *v = a->value;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == a->name_n &&
		    memcmp(names[i], a->name, a->name_n) == 0)
			break;
	if (!s->high || i == sizeof(names) / sizeof(names[0]))
		return false;
	if (a->array || a->append || !v || !sh_is_literal(v))
		return true;
	return v->seg.n && !(v->seg.n == 1 && v->seg.p[0] == 'C') &&
	       !(v->seg.n == 5 && memcmp(v->seg.p, "POSIX", 5) == 0) &&
	       !(v->seg.n >= 5 && strncasecmp(v->seg.p + v->seg.n - 5, "UTF-8", 5) == 0) &&
	       !(v->seg.n >= 4 && strncasecmp(v->seg.p + v->seg.n - 4, "utf8", 4) == 0);
}

/* Reads the value; p is after the '='. */
static bool value(struct shell *s, struct sh_assign *a)
{
	if (shell_at(s) == '(' && !s->posix && !SHELL_OFF(ASSIGN_ARRAY)) {
		a->array = true;
		if (a->subscript)
			return shell_fail(s, s->p, "an array as the member of an array");
		if (!shell_array(s, &a->value))
			return false;
		return behind_array(s);
	}
	if (!shell_starts_word(s)) {
		struct shell_word b;

		a->value = shell_word_begin(s, &b, W_VALUE) ? b.w : NULL;
		return a->value != NULL;
	}
	return shell_word(s, W_VALUE, &a->value, &a->value);
}

bool shell_assign(struct shell *s, struct sh_assign **ret)
{
	const char *from = s->p, *end, *name;
	bool broken, is, literal, append, sub = false;
	struct sh_cmd **inner = s->tail;
	struct sh_assign *a;
	size_t name_n;

	*ret = NULL;
	end = name_end(s->p, &broken);
	name_n = end ? (size_t)(end - from) : 0;
	if (!end || (*end != '=' && *end != '+' && *end != '['))
		return true;
	if (SHELL_OFF_AT(ASSIGN, *end == '+' ? 1 : *end == '[' ? 2 : 0))
		return true;
	if (s->posix && *end != '=')
		return true;
	if (*end == '+' && end[1] != '=')
		return true;
	name = broken ? shell_joined(s, from, end, &name_n) : from;
	if (*end == '[') {
		s->p = end;
		if (!subscript(s, &is, &literal))
			return false;
		if (!is) {
			if (s->p == end)
				s->p = from;
			return true;
		}
		sub = true;
		if (!literal)
			shell_evaluates(s->cmd, "a subscript is arithmetic, which may run code");
	} else {
		s->p = end;
	}
	append = *s->p == '+';
	s->p += append ? 2 : 1;
	if (!(a = shell_alloc(s, sizeof(*a))))
		return false;
	a->name = name;
	a->name_n = (uint32_t)name_n;
	a->append = append;
	a->subscript = sub;
	if (!s->posix && changes_bash(a))
		shell_fail(s, from, "a variable that changes how bash reads");
	*ret = a;
	is = value(s, a);
	SHELL_DROP(s, inner, ASSIGN_VALUE);
	if (!is)
		return false;
	if (!s->posix && changes_locale(s, a))
		shell_fail(s, from, "a locale that changes what bytes mean");
	return true;
}

/* --- words ----------------------------------------------------------------------------- */

static bool is_word(const struct sh_word *w, const char *z)
{
	return sh_is_literal(w) && w->seg.n == strlen(z) &&
	       memcmp(w->seg.p, z, w->seg.n) == 0;
}

/* Commands whose arguments may be NAME=(…). */
static bool takes_arrays(const struct sh_word *w)
{
	static const char *const names[] = { "declare", "typeset", "local", "export",
					     "readonly", "alias", "eval", "let" };
	size_t i;

	if (SHELL_OFF(ARRAY_ARGUMENT))
		return false;
	if ((w->flags & SH_W_QUOTED) || !w->seg.n || !strchr("dtlera", w->seg.p[0]))
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_word(w, names[i]))
			return true;
	return false;
}

/* NAME=(…) as an argument: the name, followed by anything. */
static bool array_word(struct shell *s, struct sh_word **ret)
{
	struct shell_word b;
	struct sh_word *items;
	const char *from = s->p, *end;
	bool broken;

	*ret = NULL;
	end = name_end(from, &broken);
	if (!end || broken)
		return true;
	if (*end == '+')
		end++;
	if (end[0] != '=' || end[1] != '(')
		return true;
	if (!shell_word_begin(s, &b, W_PLAIN) ||
	    !shell_lit(s, &b, from, (size_t)(end + 1 - from)) ||
	    !shell_seg(s, &b, SH_ANY, NULL, 0))
		return false;
	s->p = end + 1;
	if (!shell_array(s, &items))
		return false;
	if (!behind_array(s))
		return false;
	b.w->flags |= SH_W_ARRAY;
	if (s->src.line)
		b.w->to = shell_offset(s, s->p);
	*ret = b.w;
	return true;
}

static void unlist(struct shell *s, struct sh_cmd **tail)
{
	if (s->quiet)
		return;
	*tail = NULL;
	s->tail = tail;
	s->ret->ncmds--;
}

/* A word that may begin a function: NAME ( at p. */
static bool function_here(struct shell *s, const struct sh_cmd *c, struct sh_cmd **tail,
			  const char *from)
{
	const struct sh_word *w = c->words;

	shell_next(s);
	shell_blanks(s);
	if (*s->p != ')')
		return shell_fail(s, s->p, "a '(' behind a word");
	s->p++;
	if (c->assigns || c->redirs || !sh_is_literal(w) || (w->flags & SH_W_QUOTED) ||
	    (s->posix && !sh_is_name(w->seg.p, w->seg.n)))
		return shell_fail(s, from, "a '()' behind what is no function's name");
	/* not a command, but the name of a function */
	unlist(s, tail);
	if (SHELL_OFF(FUNCTION_PAREN))
		return shell_fail(s, from, "switched off");
	s->cmd = c->parent;
	return shell_function(s, from, w->seg.p, w->seg.n);
}

struct simple {
	struct sh_cmd *c;
	struct sh_assign **assigns;
	struct sh_redir **redirs;
	struct sh_word **words;
	bool arrays;
};

static bool take_word(struct shell *s, struct simple *m)
{
	struct sh_word *first = NULL, *last;

	if (m->arrays && !array_word(s, &first))
		return false;
	last = first;
	if (!first &&
	    !shell_word(s, s->posix ? W_PLAIN : W_BRACES, &first, &last))
		return false;
	*m->words = first;
	m->words = &last->next;
	for (; first; first = first->next)
		m->c->nwords++;
	return true;
}

/* We took '[…]' for a subscript, but it was not one: the word may expand to any words. */
static bool odd_word(struct shell *s, struct simple *m, const char *from)
{
	struct sh_word *rest;
	struct shell_word b;

	if (!shell_word_begin(s, &b, W_PLAIN) || !shell_seg(s, &b, SH_MULTI, NULL, 0))
		return false;
	b.w->from = shell_offset(s, from);
	*m->words = b.w;
	m->words = &b.w->next;
	m->c->nwords++;
	if (shell_starts_word(s) && !shell_word(s, W_PLAIN, &rest, &rest))
		return false;
	if (s->src.line)
		b.w->to = shell_offset(s, s->p);
	return true;
}

/* Reads the next part of a command. *ret_more is false at the end of the command. */
static bool part(struct shell *s, struct simple *m, bool *ret_more)
{
	struct sh_redir *r = NULL;
	struct sh_assign *a = NULL;

	*ret_more = true;
	if (!shell_is(*s->p, C_PLAIN) || shell_is(*s->p, C_DIGIT)) {
		if (!shell_redir(s, &r))
			return false;
		if (r && SHELL_OFF_AT(REDIR_IN, r->op)) {
			*m->words = r->target;
			m->words = &r->target->next;
			m->c->nwords++;
			return true;
		}
		if (r) {
			*m->redirs = r;
			m->redirs = &r->next;
			return true;
		}
		if (shell_is(*s->p, C_META) &&
		    !((*s->p == '<' || *s->p == '>') && !s->posix)) {
			*ret_more = false;
			return true;
		}
	} else if (!m->c->nwords && shell_is(*s->p, C_NAME)) {
		const char *from = s->p;

		if (!shell_assign(s, &a))
			return false;
		if (!a && s->p != from)
			return odd_word(s, m, from);
		if (a) {
			*m->assigns = a;
			m->assigns = &a->next;
			return true;
		}
	}
	return take_word(s, m);
}

/* Reads all parts of c. */
static bool parts(struct shell *s, struct sh_cmd *c, struct sh_cmd **tail,
		  const char *from)
{
	struct simple m = { .c = c, .assigns = &c->assigns, .redirs = &c->redirs,
			    .words = &c->words, .arrays = s->arrays };
	bool more = true;

	s->arrays = false;
	for (;;) {
		uint32_t had = c->nwords;

		if (!part(s, &m, &more))
			return false;
		if (!more)
			return shell_flow(s, SH_F_COMMAND, c);
		if (s->src.line)
			c->to = shell_offset(s, s->p);
		if (!had && c->nwords && !s->posix)
			m.arrays |= takes_arrays(c->words);
		shell_blanks(s);
		if (*s->p == '(' && c->nwords && !had)
			return function_here(s, c, tail, from);
	}
}

bool shell_simple(struct shell *s)
{
	struct sh_cmd **tail = s->tail, *outer = s->cmd, *c;
	const char *from;
	bool ok;

	shell_blanks(s);
	from = s->p;
	if (!(c = shell_cmd(s, SH_COMMAND, from)))
		return false;
	s->cmd = c;
	ok = parts(s, c, tail, from);
	s->cmd = outer;
	if (!c->words && !c->assigns && !c->redirs) {
		if (s->tail == &c->next)
			unlist(s, tail);
		return ok ? shell_fail(s, s->p, "a command is missing") : false;
	}
	shell_options(s, c);
	return ok;
}
