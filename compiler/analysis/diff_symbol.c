/*
 * Words of paths with marks of the roots, and the requests that they stand for.
 */
#include "compiler/analysis/diff_symbol.h"

#include <assert.h>

#include "compiler/sets/lang.h"

/* The mark of a root: NUL, which is in no path, and this. */
static uint8_t letter(int root)
{
	return (uint8_t)('0' + root);
}

static bool is_symbol(const struct diff *d, int root)
{
	return root != IR_ROOT_FS && d->symbols->mask >> root & 1;
}

/* --- languages -------------------------------------------------------------- */

static struct set_bytes not_nul(void)
{
	struct set_bytes b = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	set_bytes_drop(&b, 0);
	return b;
}

static struct set_re *mark(struct arena *tmp, int root)
{
	return set_cat(tmp, set_byte(tmp, 0), set_byte(tmp, letter(root)));
}

/* Any number of marks, but of `not`. */
static struct set_re *marks(const struct diff *d, struct arena *tmp, int not)
{
	struct set_re *v[IR_ROOT_COUNT];
	size_t n = 0;

	for (int r = 0; r < IR_ROOT_COUNT; r++)
		if (is_symbol(d, r) && r != not)
			v[n++] = set_byte(tmp, letter(r));
	return n ? set_star(tmp, set_cat(tmp, set_byte(tmp, 0), set_or_all(tmp, v, n))) :
		   set_eps(tmp);
}

static struct set_re *everything(struct arena *tmp)
{
	struct set_bytes b = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	return set_star(tmp, set_class(tmp, b));
}

/* Any path, to its end? */
static bool is_any(const struct set_re *re)
{
	struct set_bytes all = not_nul();
	uint64_t open = 0;

	if (re->op != SET_STAR || re->a->op != SET_CLASS)
		return false;
	for (size_t i = 0; i < POL_LEN(all.w); i++)
		open |= all.w[i] & ~re->a->bytes.w[i];
	return !open;
}

/*
 * The same words with marks before any byte.  At their end any path is any text, which also
 * has words that are none, but after which nothing has to be looked at any more.
 */
static struct set_re *before_bytes(struct arena *tmp, const struct set_re *re,
				   struct set_re *some, bool end)
{
	struct set_bytes b = re->bytes, usable = not_nul();

	switch (re->op) {
	case SET_EMPTY:
		return set_none(tmp);
	case SET_EPS:
		return set_eps(tmp);
	case SET_CLASS:
		for (size_t i = 0; i < POL_LEN(b.w); i++)
			b.w[i] &= usable.w[i];
		return set_cat(tmp, some, set_class(tmp, b));
	case SET_CAT:
		return set_cat(tmp, before_bytes(tmp, re->a, some, false),
			       before_bytes(tmp, re->b, some, end));
	case SET_OR:
		return set_or(tmp, before_bytes(tmp, re->a, some, end),
			      before_bytes(tmp, re->b, some, end));
	case SET_STAR:
		if (end && is_any(re))
			return everything(tmp);
		return set_star(tmp, before_bytes(tmp, re->a, some, false));
	case SET_GRAPH:
		break;
	}
	assert(!"a path is no regular expression");
	return set_none(tmp);
}

static struct set_re *marked(const struct diff *d, struct arena *tmp, const struct set_re *re,
			     int not)
{
	struct set_re *some = marks(d, tmp, not);

	return set_cat(tmp, before_bytes(tmp, re, some, true), some);
}

/* Any path, with any marks. */
static struct set_re *anything(const struct diff *d, struct arena *tmp, int not)
{
	struct set_re *some = marks(d, tmp, not);

	return set_cat(tmp, set_star(tmp, set_cat(tmp, some, set_class(tmp, not_nul()))), some);
}

struct set_re *diff_symbol_path(const struct diff *d, struct arena *tmp,
				const struct ir_path *p)
{
	/* a root has one mark: a second one would begin its patterns anew, beside the first */
	struct set_re *rest = marked(d, tmp, set_from_path(tmp, p), (int)p->root);

	if (p->root == IR_ROOT_FS)
		return rest;
	if (!is_symbol(d, p->root))
		return set_none(tmp);
	return set_cat(tmp, anything(d, tmp, (int)p->root),
		       set_cat(tmp, mark(tmp, (int)p->root), rest));
}

/* x, anything, y */
static struct set_re *both(const struct diff *d, struct arena *tmp, struct set_re *x,
			   struct set_re *between, struct set_re *y)
{
	struct set_re *re = set_cat(tmp, x, between ? set_cat(tmp, between, y) : y);

	return set_cat(tmp, anything(d, tmp, IR_ROOT_FS), set_cat(tmp, re, everything(tmp)));
}

/* NUL, and no letter of a root behind it. */
static struct set_re *no_mark(const struct diff *d, struct arena *tmp)
{
	struct set_bytes b = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct set_re *nul = set_byte(tmp, 0);

	for (int r = 0; r < IR_ROOT_COUNT; r++)
		if (is_symbol(d, r))
			set_bytes_drop(&b, letter(r));
	return set_or(tmp, set_cat(tmp, anything(d, tmp, IR_ROOT_FS), nul),
		      both(d, tmp, nul, NULL, set_class(tmp, b)));
}

/*
 * A mark stands before '/' or at the end, at most once, and marks at one place are in the
 * order of their roots.
 */
struct set_re *diff_symbol_none(const struct diff *d, struct arena *tmp,
				const struct set_re *bad)
{
	struct set_re *re = set_or(tmp, marked(d, tmp, bad, IR_ROOT_FS), no_mark(d, tmp));
	struct set_bytes inside = not_nul();
	int r, s;

	set_bytes_drop(&inside, '/');
	for (r = 0; r < IR_ROOT_COUNT; r++) {
		if (!is_symbol(d, r))
			continue;
		re = set_or(tmp, re,
			    both(d, tmp, mark(tmp, r), NULL, set_class(tmp, inside)));
		re = set_or(tmp, re, both(d, tmp, mark(tmp, r),
					    anything(d, tmp, IR_ROOT_FS), mark(tmp, r)));
		for (s = 0; s < r; s++)
			if (is_symbol(d, s))
				re = set_or(tmp, re,
					    both(d, tmp, mark(tmp, r), NULL, mark(tmp, s)));
	}
	return re;
}

/* --- requests ---------------------------------------------------------------- */

static bool is_below(struct str path, struct str dir)
{
	return str_eqz(dir, "/") ||
	       (str_starts(path, dir) && (path.n == dir.n || path.p[dir.n] == '/'));
}

void diff_symbol_request(struct arena *tmp, struct str word,
			 struct ir_request *q)
{
	struct str nowhere = STR("/nonexistent/elsewhere"), whole;
	size_t at[IR_ROOT_COUNT], i;
	bool has[IR_ROOT_COUNT] = { false };
	struct buf path;
	int r;

	buf_init(&path, tmp);
	for (i = 0; i < word.n; i++) {
		if (word.p[i]) {
			buf_ch(&path, word.p[i]);
			continue;
		}
		r = word.p[++i] - '0';
		has[r] = true;
		at[r] = path.n;
	}
	whole = path.n ? buf_view(&path) : STR("/");
	q->path = whole;
	for (r = 0; r < IR_ROOT_COUNT; r++) {
		struct str *dir = &q->roots.dir[r];

		if (r == IR_ROOT_FS)
			continue;
		if (has[r])
			*dir = at[r] ? str_sub(whole, 0, at[r]) : STR("/");
		else if (dir->p && is_below(whole, *dir))
			*dir = is_below(whole, nowhere) ? STR_NULL : nowhere;
	}
}
