/* matcher.bin, which decides commands, paths and tools. Part of format.h. */
#ifndef RUNTIME_BUNDLE_FORMAT_MATCHER_H
#define RUNTIME_BUNDLE_FORMAT_MATCHER_H

#include "runtime/base/automaton.h"
#include "runtime/base/record.h"

/*
 * Commands. One pattern with its guards is a clause; the tags of command automata are
 * numbers of clauses. The exceptions of a rule or fact follow its own clause. Automata
 * are grouped by the program's name. Those of a name read the words after the program,
 * each ended by NUL.
 */
#define PB_NO_RULE UINT32_MAX
#define PB_NO_WORDS UINT32_MAX

struct pb_clause {
	uint32_t rule;     /* a rule, a risk fact, or PB_NO_RULE (for `inert`) */
	uint8_t except;    /* 1: an exception: what the clause before it does not match */
	uint8_t broad;     /* 1: matches like deny and ask, 0: like allow */
	uint8_t regex;     /* 1: it is searched in the joined words */
	uint8_t sure;      /* 1: broad, and its sure matches decide (a deny, an exception
	                      of an allow); for other broad clauses only possible matches
	                      count */
	uint32_t guard, nguards; /* all of them must hold */
};

enum pb_guard_kind { PB_G_WITH, PB_G_WITHOUT, PB_G_WITH_ONLY, PB_G_WITHIN };

struct pb_guard {
	uint32_t kind;
	uint32_t first, count; /* index into guard_options, for WITHIN into guard_paths */
	uint32_t zero;
};

struct pb_guard_option {
	struct pb_str name;  /* exactly, with its dashes; or, with `names`, as written in
	                        the policy */
	uint32_t names;      /* automaton of `words`, or PB_NO_WORDS */
	uint32_t values;     /* automaton for its value, ended by NUL, or PB_NO_WORDS */
};

/* In pb_guard_path.root: the path is the root itself, with all that is below it. */
#define PB_PATH_WHOLE_ROOT 256u
struct pb_guard_path {
	uint32_t root;  /* enum pb_root, perhaps with PB_PATH_WHOLE_ROOT */
	uint32_t words; /* automaton over the rest of a path under that root */
};

/*
 * The automata of a program's name: commands[narrow] … and commands[broad] …; all of them
 * are asked. Number 0 is for every program without a name of its own: its automata begin
 * with the program. Narrow ones read it as its name ("/" if an allow must not trust the
 * word), its place under the project and its absolute place ("=PLACE", or nothing); broad
 * ones read its base name. Number 1 holds the regular expressions, over the words joined
 * by blanks. A name that ends in ":/" is for patterns "name:*", for programs whose name
 * goes on after the ':'.
 */
#define PB_NAME_ANY 0u
#define PB_NAME_REGEX 1u
#define PB_NAME_FIRST 2u

struct pb_name {
	struct pb_str name;
	uint32_t narrow, nnarrow, broad, nbroad;
	/* this many of them, at the end, are rare: they say nothing about words that do
	 * not hold their needle */
	uint32_t narrow_rare, broad_rare;
};

/* What a rare automaton matches, whatever the other words after the program are. */
enum pb_needle_flag {
	PB_NF_WORD = 1, /* some word that holds the needle, in any position */
	PB_NF_TEXT = 2  /* every word that holds the needle */
};

/*
 * A text that lies within some word of everything that the automaton matches. Each rare
 * automaton has one; they are in the same order.
 */
struct pb_needle {
	struct pb_str text; /* not empty, without NUL and \1 */
	uint32_t automaton; /* of `commands`; it has one tag */
	uint16_t gram;      /* offset in the text of the bytes by which it is found */
	uint16_t flags;     /* enum pb_needle_flag */
};

/* The needles that are found by these bytes: needle_order[first] and the following. */
struct pb_gram {
	uint32_t bytes; /* PB_GRAM bytes, the first one lowest; all bytes of a shorter
	                   text */
	uint32_t first, count;
};

#define PB_GRAM 4u
#define PB_MAX_NEEDLE 255u

/* The gram of a text of n bytes; at most PB_GRAM bytes count. */
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

/* A regular expression that is not an automaton: PCRE2 decides. */
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
	struct pb_table slots;    /* uint32_t, their number is a power of two: the number
	                             of the name whose pb_hash() leads here, or to a slot
	                             before it that is taken; 0: free */
	struct pb_table guards;   /* struct pb_guard */
	struct pb_table guard_options; /* struct pb_guard_option */
	struct pb_table guard_paths;   /* struct pb_guard_path */
	struct pb_table words;    /* struct pb_automaton: a text matches if it ends in a
	                             state with a tag */
	struct pb_table regexes;  /* struct pb_regex */
	struct pb_table needles;  /* struct pb_needle */
	struct pb_table needle_order; /* uint32_t: needles, ordered by their bytes */
	struct pb_table grams;    /* struct pb_gram, their number is a power of two or 0:
	                             pb_gram_hash() leads here, or to a slot before it
	                             that is taken; bytes 0: free */
	uint32_t max_states;      /* the most states of an automaton in `commands` */
	uint32_t gram_sizes;      /* bit n - 1: some needle is found by a gram of n
	                             bytes */
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
