/*
 * The law of texts that become trees, for every front end: a tree comes out
 * iff no error was reported, and what it is printed as parses again and is
 * printed the same.
 */
#ifndef TESTS_FUZZ_TREE_LAW_H
#define TESTS_FUZZ_TREE_LAW_H

#include "tests/fuzz/law.h"

#include "compiler/ast/print.h"
#include "compiler/frontend/dsl.h"

typedef struct ast_file *tree_law_parse(struct arena *a, struct diag_sink *sink,
					struct source_map *map, uint32_t file);

static inline void tree_law(tree_law_parse *parse, struct str name, const uint8_t *data,
			    size_t n)
{
	struct arena a;
	struct source_map map;
	struct diag_sink sink;
	struct buf once, twice;
	char *text = law_text(data, n);
	struct ast_file *tree;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	source_init(&map, &a);
	diag_init(&sink, &a);
	tree = parse(&a, &sink, &map, source_add(&map, name, (struct str){ text, n }));
	LAW(!tree == (sink.errors != 0));
	if (tree) {
		buf_init(&once, &a);
		ast_print_file(&once, tree);
		tree = dsl_parse(&a, &sink, &map,
				 source_add(&map, STR("printed"), buf_view(&once)));
		LAW(tree);
		buf_init(&twice, &a);
		ast_print_file(&twice, tree);
		LAW(str_eq(buf_view(&once), buf_view(&twice)));
	}
	arena_release(&a);
	free(text);
}

#endif
