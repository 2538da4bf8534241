/*
 * Random trees of the policy language: every kind of statement, value, option
 * and condition, in the forms that the grammar has for them, each whole tree
 * within the limits of ast/build.h, which makes its nodes.  A printed tree
 * parses; nothing else about it has to make sense.
 *
 *	static struct tree_gen g;       zeroed: its counts go on over all trees
 *
 *	tree_begin(&g, seed);           arena, sink and source map of one tree
 *	f = tree_file(&g);              the same for the same seed; never NULL
 *	tree_end(&g);                   gives back all of it
 *
 *	f = tree_file_with(&g, kind);   the same, and with one more statement that has the
 *	                                kind, below TREE_KINDS: who takes all of them in turn
 *	                                has each for certain
 *
 * The counts say how often a kind was made, for a survey over many trees.
 * The request `setting` never is: it is asked on the command line only.
 */
#ifndef TESTS_PROP_RANDOM_AST_H
#define TESTS_PROP_RANDOM_AST_H

#include "tests/prop/random_ast_parts.h"

/* --- random statements --------------------------------------------------- */

static inline enum ast_effect tree_effect(struct tree_gen *g, bool hide)
{
	return (enum ast_effect)tree_below(g, hide ? 4 : 3);
}

static inline struct ast_stmt *tree_pair(struct tree_gen *g, struct str name,
					 bool append)
{
	return AST_STMT(&g->b, AST_PAIR, SPAN_NONE, .name = name,
			.values = tree_any_value(g), .locked = tree_coin(g),
			.append = append && tree_coin(g));
}

static inline struct ast_stmt *tree_otherwise(struct tree_gen *g, bool by_risk)
{
	struct ast_values l = { 0 };

	if (!by_risk || tree_coin(g))
		return AST_STMT(&g->b, AST_OTHERWISE, SPAN_NONE,
				.effect = tree_effect(g, false),
				.locked = tree_coin(g));
	for (unsigned n = 1 + tree_below(g, 4); n; n--) {
		const char *effect = ast_effect_name(tree_effect(g, false));

		l = ast_values_add(
			l, ast_keyed(tree_value_of(g, AST_V_NAME, str_from(effect)),
				     tree_name(g)));
	}
	return AST_STMT(&g->b, AST_OTHERWISE_BY_RISK, SPAN_NONE, .pairs = l.head,
			.locked = tree_coin(g));
}

static inline struct ast_stmt *tree_rule(struct tree_gen *g, enum tree_flavour f,
					 struct ast_value *values, bool hide,
					 unsigned ops)
{
	return AST_STMT(&g->b, AST_RULE, SPAN_NONE, .effect = tree_effect(g, hide),
			.final = tree_coin(g), .values = values, .ops = ops,
			.options = tree_options(g, f));
}

static inline struct ast_stmt *tree_command_stmt(struct tree_gen *g)
{
	static const enum ast_stmt_kind programs[] = { AST_PROGRAM, AST_WRAPPER,
						       AST_INTERPRETER };
	struct ast_value *v;

	switch (tree_below(g, 9)) {
	case 0:
		return tree_otherwise(g, true);
	case 1:
		return AST_STMT(&g->b, AST_RISK, SPAN_NONE, .name = tree_name(g),
				.values = tree_list(g, tree_pat),
				.options = tree_options(g, TREE_COMMAND));
	case 2:
		return AST_STMT(&g->b, programs[tree_below(g, 3)], SPAN_NONE,
				.values = tree_list(g, tree_word_or_str),
				.items = tree_prog_items(g));
	case 3:
		return AST_STMT(&g->b, tree_coin(g) ? AST_TAINT : AST_SAFE, SPAN_NONE,
				.values = tree_list(g, tree_word_or_str));
	case 4:
		return AST_STMT(&g->b, AST_INERT, SPAN_NONE,
				.values = tree_list(g, tree_pat),
				.options = tree_options(g, TREE_COMMAND));
	case 5:
		v = tree_str(g);
		v->next = tree_coin(g) ? tree_str(g) : NULL;
		return AST_STMT(&g->b, AST_PIN, SPAN_NONE, .name = tree_name(g),
				.values = v);
	case 6:
		return AST_STMT(&g->b, AST_SHELL, SPAN_NONE, .name = tree_name(g),
				.values = tree_coin(g) ? tree_str(g) : NULL);
	case 7:
		return AST_STMT(&g->b, AST_OPAQUE, SPAN_NONE,
				.effect = tree_effect(g, false),
				.locked = tree_coin(g));
	default:
		return tree_rule(g, TREE_COMMAND, tree_list(g, tree_pat), false, 0);
	}
}

