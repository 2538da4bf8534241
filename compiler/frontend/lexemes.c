/*
 * Scans a parsed text again: its tokens and comments in one sequence, with the line
 * ends between them.  Reports no faults, since the parser has done so.
 */
#include "compiler/frontend/lexemes.h"

#include "compiler/frontend/parser.h"
#include "policy.tab.h"
#include "policy.lex.h"

struct collect {
	struct arena *a;
	struct str text;
	const struct ast_file *tree;
	size_t comment; /* index of the tree's next comment */
	uint32_t end;   /* end of the last lexeme */
	VEC(struct dsl_lexeme) out;
};

static unsigned newlines_between(struct str text, uint32_t from, uint32_t to)
{
	unsigned n = 0;

	for (; from < to && n < 2; from++)
		n += text.p[from] == '\n';
	return n;
}

static void add(struct collect *c, struct span at, bool comment)
{
	struct dsl_lexeme l = { .text = { c->text.p + at.off, at.len },
				.off = at.off,
				.comment = comment,
				.newlines = newlines_between(c->text, c->end, at.off) };

	while (comment && l.text.n && strchr(" \t\r", l.text.p[l.text.n - 1]))
		l.text.n--;
	if (!comment && l.text.n == 1 && strchr("{}[](),;", l.text.p[0]))
		l.punct = l.text.p[0];
	c->end = at.off + at.len;
	VEC_PUSH(c->a, &c->out, l);
}

static void add_comments(struct collect *c, uint32_t before)
{
	while (c->comment < c->tree->ncomments &&
	       c->tree->comments[c->comment].off < before)
		add(c, c->tree->comments[c->comment++], true);
}

static bool scan_all(struct dsl_parser *p, struct collect *c)
{
	yyscan_t scanner;
	union POL_STYPE val;
	struct span at;

	if (setjmp(p->fatal))
		return false;
	if (pol_scan_lex_init_extra(p, &scanner) != 0)
		return false;
	p->scanner = scanner;
	pol_scan__scan_bytes(p->text.p + p->off, (int)(p->text.n - p->off), scanner);
	while (pol_scan(&val, &at, scanner) != END) {
		add_comments(c, at.off);
		add(c, at, false);
	}
	add_comments(c, UINT32_MAX);
	pol_scan_lex_destroy(scanner);
	return true;
}

bool dsl_lexemes(struct arena *a, const struct source_map *map,
		 const struct ast_file *tree, struct dsl_lexemes *ret)
{
	struct dsl_parser *p = ARENA_NEW(a, struct dsl_parser);
	struct diag_sink *quiet = ARENA_NEW(a, struct diag_sink);
	struct collect *c = ARENA_NEW(a, struct collect);

	diag_init(quiet, a);
	p->sink = quiet;
	p->map = map;
	p->file = tree->source;
	p->text = map->files.v[tree->source].text;
	p->faulty = SPAN_NONE;
	ast_build_init(&p->b, a, quiet);
	if (str_starts(p->text, STR("\xef\xbb\xbf")))
		p->off = 3;
	*c = (struct collect){ .a = a, .text = p->text, .tree = tree };
	if (!scan_all(p, c) || quiet->errors)
		return false;
	*ret = (struct dsl_lexemes){ c->out.v, c->out.n };
	return true;
}
