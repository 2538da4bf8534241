/* Words what a run has come to: a wall that was lost, the totals. */
#include "runtime/polrun/told.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"

void told_wall(FILE *out, const struct bundle *b, const struct sandbox_wall *w)
{
	static const char *const what[] = {
		[SANDBOX_WALL_MOUNT] = "was moved, replaced or removed",
		[SANDBOX_WALL_ABSENT] = "was made",
		[SANDBOX_WALL_LINK] = "was made to lead elsewhere",
	};
	char path[300], rule[EXPLAIN_RULE_CAP];

	io_escape(path, sizeof(path), w->path, strlen(w->path));
	fprintf(out, "polrun: run ended: outside of it %s %s, so that it was no longer kept "
		"there (%s)\n",
		path, what[w->kind], explain_rule(b, w->rule, rule));
}

void told_totals(FILE *out, const struct supervise_result *r)
{
	uint64_t blocked = r->denials.lost;

	for (size_t i = 0; i < r->denials.n; i++)
		blocked += r->denials.v[i].count;
	fprintf(out, "polrun: status %d after %" PRIu64 " ms: %" PRIu64 " ms of processor time, "
		"%" PRIu64 " KiB in the largest process, %" PRIu64 " %s blocked\n", r->status,
		r->wall_ms, r->cpu_ms, r->memory_peak_bytes / 1024, blocked,
		blocked == 1 ? "request" : "requests");
}
