/* The edits of a pair: what they need, what they do, and whether they mean anything. */
#ifndef TESTS_PROP_PAIR_EDIT_H
#define TESTS_PROP_PAIR_EDIT_H

#include "tests/prop/pair_command.h"
#include "tests/prop/pair_slot.h"

enum pair_edit_kind {
	EDIT_PART, EDIT_NEAR, EDIT_EDGE, EDIT_TURN, EDIT_SCRATCH, EDIT_FLOOR, EDIT_NARROW, EDIT_LEVEL, EDIT_ROLE,
	EDIT_ADD, EDIT_DROP, EDIT_NAMED, EDIT_SHARE, EDIT_EXCEPT, EDIT_DEFAULT, EDIT_SLOT, EDIT_RANK, EDIT_MOVE,
	/* these mean nothing */
	EDIT_SELF, EDIT_TWICE, EDIT_LET, EDIT_AGAIN, EDIT_REASON, EDIT_SWAP, EDIT_BACK
};

struct pair_edit {
	enum pair_edit_kind what;
	enum ir_kind kind;
	enum pair_part part;
	size_t slot;
	char name[48];
};

#define PAIR_MAX_EDITS 320

struct pair_edits {
	size_t n;
	struct pair_edit v[PAIR_MAX_EDITS];
};

/* Is the edit one of what is no rule? */
static inline bool pair_is_of_slots(const struct pair_edit *e)
{
	return e->what == EDIT_SLOT || e->what == EDIT_MOVE || e->what == EDIT_BACK;
}

static inline bool pair_means_nothing(const struct pair_edit *e)
{
	return e->what >= EDIT_SELF;
}

static inline struct pair_edit *pair_edit_add(struct pair_edits *l, enum pair_edit_kind what, enum ir_kind kind)
{
	static const char *const names[] = {
		"part", "set beside it", "edge", "order that counts", "scratch tree", "floor", "narrow level", "level",
		"role", "add", "drop", "block beside any", "limit shared out", "exception and options", "as the default",
		"slot", "rank", "move", "itself", "said twice", "let", "statement again", "because", "order",
		"order of the rest",
	};
	struct pair_edit *e = &l->v[l->n++];

	assert_true(l->n < PAIR_MAX_EDITS);
	*e = (struct pair_edit){ .what = what, .kind = kind };
	snprintf(e->name, sizeof(e->name), "%s.%s", pair_sections[kind].word, names[what]);
	return e;
}

