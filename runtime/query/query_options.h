/* polquery's command line. */
#ifndef RUNTIME_QUERY_QUERY_OPTIONS_H
#define RUNTIME_QUERY_QUERY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/base/optspec.h"

enum query_action { QUERY_ANSWER, QUERY_SERVE, QUERY_HOOK, QUERY_INSTALL,
		    QUERY_UNINSTALL, QUERY_DOCTOR, QUERY_HELP, QUERY_VERSION };

struct query_options {
	enum query_action action;
	const char *bundle;
	const char *socket;  /* serve */
	bool yes;            /* install, uninstall: nobody is asked */
	const char *agent;   /* hook, install, uninstall: the agent; doctor: the agent or NULL */
	const char *run;     /* hook, install: the bundle under which polrun runs what is allowed, or
	                        NULL */
	char *const *fields; /* hook: message fields to ignore; ends with NULL */
	const char *signers; /* --allowed-signers */
	bool require_signed;
	const char *record;  /* answers, serve, hook: the file of --record, or NULL */
	const char *format;  /* doctor: the format as given, or NULL */
	bool json;           /* … true if the format is json */
	uint8_t scope;       /* enum pb_scope, for requests that name no scope */
};

/* Reads and opens no file.  On failure err->text says what is wrong. */
int query_options_parse(int argc, char **argv, struct query_options *ret,
			struct rt_err *err);
extern const struct optspec_program polquery_program;

#endif
