/*
 * Simple commands by hand, as the analysis would give them: words from a text,
 * with roles and options that a program has which no table names.
 */
#ifndef TESTS_UNIT_PART_FIXTURE_H
#define TESTS_UNIT_PART_FIXTURE_H

#include "compiler/eval/part.h"
#include "tests/unit/eval_fixture.h"

#define PART_ANY_ROLE (CMD_W_OPTION | CMD_W_VALUE | CMD_W_OPERAND | CMD_W_END)

static struct cmd_dir part_dir = { "/home/dev/app", NULL };
static const struct line_facts part_facts;
static const struct cmd_world part_world = { &part_facts, "/home/dev/app", "/home/dev",
					     "/home/dev/app", true };

/* "a$b" is any text between a and b, "@" any words, "*" names of files, "~" HOME. */
static inline struct sh_word *part_word(const char *z)
{
	struct sh_word *w = ARENA_NEW(&arena, struct sh_word);
	struct sh_seg *s = &w->seg;
	bool first = true;

	while (*z || first) {
		size_t n = strcspn(z, "$@*~");

		if (!first) {
			s->next = ARENA_NEW(&arena, struct sh_seg);
			s = s->next;
		}
		first = false;
		*s = (struct sh_seg){ .kind = SH_LIT, .p = z, .n = (uint32_t)n };
		if (!n && *z) {
			s->kind = *z == '$' ? SH_ANY : *z == '@' ? SH_MULTI :
				  *z == '*' ? SH_GLOB : SH_HOME;
			n = s->n = 1;
		}
		z += n;
	}
	return w;
}

static inline void part_option(struct cmd_part *p, const char *name, size_t n,
			       uint32_t word, enum cmd_how how, bool sure)
{
	struct cmd_option *o = ARENA_NEW(&arena, struct cmd_option), **at = &p->options;
	const char *eq = memchr(name, '=', n);

	*o = (struct cmd_option){ .name = name, .name_n = (uint32_t)n, .word = word,
				  .how = how, .sure = sure, .given = how != CMD_O_ANY };
	if (eq) {
		o->name_n = (uint32_t)(eq - name);
		o->value = eq + 1;
		o->value_n = (uint32_t)(name + n - o->value);
	}
	while (*at)
		at = &(*at)->next;
	*at = o;
}

/* Each word by its first bytes; "-abc" may be one option or three. */
static inline void part_read(struct cmd_part *p, uint32_t i)
{
	const struct sh_word *w = p->words[i].w;
	const char *z = w->seg.p;
	size_t n = w->seg.n, k;

	if (w->seg.kind == SH_HOME && (!w->seg.next || w->seg.next->kind == SH_LIT)) {
		p->words[i].roles = CMD_W_OPERAND;
	} else if (!sh_is_literal(w)) {
		p->words[i].roles = PART_ANY_ROLE;
		part_option(p, "", 0, i, CMD_O_ANY, false);
	} else if (n == 2 && memcmp(z, "--", 2) == 0) {
		p->words[i].roles = CMD_W_END;
	} else if (n > 1 && z[0] == '-') {
		p->words[i].roles = CMD_W_OPTION;
		part_option(p, z, n, i, CMD_O_EXACT, n == 2 || z[1] == '-');
		for (k = 1; k < n && n > 2 && z[1] != '-'; k++)
			part_option(p, arena_printf(&arena, "-%c", z[k]), 2, i,
				    CMD_O_EXACT, false);
	} else {
		p->words[i].roles = CMD_W_OPERAND;
	}
}

static inline struct cmd_part *part_of(const char *text)
{
	struct cmd_part *p = ARENA_NEW(&arena, struct cmd_part);
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;

	*p = (struct cmd_part){ .kind = CMD_COMMAND, .dirs = &part_dir };
	p->words = arena_array(&arena, 64, sizeof(*p->words));
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		p->words[p->nwords].w = part_word(word);
		if (p->nwords)
			part_read(p, p->nwords);
		p->nwords++;
	}
	return p;
}

static inline struct eval_asked part_asked(const struct ir *ir, const struct cmd_part *p)
{
	struct ir_request *q = ARENA_NEW(&arena, struct ir_request);

	*q = base_request(IR_COMMAND);
	return (struct eval_asked){ ir, q, &part_world, p };
}

static inline struct eval_part_decision part_ask_in(const struct ir *ir, const struct cmd_part *p,
						    enum ir_scope scope)
{
	struct ir_request request = base_request(IR_COMMAND);
	struct eval_asked q = { ir, &request, &part_world, p };
	struct eval_part_decision d;

	request.scope = scope;
	eval_decide_part(&q, &arena, &d);
	return d;
}

static inline struct eval_part_decision part_ask(const struct ir *ir,
					       const struct cmd_part *p)
{
	return part_ask_in(ir, p, IR_SANDBOX);
}

#define assert_part(got, want, by)                                                     \
	do {                                                                           \
		struct eval_part_decision x_ = (got);                                    \
		assert_string_equal(ir_effect_name(x_.d.effect), ir_effect_name(want)); \
		assert_string_equal(eval_part_step_name(x_.step), eval_part_step_name(by)); \
	} while (0)

#endif
