/* Reads one YAML file from bytes to tree. */
#include "compiler/frontend/yaml.h"

#include "compiler/frontend/yaml_comments.h"
#include "compiler/frontend/yaml_scan.h"

static void (*const readers[YML_READER_COUNT])(struct yml *, const struct yml_entry *) = {
#define X(name) [YML_DO_##name] = yml_do_##name,
	YML_READERS(X)
#undef X
};

struct ast_file *yml_parse(struct arena *a, struct diag_sink *sink,
			   struct source_map *map, uint32_t file)
{
	struct yml y = { .a = a, .sink = sink, .map = map, .file = file };
	size_t errors = sink->errors;
	struct yml_node *root = NULL;
	struct ast_file *f;

	if (!yml_tree(a, sink, map, file, &root))
		return NULL;
	y.dsl = dsl_pieces(a, sink, map, file);
	y.b = dsl_build(y.dsl);
	yml_index(&y.keys, a);
	y.readers = readers;
	y.locks = map->files.v[file].managed;
	if (root) {
		yml_scan(&y, root);
		yml_read_maps(&y, root, YML_S_FILE);
	}
	if (sink->errors > errors)
		return NULL;
	f = ast_file(y.b, file, y.out.head);
	yml_comments(a, map, root, f);
	return f;
}
