/*
 * Decides one simple command in the order of semantics 4.4: the rules, what may be
 * denied, what nobody can look into, and words that spell something denied or hidden.
 */
#include <string.h>

#include "runtime/decide/part.h"
#include "runtime/decide/part_disk.h"
#include "runtime/decide/part_files.h"
#include "runtime/decide/part_hidden.h"
#include "runtime/decide/part_match.h"
#include "runtime/decide/part_word.h"

#define NONE UINT32_MAX

static bool is_command_rule(const struct line_ctx *l, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(l->c->b, rule);

	return r && r->kind == PB_COMMAND;
}

static bool is_denied(const struct line_ctx *l, const struct decision *d)
{
	return d->effect >= PB_DENY && is_command_rule(l, d->rule);
}

/* --- words that spell something ---------------------------------------------------- */

/* The text of a word with 'x' for each part of it that is not literal, or NULL. */
static const char *text_of(struct line_ctx *l, const struct sh_seg *seg)
{
	const struct sh_seg *s;
	char *text, *to;
	size_t n = 1;

	for (s = seg; s; s = s->next)
		n += s->kind == SH_LIT ? s->n : 1;
	text = to = pool_take(&l->pool, n, 1);
	for (s = seg; s && text; s = s->next) {
		if (s->kind == SH_LIT)
			memcpy(to, s->p, s->n);
		else
			*to = 'x';
		to += s->kind == SH_LIT ? s->n : 1;
	}
	if (text)
		*to = '\0';
	return text;
}

/* The words from `from` on as an argv for cmd_from_argv(), or NULL. */
static const char **argv_of(struct line_ctx *l, const struct cmd_part *p, uint32_t from,
			    size_t *ret_bytes)
{
	const char **argv = pool_take(&l->pool, p->nwords - from + 1, sizeof(*argv));
	uint32_t i;

	*ret_bytes = 0;
	for (i = from; i < p->nwords && argv; i++) {
		struct walk_word w;
		const char *text = NULL;

		if (part_word(l, &p->words[i], false, &w))
			text = text_of(l, w.seg);
		if (!text)
			return NULL;
		*ret_bytes += strlen(text) + 1;
		argv[i - from] = text;
	}
	return argv;
}

static uint32_t denied_part(struct line_ctx *l, const struct cmd_part *outer,
			    const struct cmd_part *first)
{
	struct cmd_part p = *first;
	struct part_match m;
	struct decision d;

	p.dirs = outer->dirs;
	p.dirs_unknown = outer->dirs_unknown;
	p.dirs_lost = outer->dirs_lost;
	p.root_lost = outer->root_lost;
	p.flags |= outer->flags & CMD_APPENDS;
	/* of all matching rules, only the rule that denies is reported */
	l->is_tail = true;
	part_match(l, &p, &m);
	l->is_tail = false;
	decision_start(&d, PB_DENY, 1);
	decide_rules(&m.sure, PB_S_COMMAND_OTHERWISE, false, &d);
	return is_denied(l, &d) ? d.rule : NONE;
}

/* Does the table of the program make other commands of its words (`sh -c 'rm x'`)? */
static bool may_hold_commands(const struct line_ctx *l, const struct sh_word *w)
{
	const char *slash = w->seg.n ? memrchr(w->seg.p, '/', w->seg.n) : NULL;
	const char *base = slash ? slash + 1 : w->seg.p;
	const struct line_program *called, *t;
	bool by_pattern;

	if (!sh_is_literal(w) || !w->seg.n)
		return false;
	t = cmd_program_called(l->world.facts, base, w->seg.n - (size_t)(base - w->seg.p), &called,
			       &by_pattern);
	return (called && (by_pattern || called->also.count)) ||
	       (t && ((t->kinds & (LINE_PK_WRAPPER | LINE_PK_INTERPRETER)) ||
		      (t->flags & (LINE_PF_SUBCOMMANDS | LINE_PF_DASHED))));
}

