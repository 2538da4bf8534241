/* Prints a plan for people; decides nothing and runs nothing. */
#include "runtime/polrun/preview.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/trust.h"
#include "runtime/decide/egress.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/carried.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/preview_files.h"

static void print_escaped(FILE *out, const char *s)
{
	char b[1024];

	io_escape(b, sizeof(b), s, strlen(s));
	fputs(b, out);
}

static void print_command(FILE *out, const struct preview *p)
{
	char rule[EXPLAIN_RULE_CAP];

	fputs("command   ", out);
	for (size_t i = 0; i < p->entry->argc; i++) {
		fputs(i ? " " : "", out);
		print_escaped(out, p->entry->argv[i]);
	}
	fprintf(out, "\ndecision  %s by %s\n", explain_effect(p->entry->d.effect),
		explain_rule(p->run->bundle, p->entry->d.rule, rule));
	if (p->program) {
		fputs("program   ", out);
		print_escaped(out, p->program);
		fputc('\n', out);
	} else if (p->why_not) {
		fprintf(out, "program   none: %s\n", p->why_not);
	}
}

static void print_place(FILE *out, const struct preview *p)
{
	const struct sandbox_run *r = p->run;
	char text[600];

	if (p->trust->trusted) {
		trust_describe(p->trust, text, sizeof(text));
		fprintf(out, "bundle    %s\n", text);
	}
	if (r->bundle->changes) {
		changes_line(r->bundle->changes, text, sizeof(text));
		fprintf(out, "%s\n", text);
	}
	if (r->bundle->rules->role.len) {
		struct pb_str role = r->bundle->rules->role;

		io_escape(text, sizeof(text), pb_strp(r->bundle->rules, role), role.len);
		fprintf(out, "role      %s\n", text);
	}
	fputs("project   ", out);
	print_escaped(out, r->ctx.roots.dir[PB_ROOT_PROJECT]);
	if (r->project_link) {
		fputs(" (also as ", out);
		print_escaped(out, r->project_link);
		fputc(')', out);
	}
	fputs("\nhome      ", out);
	print_escaped(out, r->ctx.roots.dir[PB_ROOT_HOME]);
	fputs("\ndirectory ", out);
	print_escaped(out, r->cwd);
	if (r->root_run)
		fputs("\nuser      a uid that owns nothing, shown as 1000", out);
	else
		fprintf(out, "\nuser      %u:%u", (unsigned)r->uid, (unsigned)r->gid);
	fputs("\n", out);
}

/* Prints 20 s, 4 GiB: the largest unit that loses nothing. */
static void print_amount(FILE *out, uint64_t v, const char *unit)
{
	static const char *const sizes[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	if (strcmp(unit, "bytes") == 0) {
		for (; v && v % 1024 == 0 && i < 4; i++)
			v /= 1024;
		unit = sizes[i];
	} else if (strcmp(unit, "ms") == 0 && v % 1000 == 0) {
		v /= 1000;
		unit = "s";
	}
	fprintf(out, "%" PRIu64 "%s%s", v, unit[0] ? " " : "", unit);
}

static void print_limits(FILE *out, const struct bundle *b)
{
	static const struct {
		const char *name, *unit, *how;
	} kinds[PB_L_COUNT] = {
		[PB_L_CPU] = { "cpu", "thousandths of a processor", "entry only" },
		[PB_L_MEMORY] = { "memory", "bytes", "RLIMIT_DATA per process" },
		[PB_L_PROCESSES] = { "processes", "", "RLIMIT_NPROC of the run" },
		[PB_L_FILES] = { "files", "", "RLIMIT_NOFILE per process" },
		[PB_L_DISK] = { "disk", "bytes", "size of the scratch trees" },
		[PB_L_TIME] = { "time", "ms", "TERM, 2 s, KILL" },
		[PB_L_OUTPUT] = { "output", "bytes", "entry only" },
		[PB_L_STDOUT] = { "stdout", "bytes", "entry only" },
		[PB_L_STDERR] = { "stderr", "bytes", "entry only" },
		[PB_L_FILE_SIZE] = { "file-size", "bytes", "RLIMIT_FSIZE per process" },
		[PB_L_WRITTEN] = { "written", "bytes", "entry only" },
	};
	char rule[EXPLAIN_RULE_CAP];

	fputs("limits\n", out);
	for (uint32_t i = 0; b->limits && i < b->limits->limits.count; i++) {
		const struct pb_limit *l =
			pb_at(b->limits, b->limits->limits, sizeof(*l), i);

		if (l->kind >= PB_L_COUNT)
			continue;
		fprintf(out, "  %-10s ", kinds[l->kind].name);
		print_amount(out, l->value, kinds[l->kind].unit);
		fprintf(out, "  %s  (%s)\n", kinds[l->kind].how,
			explain_rule(b, l->rule, rule));
	}
}

static bool same_note(const struct bundle *b, const struct pb_rule *x,
		      const struct pb_rule *y)
{
	return x->exactness == y->exactness && x->note.len == y->note.len &&
	       memcmp(pb_strp(b->rules, x->note), pb_strp(b->rules, y->note),
		      x->note.len) == 0;
}

/* Prints each way in which rules do not hold exactly, once, with the rules concerned. */
static void print_exactness(FILE *out, const struct bundle *b,
			    const struct exactness_here *here)
{
	char rule[EXPLAIN_RULE_CAP], note[512];
	uint32_t n = b->rules->rules.count;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct pb_rule *r = bundle_rule(b, i);
		uint32_t k = 0;

		if (!exactness_is_first(b, i))
			continue;
		while (k < i && !(exactness_is_first(b, k) && same_note(b, bundle_rule(b, k), r)))
			k++;
		if (k < i)
			continue;
		if (!any)
			fputs("rules that do not hold exactly\n", out);
		any = true;
		io_escape(note, sizeof(note), pb_strp(b->rules, r->note), r->note.len);
		fprintf(out, "  %s%s%s\n", exactness_word(r->exactness),
			note[0] ? ": " : "", note);
		for (k = i; k < n; k++)
			if (exactness_is_first(b, k) && same_note(b, bundle_rule(b, k), r))
				fprintf(out, "    %s\n", explain_rule(b, k, rule));
	}
	if (!any && here->n)
		fputs("rules that do not hold exactly\n", out);
	for (size_t i = 0; i < here->n; i++) {
		if (i == 0 || here->v[i].why != here->v[i - 1].why)
			fprintf(out, "  %s: %s\n", exactness_word(here->v[i].x), here->v[i].why);
		fprintf(out, "    %s\n", explain_rule(b, here->v[i].rule, rule));
	}
	if (!any && !here->n)
		fputs("every rule holds exactly\n", out);
}

