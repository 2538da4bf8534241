/*
 * Where two rules match, is one of them unimportant?  This file follows the steps of
 * semantics 3.1 and what depends on single rules beside them; cover_set.c decides whether
 * one rule matches wherever another one does.
 */
#include "compiler/analysis/cover.h"

#include "compiler/analysis/cover_set.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/tabled.h"
#include "compiler/sets/box.h"
#include "runtime/base/address_guard.h"

void cover_init(struct cover *c, const struct ir *ir, struct arena *a, const uint8_t *weak)
{
	bool *lifts = arena_array(a, ir->rules.n + 1, sizeof(*lifts));
	bool *mounted = arena_array(a, ir->rules.n + 1, sizeof(*mounted));
	size_t i, k;

	*c = (struct cover){ .ir = ir, .lifts = lifts, .mounted = mounted, .weak = weak };
	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		for (k = 0; k < r->nlifted_by; k++)
			lifts[r->lifted_by[k]] = true;
	}
	for (i = 0; i < ir->mounts.n; i++)
		mounted[ir->mounts.v[i].rule] = true;
	for (i = 0; i < ir->rules.n; i++)
		c->scratch |= ir->rules.v[i]->scratch && (ir->rules.v[i]->final || lifts[i]);
}

/* The mode of the network makes rules about system calls; another role may set another one. */
static bool is_of_mode(const struct cover *c, const struct ir_rule *r)
{
	return r->kind == IR_SYSCALL && str_eq(r->id, c->ir->scalars[IR_S_NET_MODE].id);
}

bool cover_is_asked(const struct cover *c, const struct ir_rule *r)
{
	/* while the network is off, its rules say nothing: P0320 tells that */
	if (r->kind == IR_NET && c->ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED)
		return false;
	return r->level != IR_DEFAULT && !r->floor && !r->scratch && !c->mounted[r->index] &&
	       !is_of_mode(c, r);
}

/* --- one fact after the other ----------------------------------------------------- */

static bool is_path(const struct ir_rule *r)
{
	return r->kind == IR_FILE || (r->kind == IR_UNIX && !r->set.u.unix_path.abstract);
}

/* Is it there on every day, for every role, in each of the scopes of `r`? */
static bool is_always_there(const struct cover *c, const struct ir_rule *by,
			    const struct ir_rule *r)
{
	enum ir_level lock = c->ir->locked[by->kind].level;

	if (by->effect == IR_ALLOW && (by->until.n || (lock && by->level > lock)))
		return false;
	if (by->role.n && !str_eq(by->role, r->role))
		return false;
	return !by->scratch && !is_of_mode(c, by) && !(r->scopes & ~by->scopes);
}

static bool needs_person(const struct ir_rule *r)
{
	return r->effect == IR_ASK && !r->may_yes && r->level <= IR_MANAGED_FILE;
}

static bool has_grant(const struct ir_rule *r)
{
	static const struct ir_grant none;

	return r->set.u.net.nwithin || !ir_grant_equal(&r->set.u.net.grant, &none);
}

/* Does the guard refuse addresses of the rule's block that a wider block holds, but does not
 * name?  Any address may be the host's own, which is guarded as well. */
static bool lifts_guard(const struct num_cidr *c, const struct num_cidr *wider)
{
	struct ir_net range = { .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
				.host = IR_HOST_CIDR }, own = range;
	unsigned bits;

	own.cidr = *c;
	if (guard_is_named(c->addr, c->bits, c->addr) && !guard_is_named(wider->addr, wider->bits, c->addr))
		return true;
	for (size_t at = 0; guard_next_range(&at, range.cidr.addr, &bits);) {
		range.cidr.bits = (uint8_t)bits;
		if (bits > wider->bits && box_net_meets(&range, &own))
			return true;
	}
	return false;
}

/* What the gateway does with a connection that both let through. */
static bool same_connection(const struct ir_rule *by, const struct ir_rule *r)
{
	const struct ir_net *x = &r->set.u.net, *y = &by->set.u.net;

	if (r->kind != IR_NET || by->effect > IR_ASK)
		return true;
	return !has_grant(r) && (x->host != IR_HOST_CIDR ||
				 (y->host == IR_HOST_CIDR && !lifts_guard(&x->cidr, &y->cidr)));
}

/* Is it decided by `by` alike, whatever defaults join? */
static bool is_strictest(const struct ir_rule *by)
{
	switch (by->kind) {
	case IR_FILE:
		return by->effect == IR_HIDE;
	case IR_SYSCALL: /* a default before the floor may give another errno */
		return by->effect == IR_DENY && by->level != IR_DEFAULT;
	case IR_COMMAND:
	case IR_NET:
	case IR_UNIX:
	case IR_TOOL:
		return by->effect >= IR_DENY;
	case IR_KIND_COUNT:
		break;
	}
	return false;
}

