/*
 * From a line to what it may run: the analysis of semantics 4.1, 4.2 and the end of 4.4.
 * A line (or an argv) becomes a list of parts. Each part is judged on its own, and the
 * strictest answer is that of the line. The analysis knows programs from commands.bin:
 * what their words mean, which of them run other commands, and where code of another
 * language stands. It knows no rules: decide_line.c decides from the parts, and in the
 * compiler eval/line.c does.
 *
 * Nothing is allocated: everything lies in the caller's block, and stays valid as long as
 * the block and the line do. Time is linear in the line times the depth of nesting. If a
 * limit is exceeded, `limit` is set and the line is denied.
 */
#ifndef RUNTIME_LINE_COMMAND_H
#define RUNTIME_LINE_COMMAND_H

#include <limits.h>

#include "runtime/line/facts.h"
#include "runtime/line/shell/shell.h"

/* --- what the analysis is told ------------------------------------------------ */

struct cmd_world {
	const struct line_facts *facts;
	/* Absolute and physical, without a trailing '/'; NULL: not known. */
	const char *cwd, *home, *project;
	/* No sandbox stands behind the decision (scope host): a variable that no table calls
	 * safe makes allow rules void. */
	bool host;
};

/* --- words -------------------------------------------------------------------- */

/*
 * What a word may be to its program. It has several roles if it can be read in several
 * ways (an option that no table knows may or may not take the next word; a dynamic word
 * may be anything). A deny or ask rule may skip a word with OPTION, VALUE or END. The
 * program's own word has no role.
 */
enum cmd_role {
	CMD_W_OPTION = 1 << 0,
	CMD_W_VALUE = 1 << 1,   /* of the option before it */
	CMD_W_OPERAND = 1 << 2,
	CMD_W_END = 1 << 3,     /* the `--` that ends options */
};

/*
 * If a word has two possible readings, there is one part for each, and the strictest
 * counts. This says which reading a part has.
 */
enum cmd_as {
	CMD_AS_ANY,
	CMD_AS_VALUE,   /* the word is the value of the option before it */
	CMD_AS_OPERAND, /* the word names the subcommand, or a command begins after it */
};

struct cmd_word {
	const struct sh_word *w;
	uint8_t roles;
	uint8_t as; /* enum cmd_as */
	uint8_t places; /* enum cmd_place */
	bool may_write; /* no table says that the program does not write there */
	bool handed_on; /* some of it is a name that a wrapper puts there (find's {}) */
	/* its number among the operands, from 1; 0: not an operand. A range, as readings
	 * may differ. */
	uint8_t first, last;
	/* where the value of an option begins in it: 2 of `-oFILE`, 3 of `-uoFILE`; 0: not known */
	uint32_t value_at;
};

/* What a table says about a word that names a file, in at least one reading. */
enum cmd_place {
	CMD_P_READS = 1 << 0,
	CMD_P_WRITES = 1 << 1,
	CMD_P_TREE = 1 << 2, /* with READS: all that is below is read as well */
	CMD_P_BEGINS = 1 << 3, /* names of files that it writes begin with the word, or are the
	                          word without its end */
	CMD_P_BELOW = 1 << 4,  /* everything below the directory is written, moved or removed */
	CMD_P_HERE = 1 << 5, /* with WRITES: the word may be the only operand, and the program
	                        makes a file of its last component in the working directory */
	CMD_P_WHOLE = 1 << 6, /* with READS: in a directory it makes a file whose name is the
	                         whole word (`cp --parents a/b dir`) */
};

enum cmd_how {
	CMD_O_EXACT,  /* the option `name` */
	CMD_O_PREFIX, /* any long option that begins with `name` ("--forc", "--") */
	CMD_O_ANY,    /* any option at all: the word is not literal. `name` is its literal
	               * beginning: "", "-", "--x" or "-x" */
};

/*
 * One option that the command may have, in one reading of its words. A word yields one
 * for each reading: "-uf" may be the option "-uf", or "-u" and "-f", or "-u" with the
 * value "f". `sure`: the option is there in every reading, whatever the values of the
 * words (an allow rule needs this). `given`: whatever the values, some reading has it, as
 * in "rm -rf" of a program that no table knows (a deny needs this to be certain). A sure
 * option is also given.
 */
