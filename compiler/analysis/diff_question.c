/*
 * Which rules and roots have to be looked at together.
 *
 * A proof asks whether some request of a rule's set gets less than the rule says.  Such a
 * request has one rule that lets it through (of several one that is `final`, if there is
 * one), or only a default does.  It is still let through if other such rules, or stricter
 * ones, do not match because their root lies elsewhere.  So each rule that lets through is
 * looked at by itself, with its root and that of the rule to be proved; and with the roots
 * that decide whether a stricter rule stands back: those of rules that lift a default, and
 * of exceptions from stricter rules.
 *
 * What a rule denies whatever others say is no such request, so it is left out of all
 * questions: the rules that remain are few.
 */
#include "compiler/analysis/diff_question.h"

#include <limits.h>

#include "compiler/analysis/diff_dominate.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_word.h"

/* More rules than these are not looked at one by one. */
#define MAX_QUESTIONS 4000

static unsigned root_bit(enum ir_kind kind, const struct ir_set *s)
{
	return 1u << ir_set_path(kind, s)->root;
}

/* A rule for other operations has no say: a scratch rule that stands back lets nothing through. */
static bool shares_operation(const struct diff_item *it, const struct diff_item *other)
{
	return it->kind != IR_FILE ||
	       (diff_set(it)->u.file.ops & diff_set(other)->u.file.ops);
}

static bool may_meet(const struct diff_item *x, const struct diff_item *y)
{
	return !diff_word_same_root(x, y) || diff_word_may_meet(x, y);
}

/* Does it let through what `it` would not? */
static bool is_letting(const struct diff_item *it, const struct diff_item *other)
{
	return !other->changed && diff_rule(other)->effect < diff_rule(it)->effect &&
	       shares_operation(it, other) && may_meet(it, other);
}

/* Where a tree of the host is shown, the scratch tree of the question is not there. */
static bool keeps_scratch_away(const struct diff *d, const struct diff_item *it,
			       const struct diff_item *other)
{
	const struct diff_item *letting = d->symbols->letting;
	const struct ir_rule *x = diff_rule(other);

	return letting && diff_rule(letting)->scratch && !other->changed &&
	       ir_rule_shows_host(x) && !x->nexcept && !x->until.n &&
	       !(diff_rule(letting)->scopes & diff_rule(it)->scopes & ~x->scopes);
}

bool diff_question_is_settled(const struct diff *d, const struct diff_item *it,
			      const struct diff_item *other)
{
	const struct diff_item *letting = d->symbols->letting;

	if (!(d->symbols->mask & root_bit(other->kind, diff_set(other))) ||
	    !may_meet(it, other) || (letting && !may_meet(letting, other)))
		return false;
	return diff_settles(d, it, other) || keeps_scratch_away(d, it, other);
}

bool diff_question_counts(const struct diff *d, const struct diff_item *it,
			const struct diff_item *other)
{
	const struct diff_symbols *s = d->symbols;
	const struct ir_rule *r = diff_rule(other);

	if (other == s->letting)
		return true;
	if (other->changed || !shares_operation(it, other) ||
	    !(s->mask & root_bit(other->kind, diff_set(other))) || !may_meet(it, other) ||
	    (s->letting && !may_meet(s->letting, other)))
		return false;
	if (!s->all && !diff_word_same_root(it, other) &&
	    !(s->letting && diff_word_same_root(s->letting, other)) && !s->lifts[r->index])
		return false;
	return r->effect >= IR_ASK || s->lifts[r->index];
}

static unsigned find_lifting(const struct diff *d, enum ir_kind kind, bool *lifts)
{
	const struct ir *ir = d->ir[DIFF_OLD];
	unsigned ret = 0;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		for (size_t k = 0; r->kind == kind && k < r->nlifted_by; k++) {
			lifts[r->lifted_by[k]] = true;
			ret |= root_bit(kind, &ir->rules.v[r->lifted_by[k]]->set);
		}
	}
	return ret;
}

/* Where an exception holds, its rule stands back. */
static unsigned excepting(const struct diff *d, const struct diff_item *it)
{
	unsigned ret = 0;
	size_t i, k, n;

	for (i = 0; i < d->items[it->kind].n; i++) {
		const struct diff_item *x = d->items[it->kind].v[i];
		const struct ir_set *e = diff_excepts(x, &n);

		for (k = 0; !x->changed && diff_rule(x)->effect != IR_ALLOW && k < n; k++)
			ret |= root_bit(it->kind, &e[k]);
	}
	return ret;
}

/* Does a request of the rule get less where no rule matches? */
static bool default_lets(const struct diff *d, const struct diff_item *it)
{
	static const struct {
		enum ir_kind kind;
		unsigned ops;
		enum ir_scalar_id id;
	} defaults[] = {
		{ IR_FILE, IR_READ, IR_S_FILE_READ },
		{ IR_FILE, IR_WRITE, IR_S_FILE_WRITE },
		{ IR_FILE, IR_EXEC, IR_S_FILE_EXEC },
		{ IR_UNIX, UINT_MAX, IR_S_UNIX_OTHERWISE },
	};
	unsigned ops = it->kind == IR_FILE ? diff_set(it)->u.file.ops : UINT_MAX;
	size_t i;

	for (i = 0; i < POL_LEN(defaults); i++)
		if (defaults[i].kind == it->kind && (ops & defaults[i].ops) &&
		    d->ir[DIFF_OLD]->scalars[defaults[i].id].effect < diff_rule(it)->effect)
			return true;
	return false;
}

bool diff_questions(const struct diff *d, const struct diff_item *it,
			   struct diff_symbols **ret, size_t *ret_n)
{
	size_t most = d->items[it->kind].n + 1, n = 0, i;
	struct diff_symbols *v = arena_array(d->a, most, sizeof(*v));
	bool *lifts = arena_array(d->a, d->ir[DIFF_OLD]->rules.n + 1, sizeof(*lifts));
	unsigned always = 1u << IR_ROOT_FS | root_bit(it->kind, diff_set(it)) |
			  find_lifting(d, it->kind, lifts) | excepting(d, it);

	if (default_lets(d, it))
		v[n++] = (struct diff_symbols){ .mask = always, .lifts = lifts };
	for (i = 0; i < d->items[it->kind].n; i++) {
		const struct diff_item *x = d->items[it->kind].v[i];

		if (is_letting(it, x))
			v[n++] = (struct diff_symbols){
				.mask = always | root_bit(x->kind, diff_set(x)),
				.letting = x, .lifts = lifts };
	}
	*ret = v;
	*ret_n = n;
	return n <= MAX_QUESTIONS;
}
