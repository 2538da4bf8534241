/*
 * YAML text.  A tree comes out iff no error was reported; it is printed as
 * policy text, which parses and is printed the same.
 */
#include "tests/fuzz/tree_law.h"

#include "compiler/frontend/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	tree_law(yml_parse, STR("text.yml"), data, n);
	return 0;
}
