/* The limits of regular expressions; what is past them is SET_REGEX_LARGE. */
#ifndef COMPILER_SETS_REGEX_LIMITS_H
#define COMPILER_SETS_REGEX_LIMITS_H

#define SET_REGEX_MAX_PATTERN 32768 /* bytes */
#define SET_REGEX_MAX_NEST 250      /* nested parentheses */
#define SET_REGEX_MAX_STATES 40000  /* after repetitions have been expanded */
#define SET_REGEX_MAX_EDGES 262144  /* of the position automaton */

#endif
