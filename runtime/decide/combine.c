/*
 * From the matching rules to one decision: levels, finals, locks, lifted defaults,
 * `otherwise` (doc/semantics.md 3.1), over the rule table.
 */
#include <string.h>

#include "runtime/decide/combine.h"

#define NONE UINT32_MAX

/* --- the set of matching rules -------------------------------------------- */

void match_init(struct decide_match *m, const struct decide_ctx *c, uint8_t kind,
		uint8_t op)
{
	uint32_t n = c->b->rules->rules.count;

	n = n < PB_MAX_RULES ? n : PB_MAX_RULES;
	m->c = c;
	m->kind = kind;
	m->op = op;
	m->nhost = m->nnot_host = 0;
	bits_make(&m->in, m->room[0], n);
	bits_make(&m->out, m->room[1], n);
}

static void note_host(struct decide_match *m, const struct dfa_walk *w,
		      const struct pb_rule *r, uint32_t rule)
{
	uint32_t *n = w->a->except ? &m->nnot_host : &m->nhost;

	if (w->a->except && !(w->a->except & r->ops))
		return;
	if (*n < DECIDE_MAX_HOST)
		(w->a->except ? m->not_host : m->host)[*n] = rule;
	++*n;
}

void match_take(struct decide_match *m, const struct dfa_walk *w)
{
	uint32_t n, i;
	const uint32_t *tags = dfa_tags(w, &n);
	struct bits *to = w->a->except ? &m->out : &m->in;
	/* an exception for other operations does not count */
	bool other = w->a->except && m->op && !(w->a->except & m->op);

	for (i = 0; i < n; i++) {
		const struct pb_rule *r = bundle_rule(m->c->b, tags[i]);

		if (!r || tags[i] >= PB_MAX_RULES)
			continue;
		if (r->kind != PB_RISK && !(r->scopes & m->c->scope))
			continue;
		if (r->flags & PB_F_HOST)
			note_host(m, w, r, tags[i]);
		if (other || (m->op && !(r->ops & m->op)))
			continue;
		bits_add(to, tags[i]);
	}
}

/* Is there a rule in `host` that no exception took back? */
static bool is_of_host(const struct decide_match *m)
{
	uint32_t i, k, seen = 0;

	if (m->nhost > DECIDE_MAX_HOST || m->nnot_host > DECIDE_MAX_HOST)
		return m->nhost > 0;
	for (i = 0; i < m->nhost; i++)
		for (k = 0; k < m->nnot_host; k++)
			if (m->host[i] == m->not_host[k]) {
				seen++;
				break;
			}
	return seen < m->nhost;
}

void match_drop_scratch(struct decide_match *m)
{
	bool host = is_of_host(m);
	uint32_t i;

	for (i = match_next(m, 0); host && i != NONE; i = match_next(m, i + 1))
		if (bundle_rule(m->c->b, i)->flags & PB_F_SCRATCH)
			bits_add(&m->out, i);
}

bool match_has(const struct decide_match *m, uint32_t rule)
{
	if (rule >= m->c->b->rules->rules.count || rule >= PB_MAX_RULES)
		return false;
	return bits_has(&m->in, rule) && !bits_has(&m->out, rule);
}

uint32_t match_next(const struct decide_match *m, uint32_t from)
{
	uint32_t i = bits_next(&m->in, from);

	while (i != NONE && bits_has(&m->out, i))
		i = bits_next(&m->in, i + 1);
	return i;
}

static const struct pb_rule *rule_at(const struct decide_match *m, uint32_t i)
{
	return bundle_rule(m->c->b, i);
}

/* --- steps 1 and 2 ------------------------------------------------------------ */

static bool is_below_lock(const struct decide_match *m, const struct pb_rule *r)
{
	uint32_t lock = m->kind < 6 ? m->c->b->rules->locked[m->kind] : 0;

	return lock && r->level > lock;
}

static bool is_taken(const struct decide_match *m, const struct pb_rule *r,
		     uint8_t last)
{
	if (r->level > last)
		return false;
	return r->effect != PB_ALLOW || !is_below_lock(m, r);
}

static bool is_lifted(const struct decide_match *m, const struct pb_rule *r,
		      uint8_t last)
{
	const struct pb_rules *h = m->c->b->rules;
	uint32_t i;

	for (i = 0; i < r->lifted_count; i++) {
		const uint32_t *by =
			pb_at(h, h->lifted, sizeof(*by), r->lifted_off + i);

		if (match_has(m, *by) && is_taken(m, rule_at(m, *by), last))
			return true;
	}
	return false;
}

static bool counts(const struct decide_match *m, const struct pb_rule *r, uint8_t last)
{
	if (r->level == PB_DEFAULT)
		return r->effect != PB_ALLOW && !is_lifted(m, r, last);
	return is_taken(m, r, last);
}

/* --- steps 3 to 5 ---------------------------------------------------------------- */

struct found {
	uint32_t hard;      /* the first of the strictest rules, without soft asks */
	uint32_t soft;      /* the first soft ask */
	uint32_t base;      /* the first allow rule of level 5 */
	bool person;        /* one of the ask rules needs a person */
	uint8_t last;       /* the lowest level that counts */
};

/* A final rule of a managed level ends the list: the levels after its own do not
 * count. */
