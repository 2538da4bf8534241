/*
 * Turns the IR's patterns into expressions: what `*`, `?` and `**` match in a path, in
 * a word of a deny and in a word of an allow; the program column; lists of words
 * (doc/semantics.md 4.3, 5).
 */
#include "compiler/sets/lang.h"

static const struct set_bytes no_bytes;

static struct set_bytes with_range(struct set_bytes b, unsigned from, unsigned to)
{
	set_bytes_add(&b, from, to);
	return b;
}

static struct set_bytes without(struct set_bytes b, uint8_t c)
{
	set_bytes_drop(&b, c);
	return b;
}

static struct set_bytes any_bytes(void)
{
	return with_range(no_bytes, 1, 255);
}

/* The bytes that a wildcard of an allow matches: none that is special to a shell. */
static struct set_bytes plain_bytes(void)
{
	static const char others[] = "._:/@+-";
	struct set_bytes b = with_range(no_bytes, 'a', 'z');
	size_t i;

	b = with_range(with_range(b, 'A', 'Z'), '0', '9');
	for (i = 0; others[i]; i++)
		b = with_range(b, (uint8_t)others[i], (uint8_t)others[i]);
	return b;
}

static struct set_bytes side_bytes(enum set_side side)
{
	return side == SET_BROAD ? any_bytes() : plain_bytes();
}

static struct set_re *star_of(struct arena *a, struct set_bytes b)
{
	return set_star(a, set_class(a, b));
}

/* How to read one glob. */
struct reading {
	struct arena *a;
	struct set_bytes one; /* the bytes that `?` matches */
	bool no_slash;        /* keep only members without a '/' */
};

static struct set_re *from_glob(const struct reading *r, const struct ir_glob *g);

/* Zero or more "name/". */
static struct set_re *from_dirs(const struct reading *r)
{
	struct set_re *name = set_class(r->a, without(any_bytes(), '/'));

	if (r->no_slash)
		return set_eps(r->a);
	return set_star(r->a, set_cat(r->a, name,
				      set_cat(r->a, set_star(r->a, name),
					      set_byte(r->a, '/'))));
}

static struct set_re *from_item(const struct reading *r, const struct ir_glob_item *it)
{
	struct set_bytes one = r->one, any = any_bytes();
	struct set_re **alts;
	size_t i;

	if (r->no_slash) {
		one = without(one, '/');
		any = without(any, '/');
	}
	switch (it->op) {
	case IR_G_BYTE:
		if (r->no_slash && it->byte == '/')
			return set_none(r->a);
		return set_byte(r->a, it->byte);
	case IR_G_ONE:
		return set_class(r->a, one);
	case IR_G_STAR:
		return star_of(r->a, one);
	case IR_G_DEEP:
		return star_of(r->a, any);
	case IR_G_DIRS:
		return from_dirs(r);
	case IR_G_ALT:
		alts = arena_array(r->a, it->nalts + 1, sizeof(*alts));
		for (i = 0; i < it->nalts; i++)
			alts[i] = from_glob(r, &it->alts[i]);
		return set_or_all(r->a, alts, it->nalts);
	}
	return set_none(r->a);
}

/* Is it a second star in a row?  That matches no more than one star and costs more. */
static bool is_repeated(const struct ir_glob_item *v)
{
	return v[0].op == v[1].op && (v[0].op == IR_G_STAR || v[0].op == IR_G_DEEP ||
				      v[0].op == IR_G_DIRS);
}

static struct set_re *from_items(const struct reading *r,
				 const struct ir_glob_item *v, size_t n)
{
	struct set_re **parts = arena_array(r->a, n + 1, sizeof(*parts));
	size_t i, o = 0;

	for (i = 0; i < n; i++)
		if (i + 1 == n || !is_repeated(v + i))
			parts[o++] = from_item(r, v + i);
	return set_cat_all(r->a, parts, o);
}

static struct set_re *from_glob(const struct reading *r, const struct ir_glob *g)
{
	return from_items(r, g->v, g->n);
}

/* --- paths, single words ---------------------------------------------------- */

struct set_re *set_from_path(struct arena *a, const struct ir_path *p)
{
	struct reading r = { .a = a, .one = without(any_bytes(), '/') };
	struct set_re *re = from_glob(&r, &p->glob);

	if (!p->below)
		return re;
	return set_cat(a, re, set_or(a, set_eps(a),
				     set_cat(a, set_byte(a, '/'),
					     star_of(a, any_bytes()))));
}

struct set_re *set_from_word(struct arena *a, const struct ir_glob *g,
			     enum set_side side)
{
	struct reading r = { .a = a, .one = side_bytes(side) };

	return from_glob(&r, g);
}

enum set_side set_side_of(enum ir_effect e)
{
	return e == IR_ALLOW ? SET_NARROW : SET_BROAD;
}

