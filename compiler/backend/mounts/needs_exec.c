/*
 * Decides which lines are worth a warning where the project has no exec rule: those that
 * surely run a program of the project itself.  `make` is not among them, since it may only
 * call compilers.
 */
#include "compiler/backend/mounts/needs_exec.h"

#include "compiler/eval/eval.h"

#define BIN "${PROJECT_DIR}/node_modules"

static const struct {
	const char *line, *place;
} samples[] = {
	{ "npm test", BIN },        { "npm run test", BIN },      { "npm run build", BIN },
	{ "npm run lint", BIN },    { "yarn test", BIN },         { "pnpm test", BIN },
	{ "npx --no-install x", BIN },
	{ "node_modules/.bin/x", BIN },
	{ "cargo test", "${PROJECT_DIR}/target" },
	{ "cargo run", "${PROJECT_DIR}/target" },
	{ ".venv/bin/pytest", "${PROJECT_DIR}/.venv" },
	{ "./gradlew test", "${PROJECT_DIR}/gradlew" },
	{ "./mvnw test", "${PROJECT_DIR}/mvnw" },
	{ "./configure", "${PROJECT_DIR}" },
	{ "ctest", "${PROJECT_DIR}" },
};

/* Roots that no policy names.  Only the words of the line decide. */
static const struct ir_roots roots = { .dir = {
	[IR_ROOT_FS] = { "/", 1 },
	[IR_ROOT_HOME] = { "/home/u", 7 },
	[IR_ROOT_PROJECT] = { "/home/u/p", 9 },
	[IR_ROOT_TMP] = { "/tmp", 4 },
} };

bool needs_exec_find(const struct ir *ir, struct arena *a, struct needs_exec *ret)
{
	for (size_t i = 0; ir->line_facts && i < POL_LEN(samples); i++) {
		struct str line = str_from(samples[i].line);
		struct ir_request req = { .kind = IR_COMMAND, .scope = IR_SANDBOX, .roots = roots,
					  .line = line, .text = line,
					  .cwd = roots.dir[IR_ROOT_PROJECT] };
		struct eval_decision d;

		eval_decide(ir, &req, a, &d);
		if (d.effect != IR_ALLOW || !d.rule || d.rule->level == IR_DEFAULT ||
		    str_starts(d.rule->at.file, STR("std/")))
			continue;
		*ret = (struct needs_exec){ samples[i].line, samples[i].place, d.rule };
		return true;
	}
	return false;
}
