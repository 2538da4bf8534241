/*
 * What the files behind command.h share; nobody else includes it. A function that returns
 * false has set a limit, and its callers unwind.
 */
#ifndef RUNTIME_LINE_CMD_H
#define RUNTIME_LINE_CMD_H

#include <string.h>

#include "runtime/line/command.h"

/* If there are more directories than these, the directory counts as unknown. */
#define CMD_MAX_DIRS 16
/* A line with more parts is denied: a person writes a few, a program hundreds. */
#define CMD_MAX_PARTS 65536
/* So is a line with more options, in all readings of all commands. */
#define CMD_MAX_OPTIONS 131072

#define CMD_NAMES 1024

/* A name of a command to which the line gives another meaning. */
struct cmd_name {
	const char *p;
	struct cmd_name *next;
	uint32_t n;
	/* hash -p: the path that the name also stands for */
	const struct sh_word *path;
};

/*
 * One process of a shell. What its text changes holds for the commands after it, or for
 * all of the process if nobody knows when the text runs.
 */
struct cmd_proc {
	struct cmd_part **first; /* list of its parts */
	const struct cmd_dir *dirs, *began; /* now, and at its first command */
	struct cmd_name **names; /* CMD_NAMES lists, or NULL */
	const char *taint;       /* why all that follows is opaque and void; or NULL */
	uint32_t ndirs;
	bool dirs_unknown;
	bool taint_all;          /* the taint holds for the whole process */
	bool names_all;          /* a name that nobody knows was defined */
	bool hashed;             /* some name has a path */
	bool home_changed;
	bool arrays;             /* a variable may be an array */
};

enum { CMD_IN_BASH = 1, CMD_IN_POSIX = 2 };

/* The text of one sh_parse(), or the words of an argv. */
struct cmd_scope {
	struct cmd_proc *env;
	struct cmd_part *outer;  /* the part whose code it is, or NULL */
	struct cmd_part *shell;
	struct cmd_part *remote; /* the part that runs it in another file system, or
	                            NULL */
	const char *text;        /* the text that the words' offsets refer to, or NULL */
	const char *no_allow, *opaque; /* reasons that hold for all its commands */
	uint32_t from, to;       /* its place in the line, if outer is set */
	uint32_t depth;
	unsigned dialects;       /* CMD_IN_ bits: the dialects in which it reads the
	                            same */
	bool process;            /* a process of its own: what it changes ends with it */
	bool anytime;            /* it is in a loop, a function, a trap, an alias */
	bool alternative, appends;
	bool moved;              /* in all of it the directory is not known */
	bool guess;              /* pieces of the text are not known: cmd_guess() */
	bool beside;             /* it runs beside what follows, or before the command
	                            that holds it */
	uint32_t pipe;           /* number of the pipe that it runs in, or 0 */
};

/* One simple command while it is taken apart: its words change, this stays. */
struct cmd_ctx {
	const struct cmd_scope *scope;
	const struct sh_cmd *cmd;    /* NULL for an argv */
	struct cmd_part *outer;      /* the wrapper that holds the words, or the scope's
	                                `outer` */
	struct cmd_part *remote;     /* the part that runs it in another file system, or
	                                NULL */
	const char *no_allow, *opaque; /* because of assignments before it */
	uint32_t from, to;
	uint32_t depth;              /* number of wrappers around it */
	bool anytime, alternative, appends;
	bool stdin_taken;            /* a wrapper reads the redirected input itself */
	bool guess;                  /* for the code that it is given; as in cmd_scope */
	bool moved;                  /* env -C: it does not run in the shell's
	                                directory */
	bool stood_in;               /* hash -p: the words are those of the path */
	bool untranslated;           /* $"…" is taken as written */
	bool beside;                 /* as in cmd_scope */
	uint32_t pipe;
};

/* The last component of the path of a file that is run. */
struct cmd_run_file {
	struct cmd_run_file *next;
	const char *p;
	uint32_t n;
	bool unasked; /* a table names it, and no word does; a '*' in it means any text */
};

/* A part, with what only the analysis needs to know about it. */
struct cmd_node {
	struct cmd_part part;    /* first, so that pointers to the two are the same */
	const struct cmd_proc *env;
	const struct line_program *files; /* a table that only describes files
	                                     (LINE_PF_FILES_ONLY), or NULL */
	struct cmd_run_file *scripts; /* the files that it runs, or NULL */
	uint32_t number;         /* number of the simple command that it comes from */
	uint32_t pipe;           /* number of the pipe that it runs in, from 1; or 0 */
	uint32_t begin;          /* wrapper: index of the first word of its command, or
	                            0 */
	bool anytime;
	bool beside;             /* commands before or after it may run at the same
	                            time */
	bool writes_more;        /* words that are not listed name files to which it
	                            writes */
};

