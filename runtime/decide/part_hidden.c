/*
 * Does a literal word name a path that the file rules hide, or that a rule denies reading
 * (the end of semantics 4.4)? Few words do. Each word is walked through the file automata
 * once, from the state to which its directory leads. Only if a hide rule ends there is
 * the file itself decided.
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/combine.h"
#include "runtime/decide/part_hidden.h"

#include "runtime/base/place.h"
#include "runtime/decide/path.h"

static bool may_hide(const struct bundle *b, const struct dfa_walk *w)
{
	uint32_t n, i;
	const uint32_t *tags = dfa_tags(w, &n);

	for (i = 0; i < n; i++)
		if (part_is_secret(bundle_rule(b, tags[i])))
			return true;
	return false;
}

/* Are '/' and NUL each the only byte of their class? */
static bool ends_are_apart(const struct pb_matcher *m, const struct pb_automaton *a)
{
	const uint8_t *cls = (const uint8_t *)m + a->cls;

	return !memchr(cls, cls['/'], '/') &&
	       !memchr(cls + '/' + 1, cls['/'], 255 - '/') && !memchr(cls + 1, cls[0], 255);
}

/* Walks to where names in the directory begin: its rest under each root, and a '/'. */
static void enter_hidden(const struct line_ctx *l, const char *dir,
			 struct hidden_at *ret)
{
	const struct pb_matcher *m = l->c->b->matcher;
	uint32_t i;

	ret->dir = dir;
	ret->usable = true;
	ret->n = 0;
	for (i = 0; i < m->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(m, i);
		const char *rest, *root = l->c->roots.dir[a->root];
		struct dfa_walk w;

		if (!a->hides || a->except)
			continue;
		rest = path_rest(root, dir);
		if (!rest) {
			/* the root may lie below the directory */
			if (root && path_rest(dir, root))
				ret->usable = false;
			continue;
		}
		if (ret->n == HIDDEN_STATES_MAX) {
			ret->usable = false;
			return;
		}
		dfa_start(&w, m, a);
		dfa_feed(&w, rest, strlen(rest));
		dfa_feed(&w, "/", 1);
		if (!w.state)
			continue;
		ret->ends_differ[ret->n] = ends_are_apart(m, a);
		ret->at[ret->n++] = w;
	}
}

/* The states after the directory. Those of the last directory are kept. */
static const struct hidden_at *hidden_at(struct line_ctx *l, const char *dir)
{
	struct hidden_at *b = &l->hidden_at;

	if (b->dir && dir && (b->dir == dir || strcmp(b->dir, dir) == 0))
		return b;
	b->dir = dir;
	b->usable = false;
	if (dir && (!l->c->b->mounts || l->c->b->mounts->mounts.count == 0))
		enter_hidden(l, dir, b);
	return b;
}

/* Is it a name below a directory in its only spelling: no leading '/', no ".", "..",
 * "//"? */
static bool is_plain_name(const char *p, size_t n)
{
	const char *end = p + n, *slash;

	for (;; p = slash + 1) {
		slash = memchr(p, '/', (size_t)(end - p));
		n = (size_t)((slash ? slash : end) - p);
		if (!n || (p[0] == '.' && (n == 1 || (n == 2 && p[1] == '.'))))
			return false;
		if (!slash)
			return true;
	}
}

/* Walks over one component, which ends at '/' and NUL. Stops early in a state that only
 * these two leave. */
static uint32_t over_name(const struct dfa_walk *w, const char *p, size_t n)
{
	const uint8_t *m = (const uint8_t *)w->member, *cls = m + w->a->cls;
	const struct pb_state *states = (const void *)(m + w->a->states);
	const uint32_t *moves = (const void *)(m + w->a->moves);
	uint32_t s = w->state, next, k;
	size_t i;

	for (i = 0; i < n && s; i++) {
		const struct pb_state *at = states + s;
		bool left = false;

		next = at->other;
		for (k = at[0].moves; k < at[1].moves; k++) {
			uint32_t class = PB_MOVE_CLASS(moves[k]);

			if (class == cls[(uint8_t)p[i]])
				next = PB_MOVE_STATE(moves[k]);
			left |= class != cls['/'] && class != cls[0];
		}
		if (next == s && !left)
			break;
		s = next;
	}
	return s;
}

