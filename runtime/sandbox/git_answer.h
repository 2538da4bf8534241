/* What git's own answer about its configuration (git_ask.h) adds to what was read. */
#ifndef RUNTIME_SANDBOX_GIT_ANSWER_H
#define RUNTIME_SANDBOX_GIT_ANSWER_H

#include "runtime/sandbox/git_repo.h"

/*
 * Asks git about the project's configuration, and takes each setting and each file of the
 * answer.  Call it when the files that polrun knows of have been read.  Files that only git
 * knows of are read in their turn.  Without a git that may be asked, or without its answer,
 * nothing is added: that is no error.
 */
int git_answer_take_settings(struct git_repo *g);

#endif
