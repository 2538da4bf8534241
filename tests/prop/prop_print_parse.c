/*
 * Print-then-parse is identity: for random trees that use every kind of
 * statement, value, option and condition, and for the shipped policies.
 * And: the front end ends, and returns NULL iff it reported an error, for
 * texts that are cut, doubled and mixed up.  SEED= and RUNS= choose the runs.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/ast/build.h"
#include "compiler/ast/print.h"
#include "compiler/frontend/dsl.h"

struct gen {
	struct arena arena;
	struct diag_sink sink;
	struct source_map map;
	struct ast_build b;
	unsigned seen[AST_TOOL_EFFECT + 1]; /* kinds of statements, over all runs */
	unsigned options[AST_O_PEEK + 1], values[AST_V_MAP + 1], ops[AST_X_BITAND + 1];
	unsigned items[AST_P_FLAG + 1], requests[AST_R_SETTING + 1];
};

static uint64_t rng;

static unsigned below(unsigned n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)((rng >> 11) % n);
}

static bool coin(void)
{
	return below(2) == 0;
}

static unsigned long from_env(const char *name, unsigned long other)
{
	const char *v = getenv(name);

	return v && *v ? strtoul(v, NULL, 0) : other;
}

static void gen_init(struct gen *g)
{
	arena_init(&g->arena, ARENA_DEFAULT_BUDGET);
	diag_init(&g->sink, &g->arena);
	source_init(&g->map, &g->arena);
	ast_build_init(&g->b, &g->arena, &g->sink);
}

/* --- two trees are one -------------------------------------------------------- */

static bool same_expr(const struct ast_expr *x, const struct ast_expr *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (x->op != y->op || !str_eq(x->text, y->text) || x->depth != y->depth ||
		    !same_expr(x->kids, y->kids))
			return false;
	return x == y;
}

static bool same_values(const struct ast_value *x, const struct ast_value *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (x->kind != y->kind || !str_eq(x->text, y->text) ||
		    !str_eq(x->flags, y->flags) || !str_eq(x->key, y->key) ||
		    !same_values(x->items, y->items) || !same_expr(x->args, y->args))
			return false;
	return x == y;
}

static bool same_net(const struct ast_net *x, const struct ast_net *y)
{
	return same_values(x->proto, y->proto) && same_values(x->hosts, y->hosts) &&
	       same_values(x->ports, y->ports);
}

static bool same_options(const struct ast_option *x, const struct ast_option *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (x->kind != y->kind || !same_values(x->values, y->values) ||
		    !same_expr(x->expr, y->expr))
			return false;
	return x == y;
}

static bool same_items(const struct ast_prog_item *x, const struct ast_prog_item *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (x->kind != y->kind || !same_values(x->values, y->values) ||
		    !same_values(x->when, y->when))
			return false;
	return x == y;
}

static bool same_request(const struct ast_request *x, const struct ast_request *y)
{
	return x->kind == y->kind && x->ops == y->ops && same_net(&x->net, &y->net) &&
	       same_values(x->values, y->values);
}

static bool same_cases(const struct ast_test_case *x, const struct ast_test_case *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (!same_request(&x->request, &y->request) || x->want != y->want ||
		    !same_values(x->by, y->by))
			return false;
	return x == y;
}

static bool same_stmts(const struct ast_stmt *x, const struct ast_stmt *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (x->kind != y->kind || !str_eq(x->name, y->name) ||
		    x->section != y->section || x->effect != y->effect ||
		    x->assert_kind != y->assert_kind || x->ops != y->ops ||
		    x->locked != y->locked || x->final != y->final ||
		    x->append != y->append || x->has_else != y->has_else ||
		    !same_values(x->values, y->values) ||
		    !same_values(x->pairs, y->pairs) || !same_values(x->per, y->per) ||
		    !same_net(&x->net, &y->net) || !same_options(x->options, y->options) ||
		    !same_items(x->items, y->items) ||
		    !same_request(&x->request, &y->request) ||
		    !same_cases(x->cases, y->cases) || !same_expr(x->expr, y->expr) ||
		    !same_stmts(x->body, y->body))
			return false;
	return x == y;
}

/* --- random leaves -------------------------------------------------------------- */

static struct str pick(const char *const *words, size_t n)
{
	return str_from(words[below((unsigned)n)]);
}

#define PICK(...)                                                      \
	pick((const char *const[]){ __VA_ARGS__ },                     \
	     POL_LEN(((const char *const[]){ __VA_ARGS__ })))

/* A name; `word`: one that no grammar rule gives a meaning. */
static struct str gen_word(void)
{
	return PICK("x", "git-log", "_a.b", "CLONE_NEWUSER", "r", "db1");
}

