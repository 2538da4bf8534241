/*
 * What the files of the analysis behind command.h share; nobody else includes
 * it.  A function that returns false has set a limit, and its callers unwind.
 */
#ifndef RUNTIME_LINE_CMD_H
#define RUNTIME_LINE_CMD_H

#include <string.h>

#include "runtime/line/command.h"

/* More directories than these are none that are known. */
#define CMD_MAX_DIRS 16
/* More parts than these are denied: a person writes a few, a program hundreds. */
#define CMD_MAX_PARTS 65536
/* And so are more options, in all readings of all commands. */
#define CMD_MAX_OPTIONS 131072

#define CMD_NAMES 1024

/* A command's name that the line gives another meaning. */
struct cmd_name {
	const char *p;
	struct cmd_name *next;
	uint32_t n;
	/* hash -p: what it stands for, too */
	const struct sh_word *path;
};

/*
 * One process of a shell: what its text changes holds for what follows, and
 * for all of it where nobody knows when the text runs.
 */
struct cmd_env {
	struct cmd_part **first; /* where its parts begin */
	const struct cmd_dir *dirs, *began; /* now, and at its first command */
	struct cmd_name **names; /* CMD_NAMES lists, or NULL */
	const char *taint;       /* what follows is opaque and void; why */
	uint32_t ndirs;
	bool dirs_unknown;
	bool taint_all;          /* all of it is */
	bool names_all;          /* a name that is not known was defined */
	bool hashed;             /* some name has a path */
	bool home_changed;
	bool arrays;             /* a variable may be an array */
};

enum { CMD_IN_BASH = 1, CMD_IN_POSIX = 2 };

/* The text of one sh_parse(), or the words of an argv. */
struct cmd_scope {
	struct cmd_env *env;
	struct cmd_part *outer;  /* whose code it is, or NULL */
	struct cmd_part *shell;
	struct cmd_part *away;   /* what runs it in another file system, or NULL */
	const char *text;        /* what the words' offsets count in, or NULL */
	const char *voided, *opaque; /* of all its commands */
	uint32_t from, to;       /* in the line, where outer is set */
	uint32_t depth;
	unsigned dialects;       /* CMD_IN_ bits: it reads the same in these */
	bool process;            /* what it changes ends with it */
	bool anytime;            /* in a loop, a function, a trap, an alias */
	bool alternative, appends;
	bool moved;              /* the directory is not known in all of it */
	bool guess;              /* pieces of the text are not known: cmd_guess() */
	bool beside;             /* it runs beside what follows, or before what it stands in */
	uint32_t pipe;           /* of the pipe that it runs in, or 0 */
};

/* One simple command while it is taken apart: the words change, this stays. */
struct cmd_ctx {
	const struct cmd_scope *scope;
	const struct sh_cmd *cmd;    /* NULL: of an argv */
	struct cmd_part *outer;      /* the wrapper that holds the words, or scope's */
	struct cmd_part *away;       /* what runs it in another file system, or NULL */
	const char *voided, *opaque; /* assignments before it */
	uint32_t from, to;
	uint32_t depth;              /* of wrappers */
	bool anytime, alternative, appends;
	bool stdin_taken;            /* a wrapper reads what a redirection gives */
	bool guess;                  /* of the code that it is given */
	bool moved;                  /* env -C: the directory is not the shell's */
	bool stood_in;               /* hash -p: the words are those of its path */
	bool untranslated;           /* $"…" is what is written in it */
	bool beside;                 /* as in cmd_scope */
	uint32_t pipe;
};

/* The last component of a file that is run. */
struct cmd_run_file {
	struct cmd_run_file *next;
	const char *p;
	uint32_t n;
	bool unasked; /* no word names it: the table does, and a '*' in it is any text */
};

/* A part with what only the analysis needs of it. */
struct cmd_node {
	struct cmd_part part;    /* first: pointers to the two are the same */
	const struct cmd_env *env;
	const struct line_program *files; /* a table that only speaks of files, or NULL */
	struct cmd_run_file *scripts; /* what it runs, or NULL */
	uint32_t number;         /* of the simple command that it comes from */
	uint32_t pipe;           /* of the pipe that it runs in, from 1, or 0 */
	uint32_t begin;          /* a wrapper: the first word of its command, or 0 */
	bool anytime;
	bool beside;             /* what stands before or behind it may run meanwhile */
	bool writes_more;        /* words that are not listed name files that it writes */
};

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
	bool scripts;            /* some part has one */
};