/* Does whatever `r` lifts stay lifted, or not matter? */
static bool same_lifts(const struct cover *c, const struct ir_rule *by,
		       const struct ir_rule *r)
{
	size_t i, k;

	if (!c->lifts[r->index] || is_strictest(by))
		return true;
	if (by->effect != IR_ALLOW)
		return false;
	for (i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *d = c->ir->rules.v[i];
		bool mine = false, its = false;

		for (k = 0; k < d->nlifted_by; k++) {
			mine |= d->lifted_by[k] == r->index;
			its |= d->lifted_by[k] == by->index;
		}
		if (mine && !its)
			return false;
	}
	return true;
}

/*
 * What a rule of files does beside its decision: an allow may show a tree of the host, in
 * which no scratch rule matches, and `allow "/"` shows no tree that a run makes itself.
 * Where a deny or an ask decides, one more allow of a scratch tree is unimportant.
 */
static bool same_trees(const struct cover *c, const struct ir_rule *by,
		       const struct ir_rule *r)
{
	if (r->kind != IR_FILE || !ir_rule_shows_host(r))
		return true;
	return by->effect == IR_ALLOW ? ir_rule_shows_host(by) : !c->scratch;
}

/* Do the layers enforce it at least as well, and on the same places of a machine? */
static bool as_strong(const struct cover *c, const struct ir_rule *by,
		      const struct ir_rule *r)
{
	if (r->effect == IR_ALLOW)
		return true;
	if (c->weak && c->weak[by->index] > c->weak[r->index])
		return false;
	return !is_path(r) || cover_same_links(by, r);
}

/* --- commands ----------------------------------------------------------------------- */

/* Is the program surely none whose table says that it runs its words or code? */
static bool runs_nothing(const struct cover *c, const struct ir_rule *r)
{
	const struct ir_command *p = &r->set.u.command;
	const struct ir_glob *g;
	char name[64];
	size_t i;

	if (p->regex || !p->nwords || p->words[0].any_words || (p->tail && p->nwords == 1))
		return false;
	g = &p->words[0].glob;
	for (i = 0; i < g->n && i < sizeof(name) && g->v[i].op == IR_G_BYTE; i++)
		name[i] = (char)g->v[i].byte;
	if (i < g->n)
		return false;
	return !eval_tabled_interprets(c->ir, eval_base_name((struct str){ name, i }));
}

/*
 * A command may stand for several lists of words.  An ask matches if one of them is in its
 * set, an allow and a deny if all are.  So a deny is no answer to what an ask does, and
 * what an allow means for the code of an interpreter is not what an ask means.
 */
static bool same_for_commands(const struct cover *c, const struct ir_rule *by,
			      const struct ir_rule *r)
{
	if (r->kind != IR_COMMAND || by->effect == r->effect)
		return true;
	if (r->effect == IR_ASK)
		return false;
	return by->effect != IR_ASK || runs_nothing(c, r);
}

/* --- together ------------------------------------------------------------------------ */

/* A final rule of a higher level: the rules below it are not even looked at. */
static bool is_final_above(const struct ir_rule *by, const struct ir_rule *r)
{
	return by->final && by->level < r->level;
}

static bool ends_before(const struct cover *c, const struct ir_rule *by,
			const struct ir_rule *r)
{
	if (r->kind == IR_COMMAND || (r->effect != IR_ALLOW && is_path(r) &&
				      !cover_same_links(by, r)))
		return false;
	return !(r->kind == IR_FILE && ir_rule_shows_host(r) && c->scratch);
}

/* Of level 5 only what no rule lifts counts, and only against an allow. */
static bool counts_by_level(const struct ir_rule *by, const struct ir_rule *r)
{
	if (by->level == IR_DEFAULT)
		return r->effect == IR_ALLOW && !r->final && by->effect != IR_ALLOW &&
		       !by->nlifted_by;
	return by->level <= r->level && (!r->final || by->final);
}

/*
 * The first of several rules with one effect gives the errno, and whether the deciding rule
 * is final.
 */
static bool same_first(const struct ir_rule *by, const struct ir_rule *r)
{
	if (by->effect != r->effect || by->index < r->index)
		return true;
	return r->kind != IR_SYSCALL && by->final == r->final;
}

enum cover_why cover_why(const struct cover *c, const struct ir_rule *by,
			 const struct ir_rule *r)
{
	if (by == r || by->kind != r->kind || !is_always_there(c, by, r))
		return COVER_NOT;
	if (is_final_above(by, r) && ends_before(c, by, r))
		return COVER_FINAL;
	if (!counts_by_level(by, r) || by->effect < r->effect || (by->soft && !r->soft) ||
	    !same_first(by, r))
		return COVER_NOT;
	if (by->effect == IR_ASK && needs_person(r) && !needs_person(by))
		return COVER_NOT;
	if (!same_connection(by, r) || !same_lifts(c, by, r) || !same_trees(c, by, r) ||
	    !as_strong(c, by, r) || !same_for_commands(c, by, r))
		return COVER_NOT;
	return by->effect == r->effect ? COVER_SAME : COVER_STRICTER;
}
