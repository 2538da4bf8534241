/*
 * The words for the IR's enumerations and flags: one table for dump, JSON and messages.
 */
#ifndef COMPILER_IR_WORDS_H
#define COMPILER_IR_WORDS_H

#include <stdint.h>
#include <stdio.h>

/* Indexed by number; NULL if a number has no word. */
struct ir_words {
	const char *const *v;
	unsigned n;
};

#define WORDS(name, ...)                                                       \
	const struct ir_words name = {                                         \
		(const char *const[]){ __VA_ARGS__ },                          \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)  \
	}

/* The word, or NULL. */
static inline const char *ir_word(const struct ir_words *w, uint64_t number)
{
	return number < w->n ? w->v[number] : NULL;
}

/* Prints a blank and the word for each bit that is set. */
void ir_print_flags(FILE *out, const struct ir_words *w, uint64_t bits);

extern const struct ir_words ir_words_kind, ir_words_effect, ir_words_level, ir_words_root,
	ir_words_risk, ir_words_mode, ir_words_part, ir_words_peek;
extern const struct ir_words ir_words_glob;         /* enum ir_glob_op, without bytes */
extern const struct ir_words ir_words_cmp;           /* enum ir_cmp: "==", … */
extern const struct ir_words ir_words_guard;        /* enum ir_guard_kind */
extern const struct ir_words ir_words_program;      /* enum line_program_kind */
extern const struct ir_words ir_words_program_flag; /* by bit number of enum
                                                       line_program_flag */
extern const struct ir_words ir_words_option_flag;  /* by bit number of enum
                                                       line_option_flag */
extern const struct ir_words ir_words_place;        /* enum line_place_kind */
extern const struct ir_words ir_words_takes;        /* enum line_option_takes */

#endif
