/* Texts that are made of the tables of options (runtime/base/optspec.h). */
#ifndef DOC_MAN_MANUAL_H
#define DOC_MAN_MANUAL_H

#include <stdio.h>

#include "runtime/base/optspec.h"

/* The verbs and options of a program as roff, for @OPTIONS@ of its page. */
void manual_options(FILE *out, const struct optspec_program *p);

/* How a value is completed. */
enum manual_value { MANUAL_NOTHING, MANUAL_FILE, MANUAL_DIR, MANUAL_WORDS };
/* `words` gets those of MANUAL_WORDS with a blank between. */
enum manual_value manual_value(const struct optspec *o, char *words, size_t cap);

/* The completions of its verbs, options and values. */
void manual_bash(FILE *out, const struct optspec_program *p);
void manual_zsh(FILE *out, const struct optspec_program *p);
void manual_fish(FILE *out, const struct optspec_program *p);
/* Is what stands behind the options a command (polrun)? */
bool manual_runs(const struct optspec_program *p);

#endif
