/* Prints what `polc diff` found, for people, programs and reviews. */
#ifndef COMPILER_CLI_DIFF_PRINT_H
#define COMPILER_CLI_DIFF_PRINT_H

#include "compiler/analysis/diff.h"
#include "compiler/cli/options.h"

struct diff_show {
	const struct options *o;
	const struct diff_result *r;
	const char *verdict; /* "same", "differs" or "undecided" */
	/* roots that exist only for this comparison, so that there are requests at all */
	bool made[IR_ROOT_COUNT];
};

void diff_text(FILE *out, const struct diff_show *s, struct arena *a);
void diff_markdown(FILE *out, const struct diff_show *s, struct arena *a);
void diff_json(FILE *out, const struct diff_show *s, struct arena *a);

#endif
