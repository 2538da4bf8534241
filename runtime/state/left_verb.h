/* polquery left: shows what runs have left to the person who should look at it. */
#ifndef RUNTIME_STATE_LEFT_VERB_H
#define RUNTIME_STATE_LEFT_VERB_H

#include "runtime/base/optspec.h"

extern const struct optspec_program left_program;
/* argv[0] is "left".  Returns polquery's exit status: 0; 1 if nothing was acknowledged;
 * 2. */
int left_verb(int argc, char **argv);
/* Prints one line if anything is waiting, or if it cannot be found out. */
void left_note(void);

#endif
