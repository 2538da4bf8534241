/*
 * The block of memory, messages and limits of one reading, and the list of the commands
 * that it finds.
 */
#include "runtime/line/shell/state.h"

/* --- memory -------------------------------------------------------------------- */

char *shell_bytes(struct shell *s, size_t n)
{
	char *p = s->mem;

	n = (n + 7) & ~(size_t)7;
	if (__builtin_expect((size_t)(s->mem_end - s->mem) < n, 0)) {
		if (!shell_is_limit(s))
			s->ret->memory_short = true;
		shell_limit(s, "the line needs more memory than there is");
		return NULL;
	}
	s->mem += n;
	return p;
}

void *shell_alloc(struct shell *s, size_t n)
{
	char *p = shell_bytes(s, n);

	return p ? memset(p, 0, n) : NULL;
}

/* --- messages ---------------------------------------------------------------------- */

uint32_t shell_offset(const struct shell *s, const char *p)
{
	if (!s->src.line)
		return s->src.from;
	return (uint32_t)(p - s->src.text);
}

bool shell_fail(struct shell *s, const char *at, const char *why)
{
	if (s->ret->status == SH_PARSED) {
		s->ret->status = SH_UNPARSED;
		s->ret->why = why;
		s->ret->at = shell_offset(s, at);
	}
	return false;
}

bool shell_limit(struct shell *s, const char *why)
{
	if (s->ret->status != SH_LIMIT) {
		s->ret->status = SH_LIMIT;
		s->ret->why = why;
		s->ret->at = s->p ? shell_offset(s, s->p) : 0;
	}
	return false;
}

bool shell_deeper(struct shell *s)
{
	if (s->depth >= SH_MAX_DEPTH)
		return shell_limit(s, "the line nests too deep");
	s->depth++;
	return true;
}

bool shell_again(struct shell *s)
{
	if (!s->rereads)
		return shell_limit(s, "the line is read too many times");
	s->rereads--;
	/* words that were read from this text keep their bytes */
	s->src.out = shell_bytes(s, s->src.n + 1);
	return s->src.out != NULL;
}

struct sh_cmd *shell_cmd(struct shell *s, enum sh_kind kind, const char *from)
{
	struct sh_cmd *c = shell_alloc(s, sizeof(*c));

	if (!c)
		return NULL;
	c->kind = kind;
	c->from = shell_offset(s, from);
	c->to = s->src.line ? c->from : s->src.to;
	c->parent = s->cmd;
	c->func = s->func;
	c->marks = s->marks;
	if (s->quiet)
		return c;
	if (s->ret->ncmds == SH_MAX_COMMANDS) {
		shell_limit(s, "the line has too many commands");
		return NULL;
	}
	*s->tail = c;
	s->tail = &c->next;
	s->ret->ncmds++;
	return c;
}
