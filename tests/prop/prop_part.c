/*
 * May and must of one pattern on one simple command against enumeration: the
 * values of words that are not literal are written out, up to a length that
 * short patterns cannot see beyond, and each is compared word by word.  SEED=
 * and RUNS= in the environment.
 */
#include <stdio.h>

#include "compiler/eval/match_command.h"
#include "compiler/eval/match_program.h"
#include "tests/prop/runs.h"

#define USUAL 1500
#define MAX_WORDS 4
#define MAX_VALUE 40   /* bytes of a value of one word */
#define MAX_VALUES 3000

/* All that one word of the part can stand for: texts of words, each with a NUL. */
struct values {
	char text[MAX_VALUES][MAX_VALUE];
	uint8_t n[MAX_VALUES];
	size_t count;
};

static struct values values[MAX_WORDS];
static struct {
	unsigned long may, must, neither, cases, kinds[5];
} seen;

static const char letters[] = { 'a', 'b', '/', '!', '-', ':' };

/* --- values ------------------------------------------------------------------------- */

static void add_value(struct values *v, const char *p, size_t n)
{
	if (v->count == MAX_VALUES || n > MAX_VALUE) {
		puts("FAIL: the test writes out too few values");
		exit(1);
	}
	memcpy(v->text[v->count], p, n);
	v->n[v->count++] = (uint8_t)n;
}

/* Every text of at most `max` bytes, NUL among them where `ends`. */
static size_t texts(const char *out[], char *room, size_t max, bool ends)
{
	size_t count = 0, from = 0, i, k;

	out[count++] = room;
	*room = '\0';
	room += MAX_VALUE;
	for (size_t len = 0; len < max; len++) {
		size_t to = count;

		for (i = from; i < to; i++)
			for (k = 0; k < sizeof(letters) + ends; k++) {
				memcpy(room, out[i], MAX_VALUE);
				room[len] = k < sizeof(letters) ? letters[k] : '\n';
				room[len + 1] = '\0';
				out[count++] = room;
				room += MAX_VALUE;
			}
		from = to;
	}
	return count;
}

static char any_room[300 * MAX_VALUE], multi_room[MAX_VALUES * MAX_VALUE];
static const char *any_text[300], *multi_text[MAX_VALUES];
static size_t nany, nmulti;

/* The word with `mid` for what is not literal; '\n' of it ends words. */
static size_t spell(const struct sh_word *w, const char *mid, char *out)
{
	const struct sh_seg *s;
	size_t n = 0;

	for (s = &w->seg; s; s = s->next) {
		const char *p = s->kind == SH_LIT ? s->p : mid;
		size_t len = s->kind == SH_LIT ? s->n : strlen(mid);

		for (size_t i = 0; i < len; i++)
			out[n++] = p[i] == '\n' ? '\0' : p[i];
	}
	out[n++] = '\0';
	return n;
}

static void write_out(const struct sh_word *w, enum sh_seg_kind kind, bool bare,
		      struct values *v)
{
	char out[MAX_VALUE * 3], first[MAX_VALUE];
	size_t i, k, n, m;

	v->count = 0;
	if (kind == SH_LIT || kind == SH_GLOB) {
		n = spell(w, "*", out);
		add_value(v, out, n);
	}
	for (i = 0; kind == SH_MULTI && i < nmulti; i++) {
		n = spell(w, multi_text[i], out);
		add_value(v, out, n);
	}
	if (bare)
		add_value(v, "", 0);
	for (i = 0; (kind == SH_ANY || kind == SH_GLOB) && i < nany; i++) {
		n = spell(w, any_text[i], out);
		add_value(v, out, n);
	}
	/* two names of files, of two letters in place of the pattern */
	for (i = 0; kind == SH_GLOB && i < 43; i++) {
		m = spell(w, any_text[i], first);
		for (k = 0; k < 43; k++) {
			memcpy(out, first, m);
			n = m + spell(w, any_text[k], out + m);
			add_value(v, out, n);
		}
	}
}

/* --- one value against the pattern ----------------------------------------------------- */

struct concrete {
	const struct eval_asked *q;
	const struct ir_command *c;
	enum eval_side side;
	struct str words[MAX_WORDS * MAX_VALUE];
	size_t n;
};

static bool from_word(const struct concrete *v, size_t i, size_t at);

