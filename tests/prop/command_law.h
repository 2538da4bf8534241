/* What the laws about command lines share: random policies of three levels, the evaluator's
 * answer to a line, and what has been met. */
#ifndef TESTS_PROP_COMMAND_LAW_H
#define TESTS_PROP_COMMAND_LAW_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/cli/compiled.h"
#include "compiler/cli/passes.h"
#include "compiler/eval/line.h"
#include "tests/prop/random_line.h"

static char dir[] = "/tmp/pol-lines.XXXXXX";
static uint64_t first_seed;
static unsigned long runs;
static struct {
	unsigned long lines, asked, refused, compiled, effect[IR_EFFECT_COUNT],
		step[EVAL_PS_COUNT], why[5], stricter, rewritten, patterns, names, made;
} seen;

/* --- policies ------------------------------------------------------------------------- */

static const char *const names[] = { "m.pol", "p.pol", "u.pol" };
static const enum ir_level levels[] = { IR_MANAGED, IR_PROJECT, IR_USER };

/* The passes over up to three texts; false where they are refused. */
static inline bool compile(struct compilation *c, struct options *o, struct arena *a,
		    const char *const text[3])
{
	enum cli_exit e;
	size_t i;

	*o = (struct options){ .created = -1, .scope = IR_SANDBOX, .verb = CLI_COMPILE };
	for (i = 0; i < 3; i++) {
		const char *path = arena_printf(a, "%s/%s", dir, names[i]);
		struct sema_input in = { .path = path, .name = str_from(names[i]),
					 .level = levels[i], .cmdline_level = true };
		FILE *f = text[i] ? fopen(path, "we") : NULL;

		if (!text[i])
			continue;
		assert_non_null(f);
		assert_true(fputs(text[i], f) >= 0);
		assert_int_equal(fclose(f), 0);
		VEC_PUSH(a, &o->inputs, in);
	}
	compilation_init(c, o, a);
	e = passes_run(c, NULL);
	if (e == CLI_INTERNAL)
		fail_msg("%s", c->internal);
	if (e != CLI_CLEAN && getenv("SHOW"))
		diag_render(stdout, &c->sink, &c->map, false);
	seen.compiled += e == CLI_CLEAN;
	seen.refused += e != CLI_CLEAN;
	return e == CLI_CLEAN;
}
static inline void random_policy(struct rnd *r, const char *text[3])
{
	text[0] = rnd_one_in(r, 3) ? line_policy(r, true) : NULL;
	text[1] = line_policy(r, false);
	text[2] = rnd_one_in(r, 2) ? line_policy(r, false) : NULL;
}

/* --- questions -------------------------------------------------------------------------- */

static inline struct ir_request request(const char *line)
{
	return (struct ir_request){
		.kind = IR_COMMAND, .scope = IR_SANDBOX, .cwd = STR("/home/dev/app"),
		.roots.dir = { [IR_ROOT_FS] = STR("/"), [IR_ROOT_HOME] = STR("/home/dev"),
			       [IR_ROOT_PROJECT] = STR("/home/dev/app"),
			       [IR_ROOT_TMP] = STR("/tmp") },
		.line = str_from(line), .text = str_from(line),
	};
}

static inline struct eval_decision ask(const struct ir *ir, const char *line, struct arena *a)
{
	struct ir_request q = request(line);
	struct eval_decision d;
	size_t i;

	eval_decide(ir, &q, a, &d);
	seen.lines++;
	seen.effect[d.effect]++;
	seen.why[d.line->why]++;
	for (i = 0; i < d.line->nparts; i++)
		seen.step[d.line->parts[i].step]++;
	return d;
}

static inline void show(const char *const text[3], const char *line, unsigned long run)
{
	size_t i;

	for (i = 0; i < 3; i++)
		if (text[i])
			printf("--- %s\n%s", names[i], text[i]);
	printf("line: %s\nSEED=%llu RUNS=1\n", line,
	       (unsigned long long)(first_seed + run));
}

#endif
