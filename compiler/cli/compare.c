/* Compares two policies without a role, then under each role that both have. */
#include "compiler/cli/compare.h"

#include "compiler/cli/loaded.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"
#include "compiler/eval/index.h"
#include "compiler/ir/value.h"

/* Messages about the sources are printed only once.  `before` is as in loaded.h. */
static enum cli_exit read_side(struct loaded *l, const struct compare *c, size_t side,
			       const char *role, const struct loaded *before,
			       struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);
	enum cli_exit e;

	*own = *c->side[side];
	own->discover = false; /* what it finds is among the inputs already */
	own->role = role ? role : c->role;
	e = loaded_read_after(l, own, before, a);
	if (e == CLI_CLEAN && !own->bundle && !role && !c->quiet[side])
		report_print(&l->c);
	return e;
}

/* --- roles --------------------------------------------------------------- */

bool compare_has_role(const struct ir *ir, struct str name)
{
	const struct ir_setting *s =
		ir_setting_find(ir, IR_P_SETTING, STR("agents.allowedRoles"));
	bool declared = false, allowed = !s;
	size_t i;

	for (i = 0; i < ir->roles.n; i++)
		declared |= str_eq(ir->roles.v[i].name, name);
	for (i = 0; s && i < s->value.nitems; i++)
		allowed |= str_eq(s->value.items[i].text, name);
	return declared && allowed;
}

static bool same_thing(const struct diff_said *x, const struct diff_said *y)
{
	return x->there == y->there && x->decides == y->decides &&
	       x->effect == y->effect && str_eq(x->id, y->id) &&
	       str_eq(x->value, y->value);
}

static bool same_sides(const struct diff_said x[2], const struct diff_said y[2])
{
	return same_thing(&x[0], &y[0]) && same_thing(&x[1], &y[1]);
}

bool compare_same_change(const struct diff_finding *x, const struct diff_finding *y)
{
	return strcmp(x->kind, y->kind) == 0 && x->change == y->change &&
	       x->widening == y->widening && same_sides(x->side, y->side);
}

static bool is_known(const struct diff_result *r, const struct diff_finding *f)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++)
		if (!r->findings.v[i].role.n && compare_same_change(&r->findings.v[i], f))
			return true;
	return false;
}

static bool is_known_elsewhere(const struct diff_result *r, const struct diff_finding *f)
{
	size_t i;

	for (i = 0; i < r->elsewhere.n; i++)
		if (!r->elsewhere.v[i].role.n && same_sides(r->elsewhere.v[i].side, f->side))
			return true;
	return false;
}

static bool is_known_doubt(const struct diff_result *r, const struct diff_doubt *d)
{
	size_t i;

	for (i = 0; i < r->doubts.n; i++)
		if (!r->doubts.v[i].role.n && str_eq(r->doubts.v[i].why, d->why) &&
		    same_sides(r->doubts.v[i].side, d->side))
			return true;
	return false;
}

/*
 * A limited network denies what no rule names, also if nobody wrote `otherwise`: the
 * statement that says so is the one that limits it.
 */
static void place_default(const struct ir *ir, struct diff_said *v)
{
	const struct ir_scalar *mode = &ir->scalars[IR_S_NET_MODE];

	if (!v->decides || v->at.line || !mode->at.line ||
	    !str_eq(v->id, ir->scalars[IR_S_NET_OTHERWISE].id))
		return;
	v->at = mode->at;
	v->level = mode->level;
	v->text = mode->source;
}

/* Only a bundle has a first day.  One that has come forbids nothing. */
static void compare_first_day(const struct loaded side[2], struct arena *a, struct diff_result *ret)
{
	struct str o = side[0].not_before, n = side[1].not_before;
	bool looser = !n.n || (o.n && str_cmp(n, o) < 0);
	struct diff_finding f = { .kind = "policy", .change = looser ? DIFF_LOOSER : DIFF_TIGHTER,
				  .widening = looser };

	if (str_eq(o, n))
		return;
	for (int s = 0; s < 2; s++)
		f.side[s] = (struct diff_said){ .there = true, .id = STR("not before"),
						.value = side[s].not_before };
	VEC_PUSH(a, &ret->findings, f);
}

