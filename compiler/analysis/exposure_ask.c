/* Turns rules, scalars and decisions into answers. */
#include "compiler/analysis/exposure_ask.h"

struct exposure_by exposure_by_rule(const struct ir_rule *r)
{
	return (struct exposure_by){ .id = r->id, .text = r->text, .at = r->at,
				     .level = r->level };
}

struct exposure_by exposure_by_scalar(const struct ir *ir, enum ir_scalar_id id)
{
	const struct ir_scalar *s = &ir->scalars[id], *mode = &ir->scalars[IR_S_NET_MODE];
	struct exposure_by by = { .id = s->id, .text = s->source, .at = s->at };

	/* the mode is the statement that says what the network's `otherwise` is */
	if (id == IR_S_NET_OTHERWISE && !s->at.line)
		by = (struct exposure_by){ .id = mode->id, .text = mode->source,
					   .at = mode->at };
	if (by.at.line)
		by.level = id == IR_S_NET_OTHERWISE && !s->at.line ? mode->level : s->level;
	return by;
}

struct exposure_reach exposure_reach_of(const struct ir *ir, const struct eval_decision *d)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	if (d->effect > IR_ASK)
		return ret;
	ret.grade = d->effect == IR_ALLOW ? EXPOSURE_OPEN : EXPOSURE_ASKED;
	ret.by = d->rule ? exposure_by_rule(d->rule) : exposure_by_scalar(ir, d->scalar);
	return ret;
}

void exposure_add(struct exposure_reach *to, struct exposure_reach one)
{
	if (one.grade > to->grade)
		*to = one;
}

bool exposure_is_locked(const struct ir *ir, const struct ir_rule *r)
{
	enum ir_level lock = ir->locked[r->kind].level;

	return lock != 0 && r->level > lock;
}