/* One analysis of a line: what all its commands share. */
struct cmd_an {
	struct cmd_line *ret;
	const struct cmd_world *world;
	const struct line_facts *facts;
	char *mem, *mem_end;
	struct cmd_part **tail;
	uint64_t work;           /* words and bytes that may still be read again */
	uint32_t number;
	uint32_t pipes;
	uint32_t noptions;
	bool scripts;            /* some part runs a script */
};

/* --- memory, parts (cmd_part.c) --------------------------------------------------- */

/* The memory is not zeroed. NULL if the block is exhausted; the limit is set then. */
void *cmd_alloc(struct cmd_an *a, size_t n);
/* Sets the limit. Always returns false. */
bool cmd_limit(struct cmd_an *a, const char *why);
/* Counts n steps of work that a line can cause again and again. */
bool cmd_work(struct cmd_an *a, size_t n);
struct cmd_part *cmd_part_new(struct cmd_an *a, const struct cmd_ctx *c,
			      enum cmd_kind kind);
/* The first reason is kept. */
void cmd_opaque(struct cmd_part *p, const char *why);
void cmd_no_allow(struct cmd_part *p, const char *why);

/* Applies the taint and the redefined names of a process to its parts, once all are
 * there. */
void cmd_proc_end(struct cmd_proc *e);
/* The list to which a name belongs, whether it is in there or not; NULL if no name was
 * defined. */
struct cmd_name **cmd_names(const struct cmd_proc *e, const char *p, size_t n);

/* --- commands (cmd_line.c) ---------------------------------------------------------- */

/* Analyses the command with these words, and all that they make it run. */
bool cmd_run(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words,
	     uint32_t n);
/* Code that is given to `part`, in one dialect or both. */
bool cmd_scope(struct cmd_an *a, const struct cmd_scope *s, const struct sh *sh);
enum cmd_code { CMD_CODE_SHELL, CMD_CODE_EVAL, CMD_CODE_TRAP, CMD_CODE_ALIAS };
bool cmd_nested(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *part,
		const char *text, size_t n, enum cmd_code how, unsigned dialects);

static inline struct cmd_node *cmd_node(struct cmd_part *p)
{
	return (struct cmd_node *)p;
}

/* A table that only describes files says nothing about options: it is stored in `files`,
 * and NULL is returned. */
static inline const struct line_program *cmd_take_table(struct cmd_part *p,
						      const struct line_program *t)
{
	if (!t || !(t->flags & LINE_PF_FILES_ONLY))
		return t;
	cmd_node(p)->files = t;
	return NULL;
}

static inline const struct line_program *cmd_table_of_files(const struct cmd_node *n)
{
	return n->files ? n->files : n->part.program;
}

/* --- words (cmd_text.c) ---------------------------------------------------------------- */

/* How much of a word is known, as its reader needs it. */
struct cmd_shape {
	const char *p;  /* the bytes with which it surely begins */
	uint32_t n;
	bool literal;   /* these are all its bytes */
	bool several;   /* it may be no word, or more than one */
	bool splits;    /* it may split, and the added words may begin with anything */
	bool home;      /* it begins with an absolute path: that of HOME or of <(…) */
	bool open;      /* it may begin otherwise: p, n is "", and home is false */
};

void cmd_shape(const struct sh_word *w, struct cmd_shape *ret);
static inline bool cmd_lit(const struct sh_word *w, const char *z)
{
	return sh_is_literal(w) && strlen(z) == w->seg.n &&
	       memcmp(z, w->seg.p, w->seg.n) == 0;
}
/* The words, with what the line makes of HOME and, unless they are `untranslated`, of the
 * catalogue of messages. */
bool cmd_take_words(struct cmd_an *a, const struct cmd_proc *env,
		    const struct sh_word *w, uint32_t n, bool untranslated, struct cmd_word **ret);
/* A literal word of these bytes. They are not copied. */
struct sh_word *cmd_literal(struct cmd_an *a, const char *p, size_t n);
/* The word, with "anything" in place of each `hole` in its literal text. */
const struct sh_word *cmd_with_holes(struct cmd_an *a, const struct sh_word *w,
				     const char *hole, size_t n);
/*
 * `text` and then the words, joined by blanks. Where a word is not literal, ${_} replaces
 * the unknown part: whatever that is, the text beside it is code. `quoted`: the words
 * stay separate words after the text, whatever bytes they have. *ret_literal: nothing was
 * unknown. NULL if a limit was exceeded.
 */
