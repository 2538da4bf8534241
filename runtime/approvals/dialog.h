/* One question at the terminal: shown, repeated until there is an answer. */
#ifndef RUNTIME_APPROVALS_DIALOG_H
#define RUNTIME_APPROVALS_DIALOG_H

#include "runtime/approvals/ask_text.h"
#include "runtime/approvals/screen.h"

struct dialog {
	/* Writes the question; false if only the details show all of it. */
	bool (*text)(struct ask_out *out, const void *arg);
	void (*details)(struct ask_out *out, const void *arg);
	const void *arg;
	bool session; /* an answer can be remembered for the session */
};

enum dialog_answer { DIALOG_NO, DIALOG_YES, DIALOG_SESSION };

/* No also if the terminal hangs up, a signal comes, or the tty's deadline passes. */
enum dialog_answer dialog_ask(struct screen *s, const struct dialog *d);

#endif
