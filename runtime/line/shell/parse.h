/*
 * The reader of shell text, shared by the files of this folder; nobody else
 * includes it.  The text lies in a copy that ends with a NUL and has no other;
 * where a part is read by itself (a here-document, backquotes) a NUL is put
 * behind it for that time.  A function that returns false has reported why,
 * and its callers unwind to the next substitution or the line, which goes on
 * loosely behind the error.
 */
#ifndef RUNTIME_LINE_SHELL_PARSE_H
#define RUNTIME_LINE_SHELL_PARSE_H

#include <string.h>

#include "runtime/line/shell/production.h"
#include "runtime/line/shell/shell.h"

/* The text that is being read: the line's copy, or one that was unescaped. */
struct shell_src {
	char *text;
	char *out;        /* as long; unquoted bytes go to the offset of their origin */
	uint32_t n;
	uint32_t from, to; /* where it stands in the line, unless it is the line */
	bool line;
	const char *open;  /* behind the innermost quote that was never closed */
};

struct shell_heredoc {
	struct sh_redir *redir;
	struct shell_heredoc *next;
	struct sh_cmd *cmd;
	bool tabs; /* <<- */
};

struct shell {
	struct sh *ret;
	const char *p;
	struct shell_src src;
	char *mem, *mem_end;
	struct sh_cmd **tail;
	struct sh_cmd *cmd;  /* parent of what substitutions of the words run */
	struct sh_cmd *func;
	struct shell_heredoc *pending, **pending_tail;
	uint32_t marks;
	uint32_t depth;
	uint32_t rereads;    /* how often text may still be read a second time */
	uint32_t brace_work; /* steps, and bytes, that braces may still take */
	uint32_t parens;     /* of subshells, arrays that are not closed yet */
	uint32_t semicolons; /* of the arithmetic that was read; 9 and more: too many */
	bool posix;
	bool extglob;        /* an earlier line had shopt -s extglob */
	bool extglob_next;
	uint32_t patterns;   /* of ${x#…} and its like, up to a substitution */
	bool inner_quotes;   /* the next double quotes stand in "${x-…}" of bash */
	bool arrays;         /* a word of the next command may be NAME=(…) */
	bool high;           /* the line has bytes that are no ASCII */
	bool quiet;          /* reads what has been read: lists no commands */
};

/* --- memory, messages (shell.c) ------------------------------------------------ */

/* Zeroed; NULL when the block is exhausted, which is reported. */
void *shell_alloc(struct shell *s, size_t n);
/* Not zeroed. */
char *shell_bytes(struct shell *s, size_t n);
/* The first message counts.  Always false. */
bool shell_fail(struct shell *s, const char *at, const char *why);
bool shell_limit(struct shell *s, const char *why);
/* Counts one more reading of the same text; false past the limit. */
bool shell_again(struct shell *s);
uint32_t shell_offset(const struct shell *s, const char *p);
bool shell_deeper(struct shell *s);
/* A new command at the end of the list. */
struct sh_cmd *shell_cmd(struct shell *s, enum sh_kind kind, const char *from);

static inline bool shell_is_limit(const struct shell *s)
{
	return s->ret->status == SH_LIMIT;
}

/* --- bytes (bytes.c) -------------------------------------------------------------- */

enum {
	C_PLAIN = 1,   /* stands for itself everywhere in an unquoted word */
	C_BLANK = 2,
	C_META = 4,    /* ends a word: blanks, newline, NUL, | & ; ( ) < > */
	C_NAME = 8,    /* may stand in a name */
	C_DIGIT = 16,
	C_DPLAIN = 32, /* stands for itself in double quotes */
	C_SPECIAL = 64, /* $* $@ $# $? $- $$ $! */
};
extern const uint8_t shell_class[256];

static inline unsigned shell_is(char c, unsigned mask)
{
	return shell_class[(unsigned char)c] & mask;
}

/* Copies the line; reports bytes that no line may have. */
bool shell_copy(struct shell *s, const char *text, size_t n);

/* The next byte, behind any broken line ends. */
static inline char shell_at(struct shell *s)
{
	while (__builtin_expect(s->p[0] == '\\' && s->p[1] == '\n', 0) &&
	       !SHELL_OFF(CONTINUATION))
		s->p += 2;
	return *s->p;
}

static inline char shell_next(struct shell *s)
{
	s->p++;
	return shell_at(s);
}

/* The byte after the next one, as shell_next would return it. */
static inline char shell_peek(const struct shell *s)
{
	const char *p = s->p + 1;

	while (__builtin_expect(p[0] == '\\' && p[1] == '\n', 0))
		p += 2;
	return *p;
}

/* A word begins at p, of which <( is one. */
static inline bool shell_starts_word(struct shell *s)
{
	return !shell_is(shell_at(s), C_META) ||
	       ((*s->p == '<' || *s->p == '>') && !s->posix && shell_peek(s) == '(');
}

/* Blanks and a comment, where a token may begin. */
void shell_blanks(struct shell *s);

/* --- words (word.c, quote.c, brace.c) ----------------------------------------------- */

enum {
	W_PLAIN = 0,
	W_BRACES = 1,  /* braces are expanded */
	W_VALUE = 2,   /* of an assignment: ~ also behind ':'; not split */
	W_PATTERN = 4, /* ( groups behind ?*+@! although extglob is off */
	W_REGEX = 8,   /* ( and | are part of it */
	W_DELIMITER = 16, /* of a here-document in dash: no expansions */
};