static inline struct ast_stmt *tree_file_stmt(struct tree_gen *g)
{
	struct ast_value *v;

	switch (tree_below(g, 4)) {
	case 0:
		return AST_STMT(
			&g->b, AST_OTHERWISE, SPAN_NONE, .ops = tree_below(g, 8),
			.effect = tree_effect(g, false), .locked = tree_coin(g));
	case 1:
		return AST_STMT(&g->b, AST_SCRATCH, SPAN_NONE,
				.values = tree_list(g, tree_path));
	case 2:
		v = tree_str(g);
		v->next = tree_str(g);
		return AST_STMT(&g->b, AST_MOUNT, SPAN_NONE, .values = v,
				.ops = 1 + tree_below(g, 6));
	default:
		return tree_rule(g, TREE_FILES, tree_list(g, tree_path), true,
				 tree_below(g, 8));
	}
}

static inline struct ast_stmt *tree_network_stmt(struct tree_gen *g)
{
	struct ast_stmt *s;

	switch (tree_below(g, 7)) {
	case 0:
		return tree_otherwise(g, false);
	case 5:
		return AST_STMT(&g->b, tree_coin(g) ? AST_PUBLISH : AST_NOT_PUBLISH, SPAN_NONE,
				.values = tree_list(g, tree_port));
	case 1:
		return AST_STMT(&g->b, AST_VIA, SPAN_NONE, .values = tree_word_or_str(g),
				.options = tree_coin(g) ? AST_OPTION(&g->b, AST_O_VIA_USER,
								     SPAN_NONE,
								     .values = tree_name_value(g)) :
							  NULL);
	case 4:
		return AST_STMT(&g->b, AST_HOLD, SPAN_NONE, .values = tree_number(g),
				.locked = tree_coin(g));
	case 2:
		return AST_STMT(&g->b, AST_MODE, SPAN_NONE, .name = tree_name(g),
				.locked = tree_coin(g));
	default:
		s = AST_STMT(&g->b, AST_RULE, SPAN_NONE,
			     .effect = tree_effect(g, false), .final = tree_coin(g),
			     .net = tree_net(g), .options = tree_options(g, TREE_NET));
		return s;
	}
}

static inline struct ast_stmt *tree_env_stmt(struct tree_gen *g)
{
	struct ast_value *v;

	switch (tree_below(g, 3)) {
	case 0:
		return AST_STMT(&g->b, AST_KEEP, SPAN_NONE, .locked = tree_coin(g),
				.append = tree_coin(g),
				.values = tree_list(g, tree_word_or_str));
	case 1:
		return AST_STMT(&g->b, AST_SET, SPAN_NONE, .locked = tree_coin(g),
				.name = tree_name(g), .values = tree_str(g));
	default:
		v = tree_name_value(g);
		v->next = tree_str(g);
		return AST_STMT(&g->b, AST_SECRET, SPAN_NONE, .locked = tree_coin(g),
				.name = tree_name(g), .values = v);
	}
}

static inline struct ast_stmt *tree_session_stmt(struct tree_gen *g)
{
	if (tree_coin(g))
		return AST_STMT(&g->b, AST_RATE, SPAN_NONE, .name = tree_name(g),
				.values = tree_number(g), .per = tree_number(g),
				.locked = tree_coin(g));
	return tree_pair(g, tree_word(g), true);
}

static inline struct ast_stmt *tree_section(struct tree_gen *g,
					    enum ast_section_kind k);

static inline struct ast_value *tree_route_name(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_NAME,
			     TREE_PICK(g, "x", "network", "file", "rate", "exec"));
}

static inline struct ast_stmt *tree_runner_stmt(struct tree_gen *g)
{
	static const enum ast_section_kind inner[] = { AST_SEC_FILE, AST_SEC_NETWORK,
						       AST_SEC_LIMITS, AST_SEC_ENV };
	struct ast_stmts l = { 0 };
	bool has_else = tree_coin(g);

	switch (tree_below(g, 3)) {
	case 0:
		return AST_STMT(&g->b, AST_MODE, SPAN_NONE, .name = tree_name(g),
				.locked = tree_coin(g));
	case 1:
		return AST_STMT(&g->b, AST_ROUTE, SPAN_NONE, .locked = tree_coin(g),
				.values = tree_list(g, tree_route_name),
				.name = tree_name(g), .has_else = has_else,
				.effect = has_else ? tree_effect(g, false) : AST_ALLOW);
	default:
		break;
	}
	for (unsigned n = tree_below(g, 3); n; n--)
		l = ast_stmts_add(l, tree_coin(g) ?
					     tree_pair(g, tree_word(g), true) :
					     tree_section(g, inner[tree_below(g, 4)]));
	return AST_STMT(&g->b, AST_RUNNER, SPAN_NONE, .locked = tree_coin(g),
			.name = tree_route_name(g)->text, .body = l.head);
}