static bool may_be_hidden(const struct line_ctx *l, const struct hidden_at *b,
			  const char *p, size_t n)
{
	bool one = !memchr(p, '/', n);
	uint32_t i;

	for (i = 0; i < b->n; i++) {
		struct dfa_walk w = b->at[i];

		if (one && b->ends_differ[i])
			w.state = over_name(&w, p, n);
		else
			dfa_feed(&w, p, n);
		if (w.state && may_hide(l->c->b, &w))
			return true;
	}
	return false;
}

/* Is a rule that hides about this path at all? */
static bool is_spoken_of(const struct line_ctx *l, const char *path)
{
	const struct bundle *b = l->c->b;
	uint32_t i;

	/* below the place of a mount, a path has another name */
	if (b->mounts && b->mounts->mounts.count)
		return true;
	for (i = 0; i < b->matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(b->matcher, i);
		struct dfa_walk w;
		const char *rest;

		if (!a->hides || a->except)
			continue;
		rest = path_rest(l->c->roots.dir[a->root], path);
		if (!rest)
			continue;
		dfa_start(&w, b->matcher, a);
		dfa_feed(&w, rest, strlen(rest));
		if (may_hide(b, &w))
			return true;
	}
	return false;
}

static bool by_file_rule(const struct line_ctx *l, const struct decision *d)
{
	const struct pb_rule *r = bundle_rule(l->c->b, d->rule);

	return r && r->kind == PB_FILE;
}

uint32_t part_hidden_name(const struct line_ctx *l, const char *path, bool only_read)
{
	static const uint8_t ops[] = { PB_READ, PB_WRITE, PB_EXEC };
	size_t i;

	if (!is_spoken_of(l, path))
		return UINT32_MAX;
	for (i = 0; i < (only_read ? 1 : sizeof(ops)); i++) {
		struct decision d;

		decide_file(l->c, ops[i], path, &d);
		if (d.effect == PB_HIDE ||
		    (ops[i] == PB_READ && d.effect == PB_DENY && by_file_rule(l, &d)))
			return d.rule;
	}
	return UINT32_MAX;
}

struct hidden_by {
	const struct line_ctx *l;
	bool only_read;
	uint32_t rule;
};

/* /proc and /dev are file systems of the run's own, in which the mount plan hides no name by a wildcard. */
static bool is_hidden_by_kernel(const struct line_ctx *l, const char *name)
{
	return l->c->scope == PB_SANDBOX && !place_is_below(name, "/proc") && !place_is_below(name, "/dev");
}

/* Ends the walk over the names at the first that is hidden. */
static int take_hidden(void *arg, const char *name)
{
	struct hidden_by *x = arg;

	if (!is_hidden_by_kernel(x->l, name))
		x->rule = part_hidden_name(x->l, name, x->only_read);
	return x->rule != UINT32_MAX;
}

static uint32_t hidden_path(struct line_ctx *l, const char *path, bool only_read)
{
	struct hidden_by x = { l, only_read, UINT32_MAX };

	if (l->c->look)
		(void)l->c->look->names(&l->places, path, take_hidden, &x);
	else
		(void)take_hidden(&x, path);
	return x.rule;
}

static uint32_t hidden_text(struct line_ctx *l, const struct hidden_at *b,
			    const char *dir, const char *p, size_t n, bool home, bool only_read)
{
	char path[CMD_GIVEN_MAX];

	/* any word may be the name of a link */
	if (!l->c->look && b->usable && !home && is_plain_name(p, n) &&
	    !may_be_hidden(l, b, p, n))
		return UINT32_MAX;
	/* past the limit the line is denied, whatever is answered here */
	if (!part_path(l, dir, p, n, home, true, path) ||
	    !part_spend_file(l, path))
		return UINT32_MAX;
	return hidden_path(l, path, only_read);
}

