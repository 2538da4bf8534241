/* What becomes of a wildcard that takes reading or executing away: polrun opens the files, and
 * Landlock lets the run start only the programs that it knows. */
#include "compiler/backend/mounts/check_wild.h"

#define LAYER "mounts"

bool mounts_has_exec(const struct mounts_ctx *c, enum ir_root root, struct str at)
{
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *o = c->ir->rules.v[i];
		const struct mounts_places *p = &c->at[i];

		if (!mounts_in_sandbox(o, IR_FILE) || o->effect != IR_ALLOW ||
		    !(o->set.u.file.ops & IR_EXEC))
			continue;
		if (ir_rule_is_everywhere(o))
			return true;
		if (o->set.u.file.path.root != root || p->shape != MOUNTS_LITERAL)
			continue;
		for (size_t k = 0; k < p->paths.n; k++) {
			if (mounts_is_below(at, p->paths.v[k]) ||
			    mounts_is_below(p->paths.v[k], at))
				return true;
		}
	}
	return c->ir->scalars[IR_S_FILE_EXEC].effect == IR_ALLOW;
}

/* Could a program of such a name be executed, but for this rule? */
static bool takes_exec(const struct mounts_ctx *c, enum ir_root root, const struct mounts_places *at)
{
	if (at->shape == MOUNTS_WILD && mounts_has_exec(c, root, at->paths.v[0]))
		return true;
	if (at->shape == MOUNTS_WILD && root != IR_ROOT_FS)
		return false;
	/* other roots may lie there */
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *o = c->ir->rules.v[i];

		if (mounts_in_sandbox(o, IR_FILE) && o->effect == IR_ALLOW &&
		    (o->set.u.file.ops & IR_EXEC) &&
		    (at->shape == MOUNTS_ANY || o->set.u.file.path.root != IR_ROOT_FS))
			return true;
	}
	return false;
}

/* Does a rule of the same pattern take reading away as well? */
static bool also_unread(const struct mounts_ctx *c, const struct ir_rule *r)
{
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *o = c->ir->rules.v[i];

		if (mounts_in_sandbox(o, IR_FILE) && o->effect != IR_ALLOW && !o->nexcept &&
		    (o->set.u.file.ops & IR_READ) &&
		    o->set.u.file.path.root == r->set.u.file.path.root &&
		    str_eq(o->set.u.file.path.text, r->set.u.file.path.text))
			return true;
	}
	return false;
}

static void check_exec(const struct mounts_ctx *c, const struct ir_rule *r)
{
	bk_note(c->report, r, LAYER, BK_OVER,
		"in the trees around such names what may not be executed is not made, and a program "
		"that the run may execute but not read, or of more than 512 MB, is not started");
	bk_note(c->report, r, LAYER, BK_ENTRY_ONLY,
		"the command, and a program in PATH, stay open to the run if somebody outside gives "
		"them a denied name");
}

static void check_rest(const struct mounts_ctx *c, const struct ir_rule *r,
		       const struct mounts_places *at)
{
	if (r->set.u.file.ops == IR_EXEC && (r->effect == IR_ALLOW || !also_unread(c, r)))
		bk_note(c->report, r, LAYER, BK_ENTRY_ONLY,
			"a program of such a name that can be read can be loaded by the dynamic "
			"linker, which is started");
	/* an exception is about its rule's own places */
	if (r->effect == IR_ALLOW)
		return;
	if (at->shape == MOUNTS_ANY || !at->paths.v[0].n)
		bk_note(c->report, r, LAYER, BK_ENTRY_ONLY, "in /proc and /dev such names can be used");
	if (c->has_scratch && !(r->set.u.file.ops & IR_WRITE))
		bk_note(c->report, r, LAYER, BK_EXACT, "in scratch trees such names are not made (over)");
}

/* Landlock allows whole trees, so it is about all of the tree around the names. */
void mounts_check_wild(const struct mounts_ctx *c, const struct ir_rule *r,
		       const struct ir_set *set)
{
	unsigned ops = set->u.file.ops & r->set.u.file.ops;
	struct mounts_places at;

	mounts_places(c->report->a, &set->u.file.path, &at);
	if (ops & IR_READ)
		bk_note(c->report, r, LAYER, BK_EXACT,
			"in the trees around such names polrun opens each file and directory "
			"that the run reads (Landlock), which takes several times as long; the "
			"names stay visible, and FIFOs are not opened (over)");
	if (r->effect == IR_ALLOW ? (ops & IR_EXEC) != 0 :
				    takes_exec(c, set->u.file.path.root, &at))
		check_exec(c, r);
	check_rest(c, r, &at);
}
