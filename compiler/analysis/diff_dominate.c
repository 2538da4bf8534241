/* The steps of doc/semantics.md 3.1, for one rule that no other one can outdo. */
#include "compiler/analysis/diff_dominate.h"

#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_word.h"

/* Of a level above the defaults only a final rule keeps a rule of another root from counting. */
static bool may_be_final_above(const struct diff *d, const struct ir_rule *by)
{
	size_t i;
	int s;

	for (s = 0; s < 2 && by->level != IR_DEFAULT; s++)
		for (i = 0; i < d->ir[s]->rules.n; i++) {
			const struct ir_rule *r = d->ir[s]->rules.v[i];

			if (r->kind == by->kind && r->final && r->level < by->level)
				return true;
		}
	return false;
}

/* Does the rule decide wherever it matches, or one that is as strict? */
static bool stays(const struct diff *d, const struct diff_item *it)
{
	const struct ir_rule *x = it->rule[DIFF_OLD], *y = it->rule[DIFF_NEW];

	return x && y && !it->changed && x->effect >= IR_ASK && !x->nlifted_by &&
	       !y->nlifted_by && !x->soft && !x->scratch && !x->until.n &&
	       !may_be_final_above(d, x);
}

static bool is_dominant(const struct diff *d, const struct diff_item *it)
{
	return stays(d, it) && diff_rule(it)->effect >= IR_DENY && !diff_word_is_vague(it);
}

bool diff_settles(const struct diff *d, const struct diff_item *it,
		  const struct diff_item *by)
{
	const struct ir_rule *r = diff_rule(it), *x = diff_rule(by);

	return stays(d, by) && x->effect >= r->effect && !x->nexcept &&
	       !(r->scopes & ~x->scopes) &&
	       (it->kind != IR_FILE || !(r->set.u.file.ops & ~x->set.u.file.ops));
}

/* Can the changed rule do nothing where the dominant one matches? */
static bool is_below(const struct diff_item *it, const struct ir_rule *by, unsigned ops)
{
	const struct ir_rule *r = diff_rule(it);

	if ((it->kind == IR_FILE && (ops & ~by->set.u.file.ops)) || (r->scopes & ~by->scopes))
		return false;
	/* where files are hidden, nothing is stricter; an allow may lift what is stricter */
	return by->effect == IR_HIDE || (r->effect != IR_ALLOW && r->effect <= by->effect);
}

bool diff_dominated(const struct diff *d, struct diff_item *const *sel, const uint32_t *tags,
		    size_t n, unsigned ops)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		const struct diff_item *by = sel[tags[i]];

		if (!diff_rule(by) || !is_dominant(d, by))
			continue;
		for (k = 0; k < n; k++)
			if (sel[tags[k]]->changed && !is_below(sel[tags[k]], diff_rule(by), ops))
				break;
		if (k == n)
			return true;
	}
	return false;
}
