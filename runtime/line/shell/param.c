/*
 * ${…}: the parameter, its operator, and the text after that, in which only the commands
 * matter. A form that the dialect lacks is an error here, although a shell reports it
 * only when it gets there.
 */
#include "runtime/line/shell/parse.h"

struct param {
	const char *at; /* where the name begins */
	const char *name;
	uint32_t name_n;
	char special;  /* the parameter, if it is not a name */
	char only;     /* of a subscript: its only byte, '@', '*' or a digit */
	bool indirect;
	bool length;
	bool subscript;
};

static const char indirect[] = "a value is read as a name, which may have a subscript";

/* A quote in the text after an operator; `pattern`: the operator may take a pattern. */
static bool quote(struct shell *s, int in, bool pattern)
{
	uint32_t was = s->patterns;
	const char *end;
	bool ok;

	if (*s->p == '"') {
		if (in == IN_HEREDOC)
			shell_fail(s, s->p, "a quote in ${...} in a here-document");
		s->inner_quotes = in != IN_WORD && !s->posix && !s->patterns;
		/* dash starts a new level of quotes here */
		s->patterns = s->posix ? 0 : was;
		ok = shell_double(s, NULL);
		s->patterns = was;
		return ok;
	}
	if (in == IN_WORD || (pattern && in == IN_QUOTES && s->p[-1] != '$'))
		return shell_single(s, NULL);
	/* the operator decides if it is literal, but bash needs a second one in any
	 * case */
	end = strchr(s->p + 1, '\'');
	if (!end || !s->posix || in == IN_HEREDOC)
		shell_fail(s, s->p, "a single quote in ${...} in double quotes");
	s->p++;
	return true;
}

/* Reads the text, including the '}'. */
static bool text(struct shell *s, int in, bool pattern, bool *multi)
{
	const char *from = s->p;
	bool ok = true;
	char c;

	s->patterns += pattern;
	while (ok && (c = shell_at(s)) != '}') {
		struct sh_cmd **inner = s->tail;

		switch (c) {
		case '\0':
			if (!s->src.open)
				s->src.open = from;
			return shell_fail(s, from, "a '${' is not closed");
		case '\\':
			s->p += s->p[1] ? 2 : 1;
			break;
		case '\'':
		case '"':
			ok = quote(s, in, pattern);
			break;
		case '$':
			ok = shell_dollar(s, NULL, in, multi);
			break;
		case '`':
			/* in them bash keeps a \" as it is; dash does so in a pattern */
			ok = shell_backquote(s, in != IN_WORD && s->posix && !s->patterns);
			break;
		case '<':
		case '>':
			if (in == IN_WORD && !s->posix && shell_peek(s) == '(') {
				ok = shell_procsub(s);
				SHELL_DROP(s, inner, PARAM_PROCSUB);
			} else {
				s->p++;
			}
			break;
		default:
			s->p++;
		}
	}
	s->p += ok;
	s->patterns -= pattern;
	return ok;
}

/* ${NAME:=…} sets NAME. */
static bool sets(struct shell *s, const struct param *m)
{
	struct sh_assign *a;
	struct sh_cmd *c;

	if (m->indirect)
		shell_evaluates(s->cmd, indirect);
	/* a positional parameter cannot be set so */
	s->ret->calculates |= !m->name || m->subscript;
	if (!m->name)
		return true;
	if (!(c = shell_cmd(s, SH_SET, m->at)) || !(a = shell_alloc(s, sizeof(*a))))
		return false;
	a->name = m->name;
	a->name_n = m->name_n;
	a->subscript = m->subscript;
	c->assigns = a;
	return true;
}

/* Skips a form that has no meaning here. A shell notices only when it gets there. */
static bool stray(struct shell *s, const char *at, int in, bool *multi)
{
	shell_fail(s, at, *s->p ? "a ${...} that has no meaning here" : "a '${' is not closed");
	return text(s, in, false, multi);
}

/* Only bash has the last four. */
static const char operators[] = "-=?+#%/^,~";