/* Each part of each section, each statement that is no rule, each rewrite. */
static inline void pair_edits_all(struct pair_edits *l)
{
	static const enum pair_edit_kind each[] = {
		EDIT_NEAR, EDIT_TURN, EDIT_SCRATCH, EDIT_FLOOR, EDIT_NARROW, EDIT_LEVEL, EDIT_ROLE, EDIT_ADD, EDIT_DROP, EDIT_NAMED,
		EDIT_SHARE, EDIT_EXCEPT, EDIT_DEFAULT, EDIT_SELF, EDIT_TWICE, EDIT_LET, EDIT_AGAIN, EDIT_REASON, EDIT_SWAP,
	};
	size_t i;

	l->n = 0;
	for (int k = 0; k < IR_KIND_COUNT; k++) {
		for (int p = 0; p < PART_COUNT; p++) {
			struct pair_edit *e;

			if (pair_alts((enum ir_kind)k, (enum pair_part)p) < 2)
				continue;
			e = pair_edit_add(l, EDIT_PART, (enum ir_kind)k);
			e->part = (enum pair_part)p;
			snprintf(e->name, sizeof(e->name), "%s.%s", pair_sections[k].word, pair_part_names[p]);
		}
		for (i = 0; i < POL_LEN(each); i++) {
			if ((each[i] == EDIT_SCRATCH && k != IR_FILE) ||
			    ((each[i] == EDIT_NAMED || each[i] == EDIT_SHARE) && k != IR_NET) ||
			    (each[i] == EDIT_NARROW && k != IR_FILE && k != IR_NET && k != IR_UNIX) ||
			    (each[i] == EDIT_TURN && k != IR_NET && k != IR_SYSCALL) ||
			    ((each[i] == EDIT_EXCEPT || each[i] == EDIT_DEFAULT) && k != IR_COMMAND) ||
			    (each[i] == EDIT_LET && k != IR_COMMAND && k != IR_FILE) ||
			    (each[i] == EDIT_TWICE && k == IR_SYSCALL))
				continue;
			(void)pair_edit_add(l, each[i], (enum ir_kind)k);
		}
	}
	for (i = 0; i < POL_LEN(pair_edges); i++) {
		struct pair_edit *e = pair_edit_add(l, EDIT_EDGE, pair_edges[i].kind);

		e->slot = i;
		snprintf(e->name, sizeof(e->name), "%s.%s", pair_sections[e->kind].word, pair_edges[i].name);
	}
	for (i = 0; i < POL_LEN(pair_ranked); i++) {
		struct pair_edit *e = pair_edit_add(l, EDIT_RANK, IR_COMMAND);

		e->slot = i;
		snprintf(e->name, sizeof(e->name), "rank[%.30s]", pair_ranked[i][0]);
	}
	for (i = 0; i < POL_LEN(slots); i++) {
		struct pair_edit *e = pair_edit_add(l, EDIT_SLOT, IR_COMMAND);

		e->slot = i;
		snprintf(e->name, sizeof(e->name), "%.16s[%.22s]", slots[i].section ? slots[i].section : "",
			 slots[i].text[*slots[i].text[0] ? 0 : 1]);
	}
	for (i = 0; i < POL_LEN(pair_moves); i++) {
		struct pair_edit *e = pair_edit_add(l, EDIT_MOVE, IR_COMMAND);

		e->slot = i;
		snprintf(e->name, sizeof(e->name), "level of a %s", pair_moves[i].name);
	}
	(void)pair_edit_add(l, EDIT_BACK, IR_COMMAND);
}

/* EDIT=TEXT: only edits whose name has the text, for a search; a seed then means another pair. */
static inline void pair_edits_keep(struct pair_edits *l, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; text && i < l->n; i++)
		if (strstr(l->v[i].name, text))
			l->v[n++] = l->v[i];
	if (n)
		l->n = n;
}

/* --- what an edit needs ------------------------------------------------------------------- */

static inline void pair_fit_grant(struct pair_rule *x, enum pair_part p, struct rnd *r)
{
	x->v[PART_EFFECT] = rnd_one_in(r, 3) ? PAIR_ASK : PAIR_ALLOW;
	x->v[PART_SET] = (uint8_t)rnd_below(r, 4);
	x->v[PART_OPS] = p == PART_INJECT ? 1 : (uint8_t)rnd_below(r, 2);
	if (p != PART_INJECT) {
		x->v[PART_INJECT] = 0;
		return;
	}
	x->v[PART_SET] = x->v[PART_SET] == 1 ? 0 : x->v[PART_SET];
	x->v[PART_PORT] = 0;
	x->slot = POL_MANAGED;
}

