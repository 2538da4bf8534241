/*
 * Decides files and sockets. Below the place of a mount, a path is judged by the name
 * that it has in the mounted tree. A path is matched under every root that is a prefix of
 * it, and all matches count as one list.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/place.h"
#include "runtime/decide/combine.h"
#include "runtime/decide/path.h"

const char *path_rest(const char *root, const char *path)
{
	size_t n;

	if (!root || path[0] != '/')
		return NULL;
	if (strcmp(root, "/") == 0)
		return path[1] ? path : path + 1;
	n = strlen(root);
	if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path + n;
}

const char *path_own_name(const struct decide_ctx *c, const char *path, char *buf,
			  size_t cap)
{
	const struct pb_mounts *h = c->b->mounts;

	for (uint32_t i = 0; h && i < h->mounts.count; i++) {
		const struct pb_mount *m = pb_at(h, h->mounts, sizeof(*m), i);
		const char *root, *place = pb_strp(h, m->place);
		int n;

		if (strncmp(path, place, m->place.len) != 0 ||
		    (path[m->place.len] && path[m->place.len] != '/'))
			continue;
		root = c->roots.dir[m->root];
		if (!root)
			return NULL;
		n = snprintf(buf, cap, "%s%.*s%s", root[1] ? root : "", (int)m->path.len,
			     pb_strp(h, m->path), path + m->place.len);
		return n < 0 || (size_t)n >= cap ? NULL : buf;
	}
	return path;
}

/* Walks automaton `i` over the path; false: it says nothing about it. */
static bool walk_path(const struct decide_ctx *c, uint8_t kind, uint32_t i, const char *path,
		      struct dfa_walk *w)
{
	const struct pb_automaton *a = dfa_at(c->b->matcher, i);
	const char *rest;

	if (a->kind != kind || a->abstract || a->root >= PB_ROOT_COUNT)
		return false;
	rest = path_rest(c->roots.dir[a->root], path);
	if (!rest)
		return false;
	dfa_start(w, c->b->matcher, a);
	dfa_feed(w, rest, strlen(rest));
	return true;
}

static void match_path(struct decide_match *m, const char *path)
{
	struct dfa_walk w;

	for (uint32_t i = 0; i < m->c->b->matcher->automata.count; i++)
		if (walk_path(m->c, m->kind, i, path, &w))
			match_take(m, &w);
}

static void match_abstract(struct decide_match *m, const char *name)
{
	const struct pb_matcher *matcher = m->c->b->matcher;
	uint32_t i;

	for (i = 0; i < matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(matcher, i);
		struct dfa_walk w;

		if (a->kind != m->kind || !a->abstract)
			continue;
		dfa_start(&w, matcher, a);
		dfa_feed(&w, name, strlen(name));
		match_take(m, &w);
	}
}

static enum pb_scalar file_scalar(uint8_t op)
{
	return op == PB_READ ? PB_S_FILE_READ :
	       op == PB_WRITE ? PB_S_FILE_WRITE : PB_S_FILE_EXEC;
}

void path_decide(const struct decide_ctx *c, uint8_t op, const struct dfa_walk *ends,
		 size_t n, struct decision *ret)
{
	struct decide_match m;

	match_init(&m, c, PB_FILE, op);
	for (size_t i = 0; i < n; i++)
		match_take(&m, &ends[i]);
	match_drop_scratch(&m);
	decide_combine(&m, file_scalar(op), ret);
}

void decide_file(const struct decide_ctx *c, uint8_t op, const char *path,
		 struct decision *ret)
{
	enum pb_scalar s = file_scalar(op);
	struct decide_match m;
	char own[PATH_MAX_OWN];

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, s, ret);
	if ((op != PB_READ && op != PB_WRITE && op != PB_EXEC) || !place_is_plain(path))
		return;
	path = path_own_name(c, path, own, sizeof(own));
	if (!path)
		return;
	for (size_t i = 0; op == PB_WRITE && c->kept && c->kept[i]; i++)
		if (strcmp(path, c->kept[i]) == 0)
			path = "/etc/pol"; /* the floor's rule for what decides */
	match_init(&m, c, PB_FILE, op);
	match_path(&m, path);
	match_drop_scratch(&m);
	decide_combine(&m, s, ret);
}

struct by_names {
	const struct decide_ctx *c;
	struct decision last, strictest; /* of the last name; of all names, by a rule */
	uint8_t op;
};

static int take_name(void *arg, const char *name)
{
	struct by_names *x = arg;
	const struct pb_rule *r;

	decide_file(x->c, x->op, name, &x->last);
	r = bundle_rule(x->c->b, x->last.rule);
	if (r && r->kind == PB_FILE && x->last.effect > x->strictest.effect)
		x->strictest = x->last;
	return 0;
}

void decide_file_names(const struct decide_ctx *c, struct place_memory *m, uint8_t op,
		       const char *path, bool only_rules, struct decision *ret)
{
	struct by_names x = { .c = c, .op = op };

	decide_deny(c, file_scalar(op), &x.strictest);
	x.last = x.strictest;
	x.strictest.effect = PB_ALLOW;
	if (!c->look)
		(void)take_name(&x, path);
	else if (c->look->names(m, path, take_name, &x) == -ENAMETOOLONG)
		decide_deny(c, file_scalar(op), &x.last);
	*ret = only_rules || x.strictest.effect > x.last.effect ? x.strictest : x.last;
}

void decide_unix(const struct decide_ctx *c, const char *path, bool abstract,
		 struct decision *ret)
{
	struct decide_match m;
	char own[PATH_MAX_OWN];

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_UNIX_OTHERWISE, ret);
	if (!path || (!abstract && !place_is_plain(path)))
		return;
	if (!abstract)
		path = path_own_name(c, path, own, sizeof(own));
	if (!path)
		return;
	match_init(&m, c, PB_UNIX, 0);
	if (abstract)
		match_abstract(&m, path);
	else
		match_path(&m, path);
	decide_combine(&m, PB_S_UNIX_OTHERWISE, ret);
}
