/* How rules, and what decided, are named to people. All bytes from the bundle are
 * escaped. Nothing is allocated. */
#ifndef RUNTIME_DECIDE_RULE_TEXT_H
#define RUNTIME_DECIDE_RULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/decide/decide.h"

#define EXPLAIN_RULE_CAP 640

/* What to name for this rule or scalar, which decided: where nobody wrote `network
 * otherwise`, the line that chose the mode is what a person looks for. */
uint32_t explain_named(const struct bundle *b, uint32_t rule);

/* "rule ID at FILE:LINE", or "no rule" if there is no rule with this number. */
const char *explain_rule(const struct bundle *b, uint32_t rule,
			 char out[EXPLAIN_RULE_CAP]);
/* ID and FILE:LINE alone, escaped. */
void explain_rule_id(const struct bundle *b, uint32_t rule, char *out, size_t cap);
void explain_rule_at(const struct bundle *b, uint32_t rule, char *out, size_t cap);
/* The statement on one line, or its reason. false: there is none. */
bool explain_rule_text(const struct bundle *b, uint32_t rule, char *out, size_t cap);
bool explain_rule_reason(const struct bundle *b, uint32_t rule, char *out, size_t cap);
const char *explain_level(unsigned level);
const char *explain_effect(unsigned effect);
const char *explain_risk(unsigned risk); /* a class 0..3 */
/* "command", "file", "net", "unparsed". */
const char *explain_part_kind(const struct cmd_part *p);
/* What decided a part of a line, if it was not a rule: static text, or "". */
const char *explain_part(const struct cmd_part *p);
/* The last component of the part's program; NULL: the line does not say it literally. */
const char *explain_program(const struct cmd_part *p, size_t *ret_n);

#endif
