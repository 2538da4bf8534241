/*
 * Reads shell text into its simple commands, in the dialect of the shell that will run
 * it: bash 5.2 (`bash -c`) or dash 0.5.12. This is syntax only: the meaning of a
 * builtin's name (cd, eval, alias, hash, unset …) is left to the layer above.
 *
 * Whatever the status is, the list holds every simple command that could be read, in the
 * order of the text. After an error, reading goes on as loosely as possible. There may be
 * more commands than the shell would run, but never silently fewer. SH_LIMIT means that
 * something was not read at all: the caller denies the line. (If memory_short is set, it
 * may first offer a larger block; sh_block_size() always suffices for a real line.)
 *
 * Nothing is allocated: all results lie in the caller's block and are valid as long as
 * the block is. The line is copied there, so the caller may release its text. Time is
 * linear in the line times the depth of nesting, which SH_MAX_DEPTH bounds. Text that has
 * to be read again (what turns out not to be arithmetic, an open quote, braces) has a
 * budget; when it is used up, the status is SH_LIMIT.
 */
#ifndef RUNTIME_LINE_SHELL_SHELL_H
#define RUNTIME_LINE_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SH_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define SH_MAX_DEPTH 100
#define SH_MAX_COMMANDS 65536 /* in one text: nobody writes so many */

enum sh_dialect { SH_BASH, SH_POSIX };

enum sh_status {
	SH_PARSED,
	SH_UNPARSED, /* a syntax error, or something that is not modelled */
	SH_LIMIT,    /* too deep, too long, or the block is too small */
};

/* What a piece of a word stands for after all expansions. */
enum sh_seg_kind {
	SH_LIT,   /* exactly these bytes */
	SH_ANY,   /* any bytes, within the word */
	SH_MULTI, /* any bytes, which may also end the word or add words. If the rest of
	           * the word may be empty, there may be no word at all (also for "$@" in
	           * quotes) */
	SH_GLOB,  /* an unquoted pattern; n == 0: not known. The word stands for itself or
	           * for any number of file names */
	SH_HOME,  /* an unquoted ~ before a '/' or the end: the value of HOME */
};

#define SH_A_HOME "USER" /* as long as "HOME" */

struct sh_text {
	const char *p;
	uint32_t n;
};

struct sh_seg {
	const char *p; /* LIT: the bytes, GLOB: the pattern; not NUL-terminated. ANY and
	                * MULTI: "HOME" or "PWD" if the piece is exactly the value of that
	                * variable, SH_A_HOME if it may be that of HOME (~NAME) */
	struct sh_seg *next;
	uint32_t n;
	enum sh_seg_kind kind : 8;
	uint32_t number : 1; /* ANY and MULTI: the result of arithmetic, $#, $? or $$ */
	/* ANY and MULTI: the piece is exactly the value of sh.vars[var - 1]; 0: it is not.
	 * If `values` is not 0, that value is one of those whose bits are set in it
	 * (var.h). */
	uint32_t var : 7;
	uint32_t values : 16;
	/* ANY: the piece is a name that this pattern of file names matched, or the pattern itself;
	 * without bytes: a positional parameter that the text began with (var.h). NULL: neither. */
	const struct sh_text *from;
};

/* A variable whose value some word has, as $NAME or ${NAME}; or $0 … $9. */
struct sh_var {
	const char *name;
	struct sh_text *values; /* of bits 0, 1, … of sh_seg.values; filled by var.h */
	uint32_t name_n;
	uint32_t nvalues;
};
#define SH_MAX_VARS 64 /* further names are not known */

enum sh_word_flag {
	SH_W_QUOTED = 1 << 0,  /* some part of it was quoted, if only by '' */
	SH_W_DYNAMIC = 1 << 1, /* has an ANY or MULTI */
	SH_W_GLOB = 1 << 2,
	SH_W_LOCALE = 1 << 3,  /* has a $"…", which a message catalogue may translate */
	SH_W_PROCSUB = 1 << 4, /* has a <(…) or >(…): names a descriptor */
	SH_W_BRACED = 1 << 5,  /* one of several words that braces made */
	SH_W_ARRAY = 1 << 7,   /* NAME=(…) as an argument, with its list read */
	SH_W_HOME = 1 << 6,
};

