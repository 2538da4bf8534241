/*
 * From a line to what it may run: the analysis of semantics 4.1, 4.2 and the
 * end of 4.4.  A line (or an argv) becomes a list of parts, each of which is
 * judged on its own; the line gets the strictest.  The analysis knows
 * programs from commands.bin (what their words mean, who runs whose words,
 * where code of another language stands) and no rule at all: decisions are
 * made from parts by decide_line.c, and in the compiler by ir/eval_line.c.
 *
 * Nothing is allocated: everything lies in the caller's block, and is valid as
 * long as that and the line are.  Time is linear in the line times the depth
 * of nesting; past a limit `limit` is set, and the line is denied.
 */
#ifndef RUNTIME_LINE_COMMAND_H
#define RUNTIME_LINE_COMMAND_H

#include "runtime/line/facts.h"
#include "runtime/line/shell/shell.h"

/* --- what the analysis is told ------------------------------------------------ */

struct cmd_world {
	const struct line_facts *facts;
	/* Absolute and physical, without a trailing '/'; NULL: not known. */
	const char *cwd, *home, *project;
};

/* --- words -------------------------------------------------------------------- */

/*
 * What a word may be to its program; several where readings differ (an option
 * that no table knows may take the next word or not; a dynamic word may be
 * anything).  A word with OPTION, VALUE or END may be skipped by a deny or ask
 * rule; the program's own word has no role.
 */
enum cmd_role {
	CMD_W_OPTION = 1 << 0,
	CMD_W_VALUE = 1 << 1,   /* of the option before it */
	CMD_W_OPERAND = 1 << 2,
	CMD_W_END = 1 << 3,     /* the `--` that ends options */
};

/*
 * One reading of a word of which two are possible: a part is of each, and the
 * strictest counts.
 */
enum cmd_as {
	CMD_AS_ANY,
	CMD_AS_VALUE,   /* it is the value of the option before it */
	CMD_AS_OPERAND, /* it names the subcommand, or a command begins behind it */
};

struct cmd_word {
	const struct sh_word *w;
	uint8_t roles;
	uint8_t as; /* enum cmd_as */
	uint8_t places; /* enum cmd_place */
	/* which operand it is, from 1; 0: none.  Readings may differ. */
	uint8_t first, last;
};

/* What a table says of a word that names a file; in some reading. */
enum cmd_place {
	CMD_P_READS = 1 << 0,
	CMD_P_WRITES = 1 << 1,
	CMD_P_TREE = 1 << 2, /* with READS: and all that is below */
};

enum cmd_how {
	CMD_O_EXACT,  /* the option `name` */
	CMD_O_PREFIX, /* any long option that begins with `name` ("--forc", "--") */
	CMD_O_ANY,    /* any option at all: a word that is not literal.  `name` is
	               * the literal beginning, "" or "-", "--x", "-x" */
};

/*
 * One option that the command may have, in one reading of its words.  A word
 * has as many as it has readings: "-uf" may be the option "-uf", or "-u" and
 * "-f", or "-u" with the value "f".  `sure`: every reading of every value of
 * the words has it (what an allow rule needs).  `given`: every value has a
 * reading with it, as in "rm -rf" of a program that no table knows (what a
 * deny needs to be certain).  What is sure is given.
 */
struct cmd_option {
	const char *name; /* dashes included, no '=' and no value; no NUL */
	const struct line_option *known; /* of the program's table, or NULL; its names
	                                * with the same `same` are one option */
	const char *value;      /* literal and attached ("--opt=v", "-ov"), or NULL */
	struct cmd_option *next;
	uint32_t name_n, value_n;
	uint32_t word;          /* of the part's words */
	uint32_t value_word;    /* the word that is its value, 0: none */
	enum cmd_how how;
	bool sure, given;
	bool value_open;        /* has an attached value that is not literal */
};

/* --- parts --------------------------------------------------------------------- */

/* What a redirection does with its file: the bits of enum pb_op. */
enum cmd_op { CMD_READ = 1, CMD_WRITE = 2, CMD_EXEC = 4 };

