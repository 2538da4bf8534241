/*
 * Pieces of the language inside of other texts: sets the one parser up for
 * each of them, and puts right where its nodes and messages stand when the
 * text of a piece is not in the file as it is.
 */
#include "compiler/frontend/dsl_piece.h"

#include <assert.h>

#include "compiler/frontend/parser.h"
#include "policy.tab.h"

/* File numbers that no map gives out: texts that are in no file. */
#define FIRST_LOOSE 0x80000000u

struct dsl_parser *dsl_pieces(struct arena *a, struct diag_sink *sink,
			      const struct source_map *map, uint32_t file)
{
	struct dsl_parser *p = ARENA_NEW(a, struct dsl_parser);

	p->sink = sink;
	p->map = map;
	p->file = file;
	p->is_piece = true;
	ast_build_init(&p->b, a, sink);
	return p;
}

struct ast_build *dsl_build(struct dsl_parser *p)
{
	return &p->b;
}

/* The parser as it was before its first piece, but for its accounts. */
static void reset(struct dsl_parser *p, struct str text, uint32_t file, uint32_t off)
{
	struct dsl_parser fresh = {.b = p->b,
				   .sink = p->sink,
				   .map = p->map,
				   .text = text,
				   .file = file,
				   .off = off,
				   .errors = p->sink->errors,
				   .bidi = p->bidi,
				   .faulty = SPAN_NONE,
				   .loose = p->loose,
				   .is_piece = true};

	fresh.last.at = fresh.before.at = (struct span){file, off, 0};
	*p = fresh;
}

/* Messages about a text that is in no file stand where its scalar stands. */
static void replace_places(struct dsl_parser *p, size_t from, struct span at)
{
	for (size_t i = from; i < p->sink->list.n; i++) {
		struct diag *d = p->sink->list.v[i];

		if (d->at.file == p->file)
			d->at = at;
		for (size_t k = 0; k < d->parts.n; k++)
			if (d->parts.v[k].at.file == p->file)
				d->parts.v[k].at = at;
	}
}

static const int starts[DSL_STARTS] = {
	[DSL_VALUE] = S_VALUE,
	[DSL_PATTERN] = S_PATTERN,
	[DSL_PATH] = S_PATH,
	[DSL_HOST] = S_HOST,
	[DSL_PORT] = S_PORT,
	[DSL_NAME] = S_NAME,
	[DSL_OPTION] = S_OPTION,
	[DSL_CALL] = S_CALL,
	[DSL_IMPORT] = S_IMPORT,
	[DSL_ELEMENT] = S_ELEMENT,
	[DSL_TEXT] = S_TEXT,
	[DSL_EXPR] = S_EXPR,
	[DSL_ITEMS] = S_ITEMS,
	[DSL_CASES] = S_CASES,
	[DSL_ASSERTION] = S_ASSERTION,
	[DSL_FILE] = S_FILE,
	[DSL_POLICY] = S_POLICY,
	[DSL_SEC_COMMAND] = S_SEC_COMMAND,
	[DSL_SEC_FILE] = S_SEC_FILE,
	[DSL_SEC_NETWORK] = S_SEC_NETWORK,
	[DSL_SEC_UNIX] = S_SEC_UNIX,
	[DSL_SEC_SYSCALL] = S_SEC_SYSCALL,
	[DSL_SEC_PAIRS] = S_SEC_PAIRS,
	[DSL_SEC_ENV] = S_SEC_ENV,
	[DSL_SEC_SESSION] = S_SEC_SESSION,
	[DSL_SEC_RUNNER] = S_SEC_RUNNER,
	[DSL_SEC_TOOLS] = S_SEC_TOOLS,
	[DSL_BLOCK] = S_BLOCK,
	[DSL_TOOL] = S_TOOL,
};

bool dsl_piece(struct dsl_parser *p, enum dsl_start start, struct str text,
	       struct span at, struct dsl_result *ret)
{
	uint32_t file = at.file;
	struct str all = p->map->files.v[file].text;
	bool in_file = text.n == at.len && memcmp(all.p + at.off, text.p, text.n) == 0;
	size_t messages = p->sink->list.n;
	bool ok;

	assert(start < DSL_STARTS);
	if (in_file)
		reset(p, all, file, at.off);
	else
		reset(p, text, FIRST_LOOSE + p->loose++, 0);
	p->start = starts[start];
	p->b.place = in_file ? NULL : &at;
	ok = dsl_run(p, p->off + (uint32_t)text.n);
	p->b.place = NULL;
	if (!ok && p->sink->errors == p->errors)
		diag_add(p->sink, DIAG_SYNTAX, at, "this text cannot be parsed");
	if (!in_file)
		replace_places(p, messages, at);
	if (!ok || p->sink->errors > p->errors)
		return false;
	*ret = p->piece;
	return true;
}
