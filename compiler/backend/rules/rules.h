/*
 * rules.bin: the rule table, by which every other member names rules, scalars
 * and risk facts (runtime/bundle/format.h).
 */
#ifndef COMPILER_BACKEND_RULES_RULES_H
#define COMPILER_BACKEND_RULES_RULES_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_rules;

/*
 * Writes the member rules.bin again, with what `report` says about each rule
 * in its exactness and note (for --plan).  To be called after every back end's
 * check and emit, before the bundle is written; without it exactness is NONE.
 */
bool bk_rules_annotate(const struct ir *ir, const struct bk_report *report,
		       struct bk_output *out, struct diag_sink *sink);

#endif
