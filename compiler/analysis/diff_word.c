/*
 * What an item matches, as an expression over words.  A word of commands is written as in sets/lang.h: the program, its two places,
 * and the further words, each ended by NUL.
 */
#include "compiler/analysis/diff_word.h"

#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_symbol.h"
#include "compiler/eval/match.h"
#include "compiler/ir/texts.h"
#include "compiler/sets/lang.h"
#include "compiler/sets/sample.h"

#define MAX_NAMES 128 /* of a program that is one of a few */

static enum set_side side_of(const struct diff_item *it)
{
	return diff_is_narrow(it) ? SET_NARROW : SET_BROAD;
}

bool diff_word_is_abstract(const struct diff_item *it)
{
	return it->kind == IR_UNIX && diff_set(it)->u.unix_path.abstract;
}

enum diff_frame diff_word_frame(const struct diff_item *it)
{
	if (it->kind == IR_FILE || (it->kind == IR_UNIX && !diff_word_is_abstract(it)))
		return DIFF_ABSOLUTE;
	return DIFF_WORDS;
}

/* --- beginnings ---------------------------------------------------------- */

static struct str behind_slash(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '/')
		i--;
	return str_sub(s, i, s.n - i);
}

/* The names of a program that is one of a few. */
static void prepare_names(struct diff *d, struct diff_item *it, bool tail)
{
	struct ir_texts texts;
	size_t i, n = 0;

	if (!ir_glob_texts(d->a, &diff_set(it)->u.command.words[0].glob, MAX_NAMES, &texts))
		return;
	for (i = 0; i < texts.n; i++)
		if (tail && texts.v[i].n && memchr(texts.v[i].p, '/', texts.v[i].n))
			return; /* as below */
	it->names = arena_array(d->a, texts.n + 1, sizeof(*it->names));
	for (i = 0; i < texts.n; i++)
		it->names[n++] = behind_slash(texts.v[i]);
	it->nnames = n;
	it->sep = tail ? ':' : 0;
}

/* For a command only the base name of its program, and only if that is certain. */
static void prepare_command(struct diff *d, struct diff_item *it)
{
	const struct ir_command *c = &diff_set(it)->u.command;
	bool tail = c->tail && c->nwords == 1;
	struct str name;

	if (c->regex || c->words[0].any_words || (c->more && c->nwords == 1))
		return;
	name = ir_glob_lead(d->a, &c->words[0].glob, &it->whole);
	/* after ":", the file of an allow may end in another name */
	if (!it->whole) {
		prepare_names(d, it, tail);
		return;
	}
	if (tail && name.n && memchr(name.p, '/', name.n)) {
		it->whole = false;
		return;
	}
	it->lead = behind_slash(name);
	it->sep = tail ? ':' : 0;
}

static bool is_root_text(struct str dir)
{
	return str_eqz(dir, "/");
}

void diff_word_prepare(struct diff *d, struct diff_item *it)
{
	const struct ir_set *s = diff_set(it);
	const struct ir_path *p;
	struct str dir;

	it->lead = STR("");
	if (it->kind == IR_COMMAND) {
		prepare_command(d, it);
	} else if (it->kind == IR_TOOL) {
		it->lead = ir_glob_lead(d->a, &s->u.tool.glob, &it->whole);
	} else {
		p = ir_set_path(it->kind, s);
		it->lead = ir_glob_lead(d->a, &p->glob, &it->whole);
		it->sep = p->below ? '/' : 0;
		dir = d->where->roots.dir[p->root];
		if (!p->abstract && dir.p && !is_root_text(dir)) {
			it->lead = str_cat(d->a, dir, it->lead);
			it->root = dir.n;
		}
	}
}

/* May a text of `x`, which is `whole`, also be one of `y`, which is not? */
static bool whole_meets(const struct diff_item *x, const struct diff_item *y)
{
	return str_starts(x->lead, y->lead) || (x->sep && str_starts(y->lead, x->lead));
}

/* Does `y` continue `x` after the separator? */
static bool goes_on(const struct diff_item *x, const struct diff_item *y)
{
	return x->sep && str_starts(y->lead, x->lead) &&
	       (y->lead.n == x->lead.n || y->lead.p[x->lead.n] == x->sep);
}

