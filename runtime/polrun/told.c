/* Decides what is said before a run and after it: a run that works and was not blocked says
 * nothing. */
#include "runtime/polrun/told.h"

#include <inttypes.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/blame.h"
#include "runtime/polrun/carried.h"
#include "runtime/polrun/fetches.h"
#include "runtime/polrun/limit_hit.h"
#include "runtime/polrun/network.h"
#include "runtime/polrun/outside.h"
#include "runtime/polrun/published.h"
#include "runtime/polrun/read_only.h"
#include "runtime/polrun/report_net.h"
#include "runtime/supervise/explain_denials.h"

/* Findings of the change statement; `polc inspect` shows all that there are. */
#define CHANGES_SHOWN 5

/* What is true of the bundle whatever a run does.  A run that works says none of it: check
 * and compile have said it.  These may be the reason why a run failed. */
static void lacks(const struct told *t)
{
	network_say(t->notes, t->run);
	carried_secrets(t->notes, "polrun: ", t->run->bundle);
	if (t->dot_git[0])
		fprintf(t->notes, "polrun: %s\n", t->dot_git);
}

/* Whoever can write an unsigned bundle can write any statement into it. */
static void say_changes(const struct told *t)
{
	const struct changes *c = t->run->bundle->changes;

	if (!c)
		return;
	if (!t->trust->trusted)
		fputs("polrun: the bundle is not signed: anybody may have written its change "
		      "statement\n", stderr);
	changes_print(stderr, c, "polrun: ", CHANGES_SHOWN);
}

void told_begin(const struct told *t)
{
	const struct bundle *b = t->run->bundle;
	char sum[200], line[CARRIED_LINE];

	if (t->verbose) {
		say_changes(t);
		exactness_summary(b, t->here, sum, sizeof(sum));
		if (sum[0])
			fprintf(stderr, "polrun: %s: see --plan\n", sum);
		if (carried_values(b, line, sizeof(line)))
			fprintf(stderr, "polrun: %s\n", line);
		lacks(t);
	}
	read_only_say(t->notes, t->run, t->view);
}

/* A line between those of a program that draws on the terminal would spoil its picture. */
static bool draws(void)
{
	struct termios t;

	return tcgetattr(STDERR_FILENO, &t) == 0 && !(t.c_lflag & ICANON);
}

static bool say_off(void *arg)
{
	const struct told *t = arg;

	if (draws())
		return false;
	network_off_say(t->notes, t->run);
	(void)fflush(t->notes);
	return true;
}

void told_arm(const struct told *t, struct unreached *u, bool report)
{
	u->eager = fetches(t->entry);
	u->always = report;
	u->say = say_off;
	u->arg = (void *)(uintptr_t)t;
}

static void unpublished_note(const struct told *t, uint16_t port)
{
	char way[800];

	fprintf(t->notes, "polrun: the command listens on port %u, which nobody outside reaches: %s\n", port,
		published_way(t->run->bundle, port, way, sizeof(way)));
	(void)fflush(t->notes);
}

static bool say_unpublished(void *arg, uint16_t port)
{
	if (draws())
		return false;
	unpublished_note(arg, port);
	return true;
}

void told_arm_unpublished(const struct told *t, struct unpublished *u)
{
	u->say = say_unpublished;
	u->arg = (void *)(uintptr_t)t;
}

/* A process outside has changed the name of a wall. */
static void lost_wall(FILE *out, const struct bundle *b, const struct sandbox_wall *w)
{
	static const char *const what[] = {
		[SANDBOX_WALL_MOUNT] = "was moved, replaced or removed",
		[SANDBOX_WALL_ABSENT] = "was made",
		[SANDBOX_WALL_LINK] = "was made to lead elsewhere",
		[SANDBOX_WALL_NAME] = "was given to what the run could write",
	};
	char path[300], rule[EXPLAIN_RULE_CAP];

	io_escape(path, sizeof(path), w->path, strlen(w->path));
	fprintf(out, "polrun: run ended: outside of it %s %s, so that it was no longer kept "
		"there (%s)\n",
		path, what[w->kind], explain_rule(b, w->rule, rule));
}

static void blame(const struct told *t)
{
	const struct blame b = {
		.run = t->run, .view = t->view, .entry = t->entry,
		.exit_code = t->result->exit_code, .verbose = t->verbose,
		.recorded = t->run->trace, .terminal = isatty(STDERR_FILENO),
		.project = t->project, .offline = t->unreached->n != 0,
	};

	if (b.exit_code <= 0 || t->result->status == 0)
		return;
	blame_say(t->notes, &b);
	outside_say(t->notes, t->run, t->entry);
}

void told_end(const struct told *t)
{
	const struct supervise_result *r = t->result;
	const struct bundle *b = t->run->bundle;
	const struct explain_how how = { .asked = t->run->trace, .verbose = t->verbose,
					 .failed = r->status != 0, .view = t->view };

	limit_say(stderr, t->notes, b, r);
	if (r->wall)
		lost_wall(stderr, b, r->wall);
	if (how.failed && t->unreached->n && !t->unreached->told)
		network_off_say(t->notes, t->run);
	if (t->unpublished->port && !t->unpublished->told)
		unpublished_note(t, t->unpublished->port);
	explain_denials(how.asked ? stderr : t->notes, b, &r->denials, &how);
	if ((how.failed || t->verbose) && t->gateway)
		report_net_unreached(t->notes, t->gateway);
	blame(t);
	if (r->status != 0 && !t->verbose)
		lacks(t);
}

void told_totals(const struct told *t)
{
	const struct supervise_result *r = t->result;
	uint64_t blocked = r->denials.lost;

	for (size_t i = 0; i < r->denials.n; i++)
		blocked += r->denials.v[i].count;
	fprintf(stderr, "polrun: status %d after %" PRIu64 " ms: %" PRIu64 " ms of processor time, "
		"%" PRIu64 " KiB in the largest process, %" PRIu64 " %s blocked\n", r->status,
		r->wall_ms, r->cpu_ms, r->memory_peak_bytes / 1024, blocked,
		blocked == 1 ? "request" : "requests");
	if (t->gateway)
		report_net_totals(stderr, t->gateway);
}
