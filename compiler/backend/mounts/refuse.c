/*
 * Refuses the file rules for which this version has no mechanism and no safe
 * stand-in: writing everywhere, and hides or denies of reading and executing
 * by wildcard.  They are errors, so that nobody relies on them.
 */
#include "compiler/backend/mounts/refuse.h"

#include "compiler/backend/mounts/places.h"

static bool in_sandbox(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->scopes & IR_SANDBOX);
}

static bool refuse_anywhere(const struct ir_rule *r, struct diag_sink *sink)
{
	struct diag *d;

	if (!ir_rule_is_everywhere(r) || r->set.u.file.ops != IR_WRITE)
		return false;
	d = diag_add(sink, DIAG_WRITE_ANYWHERE, r->at.span,
		     "'allow write \"/\"' is not supported by this version");
	diag_help(sink, d, "name the trees that the command changes");
	return true;
}

/* Is this a pattern with a wildcard that takes reading or executing away? */
static bool refuse_wild(const struct ir_rule *r, const struct ir_set *set,
			bool exception, struct diag_sink *sink)
{
	unsigned ops = set->u.file.ops & (IR_READ | IR_EXEC);
	struct mounts_places places;
	struct diag *d;

	if (ops == 0)
		return false;
	mounts_places(sink->a, &set->u.file.path, &places);
	if (places.shape == MOUNTS_LITERAL)
		return false;
	if (exception)
		d = diag_add(
			sink, DIAG_WILD_HIDE, r->at.span,
			"the exception '%.*s' takes %s away by a wildcard, which this "
			"version cannot enforce",
			STR_ARG(set->u.file.path.text),
			r->effect == IR_HIDE ? "files" : ir_op_name((enum ir_op)ops));
	else if (r->effect == IR_HIDE)
		d = diag_add(
			sink, DIAG_WILD_HIDE, r->at.span,
			"'hide \"%.*s\"' has a wildcard, which this version cannot "
			"enforce",
			STR_ARG(set->u.file.path.text));
	else
		d = diag_add(
			sink, DIAG_WILD_HIDE, r->at.span,
			"'%s %s \"%.*s\"' has a wildcard, which this version cannot "
			"enforce",
			ir_effect_name(r->effect), ir_op_name((enum ir_op)ops),
			STR_ARG(set->u.file.path.text));
	diag_help(sink, d,
		  "name the files or a directory without '*', '?' and '**'; only "
		  "writing can be denied by a wildcard");
	return true;
}

static bool refuse_rule(const struct ir_rule *r, struct diag_sink *sink)
{
	bool bad = refuse_anywhere(r, sink);

	if (r->effect != IR_ALLOW)
		return refuse_wild(r, &r->set, false, sink);
	for (size_t i = 0; i < r->nexcept && !bad; i++)
		bad = refuse_wild(r, &r->except[i], true, sink);
	return bad;
}

static bool refuse_scalar(const struct ir *ir, struct diag_sink *sink)
{
	const struct ir_scalar *s = &ir->scalars[IR_S_FILE_WRITE];
	struct diag *d;

	if (s->effect != IR_ALLOW)
		return false;
	d = diag_add(sink, DIAG_WRITE_ANYWHERE, s->at.span,
		     "'otherwise write allow' is not supported by this version");
	diag_help(sink, d, "say 'otherwise write deny' and name the trees that the "
			   "command changes");
	return true;
}

bool mounts_refuse(const struct ir *ir, struct diag_sink *sink)
{
	bool bad = false;

	for (size_t i = 0; i < ir->rules.n; i++) {
		if (in_sandbox(ir->rules.v[i]))
			bad |= refuse_rule(ir->rules.v[i], sink);
	}
	bad |= refuse_scalar(ir, sink);
	return !bad;
}
