/*
 * A shortest request has empty words, programs in the root directory and numbers that
 * nobody uses.  Each such part is replaced by what people write, one part after the other,
 * as long as the evaluator gives the same answer for the same reason.
 */
#include "compiler/analysis/diff_readable.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_line.h"
#include "compiler/eval/match_program.h"

/* How many requests are asked about, and how many rules they may meet in all. */
#define MAX_TRIES 2000
#define MAX_RULES ((size_t)4 * 1000 * 1000)

struct trying {
	struct diff *d;
	struct diff_finding *f;
	struct arena *a;
	VEC(const struct diff_item *) causes; /* changed items; unless it is a command, those that match the shortest one */
	struct ir_request now;
	bool better;
	size_t *left;
};

/* --- is it the same finding? -------------------------------------------------------- */

static bool is_cause(const struct diff_finding *f, const struct diff_item *it)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; it->rule[s] && i < f->causes[s].n; i++)
			if (str_eq(it->rule[s]->id, f->causes[s].v[i]))
				return true;
	return false;
}

static void find_causes(struct trying *t)
{
	enum ir_kind kind = t->f->request.kind;

	for (size_t i = 0; i < t->d->items[kind].n; i++) {
		const struct diff_item *it = t->d->items[kind].v[i];

		if (is_cause(t->f, it) &&
		    (kind == IR_COMMAND || diff_matches(it, &t->f->request)))
			VEC_PUSH(t->a, &t->causes, it);
	}
}

static bool keep(struct trying *t, const struct ir_request *q)
{
	if (!*t->left)
		return false;
	--*t->left;
	/* which rules a command matches the evaluator says only by which one decides */
	for (size_t i = 0; q->kind != IR_COMMAND && i < t->causes.n; i++)
		if (!diff_matches(t->causes.v[i], q))
			return false;
	if (!diff_is_still(t->d, t->f, q))
		return false;
	t->now = *q;
	t->better = true;
	return true;
}

/* --- words of a command -------------------------------------------------------------- */

/* The line with `word` in place of word `at`, and `more` behind that unless it is NULL. */
static bool keep_word(struct trying *t, size_t at, struct str word, struct str more)
{
	struct ir_request q = t->now;
	size_t i, n = 0;

	q.argv = arena_array(t->a, t->now.nargv + 2, sizeof(*q.argv));
	for (i = 0; i < t->now.nargv; i++) {
		q.argv[n++] = i == at ? word : t->now.argv[i];
		if (i == at && more.p)
			q.argv[n++] = more;
	}
	q.nargv = n;
	return keep(t, &q);
}

/* A program that no rule names by a path, as the rule names it, or in a common place. */
static void improve_program(struct trying *t)
{
	struct str word = t->now.argv[0], base = eval_base_name(word);

	if (base.n && base.n + 1 == word.n && !keep_word(t, 0, base, STR_NULL))
		(void)keep_word(t, 0, str_cat(t->a, STR("/tmp/"), base), STR_NULL);
}

static void fill_word(struct trying *t, size_t at)
{
	static const char *const words[] = { "x", "a", "1", "src", "/tmp/x", "-x" };

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (keep_word(t, at, str_from(words[i]), STR_NULL))
			return;
}

/* A word that breaks off: "test:" is what begins "test:x", and "ci:" of `ci:*` also "ci x". */
static void end_word(struct trying *t, size_t at)
{
	struct str word = t->now.argv[at];
	char last = word.p[word.n - 1];

	if (last == ':' && word.n > 1 &&
	    keep_word(t, at, str_sub(word, 0, word.n - 1), STR("x")))
		return;
	if (word.p[0] == ':' && keep_word(t, at, str_cat(t->a, STR("x"), word), STR_NULL))
		word = t->now.argv[at];
	if (strchr(":-_=./", last))
		(void)keep_word(t, at, str_cat(t->a, word, STR("x")), STR_NULL);
}

/* "-f" as the long option that a guard of the changed rules names beside it. */
static void spell_option(struct trying *t, const struct diff_pieces *p, size_t at)
{
	for (size_t i = 0; i < p->v.n; i++) {
		struct str word = p->v.v[i].word[0];

		if (p->v.v[i].n == 1 && str_starts(word, STR("--")) && word.n > 2 &&
		    !str_eqz(word, "--other") && keep_word(t, at, word, STR_NULL))
			return;
	}
}

