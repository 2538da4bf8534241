/* What the egress gateway has told, for the report and for people. */
#ifndef RUNTIME_POLRUN_REPORT_NET_H
#define RUNTIME_POLRUN_REPORT_NET_H

#include <stdio.h>

#include "runtime/base/json.h"
#include "runtime/supervise/gateway.h"

/* The keys "connections" and "network"; `log` NULL: the run had no gateway. */
void report_net(struct json *j, const struct bundle *b, const struct gateway_log *log);
/* One line of totals, for -v. */
void report_net_totals(FILE *out, const struct gateway_log *log);
/* What was allowed and could not be reached: a few lines, after a run that failed or for -v. */
void report_net_unreached(FILE *out, const struct gateway_log *log);

#endif
