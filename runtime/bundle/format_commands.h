/*
 * The members by which commands, paths and tools are decided: matcher.bin, and what
 * programs look like, commands.bin.  Part of format.h.
 */
#ifndef RUNTIME_BUNDLE_FORMAT_COMMANDS_H
#define RUNTIME_BUNDLE_FORMAT_COMMANDS_H

#include "runtime/bundle/format_base.h"

/* --- matcher.bin ------------------------------------------------------------ */

/*
 * Automata.  The rest of a path under a root (ir.h says what the rest is); a
 * tool name; an abstract socket name.  One kind may have several automata: the
 * tags of all count, but for rules that an automaton with `except` set tags.
 */
struct pb_automaton {
	uint8_t kind;     /* PB_FILE, PB_UNIX, PB_TOOL, PB_RISK (of tools); of the tables
	                     of commands PB_COMMAND */
	uint8_t root;     /* PB_FILE, PB_UNIX: enum pb_root */
	uint8_t abstract; /* PB_UNIX: over abstract names */
	uint8_t zero;
	uint32_t nstates, nclasses, start; /* state 0 is dead */
	uint32_t cls;     /* offset of 256 bytes: byte -> class */
	uint32_t states;  /* offset of nstates + 1 struct pb_state */
	uint32_t moves, nmoves; /* offset of u32: PB_MOVE(class, state) */
	uint32_t set_at, nsets; /* offset of nsets + 1 u32: into tags */
	uint32_t tags, ntags;   /* offset of u32 rule numbers, sorted per set */
	uint32_t except;  /* not 0: its tags name rules that do not match (an
	                     exception under another root than the rule's); for
	                     files the pb_op bits for which it holds, else 1 */
	uint32_t hides;   /* 1: a rule of its tags hides, or denies reading; of the table
	                     automata only */
};

/*
 * Most classes lead from a state to one other, so only the rest is listed:
 * moves[s.moves] up to where the next state's begin, by ascending class.  The
 * record behind the last state only ends the moves.
 */
struct pb_state {
	uint32_t moves; /* the first of them */
	uint32_t other; /* the state that all other classes lead to */
	uint32_t set;   /* of rule numbers; 0 is the empty one */
};

#define PB_MOVE(class, state) ((uint32_t)(class) << 24 | (uint32_t)(state))
#define PB_MOVE_CLASS(move) ((move) >> 24)
#define PB_MOVE_STATE(move) ((move) & 0xffffffu)
#define PB_MAX_STATES 0xffffffu

/*
 * Commands.  One pattern with its guards is a clause; the tags of command
 * automata are numbers of clauses.  The exceptions of a rule or fact follow its
 * own clause.  Automata are grouped by the program's name: those of a name
 * take the words behind the program, each ended by NUL.
 */
#define PB_NO_RULE UINT32_MAX
#define PB_NO_WORDS UINT32_MAX

struct pb_clause {
	uint32_t rule;     /* a rule, a risk fact, or PB_NO_RULE: of `inert` */
	uint8_t except;    /* 1: what the one before it does not match */
	uint8_t broad;     /* 1: as deny and ask match, 0: as allow */
	uint8_t regex;     /* 1: searched in the joined words */
	uint8_t sure;      /* 1: broad, and what it matches for sure decides (a deny, an
	                      exception of an allow); of others only what it may match */
	uint32_t guard, nguards; /* all of them must hold */
};

enum pb_guard_kind { PB_G_WITH, PB_G_WITHOUT, PB_G_WITH_ONLY, PB_G_WITHIN };

struct pb_guard {
	uint32_t kind;
	uint32_t first, count; /* of guard_options; WITHIN: of guard_paths */
	uint32_t zero;
};

struct pb_guard_option {
	struct pb_str name;  /* as it is, with its dashes; or, with `names`, as written */
	uint32_t names;      /* automaton of `words`, or PB_NO_WORDS */
	uint32_t values;     /* what its value must be, ended by NUL, or PB_NO_WORDS */
};

struct pb_guard_path {
	uint32_t root;  /* enum pb_root */
	uint32_t words; /* automaton over the rest of a path under that root */
};

