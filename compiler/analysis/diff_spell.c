/*
 * The evaluator looks further at the words of a command that no rule allows: they may
 * spell a command that a rule denies, or name a denied path.  These lines have such words,
 * and such commands as words.
 */
#include "compiler/analysis/diff_spell.h"

#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_line.h"
#include "compiler/analysis/diff_word.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/tabled.h"
#include "compiler/ir/texts.h"

/* How many rules of each policy are spelled. */
#define MAX_SPELLED 24
/* Limits for the question whether a pattern matches a shell; past them it may. */
#define MAX_MEET_STATES 4096
#define MAX_MEET_WORK ((size_t)1000 * 1000)

/* --- lines with more words ------------------------------------------------------------- */

struct asking {
	struct diff *d;
	struct arena *a;
	const struct diff_item *it;
	struct diff_told *told;
};

static bool is_enough(const struct asking *k)
{
	return diff_told_enough(k->it, k->told);
}

/* Asks about the words of the request, with `n` others before or behind them. */
static void ask(struct asking *k, const struct ir_request *req, const struct str *more,
		size_t n, bool before)
{
	struct ir_request q = *req;

	q.nargv = req->nargv + n;
	q.argv = arena_array(k->a, q.nargv + 1, sizeof(*q.argv));
	memcpy(q.argv + (before ? n : 0), req->argv, req->nargv * sizeof(*q.argv));
	memcpy(q.argv + (before ? 0 : req->nargv), more, n * sizeof(*more));
	(void)diff_ask(k->d, NULL, &q, diff_scopes(k->it), k->a, k->told);
}

/* --- an allowed command, and words that are denied --------------------------------------- */

static bool denies(const struct asking *k, const struct ir_rule *r)
{
	if (r->kind == IR_COMMAND)
		return r->effect == IR_DENY;
	/* a final allow exempts from looking at paths */
	return k->told->final_apart && r->kind == IR_FILE && r->effect >= IR_DENY;
}

/* The words of a denied command, or a denied path; 0 if they cannot be spelled. */
static size_t spell(const struct asking *k, const struct ir_rule *r, struct str *ret)
{
	if (r->kind == IR_COMMAND)
		return diff_line_member(k->a, &r->set.u.command, ret);
	return diff_line_path(k->d, k->a, &r->set.u.file.path, &ret[0]);
}

/* True if nothing is denied that the words could spell. */
static bool ask_allowed(struct asking *k)
{
	struct str words[DIFF_LINE_WORDS];
	bool any = false;
	size_t i, n, count;
	int s;

	for (s = 0; s < 2; s++) {
		const struct ir *ir = k->d->ir[s];

		for (i = count = 0; i < ir->rules.n && !is_enough(k); i++) {
			if (!denies(k, ir->rules.v[i]))
				continue;
			any = true;
			if (!k->told->has_alike[IR_ALLOW] || count++ >= MAX_SPELLED)
				continue;
			n = spell(k, ir->rules.v[i], words);
			if (n)
				ask(k, &k->told->alike[IR_ALLOW], words, n, false);
		}
	}
	return !any;
}

static struct str first_word(struct str name)
{
	size_t n = 0;

	while (n < name.n && name.p[n] != ' ')
		n++;
	return str_sub(name, 0, n);
}

/* --- a command that is not allowed as the words of another one ------------------------------ */

/* The word of the pattern, if it is one text and surely no option; else NULL. */
static struct str operand_of(const struct ir_command *c, size_t i, struct arena *a)
{
	const struct ir_glob *g = i < c->nwords ? &c->words[i].glob : NULL;
	struct str text;
	bool whole;

	if (!g || c->regex || c->words[i].any_words || !g->n)
		return STR_NULL;
	text = ir_glob_lead(a, g, &whole);
	return whole && text.p[0] != '-' && text.p[0] != '+' ? text : STR_NULL;
}

/* A shell, or a wrapper that covers its command? */
static bool covers(const struct ir *ir, struct str name)
{
	enum eval_runner runs = eval_tabled_runs(ir, name);

	return runs == EVAL_RUNS_TEXT || runs == EVAL_RUNS_AWAY;
}

