/*
 * Looks for what stands in the way of a request, adds the statement that removes it, and
 * asks the evaluator again, until the request is allowed or something stays in the way.
 */
#include "compiler/cli/why_not.h"

#include "compiler/analysis/diff.h"
#include "compiler/cli/compare.h"
#include "compiler/cli/explain_eval.h"
#include "compiler/cli/roots.h"
#include "compiler/cli/why_roles.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/levels.h"
#include "runtime/decide/hint.h"

/* More statements are no answer that anybody wants. */
#define MAX_EDITS 16

struct search {
	struct arena *a;
	const struct ir *ir;           /* as it is */
	struct ir now;                 /* with the edits so far */
	const struct ir_request *req;
	struct why_not *ret;
};

/* --- what cannot be changed ------------------------------------------------------------- */

static bool none(struct search *s, const char *why)
{
	s->ret->answer = WHY_NONE;
	s->ret->reason = str_from(why);
	return false;
}

static bool locked(struct search *s, struct explain_rule by, const char *why)
{
	s->ret->answer = WHY_LOCKED;
	s->ret->by = by;
	s->ret->reason = str_from(why);
	return false;
}

static bool is_managed(enum ir_level l)
{
	return l == IR_MANAGED || l == IR_MANAGED_FILE;
}

static bool locked_section(struct search *s, enum ir_kind kind)
{
	const struct ir_lock *l = &s->ir->locked[kind];
	struct explain_rule by = { .id = str_from(ir_kind_name(kind)), .file = l->at.file,
				   .line = l->at.line, .level = ir_level_name(l->level) };

	return locked(s, by, "the section is locked: below that level no rule allows anything");
}

/* --- one thing in the way ------------------------------------------------------------------ */

/* The request or the simple command that is not allowed, and its pattern. */
struct block {
	enum ir_kind kind;
	const struct ir_request *req;  /* not for a command */
	const struct cmd_part *part;   /* a command */
	const struct eval_decision *d;
};

static bool pattern_of(struct search *s, const struct block *b, struct why_pattern *ret)
{
	return b->part ? why_pattern_command(s->a, s->ir, s->req, b->part, ret) :
			 why_pattern_request(s->a, b->req, ret);
}

static bool is_below_lock(const struct search *s, enum ir_kind kind)
{
	enum ir_level lock = s->ir->locked[kind].level;

	return lock != 0 && s->ret->level > lock;
}

/* The smallest allow.  `final`: against what lower levels, or the floor, say. */
static bool add(struct search *s, const struct block *b, bool final, bool limited,
		const char *why_not_enough)
{
	struct why_pattern p;

	if (is_below_lock(s, b->kind))
		return locked_section(s, b->kind);
	if (!pattern_of(s, b, &p))
		return none(s, "no pattern can be written for it");
	if (why_edit_add(&s->ret->edits, s->ir, &p, b->req, final, limited))
		return true;
	return none(s, why_not_enough);
}

static bool is_network_mode(const struct search *s, const struct ir_rule *r)
{
	return r->kind == IR_SYSCALL && str_eq(r->id, s->ir->scalars[IR_S_NET_MODE].id);
}

static bool except(struct search *s, const struct block *b)
{
	struct why_pattern p;

	if (!pattern_of(s, b, &p))
		return none(s, "no pattern can be written for it");
	if (b->kind == IR_COMMAND && p.open)
		return none(s, "an exception covers no word that is not known: write the words out");
	if (why_edit_except(&s->ret->edits, b->d->rule, &p, b->req))
		return true;
	return locked(s, explain_of_rule(b->d->rule),
		      "no exception takes this request out: the rule itself has to change");
}

