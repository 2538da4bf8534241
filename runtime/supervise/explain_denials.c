/* Names denials on stderr.  Decides only the wording.  Everything from the command or
 * the bundle is escaped before it is printed. */
#include "runtime/supervise/explain_denials.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ENOSYS means "there is no such call", and makes the program use another call. */
static bool is_fallback(const struct denial *d)
{
	return d->err == ENOSYS;
}

static void print_denial(FILE *out, const struct bundle *b, const struct denial *e)
{
	char rule[EXPLAIN_RULE_CAP], text[100]; /* the report has the whole text */

	fprintf(out, "polrun: blocked: %s %s",
		strcmp(e->layer, "seccomp") == 0 ? "system call" : e->op, e->subject);
	if (e->count > 1)
		fprintf(out, " (%" PRIu64 " times)", e->count);
	fprintf(out, ": %s", explain_rule(b, e->rule, rule));
	if (explain_rule_reason(b, e->rule, text, sizeof(text)) ||
	    explain_rule_text(b, e->rule, text, sizeof(text)))
		fprintf(out, ": %s", text);
	fputc('\n', out);
}

void explain_denials(FILE *out, const struct bundle *b, const struct denials *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!is_fallback(&d->v[i]))
			print_denial(out, b, &d->v[i]);
	for (size_t i = 0; i < d->n; i++)
		if (is_fallback(&d->v[i]))
			print_denial(out, b, &d->v[i]);
	if (d->lost)
		fprintf(out, "polrun: blocked: %" PRIu64 " more that were not kept\n",
			d->lost);
}

void explain_denials_hint(FILE *out, const struct denials *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += !is_fallback(&d->v[i]);
	if (n + d->lost)
		fprintf(out, "polrun: something was blocked (%zu%s): --explain-denials "
			     "names it\n", n, d->lost ? " and more" : "");
}
