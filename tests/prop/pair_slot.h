/*
 * Edits of statements that are no rules: another text, or the same one at another
 * level.
 */
#ifndef TESTS_PROP_PAIR_SLOT_H
#define TESTS_PROP_PAIR_SLOT_H

#include "tests/prop/pair_policy.h"

/* What moves to another level, by its section and how it begins; NULL: any. */
static const struct pair_move {
	const char *name, *section, *begins;
} pair_moves[] = {
	{ "variable", "env", NULL },
	{ "limit", "limits", NULL },
	{ "setting", NULL, "setting " },
	{ "default", NULL, "otherwise " },
	{ "opaque", "command", "opaque " },
	{ "hold", "network", "hold " },
	{ "program", "command", "program " },
	{ "wrapper", "command", "wrapper " },
	{ "inert words", "command", "inert " },
	{ "tainted name", "command", "taint " },
	{ "pin", "command", "pin " },
	{ "shell", "command", "shell " },
};
static const enum pol_slot pair_moved_to[] = { POL_MANAGED_FILE, POL_PROJECT,
					       POL_DISCOVERED, POL_USER, POL_BASE };

static inline bool pair_is_locked(const char *text)
{
	return strncmp(text, "locked ", 7) == 0;
}

static inline bool pair_may_move(const struct pair_move *m, const struct slot *s,
				 uint32_t text)
{
	const char *t = s->text[text] + (pair_is_locked(s->text[text]) ? 7 : 0);

	return *t &&
	       (!m->section || (s->section && strcmp(m->section, s->section) == 0)) &&
	       (!m->begins || strncmp(t, m->begins, strlen(m->begins)) == 0);
}

/* The policies are as they were, but for one statement: one of them has it at another
 * level. */
static inline void pair_edit_move(struct rnd *r, const struct pair_move *m,
				  struct pair_policy *old, struct pair_policy *new)
{
	struct pair_policy *moved = rnd_one_in(r, 2) ? new : old;
	bool unlocked = !rnd_one_in(r, 4);
	uint32_t at, text;

	/* each of them has a text without a lock */
	do {
		at = rnd_below(r, POL_LEN(slots));
		text = rnd_below(r, texts_of(&slots[at]));
	} while (!pair_may_move(m, &slots[at], text) ||
		 (unlocked && pair_is_locked(slots[at].text[text])));
	old->text[at] = new->text[at] = text;
	if (pair_is_gateway(&slots[at]))
		old->mode = new->mode = 0;
	moved->moved = at + 1;
	moved->to = RND_PICK(r, pair_moved_to);
}

static inline uint32_t pair_other(struct rnd *r, uint32_t x, uint32_t n)
{
	return (x + 1 + rnd_below(r, n - 1)) % n;
}

/* The next text that is locked as this one is, or not: what differs is one value.  `x`:
 * there is none. */
static inline uint32_t pair_next_text(const struct slot *s, uint32_t x, bool back)
{
	uint32_t n = texts_of(s), i;

	for (i = back ? x - 1 : x + 1; *s->text[x] && i < n; i += back ? UINT32_MAX : 1)
		if (*s->text[i] &&
		    pair_is_locked(s->text[i]) == pair_is_locked(s->text[x]))
			return i;
	return x;
}

/* Nothing but `base none` itself then shows that the base is gone. */
static inline void pair_without_base(struct pair_policy *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->rule[i].slot == POL_BASE || p->rule[i].slot == POL_FLOOR)
			p->rule[i].slot = POL_USER;
}

static inline void pair_edit_slot(struct rnd *r, struct pair_policy *old,
				  struct pair_policy *new, size_t at)
{
	uint32_t n = texts_of(&slots[at]), i, x;
	bool back = rnd_one_in(r, 2);

	/* what the gateway does shows only where there is one */
	if (pair_is_gateway(&slots[at]))
		old->mode = new->mode = 0;
	if (rnd_one_in(r, 2))
		for (i = 0; i < POL_LEN(slots); i++)
			if (!pair_is_mode(&slots[i]))
				old->text[i] = new->text[i] =
					rnd_below(r, texts_of(&slots[i]));
	if (strncmp(slots[at].text[0], "policy ", 7) == 0) {
		pair_without_base(old);
		pair_without_base(new);
	}
	old->text[at] = x = rnd_below(r, n);
	if (rnd_one_in(r, 2))
		x = pair_next_text(&slots[at], x, back);
	new->text[at] = x != old->text[at] ? x : pair_other(r, x, n);
}

#endif
