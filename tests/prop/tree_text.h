/* What the properties of texts made of random trees share. */
#ifndef TESTS_PROP_TREE_TEXT_H
#define TESTS_PROP_TREE_TEXT_H

#include "compiler/ast/print.h"
#include "compiler/frontend/lexemes.h"
#include "tests/prop/random_ast.h"

static inline unsigned long from_env(const char *name, unsigned long other)
{
	const char *v = getenv(name);

	return v && *v ? strtoul(v, NULL, 0) : other;
}

/* Is word `i` of the text the word `via`? */
static inline bool tree_is_via(const struct dsl_lexemes *lex, size_t i)
{
	return i < lex->n && str_eqz(lex->v[i].text, "via");
}

static inline void fail_with(struct tree_gen *g, unsigned long seed, const char *what,
		      struct str text)
{
	diag_render(stderr, &g->sink, &g->map, false);
	fail_msg("SEED=%lu: %s:\n%.*s", seed, what, STR_ARG(text));
}

static inline struct str printed(struct tree_gen *g, const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &g->arena);
	ast_print_file(&b, f);
	return buf_view(&b);
}

#endif