static inline struct ast_stmt *tree_in_section(struct tree_gen *g,
					       enum ast_section_kind k)
{
	switch (k) {
	case AST_SEC_COMMAND:
		return tree_command_stmt(g);
	case AST_SEC_FILE:
		return tree_file_stmt(g);
	case AST_SEC_NETWORK:
		return tree_network_stmt(g);
	case AST_SEC_UNIX:
		return tree_rule(g, TREE_FILES, tree_list(g, tree_path), false, 0);
	case AST_SEC_SYSCALL:
		return tree_coin(g) ? tree_rule(g, TREE_SYSCALL,
						tree_list(g, tree_sysitem), false, 0) :
				      tree_otherwise(g, false);
	case AST_SEC_ENV:
		return tree_env_stmt(g);
	case AST_SEC_SESSION:
		return tree_session_stmt(g);
	case AST_SEC_RUNNER:
		return tree_runner_stmt(g);
	case AST_SEC_TOOLS:
		return tree_coin(g) ?
			       tree_rule(g, TREE_TOOLS, tree_list(g, tree_word_or_str),
					 false, 0) :
			       tree_otherwise(g, true);
	case AST_SEC_LIMITS:
	case AST_SEC_AUDIT:
	case AST_SEC_COUNT:
		break;
	}
	return tree_pair(g, tree_name(g), true);
}

static inline struct ast_stmt *tree_section(struct tree_gen *g, enum ast_section_kind k)
{
	struct ast_stmts l = { 0 };
	bool mode = k == AST_SEC_NETWORK && tree_coin(g);

	for (unsigned n = tree_below(g, 6); n; n--)
		l = ast_stmts_add(l, tree_in_section(g, k));
	return AST_STMT(&g->b, AST_SECTION, SPAN_NONE, .section = k,
			.locked = tree_coin(g), .name = mode ? tree_name(g) : STR_NULL,
			.body = l.head);
}

static inline struct ast_stmt *tree_test(struct tree_gen *g)
{
	struct ast_test_cases l = { 0 };

	for (unsigned n = tree_below(g, 4); n; n--)
		l = ast_test_cases_add(
			l,
			ast_test_case(&g->b,
				      (struct ast_test_case){
					      SPAN_NONE, tree_request(g, false),
					      tree_effect(g, false),
					      tree_coin(g) ? tree_name_value(g) : NULL,
					      NULL }));
	return AST_STMT(&g->b, AST_TEST, SPAN_NONE, .name = tree_plain(g),
			.cases = l.head,
			.expr = tree_coin(g) ? tree_expr(g, tree_below(g, 4)) : NULL);
}

static inline struct ast_stmt *tree_assert(struct tree_gen *g)
{
	enum ast_assert_kind k = (enum ast_assert_kind)tree_below(g, 3);
	struct ast_request r = tree_request(g, true);
	enum tree_flavour f = r.kind == AST_R_COMMAND ? TREE_COMMAND :
			      r.kind == AST_R_NET     ? TREE_NET :
			      r.kind == AST_R_SYSCALL ? TREE_SYSCALL :
			      r.kind == AST_R_TOOL    ? TREE_TOOLS :
							TREE_FILES;

	return AST_STMT(&g->b, AST_ASSERT, SPAN_NONE, .assert_kind = k, .request = r,
			.effect = k == AST_ALWAYS ? tree_effect(g, false) : AST_ALLOW,
			.options = tree_options(g, f));
}

static inline struct ast_value *tree_use(struct tree_gen *g)
{
	return tree_below(g, 3) == 0 ?
		       tree_let_name(g) :
	       tree_coin(g) ?
		       tree_str(g) :
		       tree_value_of(g, AST_V_PATH,
				     TREE_PICK(g, "std/base", "./x.pol", "../a/b"));
}

static inline struct ast_value *tree_element(struct tree_gen *g)
{
	return tree_coin(g) ? tree_word_or_str(g) :
	       tree_coin(g) ? tree_addr(g) :
			      tree_group(g);
}

static inline struct ast_stmt *tree_top(struct tree_gen *g, unsigned depth);

static inline struct ast_stmt *tree_body(struct tree_gen *g, unsigned depth)
{
	struct ast_stmts l = { 0 };

	for (unsigned n = tree_below(g, depth == 2 ? 12 : 4); n; n--)
		l = ast_stmts_add(l, tree_top(g, depth));
	return l.head;
}

