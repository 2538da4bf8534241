/* matcher.bin, by which commands, paths and tools are decided.  Part of format.h. */
#ifndef RUNTIME_BUNDLE_FORMAT_MATCHER_H
#define RUNTIME_BUNDLE_FORMAT_MATCHER_H

#include "runtime/base/automaton.h"
#include "runtime/base/record.h"

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

_Static_assert(sizeof(struct pb_clause) == 16, "pb_clause");
_Static_assert(sizeof(struct pb_guard) == 16, "pb_guard");
_Static_assert(sizeof(struct pb_guard_option) == 16, "pb_guard_option");
_Static_assert(sizeof(struct pb_guard_path) == 8, "pb_guard_path");
_Static_assert(sizeof(struct pb_name) == 32, "pb_name");
_Static_assert(sizeof(struct pb_needle) == 16, "pb_needle");
_Static_assert(sizeof(struct pb_gram) == 12, "pb_gram");
_Static_assert(sizeof(struct pb_regex) == 16, "pb_regex");
_Static_assert(sizeof(struct pb_matcher) == 128, "pb_matcher");

#endif
