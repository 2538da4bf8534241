/*
 * The files that a command reads and writes, as its table says (the end of semantics
 * 4.4). May a pattern or a tree that it reads hold a path that a rule keeps from being
 * read? And what do the file rules say about the files that it writes?
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/part_files.h"
#include "runtime/decide/part_hidden.h"
#include "runtime/decide/path.h"

#define NONE UINT32_MAX

/* --- a pattern of paths and an automaton ------------------------------------------------ */

/* Pairs of a place in the pattern (from its first item that is not a byte on) and a
 * state. */
struct pairs {
	struct line_ctx *l;
	const struct cmd_pattern *g;
	const struct pb_automaton *a;
	uint64_t *seen;
	uint32_t *todo; /* (place - first) * nstates + state */
	uint32_t n, first, rule;
	bool (*is)(const struct pb_rule *r); /* which rules are looked for */
};

static void take_tags(struct pairs *x, uint32_t state)
{
	struct dfa_walk w = { .member = x->l->c->b->matcher, .a = x->a, .state = state };
	uint32_t n, i;
	const uint32_t *tags = dfa_tags(&w, &n);

	for (i = 0; i < n; i++) {
		const struct pb_rule *r = bundle_rule(x->l->c->b, tags[i]);

		if (x->is(r) && (r->scopes & x->l->c->scope) && tags[i] < x->rule)
			x->rule = tags[i];
	}
}

static void visit(struct pairs *x, uint32_t at, uint32_t state)
{
	uint32_t k = (at - x->first) * x->a->nstates + state;

	if (!state || (x->seen[k / 64] >> (k % 64) & 1))
		return;
	x->seen[k / 64] |= (uint64_t)1 << (k % 64);
	x->todo[x->n++] = k;
}

/* Can the item of the pattern stand for this byte? */
static bool stands_for(uint16_t item, uint8_t c)
{
	return item < 256 ? item == c : c && (item == CMD_G_DEEP || c != '/');
}

static uint32_t after(const struct pb_matcher *m, const struct pb_automaton *a, uint32_t state,
		      uint8_t c)
{
	struct dfa_walk w = { .member = m, .a = a, .state = state };

	dfa_feed(&w, (const char *)&c, 1);
	return w.state;
}

/* One byte of each class is enough, except for '/', which patterns treat differently. */
static void step(struct pairs *x, uint32_t at, uint32_t state)
{
	const struct pb_matcher *m = x->l->c->b->matcher;
	const uint8_t *cls = (const uint8_t *)m + x->a->cls;
	uint16_t item = x->g->v[at];
	uint32_t stay = item == CMD_G_STAR || item == CMD_G_DEEP ? at : at + 1;
	uint64_t done[4] = { 0 };

	if (item < 256) {
		visit(x, stay, after(m, x->a, state, (uint8_t)item));
		return;
	}
	if (stay == at)
		visit(x, at + 1, state);
	if (stands_for(item, '/'))
		visit(x, stay, after(m, x->a, state, '/'));
	for (unsigned c = 1; c < 256; c++) {
		uint8_t k = cls[c];

		if (c == '/' || !stands_for(item, (uint8_t)c) || (done[k / 64] >> (k % 64) & 1))
			continue;
		done[k / 64] |= (uint64_t)1 << (k % 64);
		visit(x, stay, after(m, x->a, state, (uint8_t)c));
	}
}

/* The places in the pattern after the bytes of the root. */
static void behind_root(struct pairs *x, const char *root, uint8_t *now, uint8_t *next)
{
	uint32_t n = x->g->n, i;

	memset(now, 0, n + 1);
	now[0] = 1;
	for (; *root; root++) {
		memset(next, 0, n + 1);
		for (i = 0; i < n; i++) {
			bool many = x->g->v[i] == CMD_G_STAR || x->g->v[i] == CMD_G_DEEP;

			if (!now[i])
				continue;
			if (many)
				now[i + 1] = 1;
			if (stands_for(x->g->v[i], (uint8_t)*root))
				next[many ? i : i + 1] = 1;
		}
		memcpy(now, next, n + 1);
	}
}