static struct str gen_name(void)
{
	return coin() ? gen_word() :
			PICK("file", "network", "mode", "rate", "limits", "env", "strict",
			     "match", "until", "read", "tcp", "any", "port", "by", "risk",
			     "set", "keep", "stdin", "ends-at", "tool", "per", "do");
}

static struct str gen_plain(struct gen *g)
{
	char p[12];
	size_t n = below(sizeof(p));

	for (size_t i = 0; i < n; i++) {
		static const char set[] = "a\\\"$${}*\n\t/\x1b\x7f\xc3\xa9\xff'#;";

		p[i] = set[below(sizeof(set) - 1)];
	}
	return str_dup(&g->arena, (struct str){ p, n });
}

static struct ast_value *gen_value_of(struct gen *g, enum ast_value_kind kind,
				      struct str text)
{
	g->values[kind]++;
	return AST_VALUE(&g->b, kind, SPAN_NONE, .text = text);
}

static struct ast_value *gen_str(struct gen *g)
{
	if (below(4) == 0)
		return gen_value_of(g, AST_V_RAW,
				    PICK("", "a\\b", "${HOME}\\$", "\xc3\xa9 'q'"));
	if (below(3) == 0)
		return gen_value_of(g, AST_V_STRING,
				    PICK("${HOME}/.ssh", "a$b", "$", "npm run test:*",
					 "a\\:b", "\xe2\x80\xae"));
	return gen_value_of(g, AST_V_STRING,
			    ast_string_text(&g->b, gen_plain(g), false));
}

static struct ast_value *gen_regex(struct gen *g)
{
	struct ast_value *v = gen_value_of(g, AST_V_REGEX,
					   PICK("a", "\\bmk\\/fs[^\\/]", "\"x\\\\", "a b$"));

	v->flags = PICK("", "i", "ix");
	return v;
}

static struct ast_value *gen_let_name(struct gen *g)
{
	return gen_value_of(g, AST_V_NAME, gen_word());
}

static struct ast_value *gen_name_value(struct gen *g)
{
	return gen_value_of(g, AST_V_NAME, gen_name());
}

static struct ast_value *gen_group(struct gen *g)
{
	return gen_value_of(g, AST_V_GROUP, gen_word());
}

static struct ast_value *gen_addr(struct gen *g)
{
	return gen_value_of(g, AST_V_ADDR,
			    PICK("10.0.0.0/8", "::1", "fe80::/10", "::ffff:1.2.3.4"));
}

static struct ast_value *gen_number(struct gen *g)
{
	return gen_value_of(g, AST_V_NUMBER, PICK("0", "4G", "60s", "0x1f", "2.5", "500ms"));
}

static struct ast_value *gen_date(struct gen *g)
{
	return gen_value_of(g, AST_V_DATE, STR("2027-01-01"));
}

static struct ast_value *gen_word_or_str(struct gen *g)
{
	return coin() ? gen_name_value(g) : gen_str(g);
}

static struct ast_value *gen_pat(struct gen *g)
{
	return below(4) ? gen_str(g) : coin() ? gen_regex(g) : gen_let_name(g);
}

static struct ast_value *gen_path(struct gen *g)
{
	return below(4) ? gen_str(g) : coin() ? gen_group(g) : gen_let_name(g);
}

static struct ast_value *gen_host(struct gen *g)
{
	switch (below(5)) {
	case 0:
		return gen_addr(g);
	case 1:
		return gen_value_of(g, AST_V_ANY, STR("any"));
	default:
		return gen_path(g);
	}
}

static struct ast_value *gen_port(struct gen *g)
{
	return coin() ? gen_number(g) : gen_value_of(g, AST_V_RANGE, STR("80-443"));
}

static struct ast_value *gen_optspec(struct gen *g)
{
	if (coin())
		return gen_value_of(g, AST_V_OPTION, PICK("-f", "--force", "--data*", "-1"));
	return gen_value_of(g, AST_V_OPTSPEC, PICK("-o|--output:", "-C:", "--x::", "-a|-b"));
}

static struct ast_value *gen_optitem(struct gen *g)
{
	return coin() ? gen_optspec(g) : gen_str(g);
}

typedef struct ast_value *gen_fn(struct gen *);

static struct ast_value *gen_list(struct gen *g, gen_fn *f)
{
	struct ast_values l = ast_values_one(f(g));

	for (unsigned n = below(3); n; n--)
		l = ast_values_add(l, f(g));
	return l.head;
}

static struct ast_value *gen_value(struct gen *g, unsigned depth)
{
	struct ast_values l = { 0 };
	bool map = coin();

