/*
 * One region of the words of a changed rule: all of its words match the same rules.  A
 * representative is asked; where guards decide, too, lines with the options and operands
 * that they name are asked as well.
 */
#include "compiler/analysis/diff_dominate.h"
#include "compiler/analysis/diff_job.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_witness.h"
#include "compiler/eval/line.h"
#include "compiler/eval/match_command.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/tabled.h"

/* How many lines are tried in one region, and for one rule with all programs. */
#define MAX_REGION_LINES 128
#define MAX_LINES 512

unsigned diff_region_operations(const struct diff_job *j)
{
	const struct ir_rule *r = diff_rule(j->sel[0]);
	size_t i;

	if (!r || r->kind != IR_FILE)
		return IR_READ; /* one round is enough */
	/*
	 * a scratch rule does not apply where a tree of the host is shown, whatever the
	 * operation
	 */
	for (i = 1; i < j->n && ir_rule_shows_host(r); i++)
		if (diff_rule(j->sel[i])->scratch)
			return IR_ALL_OPS;
	return r->set.u.file.ops;
}

/* --- which rules the region meets -------------------------------------------------- */

/* The number of tags that are items; the others are exceptions. */
static size_t count_items(const struct diff_job *j, struct diff_region r)
{
	size_t n = r.n;

	while (n && r.tags[n - 1] >= j->n)
		n--;
	return n;
}

/* Which exceptions of the item have words in the region? */
static const bool *excepted(struct diff_job *j, struct diff_region r, uint32_t item)
{
	size_t n = diff_word_nexcept(j->sel[item]), i;
	bool *ret = arena_array(j->tmp, n + 1, sizeof(*ret));

	for (i = count_items(j, r); i < r.n; i++) {
		const struct diff_part *p = &j->part[r.tags[i] - j->n];

		if (p->item == item)
			ret[p->except] = true;
	}
	return ret;
}

static struct diff_met *met_by(struct diff_job *j, struct diff_region r)
{
	struct diff_met *met = arena_array(j->tmp, r.n + 1, sizeof(*met));
	size_t i;

	for (i = 0; i < count_items(j, r); i++)
		met[i] = (struct diff_met){ j->sel[r.tags[i]], excepted(j, r, r.tags[i]) };
	return met;
}

/* --- nobody has to be asked --------------------------------------------------------- */

/*
 * Do both sides act alike by the rules that surely match?  Then a changed rule that may
 * match must act as one of them does.  A rule of both sides that may match does so on
 * both.
 */
static bool acts_alike(struct diff_job *j, struct diff_region r)
{
	size_t n = count_items(j, r), i, k, sure = 0, open = 0;
	uint32_t *tags = arena_array(j->tmp, n + 1, sizeof(*tags));
	const struct diff_item **may = arena_array(j->tmp, n + 1, sizeof(*may));
	struct diff_met *met = met_by(j, r);

	for (i = 0; i < n; i++) {
		if (j->sel[0]->kind != IR_COMMAND || !diff_cond_decides(&met[i]))
			tags[sure++] = r.tags[i];
		else if (met[i].it->changed)
			may[open++] = met[i].it;
	}
	if (!diff_acts_alike(j->sel, tags, sure, j->tmp))
		return false;
	for (i = 0; i < open; i++) {
		for (k = 0; k < sure && j->sel[tags[k]]->acts != may[i]->acts; k++)
			;
		if (k == sure || (may[i]->rule[DIFF_OLD] && may[i]->rule[DIFF_NEW]))
			return false;
	}
	return true;
}

bool diff_region_alike(struct diff_job *j, struct diff_region r)
{
	uint32_t *kept = arena_array(j->tmp, r.n + 1, sizeof(*kept));
	size_t i, o = 0;

	if (j->d->context_differs[j->sel[0]->kind])
		return false;
	if (j->sel[0]->kind == IR_COMMAND)
		return acts_alike(j, r);
	if (j->frame == DIFF_RELATIVE &&
	    diff_dominated(j->d, j->sel, r.tags, count_items(j, r), diff_region_operations(j)))
		return true;
	if (count_items(j, r) < r.n)
		return false;
	for (i = 0; i < r.n; i++) {
		const struct diff_item *it = j->sel[r.tags[i]];

		if (j->frame == DIFF_RELATIVE && diff_word_is_vague(it)) {
			if (it->changed)
				return false;
			continue; /* the item is in both policies, or in neither */
		}
		kept[o++] = r.tags[i];
	}
	return diff_acts_alike(j->sel, kept, o, j->tmp);
}

