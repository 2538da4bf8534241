/*
 * Finds the rules that match one command: asks the automata of its program's name and
 * those for any program, then the guards of the clauses that they name, then the
 * exceptions. A command with a known program costs the automata of one name and those of
 * wildcard programs, however many rules there are. For an unknown program all names are
 * asked.
 */
#include <stddef.h>
#include <string.h>

#include "runtime/decide/guard.h"
#include "runtime/decide/part_ask.h"
#include "runtime/decide/part_match.h"
#include "runtime/decide/part_regex.h"

/* The clause's expression if it is not an automaton, or NULL. */
static const struct pb_regex *opaque_of(const struct call *c, uint32_t i)
{
	const struct pb_regex *v = pb_at(c->m, c->m->regexes, sizeof(*v), 0);
	uint32_t at = pb_first(c->m, c->m->regexes, sizeof(*v),
			       offsetof(struct pb_regex, clause), i);

	return at < c->m->regexes.count && v[at].clause == i ? &v[at] : NULL;
}

static struct guard_says clause_says(struct call *c, uint32_t i)
{
	const struct pb_clause *k = pb_at(c->m, c->m->clauses, sizeof(*k), i);
	struct guard_says r = { bits_has(&c->l->may, i),
				 bits_has(&c->l->must, i) }, g;
	const struct pb_regex *re = k->regex ? opaque_of(c, i) : NULL;

	/* A word that is not literal may hold what a regular expression looks for. An
	 * automaton has been asked whether some text of the words has it, for deny and ask. */
	if (k->regex && !c->literal && (!k->broad || !c->program))
		r = (struct guard_says){ true, false };
	else if (re)
		r = call_search(c, re, k->broad);
	if (k->nguards && r.may) {
		g = guard_all(c->l, c->p, k);
		r.may &= g.may;
		r.must &= g.must;
	}
	/* the line gives the name another meaning: no rule allows it */
	if (!k->broad && (c->p->flags & CMD_VOID))
		r.must = false;
	r.must &= r.may;
	return r;
}

/* Clause `i` of a rule or fact, minus the exceptions that follow it. */
static struct guard_says less_exceptions(struct call *c, uint32_t i)
{
	const struct pb_clause *k = pb_at(c->m, c->m->clauses, sizeof(*k), i);
	struct guard_says r = clause_says(c, i), e;

	for (i++, k++; i < c->m->clauses.count && k->except && r.may; i++, k++) {
		e = clause_says(c, i);
		r.may &= !e.must;
		r.must &= !e.may;
	}
	r.must &= r.may;
	return r;
}

static void take_rule(struct line_ctx *l, struct part_match *r,
		      const struct pb_rule *rule, uint32_t number,
		      struct guard_says says)
{
	if (rule->kind == PB_RISK) {
		if ((rule->effect ? says.may : says.must) && rule->effect + 1 > r->risk)
			r->risk = (uint8_t)(rule->effect + 1);
		return;
	}
	if (!(rule->scopes & l->c->scope))
		return;
	if (!l->is_tail)
		part_see(l, number);
	if (says.must || (rule->effect == PB_ASK && says.may)) {
		bits_add(&r->sure.in, number);
		bits_add(&r->more.in, number);
	} else if (rule->effect != PB_ALLOW && says.may) {
		bits_add(&r->more.in, number);
		r->may_deny = true;
	}
}

static void take_clause(struct call *c, uint32_t i, struct part_match *r)
{
	const struct pb_clause *k = pb_at(c->m, c->m->clauses, sizeof(*k), i);
	struct guard_says says;

	if (k->except)
		return;
	says = less_exceptions(c, i);
	if (!says.may)
		return;
	if (k->rule == PB_NO_RULE)
		r->inert |= says.must;
	else
		take_rule(c->l, r, bundle_rule(c->l->c->b, k->rule), k->rule, says);
}

