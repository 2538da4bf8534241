/* polquery's command line. */
#ifndef RUNTIME_QUERY_QUERY_OPTIONS_H
#define RUNTIME_QUERY_QUERY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/base/optspec.h"

enum query_action { QUERY_ANSWER, QUERY_SERVE, QUERY_HOOK, QUERY_DOCTOR, QUERY_HELP,
		    QUERY_VERSION };

struct query_options {
	enum query_action action;
	const char *bundle;
	const char *socket;  /* serve */
	const char *agent;   /* hook; doctor: or NULL */
	char *const *fields; /* hook: of messages, to be ignored; ends with NULL */
	const char *signers; /* --allowed-signers */
	bool require_signed;
	const char *format;  /* doctor: as it was given, or NULL */
	bool json;           /* … and it is that */
	uint8_t scope;       /* enum pb_scope, of requests that say none */
};

/* Nothing is read or opened.  On failure err->text says what is wrong. */
int query_options_parse(int argc, char **argv, struct query_options *ret,
			struct rt_err *err);
extern const struct optspec_program polquery_program;

#endif
