/*
 * A random policy as a list of statements, and one edit of it: of any part of a rule, of its
 * level or role, of a statement that is no rule; or a rewrite that means nothing.
 */
#ifndef TESTS_PROP_PAIR_POLICY_H
#define TESTS_PROP_PAIR_POLICY_H

#include "tests/prop/diff_slots.h"
#include "tests/prop/pair_words.h"
#include "tests/prop/random_pol.h"

#define PAIR_MAX 6
#define PAIR_NO_TEXT UINT32_MAX
/* The slot of the network's mode, which is drawn by itself. */
#define PAIR_MODES 3

struct pair_rule {
	enum ir_kind kind;
	enum pol_slot slot;
	uint8_t role; /* 0: it stands in none, else r1 or r2 */
	uint8_t v[PART_COUNT];
	/* how it is written, which means nothing */
	uint8_t let;    /* 0, or which name the set has */
	uint8_t twice;  /* {a|a}, or two halves of a block */
	uint8_t again;  /* the same statement once more */
	uint8_t reason; /* `because` and a name */
};

struct pair_policy {
	uint32_t n, mode;
	const char *role; /* under which the two are compared */
	struct pair_rule rule[PAIR_MAX + 1];
	uint32_t text[POL_LEN(slots)]; /* of each slot, or PAIR_NO_TEXT */
	bool back;                     /* what is no rule is written in the other order */
	uint32_t ranked, ranks;        /* 1 + which of pair_ranked it has, or 0; which text is the managed one */
	uint32_t moved;		       /* 1 + which slot does not stand in the managed file, or 0 */
	enum pol_slot to;	       /* where it stands */
};

static const char *const pair_modes[PAIR_MODES] = { "network limited", "network full", "network disabled" };
static const enum pol_slot pair_levels[] = { POL_MANAGED, POL_MANAGED_FILE, POL_PROJECT, POL_DISCOVERED,
					     POL_USER, POL_BASE };

/* Facts of two levels about one thing: that of the higher level counts. */
static const char *const pair_ranked[][2] = {
	{ "pin gr = \"/usr/bin/gr\"", "pin gr = \"/bin/gr\"" },
	{ "shell posix", "shell bash" },
	{ "shell zsh", "shell bash" },
	{ "wrapper wr { skip 1 }", "wrapper wr { skip 2 }" },
	{ "program pr { options -f }", "program pr { options -f: }" },
};

/* --- which parts of a rule count ------------------------------------------------------- */

static inline const char *pair_text_of(const struct pair_rule *x, enum pair_part p)
{
	return pair_sections[x->kind].alt[p][x->v[p]];
}

static inline bool pair_is_name(const struct pair_rule *x)
{
	return pair_text_of(x, PART_SET)[0] == '"';
}

static inline bool pair_injects(const struct pair_rule *x)
{
	return x->kind == IR_NET && x->v[PART_INJECT] && x->v[PART_EFFECT] != PAIR_DENY &&
	       x->v[PART_OPS] == 1 && pair_is_name(x) && !strchr(pair_text_of(x, PART_SET), '*') &&
	       !x->v[PART_PORT] && x->slot == POL_MANAGED;
}

static inline bool pair_shows_grant(const struct pair_rule *x, enum pair_part p)
{
	bool lets = x->v[PART_EFFECT] != PAIR_DENY, udp = x->v[PART_OPS] == 2;
	bool block = !pair_is_name(x) && strcmp(pair_text_of(x, PART_SET), "any") != 0;

	switch ((int)p) {
	case PART_WITHIN:
		return lets && pair_is_name(x);
	case PART_INJECT:
		return pair_injects(x);
	case PART_PEEK:
		return lets && !udp && !block && !pair_injects(x);
	default:
		return lets && !udp && !pair_injects(x);
	}
}

