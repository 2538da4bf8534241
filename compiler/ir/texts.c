/* Writes out the {alternatives} of a pattern. */
#include "compiler/ir/texts.h"

/* Appends the literal bytes from item `i` on; returns their number. */
static size_t append_run(struct arena *a, struct ir_texts *n, const struct ir_glob *g,
			 size_t i)
{
	size_t len = 0;
	char *run;

	while (i + len < g->n && g->v[i + len].op == IR_G_BYTE)
		len++;
	run = arena_alloc(a, len + 1);
	for (size_t k = 0; k < len; k++)
		run[k] = (char)g->v[i + k].byte;
	for (size_t k = 0; k < n->n; k++)
		n->v[k] = str_cat(a, n->v[k], (struct str){ run, len });
	return len;
}

/* Appends every text of the glob to every text of `n`. */
static bool append(struct arena *a, const struct ir_glob *g, size_t max, struct ir_texts *n)
{
	for (size_t i = 0; i < g->n;) {
		const struct ir_glob_item *it = &g->v[i];
		struct ir_texts sum = { NULL, 0, 0 };

		if (it->op == IR_G_BYTE) {
			i += append_run(a, n, g, i);
			continue;
		}
		if (it->op != IR_G_ALT)
			return false;
		for (size_t k = 0; k < it->nalts; k++) {
			struct ir_texts one = { NULL, 0, 0 };

			for (size_t j = 0; j < n->n; j++)
				VEC_PUSH(a, &one, n->v[j]);
			if (!append(a, &it->alts[k], max, &one) || sum.n + one.n > max)
				return false;
			for (size_t j = 0; j < one.n; j++)
				VEC_PUSH(a, &sum, one.v[j]);
		}
		*n = sum;
		i++;
	}
	return true;
}

bool ir_glob_texts(struct arena *a, const struct ir_glob *g, size_t max, struct ir_texts *ret)
{
	struct ir_texts all = { NULL, 0, 0 };
	struct str empty = STR("");
	bool ok;

	VEC_PUSH(a, &all, empty);
	ok = append(a, g, max, &all);
	*ret = ok ? all : (struct ir_texts){ NULL, 0, 0 };
	return ok;
}

struct str ir_glob_lead(struct arena *a, const struct ir_glob *g, bool *ret_whole)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < g->n && g->v[i].op == IR_G_BYTE; i++)
		buf_u8(&b, g->v[i].byte);
	*ret_whole = i == g->n;
	return buf_view(&b);
}

/* 0: it has a wildcard; max + 1: more than max. */
static size_t count(const struct ir_glob *g, size_t max)
{
	size_t n = 1;

	for (size_t i = 0; i < g->n && n && n <= max; i++) {
		size_t sum = 0;

		if (g->v[i].op == IR_G_BYTE)
			continue;
		for (size_t k = 0; g->v[i].op == IR_G_ALT && k < g->v[i].nalts; k++) {
			size_t one = count(&g->v[i].alts[k], max);

			if (!one)
				return 0;
			sum += one;
		}
		n = sum > max ? max + 1 : n * sum;
	}
	return n > max ? max + 1 : n;
}

bool ir_glob_is_texts(const struct ir_glob *g, size_t max)
{
	size_t n = count(g, max);

	return n && n <= max;
}

static bool is_wild(const struct ir_set *set, unsigned ops)
{
	return (set->u.file.ops & ops) && !ir_glob_is_texts(&set->u.file.path.glob, IR_MOST_NAMES);
}

static bool takes_by_name(const struct ir_rule *r, unsigned ops)
{
	if (r->kind != IR_FILE || !(r->scopes & IR_SANDBOX))
		return false;
	if (r->effect != IR_ALLOW)
		return is_wild(&r->set, ops);
	for (size_t i = 0; i < r->nexcept; i++)
		if (is_wild(&r->except[i], ops & r->set.u.file.ops))
			return true;
	return false;
}

bool ir_rule_starts_by_name(const struct ir_rule *r)
{
	return takes_by_name(r, IR_READ | IR_EXEC);
}

bool ir_starts_by_name(const struct ir *ir)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir_rule_starts_by_name(ir->rules.v[i]))
			return true;
	return false;
}

bool ir_opens_by_name(const struct ir *ir)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (takes_by_name(ir->rules.v[i], IR_READ))
			return true;
	return false;
}
