/*
 * Policies of one rule, each with a request that a known step decides.  The laws
 * take them in turn, so that a short run of a law meets every step, level, effect
 * and kind for certain: chance alone may miss the rare ones.
 */
#ifndef TESTS_PROP_LAW_ROWS_H
#define TESTS_PROP_LAW_ROWS_H

#include "compiler/eval/eval.h"
#include "tests/prop/random_pol.h"

struct pol_row {
	enum pol_slot slot;
	const char *text;
	struct ir_request request; /* its roots and its words are filled in */
	enum eval_step step;
	enum ir_effect effect;
	enum ir_level level; /* of the rule that decides; 0: no rule does */
};

/* Those about commands come first: a law may take them alone. */
static const struct pol_row law_rows[] = {
	{ POL_MANAGED, "command { final deny \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_FINAL, IR_DENY, IR_MANAGED },
	{ POL_MANAGED, "command { deny \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_RULES, IR_DENY, IR_MANAGED },
	{ POL_MANAGED_FILE, "command { ask \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_RULES, IR_ASK, IR_MANAGED_FILE },
	{ POL_PROJECT, "command { allow \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_RULES, IR_ALLOW, IR_PROJECT },
	{ POL_USER, "command { deny \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_RULES, IR_DENY, IR_USER },
	{ POL_BASE, "command { deny \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_DEFAULT, IR_DENY, IR_DEFAULT },
	{ POL_FLOOR, "command { deny \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_FLOOR, IR_DENY, IR_DEFAULT },
	{ POL_BASE, "command { allow \"a\" }", { .kind = IR_COMMAND },
	  EVAL_STEP_BASE_ALLOW, IR_ALLOW, IR_DEFAULT },
	{ POL_USER, "command { otherwise ask }", { .kind = IR_COMMAND },
	  EVAL_STEP_OTHERWISE, IR_ASK, 0 },
	{ POL_USER, "command { otherwise by risk { low allow medium deny high deny critical deny } }",
	  { .kind = IR_COMMAND }, EVAL_STEP_RISK, IR_DENY, 0 },
	{ POL_USER, "command { opaque deny }", { .kind = IR_COMMAND, .unparsed = true },
	  EVAL_STEP_OPAQUE, IR_DENY, 0 },
#define LAW_ROWS_OF_COMMANDS 11
	{ POL_USER, "file { hide \"/s\" }", { .kind = IR_FILE, .op = IR_READ, .path = { "/s", 2 } },
	  EVAL_STEP_RULES, IR_HIDE, IR_USER },
	/* the name that a mount gives to a file of its tree */
	{ POL_USER, "file { mount \"/a\" at \"/m\" read  deny read \"/a/x\" }",
	  { .kind = IR_FILE, .op = IR_READ, .path = { "/m/x", 4 } },
	  EVAL_STEP_RULES, IR_DENY, IR_USER },
	{ POL_USER, "unix { deny \"@a\" }",
	  { .kind = IR_UNIX, .abstract = true, .path = { "a", 1 } },
	  EVAL_STEP_RULES, IR_DENY, IR_USER },
	{ POL_USER, "tools { ask \"a\" }", { .kind = IR_TOOL, .tool = { "a", 1 } },
	  EVAL_STEP_RULES, IR_ASK, IR_USER },
	{ POL_USER, "network disabled",
	  { .kind = IR_NET, .is_addr = true, .proto = IR_TCP, .port = 80, .addr = { 0x20, 1 } },
	  EVAL_STEP_MODE, IR_DENY, 0 },
	{ POL_USER, "network limited { allow tcp any }",
	  { .kind = IR_NET, .is_addr = true, .proto = IR_TCP, .port = 80,
	    .addr = { [10] = 0xff, 0xff, 10, 0, 0, 1 } },
	  EVAL_STEP_GUARD, IR_DENY, 0 },
	{ POL_USER, "syscall { deny getppid }", { .kind = IR_SYSCALL, .nr = 9999 },
	  EVAL_STEP_UNKNOWN, IR_DENY, 0 },
};

/* The texts of a row; the files that the other levels may name are there. */
static inline struct pol law_row_texts(struct pol_gen *g)
{
	struct pol p = { .role = NULL };
	int s;

	g->locked = 0;
	for (s = 0; s < POL_SLOTS; s++) {
		bool own = s == (int)g->row->slot;

		if (own || s >= POL_BASE)
			p.text[s] = arena_printf(g->r.a, "group @g%d = getppid\n%s\n", s,
						 own ? g->row->text : "role r1 { }\nrole r2 { }");
	}
	return p;
}

/* The row's own request for the first one of a case, else the one that was drawn. */
static inline struct ir_request law_request(const struct pol_gen *g, int i,
					    struct ir_request drawn)
{
	struct str *word = ARENA_NEW(g->r.a, struct str);
	struct ir_request q;

	if (i || !g->row)
		return drawn;
	*word = STR("a");
	q = g->row->request;
	q.argv = word;
	q.nargv = 1;
	q.scope = IR_SANDBOX;
	q.cwd = STR("/p");
	q.roots.dir[IR_ROOT_FS] = STR("/");
	q.roots.dir[IR_ROOT_HOME] = STR("/h");
	q.roots.dir[IR_ROOT_PROJECT] = STR("/p");
	return q;
}

#endif
