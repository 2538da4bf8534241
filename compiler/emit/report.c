/* Collects the report of a target. */
#include "compiler/emit/report.h"

#include <stdarg.h>

void emit_add(struct emit_report *r, const struct ir_place *at, bool loss, const char *fmt, ...)
{
	struct emit_note n = { .at = at && at->line ? at : NULL, .loss = loss };
	va_list ap;

	va_start(ap, fmt);
	n.text.p = arena_vprintf(r->a, &n.text.n, fmt, ap);
	va_end(ap);
	VEC_PUSH(r->a, &r->notes, n);
	r->losses += loss;
}
