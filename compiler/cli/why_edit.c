/* Lowers statements that are tried, and makes the policy that has them. */
#include "compiler/cli/why_edit.h"

#include "compiler/analysis/lift.h"
#include "compiler/cli/passes.h"
#include "compiler/ir/edit.h"
#include "compiler/target/target.h"

#define NAME "the proposed rule"

bool why_edit_is_place(const struct ir_place *at)
{
	return str_eqz(at->file, NAME);
}

bool why_edit_is_statement(const struct diff_finding *f)
{
	return !f->asked && (why_edit_is_place(&f->side[0].at) || why_edit_is_place(&f->side[1].at));
}

bool why_same_statement(const struct ir_rule *x, const struct ir_rule *y)
{
	return x->level == y->level && str_eq(x->id, y->id) && str_eq(x->at.file, y->at.file) &&
	       x->at.line == y->at.line;
}

struct str why_edit_statement(struct arena *a, const struct why_edit *e)
{
	struct str in = str_printf(a, "%.*s { %.*s }", STR_ARG(e->section), STR_ARG(e->text));

	return e->role.n ? str_printf(a, "role %.*s { %.*s }", STR_ARG(e->role), STR_ARG(in)) : in;
}

/* --- from texts to rules --------------------------------------------------------------- */

/* Lowers the text as a policy of its own; NULL: it is none. */
static const struct ir *lower(struct why_edits *e, struct str section, struct str statement)
{
	struct compilation *c = ARENA_NEW(e->a, struct compilation);
	struct options *own = ARENA_NEW(e->a, struct options);
	struct sema_input in = { .path = NAME, .name = STR(NAME), .level = e->level };

	in.text = str_printf(e->a, "policy proposed { level %s }\n%.*s {\n%.*s\n}\n",
			     ir_level_name(e->level), STR_ARG(section), STR_ARG(statement));
	*own = (struct options){ .verb = CLI_EXPLAIN, .created = e->o->created };
	VEC_PUSH(e->a, &own->inputs, in);
	compilation_init(c, own, e->a);
	return passes_run(c, "lower") == CLI_CLEAN ? c->ir : NULL;
}

static bool is_ours(const struct ir_rule *r, enum ir_kind kind)
{
	return r->kind == kind && why_edit_is_place(&r->at);
}

static bool is_known(const struct why_edits *e, const struct why_edit *x)
{
	for (size_t i = 0; i < e->v.n; i++)
		if (str_eq(e->v.v[i].text, x->text) && str_eq(e->v.v[i].section, x->section) &&
		    e->v.v[i].of == x->of)
			return true;
	return false;
}

bool why_edit_add(struct why_edits *e, const struct ir *ir, const struct why_pattern *p,
		  const struct ir_request *req, bool final, bool limited)
{
	const struct ir_scalar *mode = &ir->scalars[IR_S_NET_MODE];
	enum ir_kind kind = req ? req->kind : IR_COMMAND;
	VEC(struct ir_rule *) rules = { NULL, 0, 0 };
	struct why_edit x = { .section = p->section, .role = ir->role, .open = p->open,
			      .limited = limited, .req = req };
	const struct ir *own;

	if (limited)
		x.section = STR("network limited");
	if (limited && mode->level == e->level)
		x.instead = mode->at;
	x.text = str_printf(e->a, "%sallow %.*s%.*s%.*s", final ? "final " : "", STR_ARG(p->verb),
			    STR_ARG(p->text), STR_ARG(p->rest));
	own = is_known(e, &x) ? NULL : lower(e, p->section, x.text);
	if (!own)
		return false;
	for (size_t i = 0; i < own->rules.n; i++)
		if (is_ours(own->rules.v[i], kind)) {
			own->rules.v[i]->role = x.role;
			VEC_PUSH(e->a, &rules, own->rules.v[i]);
		}
	x.rules = rules.v;
	x.nrules = rules.n;
	if (rules.n)
		VEC_PUSH(e->a, &e->v, x);
	return rules.n > 0;
}

/* A deny of everything of the kind, whose exceptions are those that are wanted. */
static struct str deny_all(struct arena *a, const struct ir_rule *of, const struct why_pattern *p)
{
	static const char *const all[IR_KIND_COUNT] = {
		[IR_COMMAND] = "\"*:*\"", [IR_FILE] = "\"/\"", [IR_NET] = "any",
		[IR_UNIX] = "\"/\"", [IR_SYSCALL] = NULL, [IR_TOOL] = "\"*\"",
	};

	if (of->kind == IR_SYSCALL)
		return str_printf(a, "deny %.*s except %.*s", STR_ARG(of->set.u.syscall.name),
				  STR_ARG(p->text));
	return str_printf(a, "deny %.*s%s except %.*s",
			  STR_ARG(of->kind == IR_FILE ? p->verb : STR("")), all[of->kind],
			  STR_ARG(p->text));
}

bool why_edit_except(struct why_edits *e, const struct ir_rule *of, const struct why_pattern *p,
		     const struct ir_request *req)
{
	struct why_edit x = { .section = p->section, .role = of->role, .of = of,
			      .instead = of->at, .open = p->open, .req = req };
	const struct ir *own;

	x.text = str_printf(e->a, "%.*s except %.*s", STR_ARG(of->text), STR_ARG(p->text));
	own = is_known(e, &x) ? NULL : lower(e, p->section, deny_all(e->a, of, p));
	for (size_t i = 0; own && i < own->rules.n && !x.nexcept; i++)
		if (is_ours(own->rules.v[i], of->kind)) {
			x.except = own->rules.v[i]->except;
			x.nexcept = own->rules.v[i]->nexcept;
		}
	if (x.nexcept)
		VEC_PUSH(e->a, &e->v, x);
	return x.nexcept > 0;
}

