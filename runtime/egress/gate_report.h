/* Sends records (gate_record.h) as time passes: the part that needs a clock. */
#ifndef RUNTIME_EGRESS_GATE_REPORT_H
#define RUNTIME_EGRESS_GATE_REPORT_H

#include <event2/event.h>
#include <event2/event_struct.h>

#include "runtime/egress/gate_record.h"

struct gate_report {
	struct record record;
	struct event tick;
};

void gate_report_init(struct gate_report *g, struct event_base *base, int fd);
void gate_report_add(struct gate_report *g, const struct gate_record *rec);

#endif