static inline void pair_fit(struct pair_rule *x, const struct pair_edit *e, struct rnd *r)
{
	if (x->slot == POL_FLOOR)
		x->slot = RND_PICK(r, pair_levels);
	if (x->kind == IR_FILE && x->v[PART_EFFECT] == PAIR_SCRATCH &&
	    !(e->what == EDIT_PART && e->part <= PART_EFFECT))
		x->v[PART_EFFECT] = PAIR_ALLOW;
	if (e->what == EDIT_TWICE && !pair_can_twice(x))
		for (x->v[PART_SET] = 0; !pair_can_twice(x);)
			x->v[PART_SET]++;
	if (e->what == EDIT_SCRATCH) {
		/* what a scratch tree allows, but where the host shows a tree */
		memset(x->v, 0, sizeof(x->v));
		x->v[PART_OPS] = 3;
		x->v[PART_WHEN] = 1;
		x->v[PART_SET] = (uint8_t)rnd_below(r, pair_alts(IR_FILE, PART_SET));
	}
	if (e->what == EDIT_EDGE) {
		const struct pair_edge *edge = &pair_edges[e->slot];

		if (edge->part >= PART_WITHIN)
			pair_fit_grant(x, edge->part, r);
		x->v[PART_EFFECT] = PAIR_ALLOW;
		x->v[PART_EXCEPT] = 0;
		x->v[edge->part] = pair_edge_alt(edge, (int)rnd_below(r, 2));
	}
	if (e->what == EDIT_NAMED) {
		/* an allow of one of the blocks, and nothing else about it */
		memset(x->v, 0, sizeof(x->v));
		x->role = 0;
		do
			x->v[PART_SET] = (uint8_t)rnd_below(r, pair_alts(IR_NET, PART_SET));
		while (strncmp(pair_text_of(x, PART_SET), "10.", 3) != 0);
	}
	if (e->what == EDIT_SHARE) {
		/* two names, and a limit for both together */
		memset(x->v, 0, sizeof(x->v));
		x->role = 0;
		x->slot = POL_MANAGED;
		x->v[PART_SET] = pair_alt(IR_NET, PART_SET, "\"a.example\", \"x\"");
		x->v[rnd_one_in(r, 2) ? PART_BYTES : PART_CONNECTIONS] = 1;
	}
	if (e->what == EDIT_FLOOR || e->what == EDIT_NARROW) {
		x->slot = e->what == EDIT_FLOOR ? POL_BASE : POL_PROJECT;
		x->role = x->v[PART_WHEN] = x->v[PART_UNTIL] = x->v[PART_MAY] = 0;
		x->v[PART_EFFECT] = e->what == EDIT_NARROW ? PAIR_ASK : x->kind == IR_SYSCALL ? 1 : PAIR_DENY;
	}
	/* a limit is the rule's own, so that two halves of a block have two of them */
	if (e->what == EDIT_TWICE && x->kind == IR_NET) {
		x->v[PART_UNTIL] = 0;
		memset(&x->v[PART_WITHIN], 0, PART_COUNT - PART_WITHIN);
	}
	if (e->what == EDIT_LET && !pair_can_let(x))
		for (x->v[PART_SET] = 0; !pair_can_let(x);)
			x->v[PART_SET]++;
	if (e->what != EDIT_PART)
		return;
	if (e->part >= PART_WITHIN)
		pair_fit_grant(x, e->part, r);
	if (e->part == PART_FINAL) {
		x->slot = (enum pol_slot)rnd_below(r, 2);
		x->v[PART_EFFECT] = x->kind == IR_SYSCALL ? x->v[PART_EFFECT] :
				    rnd_one_in(r, 2)	  ? PAIR_ALLOW :
							    PAIR_DENY;
	}
	if (e->part == PART_OPS && x->kind == IR_FILE && x->v[PART_EFFECT] == PAIR_HIDE)
		x->v[PART_EFFECT] = PAIR_DENY;
	if (e->part == PART_MAY)
		x->v[PART_EFFECT] = PAIR_ASK;
	if (e->part == PART_ERR)
		x->v[PART_EFFECT] = 1;
	if (e->part == PART_WHEN && x->kind == IR_SYSCALL)
		x->v[PART_SET] = (uint8_t)rnd_below(r, 3);
}

/* Where the order of rules means something, they are without what it depends on. */
static inline void pair_without_order(struct pair_policy *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		p->rule[i].v[PART_ERR] = p->rule[i].v[PART_MAY] = 0;
		for (int k = PART_PEEK; k < PART_COUNT; k++)
			p->rule[i].v[k] = 0;
	}
}

/* --- the edits ------------------------------------------------------------------------------ */

/* The floor only denies, whoever is asked. */
static inline bool pair_is_for_floor(const struct pair_rule *x)
{
	return x->v[PART_EFFECT] == (x->kind == IR_SYSCALL ? 1 : PAIR_DENY) && !x->role && !x->v[PART_WHEN] &&
	       !x->v[PART_UNTIL];
}