struct sh_word {
	struct sh_seg seg; /* the first piece; an empty word is one LIT without bytes */
	struct sh_word *next;
	/* Two variables outside of quotes may be the ends of a pattern, which makes all
	 * between them unknown. These are its pieces if that is not so; else NULL. */
	const struct sh_seg *apart;
	uint32_t from, to; /* in the line; all words from one pair of braces have the
	                      same */
	uint32_t flags;
};

/* True if the shell can make nothing but seg.p, seg.n of the word. */
static inline bool sh_is_literal(const struct sh_word *w)
{
	return w->seg.kind == SH_LIT && !w->seg.next;
}

struct sh_assign {
	const char *name;
	struct sh_word *value; /* NAME=(…): the words in the parentheses, or NULL */
	struct sh_assign *next;
	uint32_t name_n;
	bool append;    /* += */
	bool subscript; /* NAME[…]= */
	bool array;     /* NAME=(…) */
};

enum sh_redir_op {
	SH_R_IN, SH_R_OUT, SH_R_APPEND, SH_R_CLOBBER, SH_R_INOUT, /* < > >> >| <> */
	SH_R_BOTH, SH_R_BOTH_APPEND,                              /* &> &>> */
	SH_R_DUP_IN, SH_R_DUP_OUT,                                /* <&  >& */
	SH_R_HEREDOC, SH_R_HERESTRING,
};

struct sh_redir {
	struct sh_word *target; /* never NULL; for a here-document it is the delimiter */
	struct sh_word *body;   /* a here-document's text */
	const char *var;        /* {NAME}>: the shell sets NAME */
	struct sh_redir *next;
	uint32_t var_n;
	int fd;                 /* -1: the operator's own */
	enum sh_redir_op op;
	bool quoted;            /* the here-document's body is not expanded */
};

enum sh_kind {
	SH_COMMAND,  /* words, after assignments and redirections; any may be missing */
	SH_COND,     /* [[ … ]]: words are "[[", …, "]]" */
	SH_ARITH,    /* (( … )): words are "((" and one MULTI; also of for ((…)) */
	SH_FUNCTION, /* a definition of name; the commands with this one as func are its
	                body */
	SH_LOOP,     /* for NAME, select NAME: words are the values; NULL: "$@"; also
	                coproc NAME */
	SH_CASE,     /* case: words is the word that is compared */
	SH_SET,      /* ${NAME:=…}: one assignment with an unknown value */
	SH_GROUP,    /* the redirections after a compound command */
};

enum sh_mark {
	SH_IN_LOOP = 1 << 0,
	SH_IN_SUBST = 1 << 1,      /* $(…), `…`, <(…), >(…) */
	SH_IN_SUBSHELL = 1 << 2,   /* (…), coproc */
	SH_IN_PIPE = 1 << 3,
	SH_IN_BACKGROUND = 1 << 4,
	SH_IN_BRANCH = 1 << 5,     /* after && or ||, in if or case: may not run */
	/* Text is evaluated a second time here: a name in arithmetic, a subscript,
	 * ${!x}, ${x@P}, [[ -v ]]. */
	SH_EVALUATES = 1 << 6,
	SH_COPROC = 1 << 7,
	SH_TIMED = 1 << 8,         /* after bash's reserved word `time` */
	SH_READS_PIPE = 1 << 9,    /* SH_IN_PIPE, for all but the first command */
};

