/* Decides when records that wait are sent. */
#include "runtime/egress/gate_report.h"

static const struct timeval tick = { 0, RECORD_TICK_MS * 1000 };

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct gate_report *g = arg;

	(void)fd, (void)what;
	record_tick(&g->record);
	if (record_waits(&g->record))
		(void)event_add(&g->tick, &tick);
}

void gate_report_init(struct gate_report *g, struct event_base *base, int fd)
{
	record_init(&g->record, fd);
	(void)evtimer_assign(&g->tick, base, on_tick, g);
}

void gate_report_add(struct gate_report *g, const struct gate_record *rec)
{
	record_add(&g->record, rec);
	/* also if nothing waits: the rate is by the tick */
	if (!evtimer_pending(&g->tick, NULL))
		(void)event_add(&g->tick, &tick);
}
