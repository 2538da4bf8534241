/*
 * Decides what one simple command gets, in the order of doc/semantics.md 4.4: the
 * rules, rules that may deny it, what we cannot see into, and words that name something
 * denied or hidden.
 */
#include <limits.h>

#include "compiler/eval/disk.h"
#include "compiler/eval/files.h"
#include "compiler/eval/index.h"
#include "compiler/eval/levels.h"
#include "compiler/eval/match_command.h"
#include "compiler/eval/match_word.h"
#include "compiler/eval/part.h"

static const char *const step_names[] = {
	[EVAL_PS_RULES] = "rules",
	[EVAL_PS_TRANSPARENT] = "transparent wrapper",
	[EVAL_PS_SHELL_CODE] = "code of an allowed shell",
	[EVAL_PS_LOST] = "lost command",
	[EVAL_PS_MAY_DENY] = "may be denied",
	[EVAL_PS_OPAQUE] = "opaque",
	[EVAL_PS_SPELLS] = "spells a denied command",
	[EVAL_PS_HIDDEN] = "names a hidden path",
	[EVAL_PS_HOLDS] = "may read a hidden path",
	[EVAL_PS_READS] = "reads a hidden path",
	[EVAL_PS_WRITES] = "writes",
	[EVAL_PS_MAY_WRITE] = "may write",
	[EVAL_PS_MAY_READ] = "may read what is asked about",
	[EVAL_PS_TARGET] = "target",
	[EVAL_PS_NO_TARGET] = "unknown target",
	[EVAL_PS_SANDBOX] = "left to the sandbox",
	[EVAL_PS_UNPARSED] = "unparsed",
};

const char *eval_part_step_name(enum eval_part_step s)
{
	return s < EVAL_PS_COUNT ? step_names[s] : "?";
}

/* --- which rules match -------------------------------------------------------------- */

static struct eval_match in_set(const struct eval_asked *q, const struct ir_set *set,
			      const struct ir_set *except, size_t nexcept,
			      enum eval_side side)
{
	struct eval_match m = eval_match_command(q, &set->u.command, side);
	size_t i;

	for (i = 0; i < nexcept && m.may; i++) {
		struct eval_match e = eval_match_command(q, &except[i].u.command,
						     side == EVAL_BROAD ? EVAL_NARROW :
									EVAL_BROAD);

		m.may &= !e.must;
		m.must &= !e.may;
	}
	m.must &= m.may;
	return m;
}

struct eval_match eval_rule_on_part(const struct eval_asked *q, const struct ir_rule *r)
{
	struct eval_match none = { false, false };

	if (r->kind != IR_COMMAND || !(r->scopes & (unsigned)q->req->scope))
		return none;
	return in_set(q, &r->set, r->except, r->nexcept,
		      r->effect == IR_ALLOW ? EVAL_NARROW : EVAL_BROAD);
}

static void find_rules(const struct eval_asked *q, struct arena *a,
		       struct eval_part_decision *p)
{
	struct eval_few few = eval_few_commands(q, a);
	size_t i;

	p->rules = arena_array(a, few.n + 1, sizeof(*p->rules));
	for (i = 0; i < few.n; i++) {
		const struct ir_rule *r = q->ir->rules.v[eval_few_at(&few, i)];
		struct eval_match m = eval_rule_on_part(q, r);

		if (m.may)
			p->rules[p->nrules++] = (struct eval_part_rule){ r, m.must };
	}
}

/*
 * Does the rule count, by 4.4?  An allow must match every value, an ask some value; a
 * deny must match every value, or some value if `may_deny`.
 */
static bool counts(const struct eval_part_rule *r, bool may_deny)
{
	switch (r->rule->effect) {
	case IR_ALLOW:
		return r->must;
	case IR_ASK:
		return true;
	case IR_DENY:
	case IR_HIDE:
	case IR_EFFECT_COUNT:
		break;
	}
	return r->must || may_deny;
}

static void decide_rules(const struct eval_asked *q, struct arena *a,
			 const struct eval_part_decision *p, bool may_deny, bool otherwise,
			 struct eval_decision *d)
{
	size_t i;

	d->matched = arena_array(a, p->nrules + 1, sizeof(*d->matched));
	d->nmatched = 0;
	for (i = 0; i < p->nrules; i++)
		if (counts(&p->rules[i], may_deny))
			d->matched[d->nmatched++] = p->rules[i].rule;
	eval_by_levels(q->ir, q->req, otherwise, d);
}

