/*
 * What random statements are made of: the generator and its numbers, values,
 * conditions, options, hosts and requests.  random_ast.h is the way in.
 */
#ifndef TESTS_PROP_RANDOM_AST_PARTS_H
#define TESTS_PROP_RANDOM_AST_PARTS_H

#include "compiler/ast/build.h"
#include "compiler/source/source.h"

struct tree_gen {
	struct arena arena;
	struct diag_sink sink;
	struct source_map map;
	struct ast_build b;
	uint64_t rng;
	/* how often each kind was made */
	unsigned seen[AST_TOOL_EFFECT + 1]; /* statements */
	unsigned options[AST_OPTION_KINDS], values[AST_V_MAP + 1], ops[AST_X_BITAND + 1];
	unsigned items[AST_P_FLAG + 1], requests[AST_R_SETTING + 1];
};

/* Any seed, also one beside another, begins a sequence of its own. */
static inline void tree_begin(struct tree_gen *g, uint64_t seed)
{
	g->rng = seed * 0x9e3779b97f4a7c15u + 1;
	arena_init(&g->arena, ARENA_DEFAULT_BUDGET);
	diag_init(&g->sink, &g->arena);
	source_init(&g->map, &g->arena);
	ast_build_init(&g->b, &g->arena, &g->sink);
}

static inline void tree_end(struct tree_gen *g)
{
	arena_release(&g->arena);
}

static inline unsigned tree_below(struct tree_gen *g, unsigned n)
{
	g->rng ^= g->rng << 13;
	g->rng ^= g->rng >> 7;
	g->rng ^= g->rng << 17;
	return (unsigned)((g->rng >> 11) % n);
}

static inline bool tree_coin(struct tree_gen *g)
{
	return tree_below(g, 2) == 0;
}

static inline struct str tree_pick(struct tree_gen *g, const char *const *words,
				   size_t n)
{
	return str_from(words[tree_below(g, (unsigned)n)]);
}

#define TREE_PICK(g, ...)                                    \
	tree_pick((g), (const char *const[]){ __VA_ARGS__ }, \
		  POL_LEN(((const char *const[]){ __VA_ARGS__ })))

/* --- random leaves ------------------------------------------------------- */

/* A name; `word`: one that no grammar rule gives a meaning. */
static inline struct str tree_word(struct tree_gen *g)
{
	return TREE_PICK(g, "x", "git-log", "_a.b", "CLONE_NEWUSER", "r", "db1");
}

static inline struct str tree_name(struct tree_gen *g)
{
	return tree_coin(g) ?
		       tree_word(g) :
		       TREE_PICK(g, "file", "network", "mode", "rate", "limits", "env",
				 "strict", "match", "until", "read", "tcp", "any",
				 "port", "by", "risk", "set", "keep", "stdin",
				 "ends-at", "tool", "per", "do");
}

static inline struct str tree_plain(struct tree_gen *g)
{
	char p[12];
	size_t n = tree_below(g, sizeof(p));

	for (size_t i = 0; i < n; i++) {
		static const char set[] = "a\\\"$${}*\n\t/\x1b\x7f\xc3\xa9\xff'#;";

		p[i] = set[tree_below(g, sizeof(set) - 1)];
	}
	return str_dup(&g->arena, (struct str){ p, n });
}

static inline struct ast_value *tree_value_of(struct tree_gen *g,
					      enum ast_value_kind kind, struct str text)
{
	g->values[kind]++;
	return AST_VALUE(&g->b, kind, SPAN_NONE, .text = text);
}

static inline struct ast_value *tree_str(struct tree_gen *g)
{
	if (tree_below(g, 4) == 0)
		return tree_value_of(
			g, AST_V_RAW,
			TREE_PICK(g, "", "a\\b", "${HOME}\\$", "\xc3\xa9 'q'"));
	if (tree_below(g, 3) == 0)
		return tree_value_of(g, AST_V_STRING,
				     TREE_PICK(g, "${HOME}/.ssh", "a$b", "$",
					       "npm run test:*", "a\\:b",
					       "\xe2\x80\xae"));
	return tree_value_of(g, AST_V_STRING,
			     ast_string_text(&g->b, tree_plain(g), false));
}

static inline struct ast_value *tree_regex(struct tree_gen *g)
{
	struct ast_value *v =
		tree_value_of(g, AST_V_REGEX,
			      TREE_PICK(g, "a", "\\bmk\\/fs[^\\/]", "\"x\\\\", "a b$"));

	v->flags = TREE_PICK(g, "", "i", "ix");
	return v;
}

static inline struct ast_value *tree_let_name(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_NAME, tree_word(g));
}

