/*
 * rules.bin: the rule table.  All other members name rules, scalars and risk facts
 * by its records (runtime/bundle/format.h).
 */
#ifndef COMPILER_BACKEND_RULES_RULES_H
#define COMPILER_BACKEND_RULES_RULES_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_rules;

/*
 * Writes the member rules.bin again, with what `report` says about each rule
 * in its exactness and note (for --plan).  Call it after every back end's check and
 * emit, before the bundle is written.  Without this call exactness is NONE.
 */
bool bk_rules_annotate(const struct ir *ir, const struct bk_report *report,
		       struct bk_output *out, struct diag_sink *sink);

#endif