static inline bool pair_shows(const struct pair_rule *x, enum pair_part p)
{
	bool scratch = x->kind == IR_FILE && x->v[PART_EFFECT] == PAIR_SCRATCH;

	if (scratch)
		return p == PART_EFFECT || p == PART_SET;
	if (p >= PART_WITHIN)
		return x->kind == IR_NET && pair_shows_grant(x, p);
	switch ((int)p) {
	case PART_FINAL:
		return pol_is_managed(x->slot) && (x->kind == IR_SYSCALL || x->v[PART_EFFECT] != PAIR_ASK);
	case PART_OPS:
		return x->kind != IR_FILE || x->v[PART_EFFECT] != PAIR_HIDE;
	case PART_MAY:
		return x->v[PART_EFFECT] == PAIR_ASK;
	case PART_ERR:
		return x->v[PART_EFFECT] == 1; /* of two effects */
	case PART_WHEN:
		return !strstr(pair_text_of(x, PART_SET), " when ");
	default:
		return true;
	}
}

/* --- texts ------------------------------------------------------------------------------ */

/* The set in other words, if there are any. */
static inline bool pair_can_twice(const struct pair_rule *x)
{
	const char *set = pair_text_of(x, PART_SET);

	if (x->kind == IR_COMMAND || x->kind == IR_TOOL)
		return strcmp(set, "\"foo:*\"") == 0 || strcmp(set, "\"foo push:*\"") == 0 ||
		       strcmp(set, "\"a\"") == 0 || strcmp(set, "\"a*\"") == 0;
	if (x->kind == IR_FILE || x->kind == IR_UNIX)
		return strcmp(set, "\"/a/b\"") == 0;
	return x->kind == IR_NET && strcmp(set, "10.1.0.0/16") == 0;
}

static inline const char *pair_set_twice(const struct pair_rule *x)
{
	static const char *const other[][2] = {
		{ "\"foo:*\"", "\"{foo|foo}:*\"" }, { "\"foo push:*\"", "\"foo {push|push}:*\"" },
		{ "\"a\"", "\"{a|a}\"" }, { "\"a*\"", "\"{a|a}*\"" }, { "\"/a/b\"", "\"/a/{b,b}\"" },
		{ "10.1.0.0/16", "10.1.0.0/17, 10.1.128.0/17" },
	};

	for (size_t i = 0; i < POL_LEN(other); i++)
		if (strcmp(pair_text_of(x, PART_SET), other[i][0]) == 0)
			return other[i][1];
	return pair_text_of(x, PART_SET);
}

static inline bool pair_can_let(const struct pair_rule *x)
{
	return x->slot != POL_FLOOR && pair_is_name(x) && !strchr(pair_text_of(x, PART_SET), ',') &&
	       (x->kind == IR_COMMAND || x->kind == IR_FILE);
}

static inline void pair_put_rule(struct buf *b, const struct pair_rule *x, uint32_t i)
{
	const char *let = x->let == 1 ? "q" : x->let == 2 ? "z" : NULL;
	char name[16];
	int p;

	snprintf(name, sizeof(name), "%s%u", let ? let : "", i);
	if (let)
		buf_printf(b, "let %s = %s\n", name, pair_text_of(x, PART_SET));
	if (x->role)
		buf_printf(b, "role r%u { ", x->role);
	buf_printf(b, "%s { ", pair_sections[x->kind].word);
	for (p = 0; p < PART_COUNT; p++) {
		if (!pair_sections[x->kind].alt[p][0] || !pair_shows(x, (enum pair_part)p))
			continue;
		if (p == PART_SET)
			buf_z(b, let ? name : x->twice ? pair_set_twice(x) : pair_text_of(x, PART_SET));
		else
			buf_z(b, pair_text_of(x, (enum pair_part)p));
		/* before what only connections have */
		if (p == PART_MAY && x->reason)
			buf_printf(b, " because \"why %u\"", x->reason);
	}
	buf_z(b, x->role ? " } }\n" : " }\n");
}

static inline bool pair_is_gateway(const struct slot *s)
{
	return s->section && strcmp(s->section, "network") == 0;
}

static inline bool pair_is_mode(const struct slot *s)
{
	return strncmp(s->text[0], "network ", 8) == 0;
}

static inline void pair_put_slot(struct buf *b, const struct pair_policy *p, size_t k)
{
	const char *text = p->text[k] == PAIR_NO_TEXT ? "" : slots[k].text[p->text[k]];

	if (pair_is_mode(&slots[k]))
		buf_printf(b, "%s\n", p->text[k] == PAIR_NO_TEXT ? pair_modes[p->mode] : text);
	else if (slots[k].section && *text)
		buf_printf(b, "%s { %s }\n", slots[k].section, text);
	else if (*text)
		buf_printf(b, "%s\n", text);
}

