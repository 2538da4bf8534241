/* Reads and parses one text, without the files that it uses; no meaning is checked. */
#include "compiler/cli/texts.h"

#include <stdlib.h>
#include <unistd.h>

#include "compiler/frontend/dsl.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/yaml.h"
#include "runtime/base/io.h"

bool texts_is_yaml(const char *path)
{
	struct str s = str_from(path);

	return str_ends(s, STR(".yml")) || str_ends(s, STR(".yaml"));
}

static int read_stdin(struct compilation *c, uint32_t *ret_file)
{
	char *text;
	size_t n;
	int r = io_read_all(STDIN_FILENO, SOURCE_MAX_BYTES, &text, &n);

	if (r < 0)
		return r;
	*ret_file = source_add(&c->map, STR("<stdin>"), (struct str){ text, n });
	free(text);
	return 0;
}

/* Only check warns about values that look like secrets; a layout keeps them. */
static void drop_guesses(struct diag_sink *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->list.n; i++) {
		if (s->list.v[i]->code == DIAG_PLAIN_SECRET)
			s->warnings--;
		else
			s->list.v[n++] = s->list.v[i];
	}
	s->list.n = n;
}

struct ast_file *texts_parse(struct compilation *c, const char *path, bool yaml)
{
	bool standard = strcmp(path, "-") == 0;
	struct ast_file *tree;
	uint32_t file;
	int r = standard ? read_stdin(c, &file) :
			   source_read(&c->map, path, str_from(path), &file);

	if (r < 0) {
		diag_add(&c->sink, DIAG_FILE_READ, SPAN_NONE, "'%s' cannot be read: %s",
			 standard ? "<stdin>" : path, strerror(-r));
		return NULL;
	}
	if (!standard && frontend_is_other_kind(&c->sink, &c->map, file))
		return NULL;
	tree = yaml ? yml_parse(c->a, &c->sink, &c->map, file) :
		      dsl_parse(c->a, &c->sink, &c->map, file);
	drop_guesses(&c->sink);
	return tree;
}