/* A deny, ask or hide decides. */
static bool by_rule(struct search *s, const struct block *b)
{
	const struct ir_rule *r = b->d->rule;
	enum ir_level own = s->ret->level;
	struct explain_rule by = explain_of_rule(r);

	if (is_network_mode(s, r))
		return locked(s, by, hint_mode_call(r->err));
	if (r->floor && !is_managed(own))
		return locked(s, by, "a rule of the floor is in every policy: only a managed "
				     "'final allow' lifts it");
	if (r->floor)
		return add(s, b, true, false, "no rule lifts this rule of the floor");
	if (r->level == IR_DEFAULT)
		return add(s, b, false, false, "an allow of this request does not lift the default: it "
					       "is not surely inside of what the default matches");
	if (r->level == own)
		return except(s, b);
	if (r->level < own)
		return locked(s, by, "no rule of a lower level allows what this one does not");
	if (is_managed(own))
		return add(s, b, true, false, "a final allow does not cover this request");
	return locked(s, by, "no level allows what another one denies or asks about");
}

static bool by_mode(struct search *s, const struct block *b)
{
	const struct ir_scalar *mode = &s->ir->scalars[IR_S_NET_MODE];
	enum ir_level own = s->ret->level;

	if (mode->level < own && mode->at.line)
		return locked(s, explain_of_scalar(s->ir, IR_S_NET_MODE, IR_DENY),
			      "where the network is off no rule counts, and a lower level cannot "
			      "switch it on");
	return add(s, b, false, true, "the network stays off");
}

/* A scalar decides: no rule is left. */
static bool by_scalar(struct search *s, const struct block *b)
{
	if (b->d->step == EVAL_STEP_MODE && b->kind == IR_NET)
		return is_below_lock(s, IR_NET) ? locked_section(s, IR_NET) : by_mode(s, b);
	if (b->d->step == EVAL_STEP_UNKNOWN)
		return none(s, "no table names this call: it does not exist for any rule");
	return add(s, b, false, false, "a rule for exactly these words is not enough");
}

static bool remove_block(struct search *s, const struct block *b)
{
	return b->d->rule ? by_rule(s, b) : by_scalar(s, b);
}

/* --- lines --------------------------------------------------------------------------------- */

/* The path that a word names: literal, or below the home directory. */
static struct str path_of(struct search *s, const struct eval_part_decision *p)
{
	const struct sh_word *w = p->word < p->part->nwords ? p->part->words[p->word].w : NULL;
	struct str home = s->req->roots.dir[IR_ROOT_HOME];
	const struct sh_seg *rest;

	if (!w)
		return STR_NULL;
	rest = w->seg.kind == SH_HOME ? w->seg.next : &w->seg;
	if (!rest || rest->kind != SH_LIT || rest->next || (rest != &w->seg && !home.p))
		return STR_NULL;
	return roots_path(s->a, str_cat(s->a, rest != &w->seg ? home : STR(""),
					(struct str){ rest->p, rest->n }), s->req->cwd, false);
}

/*
 * A word names a path that is hidden, from whatever operation, or that may not be read or
 * written: the path is asked about.
 */
static bool by_path(struct search *s, const struct eval_part_decision *p, enum ir_op asked)
{
	struct ir_request *q = arena_dup(s->a, s->req, sizeof(*q));
	struct explain_rule by = p->because ? explain_of_rule(p->because) :
					      (struct explain_rule){ .id = STR("") };

	q->kind = IR_FILE;
	q->line = STR_NULL;
	q->path = q->text = path_of(s, p);
	for (int k = IR_READ; q->path.p && k <= IR_EXEC; k <<= 1) {
		struct eval_decision *d = ARENA_NEW(s->a, struct eval_decision);

		q->op = (enum ir_op)k;
		eval_decide(&s->now, q, s->a, d);
		if (d->effect == IR_HIDE || (d->effect != IR_ALLOW && q->op == asked))
			return remove_block(s, &(struct block){ .kind = IR_FILE, .req = q, .d = d });
	}
	return locked(s, by, "a word of the command names a path that this rule keeps from it");
}

