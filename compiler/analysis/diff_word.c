/*
 * What an item matches, as an expression over words, and which requests a word stands
 * for.  A word of commands is written as in sets/lang.h: the program, its two places,
 * and the further words, each ended by NUL.
 */
#include "compiler/analysis/diff_word.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/eval/match.h"
#include "compiler/eval/match_program.h"
#include "compiler/sets/lang.h"

static enum ir_effect effect_of(const struct diff_item *it)
{
	if (diff_rule(it))
		return diff_rule(it)->effect;
	/* the low class matches as an allow does, the others as a deny does */
	return diff_risk(it)->risk == IR_RISK_LOW ? IR_ALLOW : IR_DENY;
}

static const struct ir_set *set_of(const struct diff_item *it)
{
	return diff_rule(it) ? &diff_rule(it)->set : &diff_risk(it)->set;
}

static const struct ir_set *excepts_of(const struct diff_item *it, size_t *ret_n)
{
	*ret_n = diff_rule(it) ? diff_rule(it)->nexcept : diff_risk(it)->nexcept;
	return diff_rule(it) ? diff_rule(it)->except : diff_risk(it)->except;
}

static const struct ir_path *path_of(enum ir_kind kind, const struct ir_set *s)
{
	return kind == IR_FILE ? &s->u.file.path : &s->u.unix_path;
}

static bool is_abstract(const struct diff_item *it)
{
	return it->kind == IR_UNIX && set_of(it)->u.unix_path.abstract;
}

enum diff_frame diff_word_frame(const struct diff_item *it)
{
	if (it->kind == IR_FILE || (it->kind == IR_UNIX && !is_abstract(it)))
		return DIFF_ABSOLUTE;
	return DIFF_WORDS;
}

/* --- beginnings ---------------------------------------------------------- */

/* The bytes with which every member begins; *ret_whole: they are all of it. */
static struct str literal(struct arena *a, const struct ir_glob *g, bool *ret_whole)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < g->n && g->v[i].op == IR_G_BYTE; i++)
		buf_u8(&b, g->v[i].byte);
	*ret_whole = i == g->n;
	return buf_view(&b);
}

static struct str behind_slash(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '/')
		i--;
	return str_sub(s, i, s.n - i);
}

