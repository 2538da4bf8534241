/* How rules and denials are named to people: one line each, on stderr, every
 * byte that came from the command escaped. */
#ifndef RUNTIME_SUPERVISE_EXPLAIN_H
#define RUNTIME_SUPERVISE_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/supervise/supervise.h"

#define EXPLAIN_RULE_CAP 640

/* "rule ID at FILE:LINE", or "no rule" where the number names none. */
const char *explain_rule(const struct bundle *b, uint32_t rule,
			 char out[EXPLAIN_RULE_CAP]);
/* ID and FILE:LINE alone, escaped. */
void explain_rule_id(const struct bundle *b, uint32_t rule, char *out, size_t cap);
void explain_rule_at(const struct bundle *b, uint32_t rule, char *out, size_t cap);
/* The statement on one line, or its reason; false where there is none. */
bool explain_rule_text(const struct bundle *b, uint32_t rule, char *out, size_t cap);
bool explain_rule_reason(const struct bundle *b, uint32_t rule, char *out, size_t cap);
const char *explain_level(unsigned level);
const char *explain_effect(unsigned effect);
const char *explain_risk(unsigned risk); /* a class 0..3 */
/* What decided a part of a line, where that is no rule: static text, or "". */
const char *explain_part(const struct cmd_part *p);

/* One line per denial: what was blocked, by which rule, at which file:line;
 * those that only make a program fall back to another call come last. */
void explain_denials(FILE *out, const struct bundle *b, const struct denials *d);
/* One line that points to --explain-denials, where there is something to name
 * that may be why a run failed. */
void explain_hint(FILE *out, const struct denials *d);

#endif
