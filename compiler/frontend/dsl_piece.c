/*
 * Pieces of the language inside other texts.  Sets up the one parser for each piece,
 * and corrects the places of nodes and messages if the text of a piece does not stand
 * in the file byte for byte.
 */
#include "compiler/frontend/dsl_piece.h"

#include <assert.h>

#include "compiler/frontend/parser.h"
#include "policy.tab.h"

/* File numbers that no map uses: for texts that stand in no file. */
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

/* Resets the parser for the next piece, but keeps its counts. */
static void reset(struct dsl_parser *p, struct str text, uint32_t file, uint32_t off)
{
	struct dsl_parser fresh = { .b = p->b,
				    .sink = p->sink,
				    .map = p->map,
				    .text = text,
				    .file = file,
				    .off = off,
				    .errors = p->sink->errors,
				    .bidi = p->bidi,
				    .faulty = SPAN_NONE,
				    .loose = p->loose,
				    .is_piece = true };

	fresh.last.at = fresh.before.at = (struct span){ file, off, 0 };
	*p = fresh;
}

/* --- places ---------------------------------------------------------- */

/* Where each line of a text stands in the file; without lines, all of it is at `at`. */
struct lines {
	struct span at;
	uint32_t file;             /* the number of the text, which stands in no file */
	const uint32_t *from, *to; /* offset of each line: in the text, in the file */
	size_t n;
};

static uint32_t place_of(const struct lines *l, uint32_t off)
{
	size_t lo = 0, hi = l->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->from[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	return l->to[lo] + (off - l->from[lo]);
}

static struct span move(const void *arg, struct span at)
{
	const struct lines *l = arg;
	uint32_t off, end;

	if (at.file != l->file)
		return at; /* moved already */
	if (!l->n)
		return l->at;
	off = place_of(l, at.off);
	end = at.len ? place_of(l, at.off + at.len - 1) + 1 : off;
	return (struct span){ l->at.file, off, end - off };
}

static size_t blanks(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] == ' ')
		i++;
	return i;
}

/* Finds the lines of the text in the file at `at`.  They may only differ in the blanks
 * before them; otherwise `ret` has no lines. */
static void find_lines(struct arena *a, struct str all, struct str text, struct span at,
		       struct lines *ret)
{
	VEC(uint32_t) from = { NULL, 0, 0 }, to = { NULL, 0, 0 };
	const char *first = at.len ? memchr(all.p + at.off, '\n', at.len) : NULL;
	size_t raw = first ? (size_t)(first - all.p) + 1 : 0, end = at.off + at.len;

	*ret = (struct lines){ .at = at, .file = ret->file };
	for (size_t i = 0; first && i < text.n;) {
		const char *nl = memchr(text.p + i, '\n', text.n - i);
		size_t n = nl ? (size_t)(nl - text.p) - i : text.n - i;
		size_t more = blanks(all.p + raw, end - raw),
		       own = blanks(text.p + i, n);

		/* all lines of the block have the same extra indentation in the file */
		raw += n && more > own ? more - own : 0;
		if (n > end - raw || memcmp(all.p + raw, text.p + i, n) != 0)
			return;
		VEC_PUSH(a, &from, (uint32_t)i);
		VEC_PUSH(a, &to, (uint32_t)raw);
		i += n + 1;
		nl = raw < end ? memchr(all.p + raw, '\n', end - raw) : NULL;
		raw = nl ? (size_t)(nl - all.p) + 1 : end;
	}
	ret->from = from.v;
	ret->to = to.v;
	ret->n = from.n;
}

/* Moves messages about a text that stands in no file to the place of its scalar. */
static void replace_places(struct dsl_parser *p, size_t from, const struct lines *lines)
{
	for (size_t i = from; i < p->sink->list.n; i++) {
		struct diag *d = p->sink->list.v[i];

		d->at = move(lines, d->at);
		for (size_t k = 0; k < d->parts.n; k++)
			d->parts.v[k].at = move(lines, d->parts.v[k].at);
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
	struct lines lines = { .at = at };
	bool ok;

	assert(start < DSL_STARTS);
	if (in_file)
		reset(p, all, file, at.off);
	else
		reset(p, text, FIRST_LOOSE + p->loose++, 0);
	p->start = starts[start];
	lines.file = p->file;
	if (!in_file) {
		find_lines(p->b.a, all, text, at, &lines);
		p->b.place = move;
		p->b.place_arg = &lines;
	}
	ok = dsl_run(p, p->off + (uint32_t)text.n);
	p->b.place = NULL;
	if (!ok && p->sink->errors == p->errors)
		diag_add(p->sink, DIAG_SYNTAX, at, "this text cannot be parsed");
	if (!in_file)
		replace_places(p, messages, &lines);
	if (!ok || p->sink->errors > p->errors)
		return false;
	*ret = p->piece;
	return true;
}
