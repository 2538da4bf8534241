/*
 * Facts (semantics 4.2): how the command line of each program is read. They say what the
 * words of a line mean; they grant nothing. They are part of the bundle's format
 * (commands.bin). The comment at each table says how it is sorted.
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
	LINE_PF_JOINED = 32,      /* wrapper: it joins its words into one line */
	LINE_PF_APPENDS = 64,     /* wrapper: it appends words that the line does not
	                             show */
	LINE_PF_SHELL = 128,      /* interpreter: its code is shell text */
	LINE_PF_CODE_STDIN = 256, /* it runs code from standard input when no script is
	                             named */
	LINE_PF_DASHED = 512,     /* "git-push" is "git push" */
	LINE_PF_VERSIONS = 1024,  /* wrapper: its command may be NAME@VERSION or
	                             SOURCE#NAME */
	LINE_PF_ABBREVIATE_COMMANDS = 2048, /* its subcommands may be cut short */
	LINE_PF_STAYS = 4096,     /* wrapper: its command runs in the wrapper's own
	                             directory, unless an option moves it. An option
	                             that no table knows may move it */
	LINE_PF_ELSEWHERE = 8192, /* wrapper: nobody knows in which directory its command
	                             runs */
	LINE_PF_NO_END = 16384,   /* "--" may or may not end its options */
	LINE_PF_BOOLEANS = 32768, /* "--flag true": "true" is the option's value, or an
	                             operand */
	LINE_PF_ONE_DASH = 65536, /* "-name" means "--name" */
	LINE_PF_AWAY = 131072,    /* wrapper: its command runs in another file system, and
	                             an allow rule for the wrapper covers it */
	LINE_PF_WHOLE_TREES = 262144, /* when it reads a directory, it reads all that is
	                                 below */
	LINE_PF_MAKES_NOTHING = 524288, /* it puts no new content into a file that an
	                                   operand names */
	LINE_PF_WRITES_UNNAMED = 1048576, /* the files that it reads tell it which files
	                                     to write */
	LINE_PF_SED_SCRIPT = 2097152, /* its places of code with a `when` hold a script of
	                                 sed: one that only prints is no code (lang.h) */
	LINE_PF_AWK_SCRIPT = 4194304, /* the same with a program of awk */
	LINE_PF_SUBCOMMANDS = 8388608, /* at least one subcommand has a table */
	LINE_PF_FILES_ONLY = 16777216 /* the table only says which files run unasked, or
	                                that the program makes nothing: for all else it
	                                counts as no table */
};

/* EITHER: the next word is its value in some places or some releases, but not in all */
enum line_option_takes { LINE_TAKES_NOTHING, LINE_TAKES_VALUE, LINE_TAKES_ATTACHED, LINE_TAKES_EITHER };

enum line_option_flag {
	LINE_OF_GLOBAL = 1, /* may stand before the subcommand */
	LINE_OF_CODE = 2,   /* its value, or what it makes the program do, is code */
	LINE_OF_QUERY = 4,  /* with it the program runs nothing */
	LINE_OF_MOVES = 8,  /* its value is the directory in which the program works. Wrapper: its
	                     command runs in another directory, or below another root */
	LINE_OF_RUNS = 16,  /* wrapper: its words are a command in spite of
	                       LINE_NO_COMMAND, or without the operands before it
	                       (LINE_PF_AWAY) */
	LINE_OF_LEADS = 32, /* wrapper: its value is the first word of the command;
	                       interpreter: its value is a program (python3 -m) */
	LINE_OF_READS = 64, /* its value names a file that is read */
	LINE_OF_WRITES = 128, /* its value names a file that is written */
	LINE_OF_SCRIPT = 256, /* its value names a file whose text is code */
	LINE_OF_TREES = 512,  /* directories that are read are read with all below */
	LINE_OF_INSTEAD = 1024, /* the first operand loses its special meaning (grep -e),
	                           or the last one does (cp -t) */
	LINE_OF_EDITS = 2048,  /* files that are read are written as well (sed -i) */
	LINE_OF_BEGINS = 4096, /* its value is the beginning of names of files that are
	                          written (csplit -f) */
	LINE_OF_BELOW = 8192,  /* everything below the directories that are written is written
	                          as well (rm -r) */
	LINE_OF_UNPACKS = 16384, /* the program writes files whose names no word tells (tar -x) */
	LINE_OF_NAMES = 32768    /* the program reads files whose names stand in a file or in its
	                            input (tar -T) */
};