/* For a command only the base name of its program, and only if that is certain. */
static void prepare_command(struct diff *d, struct diff_item *it)
{
	const struct ir_command *c = &set_of(it)->u.command;
	bool tail = c->tail && c->nwords == 1;
	struct str name;

	if (c->regex || c->words[0].any_words || (c->more && c->nwords == 1))
		return;
	name = literal(d->a, &c->words[0].glob, &it->whole);
	/* after ":", the file of an allow may end in another name */
	if (!it->whole || (tail && name.n && memchr(name.p, '/', name.n))) {
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
	const struct ir_set *s = set_of(it);
	const struct ir_path *p;
	struct str dir;

	it->lead = STR("");
	if (it->kind == IR_COMMAND) {
		prepare_command(d, it);
	} else if (it->kind == IR_TOOL) {
		it->lead = literal(d->a, &s->u.tool.glob, &it->whole);
	} else {
		p = path_of(it->kind, s);
		it->lead = literal(d->a, &p->glob, &it->whole);
		it->sep = p->below ? '/' : 0;
		dir = d->where->roots.dir[p->root];
		if (!p->abstract && dir.p && !is_root_text(dir))
			it->lead = str_cat(d->a, dir, it->lead);
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

bool diff_word_may_meet(const struct diff_item *x, const struct diff_item *y)
{
	if (x->kind == IR_UNIX && is_abstract(x) != is_abstract(y))
		return false;
	if (x->whole && y->whole)
		return str_eq(x->lead, y->lead) || goes_on(x, y) || goes_on(y, x);
	if (x->whole)
		return whole_meets(x, y);
	if (y->whole)
		return whole_meets(y, x);
	return str_starts(x->lead, y->lead) || str_starts(y->lead, x->lead);
}

bool diff_word_same_root(const struct diff_item *x, const struct diff_item *y)
{
	return path_of(x->kind, set_of(x))->root == path_of(y->kind, set_of(y))->root;
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

	if (frame == DIFF_RELATIVE)
		return re;
	if (!dir.p)
		return set_none(tmp);
	return is_root_text(dir) ? re : set_cat(tmp, set_lit(tmp, dir), re);
}

static struct set_re *set_re_of(struct diff *d, struct arena *tmp,
				const struct diff_item *it, const struct ir_set *s,
				enum set_side side, enum diff_frame frame)
{
	if (it->kind == IR_COMMAND)
		return set_from_command(tmp, &s->u.command, side);
	if (it->kind == IR_TOOL)
		return set_from_word(tmp, &s->u.tool.glob, side);
	if (frame != DIFF_WORDS) {
		const struct ir_path *p = path_of(it->kind, s);

		return p->abstract ? set_none(tmp) : path_re(d, tmp, p, frame);
	}
	return s->u.unix_path.abstract ? set_from_word(tmp, &s->u.unix_path.glob, side)
				       : set_none(tmp);
}

/* Does more than its words decide what the item matches? */
static bool is_loose(const struct diff_item *it, const struct ir_set *s)
{
	return it->kind == IR_COMMAND && (s->u.command.regex || s->u.command.nguards);
}

bool diff_word_is_loose(const struct diff_item *it)
{
	size_t n, i;
	const struct ir_set *e = excepts_of(it, &n);
	bool loose = is_loose(it, set_of(it));

	for (i = 0; i < n && !loose; i++)
		loose = is_loose(it, &e[i]);
	return loose;
}

/*
 * Does the exception apply to every operation of the rule?  A loose exception removes
 * less than its words say, so nothing is subtracted for it.
 */
static bool is_for_all(const struct diff_item *it, const struct ir_set *e)
{
	if (is_loose(it, e))
		return false;
	return it->kind != IR_FILE || !(set_of(it)->u.file.ops & ~e->u.file.ops);
}

static bool is_for_some(const struct diff_item *it, const struct ir_set *e)
{
	return it->kind == IR_FILE && (set_of(it)->u.file.ops & e->u.file.ops) &&
	       !is_for_all(it, e);
}

static bool is_of_frame(const struct diff_item *it, const struct ir_set *e,
			enum diff_frame frame)
{
	return frame != DIFF_RELATIVE ||
	       path_of(it->kind, e)->root == path_of(it->kind, set_of(it))->root;
}

bool diff_word_is_vague(const struct diff_item *it)
{
	size_t n, i;
	const struct ir_set *e = excepts_of(it, &n);

	for (i = 0; i < n; i++)
		if (is_for_some(it, &e[i]) || !is_of_frame(it, &e[i], DIFF_RELATIVE))
			return true;
	return false;
}

static enum set_side opposite(enum set_side s)
{
	return s == SET_BROAD ? SET_NARROW : SET_BROAD;
}

static struct set_re *excepted(struct diff *d, struct arena *tmp,
			       const struct diff_item *it, enum diff_frame frame,
			       bool (*which)(const struct diff_item *,
					     const struct ir_set *))
{
	enum set_side side = opposite(set_side_of(effect_of(it)));
	size_t n, i, o = 0;
	const struct ir_set *e = excepts_of(it, &n);
	struct set_re **v = arena_array(tmp, n + 1, sizeof(*v));

	for (i = 0; i < n; i++)
		if (which(it, &e[i]) && is_of_frame(it, &e[i], frame))
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
	if (it->kind == IR_COMMAND)
		return no_command(tmp);
	if (frame == DIFF_WORDS)
		return set_none(tmp);
	if (frame == DIFF_RELATIVE)
		return set_no_rest(tmp);
	return set_or(tmp, set_no_rest(tmp), mount_places(d, tmp));
}

struct set_tagged diff_word_language(struct diff *d, struct arena *tmp,
				     const struct diff_item *it, enum diff_frame frame,
				     bool requests)
{
	struct set_re *minus = excepted(d, tmp, it, frame, is_for_all), *re;
	enum set_side side;

	if (requests)
		minus = set_or(tmp, minus, no_request(d, tmp, it, frame));
	side = set_side_of(effect_of(it));
	/* options do not turn a command into one that is not the rule's; exceptions are
	   subtracted as they are written, so that no word is missed */
	re = it->kind == IR_COMMAND && side == SET_BROAD ?
		     set_from_readings(tmp, &set_of(it)->u.command) :
		     set_re_of(d, tmp, it, set_of(it), side, frame);
	return (struct set_tagged){ .re = re, .minus = minus };
}

struct set_re *diff_word_partial(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, enum diff_frame frame)
{
	return excepted(d, tmp, it, frame, is_for_some);
}

bool diff_word_matches_path(const struct diff_item *it, const struct ir_request *req)
{
	struct ir_request q = *req;
	size_t n, i;
	const struct ir_set *e = excepts_of(it, &n);
	unsigned op = set_of(it)->u.file.ops;

	q.op = (enum ir_op)(op & -op);
	if (!eval_match_set(IR_FILE, set_of(it), &q, EVAL_BROAD))
		return false;
	for (i = 0; i < n; i++)
		if (is_for_all(it, &e[i]) && eval_match_set(IR_FILE, &e[i], &q, EVAL_BROAD))
			return false;
	return true;
}

/* --- requests ------------------------------------------------------------ */

/* Splits the word at NULs; returns the number of parts. */
static size_t split(struct arena *tmp, struct str word, struct str **ret)
{
	size_t i, from = 0, n = 0;

	*ret = arena_array(tmp, word.n + 1, sizeof(**ret));
	for (i = 0; i < word.n; i++) {
		if (word.p[i])
			continue;
		(*ret)[n++] = str_sub(word, from, i - from);
		from = i + 1;
	}
	return n;
}

static size_t command_requests(struct diff *d, struct arena *tmp, struct str word,
			       struct ir_request reqs[DIFF_WORD_REQUESTS])
{
	struct str project = d->where->roots.dir[IR_ROOT_PROJECT], *w, names[4];
	size_t n = split(tmp, word, &w), count = 0, i;

	if (n < 3)
		return 0;
	names[count++] = w[0];
	/* a program with a '/' is named by the places that the word gives it */
	if (w[0].n && memchr(w[0].p, '/', w[0].n) && w[2].n > 1)
		names[count++] = str_sub(w[2], 1, w[2].n - 1);
	if (w[0].n && memchr(w[0].p, '/', w[0].n) && w[1].n > 1) {
		struct str rest = str_sub(w[1], 1, w[1].n - 1);

		names[count++] = str_cat(tmp, STR("./"), rest);
		names[count++] = str_cat(tmp, str_cat(tmp, project, STR("/")), rest);
	}
	for (i = 0; i < count; i++) {
		reqs[i] = diff_request(d, IR_COMMAND);
		reqs[i].nargv = n - 2;
		reqs[i].argv = arena_array(tmp, n, sizeof(*reqs[i].argv));
		reqs[i].argv[0] = names[i];
		if (n > 3)
			memcpy(reqs[i].argv + 1, w + 3, (n - 3) * sizeof(*w));
	}
	return count;
}

static void put_place(struct buf *b, struct str place, bool known)
{
	if (known) {
		buf_ch(b, '=');
		buf_str(b, place);
	}
	buf_ch(b, 0);
}

struct str diff_word_of_command(const struct diff *d, struct arena *tmp,
				const struct ir_request *req)
{
	struct str project = req->roots.dir[IR_ROOT_PROJECT], name, path = STR_NULL, rest;
	bool known, below;
	struct buf b;
	size_t i;

	if (!req->nargv)
		return STR_NULL;
	name = req->argv[0];
	known = name.n && memchr(name.p, '/', name.n) &&
		eval_program_path(tmp, name, d->where->cwd, &path);
	below = known && project.p && (is_root_text(project) || str_starts(path, project));
	rest = below && !is_root_text(project) ?
		       str_sub(path, project.n, path.n - project.n) : path;
	below = below && rest.n > 1 && rest.p[0] == '/';
	buf_init(&b, tmp);
	buf_str(&b, name);
	buf_ch(&b, 0);
	put_place(&b, below ? str_sub(rest, 1, rest.n - 1) : STR_NULL, below);
	put_place(&b, path, known);
	for (i = 1; i < req->nargv; i++) {
		buf_str(&b, req->argv[i]);
		buf_ch(&b, 0);
	}
	return buf_view(&b);
}

size_t diff_word_requests(struct diff *d, struct arena *tmp, const struct diff_item *it,
			  struct str word, struct ir_request reqs[DIFF_WORD_REQUESTS])
{
	if (it->kind == IR_COMMAND)
		return command_requests(d, tmp, word, reqs);
	reqs[0] = diff_request(d, it->kind);
	if (it->kind == IR_TOOL) {
		reqs[0].tool = word;
		return 1;
	}
	reqs[0].abstract = is_abstract(it);
	reqs[0].op = IR_READ;
	reqs[0].path = !reqs[0].abstract && !word.n ? STR("/") : word;
	return 1;
}

/* --- words --------------------------------------------------------------- */

/* Ranks bytes: letters, digits, other printable ASCII, the rest. */
static unsigned readable(uint8_t c)
{
	if (c >= 'a' && c <= 'z')
		return 4;
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
		return 3;
	return c > ' ' && c < 127 ? 2 : c == ' ';
}

void diff_word_order(const struct set_dfa *f, uint8_t order[256], uint8_t bytes[256])
{
	bool have[256] = { false };
	uint32_t i, k;

	for (i = 0; i < 256; i++) {
		uint8_t cls = f->cls[i];

		if (!have[cls] || readable((uint8_t)i) > readable(bytes[cls]))
			bytes[cls] = (uint8_t)i;
		have[cls] = true;
	}
	for (i = 0; i < f->nclasses; i++) {
		for (k = i; k > 0 && readable(bytes[order[k - 1]]) < readable(bytes[i]);
		     k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)i;
	}
}

struct str diff_word_spell(struct arena *tmp, const struct diff_step *from,
			   uint32_t start, uint32_t state)
{
	uint32_t s;
	size_t n = 0;
	char *p;

	for (s = state; s != start; s = from[s].from)
		n++;
	p = arena_alloc(tmp, n + 1);
	for (s = state; s != start; s = from[s].from)
		p[--n] = (char)from[s].byte;
	for (s = state; s != start; s = from[s].from)
		n++;
	return (struct str){ p, n };
}