/* --- memory, parts (cmd_part.c) --------------------------------------------------- */

/* Not zeroed; NULL when the block is exhausted, which is reported. */
void *cmd_alloc(struct cmd_an *a, size_t n);
/* Always false. */
bool cmd_limit(struct cmd_an *a, const char *why);
/* Counts n steps of work that a line can ask for again and again. */
bool cmd_work(struct cmd_an *a, size_t n);
struct cmd_part *cmd_part_new(struct cmd_an *a, const struct cmd_ctx *c,
			      enum cmd_kind kind);
/* The first reason counts. */
void cmd_opaque(struct cmd_part *p, const char *why);
void cmd_void(struct cmd_part *p, const char *why);

/* What the taint or redefinition of a process does to its parts, when all are there. */
void cmd_env_end(struct cmd_env *e);
/* The list in which a name is, if it is in any; NULL where no name was defined. */
struct cmd_name **cmd_names(const struct cmd_env *e, const char *p, size_t n);

/* --- commands (cmd_line.c) ---------------------------------------------------------- */

/* The command whose words these are, and all that they make it run. */
bool cmd_run(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words,
	     uint32_t n);
/* Code that `part` is given, in one dialect or both. */
bool cmd_scope(struct cmd_an *a, const struct cmd_scope *s, const struct sh *sh);
enum cmd_code { CMD_CODE_SHELL, CMD_CODE_EVAL, CMD_CODE_TRAP, CMD_CODE_ALIAS };
bool cmd_nested(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *part,
		const char *text, size_t n, enum cmd_code how, unsigned dialects);

static inline struct cmd_node *cmd_node(struct cmd_part *p)
{
	return (struct cmd_node *)p;
}

/* A table that only speaks of files is none for options: it is kept, and NULL returned. */
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

/* What nobody knows of a word, as its reader needs it. */
struct cmd_shape {
	const char *p;  /* the bytes that it surely begins with */
	uint32_t n;
	bool literal;   /* these are all */
	bool several;   /* may be no word, or more than one */
	bool splits;    /* and what is added may begin with anything */
	bool home;      /* begins with a path that is absolute: of HOME, of <(…) */
	bool open;      /* may begin otherwise: p, n is "", and no HOME */
};

void cmd_shape(const struct sh_word *w, struct cmd_shape *ret);
static inline bool cmd_lit(const struct sh_word *w, const char *z)
{
	return sh_is_literal(w) && strlen(z) == w->seg.n &&
	       memcmp(z, w->seg.p, w->seg.n) == 0;
}
/* The words, with what the line makes of HOME and, unless they are `untranslated`, a
 * catalogue of messages. */
bool cmd_take_words(struct cmd_an *a, const struct cmd_env *env, const struct sh_word *w,
		    uint32_t n, bool untranslated, struct cmd_word **ret);
/* A literal word of these bytes, which are not copied. */
struct sh_word *cmd_literal(struct cmd_an *a, const char *p, size_t n);
/* The word with "anything" for each `hole` in its literal text. */
const struct sh_word *cmd_with_holes(struct cmd_an *a, const struct sh_word *w,
				     const char *hole, size_t n);
/*
 * The words joined by blanks behind `text`, where one that is not literal has
 * ${_} in place of what is not known: whatever that is, what stands beside it
 * is code.  `quoted`: they are further words behind the text, whatever bytes
 * they have.  *ret_literal: nothing was in doubt.  NULL past a limit.
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
/* The last component of a path, where the word's bytes tell; false: not known. */
bool cmd_base(const struct sh_word *w, const char **ret_p, size_t *ret_n);

/* --- facts (cmd_facts.c) ------------------------------------------------------------------- */

const struct line_option *cmd_known(const struct line_facts *f, const struct line_program *p,
				  const char *name, size_t n);
/* May its table know an option that begins with "--"? */
bool cmd_has_long(const struct line_facts *f, const struct line_program *p);
/* The table of that subcommand, or NULL. */
const struct line_program *cmd_subcommand(const struct line_facts *f,
					const struct line_program *p, const char *word,
					size_t n);
bool cmd_in_words(const struct line_facts *f, struct pb_table words, const char *p,
		  size_t n);
