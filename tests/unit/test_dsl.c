/*
 * The DSL front end: what the tree holds, that the two lists of words agree,
 * that limits have their own message, and that faults are told one by one.
 */
#include <stdlib.h>

#include "compiler/ast/build.h"
#include "compiler/base/buf.h"
#include "compiler/frontend/dsl.h"
#include "tests/unit/fixture.h"

static uint32_t file;

static const struct {
	const char *word;
	char class;
} keywords[] = {
#define KW(token, spelling, class, group, doc) { spelling, #class[0] },
#include "grammar/keywords.def"
#undef KW
};

static struct ast_file *parse_n(struct str text)
{
	struct ast_file *f;

	file = source_add(&map, STR("t.pol"), text);
	diag_init(&sink, &arena);
	f = dsl_parse(&arena, &sink, &map, file);
	if ((f == NULL) != (sink.errors > 0))
		fail_msg("NULL and errors disagree on: %.*s", STR_ARG(text));
	return f;
}

static struct ast_file *parse(const char *text)
{
	return parse_n(str_from(text));
}

static struct ast_stmt *parsed(const char *text)
{
	struct ast_file *f = parse(text);

	if (!f) {
		diag_render(stderr, &sink, &map, false);
		fail_msg("refused: %s", text);
	}
	return f->stmts;
}

static void assert_str(struct str s, const char *want)
{
	if (!str_eqz(s, want))
		fail_msg("'%.*s' is not '%s'", STR_ARG(s), want);
}

/* The codes and columns of all messages, "P0001@3 P0011@9". */
static const char *faults(const char *text)
{
	struct buf b;

	parse(text);
	buf_init(&b, &arena);
	for (size_t i = 0; i < sink.list.n; i++)
		buf_printf(&b, "%s%s@%u", i ? " " : "", diag_code_name(sink.list.v[i]->code),
			   sink.list.v[i]->at.off);
	return str_z(&arena, buf_view(&b));
}

/* --- words ------------------------------------------------------------------- */

static void test_contextual_words_are_names_and_reserved_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(keywords); i++) {
		const char *text = arena_printf(&arena, "role %s { }", keywords[i].word);
		struct ast_file *f = parse(text);

		print_message("%s\n", text);
		if (keywords[i].class == 'C') {
			assert_non_null(f);
			assert_str(f->stmts->name, keywords[i].word);
			assert_true(ast_is_name(str_from(keywords[i].word)));
		} else {
			assert_null(f);
			assert_false(ast_is_name(str_from(keywords[i].word)));
		}
		/* Keys of maps may be any word. */
		parsed(arena_printf(&arena, "let x = { %s = 1 }", keywords[i].word));
	}
}

static void test_there_are_22_reserved_words(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < POL_LEN(keywords); i++)
		n += keywords[i].class == 'R';
	assert_int_equal(n, 22);
}

/* %token lines of policy.y name the same tokens and spellings. */
static void test_the_grammar_and_the_table_agree(void **state)
{
	static const struct {
		const char *token, *word;
	} table[] = {
#define KW(token, spelling, class, group, doc) { #token, spelling },
#include "grammar/keywords.def"
#undef KW
	};
	struct str text;
	uint32_t f;
	size_t found = 0;

	(void)state;
	assert_int_equal(source_read(&map, POL_STDLIB_DIR "/../grammar/policy.y",
				     STR("policy.y"), &f), 0);
	text = map.files.v[f].text;
	for (size_t i = 0; i < POL_LEN(table); i++) {
		const char *decl = arena_printf(&arena, " %s \"%s\"", table[i].token,
						table[i].word);

		if (!strstr(text.p, decl))
			fail_msg("policy.y does not declare%s", decl);
	}
	for (const char *p = text.p; (p = strstr(p, " K_")); p++) {
		const char *end = p + 1 + strcspn(p + 1, " \n\t");

		found += strncmp(end, " \"", 2) == 0 && strncmp(end, " \"+=", 4) != 0;
	}
	assert_int_equal(found, POL_LEN(table));
}