/* The rule that denies all that the words from `from` on, or what they run, may stand for. */
static uint32_t tail_denied(struct line_ctx *l, const struct cmd_part *p, uint32_t from)
{
	struct pool pool = l->pool;
	uint32_t rule = NONE;
	struct cmd_line line;
	const char **argv;
	size_t bytes, size;
	void *block;

	if (!may_hold_commands(l, p->words[from].w) && !part_tail_may_deny(l, p, from))
		return NONE;
	argv = argv_of(l, p, from, &bytes);
	size = argv ? cmd_block_size(bytes) : 0;
	block = argv ? pool_take(&l->pool, size, 1) : NULL;
	if (!block || !part_spend(l, 8 * bytes)) {
		l->work = 0;
	} else {
		cmd_from_argv(&line, block, size, &l->world, argv, p->nwords - from);
		if (line.limit)
			l->work = 0;
		for (const struct cmd_part *t = line.first; t && rule == NONE; t = t->next)
			if (t->kind == CMD_COMMAND)
				rule = denied_part(l, p, t);
	}
	l->pool = pool;
	return rule;
}

static bool is_literal(struct line_ctx *l, const struct cmd_word *word)
{
	struct pool pool = l->pool;
	struct walk_word w;
	bool r = part_word(l, word, false, &w) && w.literal;

	l->pool = pool;
	return r;
}

/* The index from which on all words are literal. */
static uint32_t literal_end(struct line_ctx *l, const struct cmd_part *p)
{
	uint32_t i = p->nwords;

	while (i > 1 && is_literal(l, &p->words[i - 1]))
		i--;
	return i;
}

/*
 * The rule that denies what the words from some place on spell, all of them literal; with
 * `literal_name` it is enough that the first of them is.
 */
static uint32_t any_tail_denied(struct line_ctx *l, const struct cmd_part *p, bool literal_name)
{
	uint32_t rule = NONE, i;

	for (i = literal_name ? 1 : literal_end(l, p); i < p->nwords && rule == NONE; i++) {
		if (literal_name && !is_literal(l, &p->words[i]))
			continue;
		if (!part_spend(l, 24 + p->words[i].w->seg.n))
			return NONE;
		rule = tail_denied(l, p, i);
	}
	return rule;
}

/* --- the decision ---------------------------------------------------------------------- */

struct deciding {
	struct line_ctx *l;
	struct cmd_part *p;
	struct part_match m;
	struct decision d;
};

/* Step 3: the stricter of the decision so far and `opaque`. */
static void at_least_opaque(struct deciding *x, enum decide_step step)
{
	const struct pb_rule *s = decide_scalar(x->l->c, PB_S_COMMAND_OPAQUE);
	uint8_t effect = s ? s->effect : PB_DENY;

	if (effect > x->d.effect) {
		decide_deny(x->l->c, PB_S_COMMAND_OPAQUE, &x->d);
		x->d.effect = effect > PB_DENY ? PB_DENY : effect;
		x->p->step = (uint8_t)step;
	}
	/* every ask must be answered, and this one needs a person */
	if (effect == PB_ASK && x->d.effect == PB_ASK)
		x->d.needs_person = true;
}

/* Does an allow rule cover the whole command, with the levels taken into account? */
static bool is_allowed(const struct deciding *x)
{
	struct decide_match only;
	struct decision d;
	uint32_t i;

	match_init(&only, x->l->c, PB_COMMAND, 0);
	for (i = match_next(&x->m.sure, 0); i != NONE; i = match_next(&x->m.sure, i + 1))
		if (bundle_rule(x->l->c->b, i)->effect == PB_ALLOW)
			bits_add(&only.in, i);
	decision_start(&d, PB_DENY, 1);
	decide_rules(&only, PB_S_COMMAND_OTHERWISE, false, &d);
	return d.effect == PB_ALLOW && is_command_rule(x->l, d.rule);
}