/* Does a code place with this `when` carry code when it holds these bytes? */
bool cmd_when(const struct line_facts *f, uint32_t when, const char *p, size_t n);
enum cmd_var { CMD_VAR_OTHER, CMD_VAR_SAFE, CMD_VAR_TAINT };
enum cmd_var cmd_var(const struct line_facts *f, const char *p, size_t n);
/* May this variable have the value (NULL: one that is not known), or would bash evaluate it? */
#define CMD_NUMBER "a value of this variable is arithmetic, which may run code"
bool cmd_may_have(const char *name, size_t n, const char *value, size_t value_n);

/* --- options and roles (cmd_options.c) -------------------------------------------------------- */

/* A stretch of a wrapper's words that is a command (find -exec … ;). */
struct cmd_range {
	struct cmd_range *next;
	uint32_t from, to;
};

/* Shell text that a wrapper is given: a literal, or not. */
struct cmd_text {
	struct cmd_text *next;
	const char *p;  /* NULL: not literal */
	uint32_t n;
	uint32_t word;  /* that holds it */
	/* It is opaque whatever it says (`when`): as a shell would read it only
	 * rules that deny or ask count. */
	bool opaque;
	/* Not every reading has it: the words behind it may be a command as well. */
	bool maybe;
};

/* A word that another reading takes for the value of the option before it. */
struct cmd_fork {
	struct cmd_fork *next;
	uint32_t word;
};

/* What the reading of a command's options has found besides them. */
struct cmd_read {
	struct cmd_range *ranges;
	struct cmd_text *texts;
	struct cmd_fork *forks; /* in the order of their words */
	uint32_t begin;     /* the first word of the wrapper's command; 0: none */
	uint32_t maybe;     /* one that may be, where `lost`; 0: none */
	uint32_t command;   /* a word that names a subcommand without a table, or 0 */
	uint32_t operand;   /* the first word that surely is one, or 0 */
	bool lost;          /* where it begins is not known */
	bool no_operand;    /* there surely is none */
	bool query;
	bool code;          /* of another language */
	const char *guess;  /* with `code`: why it only may be some; NULL: it is */
};

bool cmd_options(struct cmd_an *a, struct cmd_part *p, struct cmd_read *ret);

static inline bool cmd_is_named(const struct cmd_option *o, const char *z)
{
	return o->name_n == strlen(z) && memcmp(o->name, z, o->name_n) == 0;
}

/* --- the rest -------------------------------------------------------------------------------- */

/* The command in the readings in which a word of `forks` is a value (cmd_names.c). */
bool cmd_forked(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		const struct cmd_read *r);
/* The command under its other names: "git-push", "npm publ" (cmd_names.c). */
bool cmd_renamed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 const struct cmd_read *r);
/* NAME of "NAME@VERSION" and "SOURCE#NAME", for a wrapper that takes such words. */
bool cmd_versioned(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *wrapper,
		   const struct cmd_word *words, uint32_t n);
bool cmd_wrapper(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 struct cmd_read *r);
/* Why what a wrapper runs in another file system is code: static text. */
const char *cmd_away_why(const struct cmd_an *a, const struct cmd_part *p);
/* Does a program with this table take such text apart itself, as env does (cmd_split.c)? */
bool cmd_splits(const struct cmd_an *a, const struct cmd_part *p);
/* The same command with the words of the text; not *ret_done: the program refuses it. */
bool cmd_split(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       const struct cmd_text *t, bool *ret_done);
/* An assignment before a command, or among the words of env. */
void cmd_before(struct cmd_an *a, struct cmd_ctx *c, const char *name, size_t n);
/* Adds to r->forks. */
bool cmd_shell(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       struct cmd_read *r);
bool cmd_stdin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
	       enum cmd_code how, unsigned dialects);
/* The part runs the file that this word names. */
void cmd_script(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w);
/* As that of a program for which "-" is its standard input. */
void cmd_script_file(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w);
/* The part runs files of this name though no word names them. */
bool cmd_script_unasked(struct cmd_an *a, struct cmd_part *p, const char *name, uint32_t n);
/* Which words name files; `input`: the line says what the command reads.  false: past
 * a limit (cmd_files.c). */
bool cmd_files(struct cmd_an *a, struct cmd_part *p, bool input);
/* What it runs though no word says so; false: past a limit (cmd_files.c). */
bool cmd_unasked(struct cmd_an *a, struct cmd_part *p);
bool cmd_builtin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p);
/* A variable is set: by an assignment, a loop, a builtin. */
void cmd_set(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n);
bool cmd_define(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n,
		const struct sh_word *path);
bool cmd_redirs(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_redir *r);
/* After all parts are there: scripts that the line makes (semantics 4.4). */
bool cmd_made(struct cmd_an *a);

#endif
