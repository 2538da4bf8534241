/*
 * Refuses the file rules for which there is no mechanism and no safe stand-in: denies by a
 * wildcard of what the kernel makes for each process.  They are errors, so that nobody relies
 * on them.
 */
#include "compiler/backend/mounts/refuse.h"

#include "compiler/backend/mounts/places.h"

static bool in_sandbox(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->scopes & IR_SANDBOX);
}

/*
 * Does a pattern with a wildcard take something away in a tree of the kernel's?  Polrun opens
 * nothing there: these files are not the same for it as for the run.
 */
static bool refuse_wild(const struct ir_rule *r, const struct ir_set *set, struct diag_sink *sink)
{
	static const struct str trees[] = { { "/proc", 5 }, { "/sys", 4 }, { "/dev", 4 } };
	unsigned ops = set->u.file.ops & r->set.u.file.ops & (IR_READ | IR_EXEC);
	struct mounts_places places;
	struct diag *d;

	if (!ops || set->u.file.path.root != IR_ROOT_FS)
		return false;
	mounts_places(sink->a, &set->u.file.path, &places);
	if (places.shape != MOUNTS_WILD || mounts_is_below(places.paths.v[0], STR("/dev/shm")))
		return false;
	for (size_t i = 0; i < POL_LEN(trees); i++) {
		if (!mounts_is_below(places.paths.v[0], trees[i]))
			continue;
		d = diag_add(sink, DIAG_WILD_SYSTEM, r->at.span,
			     "'%.*s' has a wildcard in %.*s, whose files the kernel makes for the "
			     "process that opens them: nobody can decide about them by name",
			     STR_ARG(set->u.file.path.text), STR_ARG(trees[i]));
		diag_help(sink, d, "name the files or a directory without '*', '?' and '**'");
		return true;
	}
	return false;
}

static bool refuse_rule(const struct ir_rule *r, struct diag_sink *sink)
{
	if (r->effect != IR_ALLOW)
		return refuse_wild(r, &r->set, sink);
	for (size_t i = 0; i < r->nexcept; i++)
		if (refuse_wild(r, &r->except[i], sink))
			return true;
	return false;
}

bool mounts_refuse(const struct ir *ir, struct diag_sink *sink)
{
	bool bad = false;

	for (size_t i = 0; i < ir->rules.n; i++) {
		if (in_sandbox(ir->rules.v[i]))
			bad |= refuse_rule(ir->rules.v[i], sink);
	}
	return !bad;
}