static bool is_denied(const struct eval_decision *d)
{
	return d->rule && d->effect >= IR_DENY;
}

/* --- facts ----------------------------------------------------------------------------- */

static void classify(const struct eval_asked *q, struct arena *a, struct eval_decision *d)
{
	struct eval_few few = eval_few_risks(q, a);
	size_t i;

	d->risk = IR_RISK_MEDIUM;
	d->risk_fact = NULL;
	for (i = 0; i < few.n; i++) {
		const struct ir_risk_fact *f = &q->ir->risks.v[eval_few_at(&few, i)];
		bool low = f->risk == IR_RISK_LOW;
		struct eval_match m;

		if (f->kind != IR_COMMAND || (d->risk_fact && f->risk <= d->risk))
			continue;
		m = in_set(q, &f->set, f->except, f->nexcept, low ? EVAL_NARROW : EVAL_BROAD);
		if (low ? m.must : m.may) {
			d->risk = f->risk;
			d->risk_fact = f;
		}
	}
}

static bool is_inert(const struct eval_asked *q, struct arena *a)
{
	struct eval_few few = eval_few_inert(q, a);
	size_t i;

	for (i = 0; i < few.n; i++) {
		const struct ir_inert *f = &q->ir->inert.v[eval_few_at(&few, i)];

		if (in_set(q, &f->set, f->except, f->nexcept, EVAL_NARROW).must)
			return true;
	}
	return false;
}

/* --- words that spell something -------------------------------------------------------- */

/*
 * The text of one of the last words of a command.  Each part of the word that is not literal is written as 'x', as
 * if it were plain text: `./wrap rm "$x"` spells what `./wrap rm x` does.
 */
static const char *tail_word(const struct eval_asked *q, const struct cmd_word *word, struct arena *a)
{
	struct str text;
	struct buf b;

	if (eval_word_text(q, word, a, &text))
		return str_z(a, text);
	buf_init(&b, a);
	for (const struct sh_seg *s = &word->w->seg; s; s = s->next) {
		if (s->kind == SH_LIT)
			buf_add(&b, s->p, s->n);
		else if (s->kind == SH_HOME && q->world->home)
			buf_z(&b, q->world->home);
		else
			buf_ch(&b, 'x');
	}
	return str_z(a, buf_view(&b));
}

/* The commands of the words from `from` on, the first one and those that it runs. */
static const struct cmd_part *tail_parts(const struct eval_asked *q, uint32_t from,
					 struct arena *a)
{
	const struct cmd_part *p = q->part;
	uint32_t n = p->nwords - from, i;
	const char **argv = arena_array(a, n + 1, sizeof(*argv));
	struct cmd_line line;
	size_t size, bytes = 0;

	for (i = 0; i < n; i++) {
		argv[i] = tail_word(q, &p->words[from + i], a);
		bytes += strlen(argv[i]) + 1;
	}
	size = cmd_block_size(bytes);
	cmd_from_argv(&line, arena_alloc(a, size), size, q->world, argv, n);
	return line.first;
}

/* The rule that denies every value of this command, one of the words of `q`. */
static const struct ir_rule *tail_part_denied(const struct eval_asked *q, struct arena *a,
					      const struct cmd_part *of)
{
	struct eval_part_decision t = { .part = NULL };
	const struct cmd_part *p = q->part;
	struct eval_asked tail = *q;
	struct cmd_part part = *of;

	part.dirs = p->dirs;
	part.dirs_unknown = p->dirs_unknown;
	part.dirs_lost = p->dirs_lost;
	part.root_lost = p->root_lost;
	part.flags |= p->flags & CMD_APPENDS;
	tail.part = &part;
	find_rules(&tail, a, &t);
	decide_rules(&tail, a, &t, false, true, &t.d);
	return is_denied(&t.d) ? t.d.rule : NULL;
}

/* The rule that denies all that the words from `from` on, or what they run, may stand for. */
static const struct ir_rule *tail_denied(const struct eval_asked *q, uint32_t from)
{
	const struct ir_rule *by = NULL;
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (const struct cmd_part *p = tail_parts(q, from, &a); p && !by; p = p->next)
		if (p->kind == CMD_COMMAND)
			by = tail_part_denied(q, &a, p);
	arena_release(&a);
	return by;
}

static bool is_literal_word(const struct eval_asked *q, uint32_t i)
{
	struct str text;
	struct arena a;
	bool is;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	is = eval_word_text(q, &q->part->words[i], &a, &text);
	arena_release(&a);
	return is;
}

