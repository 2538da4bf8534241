/*
 * Redirections and here-documents. A here-document's text begins after the next newline
 * that ends a line of commands, whatever stands in between.
 */
#include "runtime/line/shell/parse.h"

/* --- the operator --------------------------------------------------------------------- */

static bool is_angle(struct shell *s)
{
	char c = shell_at(s);

	/* <( and >( begin words */
	return (c == '<' || c == '>') && (s->posix || shell_peek(s) != '(');
}

/* Reads digits before an operator. If there is no operator, p does not move. */
static bool number(struct shell *s, int *ret_fd)
{
	const char *at = s->p;
	int n = 0, fd = 0;

	while (shell_is(shell_at(s), C_DIGIT) && n < 9) {
		fd = 10 * fd + (*s->p++ - '0');
		n++;
	}
	if (n && (!s->posix || n == 1) && is_angle(s) && !SHELL_OFF(REDIR_NUMBER)) {
		*ret_fd = fd;
		return true;
	}
	s->p = at;
	return false;
}

/* Reads {NAME} before an operator. */
static bool variable(struct shell *s, struct sh_redir *r, bool *ret_is)
{
	const char *at = s->p, *name = at + 1, *end = name, *q;
	bool quoted = false;

	*ret_is = false;
	while (shell_is(*end, C_NAME))
		end++;
	if (!sh_is_name(name, (size_t)(end - name)) || SHELL_OFF(REDIR_VARIABLE))
		return true;
	s->p = end;
	if (*end == '[') {
		/* Bash looks at the whole word, whatever the subscript is; without the bracket
		 * it is a word like others.  The command's other words are read in any case. */
		for (q = end; *q && *q != '\n'; q++) {
			quoted |= strchr("\"'`$\\", *q) != NULL;
			if (!quoted && shell_is(*q, C_META))
				break; /* the word ends here */
			if (q[0] == ']' && q[1] == '}' && (q[2] == '<' || q[2] == '>')) {
				(void)shell_fail(s, at, "a descriptor kept in an array");
				s->p = q + 2;
				r->var = name;
				r->var_n = (uint32_t)(end - name);
				*ret_is = true;
				return true;
			}
		}
		s->p = at;
		return true;
	}
	s->p++;
	if (*end != '}' || !is_angle(s)) {
		s->p = at;
		return true;
	}
	r->var = name;
	r->var_n = (uint32_t)(end - name);
	*ret_is = true;
	return true;
}

/* Is there text before an operator that belongs to it, and is not a word? */
static bool is_prefix(struct shell *s)
{
	struct sh_redir r;
	bool is = false;
	int fd;

	if (shell_is(*s->p, C_DIGIT))
		return number(s, &fd);
	return *s->p == '{' && !s->posix && (!variable(s, &r, &is) || is);
}

static void take_less(struct shell *s, struct sh_redir *r, bool *ret_tabs)
{
	switch (shell_next(s)) {
	case '&':
		r->op = SH_R_DUP_IN;
		break;
	case '>':
		r->op = SH_R_INOUT;
		break;
	case '<':
		r->op = SH_R_HEREDOC;
		if (shell_next(s) == '<' && !s->posix)
			r->op = SH_R_HERESTRING;
		else if (*s->p == '-')
			*ret_tabs = !SHELL_OFF(HEREDOC_TABS);
		else
			return;
		break;
	default:
		r->op = SH_R_IN;
		return;
	}
	s->p++;
}

static void take_greater(struct shell *s, struct sh_redir *r)
{
	switch (shell_next(s)) {
	case '&':
		r->op = SH_R_DUP_OUT;
		break;
	case '>':
		r->op = SH_R_APPEND;
		break;
	case '|':
		r->op = SH_R_CLOBBER;
		break;
	default:
		r->op = SH_R_OUT;
		return;
	}
	s->p++;
}

/* --- the target ----------------------------------------------------------------------- */