	switch (below(depth ? 8 : 7)) {
	case 0:
		return gen_number(g);
	case 1:
		return gen_name_value(g);
	case 2:
		return gen_date(g);
	case 3:
		return gen_addr(g);
	case 4:
		return gen_regex(g);
	case 5:
		return coin() ? gen_value_of(g, AST_V_NUMBER, STR("-7")) : gen_port(g);
	case 6:
		return gen_str(g);
	default:
		break;
	}
	for (unsigned n = below(4); n; n--) {
		struct ast_value *v = gen_value(g, depth - 1);

		l = ast_values_add(l, map ? ast_keyed(v, coin() ? gen_plain(g) :
								  PICK("k", "deny", "in")) :
					    v);
	}
	g->values[map ? AST_V_MAP : AST_V_LIST]++;
	return AST_VALUE(&g->b, map ? AST_V_MAP : AST_V_LIST, SPAN_NONE, .items = l.head);
}

static struct ast_value *gen_any_value(struct gen *g)
{
	return gen_value(g, 3);
}

/* --- random conditions ------------------------------------------------------------- */

static struct ast_expr *gen_expr(struct gen *g, unsigned depth)
{
	enum ast_expr_op op;
	struct ast_exprs l = { 0 };

	if (!depth) {
		op = (enum ast_expr_op)below(AST_X_GROUP + 1);
		g->ops[op]++;
		return ast_expr_leaf(&g->b, op, SPAN_NONE,
				     op == AST_X_NUMBER ? PICK("1", "-1", "0xff") :
				     op == AST_X_RANGE	? STR("1-5") :
				     op == AST_X_STRING ? gen_plain(g) :
				     op == AST_X_GROUP	? gen_word() :
							  gen_name());
	}
	op = (enum ast_expr_op)(AST_X_LIST + below(AST_X_BITAND - AST_X_LIST + 1));
	g->ops[op]++;
	if (op == AST_X_LIST) {
		for (unsigned n = below(3) + 1; n; n--)
			l = ast_exprs_add(l, gen_expr(g, below(depth)));
		return ast_expr_list(&g->b, SPAN_NONE, l.head);
	}
	return ast_expr_op(&g->b, op, SPAN_NONE, gen_expr(g, below(depth)),
			   op == AST_X_NOT ? NULL : gen_expr(g, below(depth)));
}

static struct ast_value *gen_call(struct gen *g)
{
	struct ast_exprs l = { 0 };

	if (coin())
		return gen_name_value(g);
	for (unsigned n = below(4); n; n--) {
		if (coin()) {
			l = ast_exprs_add(l, gen_expr(g, below(3)));
			continue;
		}
		g->ops[AST_X_ANY]++;
		l = ast_exprs_add(l, ast_expr_leaf(&g->b, AST_X_ANY, SPAN_NONE, STR("*")));
	}
	g->values[AST_V_CALL]++;
	return AST_VALUE(&g->b, AST_V_CALL, SPAN_NONE, .text = gen_name(), .args = l.head);
}

static struct ast_value *gen_sysitem(struct gen *g)
{
	return below(3) ? gen_call(g) : gen_group(g);
}

/* --- random options, nets, programs, requests ----------------------------------------- */

enum flavour { COMMAND, FILES, NET, SYSCALL, TOOLS };

static struct ast_option *gen_option(struct gen *g, enum flavour f)
{
	enum ast_opt_kind k = (enum ast_opt_kind)below(AST_O_PEEK + 1);
	struct ast_value *v = NULL;
	struct ast_expr *x = NULL;

	switch (k) {
	case AST_O_BECAUSE:
		v = gen_str(g);
		break;
	case AST_O_AS:
	case AST_O_MAY:
		v = gen_name_value(g);
		break;
	case AST_O_WHEN:
		x = gen_expr(g, below(4));
		break;
	case AST_O_WITH:
		if (f != COMMAND && f != SYSCALL)
			return NULL;
		v = f == SYSCALL ? gen_name_value(g) : gen_list(g, gen_optitem);
		break;
	case AST_O_WITH_ONLY:
	case AST_O_WITHOUT:
		if (f != COMMAND)
			return NULL;
		v = gen_list(g, gen_optitem);
		break;
	case AST_O_WITHIN:
		if (f != COMMAND && f != NET)
			return NULL;
		v = gen_list(g, f == NET ? gen_host : gen_path);
		break;
	case AST_O_EXCEPT:
		v = gen_list(g, f == COMMAND ? gen_pat :
				f == FILES   ? gen_path :
				f == NET     ? gen_host :
				f == SYSCALL ? gen_sysitem :
					       gen_word_or_str);
		break;
	case AST_O_MATCH:
	case AST_O_NOT_MATCH:
		if (f == SYSCALL)
			return NULL;
		v = gen_list(g, gen_str);
		break;
	case AST_O_STRICT:
	case AST_O_ACCEPT_ADVISORY:
		break;
	case AST_O_UNTIL:
		v = gen_date(g);
		break;
	case AST_O_PEEK:
		if (f != NET)
			return NULL;
		v = gen_name_value(g);
		break;
	}
	g->options[k]++;
	return AST_OPTION(&g->b, k, SPAN_NONE, .values = v, .expr = x);
}

