/*
 * Policies and requests by hand for the tests of the reference evaluator:
 * patterns from texts, one rule a call, and what the evaluator says.  All
 * live in the arena of fixture.h.
 */
#ifndef TESTS_UNIT_EVAL_FIXTURE_H
#define TESTS_UNIT_EVAL_FIXTURE_H

#include <errno.h>

#include "compiler/eval/eval.h"
#include "compiler/eval/request.h"
#include "compiler/lower/line_facts.h"
#include "tests/lib/literal_part.h"
#include "tests/unit/fixture.h"

/* --- building -------------------------------------------------------------- */

/* "*" "?" are wildcards, "**" is DEEP, "**" and "/" at a component DIRS, "{a|b}". */
static inline struct ir_glob glob_until(const char **p, const char *stop)
{
	struct { VEC(struct ir_glob_item) v; } to = { .v = { NULL, 0, 0 } };

	while (**p && !strchr(stop, **p)) {
		struct ir_glob_item it = { .op = IR_G_BYTE, .byte = (uint8_t)**p };
		bool start = !to.v.n || VEC_LAST(&to.v)->byte == '/';

		if (strncmp(*p, "**/", 3) == 0 && start) {
			it = (struct ir_glob_item){ .op = IR_G_DIRS, .byte = '/' };
			*p += 2;
		} else if (strncmp(*p, "**", 2) == 0) {
			it = (struct ir_glob_item){ .op = IR_G_DEEP };
			*p += 1;
		} else if (**p == '*' || **p == '?') {
			it.op = **p == '*' ? IR_G_STAR : IR_G_ONE;
			it.byte = 0;
		} else if (**p == '{') {
			it = (struct ir_glob_item){ .op = IR_G_ALT };
			it.alts = arena_array(&arena, 8, sizeof(*it.alts));
			do {
				(*p)++;
				it.alts[it.nalts++] = glob_until(p, "|}");
			} while (**p == '|');
		}
		VEC_PUSH(&arena, &to.v, it);
		(*p)++;
	}
	return (struct ir_glob){ to.v.v, to.v.n };
}

static inline struct ir_glob glob(const char *text)
{
	return glob_until(&text, "");
}

/* "git push:*"; "rm *" sets `more` where `broad`. */
static inline struct ir_set command(const char *text, bool broad)
{
	struct ir_set s = { 0 };
	struct ir_command *c = &s.u.command;
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;
	size_t n = strlen(copy);

	c->text = str_from(text);
	c->words = arena_array(&arena, 32, sizeof(*c->words));
	if (n > 2 && strcmp(copy + n - 2, ":*") == 0) {
		copy[n - 2] = '\0';
		c->tail = true;
	}
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		c->words[c->nwords].any_words = strcmp(word, "**") == 0;
		if (!c->words[c->nwords].any_words)
			c->words[c->nwords].glob = glob(word);
		c->more = broad && !c->tail && strcmp(word, "*") == 0;
		c->nwords++;
	}
	return s;
}

static inline struct ir_set file(enum ir_root root, const char *rest, unsigned ops,
				 bool below)
{
	struct ir_set s = { 0 };

	s.u.file.ops = ops;
	s.u.file.path = (struct ir_path){ .root = root, .glob = glob(rest),
					  .below = below, .text = str_from(rest) };
	return s;
}

static inline struct ir_rule *rule(struct ir *ir, enum ir_level level, enum ir_effect e,
				   enum ir_kind kind, struct ir_set set)
{
	struct ir_rule *r = ARENA_NEW(ir->a, struct ir_rule);

	r->index = (uint32_t)ir->rules.n;
	r->id = str_printf(ir->a, "r%u", r->index);
	r->at = (struct ir_place){ STR("t.pol"), r->index + 1, 1, SPAN_NONE };
	r->text = STR("rule");
	r->level = level;
	r->effect = e;
	r->kind = kind;
	r->set = set;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	if (kind == IR_SYSCALL && e == IR_DENY)
		r->err = EPERM;
	VEC_PUSH(ir->a, &ir->rules, r);
	return r;
}

static inline struct ir_rule *cmd(struct ir *ir, enum ir_level level, enum ir_effect e,
				  const char *pattern)
{
	return rule(ir, level, e, IR_COMMAND, command(pattern, e != IR_ALLOW));
}

static inline void except(struct ir_rule *r, struct ir_set s)
{
	struct ir_set *v = arena_array(&arena, r->nexcept + 1, sizeof(*v));

	for (size_t i = 0; i < r->nexcept; i++)
		v[i] = r->except[i];
	v[r->nexcept] = s;
	r->except = v;
	r->nexcept++;
}

static inline void lifted_by(struct ir_rule *r, const struct ir_rule *by)
{
	r->lifted_by = arena_dup(&arena, &by->index, sizeof(by->index));
	r->nlifted_by = 1;
}

/* --- asking ------------------------------------------------------------------ */

static inline struct ir_request base_request(enum ir_kind kind)
{
	return (struct ir_request){
		.kind = kind, .scope = IR_SANDBOX, .cwd = STR("/home/dev/app"),
		.roots.dir = { [IR_ROOT_FS] = STR("/"), [IR_ROOT_HOME] = STR("/home/dev"),
			       [IR_ROOT_PROJECT] = STR("/home/dev/app"),
			       [IR_ROOT_TMP] = STR("/tmp") },
	};
}

static inline struct eval_decision ask(const struct ir *ir, const struct ir_request *q)
{
	struct ir whole = *ir;
	struct eval_decision d;

	whole.line_facts = lower_line_facts(ir, &arena, NULL);
	eval_decide(&whole, q, &arena, &d);
	return d;
}

static inline struct ir_request line(const char *text)
{
	struct ir_request q = base_request(IR_COMMAND);
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;

	q.argv = arena_array(&arena, 64, sizeof(*q.argv));
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		q.argv[q.nargv++] = str_from(word);
	return q;
}

static inline struct eval_decision run(const struct ir *ir, const char *text)
{
	struct ir_request q = line(text);

	return ask(ir, &q);
}

static inline struct eval_decision op(const struct ir *ir, enum ir_op o, const char *path)
{
	struct ir_request q = base_request(IR_FILE);

	q.op = o;
	q.path = str_from(path);
	return ask(ir, &q);
}

/* The words one by one: what the analysis of lines may add is not asked. */
static inline bool matches(enum ir_effect e, const char *pattern, const char *text)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_PROJECT, e, pattern);
	struct ir_request q = line(text);

	return literal_match(r, &q);
}

static inline bool path_matches(const char *pattern, bool below, const char *path)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = rule(ir, IR_PROJECT, IR_DENY, IR_FILE,
				 file(IR_ROOT_FS, pattern, IR_READ, below));
	struct ir_request q = base_request(IR_FILE);

	q.op = IR_READ;
	q.path = str_from(path);
	return eval_rule_matches(r, &q);
}

#define assert_effect(d, e) assert_string_equal(ir_effect_name((d).effect), ir_effect_name(e))
#define assert_step(d, s) assert_string_equal(eval_step_name((d).step), eval_step_name(s))

#endif