/* Reads the operator at p and all that follows. */
static bool operation(struct shell *s, const struct param *m, int in, bool *multi)
{
	struct sh_cmd **inner = s->tail;
	const char *at = s->p;
	char c = shell_at(s);
	bool closed;

	if (c == '}') {
		s->p++;
		return true;
	}
	if (m->length)
		return stray(s, at, in, multi);
	if (c == ':') {
		c = shell_next(s);
		if (!c || !strchr("-=?+", c)) {
			if (s->posix) {
				/* dash takes the '}' for the operator */
				s->p += c == '}';
				return stray(s, at, in, multi);
			}
			closed = shell_arith(s, '}', &closed);
			SHELL_DROP(s, inner, PARAM_SUBSTRING);
			return closed;
		}
	}
	if (c == '=' && !sets(s, m))
		return false;
	if (c && strchr(operators, c) && !(s->posix && strchr("/^,~", c))) {
		s->p++;
		closed = text(s, in, !strchr("-=?+", c), multi);
		SHELL_DROP_AT(s, inner, PARAM_DEFAULT, strchr(operators, c) - operators);
		return closed;
	}
	if (SHELL_OFF(PARAM_TRANSFORM) && c == '@')
		return shell_fail(s, at, "switched off");
	if (c == '@' && !s->posix && shell_is(shell_next(s), C_NAME)) {
		s->ret->calculates |= !strchr("QEAaUuLKk", *s->p);
		if (*s->p == 'P')
			shell_evaluates(s->cmd, "a value is expanded as a prompt");
		if (shell_next(s) == '}') {
			s->p++;
			return true;
		}
	}
	return stray(s, at, in, multi);
}

/* Reads the parameter itself. *ret_is is set if there is one. */
static bool name(struct shell *s, struct param *m, bool *ret_is)
{
	char c = shell_at(s);
	const char *from;
	size_t n;

	if (shell_is(c, C_DIGIT)) {
		m->special = c;
		while (shell_is(shell_at(s), C_DIGIT))
			s->p++;
	} else if (shell_is(c, C_NAME)) {
		m->at = from = s->p;
		while (shell_is(shell_at(s), C_NAME))
			s->p++;
		n = (size_t)(s->p - from);
		m->name = memchr(from, '\\', n) ? shell_joined(s, from, s->p, &n) : from;
		m->name_n = (uint32_t)n;
	} else if (shell_is(c, C_SPECIAL)) {
		m->special = c;
		s->p++;
	} else {
		*ret_is = false;
	}
	if (!m->name || s->posix || shell_at(s) != '[')
		return true;
	m->subscript = true;
	if (SHELL_OFF(PARAM_SUBSCRIPT))
		return shell_fail(s, s->p, "switched off");
	s->p++;
	if (!shell_subscript(s, &m->only))
		return false;
	if (!m->only)
		shell_evaluates(s->cmd, "a subscript is arithmetic, which may run code");
	return true;
}

/* Reads # and ! before a parameter. Both are also parameters themselves. */
static void prefix(struct shell *s, struct param *m)
{
	char c = shell_at(s), next = shell_peek(s);
	const char *at = s->p;

	if (c == '!' && !s->posix) {
		if (!shell_is(next, C_NAME) && (!next || !strchr("#@*", next)))
			return;
		m->indirect = true;
		if (SHELL_OFF(PARAM_INDIRECT))
			shell_fail(s, at, "switched off");
		s->p++;
	} else if (c == '#' && next != '}') {
		if (!shell_is(next, C_NAME)) {
			if (!shell_is(next, C_SPECIAL))
				return;
			shell_next(s);
			if (shell_peek(s) != '}') {
				s->p = at;
				return;
			}
			s->p = at;
		}
		m->length = true;
		if (SHELL_OFF(PARAM_LENGTH))
			shell_fail(s, at, "switched off");
		s->p++;
	}
}

bool shell_param(struct shell *s, int in, bool *multi)
{
	struct param m = { NULL };
	bool is = true;
	char c;

	prefix(s, &m);
	if (!name(s, &m, &is))
		return false;
	if (!is)
		return stray(s, s->p, in, multi);
	if (m.indirect) {
		c = shell_at(s);
		/* ${!a*}, ${!a@}, ${!a[@]}: a list of names, not a value */
		if ((c == '*' || c == '@') && shell_peek(s) == '}' && !m.subscript) {
			s->p += 1;
			shell_at(s);
			s->p += 1;
			*multi |= c == '@';
			return true;
		}
		if (m.only != '@' && m.only != '*')
			shell_evaluates(s->cmd, indirect);
		*multi = true;
	}
	*multi |= !m.length && (m.special == '@' || m.only == '@');
	return operation(s, &m, in, multi);
}
