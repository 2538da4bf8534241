/*
 * Decides whether a pattern matches some word list that a simple command can stand for
 * ("may"), or all of them ("must").  The pattern becomes an automaton over bytes
 * (command_nfa.c), and the words are walked through it (command_words.c).
 */
#include "compiler/eval/match_command.h"

#include "compiler/eval/command_words.h"
#include "compiler/eval/match_guard.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/match_regex.h"
#include "compiler/eval/match_word.h"

/* --- the pattern --------------------------------------------------------------------- */

/*
 * A pattern, and the automaton's state before each of its words (not for the program
 * column).
 */
struct pattern {
	const struct ir_command *c;
	uint32_t *before;
	size_t nwords; /* without the final "*" of `more` */
};

static enum eval_bytes word_bytes(enum eval_side side)
{
	return side == EVAL_BROAD ? EVAL_B_ANY : EVAL_B_PLAIN;
}

/*
 * Ends pattern word i in state `at`.  If the word is the last one and the pattern has a
 * ":*" tail, ":…" may follow.
 */
static void end_word(struct cnfa *n, const struct pattern *p, size_t i,
		     enum eval_bytes bytes, uint32_t at)
{
	uint32_t colon;

	cnfa_edge(n, at, CNFA_BYTE, 0, p->before[i + 1]);
	if (!p->c->tail || i + 1 < p->nwords)
		return;
	colon = cnfa_state(n);
	cnfa_edge(n, at, CNFA_BYTE, ':', colon);
	cnfa_edge(n, colon, bytes == EVAL_B_PLAIN ? CNFA_PLAIN :
			    bytes == EVAL_B_PATH	? CNFA_NO_SLASH : CNFA_ANY, 0, colon);
	cnfa_edge(n, colon, CNFA_BYTE, 0, p->before[i + 1]);
}

static void lay_words(struct cwords *w, struct pattern *p)
{
	enum eval_bytes bytes = word_bytes(w->side);
	struct cnfa *n = &w->n;
	size_t i;

	p->before = arena_array(&w->a, p->nwords + 1, sizeof(*p->before));
	for (i = 0; i <= p->nwords; i++)
		p->before[i] = cnfa_state(n);
	for (i = 0; i < p->nwords; i++) {
		if (!p->c->words[i].any_words) {
			end_word(n, p, i, bytes,
				 cnfa_glob(n, &p->c->words[i].glob, bytes,
					   p->before[i]));
			continue;
		}
		cnfa_any_words(n, p->before[i]);
		cnfa_edge(n, p->before[i], CNFA_NOTHING, 0, p->before[i + 1]);
	}
	if (p->c->more && w->side == EVAL_BROAD) {
		cnfa_any_word(n, p->before[p->nwords], n->accept);
		cnfa_any_words(n, n->accept);
		return;
	}
	cnfa_edge(n, p->before[p->nwords], CNFA_NOTHING, 0, n->accept);
	if (p->c->tail)
		cnfa_any_words(n, n->accept);
}

/* The program column, matched broadly: only the base name counts. */
static void lay_base_name(struct cwords *w, const struct pattern *p)
{
	struct cnfa *n = &w->n;
	size_t i;

	for (i = 0; i < p->nwords && p->c->words[i].any_words; i++)
		cnfa_any_word(n, n->start, p->before[i]);
	if (i == p->nwords)
		cnfa_edge(n, n->start, CNFA_NOTHING, 0, p->before[i]);
	else
		end_word(n, p, i, EVAL_B_PATH,
			 cnfa_base_name(n, &p->c->words[i].glob, n->start));
}

/* The program is unknown and the match is narrow: it may be any program. */
static void lay_any_program(struct cwords *w, const struct pattern *p)
{
	size_t i;

	for (i = 0; i < p->nwords && p->c->words[i].any_words; i++)
		cnfa_any_word(&w->n, w->n.start, p->before[i]);
	if (i < p->nwords)
		i++;
	cnfa_any_word(&w->n, w->n.start, p->before[i]);
}