struct sh_cmd {
	struct sh_word *words;
	struct sh_assign *assigns; /* the assignments before the first word */
	struct sh_redir *redirs;
	struct sh_cmd *parent; /* the command whose words or here-documents hold this
	                          one */
	struct sh_cmd *func;   /* the SH_FUNCTION whose body holds this one */
	struct sh_cmd *next;
	const char *name;      /* of FUNCTION and LOOP */
	uint32_t name_n;
	uint32_t from, to;     /* the bytes of the line that it covers */
	const char *evaluates; /* with SH_EVALUATES: what is evaluated, static text */
	uint32_t nwords;
	uint32_t marks;
	enum sh_kind kind;
	/* Why SH_EVALUATES is set: this many CALCs with names; and something else. */
	uint32_t ncalcs;
	bool evaluates_more;
};

/*
 * In which order a line runs. Each of these is a place in the text, between two commands
 * or around some. The list is complete only for a line that could be read.
 */
enum sh_flow_kind {
	SH_F_CALC,     /* arithmetic in `cmd`; `note` is a struct sh_calc */
	SH_F_COMMAND,  /* `cmd` runs, a COMMAND, COND or ARITH */
	SH_F_GROUP,    /* the redirections of `cmd`, a GROUP, before what it belongs to */
	SH_F_END_GROUP, /* behind what it belongs to */
	SH_F_SETS,     /* `cmd` sets its name to an unknown value: select, coproc */
	SH_F_SUBST,    /* a substitution in a word of `cmd` */
	SH_F_LATE,     /* the text of a here-document, which is not expanded here */
	SH_F_SUB,      /* a process of its own: a subshell, a part of a pipe */
	SH_F_END_SUB,  /* the end of SUBST, LATE and SUB */
	SH_F_END_LAST, /* the same for the last part of a pipe */
	SH_F_LIST,     /* the end of the first pipeline of `a && b || c` */
	SH_F_AND, SH_F_OR, SH_F_END_LIST,
	SH_F_LOOP,     /* `cmd`: the LOOP of `for`, after its words; or NULL */
	SH_F_END_LOOP,
	SH_F_FUNC, SH_F_END_FUNC,
	SH_F_IF,       /* before its first condition */
	SH_F_THEN, SH_F_ELIF, SH_F_ELSE, SH_F_FI,
	SH_F_CASE,     /* after its word */
	SH_F_CLAUSE, SH_F_ESAC,
};

/* The variables of an expression that does not fail if those that it reads are numbers:
 * bits by their numbers in sh.vars, from 0. */
struct sh_calc {
	uint64_t reads, sets;
};

struct sh_flow {
	struct sh_flow *next;
	struct sh_cmd *cmd;
	void *note; /* of CALC and LOOP; of CLAUSE: not NULL if it matches any word */
	enum sh_flow_kind kind;
};

struct sh {
	struct sh_cmd *first;
	struct sh_flow *flow;
	struct sh_var *vars;
	uint32_t nvars;
	bool bash;
	bool calculates;   /* it has arithmetic, which may set variables; or another expansion
	                    * that may fail, and with it the rest of its line */
	const char *why;   /* static text; NULL when parsed */
	uint32_t at;       /* the byte of the line that `why` refers to */
	uint32_t ncmds;
	size_t used;     /* bytes at the start of the block that hold the result */
	enum sh_status status;
	bool memory_short; /* SH_LIMIT only for lack of memory */
};

/*
 * Reads n bytes. The block must be aligned like a pointer. If it is too small, the status
 * is SH_LIMIT. Returns ret->status.
 */
enum sh_status sh_parse(struct sh *ret, void *block, size_t size, const char *text,
			size_t n, enum sh_dialect dialect);

/* Size of a block in which a line of n bytes never runs out of memory. */
size_t sh_block_size(size_t n);

/* The number of this variable, from 1, as in sh_seg.var; 0: no word has its value. */
uint32_t sh_var_find(const struct sh *sh, const char *p, size_t n);

/* Is this a name in the shell's language: [A-Za-z_][A-Za-z0-9_]*? */
bool sh_is_name(const char *p, size_t n);

#endif
