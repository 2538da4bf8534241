/*
 * Decides which finding explains why a recorded request changes.  A comparison gives one
 * request for each rule and kind of change, and a recorded request is seldom that one.  So
 * what connects the two is the rule: one that only one policy has decides about both, or at
 * least matches both.
 */
#include "compiler/analysis/impact.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/index.h"
#include "compiler/eval/line.h"
#include "compiler/eval/match.h"

/* Two policies of one role, and which rules only one of them has. */
struct pair {
	struct diff d;
	struct impact *im;
	struct str role;
	/* ids of rules and values that are not in both policies, for each side */
	struct map changed[2];
	bool risks; /* some class of commands or tools is not in both */
};

/* A rule is known by its id: what a default is said to stand at depends on who says it. */
static struct str said_key(const struct diff_said *s)
{
	return s->there ? s->id : STR("");
}

static bool is_changed(const struct pair *p, int side, struct str key)
{
	return map_get(&p->changed[side], key) != NULL;
}

/* --- what is not in both policies -------------------------------------------------- */

static void mark(struct pair *p, int side, struct str id)
{
	map_put(&p->changed[side], id, p);
}

static void mark_item(struct pair *p, const struct diff_item *it)
{
	p->risks |= it->changed && diff_risk(it);
	for (int s = 0; s < 2 && it->changed; s++)
		if (diff_item_id(it, s).n)
			mark(p, s, diff_item_id(it, s));
}

static void mark_changed(struct pair *p)
{
	const struct ir_scalar *o = p->d.ir[DIFF_OLD]->scalars, *n = p->d.ir[DIFF_NEW]->scalars;

	for (int k = 0; k < IR_KIND_COUNT; k++)
		for (size_t i = 0; i < p->d.items[k].n; i++)
			mark_item(p, p->d.items[k].v[i]);
	for (int i = 0; i < IR_SCALAR_COUNT; i++) {
		/* what a managed rule makes of `opaque allow` does not stand in its text */
		if (str_eq(o[i].source, n[i].source) && o[i].effect == n[i].effect)
			continue;
		mark(p, DIFF_OLD, o[i].id);
		mark(p, DIFF_NEW, n[i].id);
	}
}

/* --- which findings may explain it --------------------------------------------------- */

/* What the request meets: keys of what decides it, and of all rules that match it. */
struct met {
	struct str by[2];
	VEC(struct str) rules[2];
	bool line; /* a shell line has parts of other kinds */
};

static void meet(struct met *m, int side, const struct ir_rule *r, struct arena *tmp)
{
	if (r)
		VEC_PUSH(tmp, &m->rules[side], r->id);
}

/* What decided a part: a rule, or the value that decides where none does. */
static void meet_part(const struct pair *p, struct met *m, int side,
		      const struct eval_decision *d, struct arena *tmp)
{
	if (d->risk_fact)
		VEC_PUSH(tmp, &m->rules[side], d->risk_fact->id);
	if (d->rule)
		meet(m, side, d->rule, tmp);
	else
		VEC_PUSH(tmp, &m->rules[side], p->d.ir[side]->scalars[d->scalar].id);
}

static void meet_decision(const struct pair *p, struct met *m, int side,
			  const struct eval_decision *e, struct arena *tmp)
{
	if (e->risk_fact)
		VEC_PUSH(tmp, &m->rules[side], e->risk_fact->id);
	for (size_t i = 0; i < e->nmatched; i++)
		meet(m, side, e->matched[i], tmp);
	for (size_t i = 0; e->line && i < e->line->nparts; i++) {
		const struct eval_part_decision *part = &e->line->parts[i];

		meet_part(p, m, side, &part->d, tmp);
		meet(m, side, part->because, tmp);
		for (size_t k = 0; k < part->nrules; k++)
			meet(m, side, part->rules[k].rule, tmp);
		for (size_t k = 0; k < part->d.nmatched; k++)
			meet(m, side, part->d.matched[k], tmp);
	}
}

/* The words of this part spell a command that a rule denies: what either policy says about it. */
static void meet_spelled(const struct pair *p, const struct impact_request *q,
			 const struct eval_part_decision *part, struct met *m, struct arena *tmp)
{
	struct ir_request spelled = q->req;
	struct str *argv = arena_array(tmp, part->part->nwords + 1, sizeof(*argv));
	struct eval_decision e;

	spelled.line = STR_NULL;
	spelled.nargv = 0;
	for (uint32_t i = part->word; i < part->part->nwords; i++) {
		const struct sh_word *w = part->part->words[i].w;

		if (!sh_is_literal(w))
			return;
		argv[spelled.nargv++] = (struct str){ w->seg.p, w->seg.n };
	}
	spelled.argv = argv;
	for (int s = 0; s < 2; s++) {
		eval_decide(p->d.ir[s], &spelled, tmp, &e);
		meet_decision(p, m, s, &e, tmp);
	}
}

