/* polquery left: what runs have left, for the person who is to look at it. */
#ifndef RUNTIME_STATE_LEFT_VERB_H
#define RUNTIME_STATE_LEFT_VERB_H

#include "runtime/base/optspec.h"

extern const struct optspec_program left_program;
/* argv[0] is "left".  polquery's exit status: 0; 1 nothing was acknowledged; 2. */
int left_verb(int argc, char **argv);
/* One line where anything waits, or cannot be told. */
void left_note(void);

#endif
