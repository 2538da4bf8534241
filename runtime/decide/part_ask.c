/*
 * Asks the automata about one command: those of its program's name and those for any
 * program. If the program is not known, all names are asked.
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/part_ask.h"
#include "runtime/decide/part_needle.h"
#include "runtime/decide/path.h"
#include "runtime/decide/walk_ask.h"

/* --- asking ------------------------------------------------------------------------------- */

static struct walk walk_of(struct call *c, bool broad, uint32_t from)
{
	return (struct walk){
		.m = c->m,
		.words = c->words + from,
		.n = c->p->nwords - from,
		.lead = "",
		.appends = c->p->flags & CMD_APPENDS,
		.broad = broad,
		.pool = c->l->pool,
		.may = &c->l->may,
		.must = c->must,
		.work = &c->l->work,
	};
}

static void ask(struct call *c, struct walk *w, const struct pb_name *name)
{
	uint32_t first = w->broad ? name->broad : name->narrow;
	uint32_t n = w->broad ? name->nbroad : name->nnarrow, i;
	uint32_t rare = w->broad ? name->broad_rare : name->narrow_rare;
	const struct rare_found *found = rare ? call_rare(c) : NULL;

	w->pool = c->l->pool;
	n -= found ? rare : 0;
	for (i = first; i < first + n; i++)
		walk_ask(w, pb_at(w->m, w->m->commands, sizeof(struct pb_automaton), i));
	if (found)
		rare_ask(w, found, i, rare);
}

static const struct pb_name *find_name(const struct pb_matcher *m, const char *p,
				       uint32_t n)
{
	const uint32_t *slots = pb_at(m, m->slots, sizeof(*slots), 0);
	uint32_t mask = m->slots.count - 1, k;

	for (k = pb_hash(p, n) & mask; slots[k]; k = (k + 1) & mask) {
		const struct pb_name *name = call_name(m, slots[k]);

		if (name->name.len == n && memcmp(pb_strp(m, name->name), p, n) == 0)
			return name;
	}
	return NULL;
}

bool call_may_begin(const struct line_ctx *l, const char *p, size_t n)
{
	const struct pb_matcher *m = l->c->b->matcher;
	const struct pb_name *any = call_name(m, PB_NAME_ANY), *name;
	const char *slash = n ? memrchr(p, '/', n) : NULL;
	uint32_t i;

	n -= slash ? (size_t)(slash + 1 - p) : 0;
	p = slash ? slash + 1 : p;
	if (n > NAME_MAX || memchr(p, ':', n))
		return true;
	name = find_name(m, p, (uint32_t)n);
	if (name && name->nbroad)
		return true;
	for (i = any->broad; i < any->broad + any->nbroad; i++) {
		struct dfa_walk w;

		dfa_start(&w, m, pb_at(m, m->commands, sizeof(struct pb_automaton), i));
		dfa_feed(&w, p, n);
		dfa_feed(&w, "", 1);
		if (w.state)
			return true;
	}
	return false;
}

static bool is_plain(const char *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
		      (p[i] >= '0' && p[i] <= '9') || (p[i] && strchr("._:@+-", p[i]))))
			return false;
	return true;
}

/* "npm:*" also matches the program "npm:ci": its name is "npm:/". */
static void ask_going_on(struct call *c, struct walk *broad, struct walk *narrow)
{
	char *key = pool_take(&c->l->pool, (size_t)c->base_n + 1, 1);
	const struct pb_name *name;
	uint32_t i;

	if (!key || !part_spend(c->l, (uint64_t)c->base_n * c->base_n / 64)) {
		c->l->work = 0;
		return;
	}
	for (i = 0; i < c->base_n; i++) {
		key[i] = c->base[i];
		if (key[i] != ':')
			continue;
		key[i + 1] = '/';
		name = find_name(c->m, key, i + 2);
		if (!name)
			continue;
		ask(c, broad, name);
		if (c->trusted && is_plain(c->base + i, c->base_n - i))
			ask(c, narrow, name);
	}
}

/* Asks the clauses that spell out the program. */
static void ask_named(struct call *c)
{
	struct walk broad = walk_of(c, true, 1), narrow = walk_of(c, false, 1);
	const struct pb_name *name = find_name(c->m, c->base, c->base_n);

	if (name) {
		ask(c, &broad, name);
		if (c->trusted)
			ask(c, &narrow, name);
	}
	if (memchr(c->base, ':', c->base_n))
		ask_going_on(c, &broad, &narrow);
}

/* --- any program, narrowly: by its name or as a file ------------------------------------------ */

struct column {
	char text[3 * PATH_MAX + 16];
	size_t n;
};

static bool put(struct column *t, const char *p, size_t n)
{
	if (sizeof(t->text) - t->n < n)
		return false;
	memcpy(t->text + t->n, p, n);
	t->n += n;
	return true;
}

static bool put_place(struct column *t, const char *p)
{
	return (!p || (put(t, "=", 1) && put(t, p, strlen(p)))) && put(t, "", 1);
}

