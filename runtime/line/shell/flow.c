/*
 * What is recorded for those who follow the line as it runs (var.h): the order of its
 * commands, and which variables its words have.
 */
#include "runtime/line/shell/state.h"

bool shell_flow_at(struct shell *s, struct sh_flow **at, enum sh_flow_kind kind,
		   struct sh_cmd *c)
{
	struct sh_flow *f;

	/* this text was read before */
	if (s->quiet)
		return true;
	if (!(f = (struct sh_flow *)(void *)shell_bytes(s, sizeof(*f))))
		return false;
	*f = (struct sh_flow){ .next = *at, .cmd = c, .kind = kind };
	*at = f;
	s->last = f;
	if (s->flow == at)
		s->flow = &f->next;
	return true;
}

bool shell_flow(struct shell *s, enum sh_flow_kind kind, struct sh_cmd *c)
{
	return shell_flow_at(s, s->flow, kind, c);
}

/* --- names -------------------------------------------------------------------------
 */

/* The table behind sh.vars: lists of numbers by a hash of the names. */
struct names {
	struct sh_var vars[SH_MAX_VARS]; /* first, so that sh.vars points here */
	uint8_t list[64], next[SH_MAX_VARS];
};

static uint8_t *list_of(struct names *t, const char *p, size_t n)
{
	uint32_t h = (uint32_t)n;

	for (size_t i = 0; i < n && i < 32; i++)
		h = h * 33 + (unsigned char)p[i];
	return &t->list[h % 64];
}

uint32_t sh_var_find(const struct sh *sh, const char *p, size_t n)
{
	struct names *t = (struct names *)(void *)sh->vars;
	uint32_t i;

	for (i = t ? *list_of(t, p, n) : 0; i; i = t->next[i - 1])
		if (t->vars[i - 1].name_n == n &&
		    memcmp(t->vars[i - 1].name, p, n) == 0)
			break;
	return i;
}

uint32_t shell_var(struct shell *s, const char *name, size_t n)
{
	uint32_t i = sh_var_find(s->ret, name, n);
	struct names *t;
	uint8_t *list;

	if (i || s->ret->nvars == SH_MAX_VARS)
		return i;
	if (!s->ret->vars && !(s->ret->vars = shell_alloc(s, sizeof(struct names))))
		return 0;
	t = (struct names *)(void *)s->ret->vars;
	list = list_of(t, name, n);
	t->vars[s->ret->nvars] = (struct sh_var){ .name = name, .name_n = (uint32_t)n };
	t->next[s->ret->nvars] = *list;
	*list = (uint8_t)++s->ret->nvars;
	return s->ret->nvars;
}