static bool queue_heredoc(struct shell *s, struct sh_redir *r, bool tabs)
{
	struct shell_heredoc *h;
	const char *p = s->src.text + r->target->from;

	if (s->src.line)
		for (; p < s->p; p++)
			if (*p == '$' || *p == '`')
				shell_fail(s, p, "a delimiter with an expansion");
	if (!sh_is_literal(r->target) || !s->src.line)
		/* in a copy the offsets tell nothing */
		if (!sh_is_literal(r->target) || memchr(r->target->seg.p, '$', r->target->seg.n))
			shell_fail(s, s->p, "a delimiter that is no literal");
	if (sh_is_literal(r->target) && memchr(r->target->seg.p, '\n', r->target->seg.n))
		shell_fail(s, s->p, "a delimiter of several lines");
	r->quoted = (r->target->flags & SH_W_QUOTED) && !SHELL_OFF(HEREDOC_QUOTED);
	if (!(h = shell_alloc(s, sizeof(*h))))
		return false;
	h->redir = r;
	h->cmd = s->cmd;
	h->tabs = tabs;
	*s->pending_tail = h;
	s->pending_tail = &h->next;
	return true;
}

/* In dash only a digit or '-' may follow >& and <&. */
static bool is_descriptor(const struct sh_word *w)
{
	return !sh_is_literal(w) ||
	       (w->seg.n == 1 && (shell_is(w->seg.p[0], C_DIGIT) || w->seg.p[0] == '-'));
}

/* To bash a '-' after >& and <& is a token of its own: the next bytes are another
 * word. */
static bool closes(struct shell *s, struct sh_redir *r)
{
	r->target = shell_word_new(s, s->p);
	if (!r->target)
		return false;
	r->target->seg.n = 1;
	s->p++;
	if (s->src.line)
		r->target->to = r->target->from + 1;
	return true;
}

static bool target(struct shell *s, struct sh_redir *r, bool tabs)
{
	bool dup = r->op == SH_R_DUP_IN || r->op == SH_R_DUP_OUT;
	unsigned mode = r->op == SH_R_HERESTRING ? W_VALUE :
			r->op == SH_R_HEREDOC ? (s->posix ? W_DELIMITER : W_PLAIN) :
			s->posix ? W_PLAIN : W_BRACES;
	struct sh_cmd **inner = s->tail;
	struct sh_word *last;

	shell_blanks(s);
	/* bash takes a number before another redirection for its descriptor: 2>&1>&- */
	if (!shell_starts_word(s) ||
	    (!(dup && !s->posix && shell_is(*s->p, C_DIGIT)) && is_prefix(s)))
		return shell_fail(s, s->p, "the target of a redirection is missing");
	if (*s->p == '-' && !s->posix && !SHELL_OFF(REDIR_CLOSE) && dup)
		return closes(s, r);
	/* a here-string is read like the value of a variable */
	if (!shell_word(s, mode, &r->target, &last))
		return false;
	SHELL_DROP(s, inner, REDIR_TARGET);
	if (r->target != last)
		shell_fail(s, s->p, "a redirection to several files");
	if (s->posix && dup && !is_descriptor(r->target))
		shell_fail(s, s->p, "no descriptor behind '&'");
	return r->op != SH_R_HEREDOC || queue_heredoc(s, r, tabs);
}

bool shell_redir(struct shell *s, struct sh_redir **ret)
{
	struct sh_redir here = { .fd = -1 }, *r;
	bool tabs = false, is = false;
	char c = shell_at(s);

	*ret = NULL;
	if (shell_is(c, C_DIGIT))
		is = number(s, &here.fd);
	else if (c == '{' && !s->posix && !variable(s, &here, &is))
		return false;
	else if (c == '<' || c == '>')
		is = is_angle(s);
	else if (c == '&' && !s->posix)
		is = shell_peek(s) == '>';
	if (!is)
		return true;
	if (*s->p == '<') {
		take_less(s, &here, &tabs);
	} else if (*s->p == '>') {
		take_greater(s, &here);
	} else {
		shell_next(s);
		here.op = shell_next(s) == '>' ? SH_R_BOTH_APPEND : SH_R_BOTH;
		s->p += *s->p == '>';
	}
	if (!(r = shell_alloc(s, sizeof(*r))))
		return false;
	*r = here;
	if (!target(s, r, tabs))
		return false;
	*ret = r;
	return true;
}