struct cmd_option {
	const char *name; /* with the dashes, without '=' and value; not NUL-terminated */
	const struct line_option *known; /* from the program's table, or NULL; names with
	                                  * the same `same` are one option */
	const char *value;      /* literal and attached ("--opt=v", "-ov"), or NULL */
	struct cmd_option *next;
	uint32_t name_n, value_n;
	uint32_t word;          /* index into the part's words */
	uint32_t value_word;    /* index of the word that is its value; 0: none */
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
	CMD_UNPARSED, /* text that could not be read: judged like an unparsed line */
};

enum cmd_flag {
	/* The part is opaque, for the reason in `opaque`. OPAQUE_CODE: the only reason is
	 * that it holds code of another language. An allow rule that matches an
	 * interpreter's command (INTERPRETER) covers such code. */
	CMD_OPAQUE = 1 << 0,
	CMD_OPAQUE_CODE = 1 << 1,
	CMD_INTERPRETER = 1 << 2,
	/* No allow rule matches: a variable that is not `safe` was set or exported for the
	 * command, or the line redefines its name. `no_allow` says which. */
	CMD_VOID = 1 << 3,
	/* A transparent wrapper: only deny and ask rules are consulted. */
	CMD_TRANSPARENT = 1 << 4,
	/* A table describes the program. If none does, the tails of its words are looked
	 * at (4.4). */
	CMD_TABLED = 1 << 5,
	/* A wrapper whose inner command was not found: deny rules are also matched
	 * against each tail of its words. */
	CMD_LOST = 1 << 6,
	/* Unknown words may follow the listed ones. */
	CMD_APPENDS = 1 << 7,
	/* The words of only one reading of the text, or of a command that may not run at
	 * all. Judged like the others. */
	CMD_ALTERNATIVE = 1 << 8,
	/* UNPARSED: the text is well-formed, but some of it is evaluated a second time
	 * where there is no command (`i=$((i+1))`). */
	CMD_EVALUATED = 1 << 9,
	/* It runs in another file system, entered by the part in `shell`. An allow rule
	 * that matches that part covers this part's code as well. Its paths mean no files
	 * of this machine. */
	CMD_REMOTE = 1 << 10,
	/* It reads everything below its working directory. */
	CMD_READS_HERE = 1 << 11,
	/* The part before it once more, with another name of the same program. */
	CMD_RENAMED = 1 << 12,
	/* It writes everything below its working directory. */
	CMD_WRITES_HERE = 1 << 13,
	/* With CMD_P_BELOW or CMD_WRITES_HERE: not the repository at the top (git clean). */
	CMD_LEAVES_REPO = 1 << 14,
	/* It reads or writes a relative path in a directory that is not known, or it writes a
	 * file whose name is not known. Scope host: the part is opaque, unless its operands do
	 * nothing. */
	CMD_OPAQUE_PATH = 1 << 15,
	/* Its output names files that a later command reads (`echo f | xargs cat`): its operands do
	 * something, whatever a table says. */
	CMD_HANDS_ON = 1 << 16,
	/* It reads a file whose name is not known. Scope host: where a rule keeps some file from being
	 * read, the part is opaque, unless its operands do nothing. */
	CMD_OPAQUE_READ = 1 << 17,
};

struct cmd_dir {
	const char *path; /* absolute */
	const struct cmd_dir *next;
};

struct cmd_part {
	struct cmd_part *next;
	struct cmd_part *outer;  /* the wrapper or shell whose words hold this part, or
	                          * the command to which this redirection belongs; or
	                          * NULL */
	/* The nearest part around this one that is a shell with this part in its literal
	 * code, or that runs it in another file system (AWAY). If an allow rule matches
	 * that part, `otherwise` does not apply. */
	struct cmd_part *shell;
	/* The program's table, or that of its subcommand if there is one; or NULL. */
	const struct line_program *program;
	struct cmd_word *words;  /* words[0] is the program */
	struct cmd_option *options;
	const struct cmd_dir *dirs; /* where it may run; NULL with dirs_unknown */
	const struct cmd_dir *near; /* with dirs_unknown: some of the places where it may
	                               run; or NULL */
	const char *opaque;      /* static text */
	const char *no_allow;    /* static text */
	const char *path;        /* FILE: literal target as written, NULL: not known */
	const char *host;        /* NET; NULL: not known */
	uint32_t path_n, host_n;
	uint32_t nwords;
	uint32_t flags;          /* enum cmd_flag */
	uint32_t from, to;       /* the bytes of the (outermost) line that it covers */
	uint16_t port;           /* NET; 0: not known */
	uint8_t ops;             /* FILE: enum cmd_op bits */
	uint8_t kind;            /* enum cmd_kind */
	bool udp;
	bool dirs_unknown;       /* relative paths are opaque */
	bool root_lost;          /* a wrapper runs it, perhaps below another root (chroot, sudo -R) */
	bool dirs_lost;          /* and none of `near` need be the place: more than a ".."
	                            is in the way */
	bool home_path;          /* FILE: path follows an unquoted ~ */
	bool path_guess;         /* FILE: path is right if HOME and PWD have their usual
	                            values: only rules that are stricter count */
	/* Filled by the decision, for explain: */
	uint32_t rule;           /* rule that decided; UINT32_MAX: none */
	uint8_t effect, step, risk;
	bool allowed_by_rule;
	bool needs_person;       /* like decision.needs_person, for this part alone */
	bool would_pass;         /* asked, and allowed if an allow rule matched it */
};