static inline struct ast_value *tree_name_value(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_NAME, tree_name(g));
}

static inline struct ast_value *tree_group(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_GROUP, tree_word(g));
}

static inline struct ast_value *tree_addr(struct tree_gen *g)
{
	return tree_value_of(
		g, AST_V_ADDR,
		TREE_PICK(g, "10.0.0.0/8", "::1", "fe80::/10", "::ffff:1.2.3.4"));
}

static inline struct ast_value *tree_number(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_NUMBER,
			     TREE_PICK(g, "0", "4G", "60s", "0x1f", "2.5", "500ms"));
}

static inline struct ast_value *tree_date(struct tree_gen *g)
{
	return tree_value_of(g, AST_V_DATE, STR("2027-01-01"));
}

static inline struct ast_value *tree_word_or_str(struct tree_gen *g)
{
	return tree_coin(g) ? tree_name_value(g) : tree_str(g);
}

static inline struct ast_value *tree_pat(struct tree_gen *g)
{
	return tree_below(g, 4) ? tree_str(g) :
	       tree_coin(g)     ? tree_regex(g) :
				  tree_let_name(g);
}

static inline struct ast_value *tree_path(struct tree_gen *g)
{
	return tree_below(g, 4) ? tree_str(g) :
	       tree_coin(g)     ? tree_group(g) :
				  tree_let_name(g);
}

static inline struct ast_value *tree_host(struct tree_gen *g)
{
	switch (tree_below(g, 5)) {
	case 0:
		return tree_addr(g);
	case 1:
		return tree_value_of(g, AST_V_ANY, STR("any"));
	default:
		return tree_path(g);
	}
}

static inline struct ast_value *tree_port(struct tree_gen *g)
{
	return tree_coin(g) ? tree_number(g) :
			      tree_value_of(g, AST_V_RANGE, STR("80-443"));
}

static inline struct ast_value *tree_optspec(struct tree_gen *g)
{
	if (tree_coin(g))
		return tree_value_of(g, AST_V_OPTION,
				     TREE_PICK(g, "-f", "--force", "--data*", "-1"));
	return tree_value_of(g, AST_V_OPTSPEC,
			     TREE_PICK(g, "-o|--output:", "-C:", "--x::", "-a|-b"));
}

static inline struct ast_value *tree_optitem(struct tree_gen *g)
{
	return tree_coin(g) ? tree_optspec(g) : tree_str(g);
}

typedef struct ast_value *tree_fn(struct tree_gen *);

static inline struct ast_value *tree_list(struct tree_gen *g, tree_fn *f)
{
	struct ast_values l = ast_values_one(f(g));

	for (unsigned n = tree_below(g, 3); n; n--)
		l = ast_values_add(l, f(g));
	return l.head;
}

static inline struct ast_value *tree_value(struct tree_gen *g, unsigned depth)
{
	struct ast_values l = { 0 };
	bool map = tree_coin(g);

	switch (tree_below(g, depth ? 8 : 7)) {
	case 0:
		return tree_number(g);
	case 1:
		return tree_name_value(g);
	case 2:
		return tree_date(g);
	case 3:
		return tree_addr(g);
	case 4:
		return tree_regex(g);
	case 5:
		return tree_coin(g) ? tree_value_of(g, AST_V_NUMBER, STR("-7")) :
				      tree_port(g);
	case 6:
		return tree_str(g);
	default:
		break;
	}
	for (unsigned n = tree_below(g, 4); n; n--) {
		struct ast_value *v = tree_value(g, depth - 1);

		l = ast_values_add(
			l, map ? ast_keyed(v, tree_coin(g) ?
						      tree_plain(g) :
						      TREE_PICK(g, "k", "deny", "in")) :
				 v);
	}
	g->values[map ? AST_V_MAP : AST_V_LIST]++;
	return AST_VALUE(&g->b, map ? AST_V_MAP : AST_V_LIST, SPAN_NONE,
			 .items = l.head);
}

static inline struct ast_value *tree_any_value(struct tree_gen *g)
{
	return tree_value(g, 3);
}

/* --- random conditions --------------------------------------------------- */

