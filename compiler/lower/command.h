/* Patterns of commands: command.c, their guards (guard.c) and regexes (regex.c). */
#ifndef COMPILER_LOWER_COMMAND_H
#define COMPILER_LOWER_COMMAND_H

#include "compiler/lower/internal.h"

/* Guards of a statement, which all of its patterns have. */
struct lower_guards {
	VEC(struct ir_guard) v;
};

/* False after an error. */
bool lower_guards(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  struct lower_guards *ret);
/*
 * A broad pattern whose option words become guards; several patterns where a
 * word is an option or not.  False where there are too many.
 */
bool lower_option_words(struct lower *l, const struct ir_command *c,
			struct lower_sets *into);
/* What one pattern denotes goes to `into`; false after an error. */
bool lower_command_pattern(struct lower *l, const struct ast_value *v,
			   enum lower_side side, const struct lower_guards *guards,
			   struct lower_sets *into);
/* The exceptions of a statement as sets; false after an error. */
bool lower_command_except(struct lower *l, const struct ast_stmt *stmt,
			  enum lower_side side, struct ir_set **ret, size_t *ret_n);

/*
 * Reports a regex that PCRE2 refuses or that is too large.  One that is no
 * regular language is `opaque`; NULL: an error.  `flags`: more set_regex_flag.
 */
bool lower_regex(struct lower *l, const struct ast_value *v, unsigned flags,
		 bool *ret_opaque);
bool lower_regex_flag(const struct ast_value *v, char flag);
/* `when /…/` of a code place; NULL: there is none. */
void lower_when_regex(struct lower *l, const struct ast_value *v, struct ir_when *ret);

#endif
