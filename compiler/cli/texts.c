/* Reads a text and parses it, without what it uses and without a meaning. */
#include "compiler/cli/texts.h"

#include <errno.h>
#include <unistd.h>

#include "compiler/base/buf.h"
#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"

bool texts_is_yaml(const char *path)
{
	struct str s = str_from(path);

	return str_ends(s, STR(".yml")) || str_ends(s, STR(".yaml"));
}

static int read_stdin(struct compilation *c, uint32_t *ret_file)
{
	char part[65536];
	struct buf b;

	buf_init(&b, c->a);
	for (;;) {
		ssize_t n = read(STDIN_FILENO, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		buf_add(&b, part, (size_t)n);
		if (b.n > SOURCE_MAX_BYTES)
			return -EFBIG;
	}
	*ret_file = source_add(&c->map, STR("<stdin>"), buf_view(&b));
	return 0;
}

struct ast_file *texts_parse(struct compilation *c, const char *path, bool yaml)
{
	bool standard = strcmp(path, "-") == 0;
	uint32_t file;
	int r = standard ? read_stdin(c, &file) :
			   source_read(&c->map, path, str_from(path), &file);

	if (r < 0) {
		diag_add(&c->sink, DIAG_FILE_READ, SPAN_NONE, "'%s' cannot be read: %s",
			 standard ? "<stdin>" : path, strerror(-r));
		return NULL;
	}
	return yaml ? yml_parse(c->a, &c->sink, &c->map, file) :
		      dsl_parse(c->a, &c->sink, &c->map, file);
}