/* May a program of one of its names be one of `y`? */
static bool names_meet(const struct diff_item *x, const struct diff_item *y)
{
	struct diff_item one = *x;
	size_t i;

	one.nnames = 0;
	one.whole = true;
	for (i = 0; i < x->nnames; i++) {
		one.lead = x->names[i];
		if (diff_word_may_meet(&one, y))
			return true;
	}
	return false;
}

/* May a path of `x` begin as all of `y` do, or be the one that `y` is?  Many patterns begin with
 * {alternatives}, so that their own beginnings tell nothing. */
static bool begins_as(const struct diff_item *x, const struct diff_item *y)
{
	const struct ir_path *p = ir_set_path(x->kind, diff_set(x));
	struct str text = y->lead;

	if (text.n <= x->root)
		return true; /* the root begins alike, or the beginnings differ */
	text = str_sub(text, x->root, text.n - x->root);
	return y->whole && !y->sep ? sample_may_match(p, text) : sample_may_begin(p, text);
}

static bool leads_meet(const struct diff_item *x, const struct diff_item *y)
{
	if (x->whole && y->whole)
		return str_eq(x->lead, y->lead) || goes_on(x, y) || goes_on(y, x);
	if (x->whole)
		return whole_meets(x, y);
	if (y->whole)
		return whole_meets(y, x);
	return str_starts(x->lead, y->lead) || str_starts(y->lead, x->lead);
}

bool diff_word_may_meet(const struct diff_item *x, const struct diff_item *y)
{
	if (x->nnames)
		return names_meet(x, y);
	if (y->nnames)
		return names_meet(y, x);
	if (x->kind == IR_UNIX && diff_word_is_abstract(x) != diff_word_is_abstract(y))
		return false;
	if (!leads_meet(x, y))
		return false;
	return diff_word_frame(x) != DIFF_ABSOLUTE || (begins_as(x, y) && begins_as(y, x));
}

bool diff_word_same_root(const struct diff_item *x, const struct diff_item *y)
{
	return ir_set_path(x->kind, diff_set(x))->root == ir_set_path(y->kind, diff_set(y))->root;
}

/* --- languages ----------------------------------------------------------- */