/* --- is it a request of the region? -------------------------------------------------- */

/* Does the evaluator say so, too, apart from guards and exceptions? */
static bool truly_matches(const struct eval_asked *line, const struct ir_command *c)
{
	struct ir_command words = *c;
	struct eval_asked q = *line;

	words.nguards = 0;
	for (; q.part; q.part = q.part->next)
		if (q.part->kind == CMD_COMMAND &&
		    eval_match_command(&q, &words, EVAL_BROAD).may)
			return true;
	return false;
}

/*
 * The words of a tag (of an item, or of an exception) if they are read broadly, and not those
 * of an expression.
 */
static const struct ir_command *broad_words(const struct diff_job *j, uint32_t tag,
					    const struct diff_item **ret_it)
{
	const struct diff_part *p = tag < j->n ? NULL : &j->part[tag - j->n];
	const struct diff_item *it = *ret_it = j->sel[p ? p->item : tag];
	const struct ir_command *c;
	size_t n;

	c = p ? &diff_excepts(it, &n)[p->except].u.command : &diff_set(it)->u.command;
	return diff_is_narrow(it) == (p != NULL) && !c->regex ? c : NULL;
}

/*
 * The language of a deny, an ask or an exception of an allow has words with any option between
 * its own, but tables may say that a word is none.
 */
static bool all_truly_match(struct diff_job *j, const struct ir_request *req,
			    struct diff_region r)
{
	struct cmd_world world[2];
	struct cmd_line line[2];
	struct arena a; /* a line takes much memory */
	bool all = true;
	size_t i;
	int s;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (s = 0; s < 2; s++)
		eval_read_line(j->d->ir[s], req, &a, &world[s], &line[s]);
	for (i = 0; i < r.n && all; i++) {
		const struct diff_item *it;
		const struct ir_command *c = broad_words(j, r.tags[i], &it);
		struct eval_asked q;

		if (!c)
			continue;
		s = it->rule[DIFF_OLD] || it->risk[DIFF_OLD] ? DIFF_OLD : DIFF_NEW;
		q = (struct eval_asked){ j->d->ir[s], req, &world[s], line[s].first };
		all = truly_matches(&q, c);
	}
	arena_release(&a);
	return all;
}

/* Is the command, with the places that it has here, in the region? */
static bool is_command_of_region(struct diff_job *j, const struct ir_request *req,
				 struct diff_region r)
{
	size_t n;
	const uint32_t *own = set_dfa_run(&j->dfa, diff_witness_word(j->d, j->tmp, req), &n);

	return n == r.n && (!n || memcmp(own, r.tags, n * sizeof(*own)) == 0) &&
	       all_truly_match(j, req, r);
}

/* Does the request meet the rules that the region names, whatever the operation? */
static bool is_of_region(struct diff_job *j, const struct ir_request *req,
			 struct diff_region r)
{
	size_t i, k = 0;

	if (req->kind == IR_COMMAND)
		return is_command_of_region(j, req, r);
	for (i = 0; i < j->n; i++) {
		struct ir_request q = *req;
		bool want;

		while (k < r.n && r.tags[k] < i)
			k++;
		want = k < r.n && r.tags[k] == i;
		if (q.kind == IR_FILE) {
			/* partial exceptions have tags of their own */
			if (want != diff_word_matches_path(j->sel[i], &q))
				return false;
		} else if (want != diff_matches(j->sel[i], &q)) {
			return false;
		}
	}
	return true;
}

/*
 * Do the tables say the same about all programs that are looked at?  Names that go on with ':'
 * are many, but seldom has one of them a table.
 */
static bool is_one_program(const struct diff_job *j)
{
	struct str name;
	size_t i;
	int s;

	if (!j->bases || j->bases->kind == DIFF_BASE_OTHERS)
		return false;
	for (s = 0; s < 2 && j->bases->kind == DIFF_BASE_COLON; s++)
		for (i = 0; i < eval_tabled_count(j->d->ir[s]); i++) {
			name = eval_tabled_name(j->d->ir[s], i);
			if (name.n > j->bases->name.n && str_starts(name, j->bases->name) &&
			    name.p[j->bases->name.n] == ':')
				return false;
		}
	return true;
}