/*
 * May the command begin like this program of a table, which runs others as a shell does, or
 * elsewhere?  To a shell a first operand is a script, and no code of the line; and where a
 * subcommand runs others, another one does not.
 */
static bool may_be(const struct ir *ir, struct str table, struct str base, struct str operand)
{
	struct str first = first_word(table), sub;

	if (!covers(ir, table) || !str_eq(first, base))
		return false;
	if (!operand.n)
		return true;
	if (first.n == table.n)
		return eval_tabled_runs(ir, table) != EVAL_RUNS_TEXT;
	sub = str_sub(table, first.n + 1, table.n - first.n - 1);
	return str_eq(first_word(sub), operand);
}

static bool may_be_any(const struct ir *ir, struct str base, struct str operand)
{
	size_t i;

	for (i = 0; i < eval_tabled_count(ir); i++)
		if (may_be(ir, eval_tabled_name(ir, i), base, operand))
			return true;
	return false;
}

/* The word lists whose program is one of those. */
static struct set_re *all_others(const struct ir *ir, struct arena *a)
{
	size_t i, n = 0, count = eval_tabled_count(ir);
	struct set_re **v = arena_array(a, count + 1, sizeof(struct set_re *));
	struct set_bytes any = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	for (i = 0; i < count; i++)
		if (may_be(ir, eval_tabled_name(ir, i), first_word(eval_tabled_name(ir, i)),
			   STR_NULL))
			v[n++] = set_lit(a, first_word(eval_tabled_name(ir, i)));
	return set_cat(a, set_or_all(a, v, n),
		       set_cat(a, set_byte(a, 0), set_star(a, set_class(a, any))));
}

/* A pattern for several programs: may it match one of those? */
static bool meets_others(struct diff *d, const struct ir *ir, struct diff_item *it)
{
	struct set_tagged langs[2] = { { .tag = 0 }, { .tag = 1 } };
	size_t work = MAX_MEET_WORK;
	struct set_dfa dfa;
	struct arena a;
	bool ret = true;

	diff_word_search(d, it);
	if (diff_set(it)->u.command.regex && !(it->search && it->search[0]))
		return true;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	langs[0].re = diff_word_language(d, &a, it, DIFF_WORDS).re;
	langs[1].re = all_others(ir, &a);
	if (set_dfa_build_of_first(&a, langs, 2, 2, MAX_MEET_STATES, &work, &dfa) == SET_HOLDS)
		ret = dfa.ntags > 0;
	arena_release(&a);
	return ret;
}

static bool may_allow_code(const struct asking *k, const struct ir *ir, struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);
	struct str operand;
	size_t i;

	if (!r || r->effect != IR_ALLOW)
		return false;
	operand = operand_of(&r->set.u.command, 1, k->a);
	for (i = 0; i < it->nnames; i++)
		if (may_be_any(ir, it->names[i], operand))
			return true;
	if (it->nnames)
		return false;
	return it->whole ? may_be_any(ir, it->lead, operand) : meets_others(k->d, ir, it);
}

/* Is there a rule that may allow a shell, or a wrapper that covers its command? */
static bool may_allow_shell(const struct asking *k, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < k->d->items[IR_COMMAND].n; i++)
		if (may_allow_code(k, ir, k->d->items[IR_COMMAND].v[i]))
			return true;
	return false;
}

/* The words as one word of shell text. */
static struct str quoted(struct arena *a, const struct ir_request *req)
{
	struct buf b;
	size_t i, k;

	buf_init(&b, a);
	for (i = 0; i < req->nargv; i++) {
		buf_z(&b, i ? " '" : "'");
		for (k = 0; k < req->argv[i].n; k++)
			if (req->argv[i].p[k] == '\'')
				buf_z(&b, "'\\''");
			else
				buf_ch(&b, req->argv[i].p[k]);
		buf_ch(&b, '\'');
	}
	return buf_view(&b);
}