/* What is found is about the resolved policies: a bundle that may decide otherwise is a doubt. */
static void doubt_side(const struct loaded *l, int side, struct arena *a, struct diff_result *ret)
{
	struct diff_doubt d = { .why = str_from(l->doubt ? l->doubt : "") };

	if (!l->doubt)
		return;
	d.side[side] = (struct diff_said){ .there = true, .id = STR("bundle"), .value = l->ir->name };
	VEC_PUSH(a, &ret->doubts, d);
}

static void compare_sides(const struct loaded side[2], const struct diff_where *where,
			  struct arena *a, struct diff_result *ret)
{
	size_t i;
	int s;

	diff_policies(side[0].ir, side[1].ir, where, a, ret);
	compare_first_day(side, a, ret);
	for (s = 0; s < 2; s++)
		doubt_side(&side[s], s, a, ret);
	for (i = 0; i < ret->findings.n; i++)
		for (s = 0; s < 2; s++)
			place_default(side[s].ir, &ret->findings.v[i].side[s]);
}

/*
 * *ret gets what was found under the role and is not in `known`.  Which roles there are does
 * not depend on the one that is chosen, and that it is chosen is what was asked.
 */
static void under_role(const struct diff_result *own, struct str role,
		       const struct diff_result *known, struct arena *a,
		       struct diff_result *ret)
{
	size_t i;

	for (i = 0; i < own->findings.n; i++) {
		struct diff_finding f = own->findings.v[i];

		f.role = role;
		if (strcmp(f.kind, "role") != 0 && !is_known(known, &f))
			VEC_PUSH(a, &ret->findings, f);
	}
	for (i = 0; i < own->elsewhere.n; i++) {
		struct diff_finding f = own->elsewhere.v[i];

		f.role = role;
		if (!is_known_elsewhere(known, &f))
			VEC_PUSH(a, &ret->elsewhere, f);
	}
	for (i = 0; i < own->doubts.n; i++) {
		struct diff_doubt d = own->doubts.v[i];

		d.role = role;
		if (!is_known_doubt(known, &d))
			VEC_PUSH(a, &ret->doubts, d);
	}
}

/* Compares under the role; *ret gets what differs there and is not in `known`. */
static enum cli_exit diff_role(const struct compare *c, const struct loaded plain[2],
			       struct str role, struct arena *a,
			       const struct diff_result *known, struct diff_result *ret)
{
	struct diff_result own;
	struct loaded side[2];
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < 2; i++) {
		enum cli_exit e = read_side(&side[i], c, i, str_z(a, role), &plain[i], a);

		if (e != CLI_CLEAN)
			return e;
	}
	compare_sides(side, &c->where, a, &own);
	under_role(&own, role, known, a, ret);
	return CLI_CLEAN;
}

static bool has_widening(const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].widening)
			return true;
	return false;
}

static void doubt_role(struct diff_result *r, struct arena *a,
		       const struct ir_role *const role[2], const char *why,
		       bool narrows_only)
{
	struct diff_doubt d = { .why = str_from(why), .role = role[1]->name,
				.narrows_only = narrows_only };
	int s;

	for (s = 0; s < 2; s++)
		if (role[s])
			d.side[s] = (struct diff_said){ .there = true, .id = STR("role"),
							.value = role[s]->name,
							.at = role[s]->at };
	VEC_PUSH(a, &r->doubts, d);
}

/* A role that no option names is not shown in full, but a difference is reported. */
static void sum_up(const struct diff_result *own, const struct ir_role *const role[2],
		   struct arena *a, struct diff_result *r)
{
	bool narrows = !has_widening(own);
	size_t i;

	for (i = 0; i < own->doubts.n; i++)
		narrows &= own->doubts.v[i].narrows_only;
	if (own->findings.n || own->doubts.n)
		doubt_role(r, a, role, "they differ under this role, and --role names another",
			   narrows);
}