static inline struct ast_stmt *tree_tool_body(struct tree_gen *g)
{
	struct ast_stmts l = { 0 };
	struct ast_stmt *s;

	for (unsigned n = tree_below(g, 4); n; n--) {
		s = tree_coin(g) ? tree_pair(g, tree_name(g), false) :
				   AST_STMT(&g->b, AST_TOOL_EFFECT, SPAN_NONE,
					    .effect = tree_effect(g, false));
		s->locked = false;
		l = ast_stmts_add(l, s);
	}
	return l.head;
}

static inline struct ast_stmt *tree_top(struct tree_gen *g, unsigned depth)
{
	struct ast_stmts l = { 0 };

	switch (tree_below(g, 16)) {
	case 0:
		for (unsigned n = tree_below(g, 4); n; n--)
			l = ast_stmts_add(l, tree_pair(g, tree_name(g), false));
		return AST_STMT(&g->b, AST_POLICY, SPAN_NONE, .name = tree_name(g),
				.body = l.head);
	case 1:
		return AST_STMT(&g->b, AST_USE, SPAN_NONE,
				.values = tree_list(g, tree_use));
	case 2:
		return AST_STMT(&g->b, AST_LET, SPAN_NONE, .name = tree_word(g),
				.values = tree_any_value(g));
	case 3:
		return AST_STMT(&g->b, AST_GROUP, SPAN_NONE, .name = tree_word(g),
				.values = tree_list(g, tree_element));
	case 4:
		return AST_STMT(&g->b, AST_TOOL, SPAN_NONE,
				.name = tree_coin(g) ? tree_name(g) : tree_plain(g),
				.body = tree_tool_body(g));
	case 5:
		return AST_STMT(&g->b, AST_ALERT, SPAN_NONE, .name = tree_name(g),
				.expr = tree_expr(g, tree_below(g, 4)),
				.per = tree_coin(g) ? tree_number(g) : NULL,
				.values = tree_name_value(g));
	case 6:
		return AST_STMT(&g->b, AST_SETTING, SPAN_NONE, .name = tree_plain(g),
				.locked = tree_coin(g), .append = tree_coin(g),
				.values = tree_any_value(g));
	case 7:
		return tree_assert(g);
	case 8:
		return tree_test(g);
	case 9:
		if (!depth)
			return tree_test(g);
		return AST_STMT(&g->b, AST_ROLE, SPAN_NONE, .name = tree_name(g),
				.body = tree_body(g, depth - 1));
	default:
		return tree_section(
			g, (enum ast_section_kind)tree_below(g, AST_SEC_COUNT));
	}
}

/* --- a whole file -------------------------------------------------------- */

static inline void tree_count(struct tree_gen *g, const struct ast_stmt *s)
{
	for (; s; s = s->next) {
		g->seen[s->kind]++;
		tree_count(g, s->body);
	}
}

static inline struct ast_file *tree_file(struct tree_gen *g)
{
	struct ast_stmt *stmts = tree_body(g, 2);

	tree_count(g, stmts);
	return ast_file(&g->b, 0, stmts);
}

/* All kinds that have a count, but for the request `setting`, which is the last. */
#define TREE_KINDS (AST_TOOL_EFFECT + 1 + AST_OPTION_KINDS + AST_V_MAP + 1 + AST_X_BITAND + 1 + \
		    AST_P_FLAG + 1 + AST_R_SETTING)

static inline unsigned tree_kind_count(const struct tree_gen *g, unsigned kind)
{
	const struct {
		const unsigned *v;
		unsigned n;
	} all[] = {
		{ g->seen, POL_LEN(g->seen) },	   { g->options, POL_LEN(g->options) },
		{ g->values, POL_LEN(g->values) }, { g->ops, POL_LEN(g->ops) },
		{ g->items, POL_LEN(g->items) },   { g->requests, POL_LEN(g->requests) },
	};
	size_t i = 0;

	for (; kind >= all[i].n; i++)
		kind -= all[i].n;
	return all[i].v[kind];
}

/* A statement that has the kind: those without it are dropped. */
static inline struct ast_stmt *tree_with(struct tree_gen *g, unsigned kind)
{
	unsigned before = tree_kind_count(g, kind);

	for (;;) {
		struct ast_stmt *s = tree_top(g, 2);

		tree_count(g, s);
		if (tree_kind_count(g, kind) > before)
			return s;
	}
}

static inline struct ast_file *tree_file_with(struct tree_gen *g, unsigned kind)
{
	struct ast_stmts l = { 0 };

	for (unsigned n = tree_below(g, 12); n; n--)
		l = ast_stmts_add(l, tree_top(g, 2));
	tree_count(g, l.head);
	l = ast_stmts_add(l, tree_with(g, kind));
	return ast_file(&g->b, 0, l.head);
}

#endif
