/*
 * Two spellings, one tree: random trees as text of the language and as YAML
 * read back as the same tree, and going there and back changes nothing, nor
 * loses a comment.  Random policies that compile have one IR in both, with the
 * same ids of rules, but for places.  SEED= and RUNS= choose the runs.
 */
#include "compiler/format/convert.h"
#include "compiler/format/format.h"
#include "compiler/frontend/dsl.h"
#include "compiler/frontend/lexemes.h"
#include "compiler/frontend/yaml.h"
#include "tests/prop/laws.h"
#include "tests/prop/tree_text.h"

static struct ast_file *read_text(struct tree_gen *g, bool yaml, struct str text)
{
	uint32_t file = source_add(&g->map, yaml ? STR("t.yml") : STR("t.pol"), text);

	return yaml ? yml_parse(&g->arena, &g->sink, &g->map, file) :
		      dsl_parse(&g->arena, &g->sink, &g->map, file);
}

static struct str as_yaml(struct tree_gen *g, const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &g->arena);
	convert_to_yaml(&b, &g->map, f);
	return buf_view(&b);
}

static struct str neat(struct tree_gen *g, unsigned long seed, const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &g->arena);
	if (!format_dsl(&b, &g->map, f))
		fail_with(g, seed, "no layout", printed(g, f));
	return buf_view(&b);
}

static struct str as_dsl(struct tree_gen *g, unsigned long seed, const struct ast_file *f)
{
	struct ast_file *again;
	struct buf b;

	buf_init(&b, &g->arena);
	convert_to_dsl(&b, &g->map, f);
	again = read_text(g, false, buf_view(&b));
	if (!again)
		fail_with(g, seed, "no text of the language", buf_view(&b));
	return neat(g, seed, again);
}