static const struct ir_role *role_of(const struct ir *ir, struct str name)
{
	size_t i;

	for (i = 0; i < ir->roles.n; i++)
		if (str_eq(ir->roles.v[i].name, name))
			return &ir->roles.v[i];
	return NULL;
}

static void push_all(const struct diff_result *own, struct arena *a, struct diff_result *r)
{
	size_t i;

	for (i = 0; i < own->findings.n; i++)
		VEC_PUSH(a, &r->findings, own->findings.v[i]);
	for (i = 0; i < own->doubts.n; i++)
		VEC_PUSH(a, &r->doubts, own->doubts.v[i]);
}

/* The role was compared, so it is no longer by itself that it counts as widening. */
static void settle_added(struct diff_result *r, struct str name)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++) {
		struct diff_finding *f = &r->findings.v[i];

		if (strcmp(f->kind, "role") == 0 && f->change == DIFF_ADDED &&
		    str_eq(f->side[1].value, name))
			f->widening = false;
	}
}

/*
 * A role of the new policy only.  The role is an attribute of a request (doc/semantics.md,
 * 1), and the old policy has no section that asks for it: it decides as without a role.  In
 * a bundle, or where it may not be chosen, there is nothing to compare, and the role stays
 * a finding that widens.
 */
static enum cli_exit compare_new_role(const struct compare *c, const struct loaded side[2],
				      const struct ir_role *role, struct arena *a,
				      struct diff_result *r)
{
	const struct ir_role *const both[2] = { NULL, role };
	struct diff_result found, own = { .findings = { NULL, 0, 0 } };
	struct compare plain = *c;
	struct loaded under[2] = { side[0] };
	enum cli_exit e = CLI_CLEAN;

	if (c->side[0]->bundle || c->side[1]->bundle || !compare_has_role(side[1].ir, role->name))
		return CLI_CLEAN;
	plain.role = NULL;
	if (c->role)
		e = read_side(&under[0], &plain, 0, NULL, &side[0], a);
	if (e == CLI_CLEAN)
		e = read_side(&under[1], c, 1, str_z(a, role->name), &side[1], a);
	if (e != CLI_CLEAN)
		return e;
	compare_sides(under, &c->where, a, &found);
	under_role(&found, role->name, r, a, &own);
	settle_added(r, role->name);
	if (c->role)
		sum_up(&own, both, a, r);
	else
		push_all(&own, a, r);
	return CLI_CLEAN;
}

/*
 * Compares a role that both sides have: by the policy under this role if both sides
 * are sources, else by its text.  Where one side is a bundle, that is the text of all that
 * counts under the role: what is alike under the bundle's own role may only be covered
 * there, by a statement of that role.  A role that only the old policy had can no longer be
 * chosen, and is a finding of its own.
 */
static enum cli_exit compare_role(const struct compare *c, const struct loaded side[2],
				  const struct ir_role *role, struct arena *a,
				  struct diff_result *r)
{
	const struct ir_role *both[2] = { role_of(side[0].ir, role->name), role };
	bool bundle = c->side[0]->bundle || c->side[1]->bundle;
	bool one = !c->side[0]->bundle != !c->side[1]->bundle;
	struct diff_result own;
	enum cli_exit e;

	if (!both[0])
		return compare_new_role(c, side, role, a, r);
	if (str_eq(side[0].ir->role, role->name) && str_eq(side[1].ir->role, role->name))
		return CLI_CLEAN;
	if (bundle || !compare_has_role(side[0].ir, role->name) || !compare_has_role(side[1].ir, role->name)) {
		if (!str_eq(both[0]->digest, role->digest) || (one && !str_eq(both[0]->all, role->all)))
			doubt_role(r, a, both,
				   bundle ? "a bundle holds one role's policy, and this role "
					    "is another one" :
					    "it may not be chosen, and what stands in it is "
					    "another", false);
		return CLI_CLEAN;
	}
	e = diff_role(c, side, role->name, a, r, &own);
	if (e == CLI_CLEAN && c->role) {
		sum_up(&own, both, a, r);
		return e;
	}
	if (e == CLI_CLEAN)
		push_all(&own, a, r);
	return e;
}

