/* Chooses the front end that reads a file. */
#include "compiler/frontend/frontend.h"

#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"

bool frontend_is_yaml(struct str name)
{
	return str_ends(name, STR(".yml")) || str_ends(name, STR(".yaml"));
}

struct ast_file *frontend_parse(struct arena *a, struct diag_sink *sink,
				struct source_map *map, uint32_t file)
{
	return frontend_is_yaml(map->files.v[file].name)
		       ? yml_parse(a, sink, map, file)
		       : dsl_parse(a, sink, map, file);
}
