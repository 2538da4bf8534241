/*
 * Edits of commands that need other statements beside them: an exception where options
 * count, a rule that decides as the default does.
 */
#ifndef TESTS_PROP_PAIR_COMMAND_H
#define TESTS_PROP_PAIR_COMMAND_H

#include "tests/prop/pair_policy.h"

/* The managed file has this statement, one of those that are no rules. */
static inline void pair_say(struct pair_policy *p, const char *section,
			    const char *text)
{
	for (size_t k = 0; k < POL_LEN(slots); k++)
		for (uint32_t i = 0; slots[k].section && i < texts_of(&slots[k]); i++)
			if (strcmp(slots[k].section, section) == 0 &&
			    strcmp(slots[k].text[i], text) == 0)
				p->text[k] = i;
}

/* The rule alone, and first; returns it. */
static inline struct pair_rule *pair_alone(struct pair_policy *p, uint32_t *at)
{
	p->rule[0] = p->rule[*at];
	p->n = 1;
	*at = 0;
	return &p->rule[0];
}

static inline void pair_add_command(struct pair_policy *p, enum pol_slot slot,
				    uint8_t effect, const char *set)
{
	struct pair_rule x = { .kind = IR_COMMAND, .slot = slot };

	x.v[PART_EFFECT] = effect;
	x.v[PART_SET] = pair_alt(IR_COMMAND, PART_SET, set);
	p->rule[p->n++] = x;
}

/*
 * A rule with an exception and with options: a line of the exception has words of the
 * rule, and may have options of either.  The default decides otherwise, often by the
 * risk, and often nothing else does.
 */
static inline void pair_fit_except(struct rnd *r, struct pair_policy *p, uint32_t *at)
{
	static const char *const sets[] = {
		"\"foo push *\"", "\"foo push *\"", "\"foo push:*\"",
		"\"foo *\"",      "\"foo:*\"",      "\"foo p?sh *\"",
		"\"foo ** x\"",   "/^foo (a|b)/",   "\"{foo|bar} {a|b}:*\""
	};
	static const struct {
		const char *otherwise;
		uint8_t effect[2];
	} beside[] = {
		{ "otherwise by risk { low allow  medium ask  high ask  critical ask }",
		  { PAIR_ALLOW, PAIR_DENY } },
		{ "otherwise by risk { low ask  medium deny  high deny  critical deny "
		  "}",
		  { PAIR_ALLOW, PAIR_ASK } },
		{ "otherwise deny", { PAIR_ALLOW, PAIR_ASK } },
		{ "otherwise allow", { PAIR_ASK, PAIR_DENY } },
	};
	static const enum pol_slot levels[] = { POL_MANAGED, POL_MANAGED_FILE,
						POL_USER };
	struct pair_rule *x = rnd_one_in(r, 3) ? &p->rule[*at] : pair_alone(p, at);
	uint32_t k = rnd_below(r, POL_LEN(beside));

	memset(x->v, 0, sizeof(x->v));
	x->slot = RND_PICK(r, levels);
	x->v[PART_EFFECT] = beside[k].effect[rnd_below(r, 2)];
	x->v[PART_SET] = pair_alt(IR_COMMAND, PART_SET, RND_PICK(r, sets));
	x->v[PART_EXCEPT] = (uint8_t)rnd_below(r, pair_alts(IR_COMMAND, PART_EXCEPT));
	if (!rnd_one_in(r, 4))
		x->v[PART_GUARD] =
			(uint8_t)rnd_below(r, pair_alts(IR_COMMAND, PART_GUARD));
	pair_say(p, "command", beside[k].otherwise);
}

/*
 * A rule that decides as the default does.  Yet other lines differ without it: those
 * whose words spell what is denied, and those in the code of a shell that is allowed.
 */
static inline void pair_fit_default(struct rnd *r, struct pair_policy *p, uint32_t *at)
{
	static const char *const denied[] = { "\"rm:*\"", "\"bar:*\"", "\"bar:*\"",
					      "\"rm -rf *\"" };
	static const char *const by_effect[] = { "otherwise allow", "otherwise ask",
						 "otherwise deny" };
	bool words = !rnd_one_in(r, 3); /* an allow, and words that are denied */
	struct pair_rule *x =
		words || rnd_one_in(r, 2) ? pair_alone(p, at) : &p->rule[*at];
	uint8_t effect = words ? PAIR_ALLOW : (uint8_t)rnd_below(r, 3),
		set = x->v[PART_SET];

	memset(x->v, 0, sizeof(x->v));
	x->role = 0;
	x->v[PART_EFFECT] = effect;
	x->v[PART_SET] =
		rnd_one_in(r, 3) ? set : pair_alt(IR_COMMAND, PART_SET, "\"foo:*\"");
	pair_say(p, "command", by_effect[effect]);
	if (p->n < PAIR_MAX && (words || rnd_one_in(r, 2)))
		pair_add_command(p, RND_PICK(r, pair_levels), PAIR_DENY,
				 RND_PICK(r, denied));
	if (p->n < PAIR_MAX && rnd_one_in(r, 2))
		pair_add_command(p, POL_USER, PAIR_ALLOW,
				 rnd_one_in(r, 2) ? "\"sh:*\"" : "\"env:*\"");
}

#endif
