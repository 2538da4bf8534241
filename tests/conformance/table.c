/*
 * Runs the table of semantics 3: every request of table.txt in each of its
 * worlds, and then asks whether the table is still the table that it says it
 * is: every step, level pair, effect, kind and mark has to decide somewhere.
 *   table FILE BINARIES DIR   (DIR: an empty folder for the rows' files)
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/compiled.h"
#include "tests/conformance/table.h"

enum { EVALUATOR, ARTEFACT, KERNEL, WORLDS };

static const char *const worlds[] = { "evaluator", "artefact", "kernel" };

static struct {
	unsigned long passed, failed, rows, in[WORLDS], errors;
	struct table_seen seen;
} sum;

static void judge(const struct table_row *row, const struct table_request *q,
		  int world, const char *why)
{
	sum.in[world]++;
	if (!why) {
		sum.passed++;
		return;
	}
	sum.failed++;
	printf("FAIL table.txt:%u %s: %s: '%s' in the %s: %s\n", q ? q->line : row->line,
	       "row", row->name, q ? q->text : "(compiling)", worlds[world], why);
}

static void run_request(struct table_world *w, const struct table_request *q)
{
	struct ir_request req;
	const char *why = table_evaluator(w, q, &req, &sum.seen);

	sum.rows++;
	judge(w->row, q, EVALUATOR, why);
	if (why || !w->has_bundle || !compiled_answers(w->c.ir, &req))
		return;
	judge(w->row, q, ARTEFACT, table_artefact(w, q, &req));
	if (q->kernel)
		judge(w->row, q, KERNEL, table_kernel(w, q, &req));
}

static void run_row(const struct table_row *row, const char *dir, const char *bin)
{
	struct table_world w;
	struct arena a;
	const char *why;
	size_t i;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	why = table_open(&w, &a, row, dir, bin);
	if (why || row->error) {
		sum.errors += row->error != NULL;
		sum.rows += row->error != NULL;
		judge(row, NULL, EVALUATOR, why);
	}
	for (i = 0; !why && i < row->requests.n; i++)
		run_request(&w, &row->requests.v[i]);
	table_close(&w);
	arena_release(&a);
}

/* --- is it still the table? ------------------------------------------------------ */

static void need(const char *what, const char *name, unsigned long n,
		 unsigned long least)
{
	printf("%s %s: %lu\n", what, name, n);
	if (n >= least) {
		sum.passed++;
		return;
	}
	printf("FAIL the table has too little of %s %s: %lu, not %lu\n", what, name, n,
	       least);
	sum.failed++;
}

static void coverage(void)
{
	const struct table_seen *s = &sum.seen;
	char name[64];
	int i, k;

	for (i = 0; i < EVAL_STEP_COUNT; i++)
		need("step", eval_step_name((enum eval_step)i), s->step[i], 1);
	for (i = 0; i < IR_EFFECT_COUNT; i++)
		need("effect", ir_effect_name((enum ir_effect)i), s->effect[i], 1);
	for (i = 0; i < IR_KIND_COUNT; i++)
		need("kind", ir_kind_name((enum ir_kind)i), s->kind[i], 1);
	for (i = IR_MANAGED; i < IR_DEFAULT; i++)
		for (k = i + 1; k < IR_LEVEL_COUNT; k++) {
			snprintf(name, sizeof(name), "%s, %s",
				 ir_level_name((enum ir_level)i),
				 ir_level_name((enum ir_level)k));
			need("levels", name, s->pair[i][k], 1);
		}
	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "%s, %s, %s",
			 i & 1 ? "final" : "not final", i & 2 ? "locked" : "not locked",
			 i & 4 ? "narrow-only" : "full");
		need("marks", name, s->marks[i & 1][(i >> 1) & 1][i >> 2], 1);
	}
	need("defaults", "lifted", s->lifted, 3);
	need("asks", "soft", s->soft, 3);
	need("asks", "for a person", s->person, 3);
	need("rules", "of scratch", s->scratch, 2);
	need("statements", "dropped", s->dropped, 3);
	need("rows", "in all", sum.rows, 80);
	need("rows", "that are errors", sum.errors, 10);
	need("world", worlds[EVALUATOR], sum.in[EVALUATOR], 80);
	need("world", worlds[ARTEFACT], sum.in[ARTEFACT], 80);
	need("world", worlds[KERNEL], sum.in[KERNEL], 25);
}

int main(int argc, char **argv)
{
	struct table t;
	char dir[4096];
	size_t i;

	if (argc != 4) {
		fputs("usage: table FILE BINARIES DIR\n", stderr);
		return 2;
	}
	umask(022);
	arena_init(&t.a, ARENA_DEFAULT_BUDGET);
	if (!table_read(&t, argv[1]))
		return 2;
	for (i = 0; i < t.rows.n; i++) {
		snprintf(dir, sizeof(dir), "%s/%u", argv[3], t.rows.v[i].line);
		run_row(&t.rows.v[i], dir, argv[2]);
	}
	coverage();
	arena_release(&t.a);
	printf("%lu passed, %lu failed, 0 skipped\n", sum.passed, sum.failed);
	return sum.failed ? 1 : 0;
}