struct cmd_line {
	struct cmd_part *first;
	uint32_t nparts;
	bool unparsed;    /* the whole line could not be parsed; its parts are judged as
	                     well */
	bool limit;       /* a limit was exceeded: deny */
	bool memory_short;/* the only limit hit is memory: a larger block may help */
	const char *why;  /* of unparsed and limit: static text */
	uint32_t at;      /* byte of the line that `why` refers to */
	uint64_t steps;   /* work counted against the budgets: what was read again, and by
	                     the decision */
};

/* Size in bytes of a block that suffices for real lines of n bytes. */
size_t cmd_block_size(size_t n);

/* The dialect comes from w->facts. With LINE_DIALECT_NONE every line is unparsed. */
void cmd_from_line(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *text, size_t n);
/* The words are literal: no shell reads them. */
void cmd_from_argv(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *const *argv, size_t argc);

/* --- what both readers of parts need ---------------------------------------------- */

/* The table of the program with this base name, or NULL. */
const struct line_program *cmd_program(const struct line_facts *facts, const char *name,
				     size_t n);
/*
 * The same for a name with which a distribution installs that program as well: with its
 * version ("gcc-12", "zsh5", "python3.14"), or for one machine ("x86_64-linux-gnu-gcc").
 * *ret_called is the record that lists the other names by which deny and ask rules mean the
 * program, and *ret_by_pattern says that its own name is one of these.
 */
const struct line_program *cmd_program_called(const struct line_facts *facts, const char *name,
					    size_t n, const struct line_program **ret_called,
					    bool *ret_by_pattern);
/* The base program of a subcommand's table, or NULL. */
const struct line_program *cmd_base_of(const struct line_facts *facts,
				     const struct line_program *p);
/* The option with exactly this name in this one table, or NULL. */
const struct line_option *cmd_table_option(const struct line_facts *facts,
					 const struct line_program *p, const char *name,
					 size_t n);
/* Index of the first of its own (sorted) options whose name is not less than `name`. The
 * options that begin with `name` start there. */
uint32_t cmd_first_option(const struct line_facts *facts, const struct line_program *p,
			  const char *name, size_t n);
/* The options of a table, followed by those of its base program. */
uint32_t cmd_option_count(const struct line_facts *facts, const struct line_program *p);
const struct line_option *cmd_option_at(const struct line_facts *facts,
				      const struct line_program *p, uint32_t i);
/* Does the path lie directly in one of the directories that allow rules trust? */
bool cmd_trusted_place(const char *p, size_t n);
/* The pin of the program with this name, or NULL. */
const struct line_pin *cmd_pin(const struct line_facts *facts, const char *name, size_t n);

/*
 * The absolute path that literal text names in the directory `dir` (with `home`: below
 * HOME), without "." and "//". Returns false if that is not known: a "..", a "-", a
 * relative path without a directory, no room in buf, or a path that goes through a magic
 * link of the kernel (/proc/PID/cwd, /dev/fd/3).
 */
bool cmd_resolve(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		 bool home, char *buf, size_t size);

/* The same, but assumes that ".." does not leave through a symbolic link. Use it only to
 * make a decision stricter. */
bool cmd_resolve_loosely(const struct cmd_world *w, const char *dir, const char *text,
			 size_t n, bool home, char *buf, size_t size);

/* The same, and a path that goes through a magic link is its own name, which rules may hide
 * or deny. Use it only to make a decision stricter. */