static inline struct ast_expr *tree_expr(struct tree_gen *g, unsigned depth)
{
	enum ast_expr_op op;
	struct ast_exprs l = { 0 };

	if (!depth) {
		op = (enum ast_expr_op)tree_below(g, AST_X_GROUP + 1);
		g->ops[op]++;
		return ast_expr_leaf(&g->b, op, SPAN_NONE,
				     op == AST_X_NUMBER ?
					     TREE_PICK(g, "1", "-1", "0xff") :
				     op == AST_X_RANGE  ? STR("1-5") :
				     op == AST_X_STRING ? tree_plain(g) :
				     op == AST_X_GROUP  ? tree_word(g) :
							  tree_name(g));
	}
	op = (enum ast_expr_op)(AST_X_LIST +
				tree_below(g, AST_X_BITAND - AST_X_LIST + 1));
	g->ops[op]++;
	if (op == AST_X_LIST) {
		for (unsigned n = tree_below(g, 3) + 1; n; n--)
			l = ast_exprs_add(l, tree_expr(g, tree_below(g, depth)));
		return ast_expr_list(&g->b, SPAN_NONE, l.head);
	}
	return ast_expr_op(&g->b, op, SPAN_NONE, tree_expr(g, tree_below(g, depth)),
			   op == AST_X_NOT ? NULL : tree_expr(g, tree_below(g, depth)));
}

static inline struct ast_value *tree_call(struct tree_gen *g)
{
	struct ast_exprs l = { 0 };

	if (tree_coin(g))
		return tree_name_value(g);
	for (unsigned n = tree_below(g, 4); n; n--) {
		if (tree_coin(g)) {
			l = ast_exprs_add(l, tree_expr(g, tree_below(g, 3)));
			continue;
		}
		g->ops[AST_X_ANY]++;
		l = ast_exprs_add(l,
				  ast_expr_leaf(&g->b, AST_X_ANY, SPAN_NONE, STR("*")));
	}
	g->values[AST_V_CALL]++;
	return AST_VALUE(&g->b, AST_V_CALL, SPAN_NONE, .text = tree_name(g),
			 .args = l.head);
}

static inline struct ast_value *tree_sysitem(struct tree_gen *g)
{
	return tree_below(g, 3) ? tree_call(g) : tree_group(g);
}

/* --- random options, nets, programs, requests ---------------------------- */

enum tree_flavour { TREE_COMMAND, TREE_FILES, TREE_NET, TREE_SYSCALL, TREE_TOOLS };

static inline struct ast_option *tree_option(struct tree_gen *g, enum tree_flavour f)
{
	enum ast_opt_kind k = (enum ast_opt_kind)tree_below(g, AST_OPTION_KINDS);
	struct ast_value *v = NULL;
	struct ast_expr *x = NULL;

	switch (k) {
	case AST_O_BECAUSE:
		v = tree_str(g);
		break;
	case AST_O_AS:
	case AST_O_MAY:
		v = tree_name_value(g);
		break;
	case AST_O_WHEN:
		x = tree_expr(g, tree_below(g, 4));
		break;
	case AST_O_WITH:
		if (f != TREE_COMMAND && f != TREE_SYSCALL)
			return NULL;
		v = f == TREE_SYSCALL ? tree_name_value(g) : tree_list(g, tree_optitem);
		break;
	case AST_O_WITH_ONLY:
	case AST_O_WITHOUT:
		if (f != TREE_COMMAND)
			return NULL;
		v = tree_list(g, tree_optitem);
		break;
	case AST_O_WITHIN:
		if (f != TREE_COMMAND && f != TREE_NET)
			return NULL;
		v = tree_list(g, f == TREE_NET ? tree_host : tree_path);
		break;
	case AST_O_EXCEPT:
		v = tree_list(g, f == TREE_COMMAND ? tree_pat :
				 f == TREE_FILES   ? tree_path :
				 f == TREE_NET     ? tree_host :
				 f == TREE_SYSCALL ? tree_sysitem :
						     tree_word_or_str);
		break;
	case AST_O_MATCH:
	case AST_O_NOT_MATCH:
		if (f == TREE_SYSCALL)
			return NULL;
		v = tree_list(g, tree_str);
		break;
	case AST_O_STRICT:
	case AST_O_ACCEPT_ADVISORY:
		break;
	case AST_O_UNTIL:
		v = tree_date(g);
		break;
	case AST_O_PEEK:
	case AST_O_VIA_USER:
	case AST_O_FROM_SECRET:
		if (f != TREE_NET)
			return NULL;
		v = tree_name_value(g);
		break;
	case AST_O_VIA:
		if (f != TREE_NET)
			return NULL;
		v = tree_word_or_str(g);
		break;
	case AST_O_INJECT:
		if (f != TREE_NET)
			return NULL;
		v = tree_str(g);
		if (tree_coin(g))
			v = ast_values_add(ast_values_one(v), tree_str(g)).head;
		break;
	case AST_O_CONNECTIONS:
	case AST_O_BYTES:
		if (f != TREE_NET)
			return NULL;
		v = tree_number(g);
		break;
	}
	g->options[k]++;
	return AST_OPTION(&g->b, k, SPAN_NONE, .values = v, .expr = x);
}