/* --- the program column ------------------------------------------------------- */

static bool has_slash(const struct ir_glob *g)
{
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].op == IR_G_BYTE && g->v[i].byte == '/')
			return true;
		for (k = 0; g->v[i].op == IR_G_ALT && k < g->v[i].nalts; k++)
			if (has_slash(&g->v[i].alts[k]))
				return true;
	}
	return false;
}

/* What follows a literal '/' of the glob and has no '/' itself. */
static struct set_re *behind_slashes(const struct reading *r, const struct ir_glob *g)
{
	struct set_re *re = set_none(r->a), *rest;
	size_t i, k;

	/* from the end: a text without '/' cannot begin before the last '/' */
	for (i = g->n; i-- > 0;) {
		const struct ir_glob_item *it = &g->v[i];

		if (it->op == IR_G_BYTE && it->byte == '/')
			return set_or(r->a, re,
				      from_items(r, it + 1, g->n - i - 1));
		for (k = 0; it->op == IR_G_ALT && k < it->nalts; k++) {
			if (!has_slash(&it->alts[k]))
				continue;
			rest = from_items(r, it + 1, g->n - i - 1);
			rest = set_cat(r->a, behind_slashes(r, &it->alts[k]), rest);
			re = set_or(r->a, re, rest);
		}
	}
	return re;
}

/*
 * The base names of what the glob matches.  Its wildcards do not match '/': `npm*` does
 * not match every path that ends in such a name.
 */
static struct set_re *base_names(struct arena *a, const struct ir_glob *g)
{
	struct reading r = { .a = a, .one = any_bytes(), .no_slash = true };

	return set_or(a, from_glob(&r, g), behind_slashes(&r, g));
}

struct column {
	struct arena *a;
	const struct ir_command *c;
	enum set_side side;
	struct set_re *end;   /* NUL */
	struct set_re *word;  /* any word and its NUL */
	struct set_re *where; /* the two words for the places, whatever they are */
	struct set_re *skip;  /* words that may follow each word, or NULL */
	bool no_places;       /* for deny and ask: the program without its places */
};

/* With ":*" the last word may go on with ':' and anything. */
static struct set_re *continued(const struct column *k, struct set_re *re, bool tail,
				bool no_slash)
{
	struct set_bytes b = side_bytes(k->side);
	struct set_re *more;

	if (!tail)
		return re;
	if (no_slash)
		b = without(b, '/');
	more = set_cat(k->a, set_byte(k->a, ':'), star_of(k->a, b));
	return set_cat(k->a, re, set_or(k->a, set_eps(k->a), more));
}

struct set_re *set_trusted_dirs(struct arena *a)
{
	static const char *const dirs[] = { "/bin/", "/sbin/", "/usr/bin/",
					    "/usr/sbin/", "/usr/local/bin/" };
	struct set_re *re = set_none(a);
	size_t i;

	for (i = 0; i < POL_LEN(dirs); i++)
		re = set_or(a, re, set_lit(a, str_from(dirs[i])));
	return re;
}

static struct set_re *trusted_dir(struct arena *a)
{
	return set_or(a, set_eps(a), set_trusted_dirs(a));
}

/* An allow with a literal '/': it means one file, relative to the project or absolute. */
static struct set_re *program_file(const struct column *k, const struct ir_glob *g,
				   bool tail)
{
	struct reading r = { .a = k->a, .one = side_bytes(k->side) };
	struct arena *a = k->a;
	struct set_re *any = star_of(a, any_bytes()), *known = set_byte(a, '=');
	struct set_re *re = continued(k, from_glob(&r, g), tail, false);
	struct set_re *in_project =
		set_or(a, re, set_after(a, set_after(a, re, '.'), '/'));
	struct set_re *written = set_cat(a, any, set_cat(a, set_byte(a, '/'), any));
	struct set_re *project, *absolute;

	project =
		set_cat(a, set_cat(a, known, in_project), set_cat(a, k->end, k->word));
	absolute = set_cat(a, k->word, set_cat(a, set_cat(a, known, re), k->end));
	return set_cat(a, set_cat(a, written, k->end), set_or(a, project, absolute));
}

/* The first word and its two places, each ended by NUL. */
static struct set_re *program(const struct column *k, const struct ir_glob *g,
			      bool tail)
{
	struct arena *a = k->a;
	struct reading bare = { .a = a, .one = side_bytes(k->side), .no_slash = true };
	struct set_re *dirs = set_cat(a, star_of(a, any_bytes()), set_byte(a, '/'));
	struct set_re *re;

	if (k->side == SET_BROAD) {
		re = continued(k, base_names(a, g), tail, true);
		re = set_cat(a, set_or(a, set_eps(a), dirs), re);
		re = set_cat(a, re, k->end);
		return k->no_places ? re : set_cat(a, re, k->where);
	}
	re = set_cat(a, trusted_dir(a), continued(k, from_glob(&bare, g), tail, true));
	re = set_cat(a, set_cat(a, re, k->end), k->where);
	return has_slash(g) ? set_or(a, re, program_file(k, g, tail)) : re;
}