/* The program as a name, not as a file. */
static bool fill_name(const struct call *c, struct column *t)
{
	t->n = 0;
	return put(t, c->base, c->base_n) && put(t, "", 1) && put_place(t, NULL) &&
	       put_place(t, NULL);
}

/* The program as a file, in one directory. */
static bool fill_file(const struct call *c, const char *dir, struct column *t)
{
	const char *rest = NULL;
	char path[PATH_MAX];
	bool known = cmd_resolve(&c->l->world, dir, c->program, c->program_n, false, path,
				 sizeof(path));

	t->n = 0;
	if (known)
		rest = path_rest(c->l->world.project, path);
	/* "/" is not a program: nothing is left of it */
	if (known && !path[1])
		path[0] = '\0';
	return put(t, "/", 2) && put_place(t, rest && rest[0] ? rest + 1 : NULL) &&
	       put_place(t, known ? path : NULL);
}

static void ask_column(struct call *c, const struct column *t, unsigned holes)
{
	struct walk w = walk_of(c, false, 1);

	w.lead = t->text;
	w.lead_n = t->n;
	w.holes = holes;
	w.may_only = holes > 0;
	ask(c, &w, call_name(c->m, PB_NAME_ANY));
}

/* A relative file in several directories: only what is sure in each of them is sure. */
static void ask_dirs(struct call *c, struct column *t)
{
	uint32_t n = c->m->clauses.count, i;
	struct bits *all = c->must, was, now, both, swap;
	const struct cmd_dir *d;

	if (!pool_bits(&c->l->pool, n, &was) || !pool_bits(&c->l->pool, n, &now) ||
	    !pool_bits(&c->l->pool, n, &both))
		return;
	for (d = c->p->dirs; d; d = d->next) {
		bits_clear(&now);
		c->must = &now;
		if (fill_file(c, d->path, t))
			ask_column(c, t, 0);
		bits_clear(&both);
		BITS_EACH(&now, i)
			if (d == c->p->dirs || bits_has(&was, i))
				bits_add(&both, i);
		swap = was;
		was = both;
		both = swap;
	}
	c->must = all;
	BITS_EACH(&was, i)
		bits_add(all, i);
}

static void ask_any_narrow(struct call *c)
{
	struct column t;

	if (!call_name(c->m, PB_NAME_ANY)->nnarrow || c->no_allow)
		return;
	if (c->trusted && fill_name(c, &t))
		ask_column(c, &t, 0);
	if (c->base == c->program)
		return;
	if (c->program[0] == '/') {
		if (fill_file(c, NULL, &t))
			ask_column(c, &t, 0);
	} else if (c->p->dirs && !c->p->dirs_unknown) {
		ask_dirs(c, &t);
	} else {
		t.n = 0;
		if (put(&t, "/", 2))
			ask_column(c, &t, 2);
	}
}

/* --- programs that are not known ---------------------------------------------------------------- */

/*
 * Most names have one of a few automata ("ls *", "cat *"), whose moves are stored in the
 * bundle once. If a walk gives the same result for every name, it is done once for those
 * moves, and its end is passed to every automaton that has them.
 */
#define SHAPES 64

struct shape {
	const struct pb_automaton *a;
	struct walk_ends ends;
};

struct shapes {
	struct shape v[SHAPES];
	const struct walk_word *may_be[8]; /* literal words that may be the program, … */
	uint32_t nmay_be;                  /* … because the words before them may
	                                      vanish */
	bool usable;
};

static bool same_moves(const struct pb_automaton *a, const struct pb_automaton *b)
{
	return a->states == b->states && a->moves == b->moves && a->cls == b->cls &&
	       a->start == b->start && a->nstates == b->nstates;
}

/* Are some bytes of a last component known, so that they may be a name's? */
static bool has_name(const struct sh_seg *s)
{
	for (; s; s = s->next)
		if (s->kind == SH_LIT && s->n && s->p[s->n - 1] != '/')
			return true;
	return false;
}

/* Finds out whether all names give the same result, except those of the words in
 * may_be. */
static void find_shapes(const struct call *c, bool broad, struct shapes *ret)
{
	uint32_t n = c->p->nwords, i;

	for (i = 0; i < SHAPES; i++)
		ret->v[i].a = NULL;
	ret->nmay_be = 0;
	ret->usable = !broad || !has_name(c->words[0].seg);
	for (i = 0; broad && ret->usable && i + 1 < n &&
		    (c->words[i].vanish || c->words[i].skip); i++) {
		const struct walk_word *next = &c->words[i + 1];

		if (next->literal && ret->nmay_be < 8)
			ret->may_be[ret->nmay_be++] = next;
		else if (next->literal || has_name(next->seg))
			ret->usable = false;
	}
}

/* May one of the words in may_be be a program whose name is, or begins with, this
 * name? */
