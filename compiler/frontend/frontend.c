/* Chooses the front end that reads a file. */
#include "compiler/frontend/frontend.h"

#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"
#include "runtime/base/found.h"

bool frontend_is_yaml(struct str name)
{
	return str_ends(name, STR(".yml")) || str_ends(name, STR(".yaml"));
}

/*
 * A file of another kind is refused as a whole: what other programs write into their configuration means something
 * else in a policy, or nothing, and its first words would be twenty errors.  Any other name may be that of a policy,
 * also a temporary one.
 */
bool frontend_is_other_kind(struct diag_sink *sink, struct source_map *map, uint32_t file)
{
	const struct str name = map->files.v[file].name;
	const char *end = found_other_kind(name.p, name.n);
	struct diag *d;

	if (!end)
		return false;
	d = diag_add(sink, DIAG_FILE_KIND, (struct span){ file, 0, 0 },
		     "a file whose name ends in '%s' is no policy: that of a policy ends in .pol, .yml or .yaml", end);
	if (!strncmp(end, ".json", 5))
		diag_help(sink, d, "JSON is YAML as well: named '%.*s.yml' its keys are looked at one by one, and "
			  "those that no policy has are named", (int)(name.n - strlen(end)), name.p);
	return true;
}

struct ast_file *frontend_parse(struct arena *a, struct diag_sink *sink,
				struct source_map *map, uint32_t file)
{
	if (frontend_is_other_kind(sink, map, file))
		return NULL;
	return frontend_is_yaml(map->files.v[file].name)
		       ? yml_parse(a, sink, map, file)
		       : dsl_parse(a, sink, map, file);
}