/* --- the tree ------------------------------------------------------------------- */

static void test_a_rule_keeps_all_that_was_said(void **state)
{
	const char *text = "command {\n  final deny \"curl:*\", r\"w\\d\", /x\\/y/i, reg "
			   "because \"no\" as no-raw with only -f, -o|--out: }";
	struct ast_stmt *s = parsed(text), *r = s->body;
	struct ast_value *v = r->values;
	struct ast_option *o = r->options;

	(void)state;
	assert_int_equal(s->kind, AST_SECTION);
	assert_int_equal(s->section, AST_SEC_COMMAND);
	assert_int_equal(r->kind, AST_RULE);
	assert_int_equal(r->effect, AST_DENY);
	assert_true(r->final);
	assert_int_equal(r->at.off, 12); /* not the blanks before it */
	assert_str(source_text(&map, (struct span){ file, r->at.off, 10 }), "final deny");
	assert_int_equal(v->kind, AST_V_STRING);
	assert_str(v->text, "curl:*");
	assert_str(source_text(&map, v->at), "\"curl:*\"");
	v = v->next;
	assert_int_equal(v->kind, AST_V_RAW);
	assert_str(v->text, "w\\d");
	v = v->next;
	assert_int_equal(v->kind, AST_V_REGEX);
	assert_str(v->text, "x\\/y");
	assert_str(v->flags, "i");
	v = v->next;
	assert_int_equal(v->kind, AST_V_NAME);
	assert_null(v->next);
	assert_int_equal(o->kind, AST_O_BECAUSE);
	assert_str(o->values->text, "no");
	o = o->next;
	assert_int_equal(o->kind, AST_O_AS);
	o = o->next;
	assert_int_equal(o->kind, AST_O_WITH_ONLY);
	assert_int_equal(o->values->kind, AST_V_OPTION);
	assert_int_equal(o->values->next->kind, AST_V_OPTSPEC);
	assert_str(o->values->next->text, "-o|--out:");
	assert_null(o->next);
}

static void test_spans_cover_what_they_name(void **state)
{
	struct ast_stmt *s = parsed("  locked file { deny read \"/x\" }\n  use std/base ");

	(void)state;
	assert_true(s->locked);
	assert_str(source_text(&map, s->at), "locked file { deny read \"/x\" }");
	assert_str(source_text(&map, s->body->at), "deny read \"/x\"");
	assert_str(source_text(&map, s->body->name_at), "deny");
	assert_str(source_text(&map, s->next->at), "use std/base");
	assert_str(source_text(&map, s->next->values->at), "std/base");
}