/*
 * The automata of a program's name: commands[narrow] … and commands[broad] …,
 * all of which are asked.  Number 0 stands for every program that no name
 * says: its automata begin with the program.  Narrow ones take it as its name
 * ("/" where an allow may not trust the word), its place under the project and
 * its absolute place ("=PLACE", or nothing); broad ones its base name.  Number
 * 1 are the regular expressions, over the words joined by blanks.  A name that
 * ends in ":/" is of patterns "name:*", for programs that go on behind the ':'.
 */
#define PB_NAME_ANY 0u
#define PB_NAME_REGEX 1u
#define PB_NAME_FIRST 2u

struct pb_name {
	struct pb_str name;
	uint32_t narrow, nnarrow, broad, nbroad;
	/* so many of these, at their end, say nothing of words in which their needle
	 * does not stand */
	uint32_t narrow_rare, broad_rare;
};

/* What a rare automaton matches, whatever the other words behind the program are. */
enum pb_needle_flag {
	PB_NF_WORD = 1, /* some word with the needle, at any place */
	PB_NF_TEXT = 2  /* each word that has the needle in it */
};

/*
 * A text that stands within some word of whatever the automaton matches; one for
 * each rare automaton, in the order of these.
 */
struct pb_needle {
	struct pb_str text; /* not empty, without NUL and \1 */
	uint32_t automaton; /* of `commands`; it has one tag */
	uint16_t gram;      /* where in the text the bytes begin by which it is found */
	uint16_t flags;     /* enum pb_needle_flag */
};

/* The needles that are found by these bytes: needle_order[first] and so on. */
struct pb_gram {
	uint32_t bytes; /* PB_GRAM of them, the first one lowest; of a shorter text all */
	uint32_t first, count;
};

#define PB_GRAM 4u
#define PB_MAX_NEEDLE 255u

/* Of a text of n bytes, at most PB_GRAM. */
static inline uint32_t pb_gram_of(const char *p, uint32_t n)
{
	uint32_t r = 0, i;

	for (i = 0; i < n; i++)
		r |= (uint32_t)(uint8_t)p[i] << (8 * i);
	return r;
}

static inline uint32_t pb_gram_hash(uint32_t bytes)
{
	uint32_t h = bytes * 2654435761u;

	return h ^ h >> 15;
}

/* A regular expression that is no automaton: PCRE2 decides. */
struct pb_regex {
	struct pb_str text;
	uint32_t clause;
	uint32_t flags; /* enum pb_regex_flag */
};

enum pb_regex_flag { PB_RX_CASELESS = 1, PB_RX_EXTENDED = 2 };

struct pb_matcher {
	struct pb_head head;
	struct pb_table automata; /* struct pb_automaton */
	struct pb_table commands; /* struct pb_automaton: tags are clauses */
	struct pb_table clauses;  /* struct pb_clause */
	struct pb_table names;    /* struct pb_name */
	struct pb_table slots;    /* uint32_t, a power of two of them: the number of the
	                             name whose pb_hash() leads here, or the next free
	                             one; 0 is free */
	struct pb_table guards;   /* struct pb_guard */
	struct pb_table guard_options; /* struct pb_guard_option */
	struct pb_table guard_paths;   /* struct pb_guard_path */
	struct pb_table words;    /* struct pb_automaton: a text that ends in a state with
	                             a tag matches */
	struct pb_table regexes;  /* struct pb_regex */
	struct pb_table needles;  /* struct pb_needle */
	struct pb_table needle_order; /* uint32_t: needles by their bytes */
	struct pb_table grams;    /* struct pb_gram, a power of two of them or none: where
	                             pb_gram_hash() leads, or the next free one; bytes 0
	                             is free */
	uint32_t max_states;      /* of an automaton of `commands` */
	uint32_t gram_sizes;      /* bit n - 1: some needle is found by n bytes */
};

/* FNV-1a. */
static inline uint32_t pb_hash(const char *p, uint32_t n)
{
	uint32_t h = 2166136261u, i;

	for (i = 0; i < n; i++)
		h = (h ^ (uint8_t)p[i]) * 16777619u;
	return h;
}

/* --- commands.bin: what programs look like (semantics 4.2) ----------------------- */

enum pb_program_kind { PB_PK_PROGRAM = 1, PB_PK_WRAPPER = 2, PB_PK_INTERPRETER = 4 };