static void decide_opaque(struct deciding *x)
{
	uint32_t flags = x->p->flags;

	if (x->m.may_deny) {
		struct decision may;

		decision_start(&may, PB_DENY, x->d.risk);
		decide_rules(&x->m.more, PB_S_COMMAND_OTHERWISE, false, &may);
		if (is_denied(x->l, &may))
			at_least_opaque(x, DECIDE_MAY_DENY);
	}
	if ((flags & CMD_OPAQUE) ||
	    ((flags & CMD_OPAQUE_CODE) &&
	     !((flags & CMD_INTERPRETER) && is_allowed(x)) &&
	     !((flags & CMD_REMOTE) && x->p->shell->allowed_by_rule)))
		at_least_opaque(x, DECIDE_OPAQUE);
}

static void at_least_ask(struct deciding *x, enum decide_step step, uint32_t because)
{
	x->d.effect = PB_ASK;
	x->d.rule = because;
	x->p->step = (uint8_t)step;
	part_see(x->l, because);
}

/* Is an allow or ask rule about this command? */
static bool is_known(const struct deciding *x)
{
	uint32_t i;

	for (i = match_next(&x->m.sure, 0); i != NONE; i = match_next(&x->m.sure, i + 1))
		if (bundle_rule(x->l->c->b, i)->effect <= PB_ASK)
			return true;
	return false;
}

/* No kernel layer enforces the decision afterwards. */
static bool stands_alone(const struct deciding *x)
{
	return x->l->c->scope == PB_HOST && !(x->p->flags & CMD_REMOTE);
}

/* For a command that would be allowed: looks at the paths that its literal words name. */
static void decide_named(struct deciding *x)
{
	const struct pb_rule *r = bundle_rule(x->l->c->b, x->d.rule);
	bool undecided = false;
	uint32_t by;

	if (x->d.effect != PB_ALLOW || x->m.inert)
		return;
	if (r && r->kind == PB_COMMAND && (r->flags & PB_F_FINAL))
		return;
	by = part_hidden(x->l, x->p, false);
	if (by != NONE) {
		at_least_ask(x, DECIDE_HIDDEN, by);
		return;
	}
	if (!stands_alone(x))
		return;
	by = part_holds(x->l, x->p, false);
	if (by != NONE) {
		at_least_ask(x, DECIDE_HOLDS, by);
		return;
	}
	if (part_asks_reading(x->l)) {
		by = part_asked(x->l, x->p, &x->d.needs_person);
		if (by == NONE)
			by = part_holds(x->l, x->p, true);
		if (by != NONE) {
			at_least_ask(x, DECIDE_MAY_READ, by);
			return;
		}
	}
	by = part_may_write(x->l, x->p);
	if (by == NONE)
		by = part_on_disk(x->l, x->p, &undecided);
	if (by != NONE)
		at_least_ask(x, DECIDE_MAY_WRITE, by);
	if (undecided) {
		x->p->opaque = CMD_TOO_MUCH;
		at_least_opaque(x, DECIDE_OPAQUE);
	}
}

/* The same, and first at commands that its words spell. */
static void decide_spelled(struct deciding *x)
{
	uint32_t by = NONE;

	if (x->d.effect == PB_ALLOW && !x->m.inert && !(x->p->flags & CMD_TABLED) &&
	    !is_known(x))
		by = any_tail_denied(x->l, x->p, true);
	if (by != NONE)
		at_least_ask(x, DECIDE_SPELLS, by);
	else
		decide_named(x);
}

/* Allowed by a final command rule, or its operands do nothing. */
static bool is_exempt(const struct deciding *x)
{
	const struct pb_rule *r = bundle_rule(x->l->c->b, x->d.rule);

	return x->m.inert || (x->d.effect == PB_ALLOW && r && r->kind == PB_COMMAND &&
			      (r->flags & PB_F_FINAL));
}

/* Does some rule keep a file from being read? */
static bool keeps_secrets(const struct line_ctx *l)
{
	for (uint32_t i = 0; i < l->c->b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(l->c->b, i);

		if (r->kind == PB_FILE && (r->scopes & l->c->scope) && part_is_secret(r))
			return true;
	}
	return false;
}