static int by_text(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* All comments, sorted: those inside of a statement move. */
static struct str comments(struct tree_gen *g, const struct ast_file *f)
{
	struct str *all = arena_array(&g->arena, f->ncomments + 1, sizeof(*all));
	struct buf b;

	for (size_t i = 0; i < f->ncomments; i++)
		all[i] = source_text(&g->map, f->comments[i]);
	qsort(all, f->ncomments, sizeof(*all), by_text);
	buf_init(&b, &g->arena);
	for (size_t i = 0; i < f->ncomments; i++) {
		buf_str(&b, all[i]);
		buf_ch(&b, '\n');
	}
	return buf_view(&b);
}

/* There and back; `exact`: the text of the language comes back as it was. */
static void one_text(struct tree_gen *g, unsigned long seed, struct str text, bool exact)
{
	struct ast_file *dsl = read_text(g, false, text), *yaml, *back;
	struct str there, here, was;

	assert_non_null(dsl);
	was = neat(g, seed, dsl);
	if (exact) /* of a text in canonical layout */
		dsl = read_text(g, false, was);
	there = as_yaml(g, dsl);
	yaml = read_text(g, true, there);
	if (!yaml)
		fail_with(g, seed, "no policy in YAML", there);
	if (!str_eq(printed(g, dsl), printed(g, yaml))) {
		fprintf(stderr, "%.*s\n---\n%.*s\n---\n", STR_ARG(printed(g, dsl)),
			STR_ARG(printed(g, yaml)));
		fail_with(g, seed, "YAML is another tree", there);
	}
	if (!str_eq(comments(g, dsl), comments(g, yaml))) {
		fprintf(stderr, "%.*s\n---\n%.*s\n---\n%.*s\n", STR_ARG(comments(g, dsl)),
			STR_ARG(comments(g, yaml)), STR_ARG(there));
		fail_with(g, seed, "other comments in YAML", text);
	}
	here = as_dsl(g, seed, yaml);
	back = read_text(g, false, here);
	if (!back || !str_eq(printed(g, dsl), printed(g, back)))
		fail_with(g, seed, "another tree comes back", here);
	if (!str_eq(comments(g, dsl), comments(g, back)))
		fail_with(g, seed, "other comments come back", here);
	if (!exact)
		return;
	if (!str_eq(was, here)) {
		fprintf(stderr, "%.*s\n---\n%.*s\n---\n", STR_ARG(was), STR_ARG(there));
		fail_with(g, seed, "another text comes back", here);
	}
	if (!str_eq(there, as_yaml(g, back))) {
		fprintf(stderr, "%.*s\n---\n%.*s\n---\n", STR_ARG(there),
			STR_ARG(as_yaml(g, back)));
		fail_with(g, seed, "another YAML the second time", here);
	}
}

/* Comments and line ends between any two words. */
static struct str with_comments(struct tree_gen *g, const struct ast_file *f)
{
	struct dsl_lexemes lex;
	struct buf b;

	assert_true(dsl_lexemes(&g->arena, &g->map, f, &lex));
	buf_init(&b, &g->arena);
	for (size_t i = 0; i < lex.n; i++) {
		buf_str(&b, lex.v[i].text);
		/* a rule's `via` on a line of its own may be refused (P0219) */
		switch (tree_is_via(&lex, i + 1) ? 9 : tree_below(g, 10)) {
		case 0:
			buf_printf(&b, " # behind %zu\n", i);
			break;
		case 1:
			buf_printf(&b, "\n\n# 'before' %zu: [a, {b\n", i);
			break;
		case 2:
			buf_z(&b, "\n");
			break;
		default:
			buf_ch(&b, ' ');
			break;
		}
	}
	return buf_view(&b);
}

/* Whole statements with a comment before, or behind. */
static struct str with_neat_comments(struct tree_gen *g, const struct ast_file *f)
{
	struct buf b;
	unsigned n = 0;

	buf_init(&b, &g->arena);
	for (const struct ast_stmt *s = f->stmts; s; s = s->next) {
		if (tree_coin(g))
			buf_printf(&b, "%s# before %u\n", tree_coin(g) ? "\n" : "", n++);
		ast_print_stmt(&b, s);
		if (tree_coin(g))
			buf_printf(&b, " # behind %u", n++);
		buf_ch(&b, '\n');
	}
	buf_z(&b, tree_coin(g) ? "\n# the end\n" : "");
	return buf_view(&b);
}

static void test_trees_there_and_back(void **state)
{
	static struct tree_gen g;
	unsigned long seed = from_env("SEED", (unsigned long)time(NULL));
	unsigned long runs = from_env("RUNS", 500);

	(void)state;
	printf("SEED=%lu RUNS=%lu\n", seed, runs);
	for (unsigned long i = 0; i < runs; i++) {
		struct ast_file *f;
		struct str text;

		tree_begin(&g, seed + i);
		text = printed(&g, tree_file(&g));
		f = read_text(&g, false, text);
		assert_non_null(f);
		one_text(&g, seed + i, text, true);
		one_text(&g, seed + i, with_comments(&g, f), false);
		one_text(&g, seed + i, with_neat_comments(&g, f), false);
		tree_end(&g);
	}
}

/* --- one IR ---------------------------------------------------------------------- */

/* `"line":12` is `"line":0`, `.yml` is `.pol`: all that may differ. */
static struct str without_places(const struct ir *ir, struct arena *a)
{
	static const char *const keys[] = { "\"line\":", "\"col\":" };
	struct buf all, b;
	struct str s;

	buf_init(&all, a);
	ir_json(&all, ir);
	s = buf_view(&all);
	buf_init(&b, a);
	for (size_t i = 0; i < s.n;) {
		struct str rest = str_sub(s, i, s.n);
		size_t n = 0;

		if (str_starts(rest, STR(".yml\""))) {
			buf_z(&b, ".pol\"");
			i += 5;
			continue;
		}
		for (size_t k = 0; k < POL_LEN(keys); k++)
			if (str_starts(rest, str_from(keys[k])))
				n = strlen(keys[k]);
		if (!n) {
			buf_ch(&b, s.p[i++]);
			continue;
		}
		buf_str(&b, str_sub(rest, 0, n));
		for (i += n; i < s.n && s.p[i] >= '0' && s.p[i] <= '9';)
			i++;
	}
	return buf_view(&b);
}

/* The texts that have a level as YAML, in place of those of the language. */
static void to_yaml_files(struct options *o, struct arena *a)
{
	for (size_t i = 0; i < o->inputs.n; i++) {
		struct sema_input *in = &o->inputs.v[i];
		struct str path = str_from(in->path);
		struct diag_sink sink;
		struct source_map map;
		struct ast_file *tree;
		uint32_t file;
		struct buf b;
		FILE *f;

		diag_init(&sink, a);
		source_init(&map, a);
		assert_int_equal(source_read(&map, in->path, path, &file), 0);
		tree = dsl_parse(a, &sink, &map, file);
		assert_non_null(tree);
		buf_init(&b, a);
		convert_to_yaml(&b, &map, tree);
		in->path = arena_printf(a, "%.*s.yml", (int)path.n - 4, path.p);
		in->name = str_printf(a, "%.*s.yml", (int)in->name.n - 4, in->name.p);
		f = fopen(in->path, "we");
		assert_non_null(f);
		assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
		assert_int_equal(fclose(f), 0);
	}
}

static void one_policy(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct pol p = pol_random(&g);
	struct compilation dsl, yaml;
	struct options o;
	struct str x, y;

	if (!law_compile(l, &dsl, &o, &p, "lift", a))
		return;
	to_yaml_files(&o, a);
	compilation_init(&yaml, &o, a);
	yaml.sema.stdlib_dir = dsl.sema.stdlib_dir;
	if (passes_run(&yaml, "lift") != CLI_CLEAN) {
		diag_render(stderr, &yaml.sink, &yaml.map, false);
		law_show(&p);
		fail_msg("SEED=%llu: refused as YAML", (unsigned long long)l->seed + run);
	}
	x = without_places(dsl.ir, a);
	y = without_places(yaml.ir, a);
	l->bites += dsl.ir->rules.n > 0;
	l->requests++;
	if (str_eq(x, y))
		return;
	law_show(&p);
	fail_msg("SEED=%llu: another IR\n%.*s\n---\n%.*s",
		 (unsigned long long)l->seed + run, STR_ARG(x), STR_ARG(y));
}

static void test_policies_have_one_ir(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "one IR of both spellings", 200, 0);
	law_repeat(&l, one_policy);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees_there_and_back),
		cmocka_unit_test(test_policies_have_one_ir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