enum pb_program_flag {
	PB_PF_TRANSPARENT = 1,  /* wrapper: needs no permission of its own */
	PB_PF_ABBREVIATE = 2,   /* long options may be cut short */
	PB_PF_NO_CLUSTER = 4,   /* "-ab" is one option */
	PB_PF_POSIX = 8,        /* options end at the first operand */
	PB_PF_ASSIGNMENTS = 16, /* wrapper: NAME=value words before the command */
	PB_PF_JOINED = 32,      /* wrapper: its words are joined into one line */
	PB_PF_APPENDS = 64,     /* wrapper: words that are not known follow */
	PB_PF_SHELL = 128,      /* interpreter: its code is shell text */
	PB_PF_CODE_STDIN = 256, /* code on standard input where no script is named */
	PB_PF_DASHED = 512,     /* "git-push" is "git push" */
	PB_PF_VERSIONS = 1024,  /* wrapper: its command may be NAME@VERSION, SOURCE#NAME */
	PB_PF_ABBREVIATE_COMMANDS = 2048, /* its subcommands may be cut short */
	PB_PF_STAYS = 4096,     /* wrapper: its command runs where it does itself, but with
	                           an option that moves it, or that no table knows */
	PB_PF_ELSEWHERE = 8192, /* wrapper: its command runs in no directory that is known */
	PB_PF_NO_END = 16384,   /* "--" may end its options or not */
	PB_PF_BOOLEANS = 32768, /* "--flag true": an option's value, or an operand */
	PB_PF_ONE_DASH = 65536, /* "-name" is "--name" */
	PB_PF_AWAY = 131072,    /* wrapper: its command runs in another file system, and an
	                           allow rule for the wrapper covers it */
	PB_PF_WHOLE_TREES = 262144, /* what it reads, it reads with all below */
	PB_PF_MAKES_NOTHING = 524288, /* it puts nothing new into a file that an operand
	                                 names */
	PB_PF_WRITES_UNNAMED = 1048576, /* what it reads says which files it writes */
	PB_PF_SUBCOMMANDS = 2097152, /* some subcommand has a table */
	PB_PF_FILES_ONLY = 4194304 /* it says which files run unasked, or that it makes
	                              nothing, and no more: else it is no table */
};

/* EITHER: the next word is its value in places, or in some release */
enum pb_option_takes { PB_TAKES_NOTHING, PB_TAKES_VALUE, PB_TAKES_ATTACHED, PB_TAKES_EITHER };

enum pb_option_flag {
	PB_OF_GLOBAL = 1, /* may stand before the subcommand */
	PB_OF_CODE = 2,   /* its value, or what it makes the program do, is code */
	PB_OF_QUERY = 4,  /* the program runs nothing */
	PB_OF_MOVES = 8,  /* wrapper: its command runs in another directory, or below another
	                     root */
	PB_OF_RUNS = 16,  /* wrapper: its words are a command in spite of PB_NO_COMMAND, or
	                     without the operands before it (PB_PF_AWAY) */
	PB_OF_LEADS = 32, /* wrapper: its value is the first word of the command */
	PB_OF_READS = 64, /* its value names a file that is read */
	PB_OF_WRITES = 128, /* … that is written */
	PB_OF_SCRIPT = 256, /* … whose text is code */
	PB_OF_TREES = 512,  /* what is read is read with all below */
	PB_OF_INSTEAD = 1024, /* the first operand is none of its own kind (grep -e), or
	                         the last none (cp -t) */
	PB_OF_EDITS = 2048   /* what is read is written (sed -i) */
};

#define PB_NO_WHEN UINT32_MAX

struct pb_option {
	struct pb_str name; /* "-o", "--output", "+O"; dashes included.  One that ends
	                       in '*' stands for every option that begins so */
	uint8_t takes;      /* enum pb_option_takes */
	uint8_t zero;
	uint16_t same;      /* options of one program with one number are one option */
	uint32_t when;      /* of CODE: number in `whens`, or PB_NO_WHEN */
	uint32_t flags;     /* enum pb_option_flag */
};

/* A code place that is no option: the operand of that number, from 1, or each
 * of them ("code operand any": `vim +cmd`). */
#define PB_ANY_OPERAND UINT32_MAX
struct pb_code { uint32_t operand, when; };

