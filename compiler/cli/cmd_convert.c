/*
 * `polc convert --to pol|yaml`: writes one text in the other spelling.  The result is
 * parsed again and compared with the input before it is printed.
 */
#include "compiler/ast/print.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/texts.h"
#include "compiler/format/convert.h"
#include "compiler/format/format.h"
#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"

static struct ast_file *read_again(struct arena *a, struct source_map *map, bool yaml,
				   struct str text)
{
	struct diag_sink *quiet = ARENA_NEW(a, struct diag_sink);
	uint32_t file = source_add(map, yaml ? STR("out.yml") : STR("out.pol"), text);

	diag_init(quiet, a);
	return yaml ? yml_parse(a, quiet, map, file) : dsl_parse(a, quiet, map, file);
}

static bool says_the_same(struct arena *a, const struct ast_file *x,
			  const struct ast_file *y)
{
	struct buf was, is;

	buf_init(&was, a);
	buf_init(&is, a);
	ast_print_file(&was, x);
	ast_print_file(&is, y);
	return str_eq(buf_view(&was), buf_view(&is));
}

/* Puts the text into *ret; false if the text would mean something else. */
static bool convert(struct compilation *c, const struct ast_file *tree, bool yaml,
		    struct buf *ret)
{
	struct ast_file *again;
	struct buf loose;

	if (yaml) {
		convert_to_yaml(ret, &c->map, tree);
		again = read_again(c->a, &c->map, true, buf_view(ret));
		return again && says_the_same(c->a, tree, again);
	}
	buf_init(&loose, c->a);
	convert_to_dsl(&loose, &c->map, tree);
	again = read_again(c->a, &c->map, false, buf_view(&loose));
	return again && says_the_same(c->a, tree, again) &&
	       format_dsl(ret, &c->map, again);
}

enum cli_exit cmd_convert(struct options *o, struct arena *a)
{
	const char *path = o->inputs.v[0].path;
	bool from_yaml = strcmp(path, "-") == 0 ? !o->to_yaml : texts_is_yaml(path);
	struct compilation c;
	struct ast_file *tree;
	struct buf b;

	compilation_init(&c, o, a);
	tree = texts_parse(&c, path, from_yaml);
	report_print(&c);
	if (!tree)
		return CLI_TROUBLE;
	buf_init(&b, a);
	if (!convert(&c, tree, o->to_yaml, &b)) {
		c.internal = arena_printf(a, "'%s' would not say the same in the other "
					  "spelling; nothing is printed", path);
		report_internal(&c);
		return CLI_INTERNAL;
	}
	fwrite(b.p, 1, b.n, stdout);
	return CLI_CLEAN;
}