/* Broadly: what stands behind the pattern's last '/' is the base name. */
static bool match_base(const struct ir_glob *g, struct str base, enum eval_until until)
{
	struct ir_glob last = *g;
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->v[i].op == IR_G_BYTE && g->v[i].byte == '/')
			last = (struct ir_glob){ .v = g->v + i + 1, .n = g->n - i - 1 };
	return eval_match_glob(&last, base, EVAL_B_ANY, until);
}

static bool one_word(const struct concrete *v, size_t i, size_t at)
{
	bool last = i + 1 == v->c->nwords && v->c->tail;
	enum eval_until until = last ? EVAL_U_COLON : EVAL_U_END;
	const struct ir_glob *g = &v->c->words[i].glob;

	if (at == 0 && v->side == EVAL_BROAD)
		return match_base(g, eval_base_name(v->words[0]), until);
	if (at == 0)
		return eval_match_program(v->q, g, v->words[0], until).must;
	return eval_match_glob(g, v->words[at], v->side == EVAL_BROAD ? EVAL_B_ANY : EVAL_B_PLAIN,
			     until);
}

static bool from_word(const struct concrete *v, size_t i, size_t at)
{
	bool more = v->c->more && v->side == EVAL_BROAD;

	if (i + more == v->c->nwords)
		return more ? at < v->n : v->c->tail || at == v->n;
	if (v->c->words[i].any_words) {
		for (; at <= v->n; at++)
			if (from_word(v, i + 1, at))
				return true;
		return false;
	}
	return at < v->n && one_word(v, i, at) && from_word(v, i + 1, at + 1);
}

static void split(struct concrete *v, const char *p, size_t n)
{
	while (n) {
		size_t len = strlen(p);

		v->words[v->n++] = (struct str){ p, len };
		p += len + 1;
		n -= len + 1;
	}
}

/* Does some reading match: every choice of words that are left out? */
static bool value_matches(const struct eval_asked *q, const struct ir_command *c,
			  enum eval_side side, const size_t pick[MAX_WORDS])
{
	static struct concrete v;
	const struct cmd_part *p = q->part;
	unsigned without, i;

	for (without = 0; without < 1u << p->nwords; without++) {
		bool ok = true;

		v = (struct concrete){ .q = q, .c = c, .side = side };
		for (i = 0; i < p->nwords; i++) {
			if (!(without >> i & 1))
				split(&v, values[i].text[pick[i]], values[i].n[pick[i]]);
			else
				ok &= side == EVAL_BROAD &&
				      (p->words[i].roles & ~CMD_W_OPERAND);
		}
		if (ok && from_word(&v, 0, 0))
			return true;
	}
	return false;
}

static struct eval_match enumerate(const struct eval_asked *q, const struct ir_command *c,
				 enum eval_side side)
{
	struct eval_match m = { false, true };
	size_t pick[MAX_WORDS] = { 0 }, i;

	for (;;) {
		bool yes = value_matches(q, c, side, pick);

		m.may |= yes;
		m.must &= yes;
		for (i = 0; i < q->part->nwords; i++) {
			if (++pick[i] < values[i].count)
				break;
			pick[i] = 0;
		}
		if (i == q->part->nwords || (m.may && !m.must))
			return m;
	}
}

/* --- random cases ------------------------------------------------------------------------ */

static const char *const names[] = { "a", "b", "/bin/a", "./a", "x/b", "a!" };
static const char *const words[] = { "a", "b", "-a", "--", "ab", "", "!", "a:b" };
static const char *const pieces[] = { "a", "b", "-", ":" };

static struct sh_seg lit(const char *z)
{
	return (struct sh_seg){ .p = z, .n = (uint32_t)strlen(z), .kind = SH_LIT };
}

/* Literal, or one segment of another kind with a letter on one side, or alone. */
static struct sh_word *word(struct rnd *r, bool program, bool *dynamic)
{
	struct sh_word *w = ARENA_NEW(r->a, struct sh_word);
	struct sh_seg *s = ARENA_NEW(r->a, struct sh_seg);
	static const enum sh_seg_kind kinds[] = { SH_ANY, SH_MULTI, SH_GLOB };
	uint32_t form = rnd_below(r, 3);

	w->seg = lit(program ? RND_PICK(r, names) : RND_PICK(r, words));
	if (*dynamic || !rnd_one_in(r, program ? 6 : 2))
		return w;
	*dynamic = true;
	*s = (struct sh_seg){ .p = "*", .n = 1, .kind = RND_PICK(r, kinds) };
	if (form == 0) {
		w->seg = *s;
	} else if (form == 1) {
		w->seg = lit("a");
		w->seg.next = s;
	} else {
		struct sh_seg *after = ARENA_NEW(r->a, struct sh_seg);

		*after = lit("b");
		s->next = after;
		w->seg = *s;
	}
	return w;
}