/* --- the program column, narrowly ---------------------------------------------------- */

/*
 * The states after a literal program that the program column accepts, in one of the
 * directories (may) and in every one (must).  "**" also matches a program, but only one
 * that is trusted by its name.
 */
static void narrow_start(struct cwords *w, const struct pattern *p, struct str program,
			 uint64_t *may, uint64_t *must)
{
	bool named = eval_program_is_trusted(w->q, program);
	size_t i;

	for (i = 0; i < p->nwords && p->c->words[i].any_words; i++) {
		if (!named)
			continue;
		cnfa_set_add(&w->n, may, p->before[i]);
		cnfa_set_add(&w->n, must, p->before[i]);
	}
	if (i < p->nwords) {
		bool last = i + 1 == p->nwords && p->c->tail;
		struct eval_match m = eval_match_program(w->q, &p->c->words[i].glob, program,
						     last ? EVAL_U_COLON : EVAL_U_END);

		if (m.may)
			cnfa_set_add(&w->n, may, p->before[i + 1]);
		if (m.must)
			cnfa_set_add(&w->n, must, p->before[i + 1]);
	} else if (named && p->c->tail) {
		cnfa_set_add(&w->n, may, p->before[i]);
		cnfa_set_add(&w->n, must, p->before[i]);
	}
}

static struct eval_match match_narrow(struct cwords *w, struct pattern *p)
{
	uint64_t *may, *must;
	struct str program;
	bool known = eval_word_text(w->q, &w->q->part->words[0], &w->a, &program);

	if (!known)
		lay_any_program(w, p);
	cnfa_done(&w->n);
	may = cnfa_set_new(&w->n, &w->a);
	must = cnfa_set_new(&w->n, &w->a);
	if (!known) {
		cnfa_set_add(&w->n, may, w->n.start);
		return (struct eval_match){ .may = cwords_may(w, 0, may) };
	}
	narrow_start(w, p, program, may, must);
	return (struct eval_match){ cwords_may(w, 1, may), cwords_must(w, 1, must) };
}

static struct eval_match match_broad(struct cwords *w, struct pattern *p)
{
	struct eval_match m;
	uint64_t *start;

	lay_base_name(w, p);
	cnfa_done(&w->n);
	start = cnfa_set_new(&w->n, &w->a);
	cnfa_set_add(&w->n, start, w->n.start);
	m.may = cwords_may(w, 0, start);
	m.must = m.may && cwords_must(w, 0, start);
	return m;
}

static struct eval_match match_words(const struct eval_asked *q, const struct ir_command *c,
				   enum eval_side side)
{
	struct cwords w;
	struct pattern p = { .c = c, .nwords = c->nwords };
	struct eval_match m;
	size_t i;

	if (c->more && side == EVAL_BROAD)
		p.nwords--;
	cwords_init(&w, q, side);
	for (i = 0; i < q->part->nwords; i++)
		cwords_add(&w, &q->part->words[i]);
	if (q->part->flags & CMD_APPENDS)
		cwords_add_unknown(&w);
	lay_words(&w, &p);
	m = side == EVAL_NARROW ? match_narrow(&w, &p) : match_broad(&w, &p);
	cwords_release(&w);
	return m;
}

struct eval_match eval_match_command(const struct eval_asked *q, const struct ir_command *c,
				 enum eval_side side)
{
	struct eval_match m = c->regex ? eval_match_regex(q, c, side) :
				       match_words(q, c, side);
	size_t i;

	for (i = 0; i < c->nguards && m.may; i++) {
		struct eval_match g = eval_match_guard(q, &c->guards[i], side);

		m.may &= g.may;
		m.must &= g.must;
	}
	/* no allow rule can match: see CMD_VOID */
	if (side == EVAL_NARROW && (q->part->flags & CMD_VOID))
		m.must = false;
	m.must &= m.may;
	return m;
}
