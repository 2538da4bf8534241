/*
 * Shared by the scanner, the parser and the messages about syntax errors.  Private to
 * the DSL front end and to the files that bison and flex generate.
 */
#ifndef COMPILER_FRONTEND_PARSER_H
#define COMPILER_FRONTEND_PARSER_H

#include <setjmp.h>

#include "compiler/frontend/dsl_start.h"

struct dsl_regex {
	struct str text, flags;
};

struct dsl_token {
	int kind;
	struct span at;
	struct str text; /* for keywords and names */
	bool is_new; /* its bracket has not been counted yet */
};

struct dsl_bracket {
	char kind; /* { [ ( */
	struct span at;
	struct dsl_token head; /* the token before it */
};

struct dsl_parser {
	struct ast_build b;
	struct diag_sink *sink;
	const struct source_map *map;
	struct str text; /* the whole file */
	uint32_t file;
	uint32_t off;    /* offset of the next byte to scan */
	void *scanner;
	jmp_buf fatal;   /* for when flex cannot go on */
	size_t errors;   /* the count of the sink before this file */
	size_t bidi;     /* warnings about invisible characters so far */

	struct dsl_token last, before; /* the last two tokens handed out */
	struct dsl_token replay[2];    /* tokens to hand out next, [0] first */
	unsigned nreplay;
	struct dsl_bracket open[AST_MAX_NESTING]; /* the brackets that are open */
	unsigned nopen;
	uint32_t misplaced; /* where the block of the last misplaced section opens */
	bool unmatched; /* the last token closes a bracket that is not open */

	struct span faulty; /* the last token that was reported */
	bool sync;          /* a statement is faulty: tell where the next one begins */
	unsigned sync_open; /* brackets around that statement */
	bool closing;       /* now handing out the brackets that a list lacks, */
	bool ending;        /* … and then the ';' that ends its statement */
	bool skip_block;    /* an unknown word: skip a block that begins on its line */
	bool stop;          /* a limit was passed: no more tokens, no more errors */

	int start; /* the token before the text that says what the text is; then 0 */
	struct dsl_result piece; /* the result */
	bool is_piece; /* the text is not a whole file */
	uint32_t loose; /* number of pieces so far whose text stands in no file */
	VEC(struct span) comments;
};

/* --- the scanner (policy.l, lex.c, tokens.c) ---------------------------------------- */

union POL_STYPE;

/* One token as flex sees it (policy.l). */
int pol_scan(union POL_STYPE *val, struct span *at, void *scanner);
/* One token as bison wants it: replays, skips, brackets, limits. */
int pol_lex(union POL_STYPE *val, struct span *at, struct dsl_parser *p);

/*
 * Each of these reads the raw text of a token, reports what is wrong with it, and
 * returns the token with which the parser can best go on (POL_error: none).
 */
int dsl_word(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_string(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_raw_string(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_regex(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_number(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_bad_number(struct dsl_parser *p, union POL_STYPE *val, struct span at);
int dsl_unterminated(struct dsl_parser *p, struct span at);
/* For a '/' without a closing '/': number of bytes that look like a path, or 0. */
uint32_t dsl_path_length(const struct dsl_parser *p, struct span at);
/* A path, a pattern or a quoted text in the spelling of another language. */
int dsl_unquoted(struct dsl_parser *p, union POL_STYPE *val, struct span at);
/* `&&` and other operators of other languages, read as `token`. */
int dsl_foreign(struct dsl_parser *p, struct span at, int token, const char *right);
/* Returns the length of the comment: up to its end mark, or else the whole line. */
size_t dsl_foreign_comment(struct dsl_parser *p, struct span at);
int dsl_stray(struct dsl_parser *p, struct span at);
/* Keeps a comment for the formatter; the parser does not see it. */
void dsl_comment(struct dsl_parser *p, struct span at);
void dsl_check_bidi(struct dsl_parser *p, struct span at);
/* The text, or the beginning of a long one, for a message. */
struct str dsl_shown(struct dsl_parser *p, struct str s);
/* Does a line end between two places? */
bool dsl_is_new_line(const struct dsl_parser *p, uint32_t from, uint32_t to);
/* Is there only white space before it on its line? */
bool dsl_begins_line(const struct dsl_parser *p, struct span at);
/* `set NAME = TEXT`: warns if the text is a secret; returns `set`. */
struct ast_stmt *dsl_variable(struct dsl_parser *p, struct ast_stmt *set);
/* A rule of `network`: reports a `via` that looks like the section's; returns the rule. */
struct ast_stmt *dsl_net_rule(struct dsl_parser *p, struct ast_stmt *rule);
/* `deny publish`, or with `allow` a `publish`; reports what no port can be. */
struct ast_stmt *dsl_publish(struct dsl_parser *p, bool final, enum ast_effect effect, struct ast_stmt *s);
/* A statement is faulty: makes the scanner tell where the next one begins. */
void dsl_expect_next(struct dsl_parser *p);
_Noreturn void dsl_fatal(struct dsl_parser *p, const char *msg);

/* Checks that only permitted bytes stand in the text (dsl.c); false after errors. */
bool dsl_check_encoding(struct diag_sink *sink, uint32_t file, struct str text);
/* Runs scanner and parser from p->off to `end`; false if they gave up. */
bool dsl_run(struct dsl_parser *p, uint32_t end);

/* --- syntax errors (syntax.c) ---------------------------------------------- */

/* The names are those of the %token lines in policy.y. */
void dsl_syntax_error(struct dsl_parser *p, struct span at, const char *unexpected,
		      const char *const *expected, size_t n);
/* The parser's own stack is full. */
void dsl_too_deep(struct dsl_parser *p, struct span at);

#endif