static struct ast_option *gen_options(struct gen *g, enum flavour f)
{
	struct ast_options l = { 0 };

	for (unsigned n = below(4); n; n--)
		l = ast_options_add(l, gen_option(g, f));
	return l.head;
}

static struct ast_net gen_net(struct gen *g)
{
	struct ast_net n = { 0 };

	if (coin())
		n.proto = gen_value_of(g, AST_V_NAME, PICK("tcp", "udp"));
	if (coin())
		n.hosts = gen_list(g, gen_host);
	if (coin() || (!n.proto && !n.hosts))
		n.ports = gen_list(g, gen_port);
	return n;
}

static struct ast_value *gen_optspecs(struct gen *g)
{
	return gen_list(g, gen_optspec);
}

static struct ast_prog_item *gen_prog_item(struct gen *g)
{
	enum ast_prog_kind k = (enum ast_prog_kind)below(AST_P_FLAG + 1);
	struct ast_value *v = NULL, *when = NULL;

	switch (k) {
	case AST_P_GLOBAL:
	case AST_P_OPTIONS:
	case AST_P_QUERY:
		v = gen_optspecs(g);
		break;
	case AST_P_SKIP:
		v = gen_number(g);
		break;
	case AST_P_CODE:
	case AST_P_CODE_OPERAND:
		v = k == AST_P_CODE ? gen_optspecs(g) : gen_number(g);
		when = coin() ? gen_regex(g) : NULL;
		break;
	case AST_P_AFTER:
		v = coin() ? gen_optspecs(g) : gen_list(g, gen_str);
		break;
	case AST_P_ENDS_AT:
		v = gen_list(g, gen_str);
		break;
	case AST_P_CODE_STDIN:
	case AST_P_SHELL:
		break;
	case AST_P_FLAG:
		v = gen_let_name(g);
		break;
	}
	g->items[k]++;
	return AST_PROG(&g->b, k, SPAN_NONE, .values = v, .when = when);
}

static struct ast_prog_item *gen_prog_items(struct gen *g)
{
	struct ast_prog_items l = { 0 };

	for (unsigned n = below(4); n; n--)
		l = ast_prog_items_add(l, gen_prog_item(g));
	return l.head;
}

static struct ast_request gen_request(struct gen *g, bool set)
{
	/* `argv` is no set; `setting` is asked on the command line only. */
	enum ast_request_kind k;
	struct ast_request r = { 0 };

	do {
		k = (enum ast_request_kind)below(AST_R_TOOL + 1);
	} while (set && k == AST_R_ARGV);
	g->requests[k]++;
	r.kind = k;
	r.at = SPAN_NONE;
	if (k == AST_R_NET)
		r.net = gen_net(g);
	else if (k == AST_R_SYSCALL)
		r.values = set ? gen_list(g, gen_sysitem) : gen_call(g);
	else if (k == AST_R_TOOL)
		r.values = set ? gen_list(g, gen_word_or_str) : gen_word_or_str(g);
	else if (k == AST_R_ARGV)
		r.values = gen_list(g, gen_str);
	else if (k == AST_R_COMMAND)
		r.values = set ? gen_list(g, gen_pat) : gen_str(g);
	else
		r.values = set ? gen_list(g, gen_path) : gen_str(g);
	if (k == AST_R_FILE)
		r.ops = set ? 1 + below(7) : 1u << below(3);
	return r;
}

/* --- random statements --------------------------------------------------------------------- */

static enum ast_effect gen_effect(bool hide)
{
	return (enum ast_effect)below(hide ? 4 : 3);
}

static struct ast_stmt *gen_pair(struct gen *g, struct str name, bool append)
{
	return AST_STMT(&g->b, AST_PAIR, SPAN_NONE, .name = name,
			.values = gen_any_value(g), .locked = coin(),
			.append = append && coin());
}

static struct ast_stmt *gen_otherwise(struct gen *g, bool by_risk)
{
	struct ast_values l = { 0 };

	if (!by_risk || coin())
		return AST_STMT(&g->b, AST_OTHERWISE, SPAN_NONE, .effect = gen_effect(false),
				.locked = coin());
	for (unsigned n = 1 + below(4); n; n--) {
		const char *effect = ast_effect_name(gen_effect(false));

		l = ast_values_add(l, ast_keyed(gen_value_of(g, AST_V_NAME,
							     str_from(effect)),
						gen_name()));
	}
	return AST_STMT(&g->b, AST_OTHERWISE_BY_RISK, SPAN_NONE, .pairs = l.head,
			.locked = coin());
}

