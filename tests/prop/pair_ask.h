/*
 * Requests around an edit: at the edge of the rules that only one of the two policies has,
 * command lines with the options and operands that guards name, also as shell text.
 */
#ifndef TESTS_PROP_PAIR_ASK_H
#define TESTS_PROP_PAIR_ASK_H

#include "compiler/analysis/diff_result.h"
#include "tests/prop/near_request.h"

struct pair_near {
	const struct ir *ir[2];
	const struct diff_where *where;
	VEC(const struct ir_rule *) changed; /* rules that only one of them has */
};

static inline void pair_set_where(struct diff_where *w)
{
	static const char *const dirs[IR_ROOT_COUNT] = {
		[IR_ROOT_FS] = "/",  [IR_ROOT_HOME] = "/h",    [IR_ROOT_PROJECT] = "/h/p",
		[IR_ROOT_TMP] = "/t", [IR_ROOT_SESSION] = "/s", [IR_ROOT_AGENT] = "/g",
		[IR_ROOT_GIT] = "/r",
	};

	*w = (struct diff_where){ .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	for (int i = 0; i < IR_ROOT_COUNT; i++)
		w->roots.dir[i] = str_from(dirs[i]);
}

static inline bool pair_has_rule(const struct ir *ir, const struct ir_rule *r)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->level == r->level && str_eq(ir->rules.v[i]->text, r->text))
			return true;
	return false;
}

static inline void pair_find_changed(struct pair_near *p, struct arena *a)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->ir[s]->rules.n; i++)
			if (!pair_has_rule(p->ir[!s], p->ir[s]->rules.v[i]))
				VEC_PUSH(a, &p->changed, p->ir[s]->rules.v[i]);
}

/* --- command lines ------------------------------------------------------------------------ */

static const char *const pair_programs[] = {
	"foo", "foo", "foo", "bar", "rm", "/usr/bin/foo", "./foo", "env", "sh", "pa", "wa", "ia", "ea", "ga",
	"ra", "ua", "foo:x", "other",
};
static const char *const pair_operands[] = {
	"push", "a", "b", "x", "-f", "--force", "-x", "--name=1", "--names", "-fx", "--other", "--", "-c",
	"src", "src/a", "src/a/b", "lib", "/etc/x", "/h/k", "foo", "foo push", "a x", "bar", "", "-n", "rm",
	"/a/b", "VA=1",
};

static inline void pair_words(struct rnd *r, struct ir_request *q, bool fresh)
{
	struct str *v = arena_array(r->a, q->nargv + 8, sizeof(*v));
	uint32_t more = rnd_below(r, 4), i;
	size_t n = 0, at;

	if (fresh)
		v[n++] = str_from(RND_PICK(r, pair_programs));
	for (at = 0; !fresh && at < q->nargv; at++)
		v[n++] = q->argv[at];
	for (i = 0; i < more; i++) {
		/* options may stand between the words, and behind them */
		at = rnd_one_in(r, 3) ? 1 + rnd_below(r, (uint32_t)n) : n;
		memmove(&v[at + 1], &v[at], (n - at) * sizeof(*v));
		v[at] = str_from(RND_PICK(r, pair_operands));
		n++;
	}
	q->argv = v;
	q->nargv = n;
}

/* The words as shell text, alone or with something beside them. */
static inline void pair_shell(struct rnd *r, struct ir_request *q)
{
	static const char *const forms[] = { "%s", "%s; bar", "true && %s", "sh -c \"%s\"", "env VA=1 %s",
					     "%s >/a/b", "VA=1 %s", "echo $(%s)", "%s </etc/x", "wa 1 %s" };
	struct buf b, line;
	const char *form = RND_PICK(r, forms);
	size_t i;

	buf_init(&b, r->a);
	for (i = 0; i < q->nargv; i++) {
		bool plain = q->argv[i].n > 0;

		for (size_t k = 0; k < q->argv[i].n; k++)
			plain &= strchr("abcdefghijklmnopqrstuvwxyzA=-_./:1", q->argv[i].p[k]) != NULL;
		if (!plain)
			return;
		buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(q->argv[i]));
	}
	buf_init(&line, r->a);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(&line, form, str_z(r->a, buf_view(&b)));
#pragma GCC diagnostic pop
	q->line = buf_view(&line);
	q->argv = NULL;
	q->nargv = 0;
}

static inline void pair_command(struct rnd *r, struct ir_request *q)
{
	q->unparsed = rnd_one_in(r, 60);
	pair_words(r, q, rnd_one_in(r, 3) || !q->nargv);
	if (!q->unparsed && rnd_one_in(r, 4))
		pair_shell(r, q);
}

/* --- all kinds ------------------------------------------------------------------------------ */

static inline void pair_tool(struct rnd *r, const struct ir_rule *rule, struct ir_request *q)
{
	static const char *const names[] = { "a", "b", "ab", "ba", "aab", "x", "ax", "read_a", "carried" };

	q->kind = IR_TOOL;
	q->tool = rule && rnd_one_in(r, 2) ? near_glob(r, &rule->set.u.tool.glob, false) :
					     str_from(RND_PICK(r, names));
	if (!q->tool.n)
		q->tool = STR("a");
}

static inline struct ir_request pair_request(struct rnd *r, const struct pair_near *p)
{
	const struct ir *ir = p->ir[rnd_below(r, 2)];
	struct ir_request q = near_request(r, ir);
	const struct ir_rule *rule = NULL;

	q.roots = p->where->roots;
	q.cwd = p->where->cwd;
	if (p->changed.n && !rnd_one_in(r, 3))
		rule = p->changed.v[rnd_below(r, (uint32_t)p->changed.n)];
	else if (ir->rules.n && rnd_one_in(r, 2))
		rule = ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)];
	if (rule)
		near_rule(r, rule, &q);
	if (q.kind == IR_TOOL)
		pair_tool(r, rule && rule->kind == IR_TOOL ? rule : NULL, &q);
	if (q.kind == IR_COMMAND)
		pair_command(r, &q);
	if (q.kind == IR_NET && !q.port)
		q.port = 1;
	near_place(r, ir, &q);
	return q;
}

#endif