/* What is hidden from writing or executing does not matter for such a word. */
static bool is_only_read(const struct cmd_word *w)
{
	return (w->places & (CMD_P_READS | CMD_P_WRITES)) == CMD_P_READS;
}

static uint32_t hidden_in(struct line_ctx *l, const struct cmd_part *p, const char *dir,
			  bool only_read)
{
	const struct hidden_at *b = hidden_at(l, dir);
	uint32_t rule = UINT32_MAX, i;
	const char *text;
	size_t n, at;
	bool home;

	for (i = 0; i < p->nwords && rule == UINT32_MAX; i++)
		for (at = 0; rule == UINT32_MAX &&
			     (!only_read || (p->words[i].places & CMD_P_READS)) &&
			     cmd_path_text(&p->words[i], true, &at, &text, &n, &home);) {
			if (!part_spend(l, n + 8))
				return rule;
			rule = hidden_text(l, b, dir, text, n, home, only_read || is_only_read(&p->words[i]));
		}
	return rule;
}

uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p, bool only_read)
{
	uint32_t rule = UINT32_MAX;
	const struct cmd_dir *d;

	d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	if (!d)
		return hidden_in(l, p, NULL, only_read);
	for (; d && rule == UINT32_MAX; d = d->next)
		rule = hidden_in(l, p, d->path, only_read);
	return rule;
}

/* --- what a rule asks about ----------------------------------------------------------- */

bool part_asks_reading(struct line_ctx *l)
{
	const struct bundle *b = l->c->b;

	for (uint32_t i = 0; !l->asks_reading && i < b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(b, i);

		if ((r->scopes & l->c->scope) && part_asks(r))
			l->asks_reading = 2;
	}
	if (!l->asks_reading)
		l->asks_reading = 1;
	return l->asks_reading == 2;
}

struct asked_by {
	const struct line_ctx *l;
	struct decision d;
	uint32_t rule;
};

/* Ends the walk over the names at the first that is asked about. */
static int take_asked(void *arg, const char *name)
{
	struct asked_by *x = arg;

	decide_file(x->l->c, PB_READ, name, &x->d);
	if (x->d.effect == PB_ASK && by_file_rule(x->l, &x->d))
		x->rule = x->d.rule;
	return x->rule != UINT32_MAX;
}

static uint32_t asked_in(struct line_ctx *l, const struct cmd_part *p, const char *dir, bool *ret_person)
{
	struct asked_by x = { .l = l, .rule = UINT32_MAX };
	char path[CMD_GIVEN_MAX];
	const char *text;
	size_t n, at;
	bool home;

	for (uint32_t i = 0; i < p->nwords && x.rule == UINT32_MAX; i++)
		for (at = 0; x.rule == UINT32_MAX &&
			     cmd_path_text(&p->words[i], true, &at, &text, &n, &home);) {
			if (!part_spend(l, n + 8))
				return UINT32_MAX;
			if (!part_path(l, dir, text, n, home, true, path) || !part_spend_file(l, path))
				continue;
			if (l->c->look)
				(void)l->c->look->names(&l->places, path, take_asked, &x);
			else
				(void)take_asked(&x, path);
		}
	if (x.rule != UINT32_MAX)
		*ret_person |= x.d.needs_person;
	return x.rule;
}

uint32_t part_asked(struct line_ctx *l, const struct cmd_part *p, bool *ret_person)
{
	const struct cmd_dir *d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	uint32_t rule = UINT32_MAX;

	if (!d)
		return asked_in(l, p, NULL, ret_person);
	for (; d && rule == UINT32_MAX; d = d->next)
		rule = asked_in(l, p, d->path, ret_person);
	return rule;
}