static bool ends_list(const struct decide_match *m, const struct pb_rule *r)
{
	return (r->flags & PB_F_FINAL) && r->level <= PB_MANAGED_FILE &&
	       (r->effect != PB_ALLOW || !is_below_lock(m, r));
}

/*
 * Does `r` decide rather than `best`, which stands before it in the table?  If several rules allow a
 * command, a final one decides: a command that a final rule allows may name hidden paths
 * (semantics 4.4).
 */
static bool comes_before(const struct pb_rule *r, const struct pb_rule *best)
{
	if (r->effect != best->effect)
		return r->effect > best->effect;
	return r->kind == PB_COMMAND && r->effect == PB_ALLOW && (r->flags & PB_F_FINAL) &&
	       !(best->flags & PB_F_FINAL);
}

/* If f.last comes back lower than `last`, the other fields cover too many levels. */
static struct found look_up_to(const struct decide_match *m, uint8_t last)
{
	struct found f = { NONE, NONE, NONE, false, last };
	uint32_t i;

	for (i = match_next(m, 0); i != NONE; i = match_next(m, i + 1)) {
		const struct pb_rule *r = rule_at(m, i);

		if (r->level < f.last && ends_list(m, r))
			f.last = r->level;
		if (r->level == PB_DEFAULT && r->effect == PB_ALLOW) {
			if (f.base == NONE && !is_below_lock(m, r))
				f.base = i;
			continue;
		}
		if (!counts(m, r, last))
			continue;
		f.person |= r->effect == PB_ASK && (r->flags & PB_F_ANSWER);
		if (r->flags & PB_F_SOFT) {
			if (f.soft == NONE)
				f.soft = i;
		} else if (f.hard == NONE || comes_before(r, rule_at(m, f.hard))) {
			f.hard = i;
		}
	}
	return f;
}

/* Final rules are rare, so the list is seldom walked twice. */
static struct found look(const struct decide_match *m)
{
	struct found f = look_up_to(m, PB_USER);

	return f.last < PB_USER ? look_up_to(m, f.last) : f;
}

/* If several rules ask, every one of them must be answered. */
static void by_rule(const struct decide_match *m, uint32_t i, bool person,
		    struct decision *d)
{
	const struct pb_rule *r = rule_at(m, i);

	d->rule = i;
	d->effect = r->effect;
	d->err = r->err;
	d->needs_person = r->effect == PB_ASK && person;
}

void decide_otherwise(const struct decide_ctx *c, enum pb_scalar s, struct decision *d)
{
	const struct pb_rule *r = decide_scalar(c, s);

	decide_deny(c, s, d);
	if (!r)
		return;
	d->effect = r->effect;
	if (r->by_risk)
		d->effect = d->risk < 4 ? r->effects[d->risk] : PB_DENY;
	if (d->effect > PB_DENY)
		d->effect = PB_DENY;
}

static void list_matches(const struct decide_match *m, struct decision *d)
{
	uint32_t i;

	d->nmatched = 0;
	for (i = match_next(m, 0); i != NONE; i = match_next(m, i + 1)) {
		if (d->nmatched < DECIDE_MAX_MATCHED)
			d->matched[d->nmatched] = i;
		d->nmatched++;
	}
}

/* Does the soft ask come before the rule that decides so far? */
static bool soft_decides(const struct found *f, const struct decision *d)
{
	if (f->soft == NONE)
		return false;
	if (f->hard == NONE)
		return d->effect <= PB_ASK;
	return d->effect == PB_ALLOW || (d->effect == PB_ASK && f->soft < f->hard);
}

void decide_rules(const struct decide_match *m, enum pb_scalar otherwise, bool rules_only,
		  struct decision *ret)
{
	struct found f = look(m);

	if (f.hard != NONE) {
		by_rule(m, f.hard, f.person, ret);
	} else if (f.base != NONE) {
		by_rule(m, f.base, f.person, ret);
	} else if (rules_only) {
		decide_deny(m->c, otherwise, ret);
		ret->effect = PB_ALLOW;
	} else {
		decide_otherwise(m->c, otherwise, ret);
	}
	if (soft_decides(&f, ret))
		by_rule(m, f.soft, f.person, ret);
}

void decide_combine(const struct decide_match *m, enum pb_scalar otherwise,
		    struct decision *ret)
{
	list_matches(m, ret);
	decide_rules(m, otherwise, false, ret);
}

/* --- scalars ------------------------------------------------------------ */

/* The number of the record that says it in the scope that is asked about. */
static uint32_t record_of(const struct decide_ctx *c, enum pb_scalar s)
{
	const uint32_t first = c->b->rules->scalar_first;
	const uint32_t inside = first + (s == PB_S_COMMAND_OTHERWISE ? PB_S_SANDBOX_OTHERWISE :
					 s == PB_S_COMMAND_OPAQUE    ? PB_S_SANDBOX_OPAQUE :
								       s);

	return c->scope == PB_SANDBOX && (bundle_rule(c->b, inside)->scopes & PB_SANDBOX) ? inside : first + s;
}

const struct pb_rule *decide_scalar(const struct decide_ctx *c, enum pb_scalar s)
{
	if ((uint32_t)s >= c->b->rules->scalar_count)
		return NULL;
	return bundle_rule(c->b, record_of(c, s));
}

void decide_deny(const struct decide_ctx *c, enum pb_scalar s, struct decision *ret)
{
	ret->effect = PB_DENY;
	ret->rule = record_of(c, s);
	ret->needs_person = false;
}
