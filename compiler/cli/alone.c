/*
 * Decides whether a file is a policy of its own.  Only the text of the file decides,
 * so that the same command line always means the same.  A file that cannot be parsed
 * counts as a policy of its own, so that its errors are reported once.
 */
#include "compiler/cli/alone.h"

#include <stdlib.h>

#include "compiler/frontend/frontend.h"

/* Parses in an arena of its own; the messages are reported later. */
static bool states_level(const struct sema_input *in)
{
	const struct ast_file *tree = NULL;
	struct diag_sink sink;
	struct source_map map;
	struct arena own;
	uint32_t file;
	bool ret;

	arena_init(&own, ARENA_DEFAULT_BUDGET);
	source_init(&map, &own);
	diag_init(&sink, &own);
	if (sema_input_text(&map, in, &file) == 0)
		tree = frontend_parse(&own, &sink, &map, file);
	ret = tree && sema_declares_level(tree);
	arena_release(&own);
	return ret;
}

/* Is file `n` the same file as an earlier one, perhaps by another name? */
static bool is_named_before(const struct options *o, const bool *own, size_t n)
{
	char *real = realpath(o->inputs.v[n].path, NULL);
	bool found = false;

	for (size_t i = 0; real && i < n && !found; i++) {
		char *other = own[i] ? realpath(o->inputs.v[i].path, NULL) : NULL;

		found = other && strcmp(real, other) == 0;
		free(other);
	}
	free(real);
	return found;
}

static size_t count_bare(const struct options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->inputs.n; i++)
		n += !o->inputs.v[i].cmdline_level;
	return n;
}

/* The command line with only one of the `own` files, and the files that belong to
 * all policies. */
static struct options narrowed(const struct options *o, struct arena *a,
			       const bool *own, const bool *again, size_t only)
{
	struct options one = *o;

	one.inputs.v = NULL;
	one.inputs.n = one.inputs.cap = 0;
	for (size_t i = 0; i < o->inputs.n; i++)
		if (i == only || (!own[i] && !again[i]))
			VEC_PUSH(a, &one.inputs, o->inputs.v[i]);
	return one;
}

void alone_split(struct alone *ret, const struct options *o, struct arena *a)
{
	bool *own = arena_array(a, o->inputs.n, sizeof(bool));
	bool *again = arena_array(a, o->inputs.n, sizeof(bool));
	size_t n = 0;

	*ret = (struct alone){ .each = ARENA_NEW(a, struct options), .n = 1 };
	ret->file = arena_array(a, 1, sizeof(*ret->file));
	*ret->each = *o;
	if (count_bare(o) < 2)
		return;
	for (size_t i = 0; i < o->inputs.n; i++) {
		const struct sema_input *in = &o->inputs.v[i];

		if (in->cmdline_level || states_level(in))
			continue;
		again[i] = is_named_before(o, own, i);
		own[i] = !again[i];
		n += own[i];
	}
	if (n < 2)
		return;
	*ret = (struct alone){ .each = arena_array(a, n, sizeof(*ret->each)),
			       .file = arena_array(a, n, sizeof(*ret->file)) };
	for (size_t i = 0; i < o->inputs.n; i++) {
		const struct sema_input *in = &o->inputs.v[i];

		if (!own[i])
			continue;
		ret->file[ret->n] = in->name.n ? str_z(a, in->name) : in->path;
		ret->each[ret->n++] = narrowed(o, a, own, again, i);
	}
}