/* Operands that name files.  A literal one counts where its text matches `when`. */
enum pb_place_kind { PB_PLACE_READS = 1, PB_PLACE_WRITES, PB_PLACE_SCRIPT, PB_PLACE_TREES };
#define PB_LAST_OPERAND (UINT32_MAX - 1)
#define PB_REST_OPERAND (UINT32_MAX - 2) /* all but the last */
#define PB_FROM_OPERAND 0x10000u         /* + N: from the Nth on */
struct pb_place { uint32_t kind, operand, when; };

struct pb_word { struct pb_str text; };

#define PB_NO_COMMAND 99u

/*
 * All that the levels say of one name, put together.  A subcommand has a table
 * of its own, "git rebase", behind that of "git": its options come first, then
 * those of its base, and one that both have is the base's (`same` counts on).
 */
struct pb_program {
	struct pb_str name;
	uint32_t kinds;          /* enum pb_program_kind */
	uint32_t flags;          /* enum pb_program_flag */
	uint32_t skip;           /* wrapper: operands before the command; from
	                            PB_NO_COMMAND on it has none, only code, but with an
	                            option that says so (PB_OF_RUNS) */
	uint32_t base;           /* a subcommand: 1 + number of what it is one of; 0 */
	uint32_t stems;          /* 1: the name of one of its own options ends in '*' */
	uint32_t zero;
	struct pb_table options; /* struct pb_option, by name */
	struct pb_table codes;   /* struct pb_code, by operand */
	struct pb_table places;  /* struct pb_place, by kind and operand */
	struct pb_table after;   /* struct pb_word: where commands begin (-exec) */
	struct pb_table ends;    /* struct pb_word: where they end (; +) */
	struct pb_table also;    /* struct pb_word: a subcommand: its other names */
	struct pb_table defaults; /* struct pb_word: names of files whose text it runs
	                            though no word names them; '*', at most once: any text */
};

/* A variable that an assignment before a command may set. */
struct pb_var {
	struct pb_str name; /* may end in '*' */
	uint32_t taint;     /* 1: changes what runs; 0: safe */
	uint32_t zero;
};

struct pb_pin {
	struct pb_str name, path;
	uint8_t sha256[32];
	uint32_t has_digest;
	uint32_t zero;
};

enum pb_dialect { PB_DIALECT_BASH, PB_DIALECT_POSIX, PB_DIALECT_NONE };

struct pb_commands {
	struct pb_head head;
	struct pb_table programs; /* struct pb_program, by name */
	struct pb_table vars;     /* struct pb_var, by name */
	struct pb_table pins;     /* struct pb_pin, by name */
	struct pb_table whens;    /* struct pb_automaton (offsets into this member): a
	                             text that ends in a state with a tag matches */
	uint32_t dialect;         /* enum pb_dialect */
	uint32_t zero;
	struct pb_str shell;      /* path of the program that runs lines, or empty: the
	                             dialect's own */
	struct pb_str shell_name; /* as the policy names it: "bash", "posix", "zsh" */
};

_Static_assert(sizeof(struct pb_automaton) == 56, "pb_automaton");
_Static_assert(sizeof(struct pb_state) == 12, "pb_state");
_Static_assert(sizeof(struct pb_clause) == 16, "pb_clause");
_Static_assert(sizeof(struct pb_guard) == 16, "pb_guard");
_Static_assert(sizeof(struct pb_guard_option) == 16, "pb_guard_option");
_Static_assert(sizeof(struct pb_guard_path) == 8, "pb_guard_path");
_Static_assert(sizeof(struct pb_name) == 32, "pb_name");
_Static_assert(sizeof(struct pb_needle) == 16, "pb_needle");
_Static_assert(sizeof(struct pb_gram) == 12, "pb_gram");
_Static_assert(sizeof(struct pb_regex) == 16, "pb_regex");
_Static_assert(sizeof(struct pb_matcher) == 128, "pb_matcher");
_Static_assert(sizeof(struct pb_option) == 20, "pb_option");
_Static_assert(sizeof(struct pb_code) == 8, "pb_code");
_Static_assert(sizeof(struct pb_place) == 12, "pb_place");
_Static_assert(sizeof(struct pb_program) == 88, "pb_program");
_Static_assert(sizeof(struct pb_var) == 16, "pb_var");
_Static_assert(sizeof(struct pb_pin) == 56, "pb_pin");
_Static_assert(sizeof(struct pb_commands) == 72, "pb_commands");

#endif