static bool by_target(struct search *s, const struct eval_part_decision *p)
{
	struct ir_request *q = arena_dup(s->a, s->req, sizeof(*q));
	const struct cmd_part *c = p->part;
	enum ir_op op = IR_READ;
	struct num_cidr at;
	bool host_bits;

	q->line = STR_NULL;
	q->kind = c->kind == CMD_NET ? IR_NET : IR_FILE;
	if (c->kind == CMD_NET) {
		q->proto = c->udp ? IR_UDP : IR_TCP;
		q->port = c->port;
		q->host = (struct str){ c->host, c->host_n };
		q->is_addr = num_cidr(q->host, &at, &host_bits);
		if (q->is_addr)
			memcpy(q->addr, at.addr, sizeof(q->addr));
		return remove_block(s, &(struct block){ .kind = IR_NET, .req = q, .d = &p->d });
	}
	if (!c->path || c->home_path)
		return none(s, "the path is not known: write it out");
	q->path = roots_path(s->a, (struct str){ c->path, c->path_n }, s->req->cwd, false);
	/* of several operations, one that is not allowed */
	for (int k = IR_READ; k <= IR_EXEC; k <<= 1) {
		struct eval_decision *d = ARENA_NEW(s->a, struct eval_decision);

		op = (enum ir_op)k;
		q->op = op;
		if (!(c->ops & k))
			continue;
		eval_decide(&s->now, q, s->a, d);
		if (d->effect != IR_ALLOW)
			return remove_block(s, &(struct block){ .kind = IR_FILE, .req = q, .d = d });
	}
	return none(s, "its path is decided by something else than its own rules");
}

static const char *way_of(const struct cmd_part *p)
{
	const char *why = p->opaque ? p->opaque : p->no_allow;
	const char *way = hint_way(why);

	return way ? way : why;
}

static bool by_part(struct search *s, const struct eval_part_decision *p)
{
	const struct block b = { .kind = IR_COMMAND, .part = p->part, .d = &p->d };
	const char *way = way_of(p->part);
	struct explain_rule by = { .id = STR("") };

	if (p->because)
		by = explain_of_rule(p->because);
	switch (p->step) {
	case EVAL_PS_RULES:
		/* a scalar decides although there is a rule for these words: the text is in the way */
		if (p->d.rule)
			return by_rule(s, &b);
		return is_below_lock(s, IR_COMMAND) ? locked_section(s, IR_COMMAND) :
		       add(s, &b, false, false, way ? way : "a rule for exactly these words is not enough");
	case EVAL_PS_OPAQUE:
	case EVAL_PS_SPELLS:
	case EVAL_PS_SHELL_CODE:
	case EVAL_PS_TRANSPARENT:
		return add(s, &b, false, false, way ? way : "nobody sees what it runs");
	case EVAL_PS_HIDDEN:
	case EVAL_PS_READS:
	case EVAL_PS_MAY_READ:
		return by_path(s, p, IR_READ);
	case EVAL_PS_WRITES:
	case EVAL_PS_MAY_WRITE:
		return by_path(s, p, IR_WRITE);
	case EVAL_PS_LOST:
	case EVAL_PS_HOLDS:
		return locked(s, by, "its words may be what this rule denies");
	case EVAL_PS_MAY_DENY:
		return locked(s, by, "what is not literal may be what this rule denies: write the "
				     "words out");
	case EVAL_PS_TARGET:
		return by_target(s, p);
	case EVAL_PS_NO_TARGET:
		return none(s, "its target is not known: write it out");
	case EVAL_PS_SANDBOX:
	case EVAL_PS_UNPARSED:
	case EVAL_PS_COUNT:
		break;
	}
	return none(s, way ? way : "no rule allows text that cannot be read");
}

static bool by_line(struct search *s, const struct eval_decision *d)
{
	const struct eval_line *l = d->line;

	for (size_t i = 0; l && i < l->nparts; i++)
		if (l->parts[i].d.effect != IR_ALLOW)
			return by_part(s, &l->parts[i]);
	return none(s, "no rule allows a line that cannot be read");
}

/* --- the search ------------------------------------------------------------------------------ */

