/* Reads the policy under each other role, and compares it with itself and the edits. */
#include "compiler/cli/why_roles.h"

#include "compiler/cli/compare.h"
#include "compiler/cli/loaded.h"

struct others {
	const struct why_edits *e;
	const struct ir *ir; /* under the role that was asked about */
	const struct diff_where *where;
	struct arena *a;
	struct diff_result *more;
	size_t known; /* of these findings and doubts nothing is told again */
	size_t known_doubts;
};

static void doubt(struct others *o, struct str role, const char *why)
{
	struct diff_doubt d = { .why = str_from(why), .role = role };

	VEC_PUSH(o->a, &o->more->doubts, d);
}

/* The edits that count under the role: those of another one stand in its own section. */
static struct why_edits edits_of(const struct others *o, struct str role)
{
	struct why_edits ret = *o->e;

	memset(&ret.v, 0, sizeof(ret.v));
	for (size_t i = 0; i < o->e->v.n; i++)
		if (!o->e->v.v[i].role.n || str_eq(o->e->v.v[i].role, role))
			VEC_PUSH(o->a, &ret.v, o->e->v.v[i]);
	return ret;
}

static bool has_mode(const struct why_edits *e)
{
	for (size_t i = 0; i < e->v.n; i++)
		if (e->v.v[i].limited)
			return true;
	return false;
}

/* Does one statement choose the mode of the network in both? */
static bool same_mode(const struct ir *x, const struct ir *y)
{
	const struct ir_scalar *a = &x->scalars[IR_S_NET_MODE], *b = &y->scalars[IR_S_NET_MODE];

	return a->num == b->num && a->level == b->level && a->at.line == b->at.line &&
	       str_eq(a->at.file, b->at.file);
}

/* Is it about the text of a statement that is added or replaced, and not about a request? */
static bool is_statement(const struct others *o, const struct diff_finding *f)
{
	for (size_t i = 0; i < o->e->v.n && !f->asked; i++) {
		const struct ir_rule *of = o->e->v.v[i].of;

		for (int s = 0; s < 2 && of; s++)
			if (f->side[s].there && f->side[s].level == of->level &&
			    str_eq(f->side[s].id, of->id))
				return true;
	}
	return why_edit_is_statement(f);
}

static bool is_known(const struct others *o, const struct diff_finding *f)
{
	for (size_t i = 0; i < o->known; i++)
		if (compare_same_change(&o->more->findings.v[i], f))
			return true;
	return false;
}

static bool is_known_doubt(const struct others *o, const struct diff_doubt *d)
{
	for (size_t i = 0; i < o->known_doubts; i++)
		if (str_eq(o->more->doubts.v[i].why, d->why))
			return true;
	return false;
}

static void tell(struct others *o, const struct diff_result *own, struct str role)
{
	for (size_t i = 0; i < own->findings.n; i++) {
		struct diff_finding f = own->findings.v[i];

		f.role = role;
		if (!is_statement(o, &f) && !is_known(o, &f))
			VEC_PUSH(o->a, &o->more->findings, f);
	}
	for (size_t i = 0; i < own->doubts.n; i++) {
		struct diff_doubt d = own->doubts.v[i];

		d.role = role;
		if (!is_known_doubt(o, &d))
			VEC_PUSH(o->a, &o->more->doubts, d);
	}
}

/* `role`: empty for none. */
static void compare_under(struct others *o, struct str role)
{
	struct options *own = ARENA_NEW(o->a, struct options);
	struct why_edits e = edits_of(o, role);
	struct diff_result found;
	struct loaded l;
	struct ir now;

	if (!e.v.n)
		return;
	*own = *o->e->o;
	own->discover = false; /* what it finds is among the inputs already */
	own->role = role.n ? str_z(o->a, role) : NULL;
	if (loaded_read(&l, own, o->a) != CLI_CLEAN) {
		doubt(o, role, "the policy cannot be read under this role");
		return;
	}
	if (has_mode(&e) && !same_mode(o->ir, l.ir)) {
		doubt(o, role, "another statement chooses the network's mode under this role");
		return;
	}
	why_edit_apply(&e, l.ir, SIZE_MAX, &now);
	diff_policies(l.ir, &now, o->where, o->a, &found);
	tell(o, &found, role);
}

void why_roles(const struct why_edits *e, const struct ir *ir, const struct diff_where *where,
	       struct diff_result *more)
{
	struct others o = { .e = e, .ir = ir, .where = where, .a = e->a, .more = more,
			    .known = more->findings.n, .known_doubts = more->doubts.n };
	bool common = edits_of(&o, STR("")).v.n > 0;

	if (ir->roles.n && common && e->o->bundle) {
		doubt(&o, STR(""), "other roles were not compared: a bundle has the policy of one");
		return;
	}
	if (ir->role.n)
		compare_under(&o, STR(""));
	for (size_t i = 0; i < ir->roles.n; i++)
		if (!str_eq(ir->roles.v[i].name, ir->role) &&
		    compare_has_role(ir, ir->roles.v[i].name))
			compare_under(&o, ir->roles.v[i].name);
}
