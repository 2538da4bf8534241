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

/* An alias that the line defines. Its text is read where its name begins a command. */
struct cmd_alias {
	struct cmd_alias *next;
	const char *name, *text;
	uint32_t name_n, text_n;
	bool whole;  /* the text is some whole commands, or the beginning of one */
	bool blank;  /* it ends in a blank: the next word may be an alias as well */
	bool busy;   /* its text is being read: the shell does not expand it again there */
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
	const char *exported;    /* why all that follows is void, but not opaque; or NULL */
	uint32_t ndirs;
	uint32_t pushed;         /* directories that the text has put on the stack of pushd */
	bool dirs_unknown;
	bool dirs_lost;          /* as in cmd_part */
	bool taint_all;          /* the taint holds for the whole process */
	bool exported_all;       /* and so does `exported` */
	bool allexport;          /* each variable that is set is exported */
	bool names_all;          /* a name that nobody knows was defined */
	bool defined;            /* a process around this one defined names */
	bool hashed;             /* some name has a path */
	bool late;               /* it has text that the shell may read at any time */
	struct cmd_alias *aliases;
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
	size_t text_n;
	const char *no_allow, *opaque; /* reasons that hold for all its commands */
	uint32_t from, to;       /* its place in the line, if outer is set */
	uint32_t depth;
	unsigned dialects;       /* CMD_IN_ bits: the dialects in which it reads the
	                            same */
	bool process;            /* a process of its own: what it changes ends with it */
	bool anytime;            /* it is in a loop, a function, a trap, an alias */
	bool alternative, appends;
	bool moved;              /* in all of it the directory is not known */
	bool assigned;           /* variables that are not safe were set for all of it */
	bool allexport;          /* the shell began with -a */
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
	bool handed_on;              /* a wrapper hands on to it what no word shows (xargs) */
	bool stdin_taken;            /* a wrapper reads the redirected input itself */
	bool guess;                  /* for the code that it is given; as in cmd_scope */
	bool moved;                  /* env -C: it does not run in the shell's
	                                directory */
	bool assigned;               /* variables that are not safe stand before it */
	bool allexport;              /* for the code that it is given: the shell has -a */
	bool stood_in;               /* hash -p: the words are those of the path */
	bool untranslated;           /* $"…" is taken as written */
	bool respelled;              /* another program stands for its subcommand: it is not
	                                looked at for the same again */
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
	const struct line_program *called; /* deny and ask rules mean it by the names in
	                                      this record's `also`, and … */
	bool by_pattern;         /* … by this record's own name; or NULL */
	struct cmd_run_file *scripts; /* the files that it runs, or NULL */
	uint32_t number;         /* number of the simple command that it comes from */
	uint32_t pipe;           /* number of the pipe that it runs in, from 1; or 0 */
	uint32_t begin;          /* wrapper: index of the first word of its command, or
	                            0 */
	bool anytime;
	bool moved;              /* an option takes the program to another directory */
	bool beside;             /* commands before or after it may run at the same
	                            time */
	bool writes_more;        /* words that are not listed name files to which it
	                            writes */
	bool handed_on;          /* as in cmd_ctx */
	bool unpacks;            /* no word names the files that it writes */
	bool names;              /* no word names some of the files that it reads */
	bool input;              /* the line says what it reads from its standard input */
	bool own_input;          /* … with a redirection */
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
	uint32_t turns;          /* how often commands may be listed again (cmd_values.h) */
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

#endif