/* Starts at a place after the root: walks over the bytes that are known. */
static void enter(struct pairs *x, uint32_t at)
{
	uint32_t state = x->a->start;

	for (; at < x->first && state; at++)
		state = after(x->l->c->b->matcher, x->a, state, (uint8_t)x->g->v[at]);
	visit(x, at, state);
}

static void in_automaton(struct line_ctx *l, const struct cmd_pattern *g,
			 const struct pb_automaton *a, bool (*is)(const struct pb_rule *r),
			 uint32_t *rule)
{
	const char *root = l->c->roots.dir[a->root];
	struct pairs x = { .l = l, .g = g, .a = a, .rule = *rule, .is = is };
	struct pool pool = l->pool;
	uint8_t *places;
	uint64_t count;

	/* each pair is looked at once, and costs a step for each class */
	if (!root || !part_spend(l, g->n + 64))
		return;
	while (x.first < g->n && g->v[x.first] < 256)
		x.first++;
	count = (uint64_t)(g->n - x.first + 1) * a->nstates;
	places = pool_take(&l->pool, 2 * ((size_t)g->n + 1), 1);
	if (places && count < UINT32_MAX) {
		x.seen = pool_take(&l->pool, count / 64 + 1, sizeof(*x.seen));
		x.todo = pool_take(&l->pool, count, sizeof(*x.todo));
	}
	if (!x.seen || !x.todo) {
		l->work = 0;
		l->pool = pool;
		return;
	}
	memset(x.seen, 0, (count / 64 + 1) * sizeof(*x.seen));
	behind_root(&x, root[1] ? root : "", places, places + g->n + 1);
	for (uint32_t i = 0; i <= g->n; i++)
		if (places[i])
			enter(&x, i);
	while (x.n && part_spend(l, 16)) {
		uint32_t k = x.todo[--x.n], state = k % a->nstates;
		uint32_t at = x.first + k / a->nstates;

		if (at == g->n)
			take_tags(&x, state);
		else
			step(&x, at, state);
	}
	*rule = x.rule;
	l->pool = pool;
}

/* The first rule that keeps from being read, or asks about reading, something that the pattern may
 * match. */
static uint32_t secret_in(struct line_ctx *l, const struct cmd_pattern *g, bool asks)
{
	const struct pb_matcher *m = l->c->b->matcher;
	uint32_t rule = NONE;

	for (uint32_t i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);

		if (asks ? a->kind == PB_FILE && !a->except : a->hides && !a->except)
			in_automaton(l, g, a, asks ? part_asks : part_is_secret, &rule);
	}
	return rule;
}

/* --- what it reads ------------------------------------------------------------------------ */

static uint32_t holds_in(struct line_ctx *l, const struct cmd_part *p, const char *dir, bool asks)
{
	struct cmd_pattern *g = pool_take(&l->pool, 1, sizeof(*g));
	uint32_t rule = NONE, i;

	if (!g) {
		l->work = 0;
		return NONE;
	}
	if ((p->flags & CMD_READS_HERE) && dir && cmd_tree_pattern(dir, g))
		rule = secret_in(l, g, asks);
	for (i = 1; i < p->nwords && rule == NONE; i++)
		if ((p->words[i].places & CMD_P_READS) &&
		    cmd_word_pattern(&l->world, dir, &p->words[i],
				     p->words[i].places & CMD_P_TREE, g))
			rule = secret_in(l, g, asks);
	return rule;
}

uint32_t part_holds(struct line_ctx *l, const struct cmd_part *p, bool asks)
{
	struct pool pool = l->pool;
	uint32_t rule = NONE;
	const struct cmd_dir *d;

	d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	if (!d)
		rule = holds_in(l, p, NULL, asks);
	for (; d && rule == NONE; d = d->next) {
		l->pool = pool;
		rule = holds_in(l, p, d->path, asks);
	}
	l->pool = pool;
	return rule;
}

/* --- what it writes ------------------------------------------------------------------------- */

