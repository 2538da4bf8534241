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

#include "compiler/ast/print.h"
#include "compiler/frontend/dsl.h"
#include "tests/prop/random_ast.h"

static unsigned long from_env(const char *name, unsigned long other)
{
	const char *v = getenv(name);

	return v && *v ? strtoul(v, NULL, 0) : other;
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

/* --- the laws --------------------------------------------------------------------------- */

static struct ast_file *parse(struct tree_gen *g, struct str text)
{
	return dsl_parse(&g->arena, &g->sink, &g->map,
			 source_add(&g->map, STR("printed"), text));
}

static void fail_with(struct tree_gen *g, unsigned long seed, struct str text)
{
	diag_render(stderr, &g->sink, &g->map, false);
	fail_msg("SEED=%lu: %.*s", seed, STR_ARG(text));
}

static void one_tree(struct tree_gen *g, unsigned long seed)
{
	struct ast_file *tree, *again;
	struct buf text, back, line;

	tree_begin(g, seed);
	tree = tree_file_with(g, (unsigned)(seed % TREE_KINDS));
	buf_init(&text, &g->arena);
	ast_print_file(&text, tree);
	again = parse(g, buf_view(&text));
	if (!again || !same_stmts(tree->stmts, again->stmts))
		fail_with(g, seed, buf_view(&text));
	buf_init(&back, &g->arena);
	ast_print_file(&back, again);
	if (!str_eq(buf_view(&text), buf_view(&back)))
		fail_with(g, seed, buf_view(&back));

	/* All statements on one line, each as the rule ids see it. */
	buf_init(&line, &g->arena);
	for (const struct ast_stmt *s = tree->stmts; s; s = s->next) {
		ast_print_stmt(&line, s);
		buf_ch(&line, ' ');
	}
	assert_null(memchr(line.n ? (const char *)line.p : "", '\n', line.n));
	again = parse(g, buf_view(&line));
	if (!again || !same_stmts(tree->stmts, again->stmts))
		fail_with(g, seed, buf_view(&line));
	tree_end(g);
}

static void check_seen(const char *what, const unsigned *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!v[i])
			fail_msg("no random tree has %s %zu", what, i);
}

static void test_random_trees_come_back(void **state)
{
	static struct tree_gen g;
	unsigned long seed = from_env("SEED", (unsigned long)time(NULL));
	unsigned long runs = from_env("RUNS", 1500);

	(void)state;
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++)
		one_tree(&g, seed + i);
	/* each tree has the next kind for certain */
	if (runs < TREE_KINDS)
		return;
	check_seen("statement", g.seen, POL_LEN(g.seen));
	check_seen("option", g.options, POL_LEN(g.options));
	check_seen("value", g.values, POL_LEN(g.values));
	check_seen("operator", g.ops, POL_LEN(g.ops));
	check_seen("program item", g.items, POL_LEN(g.items));
	check_seen("request", g.requests, AST_R_SETTING);
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
	static struct tree_gen g;
	struct ast_file *f, *again;
	struct buf text;
	uint32_t file;

	tree_begin(&g, 0);
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
	tree_end(&g);
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
static struct str mix(struct tree_gen *g)
{
	struct buf b;

	buf_init(&b, &g->arena);
	for (unsigned n = 1 + tree_below(g, 8); n; n--) {
		unsigned at = tree_below(g, (unsigned)corpus.n), len = tree_below(g, 200);

		buf_str(&b, str_sub(corpus, at, len));
		if (tree_below(g, 8) == 0)
			buf_ch(&b, (char)tree_below(g, 256));
		if (tree_coin(g))
			buf_ch(&b, "}])\n{[(\"/,;=>#"[tree_below(g, 14)]);
	}
	return str_dup(&g->arena, buf_view(&b));
}

static void test_broken_texts_are_refused_with_a_reason(void **state)
{
	static struct tree_gen g;
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

		tree_begin(&g, seed + i);
		text = mix(&g);
		f = parse(&g, text);
		if ((f == NULL) != (g.sink.errors > 0))
			fail_with(&g, seed + i, text);
		for (size_t k = 0; k < g.sink.list.n; k++) {
			struct span at = g.sink.list.v[k]->at;

			assert_true(at.off + at.len <= text.n);
		}
		refused += f == NULL;
		tree_end(&g);
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
