/* One compilation: what the passes (passes.h) have made of its sources so far. */
#ifndef COMPILER_CLI_COMPILATION_H
#define COMPILER_CLI_COMPILATION_H

#include "compiler/backend/common/backend.h"
#include "compiler/cli/options.h"
#include "compiler/diag/diag.h"
#include "compiler/sema/sema.h"
#include "compiler/source/source.h"

struct compilation {
	const struct options *o;
	struct arena *a;
	struct source_map map;
	struct diag_sink sink;
	VEC(struct ast_file *) trees; /* after "parse" */
	struct sema sema;
	struct ir *ir;            /* after "lower" */
	struct bk_report report;  /* what the back ends report */
	struct bk_output out;     /* what they emitted */
	const char *internal;     /* what is broken, if the exit status is 70 */
};

#endif