static enum cli_exit diff_roles(const struct compare *c, const struct loaded side[2],
				struct arena *a, struct diff_result *r)
{
	enum cli_exit e = CLI_CLEAN;
	size_t i;

	for (i = 0; i < side[1].ir->roles.n && e == CLI_CLEAN; i++)
		e = compare_role(c, side, &side[1].ir->roles.v[i], a, r);
	return e;
}

/* Gives a place to each root that has none here, so that its rules have one too. */
static void make_roots(struct ir_roots *dirs, bool made[IR_ROOT_COUNT])
{
	static const char *const places[IR_ROOT_COUNT] = {
		[IR_ROOT_HOME] = "/nonexistent/home",
		[IR_ROOT_PROJECT] = "/nonexistent/project",
		[IR_ROOT_SESSION] = "/nonexistent/session",
		[IR_ROOT_TMP] = "/nonexistent/tmp",
		[IR_ROOT_AGENT] = "/nonexistent/agent",
		[IR_ROOT_GIT] = "/nonexistent/git",
	};
	int i;

	for (i = 0; i < IR_ROOT_COUNT; i++) {
		made[i] = !dirs->dir[i].p;
		if (made[i])
			dirs->dir[i] = str_from(places[i]);
	}
}

bool compare_where(struct compare *c, const struct options *o, struct arena *a)
{
	struct roots roots;

	if (!roots_find(o, a, &roots, stderr))
		return false;
	c->where = (struct diff_where){ .roots = roots.dirs, .cwd = roots.cwd,
					.scope = o->scope };
	make_roots(&c->where.roots, c->made);
	return true;
}

void compare_anywhere(struct compare *c)
{
	c->where = (struct diff_where){ .scope = IR_SANDBOX };
	make_roots(&c->where.roots, c->made);
	c->where.cwd = c->where.roots.dir[IR_ROOT_PROJECT];
}

/* --- recorded requests --------------------------------------------------- */

/* Who decides requests that were recorded under a role. */
enum deciders {
	BY_BOTH,
	BY_OLD, /* under the new policy the role is refused, and nothing runs */
	BY_NONE
};

/*
 * A role that cannot be chosen in the new policy is refused there (polc compiles no bundle of it,
 * and polrun runs none).  One that only the new policy declares is compared as
 * compare_new_role() does.
 */
static enum deciders who_decides(const struct compare *c, const struct loaded side[2],
				 struct str role, const char **ret_why)
{
	bool old = compare_has_role(side[0].ir, role), new = compare_has_role(side[1].ir, role);

	*ret_why = NULL;
	if (str_eq(side[0].ir->role, role) && str_eq(side[1].ir->role, role))
		return BY_BOTH;
	if (c->role)
		*ret_why = "--role names another one";
	else if (c->side[0]->bundle || c->side[1]->bundle)
		*ret_why = "a bundle has the policy of one role, and they are not both of this one";
	else if (!old && !new)
		*ret_why = "it can be chosen in neither policy";
	else if (!old && role_of(side[0].ir, role))
		*ret_why = "it cannot be chosen in the old policy";
	if (*ret_why)
		return BY_NONE;
	return new ? BY_BOTH : BY_OLD;
}

/* Reads those of the policies that are not read yet. */
static enum cli_exit read_deciders(const struct compare *c, const struct loaded side[2],
				   struct str role, enum deciders by, struct loaded own[2],
				   struct arena *a)
{
	enum cli_exit e = CLI_CLEAN;

	for (size_t i = 0; i < 2 && e == CLI_CLEAN; i++) {
		own[i] = side[i];
		if (!str_eq(side[i].ir->role, role) && role_of(side[i].ir, role) &&
		    (by == BY_BOTH || i == 0))
			e = read_side(&own[i], c, i, str_z(a, role), &side[i], a);
	}
	return e;
}

/* Has a request of the same role come before? */
static bool is_first_of_role(const struct impact_requests *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (str_eq(all->v.v[k]->role, all->v.v[i]->role))
			return false;
	return true;
}