/* The words of a table's name: "docker run" is a program and its subcommand. */
static size_t words_of(struct arena *a, struct str name, struct str **ret)
{
	struct str *v = arena_array(a, name.n + 3, sizeof(*v));
	size_t n = 0;

	while (name.n) {
		v[n] = first_word(name);
		name = str_sub(name, v[n].n + (v[n].n < name.n),
			       name.n - v[n].n - (v[n].n < name.n));
		n++;
	}
	*ret = v;
	return n;
}

static void ask_program(struct asking *k, struct str name, const struct ir_request *req)
{
	struct str *words, code[2] = { STR("-c"), STR_NULL };
	size_t n = words_of(k->a, name, &words);
	struct ir_request shell = *req;

	switch (eval_tabled_runs(k->d->ir[DIFF_NEW], name)) {
	case EVAL_RUNS_TEXT:
		shell.argv = words;
		shell.nargv = n;
		code[1] = quoted(k->a, req);
		ask(k, &shell, code, 2, false);
		break;
	case EVAL_RUNS_AWAY:
		words[n] = STR("host");
		ask(k, req, words, n + 1, true);
		break;
	case EVAL_RUNS_WORDS:
		/* no table knows the option: its command is not found, and each rule that
		   denies its words counts */
		words[n] = STR("--other");
		ask(k, req, words, n + 1, true);
		break;
	case EVAL_RUNS_NOTHING:
		break;
	}
}

/* Programs that run others; first those that everybody knows. */
static void ask_programs(struct asking *k, const struct ir_request *req)
{
	static const char *const known[] = { "sh", "env", "sudo", "ssh" };
	const struct ir *ir = k->d->ir[DIFF_NEW];
	size_t i;

	for (i = 0; i < POL_LEN(known) && !is_enough(k); i++)
		ask_program(k, str_from(known[i]), req);
	for (i = 0; i < eval_tabled_count(ir) && !is_enough(k); i++)
		ask_program(k, eval_tabled_name(ir, i), req);
}

/* Programs without a table that a default may allow. */
static void ask_unknown(struct asking *k, const struct ir_request *req)
{
	struct str word = STR("other-program");
	size_t n = 0, i;

	if (!is_enough(k))
		ask(k, req, &word, 1, true);
	for (i = 0; i < k->d->items[IR_COMMAND].n && !is_enough(k); i++) {
		const struct diff_item *x = k->d->items[IR_COMMAND].v[i];

		if (!diff_risk(x) || !x->whole || !x->sep || n++ >= MAX_SPELLED)
			continue;
		word = str_cat(k->a, x->lead, STR(":"));
		ask(k, req, &word, 1, true);
	}
}

/* The mildest effect that `otherwise` has in any scope for a command that no rule is about. */
static enum ir_effect mildest_default(const struct ir *ir)
{
	enum ir_effect mildest = IR_HIDE;
	enum ir_scope scope;

	for (scope = IR_SANDBOX; scope <= IR_HOST; scope <<= 1) {
		const struct ir_scalar *s =
			&ir->scalars[ir_scalar_in(ir, IR_S_COMMAND_OTHERWISE, scope)];
		enum ir_effect effect = s->by_risk ? s->effects[IR_RISK_LOW] : s->effect;

		if (effect < mildest)
			mildest = effect;
	}
	return mildest;
}

/* May a rule let a program of this base name pass?  "git-rebase" is one of git's. */
static bool may_rule_pass(const struct diff *d, struct str base)
{
	size_t i;

	for (i = 0; i < d->items[IR_COMMAND].n; i++) {
		const struct diff_item *it = d->items[IR_COMMAND].v[i];

		if (diff_rule(it) && diff_rule(it)->effect <= IR_ASK &&
		    (!it->whole || str_starts(base, it->lead) || str_starts(it->lead, base)))
			return true;
	}
	return false;
}

/* Is there a wrapper whose command may not be found, and that is not denied itself? */
static bool may_lose(const struct diff *d, const struct ir *ir)
{
	size_t i;

	for (i = 0; i < eval_tabled_count(ir); i++) {
		struct str name = eval_tabled_name(ir, i);

		if (eval_tabled_runs(ir, name) != EVAL_RUNS_NOTHING &&
		    (mildest_default(ir) < IR_DENY || eval_tabled_is_transparent(ir, name) ||
		     may_rule_pass(d, first_word(name))))
			return true;
	}
	return false;
}