/* Ports of 127.0.0.1 that are the host's inside of the run, since a rule names localhost. */
static void print_host_ports(FILE *out, const struct sandbox_run *run)
{
	const struct pb_egress *e = run->bundle->egress;
	const struct pb_class *c = pb_at(e, e->classes, sizeof(*c), egress_class(e, "localhost", 9));
	const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), c->tcp);
	unsigned from = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		const struct pb_piece *p = pb_at(e, e->pieces, sizeof(*p), l->first + i);
		char rule[EXPLAIN_RULE_CAP], to[8] = "";

		if (p->hi != from)
			(void)snprintf(to, sizeof(to), "-%u", p->hi);
		if (!p->free && p->effect != PB_DENY)
			fprintf(out, "  127.0.0.1 and ::1, port %u%s: the host's own (%s)\n", from, to,
				explain_rule(run->bundle, p->rule, rule));
		from = p->hi + 1u;
	}
}

static void print_network(FILE *out, const struct sandbox_run *run)
{
	static const char *const modes[] = {
		[PB_NET_DISABLED] = "disabled, own loopback only",
		[PB_NET_LIMITED] = "limited",
		[PB_NET_FULL] = "full, the host's network",
	};
	const struct bundle *b = run->bundle;
	unsigned mode = bundle_net_mode(b);
	char rule[EXPLAIN_RULE_CAP];

	fprintf(out, "network   %s%s%s (%s)\n", mode <= PB_NET_FULL ? modes[mode] : "?",
		run->gateway ? ", through the egress gateway" :
		mode == PB_NET_LIMITED ? ", own loopback only" : "",
		sandbox_unix_wall(run) ? ", no unix sockets but connected pairs" : "",
		explain_rule(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE, rule));
	if (run->gateway)
		print_host_ports(out, run);
}

void preview_print(FILE *out, const struct preview *p)
{
	char line[CARRIED_LINE];

	print_command(out, p);
	print_place(out, p);
	print_network(out, p->run);
	preview_files(out, p->run, p->view);
	print_limits(out, p->run->bundle);
	fputs("environment\n ", out);
	for (const char *const *e = p->run->envp; *e; e++)
		fprintf(out, " %.*s", (int)strcspn(*e, "="), *e);
	fputc('\n', out);
	carried_secrets(out, "  ", p->run->bundle);
	print_exactness(out, p->run->bundle, p->here);
	if (carried_values(p->run->bundle, line, sizeof(line)))
		fprintf(out, "%s\n", line);
	if (p->dot_git[0])
		fprintf(out, "%s\n", p->dot_git);
}