/*
 * The rule that denies what the words from some place on spell, all of them literal; with
 * `literal_name` it is enough that the first of them is.
 */
static const struct ir_rule *any_tail_denied(const struct eval_asked *q, bool literal_name, uint32_t *ret_word)
{
	const struct ir_rule *by = NULL;
	uint32_t first = 1, i;

	for (i = 1; i < q->part->nwords && !literal_name; i++)
		if (!is_literal_word(q, i))
			first = i + 1;
	for (i = first; i < q->part->nwords && !by; i++) {
		if (!is_literal_word(q, i))
			continue;
		by = tail_denied(q, i);
		*ret_word = i;
	}
	return by;
}

/* --- the decision ------------------------------------------------------------------------ */

/* Step 3: makes the decision at least as strict as `opaque`. */
static void at_least_opaque(const struct eval_asked *q, struct eval_part_decision *p,
			    enum eval_part_step step, const struct ir_rule *because)
{
	const enum ir_scalar_id id = ir_scalar_in(q->ir, IR_S_COMMAND_OPAQUE, q->req->scope);
	const struct ir_scalar *s = &q->ir->scalars[id];

	if (s->effect > p->d.effect) {
		p->d.effect = s->effect;
		p->d.rule = NULL;
		p->d.scalar = id;
		p->d.step = EVAL_STEP_OPAQUE;
		p->d.needs_person = false;
		p->step = step;
		p->because = because;
	}
	/* every ask must be answered, and this one only a person can answer */
	if (s->effect == IR_ASK && p->d.effect == IR_ASK)
		p->d.needs_person = true;
}

static void at_least_ask(struct eval_part_decision *p, enum eval_part_step step,
			 const struct ir_rule *because, uint32_t word)
{
	p->d.effect = IR_ASK;
	p->d.rule = because;
	p->step = step;
	p->because = because;
	p->word = word;
}

/* Does an allow rule that matches every value decide, once levels are counted? */
static bool is_allowed(const struct eval_asked *q, struct arena *a,
		       const struct eval_part_decision *p)
{
	struct eval_part_decision only = { .rules = arena_array(a, p->nrules + 1,
							      sizeof(*p->rules)) };
	size_t i;

	for (i = 0; i < p->nrules; i++)
		if (p->rules[i].rule->effect == IR_ALLOW)
			only.rules[only.nrules++] = p->rules[i];
	decide_rules(q, a, &only, false, true, &only.d);
	return only.d.rule && only.d.effect == IR_ALLOW;
}

static void decide_opaque(const struct eval_asked *q, struct arena *a,
			  struct eval_part_decision *p)
{
	struct eval_decision may = p->d;
	uint32_t flags = q->part->flags;

	decide_rules(q, a, p, true, true, &may);
	if (is_denied(&may))
		at_least_opaque(q, p, EVAL_PS_MAY_DENY, may.rule);
	if (flags & CMD_OPAQUE)
		at_least_opaque(q, p, EVAL_PS_OPAQUE, NULL);
	else if ((flags & CMD_OPAQUE_CODE) &&
		 !((flags & CMD_INTERPRETER) && is_allowed(q, a, p)) &&
		 !((flags & CMD_REMOTE) && q->part->shell->allowed_by_rule))
		at_least_opaque(q, p, EVAL_PS_OPAQUE, NULL);
}

/* Does an allow or ask rule match it? */
static bool is_known(const struct eval_part_decision *p)
{
	size_t i;

	for (i = 0; i < p->nrules; i++)
		if (p->rules[i].rule->effect <= IR_ASK && counts(&p->rules[i], false))
			return true;
	return false;
}

/* Is this decision the only protection, with no layer of the kernel behind it? */
static bool stands_alone(const struct eval_asked *q)
{
	return q->req->scope == IR_HOST && !(q->part->flags & CMD_REMOTE);
}

/*
 * If the command would be allowed: do its words spell something denied, or name something
 * hidden?
 */