bool shell_redirs_after(struct shell *s, struct sh_flow **begin)
{
	struct sh_cmd **list = s->tail, *outer = s->cmd, *c;
	struct sh_redir **tail, *r;
	bool ok;

	shell_blanks(s);
	if (SHELL_OFF(REDIRS_AFTER))
		return true;
	if (*s->p != '<' && *s->p != '>' && *s->p != '{' && *s->p != '&' &&
	    !shell_is(*s->p, C_DIGIT))
		return true;
	if (!(c = shell_cmd(s, SH_GROUP, s->p)))
		return false;
	s->cmd = c;
	for (tail = &c->redirs; (ok = shell_redir(s, &r)) && r; tail = &r->next) {
		*tail = r;
		if (s->src.line)
			c->to = shell_offset(s, s->p);
		shell_blanks(s);
	}
	s->cmd = outer;
	if (c->redirs && (!shell_flow_at(s, begin, SH_F_GROUP, c) ||
			  !shell_flow(s, SH_F_END_GROUP, c)))
		return false;
	if (!c->redirs && s->tail == &c->next && !s->quiet) {
		*list = NULL;
		s->tail = list;
		s->ret->ncmds--;
	}
	return ok;
}

/* --- here-documents ------------------------------------------------------------------------- */

/*
 * Where a text may continue after a line end, a backslash and a line end count as
 * nothing. Bash looks at the lines without them. Dash removes them only before the tabs
 * of a line.
 */
static bool goes_on(const struct shell_heredoc *h, const char *p)
{
	return !h->redir->quoted && p[0] == '\\' && p[1] == '\n';
}

/* Skips what does not belong to the text or the delimiter, at the start of the line at
 * p. */
static const char *behind_tabs(const struct shell *s, const struct shell_heredoc *h,
			       const char *p)
{
	while (goes_on(h, p))
		p += 2;
	for (;;) {
		if (h->tabs && *p == '\t')
			p++;
		else if (h->tabs && !s->posix && goes_on(h, p))
			p += 2;
		else
			return p;
	}
}

/* Is the line at p the delimiter? *ret_next is set to the next line in any case. */
static bool line_is(const struct shell *s, const struct shell_heredoc *h, const char *p,
		    const char **ret_next)
{
	const char *d = h->redir->target->seg.p, *end = d + h->redir->target->seg.n;
	bool same = true;

	for (; *p && *p != '\n'; p++) {
		if (!h->redir->quoted && *p == '\\' && p[1]) {
			if (*++p == '\n') {
				same = same && !s->posix;
				continue;
			}
			same = same && d < end && *d++ == '\\';
		}
		same = same && d < end && *d++ == *p;
	}
	*ret_next = *p ? p + 1 : p;
	return same && d == end;
}

/* The same for a text whose leading tabs may not count. Bash also compares the line
 * before it removes the tabs. */
static bool is_delimiter(const struct shell *s, const struct shell_heredoc *h, const char *p,
			 const char **ret_next)
{
	if (!s->posix && line_is(s, h, p, ret_next))
		return true;
	return line_is(s, h, behind_tabs(s, h, p), ret_next);
}

/* A copy of the text without the tabs at the start of its lines. */
static char *without_tabs(struct shell *s, const struct shell_heredoc *h, const char *p,
			  const char *end, size_t *ret_n)
{
	char *copy = shell_bytes(s, (size_t)(end - p) + 4), *to = copy;

	if (!copy)
		return NULL;
	while (p < end) {
		const char *from = p;

		p = behind_tabs(s, h, p);
		if (s->posix && p > from && p[-1] == '\t' && goes_on(h, p))
			shell_fail(s, p, "a backslash behind the tabs of a '<<-' text");
		for (; p < end && *p != '\n'; *to++ = *p++)
			if (!h->redir->quoted && *p == '\\' && p + 1 < end)
				*to++ = *p++;
		if (p < end)
			*to++ = *p++;
	}
	*ret_n = (size_t)(to - copy);
	memset(to, 0, 4);
	return copy;
}

