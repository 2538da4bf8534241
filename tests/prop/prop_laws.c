/*
 * The laws of semantics 8 on random policies, from their text on: front end,
 * sema, lower and lift make what is judged.  SEED= and RUNS= in the
 * environment, SHOW=1 prints why texts are refused; a failure prints the texts
 * and the SEED that repeats it with RUNS=1.  L4, L5 and L8 are in prop_worlds.c.
 */
#include "compiler/eval/levels.h"
#include "compiler/eval/line.h"
#include "tests/prop/laws.h"

#define REQUESTS 60
#define ALL_KINDS ((1u << IR_KIND_COUNT) - 1)

#define BROKEN(l, run, p, q, ...)                                                \
	do {                                                                     \
		law_show(p);                                                     \
		law_show_request(q);                                             \
		printf("SEED=%llu RUNS=1\n", (unsigned long long)(l)->seed + (run)); \
		fail_msg(__VA_ARGS__);                                           \
	} while (0)

/* --- L1 ------------------------------------------------------------------------ */

/* Of a line's rules: does it count for each part, or is it one that may match? */
static bool counts_in_all(const struct eval_line *line, const struct ir_rule *r)
{
	size_t i, k, in = 0;

	for (i = 0; line && i < line->nparts; i++)
		for (k = 0; k < line->parts[i].d.nmatched; k++)
			in += line->parts[i].d.matched[k] == r;
	return !line || in == line->nparts;
}

/* The level whose final rule ends the list, or IR_USER. */
static enum ir_level final_level(const struct ir *ir, const struct eval_decision *d)
{
	enum ir_level n = IR_USER;
	size_t i;

	for (i = 0; i < d->nmatched; i++) {
		const struct ir_rule *r = d->matched[i];

		if (r->final && r->level < n && counts_in_all(d->line, r) &&
		    !(r->level == IR_MANAGED_FILE && r->effect == IR_ALLOW &&
		      ir->locked[r->kind].level == IR_MANAGED))
			n = r->level;
	}
	return n;
}

/*
 * Its words name what is denied or hidden (4.4): an ask by a rule that does not match the
 * command, and none where an allow of any level speaks of the program.
 */
static bool by_words(const struct eval_decision *d)
{
	return d->rule && d->effect == IR_ASK && d->rule->effect > IR_ASK;
}

static bool same_rule(const struct eval_decision *x, const struct eval_decision *y)
{
	if (!x->rule || !y->rule)
		return x->rule == y->rule && x->scalar == y->scalar;
	return x->rule->at.line == y->rule->at.line &&
	       str_eq(x->rule->at.file, y->rule->at.file);
}

/* Some of the levels below `top` are written anew, or fall away. */
static struct pol other_below(struct pol_gen *g, const struct pol *p, enum pol_slot top)
{
	struct pol q = *p;
	int s;

	for (s = (int)top + 1; s <= POL_USER_TOO; s++)
		if (!rnd_one_in(&g->r, 4))
			q.text[s] = rnd_one_in(&g->r, 3) ? NULL :
				    pol_text(g, (enum pol_slot)s);
	return q;
}

static void final_holds(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	enum pol_slot top = rnd_one_in(&g.r, 2) ? POL_MANAGED : POL_MANAGED_FILE;
	const struct ir *x, *y;
	struct pol p, q;
	int i;

	/* level 5 and the rules that a network's mode makes are held still */
	g.never = POL_S_BASE | POL_S_MODE;
	p = law_pol(&g);
	x = law_ir(l, &p, a);
	law_row_decides(l, &g, x, a);
	q = other_below(&g, &p, top);
	y = x ? law_ir(l, &q, a) : NULL;
	for (i = 0; y && i < REQUESTS; i++) {
		struct ir_request r = law_request(
			&g, i, near_file(&g.r, i & 1 ? x : y, law_files[top].name, 0));
		struct eval_decision d = law_decide(l, x, &r, a), e = law_decide(l, y, &r, a);

		if ((int)final_level(x, &d) > (int)top + 1 || d.step == EVAL_STEP_MODE ||
		    d.step == EVAL_STEP_UNKNOWN || by_words(&d))
			continue;
		l->bites++;
		if (d.effect != e.effect || !same_rule(&d, &e) ||
		    d.needs_person != e.needs_person) {
			law_show(&p);
			BROKEN(l, run, &q, &r, "%s, and with other lower levels %s",
			       law_by(x, &d, a), law_by(y, &e, a));
		}
	}
}

