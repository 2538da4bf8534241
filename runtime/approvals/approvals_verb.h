/* polquery approvals: shows the answers that polrun remembers to the person who gave
 * them. */
#ifndef RUNTIME_APPROVALS_APPROVALS_VERB_H
#define RUNTIME_APPROVALS_APPROVALS_VERB_H

#include "runtime/base/optspec.h"

extern const struct optspec_program approvals_program;
/* argv[0] is "approvals".  Returns polquery's exit status: 0; 1 if there was nothing to
 * revoke; 2. */
int approvals_verb(int argc, char **argv);

#endif