/* --- lines that meet guards ----------------------------------------------------------- */

static void find_pieces(struct diff_job *j, const struct diff_met *met, size_t n)
{
	size_t i;

	memset(&j->pieces, 0, sizeof(j->pieces));
	for (i = 0; i < n; i++)
		if (met[i].it->changed)
			diff_line_pieces(j->d, j->tmp, met[i].it, &j->pieces);
	for (i = 0; i < n; i++)
		if (!met[i].it->changed)
			diff_line_pieces(j->d, j->tmp, met[i].it, &j->pieces);
}

/*
 * Asks about lines that have what the guards of the region's rules name.  True if the
 * answers tell enough about the rule.
 */
static bool ask_lines(struct diff_job *j, const struct ir_request *base,
		      const struct diff_met *met, size_t n)
{
	struct ir_request lines[MAX_REGION_LINES];
	size_t i, count;

	if (diff_told_enough(j->sel[0], j->told))
		return true;
	find_pieces(j, met, n);
	count = diff_line_variants(j->tmp, &j->pieces, base, lines, MAX_REGION_LINES);
	for (i = 0; i < count && j->told->lines < MAX_LINES; i++) {
		j->told->lines++;
		/* a rule of both sides may lie beyond the region: all rules are asked */
		(void)diff_ask(j->d, NULL, &lines[i], diff_scopes(j->sel[0]), j->tmp,
			       j->told);
		if (diff_told_enough(j->sel[0], j->told))
			return true;
	}
	return false;
}

static void note_named(struct diff_job *j, const struct ir_request *req,
		       const struct diff_named *named)
{
	bool words = diff_words_count(j->d, req);
	int e, i;

	for (e = 0; e < IR_EFFECT_COUNT; e++)
		for (i = 0; i < 2; i++) {
			if (!named->by[e][i] || (e == IR_ALLOW && !words))
				continue;
			j->told->named[i] = j->told->by[e] = true;
			if (!j->d->in_set_only || j->told->has_alike[e])
				continue;
			j->told->has_alike[e] = true;
			j->told->alike[e] = diff_keep_request(j->d->a, req);
		}
}

/* May some program of the region run code that its words say? */
static bool may_interpret(const struct diff_job *j, struct str base)
{
	size_t i;
	int s;

	for (s = 0; s < 2; s++) {
		const struct ir *ir = j->d->ir[s];

		if (eval_tabled_interprets(ir, base))
			return true;
		for (i = 0; i < eval_tabled_count(ir) && !is_one_program(j); i++)
			if (eval_tabled_interprets(ir, eval_tabled_name(ir, i)))
				return true;
	}
	return false;
}

/*
 * An allow of an interpreter also speaks of its code, even where another rule decides: nobody
 * sees what it runs, and without an allow `opaque` counts, too.
 */
static void note_code(struct diff_job *j, const struct ir_request *req,
		      const struct diff_named *named)
{
	int i;

	if ((!named->allows[0] && !named->allows[1]) ||
	    !may_interpret(j, eval_base_name(req->argv[0])))
		return;
	for (i = 0; i < 2; i++)
		j->told->code[i] |= named->allows[i];
	if (j->told->has_coded)
		return;
	j->told->has_coded = true;
	j->told->coded = diff_keep_request(j->d->a, req);
}

/* What lies `within` a path depends on where the command runs, too. */
static bool has_within(const struct ir_command *c)
{
	size_t i;

	for (i = 0; i < c->nguards && c->guards[i].kind != IR_GD_WITHIN; i++)
		;
	return i < c->nguards;
}

static bool words_decide(const struct diff_met *met, size_t n)
{
	size_t i, e, nexcept;

	for (i = 0; i < n; i++) {
		const struct ir_set *except = diff_excepts(met[i].it, &nexcept);

		if (has_within(&diff_set(met[i].it)->u.command))
			return false;
		for (e = 0; e < nexcept; e++)
			if (has_within(&except[e].u.command))
				return false;
	}
	return true;
}

/* Is a request of the region asked that has these words behind its program? */
static bool ask_rest(struct diff_job *j, const struct diff_few *few, size_t of,
		     struct diff_region r)
{
	struct ir_request reqs[DIFF_WITNESS_REQUESTS];
	struct str rest = str_sub(few->word[of], few->rest[of], few->word[of].n - few->rest[of]);
	bool asked = false;
	size_t i, k, n;

