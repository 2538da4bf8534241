/*
 * The canonical text of statements: rule ids hash it, so each row here is a
 * promise.  That it parses again is prop_print_parse's business.
 */
#include "compiler/ast/build.h"
#include "compiler/ast/print.h"
#include "compiler/frontend/dsl.h"
#include "tests/unit/fixture.h"

static struct ast_build build;

static int build_setup(void **state)
{
	(void)texts_setup(state);
	ast_build_init(&build, &arena, &sink);
	return 0;
}

static int build_teardown(void **state)
{
	return texts_teardown(state);
}

static struct ast_stmt *parsed(const char *text)
{
	struct ast_file *f = dsl_parse(&arena, &sink, &map,
				       source_add(&map, STR("t"), str_from(text)));

	if (!f) {
		diag_render(stderr, &sink, &map, false);
		fail_msg("refused: %s", text);
	}
	return f->stmts;
}

static const char *printed(const struct ast_stmt *s)
{
	struct buf b;

	buf_init(&b, &arena);
	ast_print_stmt(&b, s);
	return str_z(&arena, buf_view(&b));
}

static void test_layout_and_spelling_do_not_matter(void **state)
{
	static const struct {
		const char *source, *text;
	} rows[] = {
		{ "command { deny\n\t\"a\" ,\"b\" # why\n  because \"x\" ; }",
		  "command { deny \"a\", \"b\" because \"x\" }" },
		{ "file { allow exec,read \"\\x2fusr\" }", "file { allow read, exec \"/usr\" }" },
		{ "file { otherwise write , read deny }",
		  "file { otherwise read, write deny }" },
		{ "network limited { allow * port 1 }", "network limited { allow any port 1 }" },
		{ "network full { }", "network full" },
		{ "network { }", "network { }" },
		{ "group @g = [ a , @b ]", "group @g = a, @b" },
		{ "let m = { \"a\" = 1 ; \"b c\" = [ ] }", "let m = { a = 1, \"b c\" = [] }" },
		{ "tool \"web\" { ask }", "tool web { ask }" },
		{ "tool \"deny\" { ask }", "tool \"deny\" { ask }" },
		{ "syscall { deny f ( ((a)) , * ) when ((a|b)&c) == (d) }",
		  "syscall { deny f(a, *) when (a | b) & c == d }" },
		{ "syscall { deny f() }", "syscall { deny f() }" },
		{ "test \"\\u{74}\" { net tcp \"h\" port 1=>deny by x }",
		  "test \"t\" { net tcp \"h\" port 1 => deny by x }" },
		{ "command { program git { code -c: when /^a/ code stdin transparent } }",
		  "command { program git { code -c: when /^a/ code stdin transparent } }" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		assert_string_equal(printed(parsed(rows[i].source)), rows[i].text);
}

static void test_what_has_a_meaning_is_told_apart(void **state)
{
	static const char *const pairs[][2] = {
		{ "command { deny \"x\" }", "command { final deny \"x\" }" },
		{ "command { deny \"x\" }", "locked command { deny \"x\" }" },
		{ "command { deny \"x\" }", "command { ask \"x\" }" },
		{ "command { deny \"x\" }", "command { deny r\"x\" }" },
		{ "command { deny \"x\" }", "command { deny x }" },
		{ "command { deny /x/ }", "command { deny /x/i }" },
		{ "command { deny \"$x\" }", "command { deny \"\\$x\" }" },
		{ "command { deny \"x\" with -f }", "command { deny \"x\" with only -f }" },
		{ "command { deny \"x\" with -f }", "command { deny \"x\" without -f }" },
		{ "command { deny \"x\" match \"y\" }", "command { deny \"x\" not match \"y\" }" },
		{ "file { deny \"x\" }", "file { deny read \"x\" }" },
		{ "limits { cpu 1 }", "limits { cpu += 1 }" },
		{ "limits { cpu 1 }", "limits { cpu \"1\" }" },
		{ "env { keep A }", "env { keep += A }" },
		{ "setting \"a\" = 1", "locked setting \"a\" = 1" },
		{ "syscall { deny f }", "syscall { deny f() }" },
		{ "syscall { deny x when a and (b or c) }", "syscall { deny x when a and b or c }" },
		{ "syscall { deny x when a == \"b\" }", "syscall { deny x when a == b }" },
		{ "runner { a b }", "runner { a b else deny }" },
		{ "network limited", "network { }" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(pairs); i++)
		assert_string_not_equal(printed(parsed(pairs[i][0])),
					printed(parsed(pairs[i][1])));
}

static void test_a_file_is_indented(void **state)
{
	struct buf b;
	struct ast_file *f = ast_file(
		&build, 0,
		parsed("use a role r { command { program x { options -a skip 1 } } } let y = 1"));

	(void)state;
	buf_init(&b, &arena);
	ast_print_file(&b, f);
	assert_string_equal(str_z(&arena, buf_view(&b)),
			    "use a\n"
			    "role r {\n"
			    "    command {\n"
			    "        program x {\n"
			    "            options -a\n"
			    "            skip 1\n"
			    "        }\n"
			    "    }\n"
			    "}\n"
			    "let y = 1\n");
}

/* YAML makes trees that no DSL text would: they still print as DSL. */
static void test_trees_of_another_front_end_are_spelt_right(void **state)
{
	struct ast_value *v = AST_VALUE(&build, AST_V_REGEX, SPAN_NONE, .text = STR("a/b\nc\\/"));
	struct ast_stmt *s = AST_STMT(&build, AST_LET, SPAN_NONE, .name = STR("x"), .values = v);

	(void)state;
	assert_string_equal(printed(s), "let x = /a\\/b\\nc\\//");
	parsed(printed(s));
	v->kind = AST_V_NAME;
	v->text = STR("deny");
	assert_string_equal(printed(s), "let x = \"deny\"");
	v->kind = AST_V_STRING;
	v->text = ast_string_text(&build, STR("a\x01\"\\$"), false);
	assert_string_equal(printed(s), "let x = \"a\\x01\\\"\\\\\\$\"");
	assert_true(str_eq(parsed(printed(s))->values->text, v->text));
	v->text = ast_string_text(&build, STR("${HOME}"), true);
	assert_string_equal(printed(s), "let x = \"${HOME}\"");
	v->kind = AST_V_RAW;
	v->text = STR("a\"b");
	assert_string_equal(printed(s), "let x = \"a\\\"b\"");
	v->text = STR("a\\$\n");
	assert_string_equal(printed(s), "let x = \"a\\\\\\$\\n\"");
}

static void test_plain_and_string_text_are_inverse(void **state)
{
	static const char *const rows[] = { "", "$", "a$b${c}", "\\$", "\\\\$x", "no" };

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ast_value *v = AST_VALUE(
			&build, AST_V_STRING, SPAN_NONE,
			.text = ast_string_text(&build, str_from(rows[i]), false));

		assert_true(str_eqz(ast_plain(&build, v), rows[i]));
	}
}

static void test_names_are_words_that_are_not_reserved(void **state)
{
	(void)state;
	assert_true(ast_is_name(STR("a-b.c_9")));
	assert_true(ast_is_name(STR("file")));
	assert_false(ast_is_name(STR("deny")));
	assert_true(ast_is_word(STR("deny")));
	assert_false(ast_is_word(STR("9a")));
	assert_false(ast_is_word(STR("-a")));
	assert_false(ast_is_word(STR("")));
	assert_false(ast_is_word(STR("a b")));
	assert_false(ast_is_word(STR("a\xc3\xa9")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(build, test_layout_and_spelling_do_not_matter),
		WITH(build, test_what_has_a_meaning_is_told_apart),
		WITH(build, test_a_file_is_indented),
		WITH(build, test_trees_of_another_front_end_are_spelt_right),
		WITH(build, test_plain_and_string_text_are_inverse),
		WITH(build, test_names_are_words_that_are_not_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
