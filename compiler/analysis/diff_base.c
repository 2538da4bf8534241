/* Base names of programs, and the words that begin with a program of such a name. */
#include "compiler/analysis/diff_base.h"

#include "compiler/analysis/diff_key.h"

/* --- the parts ------------------------------------------------------------------------ */

struct divide {
	struct diff *d;
	struct diff_bases *v;
	size_t n;
	struct map seen[2];
};

static void add(struct divide *to, enum diff_bases_kind kind, struct str name)
{
	if (map_get(&to->seen[kind], name))
		return;
	map_put(&to->seen[kind], name, to->d);
	to->v[to->n++] = (struct diff_bases){ .kind = kind, .name = name };
}

static void add_item(struct divide *to, const struct diff_item *it)
{
	const struct str *names = it->whole ? &it->lead : it->names;
	size_t i, n = it->whole ? 1 : it->nnames;

	for (i = 0; i < n; i++) {
		add(to, DIFF_BASE_IS, names[i]);
		if (it->sep)
			add(to, DIFF_BASE_COLON, names[i]);
	}
}

/* Does the item's expression contain the name?  Then a line of that program reads best. */
static bool mentions(const struct diff_item *it, struct str name)
{
	struct str text = diff_set(it)->u.command.text;
	size_t i;

	for (i = 0; name.n && i + name.n <= text.n; i++)
		if (memcmp(text.p + i, name.p, name.n) == 0)
			return true;
	return false;
}

/* The names that the item mentions come first; returns their number. */
static size_t order(const struct diff_item *it, struct diff_bases *v, size_t n)
{
	size_t i, o = 0;

	for (i = 0; i < n; i++)
		if (mentions(it, v[i].name)) {
			struct diff_bases x = v[i];

			v[i] = v[o];
			v[o++] = x;
		}
	return o;
}

size_t diff_base_divide(struct diff *d, struct arena *a, const struct diff_item *it,
			struct diff_bases **ret)
{
	struct divide to = { .d = d };
	struct diff_bases others;
	bool few = it->whole || it->nnames;
	size_t i, n, most = it->nnames + d->items[IR_COMMAND].n + 1;

	to.v = arena_array(a, 2 * most + 1, sizeof(*to.v));
	map_init(&to.seen[0], a);
	map_init(&to.seen[1], a);
	add_item(&to, it);
	for (i = 0; !few && i < d->items[IR_COMMAND].n; i++)
		if (d->items[IR_COMMAND].v[i]->whole)
			add_item(&to, d->items[IR_COMMAND].v[i]);
	n = order(it, to.v, to.n);
	*ret = to.v;
	if (few)
		return to.n;
	/* then all other names, so that a witness need not have the name of some rule */
	others = (struct diff_bases){ .kind = DIFF_BASE_OTHERS, .n = to.n,
				      .not = arena_dup(a, to.v, to.n * sizeof(*to.v)) };
	for (i = to.n; i > n; i--)
		to.v[i] = to.v[i - 1];
	to.v[n] = others;
	return to.n + 1;
}

/* Does the name go on with ':' after `lead`? */
static bool goes_on(struct str name, struct str lead)
{
	return name.n > lead.n && str_starts(name, lead) && name.p[lead.n] == ':';
}

/* `sep`: the item's program is `lead`, or goes on after it with ':'. */
static bool may_match(const struct diff_bases *b, struct str lead, bool sep)
{
	switch (b->kind) {
	case DIFF_BASE_IS:
		return str_eq(lead, b->name) || (sep && goes_on(b->name, lead));
	case DIFF_BASE_COLON:
		return (sep && (str_eq(lead, b->name) || goes_on(b->name, lead))) ||
		       goes_on(lead, b->name);
	case DIFF_BASE_OTHERS:
		break;
	}
	return false;
}

bool diff_base_may_match(const struct diff_bases *b, const struct diff_item *it)
{
	size_t i;

	if (it->whole)
		return may_match(b, it->lead, it->sep);
	/* of a program that is one of a few, not every name has a part of its own */
	if (!it->nnames || b->kind == DIFF_BASE_OTHERS)
		return true;
	for (i = 0; i < it->nnames && !may_match(b, it->names[i], it->sep); i++)
		;
	return i < it->nnames;
}

/* --- their words ------------------------------------------------------------------------ */

static struct set_bytes name_bytes(void)
{
	struct set_bytes b = { { ~(uint64_t)1, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	set_bytes_drop(&b, '/');
	return b;
}

/* Nothing, or anything that ends in '/'. */
static struct set_re *folders(struct arena *a)
{
	struct set_bytes any = { { ~(uint64_t)1, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	return set_or(a, set_eps(a),
		      set_cat(a, set_star(a, set_class(a, any)), set_byte(a, '/')));
}

/* The end of the program, and whatever follows. */
static struct set_re *rest(struct arena *a)
{
	struct set_bytes all = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };

	return set_cat(a, set_byte(a, 0), set_star(a, set_class(a, all)));
}

/*
 * The names that differ from `name`.  `colon`: those that are not `name`, ':', and
 * anything.
 */
static struct set_re *other_names(struct arena *a, struct str name, bool colon)
{
	struct set_re *any = set_star(a, set_class(a, name_bytes()));
	struct set_re *re = set_cat(a, set_class(a, name_bytes()), any);
	size_t i;

	if (colon) {
		name = str_cat(a, name, STR(":"));
		re = set_none(a);
	}
	/* from the end: shorter, another byte, or equal so far and another rest */
	for (i = name.n; i-- > 0;) {
		struct set_bytes other = name_bytes();

		set_bytes_drop(&other, (uint8_t)name.p[i]);
		re = set_or(a, set_cat(a, set_byte(a, (uint8_t)name.p[i]), re),
			    set_cat(a, set_class(a, other), any));
		re = set_or(a, set_eps(a), re);
	}
	return re;
}

static struct set_re *one_of(struct arena *a, const struct diff_bases *v, size_t n)
{
	struct set_re *any = set_star(a, set_class(a, name_bytes()));
	struct set_re **re = arena_array(a, n + 1, sizeof(struct set_re *));
	size_t i;

	for (i = 0; i < n; i++) {
		re[i] = set_lit(a, v[i].name);
		if (v[i].kind == DIFF_BASE_COLON)
			re[i] = set_cat(a, re[i], set_cat(a, set_byte(a, ':'), any));
	}
	return set_or_all(a, re, n);
}

struct set_re *diff_base_outside(struct arena *a, const struct diff_bases *b)
{
	struct set_re *names = b->kind == DIFF_BASE_OTHERS ?
				       one_of(a, b->not, b->n) :
				       other_names(a, b->name, b->kind == DIFF_BASE_COLON);

	return set_cat(a, folders(a), set_cat(a, names, rest(a)));
}
