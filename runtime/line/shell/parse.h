/*
 * The productions of the reader of shell text. A word holds substitutions, these hold
 * commands, and commands hold words: the files that read them call each other, as in any
 * recursive descent. Nobody outside of this folder includes this.
 *
 * The reader works on a copy of the text that ends with a NUL and has no other NUL. To
 * read a part by itself (a here-document, backquotes), it puts a NUL after that part for
 * the time being. A function that returns false has reported why. Its callers unwind to
 * the enclosing substitution or line, which then goes on loosely after the error.
 */
#ifndef RUNTIME_LINE_SHELL_PARSE_H
#define RUNTIME_LINE_SHELL_PARSE_H

#include "runtime/line/shell/bytes.h"
#include "runtime/line/shell/state.h"

/* --- words (word.c, quote.c) ----------------------------------------------- */

enum {
	W_PLAIN = 0,
	W_BRACES = 1,  /* braces are expanded */
	W_VALUE = 2,   /* value of an assignment: ~ also counts after ':'; not split */
	W_PATTERN = 4, /* ( groups after ?*+@! even if extglob is off */
	W_REGEX = 8,   /* ( and | belong to the word */
	W_DELIMITER = 16, /* delimiter of a here-document in dash: no expansions */
};

struct shell_word {
	struct sh_word *w;
	struct sh_seg *last;
	const char *from;
	unsigned mode;
	struct sh_seg *glob_from; /* the first unquoted expansion: it may begin a
	                             pattern */
	struct sh_seg *glob_to;   /* a piece that may end it: another expansion, or text
	                             with a ']' */
	const char *no_bracket; /* up to here no ']' follows */
	bool brace;       /* has an unquoted { */
	bool braced;      /* made by braces: no longer an assignment */
	bool unknown;     /* has an open set that may go on in the following pieces */
};

/* The word at p, whose first byte begins one. Several words if braces made them. */
bool shell_word(struct shell *s, unsigned mode, struct sh_word **ret_first,
		struct sh_word **ret_last);
/* Reads the bytes up to the NUL at the end of the source, like a here-document. */
bool shell_body(struct shell *s, struct shell_word *b);
struct sh_word *shell_word_new(struct shell *s, const char *from);

bool shell_word_begin(struct shell *s, struct shell_word *b, unsigned mode);
/* Reads to the end of a word. */
bool shell_word_rest(struct shell *s, struct shell_word *b);
/* Adds bytes of the source that stand for themselves. */
bool shell_lit(struct shell *s, struct shell_word *b, const char *run, size_t n);
/* Adds one byte, for which `raw` stands in the source. */
bool shell_lit_byte(struct shell *s, struct shell_word *b, char c, const char *raw);
/* Adds a piece of another kind. */
bool shell_seg(struct shell *s, struct shell_word *b, enum sh_seg_kind kind,
	       const char *p, size_t n);
/* Adds the value of an expansion outside of quotes. */
bool shell_unquoted(struct shell *s, struct shell_word *b);
/* Reads ?(…) and the like; p is at the '('. */
bool shell_group(struct shell *s, struct shell_word *b);

bool shell_single(struct shell *s, struct shell_word *b);
bool shell_double(struct shell *s, struct shell_word *b);
bool shell_ansi(struct shell *s, struct shell_word *b);
/* Reads the text in double quotes, up to `close` ('"', or NUL for a here-document). */
bool shell_double_text(struct shell *s, struct shell_word *b, char close);

/* --- expansions (expand.c, param.c, arith.c) ------------------------------------------- */

enum { IN_WORD, IN_QUOTES, IN_HEREDOC };

/* Reads a '$' at p. b may be NULL if only the commands are wanted. *multi is set if the
 * expansion may make several words even in quotes. */
bool shell_dollar(struct shell *s, struct shell_word *b, int in, bool *multi);
bool shell_backquote(struct shell *s, bool in_quotes);
/* Reads a list up to the ')' that closes it; p is after the '('. */
bool shell_substitution(struct shell *s);
/* Reads <( or >( at p. */
bool shell_procsub(struct shell *s);
/* Reads the rest of ${…}, including the '}'; "${" was read. */
bool shell_param(struct shell *s, int in, bool *multi);
/* Reads arithmetic and its end: "))", "]", or the ':' or '}' of ${x:…}. An unmatched ')'
 * is not read, and *ret_closed is false then. */
bool shell_arith(struct shell *s, char close, bool *ret_closed);
/* Reads plain arithmetic up to "))", which is not read. false: it is not so plain, and
 * nothing was read. */
bool shell_calc(struct shell *s, struct sh_calc *ret);
/* Reads the rest of a subscript, including the ]; "[" was read. */
bool shell_subscript(struct shell *s, char *ret_only);

/* --- commands (simple.c, redir.c, list.c, compound.c, cond.c, text.c) -------------------- */

enum shell_reserved {
	R_NONE, R_BANG, R_LBRACE, R_RBRACE, R_COND, R_CASE, R_COPROC, R_DO, R_DONE, R_ELIF,
	R_ELSE, R_ESAC, R_FI, R_FOR, R_FUNCTION, R_IF, R_IN, R_SELECT, R_THEN, R_TIME,
	R_UNTIL, R_WHILE, R_COND_END,
};
/* The reserved word at p, or R_NONE. *ret_end is set to the byte after it. */
enum shell_reserved shell_reserved(struct shell *s, const char **ret_end);
bool shell_take(struct shell *s, enum shell_reserved r, const char *why);

/* Reads commands up to something that cannot begin one; at least one unless
 * may_be_empty. */
bool shell_list(struct shell *s, bool may_be_empty);
/* Reads the list of a whole text, or of a substitution up to its ')'. Goes on after
 * errors. */
bool shell_text(struct shell *s, char close);
/* After an error at the end of a text: reads commands after the quote that was left
 * open. */
void shell_rest(struct shell *s);
bool shell_newlines(struct shell *s);
/* Reads a newline at p, and the here-documents that begin after it. */
bool shell_newline(struct shell *s);

bool shell_command(struct shell *s);
bool shell_simple(struct shell *s);
/* Reads a compound command at p. *ret_is is false if there is none. */
bool shell_compound(struct shell *s, bool *ret_is);
bool shell_function(struct shell *s, const char *from, const char *name, size_t n);
bool shell_cond(struct shell *s);
bool shell_dparen(struct shell *s, bool *ret_is);

/* Reads a redirection at p. *ret_is is false if there is none. */
bool shell_redir(struct shell *s, struct sh_redir **ret);
/* Reads the redirections after the compound command that began at `begin`. */
bool shell_redirs_after(struct shell *s, struct sh_flow **begin);
bool shell_heredocs(struct shell *s);

/* A name without the broken line ends in it. */
const char *shell_joined(struct shell *s, const char *from, const char *end, size_t *ret_n);
/* Reads NAME= at p. *ret is NULL if there is none. */
bool shell_assign(struct shell *s, struct sh_assign **ret);
bool shell_array(struct shell *s, struct sh_word **ret);

#endif
