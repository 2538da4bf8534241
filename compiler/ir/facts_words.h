/* The words of facts and guards that ir/ prints, writes and reads. */
#ifndef COMPILER_IR_FACTS_WORDS_H
#define COMPILER_IR_FACTS_WORDS_H

#define IR_PROGRAM_FLAGS 21

/* By the bit of enum line_program_flag. */
extern const char *const ir_program_flag_words[IR_PROGRAM_FLAGS];
/* By enum ir_guard_kind: "with", … */
extern const char *const ir_guard_words[4];
/* By enum line_place_kind: "code", … */
extern const char *const ir_place_words[5];
/* By enum line_option_takes. */
extern const char *const ir_takes_words[4];
/* "program", "wrapper", "interpreter"; NULL: not exactly one kind. */
const char *ir_program_kind_word(unsigned kind);

#endif