static struct ast_stmt *gen_rule(struct gen *g, enum flavour f, struct ast_value *values,
				 bool hide, unsigned ops)
{
	return AST_STMT(&g->b, AST_RULE, SPAN_NONE, .effect = gen_effect(hide),
			.final = coin(), .values = values, .ops = ops,
			.options = gen_options(g, f));
}

static struct ast_stmt *gen_command_stmt(struct gen *g)
{
	static const enum ast_stmt_kind programs[] = { AST_PROGRAM, AST_WRAPPER,
						       AST_INTERPRETER };
	struct ast_value *v;

	switch (below(9)) {
	case 0:
		return gen_otherwise(g, true);
	case 1:
		return AST_STMT(&g->b, AST_RISK, SPAN_NONE, .name = gen_name(),
				.values = gen_list(g, gen_pat),
				.options = gen_options(g, COMMAND));
	case 2:
		return AST_STMT(&g->b, programs[below(3)], SPAN_NONE,
				.values = gen_list(g, gen_word_or_str),
				.items = gen_prog_items(g));
	case 3:
		return AST_STMT(&g->b, coin() ? AST_TAINT : AST_SAFE, SPAN_NONE,
				.values = gen_list(g, gen_word_or_str));
	case 4:
		return AST_STMT(&g->b, AST_INERT, SPAN_NONE, .values = gen_list(g, gen_pat),
				.options = gen_options(g, COMMAND));
	case 5:
		v = gen_str(g);
		v->next = coin() ? gen_str(g) : NULL;
		return AST_STMT(&g->b, AST_PIN, SPAN_NONE, .name = gen_name(), .values = v);
	case 6:
		return AST_STMT(&g->b, AST_SHELL, SPAN_NONE, .name = gen_name(),
				.values = coin() ? gen_str(g) : NULL);
	case 7:
		return AST_STMT(&g->b, AST_OPAQUE, SPAN_NONE, .effect = gen_effect(false),
				.locked = coin());
	default:
		return gen_rule(g, COMMAND, gen_list(g, gen_pat), false, 0);
	}
}

static struct ast_stmt *gen_file_stmt(struct gen *g)
{
	struct ast_value *v;

	switch (below(4)) {
	case 0:
		return AST_STMT(&g->b, AST_OTHERWISE, SPAN_NONE, .ops = below(8),
				.effect = gen_effect(false), .locked = coin());
	case 1:
		return AST_STMT(&g->b, AST_SCRATCH, SPAN_NONE,
				.values = gen_list(g, gen_path));
	case 2:
		v = gen_str(g);
		v->next = gen_str(g);
		return AST_STMT(&g->b, AST_MOUNT, SPAN_NONE, .values = v,
				.ops = 1 + below(7));
	default:
		return gen_rule(g, FILES, gen_list(g, gen_path), true, below(8));
	}
}

static struct ast_stmt *gen_network_stmt(struct gen *g)
{
	struct ast_stmt *s;

	switch (below(4)) {
	case 0:
		return gen_otherwise(g, false);
	case 1:
		return AST_STMT(&g->b, AST_VIA, SPAN_NONE, .values = gen_str(g));
	case 2:
		return AST_STMT(&g->b, AST_MODE, SPAN_NONE, .name = gen_name(),
				.locked = coin());
	default:
		s = AST_STMT(&g->b, AST_RULE, SPAN_NONE, .effect = gen_effect(false),
			     .final = coin(), .net = gen_net(g),
			     .options = gen_options(g, NET));
		return s;
	}
}

static struct ast_stmt *gen_env_stmt(struct gen *g)
{
	struct ast_value *v;

	switch (below(3)) {
	case 0:
		return AST_STMT(&g->b, AST_KEEP, SPAN_NONE, .locked = coin(),
				.append = coin(), .values = gen_list(g, gen_word_or_str));
	case 1:
		return AST_STMT(&g->b, AST_SET, SPAN_NONE, .locked = coin(),
				.name = gen_name(), .values = gen_str(g));
	default:
		v = gen_name_value(g);
		v->next = gen_str(g);
		return AST_STMT(&g->b, AST_SECRET, SPAN_NONE, .locked = coin(),
				.name = gen_name(), .values = v);
	}
}

static struct ast_stmt *gen_session_stmt(struct gen *g)
{
	if (coin())
		return AST_STMT(&g->b, AST_RATE, SPAN_NONE, .name = gen_name(),
				.values = gen_number(g), .per = gen_number(g),
				.locked = coin());
	return gen_pair(g, gen_word(), true);
}

static struct ast_stmt *gen_section(struct gen *g, enum ast_section_kind k);