/* Asks again, for the rules; only changes that are not explained otherwise come here. */
static void meet_all(const struct pair *p, const struct impact_request *q, struct met *m,
		     struct arena *tmp)
{
	for (int s = 0; s < 2; s++) {
		struct eval_decision e;

		eval_decide(p->d.ir[s], &q->req, tmp, &e);
		VEC_PUSH(tmp, &m->rules[s], m->by[s]);
		meet_decision(p, m, s, &e, tmp);
		for (size_t i = 0; e.line && i < e.line->nparts; i++)
			if (e.line->parts[i].step == EVAL_PS_SPELLS ||
			    e.line->parts[i].step == EVAL_PS_LOST)
				meet_spelled(p, q, &e.line->parts[i], m, tmp);
	}
}

static bool has_key(const struct met *m, int side, struct str key)
{
	for (size_t i = 0; i < m->rules[side].n; i++)
		if (str_eq(m->rules[side].v[i], key))
			return true;
	return false;
}

/* The rule of one side is the finding's, and only that side has it. */
static bool shares_changed(const struct pair *p, const struct met *m,
			   const struct diff_said side[2], bool deciding)
{
	for (int s = 0; s < 2; s++) {
		struct str key = said_key(&side[s]);

		if (key.n && is_changed(p, s, key) &&
		    (deciding ? str_eq(key, m->by[s]) : has_key(m, s, key)))
			return true;
	}
	return false;
}

/* Does a rule that raised the finding match the request? */
static bool meets_cause(const struct diff_finding *f, const struct met *m)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < f->causes[s].n; i++)
			if (has_key(m, s, f->causes[s].v[i]))
				return true;
	return false;
}

static bool meets_changed(const struct pair *p, const struct met *m)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < m->rules[s].n; i++)
			if (is_changed(p, s, m->rules[s].v[i]))
				return true;
	return false;
}

/*
 * Does a scratch tree decide one side?  It does not hold where a tree of the host is
 * shown, and the rule that shows it need not be about this operation.
 */
static bool meets_scratch(const struct pair *p, const struct met *m)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->d.ir[s]->rules.n; i++) {
			const struct ir_rule *r = p->d.ir[s]->rules.v[i];

			if (r->scratch && str_eq(r->id, m->by[s]))
				return true;
		}
	return false;
}

/* Does the finding's rule show a tree of the host, in one policy only, that holds the path? */
static bool shows_tree(const struct pair *p, const struct diff_finding *f, const struct ir_request *q)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->d.ir[s]->rules.n; i++) {
			const struct ir_rule *r = p->d.ir[s]->rules.v[i];

			if (str_eq(r->id, said_key(&f->side[s])) && is_changed(p, s, r->id) &&
			    ir_rule_shows_host(r) &&
			    eval_match_path(&r->set.u.file.path, q, q->path))
				return true;
		}
	return false;
}

/* On which values, that are no rules, do decisions about requests of this kind depend? */
static bool depends_on(enum ir_kind kind, const char *value)
{
	static const struct {
		const char *value;
		unsigned kinds;
	} rows[] = { { "fact", 1u << IR_COMMAND },
		     { "mount", 1u << IR_COMMAND | 1u << IR_FILE | 1u << IR_UNIX },
		     { "network", 1u << IR_COMMAND | 1u << IR_NET },
		     { "tools", 1u << IR_TOOL } };

	/* a line has parts of other kinds: what it opens, and where it connects to */
	if (strcmp(value, ir_kind_name(kind)) == 0 ||
	    (kind == IR_COMMAND && (strcmp(value, "file") == 0 || strcmp(value, "net") == 0)))
		return true;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		if (strcmp(value, rows[i].value) == 0)
			return rows[i].kinds >> kind & 1;
	return false;
}

enum tie {
	TIE_BOTH,    /* the same rules decide on both sides */
	TIE_RULE,    /* a rule that one policy has decides about both */
	TIE_SIDE,    /* one side is decided by the same rule, and a changed rule matches, or
			a tree that is shown now takes the place of a scratch tree */
	TIE_CAUSE,   /* a changed rule that raised the finding matches it */
	TIE_MATCHES, /* a rule that one policy has matches it, or a part of its line */
	TIE_TREE,    /* a tree that only one policy shows lies where the other has a scratch tree */
	TIE_VALUE,   /* a lock, a fact, a mount, a level */
	TIE_CLASS,   /* a class is not in both, and the same default decides it: a finding need not
			say both that its effect is another one and that its class is */
	TIE_UNSEEN,  /* a default or a class, on which a part of a line may depend */
	TIE_COUNT
};