static void mark_tags(struct call *c, uint32_t first, uint32_t n)
{
	uint32_t i;

	for (i = first; i < first + n; i++) {
		const struct pb_automaton *a = pb_at(c->m, c->m->commands, sizeof(*a), i);
		const uint32_t *tags = (const void *)((const uint8_t *)c->m + a->tags);

		walk_add(&c->l->may, tags, a->ntags);
	}
}

/* If the words are not literal, every regular expression may match. Expressions that are
 * not automata are searched when their clause is evaluated. */
static void mark_regexes(struct call *c)
{
	const struct pb_name *name = call_name(c->m, PB_NAME_REGEX);
	uint32_t i;

	for (i = 0; i < c->m->regexes.count; i++) {
		const struct pb_regex *r = pb_at(c->m, c->m->regexes, sizeof(*r), i);

		bits_add(&c->l->may, r->clause);
	}
	if (c->literal)
		return;
	mark_tags(c, name->narrow, name->nnarrow);
	if (!c->program)
		mark_tags(c, name->broad, name->nbroad);
}

void part_match(struct line_ctx *l, const struct cmd_part *p, struct part_match *ret)
{
	struct call c = { .l = l, .p = p, .m = l->c->b->matcher,
			  .must = &l->must };
	struct pool pool = l->pool;
	uint32_t i;

	match_init(&ret->sure, l->c, PB_COMMAND, 0);
	match_init(&ret->more, l->c, PB_COMMAND, 0);
	ret->may_deny = ret->inert = false;
	ret->risk = 0;
	bits_clear(&l->may);
	bits_clear(&l->must);
	if (!p->nwords || !call_prepare(&c)) {
		l->work = 0;
		return;
	}
	call_program(&c);
	if (c.program)
		call_ask_known(&c);
	else
		call_ask_all(&c);
	if (c.literal)
		call_ask_regexes(&c);
	else if (c.program)
		call_ask_regexes_of_unknown(&c);
	mark_regexes(&c);
	BITS_EACH(&l->may, i)
		take_clause(&c, i, ret);
	/* classes count from one here; medium if no fact gives one */
	ret->risk = ret->risk ? (uint8_t)(ret->risk - 1) : 1;
	l->pool = pool;
}

static bool may_deny(const struct call *c)
{
	uint32_t i;

	BITS_EACH(&c->l->may, i) {
		const struct pb_clause *k = pb_at(c->m, c->m->clauses, sizeof(*k), i);
		const struct pb_rule *r = bundle_rule(c->l->c->b, k->rule);

		if (!k->except && r && r->kind == PB_COMMAND && r->effect >= PB_DENY)
			return true;
	}
	return false;
}

/* May a clause begin with this word? If its last piece is literal and holds the last
 * component, its name is known. */
static bool may_begin(const struct line_ctx *l, const struct sh_word *w)
{
	const struct sh_seg *s = &w->seg;

	while (s->next)
		s = s->next;
	if (s->kind != SH_LIT || (s != &w->seg && !memchr(s->p, '/', s->n)))
		return true;
	return call_may_begin(l, s->p, s->n);
}

bool part_tail_may_deny(struct line_ctx *l, const struct cmd_part *p, uint32_t from)
{
	struct cmd_part tail = *p;
	struct call c = { .l = l, .p = &tail, .m = l->c->b->matcher,
			  .must = &l->must };
	struct pool pool = l->pool;
	bool yes = false;
	uint32_t i;

	tail.words += from;
	tail.nwords -= from;
	if (c.m->regexes.count || call_name(c.m, PB_NAME_REGEX)->nbroad)
		return true;
	if (!may_begin(l, tail.words[0].w))
		return false;
	/* for each such word, every word after it is read again */
	if (!part_spend(l, 16 + 8 * (uint64_t)tail.nwords))
		return false;
	bits_clear(&l->may);
	bits_clear(&l->must);
	if (call_prepare(&c)) {
		/* its options have not been read yet: any word may be left out */
		for (i = 1; i < tail.nwords; i++)
			c.words[i].skip = true;
		call_program(&c);
		if (c.program)
			call_ask_known(&c);
		yes = may_deny(&c);
	} else {
		l->work = 0;
	}
	l->pool = pool;
	return yes;
}