#define LINE_NO_WHEN UINT32_MAX

struct line_option {
	struct pb_str name; /* "-o", "--output", "+O"; with the dashes. A name that ends
	                       in '*' stands for every option that begins with the text
	                       before it */
	uint8_t takes;      /* enum line_option_takes */
	uint8_t zero;
	uint16_t same;      /* options of one program with the same number are one
	                       option */
	uint32_t when;      /* for CODE: index into `whens`, or LINE_NO_WHEN */
	uint32_t flags;     /* enum line_option_flag */
};

/* A place for code that is not an option: the operand of that number, counted from 1, or
 * every operand ("code operand any": `vim +cmd`). */
#define LINE_ANY_OPERAND UINT32_MAX
struct line_code { uint32_t operand, when; };

/* Operands that name files, or (BEGINS) are the beginnings of names of files that are written,
 * or (BELOW) directories below which everything is written, or (UNPACKS) say that the program
 * writes files whose names no word tells, or (NAMES) reads such files.
 * A literal operand counts only if its text matches `when`. */
enum line_place_kind {
	LINE_PLACE_CODE, /* has a table of its own (line_code) */
	LINE_PLACE_READS, LINE_PLACE_WRITES, LINE_PLACE_SCRIPT, LINE_PLACE_TREES,
	LINE_PLACE_BEGINS, LINE_PLACE_BELOW, LINE_PLACE_UNPACKS, LINE_PLACE_NAMES,
	LINE_PLACE_COUNT
};
#define LINE_LAST_OPERAND (UINT32_MAX - 1)
#define LINE_REST_OPERAND (UINT32_MAX - 2) /* all but the last */
#define LINE_FROM_OPERAND 0x10000u         /* LINE_FROM_OPERAND + N: from the Nth on */
struct line_place { uint32_t kind, operand, when; };

struct line_word { struct pb_str text; };

#define LINE_MAX_SUBCOMMAND 128 /* bytes of the name of a subcommand's table, "git rebase" */
#define LINE_NO_COMMAND 99u

/*
 * All that the levels say about one name, put together. A subcommand has a table of its
 * own, "git rebase", which follows that of "git". Its own options come first, then those
 * of its base program. An option that both have is the base program's (`same` goes on
 * counting).
 */
struct line_program {
	struct pb_str name;
	uint32_t kinds;          /* enum line_program_kind */
	uint32_t flags;          /* enum line_program_flag */
	uint32_t skip;           /* wrapper: operands before the command. LINE_NO_COMMAND
	                            or more: the operands are no command, only code,
	                            unless an option says otherwise (LINE_OF_RUNS) */
	uint32_t base;           /* subcommand: 1 + index of its base program; else 0 */
	uint32_t stems;          /* 1: one of its own options has a name that ends in
	                            '*' */
	uint32_t as;             /* 1 + index of the program whose table it has (`c99`
	                            has that of `gcc`), and nothing of its own; else 0 */
	struct pb_table options; /* struct line_option, by name */
	struct pb_table codes;   /* struct line_code, by operand */
	struct pb_table places;  /* struct line_place, by kind and operand */
	struct pb_table after;   /* struct line_word: words after which commands begin
	                            (-exec) */
	struct pb_table ends;    /* struct line_word: words that end them (; +) */
	struct pb_table also;    /* struct line_word. Subcommand: its other names.
	                            Program: the names by which deny and ask rules mean
	                            it as well */
	struct pb_table defaults; /* struct line_word: names of files that it runs though
	                             no word names them; '*' (at most once) means any
	                             text */
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
 * One block of memory: this head, the tables, the automata, the texts. All offsets count
 * from its first byte. Lowering builds it from the IR, a bundle carries it as
 * commands.bin, and readers of lines use it in place.
 */
#define PB_MAGIC_COMMANDS 0x454d4350u /* "PCME" */

struct line_facts {
	struct pb_head head;      /* as commands.bin has it */
	struct pb_table programs; /* struct line_program, by name */
	struct pb_table vars;     /* struct line_var, by name */
	struct pb_table pins;     /* struct line_pin, by name */
	struct pb_table whens;    /* struct pb_automaton: a text matches if it ends in a
	                             state with a tag */
	uint32_t dialect;         /* enum line_dialect */
	uint32_t zero;
	struct pb_str shell;      /* path of the program that runs lines; empty: the
	                             dialect's own shell */
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