static struct ast_value *gen_route_name(struct gen *g)
{
	return gen_value_of(g, AST_V_NAME, PICK("x", "network", "file", "rate", "exec"));
}

static struct ast_stmt *gen_runner_stmt(struct gen *g)
{
	static const enum ast_section_kind inner[] = { AST_SEC_FILE, AST_SEC_NETWORK,
						       AST_SEC_LIMITS, AST_SEC_ENV };
	struct ast_stmts l = { 0 };
	bool has_else = coin();

	switch (below(3)) {
	case 0:
		return AST_STMT(&g->b, AST_MODE, SPAN_NONE, .name = gen_name(),
				.locked = coin());
	case 1:
		return AST_STMT(&g->b, AST_ROUTE, SPAN_NONE, .locked = coin(),
				.values = gen_list(g, gen_route_name), .name = gen_name(),
				.has_else = has_else,
				.effect = has_else ? gen_effect(false) : AST_ALLOW);
	default:
		break;
	}
	for (unsigned n = below(3); n; n--)
		l = ast_stmts_add(l, coin() ? gen_pair(g, gen_word(), true) :
					      gen_section(g, inner[below(4)]));
	return AST_STMT(&g->b, AST_RUNNER, SPAN_NONE, .locked = coin(),
			.name = gen_route_name(g)->text, .body = l.head);
}

static struct ast_stmt *gen_in_section(struct gen *g, enum ast_section_kind k)
{
	switch (k) {
	case AST_SEC_COMMAND:
		return gen_command_stmt(g);
	case AST_SEC_FILE:
		return gen_file_stmt(g);
	case AST_SEC_NETWORK:
		return gen_network_stmt(g);
	case AST_SEC_UNIX:
		return gen_rule(g, FILES, gen_list(g, gen_path), false, 0);
	case AST_SEC_SYSCALL:
		return coin() ? gen_rule(g, SYSCALL, gen_list(g, gen_sysitem), false, 0) :
				gen_otherwise(g, false);
	case AST_SEC_ENV:
		return gen_env_stmt(g);
	case AST_SEC_SESSION:
		return gen_session_stmt(g);
	case AST_SEC_RUNNER:
		return gen_runner_stmt(g);
	case AST_SEC_TOOLS:
		return coin() ? gen_rule(g, TOOLS, gen_list(g, gen_word_or_str), false, 0) :
				gen_otherwise(g, true);
	case AST_SEC_LIMITS:
	case AST_SEC_AUDIT:
	case AST_SEC_COUNT:
		break;
	}
	return gen_pair(g, gen_name(), true);
}

static struct ast_stmt *gen_section(struct gen *g, enum ast_section_kind k)
{
	struct ast_stmts l = { 0 };
	bool mode = k == AST_SEC_NETWORK && coin();

	for (unsigned n = below(6); n; n--)
		l = ast_stmts_add(l, gen_in_section(g, k));
	return AST_STMT(&g->b, AST_SECTION, SPAN_NONE, .section = k, .locked = coin(),
			.name = mode ? gen_name() : STR_NULL, .body = l.head);
}

static struct ast_stmt *gen_test(struct gen *g)
{
	struct ast_test_cases l = { 0 };

	for (unsigned n = below(4); n; n--)
		l = ast_test_cases_add(
			l, ast_test_case(&g->b, (struct ast_test_case){
							SPAN_NONE, gen_request(g, false),
							gen_effect(false),
							coin() ? gen_name_value(g) : NULL,
							NULL }));
	return AST_STMT(&g->b, AST_TEST, SPAN_NONE, .name = gen_plain(g), .cases = l.head,
			.expr = coin() ? gen_expr(g, below(4)) : NULL);
}

static struct ast_stmt *gen_assert(struct gen *g)
{
	enum ast_assert_kind k = (enum ast_assert_kind)below(3);
	struct ast_request r = gen_request(g, true);
	enum flavour f = r.kind == AST_R_COMMAND ? COMMAND :
			 r.kind == AST_R_NET	 ? NET :
			 r.kind == AST_R_SYSCALL ? SYSCALL :
			 r.kind == AST_R_TOOL	 ? TOOLS :
						   FILES;

	return AST_STMT(&g->b, AST_ASSERT, SPAN_NONE, .assert_kind = k, .request = r,
			.effect = k == AST_ALWAYS ? gen_effect(false) : AST_ALLOW,
			.options = gen_options(g, f));
}

static struct ast_value *gen_use(struct gen *g)
{
	return below(3) == 0 ? gen_let_name(g) :
	       coin()	     ? gen_str(g) :
			       gen_value_of(g, AST_V_PATH,
					    PICK("std/base", "./x.pol", "../a/b"));
}

