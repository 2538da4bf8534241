/* Asks about paths where a root lies elsewhere: see the header. */
#include "compiler/analysis/diff_where.h"

#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_word.h"

/* Rules that are tried as the other one, and requests in all. */
#define MAX_OTHERS 128
#define MAX_ASKED 1024

struct move {
	struct diff *d;
	struct diff_item *it;
	struct arena *tmp;
	struct diff_told *told;
	struct str own; /* the shortest word of `it` below its root */
	bool project;   /* only the project is moved: of all roots it is seen most often elsewhere */
	size_t asked;
};

static const struct ir_path *path_of(const struct diff_item *it)
{
	return ir_set_path(it->kind, diff_set(it));
}

/* The shortest path of the rule below its root; false if it has none or it is not known. */
static bool shortest(const struct move *m, const struct diff_item *it, struct str *ret)
{
	struct set_tagged x =
		diff_word_requests_of(m->d, m->tmp, it, DIFF_RELATIVE, NULL);

	return set_member(m->tmp, x.re, x.minus, SET_DEFAULT_BUDGET, ret) == SET_WITNESS;
}

/* The path that `root` and `word` name, where the roots are `r`. */
static struct str path_at(const struct move *m, const struct ir_roots *r, enum ir_root root,
			  struct str word)
{
	return root == IR_ROOT_FS ? word : str_cat(m->tmp, r->dir[root], word);
}

/* The root lies at `dir`: asks about `path`. */
static void ask_at(struct move *m, enum ir_root root, struct str dir, struct str path)
{
	struct ir_request req = diff_request(m->d, m->it->kind);
	unsigned ops = m->it->kind == IR_FILE ? diff_set(m->it)->u.file.ops : IR_READ, op;

	if (dir.n < 2 || dir.p[0] != '/' || path.n < 2 ||
	    (m->project && root != IR_ROOT_PROJECT))
		return;
	req.roots.dir[root] = dir;
	req.path = path;
	for (op = IR_READ; op <= IR_EXEC; op <<= 1) {
		req.op = (enum ir_op)op;
		if (!(ops & op) || m->asked >= MAX_ASKED ||
		    !diff_matches(m->it, &req))
			continue;
		m->asked++;
		(void)diff_ask(m->d, NULL, &req, diff_scopes(m->it), m->tmp, m->told);
	}
}

static struct str parent(struct str path)
{
	while (path.n && path.p[path.n - 1] != '/')
		path.n--;
	path.n -= path.n > 0;
	return path;
}

/*
 * The root lies where `word` below it is `path`, at `path` (both rules may hold below
 * it), and right above it.
 */
static void ask_around(struct move *m, enum ir_root root, struct str path, struct str word)
{
	if (word.n && str_ends(path, word))
		ask_at(m, root, str_sub(path, 0, path.n - word.n), path);
	ask_at(m, root, path, path);
	ask_at(m, root, path, str_cat(m->tmp, path, word));
	ask_at(m, root, parent(path), path);
}

/*
 * The own root lies at the other rule's path, or where that is the own path: the
 * question is about the own path there.
 */
static void move_own(struct move *m, enum ir_root root, struct str at, struct str word)
{
	struct str path = str_cat(m->tmp, at, word);

	if (m->own.n && str_ends(path, m->own))
		ask_at(m, root, str_sub(path, 0, path.n - m->own.n), path);
	ask_at(m, root, path, str_cat(m->tmp, path, m->own));
}

static void move_for(struct move *m, struct diff_item *other)
{
	const struct ir_roots *now = &m->d->where->roots;
	enum ir_root mine = path_of(m->it)->root, its = path_of(other)->root;
	struct str word;

	if (mine == its || path_of(other)->abstract || !now->dir[mine].p ||
	    !now->dir[its].p || !shortest(m, other, &word))
		return;
	if (its != IR_ROOT_FS)
		ask_around(m, its, path_at(m, now, mine, m->own), word);
	if (mine != IR_ROOT_FS)
		move_own(m, mine, its == IR_ROOT_FS ? STR("") : now->dir[its], word);
}

static void move_for_all(struct move *m)
{
	const struct diff *d = m->d;
	size_t i, n = d->items[m->it->kind].n;

	for (i = 0; i < n && i < MAX_OTHERS && !diff_told_enough(m->it, m->told); i++)
		if (d->items[m->it->kind].v[i] != m->it)
			move_for(m, d->items[m->it->kind].v[i]);
}

void diff_where_ask(struct diff *d, struct diff_item *it, struct diff_told *told)
{
	struct move m = { .d = d, .it = it, .told = told, .project = true };
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	m.tmp = &tmp;
	if (!path_of(it)->abstract && shortest(&m, it, &m.own)) {
		move_for_all(&m);
		m.project = false;
		move_for_all(&m);
	}
	arena_release(&tmp);
}
