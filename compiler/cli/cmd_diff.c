/*
 * `polc diff OLD NEW`: each side is a bundle or a source, together with the sources
 * that both sides have.  Sources are compared without a role and under each role that
 * both declare.  A bundle holds the policy of one role only.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"
#include "compiler/ir/value.h"

static bool is_bundle(const char *path)
{
	return str_ends(str_from(path), STR(".polb"));
}

static enum cli_exit read_side(struct loaded *l, const struct options *o,
			       const char *path, const char *role, struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);
	struct sema_input in = { .path = path };
	enum cli_exit e;
	size_t i;

	*own = *o;
	memset(&own->inputs, 0, sizeof(own->inputs));
	if (role)
		own->role = role;
	if (is_bundle(path)) {
		own->bundle = path;
		return loaded_read(l, own, a);
	}
	for (i = 0; i < o->inputs.n; i++)
		VEC_PUSH(a, &own->inputs, o->inputs.v[i]);
	VEC_PUSH(a, &own->inputs, in);
	e = loaded_read(l, own, a);
	if (e == CLI_CLEAN && !role) /* messages about the files are printed only once */
		report_print(&l->c);
	return e;
}

/* --- roles --------------------------------------------------------------- */

/* Is the role declared, and may it be chosen? */
static bool has_role(const struct ir *ir, struct str name)
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

static bool is_known(const struct diff_result *r, const struct diff_finding *f)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++) {
		const struct diff_finding *k = &r->findings.v[i];

		if (!k->role.n && strcmp(k->kind, f->kind) == 0 &&
		    k->change == f->change && k->widening == f->widening &&
		    same_sides(k->side, f->side))
			return true;
	}
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

/* Compares under the role; *ret gets what differs there and is not in `known`. */
static enum cli_exit diff_role(const struct options *o, struct str role,
			       const struct diff_where *where, struct arena *a,
			       const struct diff_result *known, struct diff_result *ret)
{
	struct diff_result own;
	struct loaded side[2];
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < 2; i++) {
		enum cli_exit e = read_side(&side[i], o, o->sides[i], str_z(a, role), a);

		if (e != CLI_CLEAN)
			return e;
	}
	diff_policies(side[0].ir, side[1].ir, where, a, &own);
	for (i = 0; i < own.findings.n; i++) {
		own.findings.v[i].role = role;
		if (!is_known(known, &own.findings.v[i]))
			VEC_PUSH(a, &ret->findings, own.findings.v[i]);
	}
	for (i = 0; i < own.doubts.n; i++) {
		own.doubts.v[i].role = role;
		if (!is_known_doubt(known, &own.doubts.v[i]))
			VEC_PUSH(a, &ret->doubts, own.doubts.v[i]);
	}
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
	struct diff_doubt d = { .why = str_from(why), .role = role[0]->name,
				.narrows_only = narrows_only };
	int s;

	for (s = 0; s < 2; s++)
		d.side[s] = (struct diff_said){ .there = true, .id = STR("role"),
						.value = role[s]->name, .at = role[s]->at };
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

/*
 * Compares a role that both sides have: by the policy under this role if both sides
 * are sources, else by the text of the role.  A role of only one side is a finding
 * of its own.
 */
static enum cli_exit compare_role(const struct options *o, const struct loaded side[2],
				  const struct ir_role *role, const struct diff_where *where,
				  struct arena *a, struct diff_result *r)
{
	const struct ir_role *both[2] = { role_of(side[0].ir, role->name), role };
	bool bundle = is_bundle(o->sides[0]) || is_bundle(o->sides[1]);
	struct diff_result own;
	enum cli_exit e;
	size_t i;

	if (!both[0] || (str_eq(side[0].ir->role, role->name) &&
		       str_eq(side[1].ir->role, role->name)))
		return CLI_CLEAN;
	if (bundle || !has_role(side[0].ir, role->name) || !has_role(side[1].ir, role->name)) {
		if (!str_eq(both[0]->digest, role->digest))
			doubt_role(r, a, both,
				   bundle ? "a bundle holds one role's policy, and this role "
					    "is another one" :
					    "it may not be chosen, and what stands in it is "
					    "another", false);
		return CLI_CLEAN;
	}
	e = diff_role(o, role->name, where, a, r, &own);
	if (e == CLI_CLEAN && o->role) {
		sum_up(&own, both, a, r);
		return e;
	}
	for (i = 0; i < own.findings.n; i++)
		VEC_PUSH(a, &r->findings, own.findings.v[i]);
	for (i = 0; i < own.doubts.n; i++)
		VEC_PUSH(a, &r->doubts, own.doubts.v[i]);
	return e;
}

static enum cli_exit diff_roles(const struct options *o, const struct loaded side[2],
				const struct diff_where *where, struct arena *a,
				struct diff_result *r)
{
	enum cli_exit e = CLI_CLEAN;
	size_t i;

	for (i = 0; i < side[1].ir->roles.n && e == CLI_CLEAN; i++)
		e = compare_role(o, side, &side[1].ir->roles.v[i], where, a, r);
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
	};
	int i;

	for (i = 0; i < IR_ROOT_COUNT; i++) {
		made[i] = !dirs->dir[i].p;
		if (made[i])
			dirs->dir[i] = str_from(places[i]);
	}
}

/* A doubt about something that can only forbid more is no doubt about a widening. */
static bool is_in_doubt(const struct options *o, const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->doubts.n; i++)
		if (!o->fail_on_widening || !r->doubts.v[i].narrows_only)
			return true;
	return false;
}

static enum cli_exit exit_of(const struct options *o, const struct diff_result *r)
{
	if (o->fail_on_widening ? has_widening(r) : r->findings.n > 0)
		return CLI_FINDINGS;
	return is_in_doubt(o, r) ? CLI_UNDECIDED : CLI_CLEAN;
}

enum cli_exit cmd_diff(struct options *o, struct arena *a)
{
	struct diff_where where = { .scope = o->scope };
	struct diff_result r;
	struct diff_show s = { .o = o, .r = &r };
	struct loaded side[2];
	struct roots roots;
	enum cli_exit e;
	size_t i;

	if (!roots_find(o, a, &roots, stderr))
		return CLI_TROUBLE;
	for (i = 0; i < 2; i++) {
		e = read_side(&side[i], o, o->sides[i], NULL, a);
		if (e != CLI_CLEAN)
			return e;
	}
	where.roots = roots.dirs;
	where.cwd = roots.cwd;
	make_roots(&where.roots, s.made);
	diff_policies(side[0].ir, side[1].ir, &where, a, &r);
	e = diff_roles(o, side, &where, a, &r);
	if (e != CLI_CLEAN)
		return e;
	s.verdict = r.findings.n ? "differs" : r.doubts.n ? "undecided" : "same";
	if (o->format == CLI_JSON)
		diff_json(stdout, &s, a);
	else if (o->format == CLI_MARKDOWN)
		diff_markdown(stdout, &s, a);
	else
		diff_text(stdout, &s, a);
	return exit_of(o, &r);
}