	for (i = 0; i < few->n; i++) {
		struct str w = few->word[i];

		if (!str_eq(str_sub(w, few->rest[i], w.n - few->rest[i]), rest))
			continue;
		n = diff_witness_requests(j->d, j->tmp, j->sel[0], w, reqs);
		for (k = 0; k < n; k++) {
			if (!is_of_region(j, &reqs[k], r))
				continue;
			(void)diff_ask(j->d, &j->small, &reqs[k], diff_scopes(j->sel[0]), j->tmp,
				       j->told);
			asked = true;
		}
	}
	return asked;
}

/*
 * If the commands of the region have only a few words behind their program, each list of them
 * is asked: then options leave nothing open.  Where the program lies is no matter of guards.
 */
static bool ask_all_words(struct diff_job *j, const struct diff_met *met, size_t n,
			  struct diff_region r)
{
	struct diff_few few;
	size_t i;

	if (!is_one_program(j) || !words_decide(met, n) ||
	    !diff_witness_few(j->tmp, &j->dfa, r.tags, r.n, &few))
		return false;
	for (i = 0; i < few.n; i++)
		if (!ask_rest(j, &few, i, r))
			return false;
	return few.n > 0;
}

/*
 * What is not known of the region, after its representative has been asked?  If it only
 * narrows, one difference tells all that matters.
 */
static enum diff_cond open_of(struct diff_job *j, const struct ir_request *req,
			      struct diff_region r)
{
	struct diff_met *met = met_by(j, r);
	size_t n = count_items(j, r), i;
	enum diff_cond open;
	bool all = false; /* each list of words is asked, so that none with code is left */
	struct diff_named named = { .by = { { false } } };

	if (req->kind != IR_COMMAND)
		return DIFF_COND_ALIKE;
	for (i = 0; i < n && !diff_cond_decides(&met[i]); i++)
		;
	open = diff_cond_decide(&j->small, req, is_one_program(j), met, n, &named);
	if ((i < n && open != DIFF_COND_ALIKE) || named.allows[0] || named.allows[1])
		all = ask_all_words(j, met, n, r);
	if (!all)
		note_code(j, req, &named);
	if (j->d->in_set_only)
		note_named(j, req, &named);
	/* without conditions there is one combination, which has been asked */
	if (i == n || (open != DIFF_COND_ALIKE && all))
		return DIFF_COND_ALIKE;
	/* what no combination tells apart, no line does */
	if (open != DIFF_COND_ALIKE && ask_lines(j, req, met, n))
		return DIFF_COND_ALIKE;
	note_named(j, req, &named);
	if (open == DIFF_COND_NARROWS && j->told->changes)
		return DIFF_COND_ALIKE;
	j->conditions |= open != DIFF_COND_ALIKE;
	return open;
}

/* --- the representative ------------------------------------------------------------------ */

static void ask_operations(struct diff_job *j, struct ir_request *req, unsigned ops)
{
	for (unsigned op = IR_READ; op <= IR_EXEC; op <<= 1) {
		if (!(ops & op))
			continue;
		if (req->kind == IR_FILE)
			req->op = (enum ir_op)op;
		(void)diff_ask(j->d, &j->small, req, diff_scopes(j->sel[0]), j->tmp, j->told);
	}
}

enum diff_cond diff_region_ask(struct diff_job *j, struct str word, struct diff_region r)
{
	struct ir_request reqs[DIFF_WITNESS_REQUESTS];
	size_t i, n = diff_witness_requests(j->d, j->tmp, j->sel[0], word, reqs);
	const struct ir_rule *rule = diff_rule(j->sel[0]);
	unsigned ops = diff_region_operations(j);
	unsigned own = rule && rule->kind == IR_FILE ? ops & rule->set.u.file.ops : ops;

	for (i = 0; i < n; i++) {
		if (!is_of_region(j, &reqs[i], r))
			continue;
		/* those of the rule first: of each kind of change the first is told */
		ask_operations(j, &reqs[i], own);
		ask_operations(j, &reqs[i], ops & ~own);
		return open_of(j, &reqs[i], r);
	}
	return DIFF_COND_UNKNOWN;
}