static void test_strings_are_decoded(void **state)
{
	static const struct {
		const char *source, *text;
	} rows[] = {
		{ "\"a\\\"b\\\\c\\n\\t\"", "a\"b\\c\n\t" },
		{ "\"\\x41\\u{e9}\\u{1F600}\"", "A\xc3\xa9\xf0\x9f\x98\x80" },
		{ "\"${HOME}/x\"", "${HOME}/x" },
		{ "\"\\${HOME}\"", "\\${HOME}" }, /* \$ stays apart from $ */
		{ "\"\\x24{HOME}\"", "\\${HOME}" },
		{ "\"a\\\\:b\"", "a\\:b" },
		{ "\"\"", "" },
		{ "\"\\\\\\$\"", "\\\\$" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		print_message("%s\n", rows[i].source);
		assert_str(parsed(arena_printf(&arena, "let x = %s", rows[i].source))
				   ->values->text,
			   rows[i].text);
	}
	assert_str(parsed("test \"a\\$b\" { }")->name, "a$b");
	assert_str(parsed("setting r\"a\\$b\" = 1")->name, "a\\$b");
}

static void test_conditions_bind_as_documented(void **state)
{
	const char *text = "syscall { deny x when a & 1 | 2 == 3 and not b in [1] or c }";
	struct ast_expr *x = parsed(text)->body->options->expr;

	(void)state;
	assert_int_equal(x->op, AST_X_OR);
	assert_int_equal(x->kids->next->op, AST_X_NAME);
	x = x->kids;
	assert_int_equal(x->op, AST_X_AND);
	assert_int_equal(x->kids->next->op, AST_X_NOT);
	assert_int_equal(x->kids->next->kids->op, AST_X_IN);
	x = x->kids;
	assert_int_equal(x->op, AST_X_EQ);
	x = x->kids;
	assert_int_equal(x->op, AST_X_BITOR);
	assert_int_equal(x->kids->op, AST_X_BITAND);
}

static void test_sections_read_their_own_shapes(void **state)
{
	struct ast_stmt *s;

	(void)state;
	s = parsed("network limited { allow tcp \"h\", 10.0.0.0/8 port 22, 80-90 within ::1 }");
	assert_str(s->name, "limited");
	assert_str(s->body->net.proto->text, "tcp");
	assert_int_equal(s->body->net.hosts->next->kind, AST_V_ADDR);
	assert_int_equal(s->body->net.ports->next->kind, AST_V_RANGE);
	assert_int_equal(s->body->options->kind, AST_O_WITHIN);
	s = parsed("file { allow write, read \"/x\" otherwise exec, read deny }");
	assert_int_equal(s->body->ops, AST_OP_READ | AST_OP_WRITE);
	assert_int_equal(s->body->next->ops, AST_OP_READ | AST_OP_EXEC);
	s = parsed("syscall { deny ioctl(*, TIOCSTI) with EPERM }");
	assert_int_equal(s->body->values->kind, AST_V_CALL);
	assert_int_equal(s->body->values->args->op, AST_X_ANY);
	assert_str(s->body->options->values->text, "EPERM");
	s = parsed("policy p { locked base none expires 2027-01-01 }");
	assert_true(s->body->locked);
	assert_int_equal(s->body->next->values->kind, AST_V_DATE);
	s = parsed("command { otherwise by risk { low allow high deny } }");
	assert_int_equal(s->body->kind, AST_OTHERWISE_BY_RISK);
	assert_str(s->body->pairs->key, "low");
	assert_str(s->body->pairs->text, "allow");
	s = parsed("test \"t\" { net tcp \"h\" port 1 => deny by r }");
	assert_int_equal(s->cases->request.kind, AST_R_NET);
	assert_str(s->cases->by->text, "r");
}

/* --- limits ----------------------------------------------------------------------- */

static struct str repeat(const char *head, const char *what, size_t n, const char *tail)
{
	struct buf b;

	buf_init(&b, &arena);
	buf_z(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_z(&b, what);
	buf_z(&b, tail);
	return str_dup(&arena, buf_view(&b));
}

static void assert_only(enum diag_code code)
{
	if (sink.errors != 1 || sink.list.v[0]->code != code) {
		diag_render(stderr, &sink, &map, false);
		fail_msg("not exactly one %s", diag_code_name(code));
	}
}

static void test_depth_is_limited(void **state)
{
	static const struct {
		const char *head, *what;
	} rows[] = {
		{ "let x = ", "[" },
		{ "let x = ", "{ a = " },
		{ "", "role r { " },
		{ "syscall { deny f(", "(" },
		{ "syscall { deny f when ", "[" },
		{ "syscall { deny f when ", "not " },
		{ "syscall { deny f when a", " == (a" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		print_message("%s\n", rows[i].what);
		assert_null(parse_n(repeat(rows[i].head, rows[i].what, 100000, "")));
		assert_only(DIAG_TOO_DEEP);
	}
	assert_null(parse_n(repeat("syscall { deny f when a", " or a", 300, " }")));
	assert_only(DIAG_TOO_DEEP);
}

static void test_what_is_within_the_limits_is_read(void **state)
{
	(void)state;
	assert_non_null(parse_n(repeat("syscall { deny f when a", " or a", 250, " }")));
	assert_non_null(parse_n(repeat("let x = [", "[], ", 10000, "1]")));
	assert_non_null(parse_n(repeat("command { ", "deny \"x\" ", 60000, "}")));
	assert_non_null(parse_n(
		repeat(repeat("", "role r { ", AST_MAX_NESTING, "").p, "}", AST_MAX_NESTING, "")));
}

static void test_counts_are_limited(void **state)
{
	(void)state;
	assert_null(parse_n(repeat("command { ", "deny \"x\" ", AST_MAX_STATEMENTS, "}")));
	assert_only(DIAG_TOO_MANY_STATEMENTS);
	assert_null(parse_n(repeat("let x = [1", ",1", AST_MAX_NODES, "]")));
	assert_only(DIAG_TOO_MANY_NODES);
	assert_null(parse_n(repeat("", "#", SOURCE_MAX_BYTES + 1, "")));
	assert_only(DIAG_FILE_TOO_LARGE);
}

static void test_errors_end_after_the_limit(void **state)
{
	(void)state;
	/* A hundred thousand faults must not cost a hundred thousand messages. */
	assert_null(parse_n(repeat("", "} ", 100000, "")));
	assert_true(sink.errors <= sink.limit + 1);
	assert_null(parse_n(repeat("", "command { deny 1 }\n", 100000, "")));
	assert_int_equal(sink.errors, sink.limit + 1);
	assert_int_equal(sink.list.n, sink.limit);
}

/* --- faults -------------------------------------------------------------------------- */

static void test_each_fault_has_one_message(void **state)
{
	static const struct {
		const char *text, *faults;
	} rows[] = {
		{ "", "" },
		{ "comand { alow x ( [ } \nuse a", "P0016@0" },
		{ "command { alow \"x\"\n deny \"y\" becuase \"z\"\n}", "P0016@10 P0016@29" },
		{ "command { deny \"x\" \"y\", z 5 }\nuse a", "P0001@19" },
		{ "command { deny \"x\" \"y\", z ( 5 }\nuse a", "P0001@19 P0017@30" },
		{ "file { deny /usr }", "P0018@12" },
		{ "file { deny /usr/bin, ~/x }", "P0018@12 P0018@22" },
		{ "command { deny \"x\n deny \"y\" }", "P0007@15" },
		{ "command { deny a, \"b\" c \" }", "P0001@22" },
		{ "command { deny \"\\q\" }", "P0008@16" },
		{ "limits { cpu: 2 }", "P0020@12" },
		{ "limits { cpu = 2 }", "P0001@13" },
		{ "limits { memory 4GB time 1.2.3 }", "P0011@16 P0011@25" },
		{ "command { allow \"x\"\nfile { }\nuse a", "P0017@20" },
		{ "command {", "P0017@9" },
		{ "}", "P0001@0" },
		{ "test \"t\" { command \"x\" deny }", "P0001@23" },
		{ "let x = [1 }", "P0017@11" },
		{ "syscall { deny f(1 }\nuse a", "P0017@19" },
		{ "command { deny /x/q }", "P0010@18" },
		{ "command { deny \"a\xff\" }", "P0002@17" },
		{ "use a,", "P0001@6" },
		{ "command { deny \"\\x00\" }", "P0003@16" },
		{ "limits { cpu = 2\n memory = 3 }", "P0001@13 P0001@25" },
		{ "\x01", "P0006@0" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const char *got = faults(rows[i].text);

		if (strcmp(got, rows[i].faults) != 0)
			fail_msg("%s\ngot  %s\nwant %s", rows[i].text, got, rows[i].faults);
	}
}

static void test_a_nul_is_an_error_at_its_place(void **state)
{
	(void)state;
	assert_null(parse_n(STR("command { allow \"a\0b\" }")));
	assert_only(DIAG_NUL_BYTE);
	assert_int_equal(sink.list.v[0]->at.off, 18);
	assert_null(parse_n(STR("# \0")));
	assert_only(DIAG_NUL_BYTE);
}

static void test_invisible_characters_are_a_warning(void **state)
{
	(void)state;
	assert_non_null(parse("command { allow \"a\xe2\x80\xae\" } # \xe2\x81\xa6"));
	assert_int_equal(sink.warnings, 2);
	assert_int_equal(sink.list.v[0]->at.off, 18);
	/* Outside of strings and comments they are no words. */
	assert_null(parse("command \xe2\x80\xae { }"));
	assert_only(DIAG_STRAY_CHARACTER);
	assert_null(parse_n(repeat("# ", "\xe2\x80\xae", 1000, "\n}")));
	assert_int_equal(sink.warnings, 20);
}

static bool helps(const char *text, const char *help)
{
	parse(text);
	for (size_t i = 0; i < sink.list.n; i++)
		for (size_t k = 0; k < sink.list.v[i]->parts.n; k++)
			if (strstr(str_z(&arena, sink.list.v[i]->parts.v[k].text), help))
				return true;
	return false;
}

static void test_common_faults_get_help(void **state)
{
	static const struct {
		const char *text, *help;
	} rows[] = {
		{ "test \"t\" { command \"x\" deny }", "'=>'" },
		{ "test \"t\" { command \"x\" = deny }", "the arrow is '=>'" },
		{ "file { deny /usr/bin }", "write \"/usr/bin\"" },
		{ "file { deny src/x }", "double quotes" },
		{ "file { deny /a b/ }", "command section only" },
		{ "comand { }", "did you mean 'command'?" },
		{ "file { allow raed \"/x\" }", "'read' instead of 'raed'" },
		{ "command { \"x\" }", "a rule begins with" },
		{ "command { hide \"x\" }", "only rules of the file section hide" },
		{ "command { locked deny \"x\" }", "a rule may be 'final'" },
		{ "syscall { deny x when a = 1 }", "'=='" },
		{ "let deny = 1", "never a name" },
		{ "let file = 1", "choose another name" },
		{ "let x \"a\"", "write '='" },
		{ "command { deny \"a\",\nallow \"b\" }", "does not end with ','" },
		{ "group mount = a", "'@'" },
		{ "frobnicate { }", "sections are command, file" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		if (!helps(rows[i].text, rows[i].help))
			fail_msg("%s: no help says %s", rows[i].text, rows[i].help);
}

static void test_two_files_of_one_sink_are_apart(void **state)
{
	uint32_t good, bad;

	(void)state;
	bad = source_add(&map, STR("bad"), STR("}"));
	good = source_add(&map, STR("good"), STR("use a"));
	diag_init(&sink, &arena);
	assert_null(dsl_parse(&arena, &sink, &map, bad));
	assert_non_null(dsl_parse(&arena, &sink, &map, good));
	assert_int_equal(sink.errors, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(texts, test_contextual_words_are_names_and_reserved_are_not),
		WITH(texts, test_there_are_22_reserved_words),
		WITH(texts, test_the_grammar_and_the_table_agree),
		WITH(texts, test_a_rule_keeps_all_that_was_said),
		WITH(texts, test_spans_cover_what_they_name),
		WITH(texts, test_strings_are_decoded),
		WITH(texts, test_conditions_bind_as_documented),
		WITH(texts, test_sections_read_their_own_shapes),
		WITH(texts, test_depth_is_limited),
		WITH(texts, test_what_is_within_the_limits_is_read),
		WITH(texts, test_counts_are_limited),
		WITH(texts, test_errors_end_after_the_limit),
		WITH(texts, test_each_fault_has_one_message),
		WITH(texts, test_a_nul_is_an_error_at_its_place),
		WITH(texts, test_invisible_characters_are_a_warning),
		WITH(texts, test_common_faults_get_help),
		WITH(texts, test_two_files_of_one_sink_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
