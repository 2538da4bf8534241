/* polrun's command line. */
#ifndef RUNTIME_POLRUN_POLRUN_OPTIONS_H
#define RUNTIME_POLRUN_POLRUN_OPTIONS_H

#include <stdbool.h>

#include "runtime/approvals/ask.h"
#include "runtime/base/err.h"
#include "runtime/base/optspec.h"
#include "runtime/supervise/publish.h"

enum polrun_action { OPT_RUN, OPT_PLAN, OPT_DOCTOR, OPT_HELP, OPT_VERSION };

struct polrun_options {
	enum polrun_action action;
	const char *bundle;  /* -b, */
	const char *policy;  /* -p; neither: what is found */
	const char *project;
	const char *user;
	const char *role;
	const char *report;
	const char *record;  /* --record, or NULL */
	const char *signers; /* --allowed-signers */
	bool require_signed;
	const char *line;   /* -c */
	bool stage;
	bool artifacts;
	bool explain;
	bool verbose, quiet;
	bool yes;
	enum ask_mode ask;   /* --ask; ASK_TTY if it is not given */
	const char *session; /* --session */
	const char *ask_socket; /* --ask-socket */
	struct publish_pair publish[FORWARD_GIVEN]; /* -P */
	size_t npublish;
	char **argv;        /* the command, NULL-terminated; empty with `line` */
	int argc;
};

/* Reads and opens no file.  On failure err->text says what is wrong. */
int polrun_options_parse(int argc, char **argv, struct polrun_options *ret, struct rt_err *err);
extern const struct optspec_program polrun_program;

#endif
