/*
 * The canonical layout, on random trees whose text is taken apart at random
 * (line ends, blank lines, comments and separators between any two words):
 * it says the same, holds the same comments in the same order, has no blank at
 * a line's end and no two blank lines, and laid out again it is itself.
 * SEED= and RUNS= choose the runs.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/format/format.h"
#include "compiler/frontend/dsl.h"
#include "compiler/frontend/lexemes.h"
#include "tests/prop/tree_text.h"

static struct ast_file *parse(struct tree_gen *g, struct str text)
{
	return dsl_parse(&g->arena, &g->sink, &g->map,
			 source_add(&g->map, STR("text"), text));
}

static struct str comments(struct tree_gen *g, const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &g->arena);
	for (size_t i = 0; i < f->ncomments; i++) {
		buf_str(&b, source_text(&g->map, f->comments[i]));
		buf_ch(&b, '\n');
	}
	return buf_view(&b);
}

/* What stands between two words. */
static void put_gap(struct tree_gen *g, struct buf *b)
{
	static unsigned count;

	switch (tree_below(g, 12)) {
	case 0:
		buf_z(b, "\n");
		break;
	case 1:
		buf_z(b, "\n \n\n\t");
		break;
	case 2:
		buf_printf(b, " # behind %u\n", count++);
		break;
	case 3:
		buf_printf(b, "\n# before %u\n", count++);
		break;
	case 4:
		buf_printf(b, "\n\n# alone %u\n\n", count++);
		break;
	default:
		buf_z(b, "  ");
		break;
	}
}

/* A text of the same tree; `wild`: with line ends and comments anywhere. */
static struct str take_apart(struct tree_gen *g, const struct ast_file *f, bool wild)
{
	struct dsl_lexemes lex;
	struct buf b;

	assert_true(dsl_lexemes(&g->arena, &g->map, f, &lex));
	buf_init(&b, &g->arena);
	for (size_t i = 0; i < lex.n; i++) {
		buf_str(&b, lex.v[i].text);
		/* a rule's `via` on a line of its own may be refused (P0219) */
		if (wild && !tree_is_via(&lex, i + 1))
			put_gap(g, &b);
		else
			buf_z(&b, lex.v[i].punct == '{' || lex.v[i].punct == '}' ? "\n" :
										  " ");
	}
	return buf_view(&b);
}

/* Statements may be separated, and these separators vanish. */
static struct str with_separators(struct tree_gen *g, const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &g->arena);
	for (const struct ast_stmt *s = f->stmts; s; s = s->next) {
		ast_print_stmt(&b, s);
		put_gap(g, &b);
		buf_z(&b, tree_coin(g) ? ";" : ";;");
		put_gap(g, &b);
	}
	return buf_view(&b);
}

static struct str format(struct tree_gen *g, const struct ast_file *f,
			 unsigned long seed, struct str source)
{
	struct buf b;

	buf_init(&b, &g->arena);
	if (!format_dsl(&b, &g->map, f))
		fail_with(g, seed, "its layout would say something else", source);
	return buf_view(&b);
}

static void check_lines(struct tree_gen *g, unsigned long seed, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != '\n')
			continue;
		if (i && strchr(" \t\r", text.p[i - 1]))
			fail_with(g, seed, "a blank ends a line", text);
		if (i + 2 < text.n && text.p[i + 1] == '\n' && text.p[i + 2] == '\n')
			fail_with(g, seed, "two blank lines", text);
	}
	if (text.n && (text.p[0] == '\n' || text.p[text.n - 1] != '\n'))
		fail_with(g, seed, "how it begins or ends", text);
	if (text.n > 1 && text.p[text.n - 2] == '\n')
		fail_with(g, seed, "a blank line at the end", text);
}

/* The layout of one text of `tree`. */
static struct str one_text(struct tree_gen *g, unsigned long seed,
			   const struct ast_file *tree, struct str text)
{
	struct ast_file *f = parse(g, text), *again;
	struct str once, twice;

	if (!f || !str_eq(printed(g, f), printed(g, tree)))
		fail_with(g, seed, "the test made another tree", text);
	once = format(g, f, seed, text);
	again = parse(g, once);
	if (!again || !str_eq(printed(g, again), printed(g, tree)))
		fail_with(g, seed, "another tree", once);
	if (!str_eq(comments(g, f), comments(g, again)))
		fail_with(g, seed, "other comments", once);
	check_lines(g, seed, once);
	twice = format(g, again, seed, once);
	if (!str_eq(once, twice)) {
		fprintf(stderr, "once:\n%.*s\n", STR_ARG(once));
		fail_with(g, seed, "laid out again it is another text", twice);
	}
	return once;
}

static void one_tree(struct tree_gen *g, unsigned long seed)
{
	struct ast_file *tree;
	struct str plain, broken;

	tree_begin(g, seed);
	tree = tree_file(g);
	plain = printed(g, tree);
	tree = parse(g, plain);
	assert_non_null(tree);
	one_text(g, seed, tree, plain);
	one_text(g, seed, tree, take_apart(g, tree, true));
	one_text(g, seed, tree, with_separators(g, tree));

	/* Where lines end inside of statements has no say. */
	broken = one_text(g, seed, tree, take_apart(g, tree, false));
	tree = parse(g, broken);
	if (!str_eq(broken, one_text(g, seed, tree, take_apart(g, tree, false))))
		fail_with(g, seed, "the source's line ends show", broken);
	tree_end(g);
}

static void test_random_texts(void **state)
{
	static struct tree_gen g;
	unsigned long seed = from_env("SEED", (unsigned long)time(NULL));
	unsigned long runs = from_env("RUNS", 600);

	(void)state;
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++)
		one_tree(&g, seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
