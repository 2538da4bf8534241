/* The words of one command as the automata read them, and the program among them. */
#include <string.h>

#include "runtime/decide/part_call.h"
#include "runtime/decide/part_word.h"

bool call_prepare(struct call *c)
{
	uint32_t n = c->p->nwords, i;

	c->words = pool_take(&c->l->pool, n, sizeof(*c->words));
	if (!c->words)
		return false;
	c->literal = !(c->p->flags & CMD_APPENDS);
	for (i = 0; i < n; i++) {
		if (!part_word(c->l, &c->p->words[i], true, &c->words[i]))
			return false;
		c->literal &= c->words[i].literal;
	}
	return true;
}

void call_program(struct call *c)
{
	const struct line_facts *f = c->l->world.facts;
	const char *p = c->words[0].seg->p, *slash;
	size_t n = c->words[0].seg->n;
	const struct line_pin *pin;

	if (!c->words[0].literal)
		return;
	c->program = p;
	c->program_n = n;
	slash = n ? memrchr(p, '/', n) : NULL;
	c->base = slash ? slash + 1 : p;
	c->base_n = (uint32_t)(n - (size_t)(c->base - p));
	c->trusted = true;
	if (!slash)
		return;
	pin = cmd_pin(f, c->base, c->base_n);
	if (pin)
		c->trusted = pin->path.len == n &&
			     memcmp(pb_strp(f, pin->path), p, n) == 0;
	else
		c->trusted = cmd_trusted_place(p, n);
	c->no_allow = pin && !c->trusted;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *call_join(struct call *c, bool broad, size_t skip, size_t *ret_n)
{
	size_t n = 0, k;
	uint32_t i;
	char *p, *at;

	for (i = 0; i < c->p->nwords; i++)
		n += c->words[i].seg->n + 2;
	at = p = pool_take(&c->l->pool, n, 1);
	if (!p)
		return NULL;
	for (i = 0; i < c->p->nwords && c->words[i].literal; i++) {
		const struct sh_seg *s = c->words[i].seg;

		if (i)
			*at++ = ' ';
		if (!broad && s->n == (i ? 0 : skip))
			*at++ = '\x1f';
		for (k = i ? 0 : skip; k < s->n; k++)
			*at++ = !broad && is_blank(s->p[k]) ? '\x1f' : s->p[k];
	}
	*ret_n = (size_t)(at - p);
	return p;
}