static struct ast_value *gen_element(struct gen *g)
{
	return coin() ? gen_word_or_str(g) : coin() ? gen_addr(g) : gen_group(g);
}

static struct ast_stmt *gen_top(struct gen *g, unsigned depth);

static struct ast_stmt *gen_body(struct gen *g, unsigned depth)
{
	struct ast_stmts l = { 0 };

	for (unsigned n = below(depth == 2 ? 12 : 4); n; n--)
		l = ast_stmts_add(l, gen_top(g, depth));
	return l.head;
}

static struct ast_stmt *gen_tool_body(struct gen *g)
{
	struct ast_stmts l = { 0 };
	struct ast_stmt *s;

	for (unsigned n = below(4); n; n--) {
		s = coin() ? gen_pair(g, gen_name(), false) :
			     AST_STMT(&g->b, AST_TOOL_EFFECT, SPAN_NONE,
				      .effect = gen_effect(false));
		s->locked = false;
		l = ast_stmts_add(l, s);
	}
	return l.head;
}

static struct ast_stmt *gen_top(struct gen *g, unsigned depth)
{
	struct ast_stmts l = { 0 };

	switch (below(16)) {
	case 0:
		for (unsigned n = below(4); n; n--)
			l = ast_stmts_add(l, gen_pair(g, gen_name(), false));
		return AST_STMT(&g->b, AST_POLICY, SPAN_NONE, .name = gen_name(),
				.body = l.head);
	case 1:
		return AST_STMT(&g->b, AST_USE, SPAN_NONE, .values = gen_list(g, gen_use));
	case 2:
		return AST_STMT(&g->b, AST_LET, SPAN_NONE, .name = gen_word(),
				.values = gen_any_value(g));
	case 3:
		return AST_STMT(&g->b, AST_GROUP, SPAN_NONE, .name = gen_word(),
				.values = gen_list(g, gen_element));
	case 4:
		return AST_STMT(&g->b, AST_TOOL, SPAN_NONE,
				.name = coin() ? gen_name() : gen_plain(g),
				.body = gen_tool_body(g));
	case 5:
		return AST_STMT(&g->b, AST_ALERT, SPAN_NONE, .name = gen_name(),
				.expr = gen_expr(g, below(4)),
				.per = coin() ? gen_number(g) : NULL,
				.values = gen_name_value(g));
	case 6:
		return AST_STMT(&g->b, AST_SETTING, SPAN_NONE, .name = gen_plain(g),
				.locked = coin(), .append = coin(),
				.values = gen_any_value(g));
	case 7:
		return gen_assert(g);
	case 8:
		return gen_test(g);
	case 9:
		if (!depth)
			return gen_test(g);
		return AST_STMT(&g->b, AST_ROLE, SPAN_NONE, .name = gen_name(),
				.body = gen_body(g, depth - 1));
	default:
		return gen_section(g, (enum ast_section_kind)below(AST_SEC_COUNT));
	}
}

/* --- the laws --------------------------------------------------------------------------- */

static struct ast_file *parse(struct gen *g, struct str text)
{
	return dsl_parse(&g->arena, &g->sink, &g->map,
			 source_add(&g->map, STR("printed"), text));
}

static void fail_with(struct gen *g, unsigned long seed, struct str text)
{
	diag_render(stderr, &g->sink, &g->map, false);
	fail_msg("SEED=%lu: %.*s", seed, STR_ARG(text));
}

static void count_kinds(struct gen *g, const struct ast_stmt *s)
{
	for (; s; s = s->next) {
		g->seen[s->kind]++;
		count_kinds(g, s->body);
	}
}

static void one_tree(struct gen *g, unsigned long seed)
{
	struct ast_stmt *tree;
	struct ast_file *again;
	struct buf text, back, line;

	gen_init(g);
	tree = gen_body(g, 2);
	count_kinds(g, tree);
	buf_init(&text, &g->arena);
	ast_print_file(&text, ast_file(&g->b, 0, tree));
	again = parse(g, buf_view(&text));
	if (!again || !same_stmts(tree, again->stmts))
		fail_with(g, seed, buf_view(&text));
	buf_init(&back, &g->arena);
	ast_print_file(&back, again);
	if (!str_eq(buf_view(&text), buf_view(&back)))
		fail_with(g, seed, buf_view(&back));

	/* All statements on one line, each as the rule ids see it. */
	buf_init(&line, &g->arena);
	for (const struct ast_stmt *s = tree; s; s = s->next) {
		ast_print_stmt(&line, s);
		buf_ch(&line, ' ');
	}
	assert_null(memchr(line.n ? (const char *)line.p : "", '\n', line.n));
	again = parse(g, buf_view(&line));
	if (!again || !same_stmts(tree, again->stmts))
		fail_with(g, seed, buf_view(&line));
	arena_release(&g->arena);
}

