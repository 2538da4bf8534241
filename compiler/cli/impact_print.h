/* Prints what a change does to recorded requests, as parts of what diff_print.h prints. */
#ifndef COMPILER_CLI_IMPACT_PRINT_H
#define COMPILER_CLI_IMPACT_PRINT_H

#include <stdio.h>

#include "compiler/analysis/impact.h"
#include "compiler/cli/value.h"

/* "seen in 14 of 4,821 recorded requests, such as: command 'git push'", or "never seen";
 * of what is not counted it says so. */
struct str impact_share_text(struct arena *a, const struct impact *im,
			     const struct impact_share *s);
/* {"requests": 14, "example": […]}; null requests: they are not counted. The words are those that `explain` takes. */
struct value *impact_share_data(struct arena *a, const struct impact_share *s);
/* Lines about all requests, and about those that no finding explains. */
void impact_text(FILE *out, const struct impact *im, struct arena *a);
/* The same as one text. */
struct str impact_lines(struct arena *a, const struct impact *im);
struct value *impact_data(struct arena *a, const struct impact *im);

#endif
