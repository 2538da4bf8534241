/* The same glob without alternatives that are there twice, and in one order. */
#include <stdlib.h>

#include "compiler/analysis/diff_glob_key.h"

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

static struct str key_of(struct arena *a, const struct ir_glob *g)
{
	struct ir_set s;
	struct buf b;

	memset(&s, 0, sizeof(s));
	s.u.tool.glob = *g;
	buf_init(&b, a);
	ir_json_set(&b, IR_TOOL, &s);
	return buf_view(&b);
}

struct keyed {
	struct str key;
	struct ir_glob glob;
};

static int by_key(const void *x, const void *y)
{
	return str_cmp(((const struct keyed *)x)->key, ((const struct keyed *)y)->key);
}

static struct ir_glob_item bare_alternatives(struct arena *a, const struct ir_glob_item *it)
{
	struct keyed *v = arena_array(a, it->nalts + 1, sizeof(*v));
	struct ir_glob_item to = { .op = IR_G_ALT };
	size_t i;

	for (i = 0; i < it->nalts; i++) {
		v[i].glob = diff_glob_bare(a, &it->alts[i]);
		v[i].key = key_of(a, &v[i].glob);
	}
	qsort(v, it->nalts, sizeof(*v), by_key);
	to.alts = arena_array(a, it->nalts + 1, sizeof(*to.alts));
	for (i = 0; i < it->nalts; i++)
		if (!i || !str_eq(v[i].key, v[i - 1].key))
			to.alts[to.nalts++] = v[i].glob;
	return to;
}

struct ir_glob diff_glob_bare(struct arena *a, const struct ir_glob *g)
{
	VEC(struct ir_glob_item) to = { .n = 0 };
	bool any = false;
	size_t i, k;

	for (i = 0; i < g->n; i++)
		any |= g->v[i].op == IR_G_ALT && g->v[i].nalts;
	if (!any)
		return *g;
	for (i = 0; i < g->n; i++) {
		struct ir_glob_item it = g->v[i];

		if (it.op == IR_G_ALT && it.nalts)
			it = bare_alternatives(a, &it);
		if (it.op == IR_G_ALT && it.nalts == 1)
			for (k = 0; k < it.alts[0].n; k++)
				VEC_PUSH(a, &to, it.alts[0].v[k]);
		else
			VEC_PUSH(a, &to, it);
	}
	return (struct ir_glob){ .v = to.v, .n = to.n };
}