/*
 * Can a line with the words of a command of this effect depend on the rule?  The code of
 * an allowed shell can; and where a rule denies the words, a wrapper whose command is not
 * found, and a command that a default allows.
 */
static bool may_matter(const struct asking *k, const struct ir *ir, enum ir_effect effect)
{
	return may_allow_shell(k, ir) ||
	       (effect != IR_ASK && (may_lose(k->d, ir) || mildest_default(ir) == IR_ALLOW));
}

/* True if no line can make a difference. */
static bool ask_others(struct asking *k, enum ir_effect effect)
{
	if (k->told->has_alike[effect]) {
		ask_programs(k, &k->told->alike[effect]);
		ask_unknown(k, &k->told->alike[effect]);
	}
	return !may_matter(k, k->d->ir[DIFF_OLD], effect) &&
	       !may_matter(k, k->d->ir[DIFF_NEW], effect);
}

bool diff_spell_ask(struct diff *d, const struct diff_item *it, struct diff_told *told)
{
	struct arena a;
	struct asking k = { d, &a, it, told };
	bool none = true;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (told->by[IR_ALLOW])
		none &= ask_allowed(&k);
	if (told->by[IR_ASK])
		none &= ask_others(&k, IR_ASK);
	if (told->by[IR_DENY])
		none &= ask_others(&k, IR_DENY);
	arena_release(&a);
	return none || diff_told_enough(it, told);
}

/* --- a command in the code of a shell --------------------------------------------------------- */

bool diff_spell_shell(struct diff *d, const struct diff_item *it, struct diff_told *told)
{
	const struct ir *ir = d->ir[DIFF_NEW];
	struct arena a;
	struct asking k = { d, &a, it, told };
	size_t i;
	bool may;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	may = may_allow_shell(&k, ir);
	for (int e = IR_ASK; e <= IR_DENY && may; e++)
		for (i = 0; i < eval_tabled_count(ir) && told->has_alike[e] && !is_enough(&k); i++)
			if (covers(ir, eval_tabled_name(ir, i)))
				ask_program(&k, eval_tabled_name(ir, i), &told->alike[e]);
	arena_release(&a);
	return !may || diff_told_enough(it, told);
}

/* --- the code of an interpreter -------------------------------------------------------------- */

/* How many of a program's options that take code are tried. */
#define MAX_CODE_OPTIONS 12

/* `opaque` only makes a decision stricter. */
static bool opaque_allows(const struct ir *ir)
{
	return ir->scalars[ir_scalar_in(ir, IR_S_COMMAND_OPAQUE, IR_SANDBOX)].effect == IR_ALLOW &&
	       ir->scalars[ir_scalar_in(ir, IR_S_COMMAND_OPAQUE, IR_HOST)].effect == IR_ALLOW;
}

bool diff_spell_code(struct diff *d, const struct diff_item *it, struct diff_told *told)
{
	const struct ir_request *req = &told->coded;
	struct str names[MAX_CODE_OPTIONS], words[2] = { STR_NULL, STR("x y") };
	struct arena a;
	struct asking k = { d, &a, it, told };
	struct ir_request program = *req;
	size_t i, n;
	int s;

	if (opaque_allows(d->ir[DIFF_OLD]) && opaque_allows(d->ir[DIFF_NEW]))
		return true;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	/* code on standard input, or where an operand is code */
	ask(&k, req, words, 0, false);
	ask(&k, req, &words[1], 1, false);
	program.nargv = 1;
	for (s = 0; s < 2; s++) {
		n = eval_tabled_code(d->ir[s], eval_base_name(req->argv[0]), names,
				     MAX_CODE_OPTIONS);
		for (i = 0; i < n && !is_enough(&k); i++) {
			words[0] = names[i];
			ask(&k, req, words, 2, false);
			ask(&k, &program, words, 2, false);
		}
	}
	arena_release(&a);
	return diff_told_enough(it, told);
}