bool cmd_resolve_named(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, char *buf, size_t size);

/* Room for a directory, and the longest path that a system call takes in it. */
#define CMD_GIVEN_MAX (2 * PATH_MAX)
/* As cmd_resolve_loosely(), or cmd_resolve_named() if `named`, but each ".." stays where it is:
 * for place_names_in(), which follows the links before it. */
bool cmd_resolve_given(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, bool named, char buf[CMD_GIVEN_MAX]);

/*
 * The texts in a literal word that may be a path (4.4): the whole word, the text after
 * its first '=', and the text after an option letter. With `pieces`, also the texts
 * between '=', '@', ':', ',' and ';' (curl's `f=@FILE`, docker's `FILE:/x`), what may be
 * attached to an option of several letters (`-includeFILE`, `-Wl,-MapFILE`), and the path of
 * a file: URL or the last component of another. Also works for a word that is literal but for the value of HOME or PWD. *at
 * starts at 0; false: no more texts.
 */
bool cmd_path_text(const struct cmd_word *word, bool pieces, size_t *at, const char **ret_p,
		   size_t *ret_n, bool *ret_home);
/*
 * Is the file that the word names read, and nothing else done with it?  Not where the program also writes a
 * word of its (`ln FILE y`, `cp -l FILE y` make a second name, by which the file is written later), and not of a
 * wrapper (`docker run -v FILE:/x`, `find FILE -exec`), which hands the file on.
 */
bool cmd_is_only_read(const struct cmd_part *p, const struct cmd_word *word);

/*
 * The name of the file that a program makes for one of its words if the word that it
 * writes is a directory (`cp x dir`): the last component of word k + 1, k from 0. *ret_n
 * is 0 if the program does not read that word, or if its name is not known; false: no
 * more words.
 */
bool cmd_name_in(const struct cmd_part *p, uint32_t k, const char **ret_p, size_t *ret_n);
/* The names, k from 0, of which a program may make one for the word in its working directory;
 * false: there are no more. See CMD_P_HERE. */
bool cmd_name_here(const struct cmd_word *w, uint32_t k, const char **ret_p, size_t *ret_n);

/*
 * The folder below which all names lie that a pattern of file names makes: the text of the
 * word up to the last '/' before its first unknown piece, "." without one. false: the word
 * is no such pattern, or one of its later components may be "..".
 */
bool cmd_pattern_folder(const struct cmd_word *word, const char **ret_p, size_t *ret_n);

/* Why a part is opaque where a judge cannot look at all that lies below a directory. */
#define CMD_TOO_MUCH "more lies below a directory than can be looked at"

/*
 * The path that a word names, or with *ret_glob a pattern of glob(3) for the paths that it may
 * name. A ".." stays in it. false: it is not known.
 */
bool cmd_word_on_disk(const struct cmd_world *w, const char *dir, const struct cmd_word *word,
		      char ret[CMD_GIVEN_MAX], bool *ret_glob);
/* The path that the shell leaves of a pattern which nothing matches, in place. */
void cmd_unquote(char *pattern);

/*
 * A word as a pattern of paths in `dir`: bytes, and the codes below. With `tree` the
 * pattern includes all that is below. Returns false if the pattern is not known, or does
 * not fit into ret.
 */
enum { CMD_G_ONE = 256, CMD_G_STAR, CMD_G_DEEP }; /* ? and [], *, any path */
#define CMD_MAX_PATTERN 1024
struct cmd_pattern {
	uint32_t n;
	uint16_t v[CMD_MAX_PATTERN];
};
bool cmd_word_pattern(const struct cmd_world *w, const char *dir, const struct cmd_word *word,
		      bool tree, struct cmd_pattern *ret);
/* Is part of the word a number that is not known, as in /proc/$$/cwd, and no part a pattern of
 * file names? */
bool cmd_has_number(const struct cmd_word *word);
/* Is the piece a name that a known pattern of file names matched? */
bool cmd_matched(const struct sh_seg *g);
bool cmd_has_glob(const struct cmd_word *word);
/* The pattern of all names in one directory that begin with the text: PREFIX of
 * `split FILE PREFIX`. */
bool cmd_begin_pattern(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, struct cmd_pattern *ret);
/* The pattern of the tree at an absolute path without ".." */
bool cmd_tree_pattern(const char *path, struct cmd_pattern *ret);

#endif
