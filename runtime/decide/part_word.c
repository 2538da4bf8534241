/*
 * The words of a command as the automata read them: which may be left out, vanish or
 * become several; and ~ as the value of HOME, if that is known.
 */
#include <string.h>

#include "runtime/decide/part_word.h"

static bool add_piece(struct pool *p, struct sh_seg **last, struct sh_seg piece)
{
	struct sh_seg *s = pool_take(p, 1, sizeof(*s));

	if (!s)
		return false;
	*s = piece;
	s->next = NULL;
	if (*last)
		(*last)->next = s;
	*last = s;
	return true;
}

/* Replaces ~ by the value of HOME, or by what is known about it. */
static const struct sh_seg *with_home(struct line_ctx *l, const struct sh_word *w)
{
	static const struct sh_seg slash = { .kind = SH_LIT, .p = "/", .n = 1 };
	static const struct sh_seg any = { .kind = SH_ANY };
	const char *home = l->world.home;
	struct sh_seg *first = NULL, *last = NULL;
	const struct sh_seg *s;

	for (s = &w->seg; s; s = s->next) {
		struct sh_seg is = *s;

		if (s->kind == SH_HOME && home) {
			is = (struct sh_seg){ .kind = SH_LIT, .p = home,
					      .n = (uint32_t)strlen(home) };
		} else if (s->kind == SH_HOME) {
			if (!add_piece(&l->pool, &last, slash))
				return NULL;
			first = first ? first : last;
			is = any;
		}
		if (!add_piece(&l->pool, &last, is))
			return NULL;
		first = first ? first : last;
	}
	return first;
}

/* Joins adjacent literal pieces. */
static const struct sh_seg *joined(struct line_ctx *l, const struct sh_seg *from)
{
	struct sh_seg *one;
	const struct sh_seg *s;
	size_t n = 0;
	char *p;

	for (s = from; s; s = s->next) {
		if (s->kind != SH_LIT)
			return from;
		n += s->n;
	}
	one = pool_take(&l->pool, 1, sizeof(*one));
	p = pool_take(&l->pool, n + 1, 1);
	if (!one || !p)
		return NULL;
	*one = (struct sh_seg){ .kind = SH_LIT, .p = p, .n = (uint32_t)n };
	for (s = from; s; s = s->next) {
		memcpy(p, s->p, s->n);
		p += s->n;
	}
	return one;
}

bool part_word(struct line_ctx *l, const struct cmd_word *w, bool broad,
	       struct walk_word *ret)
{
	const unsigned left_out = CMD_W_OPTION | CMD_W_VALUE | CMD_W_END;
	struct walk_word r = { .seg = &w->w->seg, .vanish = true };
	const struct sh_seg *s;
	bool multi = false, home = false, literal = true;

	if (sh_is_literal(w->w)) {
		*ret = (struct walk_word){ .seg = r.seg, .literal = true,
					   .skip = broad && (w->roles & left_out) };
		return true;
	}
	for (s = r.seg; s; s = s->next) {
		multi |= s->kind == SH_MULTI;
		home |= s->kind == SH_HOME;
		r.glob |= s->kind == SH_GLOB;
		literal &= s->kind == SH_LIT;
		if (s->kind != SH_MULTI && (s->kind != SH_LIT || s->n))
			r.vanish = s->kind == SH_ANY && r.vanish;
	}
	r.vanish &= multi;
	r.skip = broad && (w->roles & left_out);
	if (home)
		r.seg = with_home(l, w->w);
	if (r.seg && (home || (literal && r.seg->next)))
		r.seg = joined(l, r.seg);
	if (!r.seg)
		return false;
	r.literal = r.seg->kind == SH_LIT && !r.seg->next;
	*ret = r;
	return true;
}
