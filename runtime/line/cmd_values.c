/*
 * Lists a command once for each value of its variables. Each time its words are literal
 * there, so nobody else has to know about variables: a deny meets any of the values,
 * and an allow has to cover all.
 */
#include "runtime/line/cmd_values.h"

/* --- the turns ------------------------------------------------------------- */

static bool add_word(struct cmd_turn *t, const struct sh_word *w)
{
	const struct sh_seg *g;
	uint32_t i;

	for (g = &w->seg; g; g = g->next) {
		if (!g->values)
			continue;
		for (i = 0; i < t->n && t->var[i] != g->var; i++)
			;
		if (i < t->n && t->may[i] != g->values)
			return false;
		if (i < t->n)
			continue;
		if (t->n == CMD_MAX_TURNS)
			return false;
		t->var[t->n] = g->var;
		t->may[t->n] = g->values;
		t->at[t->n++] = (uint16_t)(g->values & -g->values);
	}
	return true;
}

bool cmd_turn_begin(struct cmd_an *a, struct cmd_turn *t, const struct sh *sh,
		    const struct sh_cmd *cmd)
{
	const struct sh_redir *r;
	const struct sh_word *w;
	uint32_t turns = 1, i;
	bool ok = true;

	t->sh = sh;
	t->n = 0;
	if (!sh->nvars)
		return false;
	for (w = cmd->words, i = 0; ok && w && i < cmd->nwords; w = w->next, i++)
		ok = add_word(t, w);
	for (r = cmd->redirs; ok && r; r = r->next)
		ok = add_word(t, r->target) && (!r->body || add_word(t, r->body));
	for (i = 0; i < t->n && turns <= CMD_MAX_TURNS; i++)
		turns *= (uint32_t)__builtin_popcount(t->may[i]);
	if (!ok || !t->n || turns > CMD_MAX_TURNS || turns > a->turns)
		return false;
	a->turns -= turns;
	return true;
}

bool cmd_turn_next(struct cmd_turn *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint16_t rest = (uint16_t)(t->may[i] & ~(t->at[i] | (t->at[i] - 1u)));

		if (rest) {
			t->at[i] = (uint16_t)(rest & -rest);
			return true;
		}
		t->at[i] = (uint16_t)(t->may[i] & -t->may[i]);
	}
	return false;
}

/* --- the words of a turn --------------------------------------------------- */

static const struct sh_text *value(const struct cmd_turn *t, const struct sh_seg *g)
{
	uint32_t i = 0;

	while (t->var[i] != g->var)
		i++;
	return &t->sh->vars[g->var - 1].values[__builtin_ctz(t->at[i])];
}

/* The bytes of a piece in this turn; false: it is no text. */
static bool text(const struct cmd_turn *t, const struct sh_seg *g, struct sh_text *ret)
{
	if (g->kind == SH_LIT)
		*ret = (struct sh_text){ g->p, g->n };
	else if (g->values)
		*ret = *value(t, g);
	else
		return false;
	return true;
}

static bool has_values(const struct sh_word *w)
{
	const struct sh_seg *g;

	for (g = &w->seg; g && !g->values; g = g->next)
		;
	return g != NULL;
}

/* Makes one literal piece of g and of the texts behind it. *ret_rest is what follows.
 */
static bool join(struct cmd_an *a, const struct cmd_turn *t, const struct sh_seg *g,
		 struct sh_seg *to, const struct sh_seg **ret_rest)
{
	const struct sh_seg *h;
	struct sh_text x;
	uint32_t n = 0;
	char *p;

	for (h = g; h && text(t, h, &x); h = h->next)
		n += x.n;
	if (!(p = cmd_alloc(a, n + 1)))
		return false;
	*to = (struct sh_seg){ .kind = SH_LIT, .p = p, .n = n };
	for (h = g; h && text(t, h, &x); h = h->next) {
		if (x.n)
			memcpy(p, x.p, x.n);
		p += x.n;
	}
	*ret_rest = h;
	return true;
}

static struct sh_word *take_word(struct cmd_an *a, const struct cmd_turn *t,
				 const struct sh_word *w)
{
	struct sh_word *made = cmd_alloc(a, sizeof(*made));
	const struct sh_seg *g = &w->seg;
	struct sh_seg *to;
	struct sh_text x;

	if (!made)
		return NULL;
	*made = *w;
	if (!has_values(w))
		return made;
	made->flags &= ~(uint32_t)SH_W_DYNAMIC;
	for (to = &made->seg;; to = to->next) {
		if (text(t, g, &x)) {
			if (!join(a, t, g, to, &g))
				return NULL;
		} else {
			*to = *g;
			if (g->kind == SH_ANY || g->kind == SH_MULTI)
				made->flags |= SH_W_DYNAMIC;
			g = g->next;
		}
		to->next = NULL;
		if (!g)
			return made;
		if (!(to->next = cmd_alloc(a, sizeof(*to))))
			return NULL;
	}
}

const struct sh_cmd *cmd_turn_take(struct cmd_an *a, const struct cmd_turn *t,
				   const struct sh_cmd *cmd)
{
	struct sh_cmd *made = cmd_alloc(a, sizeof(*made));
	struct sh_word **word, *w;
	struct sh_redir **redir, *r;
	uint32_t i;

	if (!made)
		return NULL;
	*made = *cmd;
	word = &made->words;
	for (i = 0, w = cmd->words; w && i < cmd->nwords; w = w->next, i++) {
		if (!(*word = take_word(a, t, w)))
			return NULL;
		word = &(*word)->next;
	}
	redir = &made->redirs;
	for (r = cmd->redirs; r; r = r->next) {
		if (!(*redir = cmd_alloc(a, sizeof(**redir))))
			return NULL;
		**redir = *r;
		(*redir)->target = take_word(a, t, r->target);
		(*redir)->body = r->body ? take_word(a, t, r->body) : NULL;
		if (!(*redir)->target || (r->body && !(*redir)->body))
			return NULL;
		redir = &(*redir)->next;
	}
	return made;
}
