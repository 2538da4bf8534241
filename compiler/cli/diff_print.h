/*
 * Prints what a comparison found, for people, programs and reviews: `polc diff`, and
 * `polc check` against a ceiling.
 */
#ifndef COMPILER_CLI_DIFF_PRINT_H
#define COMPILER_CLI_DIFF_PRINT_H

#include "compiler/analysis/diff.h"
#include "compiler/analysis/impact.h"
#include "compiler/cli/options.h"
#include "compiler/cli/value.h"

struct diff_show {
	const struct options *o;
	const struct diff_result *r;
	const char *verdict; /* "same", "differs" or "undecided" */
	const bool *made; /* of struct compare */
	const struct ir_roots *roots; /* where they are now, of struct compare */
	const char *ceiling; /* its name, if the old policy is one; else NULL */
	const char *side[2]; /* what the two are called; NULL: old and new */
	const struct impact *impact; /* --traffic; or NULL */
};

void diff_text(FILE *out, const struct diff_show *s, struct arena *a);
/* Its texts are code, so that none is a link or a mention (diff_markdown.c). */
void diff_markdown(FILE *out, const struct diff_show *s, struct arena *a);
void diff_json(FILE *out, const struct diff_show *s, struct arena *a);
/* One page that stands alone (diff_html.c). */
void diff_html(FILE *out, const struct diff_show *s, struct arena *a);
/* The same as data. */
struct value *diff_data(const struct diff_show *s, struct arena *a);
/* What contradicts an assertion, and what is undecided. */
void diff_requests(FILE *out, const struct diff_show *s, struct arena *a);
/* What `check` says about a policy and its ceiling. */
void diff_ceiling(FILE *out, const struct diff_show *s, struct arena *a);

/* --- for all of them ------------------------------------------------------- */

/* What the finding is about: a request, or the thing that has the value. */
struct str diff_subject(struct arena *a, const struct diff_show *s,
			const struct diff_finding *f);
/* "deny by no-curl (managed, m.pol:4): final deny …", or "nothing" */
struct str diff_side_text(struct arena *a, const struct diff_said *v);
/* Why something is undecided, with its role. */
struct str diff_doubt_text(struct arena *a, const struct diff_doubt *d);
/* The value of what is no decision; it may be empty. */
struct str diff_value_text(struct arena *a, const struct diff_said *v);
/* "newly allowed" */
struct str diff_change_text(struct arena *a, enum diff_change c);
size_t diff_widenings(const struct diff_result *r);

#endif
