/* Prints a plan for people; decides nothing and runs nothing. */
#include "runtime/cli/plan.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/supervise/explain.h"

static const char *const exactness[] = {
	[PB_X_NONE] = NULL,   [PB_X_EXACT] = NULL,
	[PB_X_OVER] = "over", [PB_X_UNDER] = "under",
	[PB_X_ENTRY_ONLY] = "entry only", [PB_X_ADVISORY] = "advisory",
};

/* A statement that is many rules is one for people: same id, same place. */
static bool same_statement(const struct bundle *b, const struct pb_rule *a,
			   const struct pb_rule *c)
{
	return a->line == c->line && a->id.len == c->id.len &&
	       memcmp(pb_strp(b->rules, a->id), pb_strp(b->rules, c->id), a->id.len) ==
		       0;
}

/* Whether rule i is the first of its statement with its exactness. */
bool plan_is_first(const struct bundle *b, uint32_t i)
{
	const struct pb_rule *r = bundle_rule(b, i);

	for (uint32_t k = i; k-- > 0;) {
		const struct pb_rule *p = bundle_rule(b, k);

		if (!same_statement(b, p, r))
			return true; /* a statement's rules stand together */
		if (p->exactness == r->exactness)
			return false;
	}
	return true;
}

void plan_summary(const struct bundle *b, char *out, size_t cap)
{
	static const struct {
		unsigned x;
		const char *how;
	} words[] = {
		{ PB_X_ENTRY_ONLY, "at entry only" },
		{ PB_X_UNDER, "under" },
		{ PB_X_ADVISORY, "as advice only" },
		{ PB_X_OVER, "over" },
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
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && at < cap; i++) {
		unsigned c = n[words[i].x];
		const char *noun = c == 1 ? "rule holds " : "rules hold ";

		if (c)
			at += (size_t)snprintf(out + at, cap - at, "%s%u %s%s",
					       at ? ", " : "", c, at ? "" : noun,
					       words[i].how);
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

static void print_node(FILE *out, const struct bundle *b, const struct sandbox_node *n)
{
	char ops[40] = "", rule[EXPLAIN_RULE_CAP];
	uint32_t why = n->rule[0];

	if (n->scratch)
		(void)snprintf(ops, sizeof(ops), "scratch");
	else if (n->masked || !n->ops)
		(void)snprintf(ops, sizeof(ops), n->masked ? "hidden" : "nothing");
	else
		(void)snprintf(ops, sizeof(ops), "%s%s%s", n->ops & PB_READ ? "read " : "",
			       n->ops & PB_WRITE ? "write " : "",
			       n->ops & PB_EXEC ? "exec" : "");
	fprintf(out, "  %-16s ", ops);
	print_escaped(out, n->path);
	if (n->ops & PB_WRITE)
		why = n->rule[1];
	else if (n->ops & PB_EXEC)
		why = n->rule[2];
	if (bundle_rule(b, why))
		fprintf(out, "  (%s)", explain_rule(b, why, rule));
	/* Somebody said that it is not writable: that is what one looks for. */
	if (!(n->ops & PB_WRITE) && !n->scratch && bundle_rule(b, n->rule[1]) &&
	    bundle_rule(b, n->rule[1])->kind == PB_FILE && n->rule[1] != why)
		fprintf(out, "  not writable by %s", explain_rule(b, n->rule[1], rule));
	if (n->scratch)
		fputs("  what is written there is lost", out);
	if (n->absent && !n->scratch)
		fputs("  does not exist", out);
	if (n->forced_ro)
		fprintf(out, "  read-only because of %s",
			explain_rule(b, n->forced_by, rule));
	fputc('\n', out);
}

static void print_files(FILE *out, const struct plan *p)
{
	char rule[EXPLAIN_RULE_CAP];

	fputs("files\n", out);
	for (size_t i = 0; i < p->view->n; i++)
		print_node(out, p->run->bundle, &p->view->nodes[i]);
	for (size_t i = 0; i < p->view->ncreatable; i++) {
		fputs("  may appear       ", out);
		print_escaped(out, p->view->creatable[i].path);
		fprintf(out, "  (%s)\n",
			explain_rule(p->run->bundle, p->view->creatable[i].rule, rule));
	}
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
		[PB_L_MEMORY] = { "memory", "bytes", "RLIMIT_AS per process" },
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

static void print_exactness(FILE *out, const struct bundle *b)
{
	char rule[EXPLAIN_RULE_CAP], note[512];

	fputs("rules that do not hold exactly\n", out);
	for (uint32_t i = 0; i < b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(b, i);

		if (r->exactness > PB_X_ADVISORY || !exactness[r->exactness] ||
		    !plan_is_first(b, i))
			continue;
		io_escape(note, sizeof(note), pb_strp(b->rules, r->note), r->note.len);
		fprintf(out, "  %-10s %s%s%s\n", exactness[r->exactness],
			explain_rule(b, i, rule), note[0] ? ": " : "", note);
	}
}

/* The mode is a scalar like every other: its record says it. */
static void print_network(FILE *out, const struct bundle *b)
{
	for (uint32_t i = 0; i < b->rules->scalar_count; i++) {
		const struct pb_rule *r = bundle_rule(b, b->rules->scalar_first + i);
		char rule[EXPLAIN_RULE_CAP];

		if (r && r->id.len == 12 &&
		    memcmp(pb_strp(b->rules, r->id), "network-mode", 12) == 0)
			fprintf(out, "network   disabled, own loopback only (%s)\n",
				explain_rule(b, b->rules->scalar_first + i, rule));
	}
}

void plan_print(FILE *out, const struct plan *p)
{
	print_command(out, p);
	print_place(out, p);
	print_network(out, p->run->bundle);
	print_files(out, p);
	print_limits(out, p->run->bundle);
	fputs("environment\n ", out);
	for (const char *const *e = p->run->envp; *e; e++)
		fprintf(out, " %.*s", (int)strcspn(*e, "="), *e);
	fputc('\n', out);
	print_exactness(out, p->run->bundle);
}
