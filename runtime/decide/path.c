/*
 * Files and sockets: a path is judged under every root that is a prefix of
 * it, and all that match count as one list.
 */
#include <string.h>

#include "runtime/decide/internal.h"

bool path_is_plain(const char *path)
{
	const char *p = path, *end;

	if (!p || *p != '/')
		return false;
	if (p[1] == '\0')
		return true;
	for (; *p; p = end) {
		size_t n;

		end = strchrnul(p + 1, '/');
		n = (size_t)(end - p) - 1;
		if (n == 0 || (n == 1 && p[1] == '.') ||
		    (n == 2 && p[1] == '.' && p[2] == '.'))
			return false;
	}
	return true;
}

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

static void match_path(struct decide_match *m, const char *path)
{
	const struct decide_ctx *c = m->c;
	const struct pb_matcher *matcher = c->b->matcher;
	uint32_t i;

	for (i = 0; i < matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(matcher, i);
		const char *rest;
		struct dfa_walk w;

		if (a->kind != m->kind || a->abstract || a->root >= PB_ROOT_COUNT)
			continue;
		rest = path_rest(c->roots.dir[a->root], path);
		if (!rest)
			continue;
		dfa_start(&w, matcher, a);
		dfa_feed(&w, rest, strlen(rest));
		match_take(m, &w);
	}
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

void decide_file(const struct decide_ctx *c, uint8_t op, const char *path,
		 struct decision *ret)
{
	enum pb_scalar s = op == PB_READ ? PB_S_FILE_READ :
			   op == PB_WRITE ? PB_S_FILE_WRITE : PB_S_FILE_EXEC;
	struct decide_match m;

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, s, ret);
	if ((op != PB_READ && op != PB_WRITE && op != PB_EXEC) || !path_is_plain(path))
		return;
	match_init(&m, c, PB_FILE, op);
	match_path(&m, path);
	match_drop_scratch(&m);
	decide_combine(&m, s, ret);
}

void decide_unix(const struct decide_ctx *c, const char *path, bool abstract,
		 struct decision *ret)
{
	struct decide_match m;

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(c, PB_S_UNIX_OTHERWISE, ret);
	if (!path || (!abstract && !path_is_plain(path)))
		return;
	match_init(&m, c, PB_UNIX, 0);
	if (abstract)
		match_abstract(&m, path);
	else
		match_path(&m, path);
	decide_combine(&m, PB_S_UNIX_OTHERWISE, ret);
}