static enum cli_exit find_impact(const struct compare *c, const struct loaded side[2],
				 const struct impact_requests *all, const struct diff_result *r,
				 struct arena *a, struct impact *ret)
{
	enum cli_exit e = CLI_CLEAN;

	impact_init(ret, r, a);
	for (size_t i = 0; i < all->v.n && e == CLI_CLEAN; i++) {
		struct str role = all->v.v[i]->role;
		struct loaded own[2];
		enum deciders by;
		const char *why;

		if (!is_first_of_role(all, i))
			continue;
		by = who_decides(c, side, role, &why);
		if (by == BY_NONE) {
			impact_skip(ret, role, why, all, a);
			continue;
		}
		e = read_deciders(c, side, role, by, own, a);
		if (e == CLI_CLEAN && by == BY_OLD)
			impact_refuse(ret, own[0].ir, role, all, a);
		else if (e == CLI_CLEAN)
			impact_add(ret, own[0].ir, own[1].ir, role, all, a);
	}
	return e;
}

enum cli_exit compare_run(const struct compare *c, struct arena *a, struct diff_result *ret)
{
	return compare_traffic(c, NULL, a, ret, NULL);
}

enum cli_exit compare_traffic(const struct compare *c, const struct impact_requests *traffic,
			      struct arena *a, struct diff_result *ret,
			      struct impact *ret_impact)
{
	struct loaded side[2];
	enum cli_exit e;
	size_t i;

	for (i = 0; i < 2; i++) {
		e = read_side(&side[i], c, i, NULL, i ? &side[0] : NULL, a);
		if (e != CLI_CLEAN)
			return e;
	}
	/* the comparison and the recorded requests share it */
	for (i = 0; i < 2; i++)
		side[i].ir = eval_index_add(side[i].ir, a);
	compare_sides(side, &c->where, a, ret);
	e = diff_roles(c, side, a, ret);
	return e == CLI_CLEAN && traffic ? find_impact(c, side, traffic, ret, a, ret_impact) : e;
}

void compare_resolved(const struct compare *c, const struct ir *old, const struct ir *new,
		      const char *doubt, struct arena *a, struct diff_result *ret)
{
	/* as of bundles: there is no source from which another role could be resolved */
	static struct options whole = { .bundle = "" };
	struct compare own = { .side = { &whole, &whole }, .where = c->where };
	const struct loaded side[2] = { { .ir = old, .doubt = doubt }, { .ir = new } };

	compare_sides(side, &own.where, a, ret);
	(void)diff_roles(&own, side, a, ret);
}

enum cli_exit compare_prove(const struct compare *c, const struct ir_assertion *assertion,
			    struct arena *a, struct diff_result *ret)
{
	struct diff_result own;
	struct loaded first, l;
	enum cli_exit e;
	size_t i;

	e = read_side(&first, c, 1, NULL, NULL, a);
	if (e != CLI_CLEAN)
		return e;
	(void)prove(first.ir, assertion, &c->where, a, ret);
	doubt_side(&first, 0, a, ret);
	for (i = 0; i < first.ir->roles.n && !c->role && !c->side[1]->bundle; i++) {
		struct str role = first.ir->roles.v[i].name;

		if (!compare_has_role(first.ir, role))
			continue;
		e = read_side(&l, c, 1, str_z(a, role), &first, a);
		if (e != CLI_CLEAN)
			return e;
		(void)prove(l.ir, assertion, &c->where, a, &own);
		under_role(&own, role, ret, a, ret);
	}
	return CLI_CLEAN;
}

enum cli_exit compare_any(const struct diff_result *r)
{
	if (r->findings.n)
		return CLI_FINDINGS;
	return r->doubts.n ? CLI_UNDECIDED : CLI_CLEAN;
}

void compare_only_widening(const struct diff_result *r, struct arena *a,
			   struct diff_result *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].widening)
			VEC_PUSH(a, &ret->findings, r->findings.v[i]);
	for (i = 0; i < r->doubts.n; i++)
		if (!r->doubts.v[i].narrows_only)
			VEC_PUSH(a, &ret->doubts, r->doubts.v[i]);
}
