/* Chooses the front end that reads a file. */
#include "compiler/frontend/frontend.h"

#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"

bool frontend_is_yaml(struct str name)
{
	return str_ends(name, STR(".yml")) || str_ends(name, STR(".yaml"));
}

/* The ending of the file's own name, with its dot; empty: it has none (/dev/fd/63, .profile). */
static struct str ending_of(struct str name)
{
	size_t base = name.n, dot = name.n;

	while (base && name.p[base - 1] != '/')
		base--;
	for (size_t i = base + 1; i < name.n; i++)
		if (name.p[i] == '.')
			dot = i;
	return (struct str){ name.p + dot, name.n - dot };
}

/*
 * A file of another kind is refused as a whole: what other programs write into their configuration means something
 * else in a policy, or nothing, and its first words would be twenty errors.
 */
static bool is_other_kind(struct diag_sink *sink, struct source_map *map, uint32_t file)
{
	const struct str name = map->files.v[file].name, end = ending_of(name);
	struct diag *d;

	if (!end.n || frontend_is_yaml(name) || str_eq(end, STR(".pol")))
		return false;
	d = diag_add(sink, DIAG_FILE_KIND, (struct span){ file, 0, 0 },
		     "a file whose name ends in '%.*s' is no policy: that of a policy ends in .pol, .yml or .yaml",
		     STR_ARG(end));
	if (str_eq(end, STR(".json")) || str_eq(end, STR(".jsonc")))
		diag_help(sink, d, "JSON is YAML as well: named '%.*s.yml' its keys are looked at one by one, and "
			  "those that no policy has are named", (int)(name.n - end.n), name.p);
	return true;
}

struct ast_file *frontend_parse(struct arena *a, struct diag_sink *sink,
				struct source_map *map, uint32_t file)
{
	if (is_other_kind(sink, map, file))
		return NULL;
	return frontend_is_yaml(map->files.v[file].name)
		       ? yml_parse(a, sink, map, file)
		       : dsl_parse(a, sink, map, file);
}
