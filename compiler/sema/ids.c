/*
 * Names of rules: `as NAME`, else the section and a digest of the statement's canonical
 * text, so that an id stays the same if a line is moved.
 */
#include "compiler/sema/internal.h"

#include <sodium.h>

#include "compiler/ast/print.h"

static const struct ast_value *as_name(const struct ast_stmt *stmt)
{
	for (const struct ast_option *o = stmt->options; o; o = o->next)
		if (o->kind == AST_O_AS)
			return o->values;
	return NULL;
}

static bool has_id(const struct sema_stmt *t)
{
	if (t->orig->kind == AST_ASSERT)
		return true;
	return t->in_section &&
	       (t->orig->kind == AST_RULE || t->orig->kind == AST_RISK ||
		t->orig->kind == AST_SCRATCH || t->orig->kind == AST_PUBLISH ||
		t->orig->kind == AST_NOT_PUBLISH || t->orig->kind == AST_MOUNT ||
		t->orig->kind == AST_TOOL);
}

struct str sema_text(const struct sema *s, const struct ast_stmt *stmt)
{
	struct buf b;

	buf_init(&b, s->a);
	ast_print_stmt(&b, stmt);
	return str_dup(s->a, buf_view(&b));
}

static struct str digest_id(struct sema *s, const struct sema_stmt *t)
{
	unsigned char h[crypto_generichash_BYTES];

	crypto_generichash(h, sizeof(h), (const unsigned char *)t->text.p, t->text.n,
			   NULL, 0);
	return str_printf(s->a, "%s-%02x%02x%02x%02x",
			  t->in_section ? sema_section_name(t->section) : "assert",
			  h[0], h[1], h[2], h[3]);
}

/* Takes the names that people gave; within one level they must differ. */
static void take_given(struct sema *s, struct sema_stmt *t, struct map *taken,
		       struct map *levels)
{
	const struct ast_value *as = as_name(t->orig);
	struct sema_stmt *first;
	struct str key;

	if (!as)
		return;
	t->id = as->text;
	key = str_printf(s->a, "%u %.*s", t->unit->level, STR_ARG(as->text));
	first = map_get(levels, key);
	if (first) {
		struct diag *d =
			diag_add(s->sink, DIAG_DUPLICATE_RULE_ID, as->at,
				 "'%.*s' names two statements of level '%s'",
				 STR_ARG(as->text), ir_level_name(t->unit->level));
		diag_note(s->sink, d, as_name(first->orig)->at,
			  "the first one is here");
		return;
	}
	map_put(levels, key, t);
	map_put(taken, t->id, t);
}

/* Returns `id`, or the first of id.2, id.3 … that is free. */
static struct str free_id(struct sema *s, struct str id, struct map *taken,
			  struct map *last)
{
	unsigned *k = map_get(last, id);
	struct str ret = id;

	if (!k) {
		k = ARENA_NEW(s->a, unsigned);
		*k = 1;
		map_put(last, id, k);
	}
	while (map_get(taken, ret))
		ret = str_printf(s->a, "%.*s.%u", STR_ARG(id), ++*k);
	return ret;
}

void sema_ids(struct sema *s)
{
	struct map taken, levels, last;

	map_init(&taken, s->a);
	map_init(&levels, s->a);
	map_init(&last, s->a);
	for (size_t i = 0; i < s->stmts.n; i++) {
		struct sema_stmt *t = s->stmts.v[i];

		t->text = sema_text(s, t->orig);
		if (has_id(t) && !t->off)
			take_given(s, t, &taken, &levels);
	}
	for (size_t i = 0; i < s->stmts.n; i++) {
		struct sema_stmt *t = s->stmts.v[i];

		if (!has_id(t) || t->id.n)
			continue;
		t->id = digest_id(s, t);
		if (t->off) /* it has no effect, so nothing needs a name */
			continue;
		t->id = free_id(s, t->id, &taken, &last);
		map_put(&taken, t->id, t);
	}
}
