/* polquery left: what runs have left, for the person who is to look at it. */
#ifndef RUNTIME_CLI_QUERY_LEFT_H
#define RUNTIME_CLI_QUERY_LEFT_H

#include "runtime/base/optspec.h"

extern const struct optspec_program left_program;
/* argv[0] is "left".  polquery's exit status: 0; 1 nothing was acknowledged; 2. */
int query_left(int argc, char **argv);
/* One line where anything waits, or cannot be told. */
void query_left_note(void);

#endif
