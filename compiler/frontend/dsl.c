/*
 * One file from bytes to tree: what may stand in a policy text at all, then
 * the parser.  A text with a wrong encoding is not parsed: what it seems to
 * say would be guessed.
 */
#include "compiler/frontend/dsl.h"

#include "compiler/diag/width.h"
#include "compiler/frontend/parser.h"
#include "policy.tab.h"
#include "policy.lex.h"

#define MAX_ENCODING_ERRORS 5

static void report_bytes(struct dsl_parser *p, size_t at, size_t n)
{
	struct span span = {p->file, (uint32_t)at, (uint32_t)n};

	if (p->text.p[at] == '\0')
		diag_add(p->sink, DIAG_NUL_BYTE, span, "a NUL byte in a policy text");
	else
		diag_add(p->sink, DIAG_NOT_UTF8, span,
			 "byte 0x%02x is not valid UTF-8 here",
			 (unsigned char)p->text.p[at]);
}

/* NUL or invalid bytes that stand together are one fault. */
static bool check_encoding(struct dsl_parser *p)
{
	size_t found = 0, i = 0;

	while (i < p->text.n && found < MAX_ENCODING_ERRORS) {
		size_t start = i, n = 0;
		uint32_t c;
		bool valid = false;

		while (i < p->text.n) {
			n = utf8_next(p->text, i, &c, &valid);
			if (valid && c != 0)
				break;
			i += n;
		}
		if (i > start) {
			report_bytes(p, start, i - start);
			found++;
		}
		if (i < p->text.n)
			i += n;
	}
	return found == 0;
}

static bool run_parser(struct dsl_parser *p)
{
	yyscan_t scanner;
	bool ok;

	if (setjmp(p->fatal))
		return false;
	if (pol_scan_lex_init_extra(p, &scanner) != 0)
		dsl_fatal(p, "no memory");
	p->scanner = scanner;
	pol_scan__scan_bytes(p->text.p + p->off, (int)(p->text.n - p->off), scanner);
	ok = pol_parse(p) == 0;
	pol_scan_lex_destroy(p->scanner);
	return ok;
}

struct ast_file *dsl_parse(struct arena *a, struct diag_sink *sink,
			   const struct source_map *map, uint32_t file)
{
	struct dsl_parser *p = ARENA_NEW(a, struct dsl_parser);
	struct ast_file *tree;
	bool ok;

	p->sink = sink;
	p->map = map;
	p->file = file;
	p->text = map->files.v[file].text;
	p->errors = sink->errors;
	p->faulty = SPAN_NONE;
	p->last.at = p->before.at = (struct span){file, 0, 0};
	ast_build_init(&p->b, a, sink);

	if (p->text.n > SOURCE_MAX_BYTES) {
		diag_add(sink, DIAG_FILE_TOO_LARGE, (struct span){file, 0, 0},
			 "a policy file has at most %zu bytes, this one has %zu",
			 SOURCE_MAX_BYTES, p->text.n);
		return NULL;
	}
	if (!check_encoding(p))
		return NULL;
	if (str_starts(p->text, STR("\xef\xbb\xbf"))) /* a byte order mark */
		p->off = 3;
	ok = run_parser(p);
	if (sink->errors > p->errors)
		return NULL;
	/* The parser gave up, or skipped a part, without a word: say so. */
	if (!ok || p->stop) {
		diag_add(sink, DIAG_SYNTAX, p->last.at, "the file cannot be parsed");
		return NULL;
	}
	tree = ast_file(&p->b, file, p->stmts);
	tree->comments = p->comments.v;
	tree->ncomments = p->comments.n;
	return tree;
}
