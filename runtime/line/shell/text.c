/*
 * Reads a text as a whole, and goes on after an error, so that the rest of the line is
 * judged as well.
 */
#include "runtime/line/shell/parse.h"

/* How often text may be read twice. Nobody writes a line that needs more. */
#define MAX_REREADS 8
#define BRACE_WORK(n) ((uint32_t)(256 * 1024 + 8 * (n)))

/* --- behind an error ------------------------------------------------------------------ */

/* Skips the name before the compound command that it belongs to. */
static void skip_name(struct shell *s)
{
	const char *at, *end;

	shell_blanks(s);
	at = s->p;
	while (!shell_is(*s->p, C_META))
		s->p++;
	shell_blanks(s);
	if (*s->p != '(' && *s->p != '\n' && !shell_reserved(s, &end))
		s->p = at;
}

/*
 * Reads a command after something that was not understood. If it ended in an open quote,
 * the text after that quote is read again, as nobody knows which quote is missing.
 */
static bool loose_command(struct shell *s)
{
	const char *at = s->p, *end;
	enum shell_reserved r;
	bool ok;

	if ((r = shell_reserved(s, &end)) != R_NONE) {
		s->p = end;
		if (r == R_FUNCTION || r == R_COPROC)
			skip_name(s);
		return true;
	}
	s->src.open = NULL;
	ok = shell_simple(s);
	if (shell_is_limit(s))
		return false;
	if (!ok && s->src.open && !*s->p) {
		s->p = s->src.open;
		s->src.open = NULL;
		return shell_again(s);
	}
	if (s->p == at)
		s->p++;
	return true;
}

/* Reads up to the closing ')' (without it), with `open` others before it, or up to the
 * end. false: a limit was exceeded. */
static bool loose(struct shell *s, char close, uint32_t open)
{
	if (s->src.open && !*s->p) {
		s->p = s->src.open;
		s->src.open = NULL;
		if (!shell_again(s))
			return false;
	}
	for (;;) {
		shell_blanks(s);
		switch (*s->p) {
		case '\0':
			return true;
		case ')':
			if (!open && close)
				return true;
			open -= open > 0;
			s->p++;
			break;
		case '(':
			open++;
			s->p++;
			break;
		case ';':
		case '|':
			s->p++;
			break;
		case '&':
			if (s->p[1] != '>')
				s->p++;
			else if (!loose_command(s))
				return false;
			break;
		case '\n':
			if (!shell_newline(s) && shell_is_limit(s))
				return false;
			break;
		default:
			if (!loose_command(s))
				return false;
		}
	}
}

void shell_rest(struct shell *s)
{
	if (s->src.open && !*s->p)
		loose(s, '\0', 0);
}

bool shell_text(struct shell *s, char close)
{
	struct shell was = *s;
	uint32_t open;
	bool ok = shell_list(s, true);

	if (ok && shell_at(s) != close)
		ok = shell_fail(s, s->p, *s->p ? "this does not belong here" :
						 "a substitution is not closed");
	if (!ok && !shell_is_limit(s)) {
		s->cmd = was.cmd;
		s->func = was.func;
		s->marks = was.marks;
		s->depth = was.depth;
		s->patterns = was.patterns;
		s->quiet = was.quiet;
		open = s->parens - was.parens;
		s->parens = was.parens;
		ok = loose(s, close, open);
	}
	return ok && *s->p == close;
}

/* --- the whole text --------------------------------------------------------------------- */

size_t sh_block_size(size_t n)
{
	/* enough for the densest texts: commands of one byte, and what BRACE_WORK
	 * permits */
	return 1024 * 1024 + 512 * n;
}

enum sh_status sh_parse(struct sh *ret, void *block, size_t size, const char *text,
			size_t n, enum sh_dialect dialect)
{
	struct shell s = {
		.ret = ret,
		.mem = block,
		.mem_end = (char *)block + (size & ~(size_t)7),
		.rereads = MAX_REREADS,
		.posix = dialect == SH_POSIX,
	};

	*ret = (struct sh){ .status = SH_PARSED, .bash = dialect == SH_BASH };
	s.tail = &ret->first;
	s.flow = &ret->flow;
	s.pending_tail = &s.pending;
	if (shell_copy(&s, text, n)) {
		s.brace_work = BRACE_WORK(n);
		shell_text(&s, '\0');
		/* the here-documents without text, as the newline is missing */
		if (s.pending && !shell_is_limit(&s))
			shell_heredocs(&s);
	}
	ret->used = (size_t)(s.mem - (char *)block);
	return ret->status;
}
