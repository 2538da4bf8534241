/* Prints a plan for people; decides nothing and runs nothing. */
#include "runtime/cli/plan.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/trust.h"
#include "runtime/supervise/explain.h"

static const char *const exactness[] = {
	[PB_X_NONE] = NULL,   [PB_X_EXACT] = NULL,
	[PB_X_OVER] = "over", [PB_X_UNDER] = "under",
	[PB_X_ENTRY_ONLY] = "entry only", [PB_X_ADVISORY] = "advisory",
};

/* A statement that is many rules is one for people: same id, same place. */
bool plan_same_statement(const struct bundle *b, uint32_t i, uint32_t k)
{
	const struct pb_rule *a = bundle_rule(b, i), *c = bundle_rule(b, k);

	if (!a || !c)
		return a == c;
	return a->line == c->line && a->id.len == c->id.len &&
	       memcmp(pb_strp(b->rules, a->id), pb_strp(b->rules, c->id), a->id.len) ==
		       0;
}

bool plan_is_first(const struct bundle *b, uint32_t i)
{
	const struct pb_rule *r = bundle_rule(b, i);

	for (uint32_t k = i; k-- > 0;) {
		const struct pb_rule *p = bundle_rule(b, k);

		if (!plan_same_statement(b, k, i))
			return true; /* a statement's rules stand together */
		if (p->exactness == r->exactness)
			return false;
	}
	return true;
}

void plan_summary(const struct bundle *b, const struct plan_here *here, char *out,
		  size_t cap)
{
	/* as `polc check` says it of the standard library */
	static const struct {
		unsigned x;
		const char *one, *many;
	} words[] = {
		{ PB_X_ENTRY_ONLY, "holds at entry only", "hold at entry only" },
		{ PB_X_UNDER, "forbids less than it says", "forbid less than they say" },
		{ PB_X_ADVISORY, "holds as advice only", "hold as advice only" },
		{ PB_X_OVER, "forbids more than it says", "forbid more than they say" },
	};
	unsigned n[PB_X_ADVISORY + 1] = { 0 };
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(b, i);

		if (r->exactness <= PB_X_ADVISORY && exactness[r->exactness] &&
		    plan_is_first(b, i))
			n[r->exactness]++;
	}
	n[PB_X_OVER] += (unsigned)here->n;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && at < cap; i++) {
		unsigned c = n[words[i].x];
		const char *noun = c == 1 ? "rule " : "rules ";

		if (c)
			at += (size_t)snprintf(out + at, cap - at, "%s%u %s%s",
					       at ? ", " : "", c, at ? "" : noun,
					       c == 1 ? words[i].one : words[i].many);
	}
}

static void print_escaped(FILE *out, const char *s)
{
	char b[1024];

	io_escape(b, sizeof(b), s, strlen(s));
	fputs(b, out);
}

static void print_command(FILE *out, const struct plan *p)
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

static void print_place(FILE *out, const struct plan *p)
{
	const struct sandbox_run *r = p->run;
	char text[600];

	if (p->trust->trusted) {
		trust_describe(p->trust, text, sizeof(text));
		fprintf(out, "bundle    %s\n", text);
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

/* 20 s, 4 GiB: the largest unit that loses nothing. */
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

static bool is_inexact(const struct bundle *b, uint32_t i)
{
	const struct pb_rule *r = bundle_rule(b, i);

	return r->exactness <= PB_X_ADVISORY && exactness[r->exactness] &&
	       plan_is_first(b, i);
}

/* Each way of not holding exactly once, with the rules that it is true of. */
static void print_exactness(FILE *out, const struct bundle *b,
			    const struct plan_here *here)
{
	char rule[EXPLAIN_RULE_CAP], note[512];
	uint32_t n = b->rules->rules.count;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct pb_rule *r = bundle_rule(b, i);
		uint32_t k = 0;

		if (!is_inexact(b, i))
			continue;
		while (k < i && !(is_inexact(b, k) && same_note(b, bundle_rule(b, k), r)))
			k++;
		if (k < i)
			continue;
		if (!any)
			fputs("rules that do not hold exactly\n", out);
		any = true;
		io_escape(note, sizeof(note), pb_strp(b->rules, r->note), r->note.len);
		fprintf(out, "  %s%s%s\n", exactness[r->exactness],
			note[0] ? ": " : "", note);
		for (k = i; k < n; k++)
			if (is_inexact(b, k) && same_note(b, bundle_rule(b, k), r))
				fprintf(out, "    %s\n", explain_rule(b, k, rule));
	}
	if (!any && here->n)
		fputs("rules that do not hold exactly\n", out);
	for (size_t i = 0; i < here->n; i++) {
		if (i == 0 || here->v[i].why != here->v[i - 1].why)
			fprintf(out, "  over: %s\n", here->v[i].why);
		fprintf(out, "    %s\n", explain_rule(b, here->v[i].rule, rule));
	}
	if (!any && !here->n)
		fputs("every rule holds exactly\n", out);
}

static void print_network(FILE *out, const struct sandbox_run *run)
{
	static const char *const modes[] = {
		[PB_NET_DISABLED] = "disabled, own loopback only",
		[PB_NET_LIMITED] = "limited, own loopback as the rules say, nothing leaves",
		[PB_NET_FULL] = "full, the host's network",
	};
	const struct bundle *b = run->bundle;
	unsigned mode = bundle_net_mode(b);
	char rule[EXPLAIN_RULE_CAP];

	fprintf(out, "network   %s%s (%s)\n", mode <= PB_NET_FULL ? modes[mode] : "?",
		sandbox_unix_wall(run) ? ", no unix sockets but connected pairs" : "",
		explain_rule(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE, rule));
}

void plan_print(FILE *out, const struct plan *p)
{
	print_command(out, p);
	print_place(out, p);
	print_network(out, p->run);
	plan_print_files(out, p);
	print_limits(out, p->run->bundle);
	fputs("environment\n ", out);
	for (const char *const *e = p->run->envp; *e; e++)
		fprintf(out, " %.*s", (int)strcspn(*e, "="), *e);
	fputc('\n', out);
	print_exactness(out, p->run->bundle, p->here);
}