static inline struct ast_option *tree_options(struct tree_gen *g, enum tree_flavour f)
{
	struct ast_options l = { 0 };

	for (unsigned n = tree_below(g, 4); n; n--)
		l = ast_options_add(l, tree_option(g, f));
	return l.head;
}

static inline struct ast_net tree_net(struct tree_gen *g)
{
	struct ast_net n = { 0 };

	if (tree_coin(g))
		n.proto = tree_value_of(g, AST_V_NAME, TREE_PICK(g, "tcp", "udp"));
	if (tree_coin(g))
		n.hosts = tree_list(g, tree_host);
	if (tree_coin(g) || (!n.proto && !n.hosts))
		n.ports = tree_list(g, tree_port);
	return n;
}

static inline struct ast_value *tree_optspecs(struct tree_gen *g)
{
	return tree_list(g, tree_optspec);
}

static inline struct ast_prog_item *tree_prog_item(struct tree_gen *g)
{
	enum ast_prog_kind k = (enum ast_prog_kind)tree_below(g, AST_P_FLAG + 1);
	struct ast_value *v = NULL, *when = NULL;

	switch (k) {
	case AST_P_GLOBAL:
	case AST_P_OPTIONS:
	case AST_P_QUERY:
	case AST_P_MOVES:
	case AST_P_RUNS:
	case AST_P_LEADS:
	case AST_P_READS:
	case AST_P_WRITES:
	case AST_P_SCRIPT:
	case AST_P_TREES:
	case AST_P_INSTEAD:
	case AST_P_EDITS:
	case AST_P_BEGINS:
	case AST_P_BELOW:
	case AST_P_UNPACKS:
	case AST_P_NAMES_FROM:
		v = tree_optspecs(g);
		break;
	case AST_P_SKIP:
		v = tree_number(g);
		break;
	case AST_P_CODE:
	case AST_P_CODE_OPERAND:
	case AST_P_READS_OPERAND:
	case AST_P_WRITES_OPERAND:
	case AST_P_SCRIPT_OPERAND:
	case AST_P_TREES_OPERAND:
	case AST_P_BEGINS_OPERAND:
	case AST_P_BELOW_OPERAND:
	case AST_P_UNPACKS_OPERAND:
	case AST_P_NAMES_FROM_OPERAND:
		v = k == AST_P_CODE ? tree_optspecs(g) :
		    tree_coin(g)    ? tree_value_of(g, AST_V_NAME, STR("any")) :
				      tree_number(g);
		when = tree_coin(g) ? tree_regex(g) : NULL;
		break;
	case AST_P_AFTER:
		v = tree_coin(g) ? tree_optspecs(g) : tree_list(g, tree_str);
		break;
	case AST_P_ENDS_AT:
	case AST_P_ALSO:
	case AST_P_SCRIPT_DEFAULT:
		v = tree_list(g, tree_str);
		break;
	case AST_P_CODE_STDIN:
	case AST_P_SHELL:
		break;
	case AST_P_FLAG:
		v = tree_let_name(g);
		break;
	}
	g->items[k]++;
	return AST_PROG(&g->b, k, SPAN_NONE, .values = v, .when = when);
}

static inline struct ast_prog_item *tree_prog_items(struct tree_gen *g)
{
	struct ast_prog_items l = { 0 };

	for (unsigned n = tree_below(g, 8); n; n--)
		l = ast_prog_items_add(l, tree_prog_item(g));
	return l.head;
}

static inline struct ast_request tree_request(struct tree_gen *g, bool set)
{
	/* `argv` is no set; `setting` is asked on the command line only. */
	enum ast_request_kind k;
	struct ast_request r = { 0 };

	do {
		k = (enum ast_request_kind)tree_below(g, AST_R_TOOL + 1);
	} while (set && k == AST_R_ARGV);
	g->requests[k]++;
	r.kind = k;
	r.at = SPAN_NONE;
	if (k == AST_R_NET)
		r.net = tree_net(g);
	else if (k == AST_R_SYSCALL)
		r.values = set ? tree_list(g, tree_sysitem) : tree_call(g);
	else if (k == AST_R_TOOL)
		r.values = set ? tree_list(g, tree_word_or_str) : tree_word_or_str(g);
	else if (k == AST_R_ARGV)
		r.values = tree_list(g, tree_str);
	else if (k == AST_R_COMMAND)
		r.values = set ? tree_list(g, tree_pat) : tree_str(g);
	else
		r.values = set ? tree_list(g, tree_path) : tree_str(g);
	if (k == AST_R_FILE)
		r.ops = set ? 1 + tree_below(g, 7) : 1u << tree_below(g, 3);
	return r;
}

#endif