enum cmd_kind {
	CMD_COMMAND,  /* words */
	CMD_FILE,     /* a redirection: ops and path */
	CMD_NET,      /* bash's /dev/tcp/H/P: host and port */
	CMD_UNPARSED, /* text that could not be read: as an unparsed line */
};

enum cmd_flag {
	/* Opaque, for the reason in `opaque`; OPAQUE_CODE: only because code of
	 * another language stands in it, which an allow rule that matches an
	 * interpreter's command covers (INTERPRETER). */
	CMD_OPAQUE = 1 << 0,
	CMD_OPAQUE_CODE = 1 << 1,
	CMD_INTERPRETER = 1 << 2,
	/* No allow rule matches: an assignment that is not `safe` stands before it,
	 * or its name is defined anew in the line.  `voided` says which. */
	CMD_VOID = 1 << 3,
	/* A transparent wrapper: deny and ask rules count, nothing else. */
	CMD_TRANSPARENT = 1 << 4,
	/* A table names the program (else its word tails are looked at: 4.4). */
	CMD_TABLED = 1 << 5,
	/* A wrapper whose inner command was not found: deny rules are asked about
	 * each tail of its words, too. */
	CMD_LOST = 1 << 6,
	/* Words that are not known may follow those that are listed. */
	CMD_APPENDS = 1 << 7,
	/* The words of one reading of the text only, or of a command that may not
	 * run at all; judged as the others. */
	CMD_ALTERNATIVE = 1 << 8,
	/* UNPARSED: nothing is wrong with the text, but some of it is evaluated a
	 * second time where no command stands (`i=$((i+1))`). */
	CMD_EVALUATED = 1 << 9,
	/* It runs in another file system, by what its `shell` says; an allow rule that
	 * matches that one covers its code, too.  No file here is meant. */
	CMD_AWAY = 1 << 10,
	/* It reads all that is below its working directory. */
	CMD_READS_HERE = 1 << 11,
};

struct cmd_dir {
	const char *path; /* absolute */
	const struct cmd_dir *next;
};

struct cmd_part {
	struct cmd_part *next;
	struct cmd_part *outer;  /* the wrapper or shell whose words hold this one, or
	                          * the command that it is a redirection of; or NULL */
	/* The nearest part around it that is a shell, in whose literal code this one
	 * stands, or the one that runs it in another file system (AWAY): where an
	 * allow rule matches that, `otherwise` is not asked. */
	struct cmd_part *shell;
	/* Its table, or that of its subcommand where there is one; or NULL. */
	const struct line_program *program;
	struct cmd_word *words;  /* words[0] is the program */
	struct cmd_option *options;
	const struct cmd_dir *dirs; /* where it may run; NULL with dirs_unknown */
	const struct cmd_dir *near; /* and some of these places also then, or NULL */
	const char *opaque;      /* static text */
	const char *voided;      /* static text */
	const char *path;        /* FILE: literal target as written, NULL: not known */
	const char *host;        /* NET, NULL: not known */
	uint32_t path_n, host_n;
	uint32_t nwords;
	uint32_t flags;          /* enum cmd_flag */
	uint32_t from, to;       /* its bytes of the (outermost) line */
	uint16_t port;           /* NET; 0: not known */
	uint8_t ops;             /* FILE: enum cmd_op bits */
	uint8_t kind;            /* enum cmd_kind */
	bool udp;
	bool dirs_unknown;       /* relative paths are opaque */
	bool home_path;          /* FILE: path follows an unquoted ~ */
	/* Filled by the decision, for explain: */
	uint32_t rule;           /* that decided; UINT32_MAX: none */
	uint8_t effect, step, risk;
	bool allowed_by_rule;
	bool needs_person;       /* as decision.needs_person, of this part alone */
};

struct cmd_line {
	struct cmd_part *first;
	uint32_t nparts;
	bool unparsed;    /* the whole line is; its parts are judged, too */
	bool limit;       /* past a limit: deny */
	bool memory_short;/* limit for want of memory only: a larger block may do */
	const char *why;  /* of unparsed and limit: static text */
	uint32_t at;      /* byte of the line that `why` speaks of */
	uint64_t steps;   /* of the budgets: what was read again, and by the decision */
};