/* Decides the files that the command reads and writes, as its table says. */
static void decide_files(struct deciding *x)
{
	struct decision d;
	uint32_t by = NONE;

	if (x->p->flags & CMD_REMOTE)
		return;
	if (part_writes(x->l, x->p, &d)) {
		if (d.effect > x->d.effect) {
			x->d.effect = d.effect;
			x->d.rule = d.rule;
			x->d.needs_person = false;
			x->p->step = DECIDE_WRITES;
			part_see(x->l, d.rule);
		}
		x->d.needs_person |= x->d.effect == PB_ASK && d.effect == PB_ASK &&
				     d.needs_person;
	}
	if (x->d.effect >= PB_DENY || !stands_alone(x) || is_exempt(x))
		return;
	if ((x->p->flags & CMD_OPAQUE_PATH) || ((x->p->flags & CMD_OPAQUE_READ) && keeps_secrets(x->l)))
		at_least_opaque(x, DECIDE_OPAQUE);
	by = part_hidden(x->l, x->p, true);
	if (by == NONE)
		return;
	x->d.effect = PB_DENY;
	x->d.rule = by;
	x->d.needs_person = false;
	x->p->step = DECIDE_READS;
	part_see(x->l, by);
}

/*
 * The command is asked about because no rule allows it, or because it holds code that
 * only an allow rule covers: would it pass if a rule allowed it? The decision is in *x no
 * more.
 */
static bool would_pass(struct deciding *x)
{
	const struct pb_rule *r = bundle_rule(x->l->c->b, x->d.rule);
	uint32_t flags = x->p->flags;
	uint64_t work = x->l->work;
	uint8_t step = x->p->step;

	if (x->d.effect != PB_ASK || !r || r->kind != PB_SCALAR || x->m.may_deny || !work ||
	    (flags & (CMD_OPAQUE | CMD_VOID | CMD_LOST | CMD_ALTERNATIVE | CMD_REMOTE)) ||
	    ((flags & CMD_OPAQUE_CODE) && !(flags & CMD_INTERPRETER)))
		return false;
	x->l->is_trial = true;
	x->l->work = x->l->trial_work;
	x->d.effect = PB_ALLOW;
	x->d.rule = NONE;
	x->d.needs_person = false;
	decide_files(x);
	decide_named(x);
	x->l->is_trial = false;
	x->l->trial_work = x->l->work;
	x->l->work = work;
	x->p->step = step;
	return x->d.effect == PB_ALLOW && x->l->trial_work;
}

/* Steps 1 and 2. */
static void ask_rules(struct deciding *x)
{
	struct cmd_part *p = x->p;
	bool transparent = p->flags & CMD_TRANSPARENT;

	bool silent = transparent || (p->shell && p->shell->allowed_by_rule);

	decide_rules(&x->m.sure, PB_S_COMMAND_OTHERWISE, silent, &x->d);
	if (silent && x->d.effect == PB_ALLOW && !is_command_rule(x->l, x->d.rule))
		p->step = transparent ? DECIDE_TRANSPARENT : DECIDE_SHELL_CODE;
	p->allowed_by_rule = x->d.effect == PB_ALLOW && is_command_rule(x->l, x->d.rule);
}

void part_decide(struct line_ctx *l, struct cmd_part *p, struct decision *ret)
{
	struct deciding x; /* not cleared, as its sets are large */
	uint32_t lost = NONE;

	x.l = l;
	x.p = p;
	part_match(l, p, &x.m);
	x.m.inert &= !(p->flags & CMD_HANDS_ON);
	decision_start(&x.d, PB_DENY, x.m.risk);
	p->step = DECIDE_RULES;
	ask_rules(&x);
	if (!is_denied(l, &x.d) && (p->flags & CMD_LOST))
		lost = any_tail_denied(l, p, false);
	if (lost != NONE) {
		x.d.effect = PB_DENY;
		x.d.rule = lost;
		x.d.needs_person = false;
		p->step = DECIDE_LOST;
		part_see(l, lost);
	} else if (!is_denied(l, &x.d)) {
		decide_opaque(&x);
		decide_files(&x);
		decide_spelled(&x);
	}
	memcpy(ret, &x.d, offsetof(struct decision, matched));
	p->would_pass = would_pass(&x);
}