static void check_seen(const char *what, const unsigned *v, size_t n, int never)
{
	for (size_t i = 0; i < n; i++)
		if (!v[i] && (int)i != never)
			fail_msg("no random tree has %s %zu", what, i);
}

static void test_random_trees_come_back(void **state)
{
	static struct gen g;
	unsigned long seed = from_env("SEED", (unsigned long)time(NULL));
	unsigned long runs = from_env("RUNS", 1500);

	(void)state;
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++) {
		rng = (seed + i) * 0x9e3779b97f4a7c15u + 1;
		one_tree(&g, seed + i);
	}
	if (runs < 1000)
		return;
	check_seen("statement", g.seen, POL_LEN(g.seen), -1);
	check_seen("option", g.options, POL_LEN(g.options), -1);
	check_seen("value", g.values, POL_LEN(g.values), -1);
	check_seen("operator", g.ops, POL_LEN(g.ops), -1);
	check_seen("program item", g.items, POL_LEN(g.items), -1);
	check_seen("request", g.requests, POL_LEN(g.requests), AST_R_SETTING);
}

/* --- shipped files and broken ones ------------------------------------------------------- */

/* Calls `f` on each .pol below a folder; returns how many. */
static unsigned each_policy(const char *dir, unsigned depth, void (*f)(const char *path))
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;
	char path[4096];

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (len > 4 && strcmp(e->d_name + len - 4, ".pol") == 0) {
			f(path);
			n++;
		} else if (depth && e->d_type == DT_DIR) {
			n += each_policy(path, depth - 1, f);
		}
	}
	if (d)
		closedir(d);
	return n;
}

static unsigned parsed;

static void comes_back(const char *path)
{
	static struct gen g;
	struct ast_file *f, *again;
	struct buf text;
	uint32_t file;

	gen_init(&g);
	assert_int_equal(source_read(&g.map, path, str_from(path), &file), 0);
	f = dsl_parse(&g.arena, &g.sink, &g.map, file);
	if (f) {
		parsed++;
		buf_init(&text, &g.arena);
		ast_print_file(&text, f);
		again = parse(&g, buf_view(&text));
		if (!again || !same_stmts(f->stmts, again->stmts))
			fail_with(&g, 0, str_from(path));
	}
	arena_release(&g.arena);
}

static void test_policies_of_this_tree_come_back(void **state)
{
	(void)state;
	each_policy(POL_STDLIB_DIR, 4, comes_back);
	each_policy(POL_STDLIB_DIR "/../examples", 4, comes_back);
	each_policy(POL_STDLIB_DIR "/../tests/golden", 4, comes_back);
	assert_true(parsed >= 5);
}

static struct str corpus;

static void add_to_corpus(const char *path)
{
	static char all[1 << 18];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	corpus.p = all;
	corpus.n += fread(all + corpus.n, 1, sizeof(all) - corpus.n, f);
	fclose(f);
}

/* Pieces of the corpus in a new order, with some bytes changed. */
static struct str mix(struct gen *g)
{
	struct buf b;

	buf_init(&b, &g->arena);
	for (unsigned n = 1 + below(8); n; n--) {
		unsigned at = below((unsigned)corpus.n), len = below(200);

		buf_str(&b, str_sub(corpus, at, len));
		if (below(8) == 0)
			buf_ch(&b, (char)below(256));
		if (coin())
			buf_ch(&b, "}])\n{[(\"/,;=>#"[below(14)]);
	}
	return str_dup(&g->arena, buf_view(&b));
}

static void test_broken_texts_are_refused_with_a_reason(void **state)
{
	static struct gen g;
	unsigned long seed = from_env("SEED", (unsigned long)time(NULL));
	unsigned long runs = from_env("RUNS", 1500);
	unsigned long refused = 0;

	(void)state;
	each_policy(POL_STDLIB_DIR "/../tests/golden/syntax", 0, add_to_corpus);
	assert_true(corpus.n > 1000);
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++) {
		struct ast_file *f;
		struct str text;

		rng = (seed + i) * 0x9e3779b97f4a7c15u + 1;
		gen_init(&g);
		text = mix(&g);
		f = parse(&g, text);
		if ((f == NULL) != (g.sink.errors > 0))
			fail_with(&g, seed + i, text);
		for (size_t k = 0; k < g.sink.list.n; k++) {
			struct span at = g.sink.list.v[k]->at;

			assert_true(at.off + at.len <= text.n);
		}
		refused += f == NULL;
		arena_release(&g.arena);
	}
	assert_true(refused > runs / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees_come_back),
		cmocka_unit_test(test_policies_of_this_tree_come_back),
		cmocka_unit_test(test_broken_texts_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
