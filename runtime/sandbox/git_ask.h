/*
 * What git itself says about its configuration: it knows where its system's file lies, what
 * GIT_CONFIG_PARAMETERS means, and syntax that a later version has.
 */
#ifndef RUNTIME_SANDBOX_GIT_ASK_H
#define RUNTIME_SANDBOX_GIT_ASK_H

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/sandbox/view_input.h"

enum { GIT_ASK_STAMP = 64 };

/* The answer of `git config --list -z --show-origin`: malloc'ed, with a NUL at its end. */
struct git_answer {
	char *text;
	size_t len;
	char stamp[GIT_ASK_STAMP + 1]; /* of all that it depends on */
};

struct git_ask {
	const struct view_in *in;
	int git;               /* the program, or -1: there is none that may be asked */
	char path[4096];
	const char *envp[300]; /* what of the environment leads git to other settings */
	size_t nenv;
};

/*
 * Finds the git of the user's PATH.  A program that a run can have written is not run by
 * polrun: it must belong to root or to the caller, and the rules must not let a run write it.
 */
void git_ask_begin(struct git_ask *a, const struct view_in *in);
void git_ask_end(struct git_ask *a);
/* Adds what the answer depends on besides files. */
void git_ask_hash(const struct git_ask *a, crypto_generichash_state *h);

/*
 * Asks git, and has it read each of the files whether its conditions for them hold or not.  A
 * repository is not looked for: its configuration is one of the files, so that no format, no
 * owner and no missing HEAD keeps git from reading it.  0, or -errno without an answer in
 * 1 second.
 */
int git_ask_now(const struct git_ask *a, char *const *files, size_t n, struct git_answer *ret);

/* The answer about this project that was kept in in->remembered; its stamp says if it counts. */
bool git_ask_kept(const struct git_ask *a, struct git_answer *ret);
/* Keeps it.  Without success the next run asks again. */
void git_ask_keep(const struct git_ask *a, const struct git_answer *answer);

#endif
