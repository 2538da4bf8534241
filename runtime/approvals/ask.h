/*
 * Who answers an ask: -y, an answer that is remembered for the session, a person at the
 * terminal, or nobody.  Every part of a line that asks needs an answer.  Asks that only
 * a person may answer (of a managed rule without `may yes`, and of `opaque`) are asked
 * every time.
 */
#ifndef RUNTIME_APPROVALS_ASK_H
#define RUNTIME_APPROVALS_ASK_H

#include "runtime/entry/entry.h"

struct sandbox_ahead;

enum ask_mode {
	ASK_TTY,  /* a person at the terminal answers */
	ASK_DENY, /* nobody answers: denied */
	ASK_FAIL, /* nobody answers: polrun fails */
};

/* Bits: who gave an answer, whatever it was. */
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
	bool plan;           /* only show what would happen: nobody is asked */
	const char *session; /* --session, or NULL: the session of the terminal */
	const char *dir;     /* the state directory (approvals.h) */
	struct sandbox_ahead *ahead; /* ended before a person is asked; may be NULL */
	const char *path;    /* the caller's PATH, or NULL */
};

/*
 * 0 if the run may continue.  Otherwise polrun's exit status with the reason in err:
 * 126 if it was denied, or asked and not answered; 125 for the same under ASK_FAIL.
 * *ret_by is always set.
 */
int ask_verdict(const struct ask *in, unsigned *ret_by, struct rt_err *err);

#endif