static void improve_command(struct trying *t)
{
	struct diff_pieces p = { .v = { NULL, 0, 0 } };
	size_t i;

	if (t->now.unparsed || t->now.line.p || !t->now.nargv)
		return;
	for (i = 0; i < t->causes.n; i++)
		diff_line_pieces(t->d, t->a, t->causes.v[i], &p);
	improve_program(t);
	for (i = 0; i < t->now.nargv; i++) {
		struct str word = t->now.argv[i];

		if (!word.n)
			fill_word(t, i);
		else if (i && word.n == 2 && word.p[0] == '-' && word.p[1] != '-')
			spell_option(t, &p, i);
		else if (word.p[0] != '-' || word.n > 2)
			end_word(t, i);
	}
}

/* --- other requests ------------------------------------------------------------------ */

static void improve_tool(struct trying *t)
{
	struct ir_request q = t->now;

	if (q.tool.n && !strchr("_-.:/", q.tool.p[q.tool.n - 1]))
		return;
	q.tool = str_cat(t->a, q.tool, STR("x"));
	(void)keep(t, &q);
}

/* "/run/.sock" is also what a pattern like "/run/x.sock" begins with. */
static void improve_path(struct trying *t)
{
	struct ir_request q = t->now;
	struct str base = eval_base_name(q.path), dir;

	if (!base.n || base.p[0] != '.')
		return;
	dir = str_sub(q.path, 0, q.path.n - base.n);
	q.path = str_cat(t->a, str_cat(t->a, dir, STR("x")), base);
	(void)keep(t, &q);
}

/* The first host of a network, in place of its own address. */
static bool host_of(const uint8_t addr[16], uint8_t ret[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = memcmp(addr, mapped, sizeof(mapped)) == 0, zero = true;

	memcpy(ret, addr, 16);
	for (int i = v4 ? 12 : 0; i < 16; i++)
		zero &= addr[i] == 0;
	if (zero && v4) /* any address: one that documents use */
		memcpy(ret + 12, (const uint8_t[]){ 192, 0, 2, 1 }, 4);
	else if (zero)
		memcpy(ret, (const uint8_t[]){ 0x20, 1, 0x0d, 0xb8 }, 4);
	ret[15] = 1;
	return addr[15] == 0;
}

static void improve_net(struct trying *t)
{
	static const uint16_t ports[] = { 443, 80, 22, 53, 8080 };
	struct ir_request q = t->now;

	if (q.is_addr && host_of(t->now.addr, q.addr))
		(void)keep(t, &q);
	q = t->now;
	for (size_t i = 0; i < POL_LEN(ports) && t->now.port == 1; i++) {
		q.port = ports[i];
		(void)keep(t, &q);
	}
}

static void improve(struct trying *t)
{
	switch (t->f->request.kind) {
	case IR_COMMAND:
		improve_command(t);
		break;
	case IR_TOOL:
		improve_tool(t);
		break;
	case IR_FILE:
	case IR_UNIX:
		improve_path(t);
		break;
	case IR_NET:
		improve_net(t);
		break;
	case IR_SYSCALL:
	case IR_KIND_COUNT:
		break;
	}
}

void diff_readable(struct diff *d)
{
	size_t left = MAX_RULES / (d->ir[DIFF_OLD]->rules.n + d->ir[DIFF_NEW]->rules.n + 1);

	left = left < MAX_TRIES ? left : MAX_TRIES;
	for (size_t i = 0; i < d->ret->findings.n; i++) {
		struct diff_finding *f = &d->ret->findings.v[i];
		struct trying t = { .d = d, .f = f, .now = f->request, .left = &left };
		struct arena a;

		if (!f->asked)
			continue;
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		t.a = &a;
		find_causes(&t);
		improve(&t);
		if (t.better) {
			struct ir_request *q = ARENA_NEW(d->a, struct ir_request);

			*q = diff_keep_request(d->a, &t.now);
			f->readable = q;
		}
		arena_release(&a);
	}
}
