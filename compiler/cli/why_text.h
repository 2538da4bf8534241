/*
 * The smallest pattern of the language for one request: it names the request, and what the
 * language cannot tell apart from it.
 */
#ifndef COMPILER_CLI_WHY_TEXT_H
#define COMPILER_CLI_WHY_TEXT_H

#include "compiler/ir/ir.h"
#include "runtime/line/command.h"

struct why_pattern {
	struct str section; /* "command", "file", … */
	struct str verb;    /* what stands behind the effect: "read " in file rules */
	struct str text;    /* the pattern, in quotes where it needs them */
	struct str rest;    /* behind it: " port 443" */
	bool open;          /* the request has words that are not known: so has the pattern */
};

/* For anything but commands.  False: no pattern can be written for it. */
bool why_pattern_request(struct arena *a, const struct ir_request *req, struct why_pattern *ret);
/* For one simple command of a line. */
bool why_pattern_command(struct arena *a, const struct ir *ir, const struct ir_request *req,
			 const struct cmd_part *p, struct why_pattern *ret);

#endif
