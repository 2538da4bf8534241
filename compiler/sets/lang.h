/*
 * From the IR's patterns to languages: word patterns, paths, tool names.
 * A command line is the concatenation of its words, each ended by NUL, which
 * no word can hold.
 */
#ifndef COMPILER_SETS_LANG_H
#define COMPILER_SETS_LANG_H

#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/* As deny and ask match (broadly), or as allow matches (narrowly). */
enum set_side { SET_BROAD, SET_NARROW };

/*
 * The word lists of a pattern.  Its guards are not looked at, and of a regex it
 * is every list: never less than what the pattern matches.
 */
struct set_re *set_from_command(struct arena *a, const struct ir_command *c,
				enum set_side side);
/*
 * As deny and ask match, and with options and what may be their values between any
 * two words: never less than what some reading matches, whatever options there are.
 */
struct set_re *set_from_readings(struct arena *a, const struct ir_command *c);
/* As the matcher asks about commands: without the two places for deny and ask. */
struct set_re *set_from_call(struct arena *a, const struct ir_command *c,
			     enum set_side side);
/* The words behind the program only, each ended by NUL.  words[0] is one word. */
struct set_re *set_from_rest(struct arena *a, const struct ir_command *c,
			     enum set_side side);
/* Over the rest of the path under the pattern's own root. */
struct set_re *set_from_path(struct arena *a, const struct ir_path *p);
/*
 * Texts that are the rest of no path: what has no '/' in front, an empty
 * component, "." or "..".  "" is a rest.
 */
struct set_re *set_no_rest(struct arena *a);
/* Over whole words: tool names, abstract socket names. */
struct set_re *set_from_word(struct arena *a, const struct ir_glob *g,
			     enum set_side side);
/* The side on which a rule of this effect matches; its exceptions take the other. */
enum set_side set_side_of(enum ir_effect e);

/*
 * Does the whole set of `big` (its exceptions taken off) contain the whole
 * set of `small`?  Rules of one kind.  UNDECIDED counts as no and is
 * reported by the caller.  Different roots: small under any place of its
 * root; a root's place is unknown but for "/".
 */
enum set_answer set_rule_contains(struct arena *a, const struct ir_rule *big,
				  const struct ir_rule *small);

#endif
