/*
 * Policy text.  A tree comes out iff no error was reported; what it is printed
 * as parses again and is printed the same.
 */
#include "tests/fuzz/tree_law.h"

/* policy text adds nothing to the map */
static struct ast_file *parse(struct arena *a, struct diag_sink *sink,
			      struct source_map *map, uint32_t file)
{
	return dsl_parse(a, sink, map, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	tree_law(parse, STR("text"), data, n);
	return 0;
}