/* Any program that a `**` in the column may match. */
static struct set_re *any_program(const struct column *k)
{
	struct arena *a = k->a;
	struct set_re *name = star_of(a, without(any_bytes(), '/'));

	if (k->side == SET_BROAD)
		return k->no_places ? k->word : set_cat(a, k->word, k->where);
	return set_cat(a, set_cat(a, trusted_dir(a), name),
		       set_cat(a, k->end, k->where));
}

/* --- lists of words --------------------------------------------------------------- */

/* The words from `i` on, none of which is the program. */
static struct set_re *further_words(const struct column *k, size_t i, size_t n)
{
	const struct ir_command *c = k->c;
	struct reading r = { .a = k->a, .one = side_bytes(k->side) };
	struct set_re **v = arena_array(k->a, n + 1, sizeof(*v)), *word;
	size_t o = 0;

	for (; i < n; i++) {
		const struct ir_word *w = &c->words[i];
		bool tail = c->tail && i + 1 == c->nwords;

		if (!w->any_words) {
			word = continued(k, from_glob(&r, &w->glob), tail, false);
			word = set_cat(k->a, word, k->end);
			v[o++] = k->skip ? set_cat(k->a, word, k->skip) : word;
		} else if (i + 1 == n || !w[1].any_words) {
			v[o++] = set_star(k->a, k->word);
		}
	}
	return set_cat_all(k->a, v, o);
}

/* What may follow the words of the list. */
static struct set_re *words_after(const struct column *k)
{
	struct set_re *any = set_star(k->a, k->word);

	if (k->c->more && k->side == SET_BROAD && k->c->nwords)
		return set_cat(k->a, k->word, any);
	return k->c->tail ? any : set_eps(k->a);
}

static struct column column_of(struct arena *a, const struct ir_command *c,
			       enum set_side side, bool no_places)
{
	struct column k = { .a = a, .c = c, .side = side, .no_places = no_places };

	k.end = set_byte(a, 0);
	k.word = set_cat(a, star_of(a, any_bytes()), k.end);
	k.where = set_cat(a, k.word, k.word);
	return k;
}

static struct set_re *from_command(const struct column *k)
{
	const struct ir_command *c = k->c;
	struct arena *a = k->a;
	bool more = c->more && k->side == SET_BROAD && c->nwords;
	size_t n = c->nwords - (more ? 1 : 0), i;
	struct set_re *re = set_none(a), *any = set_star(a, k->word), *rest;
	struct set_re *after = words_after(k);

	if (c->regex)
		return set_cat(a, any_program(k), any);
	/* a leading ** may match no word: then the next word is the program */
	for (i = 0; i < n; i++) {
		if (i + 1 < n && c->words[i].any_words && c->words[i + 1].any_words)
			continue; /* it is covered by the next ** */
		rest = set_cat(a, further_words(k, i + 1, n), after);
		if (!c->words[i].any_words) {
			bool tail = c->tail && i + 1 == c->nwords;
			struct set_re *p = program(k, &c->words[i].glob, tail);

			p = k->skip ? set_cat(a, p, k->skip) : p;
			return set_or(a, re, set_cat(a, p, rest));
		}
		re = set_or(a, re, set_cat(a, any_program(k), set_cat(a, any, rest)));
	}
	if (more || c->tail)
		re = set_or(a, re, set_cat(a, any_program(k), any));
	return re;
}

struct set_re *set_from_command(struct arena *a, const struct ir_command *c,
				enum set_side side)
{
	struct column k = column_of(a, c, side, false);

	return from_command(&k);
}

struct set_re *set_from_readings(struct arena *a, const struct ir_command *c)
{
	struct column k = column_of(a, c, SET_BROAD, false);
	struct set_bytes b = no_bytes;
	struct set_re *option;

	b = with_range(with_range(b, '-', '-'), '+', '+');
	option = set_cat(a, set_class(a, b), set_cat(a, set_class(a, any_bytes()), k.word));
	k.skip = set_star(a, set_cat(a, option, set_or(a, set_eps(a), k.word)));
	return from_command(&k);
}

struct set_re *set_from_call(struct arena *a, const struct ir_command *c,
			     enum set_side side)
{
	struct column k = column_of(a, c, side, true);

	return from_command(&k);
}

struct set_re *set_from_rest(struct arena *a, const struct ir_command *c,
			     enum set_side side)
{
	struct column k = column_of(a, c, side, true);
	bool more = c->more && side == SET_BROAD;

	return set_cat(a, further_words(&k, 1, c->nwords - (more ? 1 : 0)),
		       words_after(&k));
}