static inline void pair_edit_part(struct rnd *r, struct pair_rule *x, enum pair_part p)
{
	uint8_t old = x->v[p];

	do
		x->v[p] = (uint8_t)pair_other(r, old, pair_alts(x->kind, p));
	while (x->v[p] == old);
}

/* The user allows what the rule matches (to be read): what shows that the rule is another one. */
static inline void pair_allow_too(struct pair_policy *p, uint32_t at)
{
	struct pair_rule x = p->rule[at];

	x.slot = POL_USER;
	x.role = 0;
	memset(x.v, 0, sizeof(x.v));
	x.v[PART_SET] = p->rule[at].v[PART_SET];
	p->rule[p->n++] = x;
}

/* Another set that begins alike: other arguments of a call, another length of a block. */
static inline void pair_edit_near(struct rnd *r, struct pair_rule *x)
{
	uint32_t n = pair_alts(x->kind, PART_SET), at = rnd_below(r, n), i;

	for (i = 0; i < n; i++, at = (at + 1) % n)
		if (at != x->v[PART_SET] &&
		    strncmp(pair_sections[x->kind].alt[PART_SET][at], pair_text_of(x, PART_SET), 3) == 0)
			break;
	x->v[PART_SET] = (uint8_t)at;
}

/* The other of the two texts that the rule has. */
static inline void pair_edit_edge(struct pair_rule *x, const struct pair_edge *e)
{
	x->v[e->part] = pair_edge_alt(e, x->v[e->part] == pair_edge_alt(e, 0));
}

/* One more rule of the same set and level, which differs in what the first of them decides. */
static inline void pair_two_of(struct pair_policy *p, uint32_t at)
{
	struct pair_rule *x = &p->rule[at], *y = &p->rule[p->n++];
	enum pair_part part = x->kind == IR_SYSCALL ? PART_ERR : PART_VIA;

	x->v[PART_UNTIL] = x->v[PART_FINAL] = 0;
	x->v[PART_EFFECT] = x->kind == IR_NET ? PAIR_ALLOW : 1;
	if (x->kind == IR_NET) {
		x->v[PART_INJECT] = 0;
		x->v[PART_OPS] = 1;
	}
	*y = *x;
	x->v[part] = x->kind == IR_NET ? 2 : 1;
	y->v[part] = x->kind == IR_NET ? 3 : 2;
}

/* Both policies let any host out: what the block adds is that somebody named it. */
static inline void pair_any_too(struct pair_policy *p, uint32_t at)
{
	struct pair_rule x = p->rule[at];

	x.v[PART_SET] = 0;
	while (strcmp(pair_text_of(&x, PART_SET), "any") != 0)
		x.v[PART_SET]++;
	p->rule[p->n++] = x;
	p->mode = 0;
}

/* Each name in a statement of its own. */
static inline void pair_share(struct pair_policy *p, uint32_t at)
{
	struct pair_rule *x = &p->rule[at], *y = &p->rule[p->n++];

	*y = *x;
	x->v[PART_SET] = pair_alt(IR_NET, PART_SET, "\"a.example\"");
	y->v[PART_SET] = pair_alt(IR_NET, PART_SET, "\"x\"");
}

/* Makes the policy fit for the edit of its rule *at. */
static inline void pair_prepare(struct rnd *r, const struct pair_edit *e, struct pair_policy *p, uint32_t *at)
{
	if (p->rule[*at].kind != e->kind)
		p->rule[*at] = pair_random_rule(r, e->kind);
	pair_fit(&p->rule[*at], e, r);
	if (e->what == EDIT_SHARE) {
		(void)pair_alone(p, at);
		p->mode = 0;
	}
	if (e->what == EDIT_EXCEPT)
		pair_fit_except(r, p, at);
	if (e->what == EDIT_DEFAULT)
		pair_fit_default(r, p, at);
	if (e->what == EDIT_SWAP)
		pair_without_order(p);
	if (e->what == EDIT_TURN)
		pair_two_of(p, *at);
	if (e->what == EDIT_SCRATCH || e->what == EDIT_FLOOR)
		pair_allow_too(p, *at);
	if (e->what == EDIT_NAMED)
		pair_any_too(p, *at);
	if (e->what == EDIT_RANK) {
		p->ranked = 1 + (uint32_t)e->slot;
		p->ranks = rnd_below(r, 2);
	}
}

