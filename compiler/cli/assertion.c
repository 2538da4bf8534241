/*
 * An assertion of the command line is a policy of its own with one statement, which goes
 * through the passes like any other.  So it means here what it means in a policy.
 */
#include "compiler/cli/assertion.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/frontend/dsl_piece.h"

#define NAME "the assertion"

bool assertion_begins(const char *word)
{
	static const char *const words[] = { "never ", "always ", "only " };

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (strncmp(word, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* Is the text one assertion and nothing else? */
static bool parses(struct compilation *c, const char *text)
{
	struct str s = str_from(text);
	uint32_t file = source_add(&c->map, STR(NAME), s);
	struct dsl_parser *p = dsl_pieces(c->a, &c->sink, &c->map, file);
	struct dsl_result r = { 0 };
	bool ok = dsl_piece(p, DSL_ASSERTION, s,
			    (struct span){ .file = file, .len = (uint32_t)s.n }, &r);

	return ok && !c->sink.errors && r.stmts;
}

static bool lower(struct str policy, const struct options *o, struct arena *a,
		  struct compilation *c)
{
	struct options *own = ARENA_NEW(a, struct options);
	struct sema_input in = { .path = NAME, .text = policy, .name = STR(NAME),
				 .level = IR_MANAGED };

	*own = (struct options){ .verb = o->verb, .color = o->color, .created = o->created };
	VEC_PUSH(a, &own->inputs, in);
	compilation_init(c, own, a);
	return passes_run(c, "lower") == CLI_CLEAN;
}

const struct ir_assertion *assertion_read(const char *text, const struct options *o,
					  struct arena *a)
{
	struct compilation *c = ARENA_NEW(a, struct compilation);

	compilation_init(c, o, a);
	if (!parses(c, text) || !lower(str_printf(a, "assert %s\n", text), o, a, c)) {
		report_print(c);
		return NULL;
	}
	if (!c->ir->assertions.n) {
		diag_add(&c->sink, DIAG_ASSERT_FORM, SPAN_NONE,
			 "the assertion is about no request");
		report_print(c);
		return NULL;
	}
	c->ir->assertions.v[0].text = str_from(text);
	return &c->ir->assertions.v[0];
}
