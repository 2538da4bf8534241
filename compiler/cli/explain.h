/* Prints the answer of `polc explain`, for people and for programs. */
#ifndef COMPILER_CLI_EXPLAIN_H
#define COMPILER_CLI_EXPLAIN_H

#include "compiler/cli/explain_answer.h"

void explain_text(FILE *out, const struct explain_answer *e);
void explain_json(FILE *out, const struct explain_answer *e);

#endif