/* The edits that are about the policy; false: it is one of a rule. */
static inline bool pair_edit_policy(struct rnd *r, const struct pair_edit *e, struct pair_policy *old,
				    struct pair_policy *new, uint32_t at)
{
	struct pair_rule *x = &new->rule[at];

	switch ((int)e->what) {
	case EDIT_TURN:
		*x = new->rule[new->n - 1];
		new->rule[new->n - 1] = old->rule[at];
		return true;
	case EDIT_ADD:
		new->rule[new->n++] = pair_random_rule(r, e->kind);
		return true;
	case EDIT_RANK:
		new->ranks = !old->ranks;
		return true;
	case EDIT_SHARE:
		pair_share(new, at);
		return true;
	case EDIT_NAMED:
	case EDIT_DEFAULT:
	case EDIT_DROP:
		*x = new->rule[--new->n];
		return true;
	case EDIT_SLOT:
		pair_edit_slot(r, old, new, e->slot);
		return true;
	case EDIT_MOVE:
		pair_edit_move(r, &pair_moves[e->slot], old, new);
		return true;
	case EDIT_SWAP:
		*x = new->rule[0];
		new->rule[0] = old->rule[at];
		return true;
	case EDIT_BACK:
		new->back = true;
		return true;
	default:
		return e->what == EDIT_SELF;
	}
}

static inline void pair_edit_rule(struct rnd *r, const struct pair_edit *e, struct pair_rule *old,
				  struct pair_rule *x)
{
	switch ((int)e->what) {
	case EDIT_PART:
		pair_edit_part(r, x, e->part);
		break;
	case EDIT_LEVEL:
		x->slot = pair_is_for_floor(x) && rnd_one_in(r, 3) ? POL_FLOOR : RND_PICK(r, pair_levels);
		break;
	case EDIT_NEAR:
		pair_edit_near(r, x);
		break;
	case EDIT_EDGE:
		pair_edit_edge(x, &pair_edges[e->slot]);
		break;
	case EDIT_SCRATCH:
		x->v[PART_EFFECT] = PAIR_SCRATCH;
		break;
	case EDIT_FLOOR:
		x->slot = POL_FLOOR;
		break;
	case EDIT_NARROW:
		x->slot = POL_DISCOVERED;
		break;
	case EDIT_ROLE:
		x->role = (uint8_t)pair_other(r, x->role, 3);
		break;
	case EDIT_EXCEPT:
		pair_edit_part(r, x, rnd_one_in(r, 3) ? PART_GUARD : PART_EXCEPT);
		break;
	case EDIT_TWICE:
		x->twice = 1;
		break;
	case EDIT_LET:
		old->let = (uint8_t)rnd_below(r, 2);
		x->let = 2;
		break;
	case EDIT_AGAIN:
		x->again = 1;
		break;
	default:
		x->reason = 1;
		break;
	}
}

/* *new: `old`, edited; both may be made fit for the edit first.  Has the rule an exception? */
static inline bool pair_edit(struct rnd *r, const struct pair_edit *e, struct pair_policy *old,
			     struct pair_policy *new)
{
	uint32_t at = rnd_below(r, old->n);

	pair_prepare(r, e, old, &at);
	*new = *old;
	if (!pair_edit_policy(r, e, old, new, at))
		pair_edit_rule(r, e, &old->rule[at], &new->rule[at]);
	return new->rule[at].v[PART_EXCEPT] != 0;
}

#endif
