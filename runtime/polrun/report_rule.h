/* A rule as the report writes it: id, level, file, line, text. */
#ifndef RUNTIME_POLRUN_REPORT_RULE_H
#define RUNTIME_POLRUN_REPORT_RULE_H

#include "runtime/base/json.h"
#include "runtime/bundle/reader.h"

/* null if there is no rule with this number. */
void report_rule(struct json *j, const char *key, const struct bundle *b, uint32_t rule);

#endif