struct cmd_joint {
	const char *text;
	size_t n;
	const struct cmd_word *words;
	uint32_t count;
	bool quoted;
};
char *cmd_guess(struct cmd_an *a, const struct cmd_joint *j, size_t *ret_n,
		bool *ret_literal);
/* The last component of a path, if the word's bytes tell it; false: not known. */
bool cmd_base(const struct sh_word *w, const char **ret_p, size_t *ret_n);

/* --- facts (cmd_facts.c) ------------------------------------------------------------------- */

const struct line_option *cmd_known(const struct line_facts *f, const struct line_program *p,
				  const char *name, size_t n);
/* May the program's table know an option that begins with "--"? */
bool cmd_has_long(const struct line_facts *f, const struct line_program *p);
/* The table of the subcommand `word`, or NULL. */
const struct line_program *cmd_subcommand(const struct line_facts *f,
					const struct line_program *p, const char *word,
					size_t n);
bool cmd_in_words(const struct line_facts *f, struct pb_table words, const char *p,
		  size_t n);
/* Are these bytes code, in a code place with this `when`? */
bool cmd_when(const struct line_facts *f, uint32_t when, const char *p, size_t n);
enum cmd_var { CMD_VAR_OTHER, CMD_VAR_SAFE, CMD_VAR_TAINT };
enum cmd_var cmd_var(const struct line_facts *f, const char *p, size_t n);
/* May this variable have the value (NULL: an unknown value)? No, if bash would evaluate
 * it. */
#define CMD_NUMBER "a value of this variable is arithmetic, which may run code"
bool cmd_may_have(const char *name, size_t n, const char *value, size_t value_n);

/* --- options and roles (cmd_options.c) -------------------------------------------------------- */

/* A range of a wrapper's words that is a command (find -exec … ;). */
struct cmd_range {
	struct cmd_range *next;
	uint32_t from, to;
};

/* Shell text that is given to a wrapper; it may be literal or not. */
struct cmd_text {
	struct cmd_text *next;
	const char *p;  /* NULL: not literal */
	uint32_t n;
	uint32_t word;  /* index of the word that holds it */
	/* It is opaque whatever it says (`when`). Only deny and ask rules look at it as a
	 * shell would read it. */
	bool opaque;
	/* Only some readings have it: the words after it may also be a command. */
	bool maybe;
};

/* A word that another reading takes as the value of the option before it. */
struct cmd_fork {
	struct cmd_fork *next;
	uint32_t word;
};

/* What else was found while a command's options were read. */
struct cmd_read {
	struct cmd_range *ranges;
	struct cmd_text *texts;
	struct cmd_fork *forks; /* in the order of their words */
	uint32_t begin;     /* index of the first word of the wrapper's command; 0:
	                       none */
	uint32_t maybe;     /* with `lost`: index of a word that may be it; 0: none */
	uint32_t command;   /* index of a word that names a subcommand without a table, or
	                       0 */
	uint32_t operand;   /* index of the first word that surely is an operand, or 0 */
	bool lost;          /* it is not known where the wrapper's command begins */
	bool no_operand;    /* there surely is no operand */
	bool query;
	bool code;          /* it holds code of another language */
	const char *guess;  /* with `code`: why it may be code; NULL: it surely is */
};

bool cmd_options(struct cmd_an *a, struct cmd_part *p, struct cmd_read *ret);

static inline bool cmd_is_named(const struct cmd_option *o, const char *z)
{
	return o->name_n == strlen(z) && memcmp(o->name, z, o->name_n) == 0;
}

/* --- what runs something again (cmd_wrap.c, cmd_names.c, cmd_code.c, cmd_builtin.c) ---------- */

/*
 * A command may run another one, or text with commands in it: these call cmd_run() and
 * cmd_scope() again, and are called by them.
 */

/* Analyses the command once more for each word of `forks`, read as a value
 * (cmd_names.c). */
bool cmd_forked(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		const struct cmd_read *r);
/* Analyses the command under its other names: "git-push", "npm publ" (cmd_names.c). */
bool cmd_renamed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 const struct cmd_read *r);
/* For a wrapper that takes words like "NAME@VERSION" and "SOURCE#NAME": runs NAME. */
bool cmd_versioned(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *wrapper,
		   const struct cmd_word *words, uint32_t n);
bool cmd_wrapper(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 struct cmd_read *r);
/* Why the command that a wrapper runs in another file system counts as code: static
 * text. */
const char *cmd_away_why(const struct cmd_an *a, const struct cmd_part *p);
/* Adds to r->forks. */
bool cmd_shell(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       struct cmd_read *r);
bool cmd_stdin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       enum cmd_code how, unsigned dialects);
bool cmd_builtin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p);

#endif