static bool may_be_named(const struct shapes *s, const struct walk *w)
{
	uint32_t i;

	for (i = 0; i < s->nmay_be; i++) {
		const struct sh_seg *g = s->may_be[i]->seg;
		const char *slash = g->n ? memrchr(g->p, '/', g->n) : NULL;
		const char *base = slash ? slash + 1 : g->p;
		size_t n = g->n - (size_t)(base - g->p);

		if (n >= w->name_n && memcmp(base, w->name, w->name_n) == 0)
			return true;
	}
	return false;
}

static void ask_shapes(struct walk *w, const struct pb_name *name, struct shapes *s)
{
	uint32_t first = w->broad ? name->broad : name->narrow;
	uint32_t n = w->broad ? name->nbroad : name->nnarrow, i;
	bool own = !s->usable || (w->broad && may_be_named(s, w));

	for (i = first; i < first + n; i++) {
		const struct pb_automaton *a =
			pb_at(w->m, w->m->commands, sizeof(*a), i);
		struct shape *h = &s->v[(a->states / 8 + a->moves / 4) % SHAPES];

		if (own) {
			walk_ask(w, a);
			continue;
		}
		if (h->a && same_moves(h->a, a)) {
			walk_ask_at(w, a, &h->ends);
			continue;
		}
		h->ends.known = false;
		w->ends = &h->ends;
		walk_ask(w, a);
		w->ends = NULL;
		h->a = h->ends.known ? a : NULL;
	}
}

/* Time: looks at every name, and walks every shape of automaton. */
void call_ask_all(struct call *c)
{
	struct walk broad = walk_of(c, true, 0), narrow = walk_of(c, false, 0);
	struct shapes of_broad, of_narrow;
	uint32_t i;

	ask(c, &broad, call_name(c->m, PB_NAME_ANY));
	narrow.may_only = true;
	narrow.column = WALK_ANY;
	narrow.holes = 3;
	ask(c, &narrow, call_name(c->m, PB_NAME_ANY));
	narrow.holes = 0;
	broad.column = WALK_NAME;
	find_shapes(c, true, &of_broad);
	find_shapes(c, false, &of_narrow);
	/* the program may also have another name, so none of the names is sure */
	broad.may_only = !has_name(c->words[0].seg) && !c->words[0].skip;
	for (i = PB_NAME_FIRST; i < c->m->names.count; i++) {
		const struct pb_name *name = call_name(c->m, i);

		broad.name = pb_strp(c->m, name->name);
		broad.name_n = name->name.len;
		/* the '/' in "npm:/" says that the program's name goes on */
		broad.goes_on = broad.name_n && broad.name[broad.name_n - 1] == '/';
		broad.name_n -= broad.goes_on;
		ask_shapes(&broad, name, &of_broad);
		ask_shapes(&narrow, name, &of_narrow);
	}
}

void call_ask_known(struct call *c)
{
	struct walk any = walk_of(c, true, 1);
	char base[NAME_MAX + 2];

	any.lead = base;
	any.lead_n = c->base_n + 1;
	if (c->base_n <= NAME_MAX) {
		memcpy(base, c->base, c->base_n);
		base[c->base_n] = '\0';
	} else {
		any = walk_of(c, true, 0);
	}
	ask(c, &any, call_name(c->m, PB_NAME_ANY));
	ask_named(c);
	ask_any_narrow(c);
}

/* --- regular expressions -------------------------------------------------------------------------- */

static void search(struct call *c, bool broad, const char *text, size_t n)
{
	struct walk w = walk_of(c, broad, c->p->nwords);

	w.lead = text;
	w.lead_n = n;
	w.appends = false;
	ask(c, &w, call_name(c->m, PB_NAME_REGEX));
}

void call_ask_regexes(struct call *c)
{
	const struct pb_name *name = call_name(c->m, PB_NAME_REGEX);
	size_t skip = (size_t)(c->base - c->program), n;
	char *text;

	if (name->nnarrow && c->trusted) {
		text = call_join(c, false, skip, &n);
		if (text)
			search(c, false, text, n);
	}
	if (!name->nbroad)
		return;
	text = call_join(c, true, skip, &n);
	if (text)
		search(c, true, text, n);
	if (skip && text) {
		text = call_join(c, true, 0, &n);
		if (text)
			search(c, true, text, n);
	}
	/* a deny rule was not asked: a line past a limit is never allowed */
	if (!text)
		c->l->work = 0;
}

void call_ask_regexes_of_unknown(struct call *c)
{
	const struct pb_name *name = call_name(c->m, PB_NAME_REGEX);
	const char *lead[2] = { c->base, c->program };
	size_t n[2] = { c->base_n, c->program_n };

	for (unsigned k = 0; k < (c->base == c->program ? 1u : 2u); k++) {
		struct walk w = walk_of(c, true, 0);

		w.lead = lead[k];
		w.lead_n = n[k];
		for (uint32_t i = name->broad; i < name->broad + name->nbroad; i++) {
			w.pool = c->l->pool;
			walk_ask_text(&w, pb_at(w.m, w.m->commands, sizeof(struct pb_automaton), i));
		}
	}
}