static enum sh_seg_kind kind_of(const struct sh_word *w)
{
	const struct sh_seg *s;

	for (s = &w->seg; s; s = s->next)
		if (s->kind != SH_LIT)
			return s->kind;
	return SH_LIT;
}

static void random_part(struct rnd *r, struct cmd_part *p)
{
	bool dynamic = false;
	uint32_t i;

	p->nwords = 1 + rnd_below(r, MAX_WORDS);
	p->words = arena_array(r->a, p->nwords, sizeof(*p->words));
	for (i = 0; i < p->nwords; i++) {
		struct sh_word *w = word(r, i == 0, &dynamic);

		p->words[i].w = w;
		p->words[i].roles = i == 0 ? 0 : (uint8_t)(1 + rnd_below(r, 15));
		write_out(w, kind_of(w), kind_of(w) == SH_MULTI && !w->seg.next,
			  &values[i]);
		seen.kinds[kind_of(w)]++;
	}
}

/* Short enough that the values above show every difference. */
static struct ir_glob short_glob(struct rnd *r)
{
	struct rnd_glob g = { { NULL, 0, 0 } };
	uint32_t i, n = 1 + rnd_below(r, 2);

	for (i = 0; i < n; i++) {
		if (rnd_one_in(r, 3))
			rnd_add(r, &g, rnd_one_in(r, 2) ? IR_G_STAR : IR_G_ONE, 0);
		else
			rnd_text(r, &g, RND_PICK(r, pieces));
	}
	return rnd_done(&g);
}

static struct ir_command random_pattern(struct rnd *r, enum eval_side side)
{
	struct ir_command c = { .text = STR("pattern") };
	size_t i;

	c.nwords = 1 + rnd_below(r, 3);
	c.words = arena_array(r->a, c.nwords, sizeof(*c.words));
	for (i = 0; i < c.nwords; i++) {
		c.words[i].any_words = i && rnd_one_in(r, 4);
		if (!c.words[i].any_words)
			c.words[i].glob = i || rnd_one_in(r, 2) ?
						  short_glob(r) :
						  rnd_glob_of(r, RND_PICK(r, names));
	}
	if (!c.words[c.nwords - 1].any_words && rnd_one_in(r, 3)) {
		c.tail = true;
	} else if (side == EVAL_BROAD && rnd_one_in(r, 4)) {
		struct rnd_glob star = { { NULL, 0, 0 } };

		rnd_add(r, &star, IR_G_STAR, 0);
		c.words[c.nwords - 1] = (struct ir_word){ .glob = rnd_done(&star) };
		c.more = true;
	}
	return c;
}

/* --- cases of each kind -------------------------------------------------------------------- */

/* One case in so many is of these kinds, in turn: no answer is left to chance. */
#define SURE_EACH 2
enum { SURE_MUST, SURE_NOT, SURE_ANY, SURE_MULTI, SURE_GLOB, SURE_COUNT };

static void sure_word(struct rnd *r, struct cmd_part *p, uint32_t at, enum sh_seg_kind kind)
{
	struct sh_word *w = ARENA_NEW(r->a, struct sh_word);

	if (kind == SH_LIT)
		w->seg = lit(at ? RND_PICK(r, words) : "a");
	else
		w->seg = (struct sh_seg){ .p = "*", .n = 1, .kind = kind };
	p->words[at].w = w;
	p->words[at].roles = at ? (uint8_t)(1 + rnd_below(r, 15)) : 0;
	write_out(w, kind, kind == SH_MULTI, &values[at]);
	seen.kinds[kind]++;
}

/* `a WORD`, and "a **", "b **" or "a b". */
static struct ir_command sure_case(struct rnd *r, struct cmd_part *p, unsigned sure)
{
	static const enum sh_seg_kind kinds[SURE_COUNT] = { [SURE_ANY] = SH_ANY,
							    [SURE_MULTI] = SH_MULTI,
							    [SURE_GLOB] = SH_GLOB };
	bool dynamic = sure >= SURE_ANY;
	struct ir_command c = { .text = STR("pattern"), .nwords = 2 };

	p->nwords = 2;
	p->words = arena_array(r->a, 2, sizeof(*p->words));
	sure_word(r, p, 0, SH_LIT);
	sure_word(r, p, 1, dynamic ? kinds[sure] : SH_LIT);
	c.words = arena_array(r->a, 2, sizeof(*c.words));
	c.words[0].glob = rnd_glob_of(r, sure == SURE_NOT ? "b" : "a");
	c.words[1].any_words = !dynamic;
	if (dynamic)
		c.words[1].glob = rnd_glob_of(r, "b");
	return c;
}

