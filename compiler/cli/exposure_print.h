/* Prints what `polc exposure` found, for people, programs and reviews. */
#ifndef COMPILER_CLI_EXPOSURE_PRINT_H
#define COMPILER_CLI_EXPOSURE_PRINT_H

#include "compiler/analysis/exposure.h"
#include "compiler/cli/options.h"

/* The policy under one role; the first one is without a role, or the chosen one's. */
struct exposure_side {
	struct str role; /* empty: none */
	struct exposure_result r;
};

struct exposure_show {
	const struct options *o;
	const struct exposure_where *where;
	VEC(struct exposure_side) sides;
	bool doubted; /* a bundle that may decide otherwise (loaded.h) */
};

/* The largest score of all roles. */
unsigned exposure_worst(const struct exposure_show *s);
void exposure_text(FILE *out, const struct exposure_show *s, struct arena *a);
void exposure_markdown(FILE *out, const struct exposure_show *s, struct arena *a);
void exposure_json(FILE *out, const struct exposure_show *s, struct arena *a);

#endif
