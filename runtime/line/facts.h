/*
 * Facts (semantics 4.2): what programs look like, by which the words of a line
 * are read.  They say what words mean and grant nothing.  Part of the bundle's
 * format (commands.bin); tables are sorted as their comments say.
 */
#ifndef RUNTIME_LINE_FACTS_H
#define RUNTIME_LINE_FACTS_H

#include "runtime/base/automaton.h"
#include "runtime/base/record.h"

enum line_program_kind { LINE_PK_PROGRAM = 1, LINE_PK_WRAPPER = 2, LINE_PK_INTERPRETER = 4 };

enum line_program_flag {
	LINE_PF_TRANSPARENT = 1,  /* wrapper: needs no permission of its own */
	LINE_PF_ABBREVIATE = 2,   /* long options may be cut short */
	LINE_PF_NO_CLUSTER = 4,   /* "-ab" is one option */
	LINE_PF_POSIX = 8,        /* options end at the first operand */
	LINE_PF_ASSIGNMENTS = 16, /* wrapper: NAME=value words before the command */
	LINE_PF_JOINED = 32,      /* wrapper: its words are joined into one line */
	LINE_PF_APPENDS = 64,     /* wrapper: words that are not known follow */
	LINE_PF_SHELL = 128,      /* interpreter: its code is shell text */
	LINE_PF_CODE_STDIN = 256, /* code on standard input where no script is named */
	LINE_PF_DASHED = 512,     /* "git-push" is "git push" */
	LINE_PF_VERSIONS = 1024,  /* wrapper: its command may be NAME@VERSION, SOURCE#NAME */
	LINE_PF_ABBREVIATE_COMMANDS = 2048, /* its subcommands may be cut short */
	LINE_PF_STAYS = 4096,     /* wrapper: its command runs where it does itself, but with
	                           an option that moves it, or that no table knows */
	LINE_PF_ELSEWHERE = 8192, /* wrapper: its command runs in no directory that is known */
	LINE_PF_NO_END = 16384,   /* "--" may end its options or not */
	LINE_PF_BOOLEANS = 32768, /* "--flag true": an option's value, or an operand */
	LINE_PF_ONE_DASH = 65536, /* "-name" is "--name" */
	LINE_PF_AWAY = 131072,    /* wrapper: its command runs in another file system, and an
	                           allow rule for the wrapper covers it */
	LINE_PF_WHOLE_TREES = 262144, /* what it reads, it reads with all below */
	LINE_PF_MAKES_NOTHING = 524288, /* it puts nothing new into a file that an operand
	                                 names */
	LINE_PF_WRITES_UNNAMED = 1048576, /* what it reads says which files it writes */
	LINE_PF_SUBCOMMANDS = 2097152, /* some subcommand has a table */
	LINE_PF_FILES_ONLY = 4194304 /* it says which files run unasked, or that it makes
	                              nothing, and no more: else it is no table */
};

/* EITHER: the next word is its value in places, or in some release */
enum line_option_takes { LINE_TAKES_NOTHING, LINE_TAKES_VALUE, LINE_TAKES_ATTACHED, LINE_TAKES_EITHER };

enum line_option_flag {
	LINE_OF_GLOBAL = 1, /* may stand before the subcommand */
	LINE_OF_CODE = 2,   /* its value, or what it makes the program do, is code */
	LINE_OF_QUERY = 4,  /* the program runs nothing */
	LINE_OF_MOVES = 8,  /* wrapper: its command runs in another directory, or below another
	                     root */
	LINE_OF_RUNS = 16,  /* wrapper: its words are a command in spite of LINE_NO_COMMAND, or
	                     without the operands before it (LINE_PF_AWAY) */
	LINE_OF_LEADS = 32, /* wrapper: its value is the first word of the command */
	LINE_OF_READS = 64, /* its value names a file that is read */
	LINE_OF_WRITES = 128, /* … that is written */
	LINE_OF_SCRIPT = 256, /* … whose text is code */
	LINE_OF_TREES = 512,  /* what is read is read with all below */
	LINE_OF_INSTEAD = 1024, /* the first operand is none of its own kind (grep -e), or
	                         the last none (cp -t) */
	LINE_OF_EDITS = 2048   /* what is read is written (sed -i) */
};

#define LINE_NO_WHEN UINT32_MAX