/* --- no more than the request ------------------------------------------------------------ */

static struct ir_cond *condition(struct arena *a, struct ir_cond c)
{
	return arena_dup(a, &c, sizeof(c));
}

/* These values of the call's arguments, and no others. */
static struct ir_cond *these_arguments(struct arena *a, const struct ir_request *q)
{
	const struct target_call *call = target_call_by_nr(q->nr);
	struct ir_cond *ret = NULL;

	for (int i = 0; call && i < call->nargs; i++) {
		struct ir_cond *one = condition(a, (struct ir_cond){
			.op = IR_C_CMP, .arg = (uint8_t)i, .width = 64, .cmp = IR_EQ,
			.mask = UINT64_MAX, .value = q->args[i] });

		ret = ret ? condition(a, (struct ir_cond){ .op = IR_C_AND, .a = ret, .b = one }) :
			    one;
	}
	return ret;
}

/* The set of the one request. */
static void narrow_set(struct ir_set *s, enum ir_kind kind, const struct ir_request *q,
		       struct arena *a)
{
	if (!q || q->kind != kind)
		return;
	switch (kind) {
	case IR_FILE:
		s->u.file.path.below = false;
		s->u.file.ops &= (unsigned)q->op;
		break;
	case IR_UNIX:
		s->u.unix_path.below = false;
		break;
	case IR_NET:
		s->u.net.protos = q->proto;
		s->u.net.port_lo = s->u.net.port_hi = q->port;
		break;
	case IR_SYSCALL:
		s->u.syscall.cond = these_arguments(a, q);
		break;
	case IR_COMMAND:
	case IR_TOOL:
	case IR_KIND_COUNT:
		break;
	}
}

/* --- the policy with them ------------------------------------------------------------------ */

struct applied {
	const struct why_edits *e;
	size_t skip;
	bool narrow;
	VEC(struct ir_rule *) v;
};

static bool is_left_out(const struct applied *p, size_t i)
{
	const struct why_edit *x = &p->e->v.v[i];

	return i == p->skip || (p->narrow && (x->open || x->limited));
}

/* An exception is about the operation of the rule that it belongs to. */
static struct ir_rule *excepted(const struct applied *p, const struct ir_rule *r,
				const struct why_edit *x)
{
	struct ir_rule *ret = arena_dup(p->e->a, r, sizeof(*r));
	struct ir_set *v = arena_array(p->e->a, r->nexcept + x->nexcept, sizeof(*v));

	for (size_t i = 0; i < r->nexcept; i++)
		v[i] = r->except[i];
	for (size_t i = 0; i < x->nexcept; i++) {
		struct ir_set *s = &v[r->nexcept + i];

		*s = x->except[i];
		if (r->kind == IR_FILE)
			s->u.file.ops = r->set.u.file.ops;
		if (p->narrow)
			narrow_set(s, r->kind, x->req, p->e->a);
	}
	ret->except = v;
	ret->nexcept = r->nexcept + x->nexcept;
	return ret;
}

/* The rule, or what replaces it. */
static struct ir_rule *rule_now(const struct applied *p, struct ir_rule *r)
{
	const struct why_edits *e = p->e;
	const struct ir_rule *was = r;

	for (size_t i = 0; i < e->v.n; i++)
		if (!is_left_out(p, i) && e->v.v[i].of && why_same_statement(e->v.v[i].of, was))
			r = excepted(p, r, &e->v.v[i]);
	return r;
}

static void put_added(struct applied *p)
{
	const struct why_edits *e = p->e;

	for (size_t i = 0; i < e->v.n; i++)
		for (size_t k = 0; !is_left_out(p, i) && k < e->v.v[i].nrules; k++) {
			struct ir_rule *r = arena_dup(e->a, e->v.v[i].rules[k], sizeof(*r));

			if (p->narrow)
				narrow_set(&r->set, r->kind, e->v.v[i].req, e->a);
			VEC_PUSH(e->a, &p->v, r);
		}
}

static void choose_limited(const struct applied *p, struct ir *ir)
{
	for (size_t i = 0; i < p->e->v.n; i++)
		if (!is_left_out(p, i) && p->e->v.v[i].limited) {
			struct ir_scalar *mode = &ir->scalars[IR_S_NET_MODE];

			mode->num = IR_NET_LIMITED;
			mode->level = p->e->level;
			mode->source = STR("mode limited");
			mode->set = true;
		}
}

static void apply(struct applied *p, const struct ir *ir, struct ir *ret)
{
	struct arena *a = p->e->a;
	struct diag_sink own;
	bool added = false;

	for (size_t i = 0; i <= ir->rules.n; i++) {
		struct ir_rule *r = i < ir->rules.n ? ir->rules.v[i] : NULL;

		if (!added && (!r || r->floor || r->level > p->e->level)) {
			put_added(p);
			added = true;
		}
		if (r)
			VEC_PUSH(a, &p->v, rule_now(p, r));
	}
	ir_with_rules(ir, p->v.v, p->v.n, a, ret);
	choose_limited(p, ret);
	diag_init(&own, a);
	(void)pass_lift(ret, &own);
}

void why_edit_apply(const struct why_edits *e, const struct ir *ir, size_t skip, struct ir *ret)
{
	struct applied p = { .e = e, .skip = skip };

	apply(&p, ir, ret);
}

void why_edit_apply_narrow(const struct why_edits *e, const struct ir *ir, struct ir *ret)
{
	struct applied p = { .e = e, .skip = SIZE_MAX, .narrow = true };

	apply(&p, ir, ret);
}
