/*
 * Does a literal word name a path that the file rules hide (the end of
 * semantics 4.4)?  Few words do: each is walked through the file automata
 * once, from the state that its directory leads to, and only where a hide
 * rule ends there the file itself is decided.
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/part.h"

#define MAX_AUTOMATA 16 /* more: each word is decided in full */

/* The states behind one directory. */
struct behind {
	const char *dir;
	uint32_t number[MAX_AUTOMATA], state[MAX_AUTOMATA], n;
	bool usable;
};

static bool may_hide(const struct bundle *b, const struct dfa_walk *w)
{
	uint32_t n, i;
	const uint32_t *tags = dfa_tags(w, &n);

	for (i = 0; i < n; i++)
		if (bundle_rule(b, tags[i])->effect == PB_HIDE)
			return true;
	return false;
}

/* Can the automaton tag a hide at all? */
static bool has_hide(const struct bundle *b, const struct pb_automaton *a)
{
	const uint32_t *tags = (const void *)((const uint8_t *)b->matcher + a->tags);
	uint32_t i;

	for (i = 0; i < a->ntags; i++)
		if (bundle_rule(b, tags[i])->effect == PB_HIDE)
			return true;
	return false;
}

/* Where names in the directory begin: its rest under each root, and a '/'. */
static void go_behind(const struct line_ctx *l, const char *dir, struct behind *ret)
{
	const struct pb_matcher *m = l->c->b->matcher;
	uint32_t i;

	*ret = (struct behind){ .dir = dir, .usable = true };
	for (i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);
		const char *rest;
		struct dfa_walk w;

		if (a->kind != PB_FILE || a->except || !has_hide(l->c->b, a))
			continue;
		rest = path_rest(l->c->roots.dir[a->root], dir);
		if (!rest) {
			/* the root may lie below the directory */
			const char *root = l->c->roots.dir[a->root];

			if (root && path_rest(dir, root))
				ret->usable = false;
			continue;
		}
		if (ret->n == MAX_AUTOMATA) {
			ret->usable = false;
			return;
		}
		dfa_start(&w, m, a);
		dfa_feed(&w, rest, strlen(rest));
		dfa_feed(&w, "/", 1);
		if (!w.state)
			continue;
		ret->number[ret->n] = i;
		ret->state[ret->n++] = w.state;
	}
}

/* A name below a directory in one spelling: no '/' in front, no ".", "..", "//". */
static bool is_plain_name(const char *p, size_t n)
{
	size_t i, from = 0;

	for (i = 0; i <= n; i++) {
		if (i < n && p[i] != '/')
			continue;
		if (i == from || (p[from] == '.' && (i - from == 1 ||
						     (i - from == 2 && p[from + 1] == '.'))))
			return false;
		from = i + 1;
	}
	return true;
}

static bool may_be_hidden(const struct line_ctx *l, const struct behind *b, const char *p,
			  size_t n)
{
	const struct pb_matcher *m = l->c->b->matcher;
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		struct dfa_walk w = { m, dfa_at(m, b->number[i]), b->state[i] };

		dfa_feed(&w, p, n);
		if (w.state && may_hide(l->c->b, &w))
			return true;
	}
	return false;
}

static uint32_t hidden_path(const struct line_ctx *l, const char *path)
{
	static const uint8_t ops[] = { PB_READ, PB_WRITE, PB_EXEC };
	size_t i;

	for (i = 0; i < sizeof(ops); i++) {
		struct decision d;

		decide_file(l->c, ops[i], path, &d);
		if (d.effect == PB_HIDE)
			return d.rule;
	}
	return UINT32_MAX;
}

static uint32_t hidden_text(const struct line_ctx *l, const struct behind *b,
			    const char *p, size_t n, bool home)
{
	char path[PATH_MAX];

	if (b->usable && !home && is_plain_name(p, n) && !may_be_hidden(l, b, p, n))
		return UINT32_MAX;
	if (!cmd_resolve(&l->world, b->dir, p, n, home, path, sizeof(path)))
		return UINT32_MAX;
	return hidden_path(l, path);
}

static uint32_t hidden_in(struct line_ctx *l, const struct cmd_part *p, const char *dir)
{
	uint32_t rule = UINT32_MAX, i;
	struct behind b = { .dir = dir };
	const char *text;
	unsigned k;
	size_t n;
	bool home;

	if (dir && (!l->c->b->mounts || l->c->b->mounts->mounts.count == 0))
		go_behind(l, dir, &b);
	for (i = 0; i < p->nwords && rule == UINT32_MAX; i++)
		for (k = 0; rule == UINT32_MAX &&
			    cmd_path_text(&p->words[i], k, &text, &n, &home); k++) {
			if (!part_spend(l, n + 8))
				return rule;
			rule = hidden_text(l, &b, text, n, home);
		}
	return rule;
}

uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p)
{
	uint32_t rule = UINT32_MAX;
	const struct cmd_dir *d;

	if (p->dirs_unknown || !p->dirs)
		return hidden_in(l, p, NULL);
	for (d = p->dirs; d && rule == UINT32_MAX; d = d->next)
		rule = hidden_in(l, p, d->path);
	return rule;
}
