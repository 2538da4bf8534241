/* Keys of guards: the IR's JSON of what remains when spelling and order are left out. */
#include <stdlib.h>

#include "compiler/analysis/diff_guard_key.h"

#include "compiler/analysis/diff_glob_key.h"

static struct str key_of(struct arena *a, struct ir_guard *g)
{
	struct ir_set s;
	struct buf b;

	memset(&s, 0, sizeof(s));
	s.u.command.guards = g;
	s.u.command.nguards = 1;
	buf_init(&b, a);
	ir_json_set(&b, IR_COMMAND, &s);
	return buf_view(&b);
}

struct str diff_option_key(struct arena *a, const struct ir_option *o)
{
	struct ir_option bare = { .name = o->name, .value = o->value };
	struct ir_guard g = { .kind = IR_GD_WITH, .options = &bare, .noptions = 1 };

	return key_of(a, &g);
}

static struct str path_key(struct arena *a, const struct ir_path *p)
{
	struct ir_path bare = *p;
	struct ir_guard g = { .kind = IR_GD_WITHIN, .paths = &bare, .npaths = 1 };

	bare.text = STR_NULL;
	bare.glob = diff_glob_bare(a, &p->glob);
	return key_of(a, &g);
}

/* --- order ------------------------------------------------------------------------------ */

struct keyed {
	struct str key;
	size_t at; /* its place in the original list */
};

static int by_key(const void *x, const void *y)
{
	return str_cmp(((const struct keyed *)x)->key, ((const struct keyed *)y)->key);
}

/* Sorts, and removes what has the key of another one; returns the new number. */
static size_t tidy(struct keyed *v, size_t n)
{
	size_t i, o = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_key);
	for (i = 0; i < n; i++)
		if (!i || !str_eq(v[i].key, v[o - 1].key))
			v[o++] = v[i];
	return o;
}

static void bare_options(struct arena *a, struct ir_guard *g)
{
	struct keyed *v = arena_array(a, g->noptions + 1, sizeof(*v));
	struct ir_option *to = arena_array(a, g->noptions + 1, sizeof(*to));
	size_t i;

	for (i = 0; i < g->noptions; i++)
		v[i] = (struct keyed){ diff_option_key(a, &g->options[i]), i };
	g->noptions = tidy(v, g->noptions);
	for (i = 0; i < g->noptions; i++) {
		to[i] = g->options[v[i].at];
		to[i].text = STR_NULL;
	}
	g->options = to;
}

static void bare_paths(struct arena *a, struct ir_guard *g)
{
	struct keyed *v = arena_array(a, g->npaths + 1, sizeof(*v));
	struct ir_path *to = arena_array(a, g->npaths + 1, sizeof(*to));
	size_t i;

	for (i = 0; i < g->npaths; i++)
		v[i] = (struct keyed){ path_key(a, &g->paths[i]), i };
	g->npaths = tidy(v, g->npaths);
	for (i = 0; i < g->npaths; i++) {
		to[i] = g->paths[v[i].at];
		to[i].text = STR_NULL;
		to[i].glob = diff_glob_bare(a, &to[i].glob);
	}
	g->paths = to;
}

static struct ir_guard bare_guard(struct arena *a, const struct ir_guard *g)
{
	struct ir_guard to = *g;

	bare_options(a, &to);
	bare_paths(a, &to);
	return to;
}

struct str diff_guard_key(struct arena *a, const struct ir_guard *g)
{
	struct ir_guard bare = bare_guard(a, g);

	return key_of(a, &bare);
}

/* All `without` as one: none of their options may be there.  Returns the new number. */
static size_t join_without(struct arena *a, struct ir_guard *v, size_t n)
{
	struct ir_guard *first = NULL;
	size_t i, o = 0;

	for (i = 0; i < n; i++) {
		struct ir_option *both;

		if (v[i].kind != IR_GD_WITHOUT || !first) {
			v[o] = v[i];
			if (v[i].kind == IR_GD_WITHOUT)
				first = &v[o];
			o++;
			continue;
		}
		both = arena_array(a, first->noptions + v[i].noptions + 1, sizeof(*both));
		memcpy(both, first->options, first->noptions * sizeof(*both));
		memcpy(both + first->noptions, v[i].options, v[i].noptions * sizeof(*both));
		first->options = both;
		first->noptions += v[i].noptions;
	}
	return o;
}

void diff_guard_bare(struct arena *a, struct ir_command *c)
{
	struct ir_guard *v = arena_array(a, c->nguards + 1, sizeof(*v)), *to;
	struct keyed *keys = arena_array(a, c->nguards + 1, sizeof(*keys));
	size_t i, n = c->nguards;

	if (!n)
		return;
	memcpy(v, c->guards, n * sizeof(*v));
	n = join_without(a, v, n);
	for (i = 0; i < n; i++) {
		v[i] = bare_guard(a, &v[i]);
		keys[i] = (struct keyed){ key_of(a, &v[i]), i };
	}
	c->nguards = tidy(keys, n);
	to = arena_array(a, n + 1, sizeof(*to));
	for (i = 0; i < c->nguards; i++)
		to[i] = v[keys[i].at];
	c->guards = to;
}