static inline const char *pair_level_text(struct arena *a, const struct pair_policy *p, enum pol_slot slot)
{
	struct buf b;
	uint32_t i;

	buf_init(&b, a);
	buf_z(&b, slot == POL_FLOOR ? "file { }\n" : "role r1 { }\nrole r2 { }\n");
	if (slot == POL_BASE)
		buf_z(&b, "network disabled\n");
	if (slot == POL_MANAGED) {
		buf_z(&b, "env { secret GW from file \"/gw\"  secret GX from file \"/gx\" }\n");
		for (i = 0; i < POL_LEN(slots); i++) {
			size_t k = p->back ? POL_LEN(slots) - 1 - i : i;

			if (p->moved != k + 1)
				pair_put_slot(&b, p, k);
		}
	}
	if (p->moved && p->to == slot)
		pair_put_slot(&b, p, p->moved - 1);
	if (p->ranked && (slot == POL_MANAGED || slot == POL_USER))
		buf_printf(&b, "command { %s }\n", pair_ranked[p->ranked - 1][p->ranks ^ (slot == POL_USER)]);
	for (i = 0; i < p->n; i++) {
		if (p->rule[i].slot != slot)
			continue;
		pair_put_rule(&b, &p->rule[i], i);
		if (p->rule[i].again) {
			struct pair_rule same = p->rule[i];

			same.let = 0;
			pair_put_rule(&b, &same, i);
		}
	}
	return str_z(a, buf_view(&b));
}

static inline struct pol pair_texts(struct arena *a, const struct pair_policy *p)
{
	struct pol t = { .role = p->role };
	size_t i;

	for (i = 0; i < POL_LEN(pair_levels); i++)
		t.text[pair_levels[i]] = pair_level_text(a, p, pair_levels[i]);
	t.text[POL_FLOOR] = pair_level_text(a, p, POL_FLOOR);
	return t;
}

static inline bool pair_same_texts(const struct pol *x, const struct pol *y)
{
	for (int s = 0; s < POL_SLOTS; s++)
		if (x->text[s] && strcmp(x->text[s], y->text[s]) != 0)
			return false;
	return true;
}

/* --- random policies --------------------------------------------------------------------- */

/* Two thirds of the parts that a rule need not have are not there. */
static inline struct pair_rule pair_random_rule(struct rnd *r, enum ir_kind kind)
{
	struct pair_rule x = { .kind = kind, .slot = RND_PICK(r, pair_levels),
			       .role = rnd_one_in(r, 6) ? (uint8_t)(1 + rnd_below(r, 2)) : 0 };

	for (int p = 0; p < PART_COUNT; p++) {
		uint32_t n = pair_alts(kind, (enum pair_part)p);
		bool may_miss = n && !*pair_sections[kind].alt[p][0];

		if (n && (!may_miss || rnd_one_in(r, 3)))
			x.v[p] = (uint8_t)rnd_below(r, n);
	}
	if (x.v[PART_EFFECT] == PAIR_DENY && kind != IR_SYSCALL && !x.role && rnd_one_in(r, 6))
		x.slot = POL_FLOOR;
	if (x.slot == POL_FLOOR)
		x.v[PART_WHEN] = x.v[PART_UNTIL] = 0;
	return x;
}

static inline struct pair_policy pair_random(struct rnd *r, enum ir_kind kind)
{
	static const char *const roles[] = { NULL, "r1", "r2" };
	struct pair_policy p = { .n = 1 + rnd_below(r, PAIR_MAX - 1), .role = RND_PICK(r, roles),
				 .mode = rnd_one_in(r, 5) ? rnd_below(r, PAIR_MODES) : 0 };
	uint32_t i;

	for (i = 0; i < p.n; i++)
		p.rule[i] = pair_random_rule(r, rnd_one_in(r, 3) ? (enum ir_kind)rnd_below(r, IR_KIND_COUNT) : kind);
	for (i = 0; i < POL_LEN(slots); i++)
		p.text[i] = rnd_one_in(r, 12) && !pair_is_mode(&slots[i]) ?
				    rnd_below(r, texts_of(&slots[i])) : PAIR_NO_TEXT;
	return p;
}

#endif