/* Is what the finding names a default that is not in both policies? */
static bool is_scalar(const struct pair *p, const struct diff_said side[2])
{
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < IR_SCALAR_COUNT; i++)
			if (str_eq(said_key(&side[s]), p->d.ir[s]->scalars[i].id) &&
			    is_changed(p, s, said_key(&side[s])))
				return true;
	return false;
}

static bool same_change(const struct diff_finding *f, const struct impact_change *c)
{
	return f->asked && f->change == c->change && f->widening == c->widening;
}

static bool ties(const struct pair *p, enum tie tie, const struct diff_finding *f,
		 const struct impact_change *c, const struct met *m)
{
	const char *kind = ir_kind_name(c->request->req.kind);
	bool kin = strcmp(f->kind, kind) == 0;
	bool old = str_eq(said_key(&f->side[0]), m->by[0]);
	bool new = str_eq(said_key(&f->side[1]), m->by[1]);

	switch (tie) {
	case TIE_BOTH:
		return (kin || m->line) && same_change(f, c) && old && new;
	case TIE_RULE:
		return (kin || m->line) && same_change(f, c) &&
		       shares_changed(p, m, f->side, true);
	case TIE_SIDE:
		return kin && same_change(f, c) && (old || new) &&
		       (meets_changed(p, m) || meets_scratch(p, m)) &&
		       !(!old && is_changed(p, 0, m->by[0])) &&
		       !(!new && is_changed(p, 1, m->by[1]));
	case TIE_CAUSE:
		return (kin || m->line) && same_change(f, c) && meets_cause(f, m);
	case TIE_MATCHES:
		return (kin || m->line) && f->asked &&
		       (shares_changed(p, m, f->side, false) || meets_cause(f, m));
	case TIE_TREE:
		return kin && meets_scratch(p, m) && shows_tree(p, f, &c->request->req);
	case TIE_VALUE:
		return !f->asked && depends_on(c->request->req.kind, f->kind);
	case TIE_CLASS:
		return kin && f->asked && p->risks && f->widening == c->widening && old && new;
	case TIE_UNSEEN:
		return kin && same_change(f, c) && (p->risks || is_scalar(p, f->side));
	case TIE_COUNT:
		break;
	}
	return false;
}

static bool of_role(const struct pair *p, struct str role)
{
	return !role.n || str_eq(role, p->role);
}

static void count(struct impact_share *s, const struct impact_request *q)
{
	s->count += q->count;
	if (!s->example)
		s->example = q;
}

static bool explain_by_finding(struct pair *p, const struct impact_change *c, struct met *m,
			       struct arena *tmp)
{
	const struct diff_result *r = p->im->found;

	for (int tie = 0; tie < TIE_COUNT; tie++) {
		if (tie == TIE_SIDE)
			meet_all(p, c->request, m, tmp);
		for (size_t i = 0; i < r->findings.n; i++) {
			const struct diff_finding *f = &r->findings.v[i];

			if (!of_role(p, f->role) || !ties(p, (enum tie)tie, f, c, m))
				continue;
			count(&p->im->findings[i], c->request);
			return true;
		}
	}
	return false;
}

/* A doubt about a rule that the request meets, or about no rule at all. */
static bool may_doubt(const struct pair *p, const struct diff_doubt *x, const struct met *m)
{
	bool rule = false;

	if (x->role.n && x->side[0].there && str_eqz(x->side[0].id, "role"))
		return true;
	for (int s = 0; s < 2; s++) {
		struct str key = said_key(&x->side[s]);

		if (key.n && (str_eq(key, m->by[s]) || has_key(m, s, key)))
			return true;
		for (size_t i = 0; i < p->d.ir[s]->rules.n && key.n; i++)
			rule |= str_eq(p->d.ir[s]->rules.v[i]->id, x->side[s].id);
	}
	return !rule;
}

static bool explain_by_doubt(struct pair *p, const struct impact_change *c,
			     const struct met *m)
{
	const struct diff_result *r = p->im->found;

	for (size_t i = 0; i < r->doubts.n; i++) {
		if (!of_role(p, r->doubts.v[i].role) || !may_doubt(p, &r->doubts.v[i], m))
			continue;
		count(&p->im->doubts[i], c->request);
		p->im->undecided += c->request->count;
		return true;
	}
	return false;
}

/* --- one request --------------------------------------------------------------------- */

/* Decides it by both policies.  False: nothing changes. */
static bool ask(struct pair *p, const struct impact_request *q, struct impact_change *ret,
		struct arena *tmp)
{
	struct diff_result own = { .findings = { 0 } };
	struct diff_told told = { .changes = 0 };
	struct ir_request req = q->req;
	struct diff d = { .a = tmp, .ir = { p->d.ir[0], p->d.ir[1] }, .ret = &own };
	struct diff_where where = { .roots = req.roots, .cwd = req.cwd, .scope = req.scope };