static void decide_words(const struct eval_asked *q, struct eval_part_decision *p)
{
	bool undecided = false;
	const struct ir_rule *by;
	uint32_t word = 0;

	if (p->d.effect != IR_ALLOW || p->inert)
		return;
	if (!(q->part->flags & CMD_TABLED) && !is_known(p)) {
		by = any_tail_denied(q, true, &word);
		if (by) {
			at_least_ask(p, EVAL_PS_SPELLS, by, word);
			return;
		}
	}
	if (p->d.rule && p->d.rule->final)
		return;
	by = eval_part_hidden(q, false, &word);
	if (by) {
		at_least_ask(p, EVAL_PS_HIDDEN, by, word);
		return;
	}
	if (!stands_alone(q))
		return;
	by = eval_part_holds(q, false);
	if (by) {
		at_least_ask(p, EVAL_PS_HOLDS, by, 0);
		return;
	}
	by = eval_part_asked(q, &word, &p->d.needs_person);
	if (!by)
		by = eval_part_holds(q, true);
	if (by) {
		at_least_ask(p, EVAL_PS_MAY_READ, by, word);
		return;
	}
	by = eval_part_may_write(q, &word);
	if (!by)
		by = eval_part_on_disk(q, &word, &undecided);
	if (by)
		at_least_ask(p, EVAL_PS_MAY_WRITE, by, word);
	if (undecided) {
		p->too_much = true;
		at_least_opaque(q, p, EVAL_PS_OPAQUE, NULL);
	}
}

/* Does some rule keep a file from being read? */
static bool keeps_secrets(const struct eval_asked *q)
{
	for (size_t i = 0; i < q->ir->rules.n; i++) {
		const struct ir_rule *r = q->ir->rules.v[i];

		if (r->kind == IR_FILE && (r->scopes & (unsigned)q->req->scope) &&
		    (r->effect == IR_HIDE || (r->effect == IR_DENY && (r->set.u.file.ops & IR_READ))))
			return true;
	}
	return false;
}

/* Decides about the files that the program's table says it reads and writes. */
static void decide_files(const struct eval_asked *q, struct arena *a, struct eval_part_decision *p)
{
	bool exempt = p->inert ||
		      (p->d.effect == IR_ALLOW && p->d.rule && p->d.rule->final);
	const struct ir_rule *by;
	struct eval_decision d;

	if (q->part->flags & CMD_REMOTE)
		return;
	if (eval_part_writes(q, a, &d)) {
		bool person = d.effect == IR_ASK && d.needs_person;

		if (d.effect > p->d.effect) {
			p->d.effect = d.effect;
			p->d.rule = p->because = d.rule;
			p->d.needs_person = false;
			p->step = EVAL_PS_WRITES;
		}
		p->d.needs_person |= p->d.effect == IR_ASK && person;
	}
	if (p->d.effect >= IR_DENY || !stands_alone(q) || exempt)
		return;
	if ((q->part->flags & CMD_OPAQUE_PATH) ||
	    ((q->part->flags & CMD_OPAQUE_READ) && keeps_secrets(q)))
		at_least_opaque(q, p, EVAL_PS_OPAQUE, NULL);
	by = eval_part_hidden(q, true, &p->word);
	if (!by)
		return;
	p->d.effect = IR_DENY;
	p->d.rule = p->because = by;
	p->d.needs_person = false;
	p->step = EVAL_PS_READS;
}

void eval_decide_part(const struct eval_asked *q, struct arena *a, struct eval_part_decision *ret)
{
	const struct cmd_part *part = q->part;
	bool transparent = part->flags & CMD_TRANSPARENT;
	bool in_shell = part->shell && part->shell->allowed_by_rule;
	struct eval_part_decision p = { .part = part };
	const struct ir_rule *lost = NULL;

	find_rules(q, a, &p);
	classify(q, a, &p.d);
	p.inert = is_inert(q, a) && !(part->flags & CMD_HANDS_ON);
	decide_rules(q, a, &p, false, !transparent && !in_shell, &p.d);
	p.allowed_by_rule = p.d.rule && p.d.effect == IR_ALLOW;
	if (!p.d.rule && p.d.effect == IR_ALLOW && (transparent || in_shell))
		p.step = transparent ? EVAL_PS_TRANSPARENT : EVAL_PS_SHELL_CODE;
	if (!is_denied(&p.d) && (part->flags & CMD_LOST))
		lost = any_tail_denied(q, false, &p.word);
	if (lost) {
		p.d.effect = IR_DENY;
		p.d.rule = p.because = lost;
		p.d.needs_person = false;
		p.step = EVAL_PS_LOST;
	} else if (!is_denied(&p.d)) {
		decide_opaque(q, a, &p);
		decide_files(q, a, &p);
		decide_words(q, &p);
	}
	*ret = p;
}