static bool differ(const struct eval_match *got, const struct eval_match *want, bool exact)
{
	if (exact)
		return got->may != want->may || got->must != want->must;
	return (got->must && !want->must) || (want->may && !got->may);
}

/*
 * An allow takes a program that is not known for any, and of any number of
 * words the values written out are too short for long patterns.
 */
static bool is_exact(const struct cmd_part *p, const struct ir_command *c,
		     enum eval_side side)
{
	enum sh_seg_kind program = kind_of(p->words[0].w);
	uint32_t i;

	if (program != SH_LIT && (side == EVAL_NARROW || program == SH_MULTI))
		return false;
	for (i = 0; i < p->nwords; i++) {
		if (kind_of(p->words[i].w) == SH_GLOB)
			return false;
		if (kind_of(p->words[i].w) == SH_MULTI)
			return c->nwords <= 2;
	}
	return true;
}

static bool one_case(struct rnd *r)
{
	static const struct ir no_policy;
	static const struct line_facts no_facts;
	enum eval_side side = rnd_one_in(r, 2) ? EVAL_BROAD : EVAL_NARROW;
	struct cmd_world world = { &no_facts, "/p", "/h", "/p", true };
	struct ir_request req = { .kind = IR_COMMAND };
	struct cmd_dir dir = { "/p", NULL };
	struct cmd_part part = { .kind = CMD_COMMAND, .dirs = &dir };
	struct eval_asked q = { &no_policy, &req, &world, &part };
	struct ir_command c;
	struct eval_match got, want;

	if (r->seed % SURE_EACH) {
		random_part(r, &part);
		c = random_pattern(r, side);
	} else {
		c = sure_case(r, &part, (unsigned)(r->seed / SURE_EACH % SURE_COUNT));
	}
	got = eval_match_command(&q, &c, side);
	want = enumerate(&q, &c, side);
	seen.cases++;
	seen.may += got.may && !got.must;
	seen.must += got.must;
	seen.neither += !got.may;
	if (!differ(&got, &want, is_exact(&part, &c, side)))
		return true;
	printf("FAIL: %s, may %d must %d, and of the values may %d must %d\n",
	       side == EVAL_BROAD ? "broad" : "narrow", got.may, got.must, want.may,
	       want.must);
	printf("pattern tail %d more %d:", c.tail, c.more);
	for (size_t i = 0; i < c.nwords; i++) {
		printf(c.words[i].any_words ? " **" : " ");
		for (size_t k = 0; k < c.words[i].glob.n; k++)
			printf("%c", c.words[i].glob.v[k].op == IR_G_STAR ? '*' :
				     c.words[i].glob.v[k].op == IR_G_ONE ? '?' :
				     c.words[i].glob.v[k].byte);
	}
	printf("\ncommand:");
	for (uint32_t i = 0; i < part.nwords; i++) {
		const struct sh_seg *s;

		printf(" [%x]", part.words[i].roles);
		for (s = &part.words[i].w->seg; s; s = s->next)
			printf("%s", s->kind == SH_LIT ? s->p : s->kind == SH_ANY ? "<any>" :
				     s->kind == SH_MULTI ? "<multi>" : "<glob>");
	}
	puts("");
	return false;
}

static int need(const char *what, unsigned long n)
{
	if (n)
		return 0;
	printf("FAIL: no case %s\n", what);
	return 1;
}

int main(void)
{
	unsigned long n;
	int bad = 0;

	nany = texts(any_text, any_room, 3, false);
	nmulti = texts(multi_text, multi_room, 4, true);
	if (!prop_runs(USUAL, one_case, &n))
		return 1;
	if (n >= SURE_EACH * SURE_COUNT) {
		bad += need("may and need not match", seen.may);
		bad += need("must match", seen.must);
		bad += need("does not match", seen.neither);
		bad += need("with any text in a word", seen.kinds[SH_ANY]);
		bad += need("with words of any number", seen.kinds[SH_MULTI]);
		bad += need("with names of files", seen.kinds[SH_GLOB]);
	}
	printf("%lu cases: %lu must, %lu may, %lu do not\n", seen.cases, seen.must, seen.may,
	       seen.neither);
	printf("%d passed, %d failed, 0 skipped\n", bad ? 0 : 1, bad ? 1 : 0);
	return bad ? 1 : 0;
}