static enum ir_effect decide(struct search *s, const struct ir *ir, struct eval_decision *ret)
{
	eval_decide(ir, s->req, s->a, ret);
	return ret->effect;
}

static bool find(struct search *s)
{
	struct eval_decision d;

	s->now = *s->ir;
	while (decide(s, &s->now, &d) != IR_ALLOW) {
		const struct block b = { .kind = s->req->kind, .req = s->req, .d = &d };

		if (s->ret->edits.v.n == MAX_EDITS)
			return none(s, "it would take more statements than anybody would read");
		if (!(s->req->kind == IR_COMMAND ? by_line(s, &d) : remove_block(s, &b)))
			return false;
		why_edit_apply(&s->ret->edits, s->ir, SIZE_MAX, &s->now);
	}
	return true;
}

/* Drops what is not needed, such as an exception after which a final allow was tried. */
static void shorten(struct search *s)
{
	struct why_edits *e = &s->ret->edits;
	struct eval_decision d;
	struct ir less;

	for (size_t i = e->v.n; i-- > 0 && e->v.n > 1;) {
		why_edit_apply(e, s->ir, i, &less);
		if (decide(s, &less, &d) != IR_ALLOW)
			continue;
		memmove(&e->v.v[i], &e->v.v[i + 1], (e->v.n - i - 1) * sizeof(e->v.v[0]));
		e->v.n--;
	}
	why_edit_apply(e, s->ir, SIZE_MAX, &s->now);
}

/* --- what else it permits ---------------------------------------------------------------------- */

static bool is_same(const struct ir_request *x, const struct ir_request *y)
{
	return x->kind == y->kind && x->kind == IR_NET && x->proto == y->proto &&
	       x->port == y->port && x->is_addr == y->is_addr && str_eq(x->host, y->host) &&
	       memcmp(x->addr, y->addr, sizeof(x->addr)) == 0;
}

/* Statements that are only tried need no reason of their own each. */
static bool has_doubt(const struct why_not *w, const struct diff_doubt *d)
{
	for (size_t i = 0; i < w->more.doubts.n; i++)
		if (str_eq(w->more.doubts.v[i].why, d->why))
			return true;
	return false;
}

/*
 * The policy in which only this request is allowed in addition is compared with the one that
 * has the statements.  Under other roles this request is an addition, too.
 */
static bool find_more(struct search *s, const struct options *o)
{
	struct why_not *w = s->ret;
	struct compare c = { .role = o->role };
	struct diff_result all;
	struct ir base;

	if (!compare_where(&c, o, s->a))
		return false;
	memcpy(w->made, c.made, sizeof(w->made));
	w->roots = c.where.roots;
	why_edit_apply_narrow(&w->edits, s->ir, &base);
	diff_policies(&base, &s->now, &c.where, s->a, &all);
	for (size_t i = 0; i < all.findings.n; i++)
		if (!why_edit_is_statement(&all.findings.v[i]) &&
		    !(all.findings.v[i].asked && is_same(&all.findings.v[i].request, s->req)))
			VEC_PUSH(s->a, &w->more.findings, all.findings.v[i]);
	for (size_t i = 0; i < all.doubts.n; i++)
		if (!has_doubt(w, &all.doubts.v[i]))
			VEC_PUSH(s->a, &w->more.doubts, all.doubts.v[i]);
	why_roles(&w->edits, s->ir, &c.where, &w->more);
	return true;
}

bool why_not(const struct ir *ir, const struct ir_request *req, const struct options *o,
	     struct arena *a, struct why_not *ret)
{
	struct search s = { .a = a, .ir = ir, .req = req, .ret = ret };
	struct eval_decision d;

	*ret = (struct why_not){ .level = o->why_level,
				 .edits = { .a = a, .o = o, .level = o->why_level } };
	if (decide(&s, ir, &d) == IR_ALLOW) {
		ret->answer = WHY_ALLOWED;
		return true;
	}
	if (!find(&s))
		return true;
	ret->answer = WHY_RULES;
	shorten(&s);
	return find_more(&s, o);
}
