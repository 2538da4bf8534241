/*
 * Reads one file from bytes to tree: first checks which bytes may stand in a policy
 * text at all, then runs the parser.  A text with a wrong encoding is not parsed,
 * since its meaning would be a guess.
 */
#include "compiler/frontend/dsl.h"

#include "compiler/diag/width.h"
#include "compiler/frontend/parser.h"
#include "policy.tab.h"
#include "policy.lex.h"

#define MAX_ENCODING_ERRORS 5

static void report_bytes(struct diag_sink *sink, struct span at, char byte)
{
	if (byte == '\0')
		diag_add(sink, DIAG_NUL_BYTE, at, "a NUL byte in a policy text");
	else
		diag_add(sink, DIAG_NOT_UTF8, at, "byte 0x%02x is not valid UTF-8 here",
			 (unsigned char)byte);
}

/* Printable ASCII, a tab or a newline: no such byte can be wrong, or begin what is. */
static bool is_plain(char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

/* The first byte from `i` on that is not plain; most texts have none. */
static size_t skip_plain(struct str text, size_t i)
{
	while (i < text.n && is_plain(text.p[i]))
		i++;
	return i;
}

/* A lone carriage return, or one of Unicode's line ends.  Programs disagree about
 * them: what one (such as a YAML reader) takes for a new line, another shows as the
 * rest of a comment. */
static bool ends_line(struct str text, size_t i, uint32_t c)
{
	return c == 0x0b || c == 0x0c || c == 0x85 || c == 0x2028 || c == 0x2029 ||
	       (c == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n'));
}

static bool check_line_ends(struct diag_sink *sink, uint32_t file, struct str text)
{
	size_t found = 0, n;

	for (size_t i = skip_plain(text, 0); i < text.n && found < MAX_ENCODING_ERRORS;
	     i = skip_plain(text, i + n)) {
		struct diag *d;
		uint32_t c;
		bool valid;

		n = utf8_next(text, i, &c, &valid);
		if (!ends_line(text, i, c))
			continue;
		d = diag_add(sink, DIAG_LINE_END,
			     (struct span){file, (uint32_t)i, (uint32_t)n},
			     "U+%04X could be the end of a line, or a part of it", c);
		diag_help(sink, d,
			  "end lines with a newline; in double quotes it is "
			  "written as an escape");
		found++;
	}
	return found == 0;
}

/* Adjacent NUL or invalid bytes count as one fault. */
bool dsl_check_encoding(struct diag_sink *sink, uint32_t file, struct str text)
{
	size_t found = 0, i = skip_plain(text, 0);

	while (i < text.n && found < MAX_ENCODING_ERRORS) {
		size_t start = i, n = 0;
		uint32_t c;
		bool valid = false;

		while (i < text.n) {
			n = utf8_next(text, i, &c, &valid);
			if (valid && c != 0)
				break;
			i += n;
		}
		if (i > start) {
			struct span at = {file, (uint32_t)start, (uint32_t)(i - start)};

			report_bytes(sink, at, text.p[start]);
			found++;
		}
		if (i < text.n)
			i = skip_plain(text, i + n);
	}
	return found == 0 && check_line_ends(sink, file, text);
}

bool dsl_run(struct dsl_parser *p, uint32_t end)
{
	yyscan_t scanner;
	bool ok;

	if (setjmp(p->fatal))
		return false;
	if (pol_scan_lex_init_extra(p, &scanner) != 0)
		dsl_fatal(p, "no memory");
	p->scanner = scanner;
	pol_scan__scan_bytes(p->text.p + p->off, (int)(end - p->off), scanner);
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
	p->start = S_FILE;
	ast_build_init(&p->b, a, sink);

	if (p->text.n > SOURCE_MAX_BYTES) {
		diag_add(sink, DIAG_FILE_TOO_LARGE, (struct span){file, 0, 0},
			 "a policy file has at most %zu bytes, this one has %zu",
			 SOURCE_MAX_BYTES, p->text.n);
		return NULL;
	}
	if (!dsl_check_encoding(sink, file, p->text))
		return NULL;
	if (str_starts(p->text, STR("\xef\xbb\xbf"))) /* a byte order mark */
		p->off = 3;
	ok = dsl_run(p, (uint32_t)p->text.n);
	if (sink->errors > p->errors)
		return NULL;
	/* The parser gave up, or skipped a part, without a message: add one. */
	if (!ok || p->stop) {
		diag_add(sink, DIAG_SYNTAX, p->last.at, "the file cannot be parsed");
		return NULL;
	}
	tree = ast_file(&p->b, file, p->piece.stmts);
	tree->comments = p->comments.v;
	tree->ncomments = p->comments.n;
	return tree;
}
