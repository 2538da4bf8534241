/*
 * What becomes of an ask: -y, an answer that is remembered for the session, a
 * person at the terminal, or nobody.  Every part of a line that asks has to be
 * answered, and asks that only a person may answer (a managed rule's without
 * `may yes`, and those of `opaque`) are asked each time.
 */
#ifndef RUNTIME_APPROVALS_ASK_H
#define RUNTIME_APPROVALS_ASK_H

#include "runtime/entry/entry.h"

struct sandbox_ahead;

enum ask_mode {
	ASK_TTY,  /* a person, at the terminal */
	ASK_DENY, /* nobody: denied */
	ASK_FAIL, /* nobody: polrun fails */
};

/* Bits: who was asked for an answer and gave one, whatever it was. */
enum ask_by {
	ASK_BY_YES = 1 << 0,     /* -y */
	ASK_BY_MODE = 1 << 1,    /* permissions.mode */
	ASK_BY_SESSION = 1 << 2, /* a remembered answer */
	ASK_BY_PERSON = 1 << 3,  /* at the terminal */
};

struct ask {
	const struct decide_ctx *ctx;
	const struct entry *entry;
	enum ask_mode mode;
	bool yes;            /* -y */
	bool plan;           /* only what would be: nobody is asked */
	const char *session; /* --session, or NULL: the terminal's */
	const char *dir;     /* the state directory (approvals.h) */
	struct sandbox_ahead *ahead; /* or NULL: given up before a person is asked */
	const char *path;    /* the caller's PATH, or NULL */
};

/*
 * 0 where the run may go on; else polrun's exit status with the reason in err:
 * 126 denied, or asked and not answered; 125 the same under ASK_FAIL.  *ret_by is
 * set in each case.
 */
int ask_verdict(const struct ask *in, unsigned *ret_by, struct rt_err *err);

#endif