struct line_option {
	struct pb_str name; /* "-o", "--output", "+O"; dashes included.  One that ends
	                       in '*' stands for every option that begins so */
	uint8_t takes;      /* enum line_option_takes */
	uint8_t zero;
	uint16_t same;      /* options of one program with one number are one option */
	uint32_t when;      /* of CODE: number in `whens`, or LINE_NO_WHEN */
	uint32_t flags;     /* enum line_option_flag */
};

/* A code place that is no option: the operand of that number, from 1, or each
 * of them ("code operand any": `vim +cmd`). */
#define LINE_ANY_OPERAND UINT32_MAX
struct line_code { uint32_t operand, when; };

/* Operands that name files.  A literal one counts where its text matches `when`. */
enum line_place_kind {
	LINE_PLACE_CODE, /* in a table of its own (line_code) */
	LINE_PLACE_READS, LINE_PLACE_WRITES, LINE_PLACE_SCRIPT, LINE_PLACE_TREES,
	LINE_PLACE_COUNT
};
#define LINE_LAST_OPERAND (UINT32_MAX - 1)
#define LINE_REST_OPERAND (UINT32_MAX - 2) /* all but the last */
#define LINE_FROM_OPERAND 0x10000u         /* + N: from the Nth on */
struct line_place { uint32_t kind, operand, when; };

struct line_word { struct pb_str text; };

#define LINE_MAX_SUBCOMMAND 128 /* bytes of the name of a subcommand's table, "git rebase" */
#define LINE_NO_COMMAND 99u

/*
 * All that the levels say of one name, put together.  A subcommand has a table
 * of its own, "git rebase", behind that of "git": its options come first, then
 * those of its base, and one that both have is the base's (`same` counts on).
 */
struct line_program {
	struct pb_str name;
	uint32_t kinds;          /* enum line_program_kind */
	uint32_t flags;          /* enum line_program_flag */
	uint32_t skip;           /* wrapper: operands before the command; from
	                            LINE_NO_COMMAND on it has none, only code, but with an
	                            option that says so (LINE_OF_RUNS) */
	uint32_t base;           /* a subcommand: 1 + number of what it is one of; 0 */
	uint32_t stems;          /* 1: the name of one of its own options ends in '*' */
	uint32_t zero;
	struct pb_table options; /* struct line_option, by name */
	struct pb_table codes;   /* struct line_code, by operand */
	struct pb_table places;  /* struct line_place, by kind and operand */
	struct pb_table after;   /* struct line_word: where commands begin (-exec) */
	struct pb_table ends;    /* struct line_word: where they end (; +) */
	struct pb_table also;    /* struct line_word: a subcommand: its other names */
	struct pb_table defaults; /* struct line_word: names of files whose text it runs
	                            though no word names them; '*', at most once: any text */
};

/* A variable that an assignment before a command may set. */
struct line_var {
	struct pb_str name; /* may end in '*' */
	uint32_t taint;     /* 1: changes what runs; 0: safe */
	uint32_t zero;
};

struct line_pin {
	struct pb_str name, path;
	uint8_t sha256[32];
	uint32_t has_digest;
	uint32_t zero;
};

enum line_dialect { LINE_DIALECT_BASH, LINE_DIALECT_POSIX, LINE_DIALECT_NONE };

/*
 * One block of memory: this head, the tables, the automata, the texts; all
 * offsets count from its first byte.  Lowering makes it from the IR, a bundle
 * carries it as commands.bin, and whoever reads lines uses it where it lies.
 */
#define PB_MAGIC_COMMANDS 0x444d4350u /* "PCMD" */

struct line_facts {
	struct pb_head head;      /* as commands.bin has it */
	struct pb_table programs; /* struct line_program, by name */
	struct pb_table vars;     /* struct line_var, by name */
	struct pb_table pins;     /* struct line_pin, by name */
	struct pb_table whens;    /* struct pb_automaton: a text that ends in a state
	                             with a tag matches */
	uint32_t dialect;         /* enum line_dialect */
	uint32_t zero;
	struct pb_str shell;      /* path of the program that runs lines, or empty: the
	                             dialect's own */
	struct pb_str shell_name; /* as the policy names it: "bash", "posix", "zsh" */
};

_Static_assert(sizeof(struct line_option) == 20, "line_option");
_Static_assert(sizeof(struct line_code) == 8, "line_code");
_Static_assert(sizeof(struct line_place) == 12, "line_place");
_Static_assert(sizeof(struct line_program) == 88, "line_program");
_Static_assert(sizeof(struct line_var) == 16, "line_var");
_Static_assert(sizeof(struct line_pin) == 56, "line_pin");
_Static_assert(sizeof(struct line_facts) == 72, "line_facts");

#endif