static struct set_bytes not_nul(void)
{
	return (struct set_bytes){ { ~(uint64_t)1, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
}

static struct set_re *path_re(struct diff *d, struct arena *tmp,
			      const struct ir_path *p, enum diff_frame frame)
{
	struct str dir = d->where->roots.dir[p->root];
	struct set_re *re = set_from_path(tmp, p);

	if (frame == DIFF_SYMBOLIC)
		return diff_symbol_path(d, tmp, p);
	if (frame == DIFF_RELATIVE)
		return re;
	if (!dir.p)
		return set_none(tmp);
	return is_root_text(dir) ? re : set_cat(tmp, set_lit(tmp, dir), re);
}

static enum set_side opposite(enum set_side s)
{
	return s == SET_BROAD ? SET_NARROW : SET_BROAD;
}

/* The language of the set's regular expression: see diff_item.h. */
static struct set_re *search_of(const struct diff_item *it, const struct ir_set *s)
{
	size_t n;
	const struct ir_set *e = diff_excepts(it, &n);

	if (!s->u.command.regex || !it->search)
		return NULL;
	return it->search[s == diff_set(it) ? 0 : 1 + (size_t)(s - e)];
}

void diff_word_search(struct diff *d, struct diff_item *it)
{
	size_t n, i;
	const struct ir_set *e = diff_excepts(it, &n), *s;
	enum set_side side = side_of(it);

	if (it->kind != IR_COMMAND || it->search)
		return;
	it->search = arena_array(d->a, n + 1, sizeof(struct set_re *));
	for (i = 0; i <= n; i++) {
		s = i ? &e[i - 1] : diff_set(it);
		if (s->u.command.regex)
			it->search[i] = set_from_search(d->a, &s->u.command,
							i ? opposite(side) : side);
	}
}

bool diff_word_hide_search(struct diff *d, struct diff_item *it)
{
	size_t n = diff_word_nexcept(it), i;

	for (i = 0; it->search && i <= n && !it->search[i]; i++)
		;
	if (!it->search || i > n || it->kept)
		return false;
	it->kept = it->search;
	it->search = arena_array(d->a, n + 1, sizeof(struct set_re *));
	return true;
}

void diff_word_show_search(struct diff_item *it)
{
	if (it->kept)
		it->search = it->kept;
	it->kept = NULL;
}

size_t diff_word_nexcept(const struct diff_item *it)
{
	size_t n;

	(void)diff_excepts(it, &n);
	return n;
}

static struct set_re *set_re_of(struct diff *d, struct arena *tmp,
				const struct diff_item *it, const struct ir_set *s,
				enum set_side side, enum diff_frame frame)
{
	if (it->kind == IR_COMMAND)
		return search_of(it, s) ? search_of(it, s) :
					  set_from_command(tmp, &s->u.command, side);
	if (it->kind == IR_TOOL)
		return set_from_word(tmp, &s->u.tool.glob, side);
	if (frame != DIFF_WORDS) {
		const struct ir_path *p = ir_set_path(it->kind, s);

		return p->abstract ? set_none(tmp) : path_re(d, tmp, p, frame);
	}
	return s->u.unix_path.abstract ? set_from_word(tmp, &s->u.unix_path.glob, side)
				       : set_none(tmp);
}

/* Does more than its words decide what the item matches? */
static bool is_loose(const struct diff_item *it, const struct ir_set *s)
{
	return it->kind == IR_COMMAND &&
	       (s->u.command.nguards || (s->u.command.regex && !search_of(it, s)));
}

/*
 * Does the exception apply to every request of the rule that has its words, whatever the
 * operation?
 */
static bool is_for_all(const struct diff_item *it, const struct ir_set *e)
{
	if (is_loose(it, e))
		return false;
	return it->kind != IR_FILE || !(diff_set(it)->u.file.ops & ~e->u.file.ops);
}

/* Are there also words with options between them that it takes away, where tables let it? */
static bool reads_options(const struct diff_item *it, const struct ir_set *e)
{
	return it->kind == IR_COMMAND && diff_is_narrow(it) && !e->u.command.regex;
}

static bool is_for_some(const struct diff_item *it, const struct ir_set *e)
{
	if (is_loose(it, e) || reads_options(it, e))
		return true;
	return it->kind == IR_FILE && (diff_set(it)->u.file.ops & e->u.file.ops) &&
	       !is_for_all(it, e);
}

static bool is_of_frame(const struct diff_item *it, const struct ir_set *e,
			enum diff_frame frame)
{
	return frame != DIFF_RELATIVE ||
	       ir_set_path(it->kind, e)->root == ir_set_path(it->kind, diff_set(it))->root;
}

bool diff_word_is_vague(const struct diff_item *it)
{
	size_t n, i;
	const struct ir_set *e = diff_excepts(it, &n);

	for (i = 0; i < n; i++)
		if (is_for_some(it, &e[i]) || !is_of_frame(it, &e[i], DIFF_RELATIVE))
			return true;
	return false;
}

/* What all exceptions that apply to every request take away. */
static struct set_re *excepted(struct diff *d, struct arena *tmp,
			       const struct diff_item *it, enum diff_frame frame)
{
	enum set_side side = opposite(side_of(it));
	size_t n, i, o = 0;
	const struct ir_set *e = diff_excepts(it, &n);
	struct set_re **v = arena_array(tmp, n + 1, sizeof(*v));

	for (i = 0; i < n; i++)
		if (is_for_all(it, &e[i]) && is_of_frame(it, &e[i], frame))
			v[o++] = set_re_of(d, tmp, it, &e[i], side, frame);
	return set_or_all(tmp, v, o);
}

/* Second names of trees: a request for such a path is decided by the tree's own name. */
static struct set_re *mount_places(struct diff *d, struct arena *tmp)
{
	struct set_re *below = set_cat(tmp, set_byte(tmp, '/'),
				       set_star(tmp, set_class(tmp, not_nul())));
	struct set_re *re = set_none(tmp);
	size_t i;
	int s;

	for (s = 0; s < 2; s++)
		for (i = 0; i < d->ir[s]->mounts.n; i++)
			re = set_or(tmp, re, set_lit(tmp, d->ir[s]->mounts.v[i].place));
	return set_cat(tmp, re, set_or(tmp, set_eps(tmp), below));
}

/* A bare program has no place: both places are empty. */
static struct set_re *no_command(struct arena *tmp)
{
	struct set_bytes b = not_nul();
	struct set_re *any = set_star(tmp, set_class(tmp, not_nul()));
	struct set_re *end = set_byte(tmp, 0), *some, *word, *rest, *places;

	set_bytes_drop(&b, '/');
	some = set_cat(tmp, set_class(tmp, not_nul()), any);
	word = set_cat(tmp, any, end);
	rest = set_star(tmp, word);
	places = set_or(tmp, set_cat(tmp, set_cat(tmp, some, end), word),
			set_cat(tmp, word, set_cat(tmp, some, end)));
	return set_cat(tmp, set_cat(tmp, set_star(tmp, set_class(tmp, b)), end),
		       set_cat(tmp, places, rest));
}

static struct set_re *no_request(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, enum diff_frame frame)
{
	struct set_re *re;

	if (it->kind == IR_COMMAND)
		return no_command(tmp);
	if (frame == DIFF_WORDS)
		return set_none(tmp);
	if (frame == DIFF_RELATIVE)
		return set_no_rest(tmp);
	re = set_or(tmp, set_no_rest(tmp), mount_places(d, tmp));
	return frame == DIFF_SYMBOLIC ? diff_symbol_none(d, tmp, re) : re;
}

/*
 * Options do not turn a command into one that is not the rule's.  (Exceptions that are
 * subtracted are taken as they are written, so that no word is missed.)
 */
static struct set_re *words_of(struct diff *d, struct arena *tmp,
			       const struct diff_item *it, const struct ir_set *s,
			       enum set_side side, enum diff_frame frame)
{
	if (it->kind == IR_COMMAND && side == SET_BROAD && !s->u.command.regex)
		return set_from_readings(tmp, &s->u.command);
	return set_re_of(d, tmp, it, s, side, frame);
}

static struct set_tagged language(struct diff *d, struct arena *tmp,
				  const struct diff_item *it, enum diff_frame frame,
				  struct set_re *outside)
{
	enum set_side side = side_of(it);
	struct set_re *re = words_of(d, tmp, it, diff_set(it), side, frame);

	return (struct set_tagged){ .re = re,
				    .minus = set_or(tmp, excepted(d, tmp, it, frame),
						    outside) };
}

struct set_tagged diff_word_language(struct diff *d, struct arena *tmp,
				     const struct diff_item *it, enum diff_frame frame)
{
	return language(d, tmp, it, frame, set_none(tmp));
}

struct set_tagged diff_word_requests_of(struct diff *d, struct arena *tmp,
					const struct diff_item *it, enum diff_frame frame,
					struct set_re *outside)
{
	struct set_re *none = no_request(d, tmp, it, frame);

	return language(d, tmp, it, frame, outside ? set_or(tmp, none, outside) : none);
}

struct set_re *diff_word_partial(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, size_t except,
				 enum diff_frame frame)
{
	size_t n;
	const struct ir_set *e = &diff_excepts(it, &n)[except];

	if (!is_for_some(it, e) || !is_of_frame(it, e, frame))
		return NULL;
	return words_of(d, tmp, it, e, opposite(side_of(it)), frame);
}

bool diff_word_matches_path(const struct diff_item *it, const struct ir_request *req)
{
	struct ir_request q = *req;
	size_t n, i;
	const struct ir_set *e = diff_excepts(it, &n);
	unsigned op = diff_set(it)->u.file.ops;

	q.op = (enum ir_op)(op & -op);
	if (!eval_match_set(IR_FILE, diff_set(it), &q, EVAL_BROAD))
		return false;
	for (i = 0; i < n; i++)
		if (is_for_all(it, &e[i]) && eval_match_set(IR_FILE, &e[i], &q, EVAL_BROAD))
			return false;
	return true;
}