/* Bytes of a block that suffices for what lines of n bytes really hold. */
size_t cmd_block_size(size_t n);

/* The dialect is that of w->facts; LINE_DIALECT_NONE makes every line unparsed. */
void cmd_from_line(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *text, size_t n);
/* The words are literal: no shell reads them. */
void cmd_from_argv(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *const *argv, size_t argc);

/* --- what both readers of parts need ---------------------------------------------- */

/* The table of a program's base name, or NULL. */
const struct line_program *cmd_program(const struct line_facts *facts, const char *name,
				     size_t n);
/* What a subcommand's table is one of, or NULL. */
const struct line_program *cmd_base_of(const struct line_facts *facts,
				     const struct line_program *p);
/* The option of this one table with exactly this name, or NULL. */
const struct line_option *cmd_table_option(const struct line_facts *facts,
					 const struct line_program *p, const char *name,
					 size_t n);
/* The first of its own options, which are sorted, that is not less than the name: from
 * there on are those that begin so. */
uint32_t cmd_first_option(const struct line_facts *facts, const struct line_program *p,
			  const char *name, size_t n);
/* The options of a table, and behind them those of what it is a subcommand of. */
uint32_t cmd_option_count(const struct line_facts *facts, const struct line_program *p);
const struct line_option *cmd_option_at(const struct line_facts *facts,
				      const struct line_program *p, uint32_t i);
/* In one of the directories that an allow rule trusts, and directly so. */
bool cmd_trusted_place(const char *p, size_t n);
/* The pin of the program of this name, or NULL. */
const struct line_pin *cmd_pin(const struct line_facts *facts, const char *name, size_t n);

/*
 * The absolute path that literal text names in the directory `dir` (or below
 * HOME where `home`), without "." and "//"; false where that is not known: a
 * "..", a "-", a relative path without a directory, no room, what is behind a
 * link of the kernel's (/proc/PID/cwd, /dev/fd/3).
 */
bool cmd_resolve(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		 bool home, char *buf, size_t size);

/* As that where a ".." leaves no symbolic link: what only makes a decision stricter. */
bool cmd_resolve_loosely(const struct cmd_world *w, const char *dir, const char *text,
			 size_t n, bool home, char *buf, size_t size);

/*
 * The texts of a literal word that may be a path (4.4): the word, what stands
 * behind its first '=', what stands behind an option letter; and, with `pieces`, what
 * stands between '=', '@', ':', ',' and ';' (curl's `f=@FILE`, docker's `FILE:/x`).
 * Also of one that only lacks the value of HOME or PWD.  *at from 0; false: no more.
 */
bool cmd_path_text(const struct cmd_word *word, bool pieces, size_t *at, const char **ret_p,
		   size_t *ret_n, bool *ret_home);

/*
 * What a word writes where its path is a directory: the name in it, of the k-th word
 * that is read (`cp x dir`); k from 0, *ret_n 0 where that has none; false: no more.
 */
bool cmd_name_in(const struct cmd_part *p, uint32_t k, const char **ret_p, size_t *ret_n);

/*
 * A word as a pattern of paths, for `dir`: bytes, and what these stand for.  With `tree`
 * all that is below.  false: it is no pattern that is known, or longer than ret has room.
 */
enum { CMD_G_ONE = 256, CMD_G_STAR, CMD_G_DEEP }; /* ? and [], *, any path */
#define CMD_MAX_PATTERN 1024
struct cmd_pattern {
	uint32_t n;
	uint16_t v[CMD_MAX_PATTERN];
};
bool cmd_word_pattern(const struct cmd_world *w, const char *dir, const struct cmd_word *word,
		      bool tree, struct cmd_pattern *ret);
/* The tree at an absolute path without ".." */
bool cmd_tree_pattern(const char *path, struct cmd_pattern *ret);

#endif