struct written {
	struct line_ctx *l;
	struct decision *ret;
	bool any;
	bool names; /* some word is read; a file of its name may be made in a directory */
};

/* What the rules say about writing there. What only `otherwise` says does not count. */
static void take(struct written *x, const char *path)
{
	const struct pb_rule *r;
	struct decision d;

	if (!part_spend_file(x->l, path))
		return;
	decide_file_names(x->l->c, &x->l->places, PB_WRITE, path, true, &d);
	r = bundle_rule(x->l->c->b, d.rule);
	if (d.effect == PB_ALLOW || !r || r->kind != PB_FILE)
		return;
	if (d.effect > PB_DENY)
		d.effect = PB_DENY;
	if (!x->any || d.effect > x->ret->effect)
		memcpy(x->ret, &d, offsetof(struct decision, matched));
	x->any = true;
}

/* The file; if it is a directory, the files that are written in it. */
static void take_text(struct written *x, const struct cmd_part *p, const char *path)
{
	size_t n = strlen(path), k;
	char in[CMD_GIVEN_MAX];
	const char *name;

	take(x, path);
	/* each word is looked at for each file that is written */
	if (!x->names || !part_spend(x->l, p->nwords / 16))
		return;
	for (uint32_t i = 0; cmd_name_in(p, i, &name, &k); i++) {
		if (!k || n + k + 2 > sizeof(in) || !part_spend(x->l, k + 1))
			continue;
		memcpy(in, path, n);
		in[n] = '/';
		memcpy(in + n + 1, name, k);
		in[n + 1 + k] = '\0';
		take(x, in);
	}
}

static void writes_in(struct written *x, const struct cmd_part *p, const char *dir)
{
	char path[CMD_GIVEN_MAX];
	const char *text;
	size_t n, at;
	bool home;

	for (uint32_t i = 1; i < p->nwords; i++) {
		for (uint32_t k = 0; cmd_name_here(&p->words[i], k, &text, &n); k++)
			if (part_spend(x->l, n + 8) &&
			    cmd_resolve_named(&x->l->world, dir, text, n, false, path, sizeof(path)))
				take(x, path);
		for (at = 0; (p->words[i].places & CMD_P_WRITES) &&
			     cmd_path_text(&p->words[i], false, &at, &text, &n, &home);)
			if (part_spend(x->l, n + 8) &&
			    part_path(x->l, dir, text, n, home, true, path))
				take_text(x, p, path);
	}
}

bool part_writes(struct line_ctx *l, const struct cmd_part *p, struct decision *ret)
{
	struct written x = { .l = l, .ret = ret };
	const struct cmd_dir *d;

	for (uint32_t i = 1; i < p->nwords; i++)
		x.names |= p->words[i].places & CMD_P_READS;

	d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	if (!d)
		writes_in(&x, p, NULL);
	for (; d; d = d->next)
		writes_in(&x, p, d->path);
	return x.any;
}

/* --- words that may name a file that the program writes --------------------------------------------- */

/* The rule (not `otherwise`) that keeps the name from being written, or asks. */
uint32_t part_kept_name(const struct line_ctx *l, const char *path)
{
	const struct pb_matcher *m = l->c->b->matcher;
	bool spoken_of = l->c->kept || (l->c->b->mounts && l->c->b->mounts->mounts.count);
	const struct pb_rule *r;
	struct decision d;

	/* few paths are, and deciding one costs more */
	for (uint32_t i = 0; i < m->automata.count && !spoken_of; i++) {
		const struct pb_automaton *a = dfa_at(m, i);
		const char *rest = path_rest(l->c->roots.dir[a->root], path);
		struct dfa_walk w;
		uint32_t n, k;
		const uint32_t *tags;

		if (a->kind != PB_FILE || a->except || !rest)
			continue;
		dfa_start(&w, m, a);
		dfa_feed(&w, rest, strlen(rest));
		tags = dfa_tags(&w, &n);
		for (k = 0; k < n && !spoken_of; k++)
			spoken_of = part_keeps(bundle_rule(l->c->b, tags[k]));
	}
	if (!spoken_of)
		return NONE;
	decide_file(l->c, PB_WRITE, path, &d);
	r = bundle_rule(l->c->b, d.rule);
	return d.effect != PB_ALLOW && r && r->kind == PB_FILE ? d.rule : NONE;
}

