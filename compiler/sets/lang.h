/*
 * Turns the IR's patterns into languages: word patterns, paths, tool names.  A command
 * line is the concatenation of its words, each ended by NUL, which no word can contain.
 */
#ifndef COMPILER_SETS_LANG_H
#define COMPILER_SETS_LANG_H

#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/* Broadly, as deny and ask match, or narrowly, as allow matches. */
enum set_side { SET_BROAD, SET_NARROW };

/*
 * The lists of words that a pattern matches.  Guards are ignored, and a regex gives
 * every list: the result is never less than what the pattern matches.
 */
struct set_re *set_from_command(struct arena *a, const struct ir_command *c,
				enum set_side side);
/*
 * The same for deny and ask, with options and their possible values between any two
 * words.  The result is never less than what some reading matches, whatever options
 * there are.
 */
struct set_re *set_from_readings(struct arena *a, const struct ir_command *c);
/*
 * The lists of words in which the regular expression is found: exactly those, apart from
 * its guards.  NULL if it is not regular, or its automaton is too large.
 */
struct set_re *set_from_search(struct arena *a, const struct ir_command *c,
			       enum set_side side);
/* The directories whose programs may be called by their bare name, each with its '/'. */
struct set_re *set_trusted_dirs(struct arena *a);
/*
 * What the matcher uses to decide about commands: for deny and ask without the two
 * places.
 */
struct set_re *set_from_call(struct arena *a, const struct ir_command *c,
			     enum set_side side);
/* Only the words after the program, each ended by NUL; words[0] must be a single word. */
struct set_re *set_from_rest(struct arena *a, const struct ir_command *c,
			     enum set_side side);
/* The language of the rest of the path below the pattern's own root. */
struct set_re *set_from_path(struct arena *a, const struct ir_path *p);
/*
 * Texts that are not the rest of any path: those without a '/' in front, and those with
 * an empty component, "." or "..".  "" is a rest.
 */
struct set_re *set_no_rest(struct arena *a);
/* For whole words: tool names, abstract socket names. */
struct set_re *set_from_word(struct arena *a, const struct ir_glob *g,
			     enum set_side side);
/* How a rule of this effect matches; its exceptions match the other way. */
enum set_side set_side_of(enum ir_effect e);

/*
 * Does the whole set of `big` (minus its exceptions) contain the whole set of `small`?
 * The rules must be of one kind.  UNDECIDED counts as no, and the caller reports it.
 * If the roots differ, `small` may be at any place of its root; only the place of the
 * root "/" is known.
 */
enum set_answer set_rule_contains(struct arena *a, const struct ir_rule *big,
				  const struct ir_rule *small);

#endif