struct shell_word {
	struct sh_word *w;
	struct sh_seg *last;
	const char *from;
	unsigned mode;
	struct sh_seg *glob_from; /* the first unquoted expansion: may begin a pattern */
	struct sh_seg *glob_to;   /* what may end it: another, or a piece with a ']' */
	const char *no_bracket; /* before it no ']' follows */
	bool brace;       /* an unquoted { */
	bool braced;      /* made by braces: no assignment any more */
	bool unknown;     /* an open set of which more may be a part */
};

/* The word at p, whose first byte begins one; several where braces made them. */
bool shell_word(struct shell *s, unsigned mode, struct sh_word **ret_first,
		struct sh_word **ret_last);
/* The bytes up to the NUL at the end of the source, as in a here-document. */
bool shell_body(struct shell *s, struct shell_word *b);
struct sh_word *shell_word_new(struct shell *s, const char *from);

bool shell_word_begin(struct shell *s, struct shell_word *b, unsigned mode);
/* Reads on to the end of a word. */
bool shell_word_rest(struct shell *s, struct shell_word *b);
/* Bytes of the source that stand for themselves. */
bool shell_lit(struct shell *s, struct shell_word *b, const char *run, size_t n);
/* One byte that `raw` stands for. */
bool shell_lit_byte(struct shell *s, struct shell_word *b, char c, const char *raw);
/* A piece of another kind. */
bool shell_seg(struct shell *s, struct shell_word *b, enum sh_seg_kind kind,
	       const char *p, size_t n);
/* The value of an expansion outside of quotes. */
bool shell_unquoted(struct shell *s, struct shell_word *b);
/* ?(…) and its like: p stands at the '('. */
bool shell_group(struct shell *s, struct shell_word *b);

bool shell_single(struct shell *s, struct shell_word *b);
bool shell_double(struct shell *s, struct shell_word *b);
bool shell_ansi(struct shell *s, struct shell_word *b);
/* The text of double quotes, up to `close` ('"', or NUL of a here-document). */
bool shell_double_text(struct shell *s, struct shell_word *b, char close);

/* A word that has unquoted braces: replaced by what they make. */
bool shell_braces(struct shell *s, const struct shell_word *b,
		  struct sh_word **ret_first, struct sh_word **ret_last);

/* SH_EVALUATES, because of `what`; the first one of a command is told. */
static inline void shell_evaluates(struct sh_cmd *c, const char *what)
{
	if (c && !c->evaluates)
		c->evaluates = what;
	if (c)
		c->marks |= SH_EVALUATES;
}

/* --- expansions (expand.c, param.c, arith.c) ------------------------------------------- */

enum { IN_WORD, IN_QUOTES, IN_HEREDOC };

/* '$' at p.  b may be NULL where only the commands are wanted; *multi is set
 * when it may make several words even in quotes. */
bool shell_dollar(struct shell *s, struct shell_word *b, int in, bool *multi);
bool shell_backquote(struct shell *s, bool in_quotes);
/* A list up to the ')' that closes it; p stands behind the '('. */
bool shell_substitution(struct shell *s);
/* <( or >( at p. */
bool shell_procsub(struct shell *s);
/* ${ was read, up to behind its '}'. */
bool shell_param(struct shell *s, int in, bool *multi);
/* Arithmetic up to behind its end: "))", "]", or the ':' or '}' of ${x:…}.  A ')'
 * that closes too much is left there, and *ret_closed false. */
bool shell_arith(struct shell *s, char close, bool *ret_closed);
/* [ was read, up to behind its ]. */
bool shell_subscript(struct shell *s, char *ret_only);

/* --- commands (simple.c, redir.c, list.c, compound.c, cond.c, option.c) -------------------- */

enum shell_reserved {
	R_NONE, R_BANG, R_LBRACE, R_RBRACE, R_COND, R_CASE, R_COPROC, R_DO, R_DONE, R_ELIF,
	R_ELSE, R_ESAC, R_FI, R_FOR, R_FUNCTION, R_IF, R_IN, R_SELECT, R_THEN, R_TIME,
	R_UNTIL, R_WHILE, R_COND_END,
};
/* The reserved word at p, or R_NONE; *ret_end is behind it. */
enum shell_reserved shell_reserved(struct shell *s, const char **ret_end);
bool shell_take(struct shell *s, enum shell_reserved r, const char *why);

/* Commands up to what cannot begin one; at least one unless may_be_empty. */
bool shell_list(struct shell *s, bool may_be_empty);
/* The list of a whole text, or of a substitution up to its ')': goes on behind errors. */
bool shell_text(struct shell *s, char close);
/* After an error at the end of a text: commands behind the quote that was left open. */
void shell_rest(struct shell *s);
bool shell_newlines(struct shell *s);
/* A newline at p, and the here-documents that begin behind it. */
bool shell_newline(struct shell *s);

bool shell_command(struct shell *s);
bool shell_simple(struct shell *s);
/* A compound command at p; false in *ret_is when there is none. */
bool shell_compound(struct shell *s, bool *ret_is);
bool shell_function(struct shell *s, const char *from, const char *name, size_t n);
bool shell_cond(struct shell *s);
bool shell_dparen(struct shell *s, bool *ret_is);

/* A redirection at p, or *ret_is false. */
bool shell_redir(struct shell *s, struct sh_redir **ret);
bool shell_redirs_after(struct shell *s);
bool shell_heredocs(struct shell *s);

/* A name with broken line ends in it, without these. */
const char *shell_joined(struct shell *s, const char *from, const char *end, size_t *ret_n);
/* NAME= at p; *ret is NULL when there is none. */
bool shell_assign(struct shell *s, struct sh_assign **ret);
bool shell_array(struct shell *s, struct sh_word **ret);

/* A command that changes how the rest of the text is read. */
void shell_options(struct shell *s, const struct sh_cmd *c);

#endif