/* What the lock leaves: the levels from it on up, and level 5. */
static void lock_holds(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	enum pol_slot top = rnd_one_in(&g.r, 2) ? POL_MANAGED : POL_MANAGED_FILE;
	const struct ir *above, *all;
	struct pol p, q;
	int i, s;

	g.never = POL_S_BASE | POL_S_MODE;
	q = p = law_pol(&g);
	for (s = (int)top + 1; s <= POL_USER_TOO; s++)
		q.text[s] = NULL;
	all = law_ir(l, &p, a);
	law_row_decides(l, &g, all, a);
	above = all ? law_ir(l, &q, a) : NULL;
	for (i = 0; above && i < REQUESTS; i++) {
		struct ir_request r = law_request(&g, i, near_request(&g.r, all));
		struct eval_decision d = law_decide(l, all, &r, a),
				   e = law_decide(l, above, &r, a);
		enum ir_level lock = above->locked[r.kind].level;

		if (!lock)
			continue;
		l->bites++;
		if (law_strict(&d) < law_strict(&e))
			BROKEN(l, run, &p, &r, "%s, and without the levels below %s",
			       law_by(all, &d, a), law_by(above, &e, a));
	}
}

static void test_L1_lower_levels_change_no_final_decision(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L1 final", 75, ALL_KINDS);
	law_repeat(&l, final_holds);
	law_end(&l);
}

static void test_L1_lower_levels_open_nothing_below_a_lock(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L1 locked", 75, ALL_KINDS);
	law_repeat(&l, lock_holds);
	law_end(&l);
}

/* --- L2 ------------------------------------------------------------------------- */

static const int rule_sections[] = { POL_COMMAND, POL_FILE, POL_NETWORK, POL_UNIX,
				     POL_SYSCALL };

/* The text of `slot` with one more rule of this effect at its end. */
static const char *with_rule(struct pol_gen *g, const struct pol *p, enum pol_slot slot,
			     const char *effect)
{
	int section = rnd_one_in(&g->r, 2) ?
			      rule_sections[g->r.focus % POL_LEN(rule_sections)] :
			      RND_PICK(&g->r, rule_sections);

	if (section == POL_FILE && !strcmp(effect, "deny") && rnd_one_in(&g->r, 2))
		effect = "hide";
	g->slot = slot;
	g->secret = false;
	g->names += 1000; /* no name of the text is used again */
	buf_init(&g->b, g->r.a);
	PUT(g, "%s", p->text[slot] ? p->text[slot] : "");
	if (!p->text[slot]) {
		PUT(g, "group @g%d = getppid\n", slot);
		g->lets = false;
	} else {
		g->lets = slot != POL_FLOOR && !g->row;
	}
	PUT(g, "%s {\n", pol_sections[section]);
	pol_rule_of(g, section, effect);
	PUT(g, "}\n");
	return str_z(g->r.a, buf_view(&g->b));
}

static const enum pol_slot rule_slots[] = { POL_MANAGED, POL_MANAGED_FILE, POL_PROJECT,
					    POL_DISCOVERED, POL_USER, POL_BASE };