struct kept_by {
	const struct line_ctx *l;
	uint32_t rule;
};

static int take_kept(void *arg, const char *name)
{
	struct kept_by *x = arg;

	x->rule = part_kept_name(x->l, name);
	return x->rule != NONE;
}

/* The same for all names of the path. */
static uint32_t kept_path(struct line_ctx *l, const char *path)
{
	struct kept_by x = { l, NONE };

	if (!part_spend_file(l, path))
		return NONE;
	if (l->c->look)
		(void)l->c->look->names(&l->places, path, take_kept, &x);
	else
		(void)take_kept(&x, path);
	return x.rule;
}

/* The first rule that keeps from being written something that the pattern may match. */
static uint32_t kept_in(struct line_ctx *l, const struct cmd_pattern *g)
{
	const struct pb_matcher *m = l->c->b->matcher;
	uint32_t rule = NONE;

	for (uint32_t i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);

		if (a->kind == PB_FILE && !a->except)
			in_automaton(l, g, a, part_keeps, &rule);
	}
	return rule;
}

/* Does a name begin with the text that is kept so, or is the text without its end such a name
 * (`split FILE PREFIX`, `gunzip NAME.gz`)? */
static uint32_t kept_name(struct line_ctx *l, const char *dir, const char *text, size_t n, bool home)
{
	struct cmd_pattern *g = pool_take(&l->pool, 1, sizeof(*g));
	uint32_t rule, end;
	char path[PATH_MAX];

	if (!g) {
		l->work = 0;
		return NONE;
	}
	if (!cmd_begin_pattern(&l->world, dir, text, n, home, g) || g->n > sizeof(path))
		return NONE;
	rule = kept_in(l, g);
	for (end = 0; end + 1 < g->n; end++)
		path[end] = (char)g->v[end];
	for (; end && path[end - 1] != '/' && rule == NONE; end--) {
		path[end] = '\0';
		rule = kept_path(l, path);
	}
	return rule;
}

static uint32_t kept_number(struct line_ctx *l, const char *dir, const struct cmd_word *word)
{
	struct cmd_pattern *g;

	if (!cmd_has_number(word))
		return NONE;
	g = pool_take(&l->pool, 1, sizeof(*g));
	if (!g)
		l->work = 0;
	return g && cmd_word_pattern(&l->world, dir, word, false, g) ? kept_in(l, g) : NONE;
}

static uint32_t may_write_in(struct line_ctx *l, const struct cmd_part *p, const char *dir)
{
	struct pool pool = l->pool;
	uint32_t rule = NONE;
	char path[CMD_GIVEN_MAX];
	const char *text;
	size_t n, at;
	bool home;

	for (uint32_t i = 1; i < p->nwords && rule == NONE; i++) {
		if (!p->words[i].may_write)
			continue;
		rule = kept_number(l, dir, &p->words[i]);
		l->pool = pool;
		for (at = 0; rule == NONE &&
			     cmd_path_text(&p->words[i], true, &at, &text, &n, &home);) {
			if (!part_spend(l, n + 8))
				return NONE;
			if (part_path(l, dir, text, n, home, true, path))
				rule = kept_path(l, path);
			if (rule == NONE && (p->words[i].places & CMD_P_BEGINS))
				rule = kept_name(l, dir, text, n, home);
			l->pool = pool;
		}
	}
	return rule;
}

uint32_t part_may_write(struct line_ctx *l, const struct cmd_part *p)
{
	uint32_t rule = NONE;
	const struct cmd_dir *d;

	d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	if (!d)
		return may_write_in(l, p, NULL);
	for (; d && rule == NONE; d = d->next)
		rule = may_write_in(l, p, d->path);
	return rule;
}