static bool quoted_text(struct shell *s, struct shell_word *b)
{
	size_t n = strlen(s->p);

	if (!shell_word_begin(s, b, W_VALUE) || !shell_lit(s, b, s->p, n))
		return false;
	b->w->flags |= SH_W_QUOTED;
	s->p += n;
	return true;
}

/* Reads the text from p to the NUL. open: the text ends in the middle of a line, and bash
 * adds a newline. */
static bool read_text(struct shell *s, const struct shell_heredoc *h, bool open)
{
	struct sh_cmd *outer = s->cmd, **inner = s->tail;
	uint32_t marks = s->marks;
	const char *from = s->p;
	struct shell_word b;
	bool ok;

	s->cmd = h->cmd;
	s->marks = h->cmd ? h->cmd->marks : marks;
	ok = shell_flow(s, SH_F_LATE, NULL) &&
	     (h->redir->quoted ? quoted_text(s, &b) : shell_body(s, &b)) &&
	     shell_flow(s, SH_F_END_SUB, NULL);
	SHELL_DROP(s, inner, HEREDOC_COMMANDS);
	s->cmd = outer;
	s->marks = marks;
	if (!ok && !shell_is_limit(s))
		shell_rest(s);
	if (ok && open && !h->redir->quoted && s->p > from && s->p[-1] == '\\')
		shell_fail(s, s->p, "a here-document that ends in a backslash");
	if (ok && open && !s->posix)
		ok = shell_lit_byte(s, &b, '\n', s->p);
	if (ok)
		h->redir->body = b.w;
	return ok;
}

/* Reads the text from p to end, as a source of its own. */
static bool heredoc_text(struct shell *s, const struct shell_heredoc *h, const char *end,
			 bool found)
{
	char *stop = s->src.text + (end - s->src.text), kept = *stop;
	struct shell_src outer = s->src;
	const char *start = s->p;
	bool open = !found && end > start && end[-1] != '\n', ok;

	if (h->tabs) {
		size_t n;
		char *copy = without_tabs(s, h, start, end, &n);

		if (!copy || !(s->src.out = shell_bytes(s, n + 1)))
			return false;
		if (s->posix && !h->redir->quoted && n != (size_t)(end - start) &&
		    strpbrk(copy, "$`"))
			shell_fail(s, start, "an expansion in a '<<-' text");
		s->src.from = shell_offset(s, start);
		s->src.to = outer.line ? (uint32_t)(end - outer.text) : outer.to;
		s->src.line = false;
		s->src.open = NULL;
		s->src.text = copy;
		s->src.n = (uint32_t)n;
		s->p = copy;
		ok = read_text(s, h, open);
		s->src = outer;
		s->p = end;
	} else {
		*stop = '\0';
		ok = read_text(s, h, open);
		*stop = kept;
	}
	return ok;
}

bool shell_heredocs(struct shell *s)
{
	struct shell_heredoc *h = s->pending;

	s->pending = NULL;
	s->pending_tail = &s->pending;
	for (; h; h = h->next) {
		const char *line = s->p, *next;
		bool found = false;

		if (SHELL_OFF(HEREDOC_TEXT))
			continue;

		while (*line && !(found = is_delimiter(s, h, line, &next)))
			line = next;
		if (!found) {
			/* shells let it end at the end of the line; in a substitution not
			 * always */
			if (s->marks & SH_IN_SUBST)
				shell_fail(s, s->p, "a here-document without its end");
			next = line;
		}
		if (!heredoc_text(s, h, line, found))
			return false;
		s->p = next;
	}
	return true;
}