static uint32_t lines_of(const char *text)
{
	uint32_t n = 0;

	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

static void deny_tightens(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	g.mounts = true;
	struct pol p = law_pol(&g), q = p;
	enum pol_slot slot = rnd_one_in(&g.r, 8) ? POL_FLOOR : RND_PICK(&g.r, rule_slots);
	uint32_t line = lines_of(p.text[slot]) + 1;
	const struct ir *x, *y;
	int i;

	q.text[slot] = with_rule(&g, &p, slot, "deny");
	x = law_ir(l, &p, a);
	law_row_decides(l, &g, x, a);
	y = x ? law_ir(l, &q, a) : NULL;
	for (i = 0; y && i < REQUESTS; i++) {
		struct ir_request r = law_request(
			&g, i, near_file(&g.r, y, law_files[slot].name, line));
		struct eval_decision d = law_decide(l, x, &r, a), e = law_decide(l, y, &r, a);

		l->bites += law_strict(&e) > law_strict(&d);
		if (law_strict(&e) < law_strict(&d))
			BROKEN(l, run, &q, &r, "%s, and without the deny in %s %s",
			       law_by(y, &e, a), law_files[slot].name, law_by(x, &d, a));
	}
}

/* Only what `otherwise` denied, and only by the new ask of a full level that no
 * lock is above; another ask of a higher rank may be the first by then. */
static bool may_ask(const struct ir *ir, const char *file, uint32_t line,
		    const struct eval_decision *before, const struct eval_decision *after)
{
	size_t i;

	if (before->rule || after->effect != IR_ASK ||
	    (before->step != EVAL_STEP_OTHERWISE && before->step != EVAL_STEP_RISK &&
	     before->step != EVAL_STEP_GUARD)) /* the ask names the guarded range */
		return false;
	for (i = 0; i < after->nmatched; i++) {
		const struct ir_rule *r = after->matched[i];
		enum ir_level lock = ir->locked[r->kind].level;

		if (str_eqz(r->at.file, file) && r->at.line >= line && r->full &&
		    r->effect == IR_ASK && (!lock || r->level <= lock))
			return true;
	}
	return false;
}

static void ask_opens_little(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	g.mounts = true;
	struct pol p = law_pol(&g), q = p;
	enum pol_slot slot = RND_PICK(&g.r, rule_slots);
	uint32_t line = lines_of(p.text[slot]) + 1;
	const struct ir *x, *y;
	int i;

	q.text[slot] = with_rule(&g, &p, slot, "ask");
	x = law_ir(l, &p, a);
	law_row_decides(l, &g, x, a);
	y = x ? law_ir(l, &q, a) : NULL;
	for (i = 0; y && i < REQUESTS; i++) {
		struct ir_request r = law_request(
			&g, i, near_file(&g.r, y, law_files[slot].name, line));
		struct eval_decision d = law_decide(l, x, &r, a), e = law_decide(l, y, &r, a);

		l->bites += law_strict(&e) != law_strict(&d);
		if (law_strict(&e) < law_strict(&d) &&
		    !may_ask(y, law_files[slot].name, line, &d, &e))
			BROKEN(l, run, &q, &r, "%s, and without the ask in %s %s",
			       law_by(y, &e, a), law_files[slot].name, law_by(x, &d, a));
	}
}

static void test_L2_a_deny_anywhere_makes_nothing_milder(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L2 deny", 75, ALL_KINDS);
	law_repeat(&l, deny_tightens);
	law_end(&l);
}

static void test_L2_an_ask_opens_only_what_otherwise_denied(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L2 ask", 75, ALL_KINDS);
	law_repeat(&l, ask_opens_little);
	law_end(&l);
}

/* --- L3 ----------------------------------------------------------------------------- */

static int effect_at(const struct ir_scalar *s, int risk)
{
	return (int)(s->by_risk ? s->effects[risk] : s->effect);
}

/* Is `y` milder than `x` in the order of its type? */
static bool is_milder(enum ir_scalar_id id, const struct ir_scalar *x,
		      const struct ir_scalar *y)
{
	int r;

	switch (ir_scalar_type(id)) {
	case IR_T_EFFECT:
		return y->effect < x->effect;
	case IR_T_OTHERWISE:
		for (r = 0; r < IR_RISK_COUNT; r++)
			if (effect_at(y, r) < effect_at(x, r))
				return true;
		return false;
	case IR_T_NAME:
		return str_eqz(x->text, "std") && !str_eqz(y->text, "std");
	case IR_T_MODE:
		return y->num > x->num;
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT:
		return x->set && (!y->set || y->num > x->num);
	}
	return true;
}

static bool is_kept(const struct ir *ir, struct str name)
{
	size_t i;

	for (i = 0; i < ir->keep.n; i++) {
		struct str k = ir->keep.v[i].name;

		if (str_eq(k, name) || (k.n && k.p[k.n - 1] == '*' &&
					str_starts(name, str_sub(k, 0, k.n - 1))))
			return true;
	}
	return false;
}

static void check_scalars(struct law *l, unsigned long run, const struct pol *q,
			  const struct ir *x, const struct ir *y)
{
	static const enum ir_scope scopes[] = {IR_SANDBOX, IR_HOST};
	size_t i;

	/* each scope's value, whichever row holds it: where one statement decides for both, the
	   row of the sandbox is not set */
	for (i = 0; i < IR_SCALAR_COUNT * POL_LEN(scopes); i++) {
		const enum ir_scalar_id id = (enum ir_scalar_id)(i / POL_LEN(scopes));
		const enum ir_scope scope = scopes[i % POL_LEN(scopes)];
		const struct ir_scalar *old = &x->scalars[ir_scalar_in(x, id, scope)];
		const struct ir_scalar *new = &y->scalars[ir_scalar_in(y, id, scope)];

		if (ir_is_of_sandbox(id))
			continue;
		l->bites += is_milder(id, new, old);
		if (is_milder(id, old, new))
			BROKEN(l, run, q, NULL, "the scalar %.*s is milder",
			       STR_ARG(new->id));
	}
	for (i = 0; i < y->keep.n; i++)
		if (!is_kept(x, y->keep.v[i].name))
			BROKEN(l, run, q, NULL, "the variable %.*s is kept",
			       STR_ARG(y->keep.v[i].name));
	if (y->env.n > x->env.n)
		BROKEN(l, run, q, NULL, "a variable is set");
}

static void narrow_narrows(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	g.mounts = true;
	struct pol p = law_pol(&g), q = p;
	const struct ir *x, *y;
	int i;

	p.text[POL_DISCOVERED] = NULL;
	q.text[POL_DISCOVERED] = pol_text(&g, POL_DISCOVERED);
	x = law_ir(l, &p, a);
	law_row_decides(l, &g, x, a);
	y = x ? law_ir(l, &q, a) : NULL;
	if (!y)
		return;
	check_scalars(l, run, &q, x, y);
	for (i = 0; i < REQUESTS; i++) {
		struct ir_request r = law_request(
			&g, i, near_file(&g.r, y, law_files[POL_DISCOVERED].name, 0));
		struct eval_decision d = law_decide(l, x, &r, a), e = law_decide(l, y, &r, a);

		/* 6: the sandbox's own loopback is no request where the mode is
		   disabled, and so nothing that was denied */
		if (e.step == EVAL_STEP_MODE && eval_is_own_loopback(&r))
			continue;
		l->bites += law_strict(&e) > law_strict(&d);
		if (law_strict(&e) < law_strict(&d))
			BROKEN(l, run, &q, &r, "%s, and without the narrow-only file %s",
			       law_by(y, &e, a), law_by(x, &d, a));
	}
}

static void test_L3_narrow_only_input_makes_nothing_milder(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L3", 100, ALL_KINDS);
	law_repeat(&l, narrow_narrows);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L1_lower_levels_change_no_final_decision),
		cmocka_unit_test(test_L1_lower_levels_open_nothing_below_a_lock),
		cmocka_unit_test(test_L2_a_deny_anywhere_makes_nothing_milder),
		cmocka_unit_test(test_L2_an_ask_opens_only_what_otherwise_denied),
		cmocka_unit_test(test_L3_narrow_only_input_makes_nothing_milder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
