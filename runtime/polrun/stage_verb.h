/* polrun review, commit, discard: acts on what a staged run has written. */
#ifndef RUNTIME_POLRUN_STAGE_VERB_H
#define RUNTIME_POLRUN_STAGE_VERB_H

#include <stdbool.h>

/* Is it the name of one of the verbs? */
bool stage_verb_is(const char *word);
/*
 * argv[0] is the verb; then options, an ID and, for commit, paths.  Returns polrun's exit
 * status: 0; 1 something was, or would be, refused; 125 trouble.
 */
int stage_verb(int argc, char **argv);

#endif