	d.where = &where;
	map_init(&d.seen, tmp);
	if (!diff_ask(&d, NULL, &req, (unsigned)req.scope, tmp, &told) || !own.findings.n)
		return false;
	*ret = (struct impact_change){ .request = q,
				       .change = own.findings.v[0].change,
				       .widening = own.findings.v[0].widening,
				       .side = { own.findings.v[0].side[0],
						 own.findings.v[0].side[1] } };
	return true;
}

static void add(struct pair *p, const struct impact_request *q, struct arena *a)
{
	struct met m = { .line = q->req.kind == IR_COMMAND };
	struct impact_change c;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	if (ask(p, q, &c, &tmp)) {
		p->im->changes[c.change] += q->count;
		for (int s = 0; s < 2; s++)
			m.by[s] = said_key(&c.side[s]);
		if (!explain_by_finding(p, &c, &m, &tmp) && !explain_by_doubt(p, &c, &m))
			VEC_PUSH(a, &p->im->lost, c);
	}
	arena_release(&tmp);
}

/* --- all ------------------------------------------------------------------------------- */

void impact_init(struct impact *im, const struct diff_result *found, struct arena *a)
{
	*im = (struct impact){ .found = found };
	im->findings = arena_array(a, found->findings.n + 1, sizeof(*im->findings));
	im->doubts = arena_array(a, found->doubts.n + 1, sizeof(*im->doubts));
	for (size_t i = 0; i < found->findings.n; i++)
		im->findings[i].uncounted = found->findings.v[i].change == DIFF_GATEWAY ||
					    found->findings.v[i].change == DIFF_REACH;
}

void impact_add(struct impact *im, const struct ir *old, const struct ir *new,
		struct str role, const struct impact_requests *all, struct arena *a)
{
	struct diff_result own = { .findings = { 0 } };
	struct diff_where where = { .scope = IR_SANDBOX };
	struct pair p = { .d = { .a = a, .ir = { eval_index_add(old, a), eval_index_add(new, a) },
				 .where = &where, .ret = &own },
			  .im = im, .role = role };

	map_init(&p.d.seen, a);
	map_init(&p.changed[0], a);
	map_init(&p.changed[1], a);
	diff_identify(&p.d);
	mark_changed(&p);
	for (size_t i = 0; i < all->v.n; i++) {
		if (!str_eq(all->v.v[i]->role, role))
			continue;
		im->total += all->v.v[i]->count;
		add(&p, all->v.v[i], a);
	}
}

/* The role itself is gone, or the list of roles that may be chosen is another one. */
static bool takes_role(const struct diff_finding *f, struct str role)
{
	return strcmp(f->kind, "role") == 0 && f->change == DIFF_REMOVED &&
	       str_eq(f->side[DIFF_OLD].value, role);
}

static bool sets_roles(const struct diff_finding *f)
{
	return strcmp(f->kind, "setting") == 0 && !f->role.n &&
	       str_eqz(f->side[DIFF_NEW].id, "setting-agents.allowedRoles");
}

/* The finding that says why the role cannot be chosen any more, or NULL. */
static struct impact_share *share_of_role(struct impact *im, struct str role)
{
	struct impact_share *share = NULL;

	for (size_t i = 0; i < im->found->findings.n; i++) {
		const struct diff_finding *f = &im->found->findings.v[i];

		if (takes_role(f, role))
			return &im->findings[i];
		if (sets_roles(f) && !share)
			share = &im->findings[i];
	}
	return share;
}

static void refuse(struct impact *im, const struct ir *old, const struct impact_request *q,
		   struct arena *a)
{
	struct impact_change c = { .request = q, .change = DIFF_DENIED };
	struct impact_share *share = share_of_role(im, q->role);
	struct eval_decision d;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	eval_decide(old, &q->req, &tmp, &d);
	arena_release(&tmp);
	if (d.effect > IR_ASK)
		return;
	im->changes[DIFF_DENIED] += q->count;
	if (share)
		count(share, q);
	else
		VEC_PUSH(a, &im->lost, c);
}

void impact_refuse(struct impact *im, const struct ir *old, struct str role,
		   const struct impact_requests *all, struct arena *a)
{
	const struct ir *indexed = eval_index_add(old, a);

	for (size_t i = 0; i < all->v.n; i++) {
		if (!str_eq(all->v.v[i]->role, role))
			continue;
		im->total += all->v.v[i]->count;
		refuse(im, indexed, all->v.v[i], a);
	}
}

void impact_skip(struct impact *im, struct str role, const char *why,
		 const struct impact_requests *all, struct arena *a)
{
	struct impact_skipped s = { .role = role, .why = why };

	for (size_t i = 0; i < all->v.n; i++)
		if (str_eq(all->v.v[i]->role, role))
			count(&s.share, all->v.v[i]);
	im->total += s.share.count;
	VEC_PUSH(a, &im->skipped, s);
}
