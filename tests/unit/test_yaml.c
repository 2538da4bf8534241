/*
 * The YAML front end: the same tree as the language's, places in the file,
 * bounded time and memory on texts that are made to cost much, and no crash
 * on texts that are nearly right.
 */
#include <stdlib.h>
#include <time.h>

#include "compiler/ast/print.h"
#include "compiler/base/buf.h"
#include "compiler/frontend/dsl.h"
#include "compiler/frontend/yaml.h"
#include "compiler/frontend/yaml_tree.h"
#include "tests/unit/fixture.h"

static uint32_t file;

static struct ast_file *parse_n(struct str text)
{
	struct ast_file *f;

	file = source_add(&map, STR("t.yml"), text);
	diag_init(&sink, &arena);
	f = yml_parse(&arena, &sink, &map, file);
	if ((f == NULL) != (sink.errors > 0))
		fail_msg("NULL and errors disagree on: %.*s", STR_ARG(text));
	return f;
}

static const char *printed(const struct ast_file *f)
{
	struct buf b;

	buf_init(&b, &arena);
	ast_print_file(&b, f);
	return str_z(&arena, buf_view(&b));
}

static struct ast_file *parsed(const char *text)
{
	struct ast_file *f = parse_n(str_from(text));

	if (!f) {
		diag_render(stderr, &sink, &map, false);
		fail_msg("refused: %s", text);
	}
	return f;
}

/* --- one tree ------------------------------------------------------------- */

static const struct {
	const char *yaml, *pol;
} twins[] = {
	{ "command: [{allow: git status}]", "command { allow \"git status\" }" },
	{ "command: {allow: git status}", "command { allow \"git status\" }" },
	{ "locked file: [{hide: ~/.ssh}]", "locked file { hide \"~/.ssh\" }" },
	{ "file: [{deny: 'a\\*b', because: 'c: d'}]",
	  "file { deny \"a\\\\*b\" because \"c: d\" }" },
	{ "file: [{allow: '\\${x}', op: read}]", "file { allow read \"\\${x}\" }" },
	{ "file: [{allow: '${HOME}/x', op: [write, read]}]",
	  "file { allow read, write \"${HOME}/x\" }" },
	{ "network: {mode: disabled}", "network disabled" },
	{ "network: [{effect: deny, proto: udp, port: 53}]", "network { deny udp port 53 }" },
	{ "syscall: [{deny: ptrace, with: ENOSYS}]", "syscall { deny ptrace with ENOSYS }" },
	{ "limits: {file_size: 3M}", "limits { file-size 3M }" },
	{ "env: [{locked keep +=: CI}]", "env { locked keep += CI }" },
	{ "env: {A: '${SECRET:x}', B: y}", "env { secret A from store \"x\" set B = \"y\" }" },
	{ "let: {a: [x, 1, {k: true}], b: 'true'}",
	  "let a = [\"x\", 1, { k = true }] let b = \"true\"" },
	{ "setting: {a.b: 0.5}", "setting \"a.b\" = 0.5" },
	{ "- use: std/base\n- use: [a b, ./x]", "use std/base use \"a b\", ./x" },
	{ "session: {idle: 2h}", "session { idle 2h }" },
	{ "runner: {mode: auto, cloud: {region: x}}",
	  "runner { mode auto cloud { region \"x\" } }" },
	{ "tool: {x: {effect: deny}}", "tool x { deny }" },
	{ "pol: 'command { deny /x/ }'", "command { deny /x/ }" },
	{ "\"test\": {\"t\\u00e9\": command \"x\" => ask}",
	  "test \"t\xc3\xa9\" { command \"x\" => ask }" },
};

static void test_both_spellings_make_one_tree(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(twins); i++) {
		const char *yaml = printed(parsed(twins[i].yaml)), *pol;
		uint32_t f = source_add(&map, STR("t.pol"), str_from(twins[i].pol));
		struct ast_file *tree = dsl_parse(&arena, &sink, &map, f);

		assert_non_null(tree);
		pol = printed(tree);
		if (strcmp(yaml, pol))
			fail_msg("%s\nis\n%s\nand not\n%s", twins[i].yaml, yaml, pol);
	}
}

/* --- places ------------------------------------------------------------------ */

static void assert_at(struct span at, const char *want)
{
	struct str got = source_text(&map, at);

	if (!str_eqz(got, want))
		fail_msg("the place is '%.*s', not '%s'", STR_ARG(got), want);
}

static void test_places_are_those_of_the_file(void **state)
{
	const struct ast_stmt *s, *r;

	(void)state;
	s = parsed("# \xc3\xa4\xe2\x82\xac\nsyscall:\n"
		   "  - {deny: 'clone(flags)', when: 'flags & CLONE_FS'}\n"
		   "  - {deny: \"ptrac\\x65\", when: \"a == \\x31\"}\n")->stmts;
	r = s->body;
	assert_at(r->values->at, "clone(flags)");
	assert_at(r->options->expr->at, "flags & CLONE_FS");
	assert_at(r->options->expr->kids->next->at, "CLONE_FS");
	assert_at(r->name_at, "deny");
	/* what is not in the file as it is stands where its scalar stands */
	assert_at(r->next->values->at, "\"ptrac\\x65\"");
	assert_at(r->next->options->expr->kids->at, "\"a == \\x31\"");
	/* a block's lines are in the file */
	s = parsed("pol: |\n  # x\n  command {\n      deny \"a\"\n\n  }\n"
		   "test:\n  t: |-\n    command \"b\" => deny\n")->stmts;
	assert_at(s->body->at, "deny \"a\"");
	assert_at(s->body->values->at, "\"a\"");
	assert_at(s->next->cases->at, "command \"b\" => deny");
	s = parsed("syscall:\n  - {deny: 'clone(flags)', when: 'flags & CLONE_FS'}\n"
		   "  - {deny: x, when: y}\n")->stmts;
	r = s->body;
	assert_true(str_eqz(source_key_path(&map, &arena, r->values->at),
			    "syscall[0].deny"));
	assert_true(str_eqz(source_key_path(&map, &arena, r->next->options->at),
			    "syscall[1].when"));
}

/* The same fault in two escaped texts is two faults. */
static void test_escaped_texts_keep_their_faults_apart(void **state)
{
	(void)state;
	assert_null(parse_n(STR("syscall:\n  - deny: \"a\\x20(\"\n  - deny: \"a\\x20(\"\n")));
	assert_int_equal(sink.errors, 2);
}

/* --- bounds ------------------------------------------------------------------ */

/* `n` times `part`, between `head` and `tail`. */
static struct str repeated(const char *head, const char *part, size_t n, const char *tail)
{
	struct buf b;

	buf_init(&b, &arena);
	buf_z(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_z(&b, part);
	buf_z(&b, tail);
	return buf_view(&b);
}

#define MIB ((size_t)1024 * 1024)

static void test_texts_that_cost_much_are_bounded(void **state)
{
	static const struct {
		const char *head, *part, *tail;
	} texts[] = {
		{ "let: {a: ", "[", "" },
		{ "let: {a: ", "{", "" },
		{ "let:\n  a:\n    ", "- ", "x" },
		{ "let:\n  ", "? ", "x" },
		{ "let: {a: [", "x,", "]}" },
		{ "let: {a: [", "[],", "]}" },
		{ "command:\n", "  - {allow: x}\n", "" },
		{ "command:\n", "  - {alow: x}\n", "" },
		{ "", "k: v\n", "" },
		{ "", "\xc3\xa4: v\n", "" },
		{ "limits: {", "time: 1s, ", "}" },
		{ "let: {a: '", "x ", "'}" },
		{ "let: {a: \"", "\\u00e4", "\"}" },
		{ "let:\n  a: |\n", "    x\n", "" },
		{ "let: {a: ", "&a ", "x}" },
		{ "let:\n  a: &a x\n  b: [", "*a,", "]" },
		{ "", "#\n", "" },
		{ "", "\n", "x" },
		{ "", "---\n", "" },
		{ "", "%A b\n", "" },
		{ "syscall: [{deny: x, when: '", "a == b or ", "c'}]" },
		{ "syscall: [{deny: x, when: '", "(", "c'}]" },
		{ "syscall:\n", "  - deny: 'a('\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(texts); i++) {
		size_t before = arena.used;
		struct str text = repeated(texts[i].head, texts[i].part,
					   2 * MIB / strlen(texts[i].part), texts[i].tail);
		struct timespec a, b;
		double s;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		parse_n(text);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
		print_message("%.24s %.10s: %.2f s, %zu MiB\n", texts[i].head, texts[i].part,
			      s, (arena.used - before) / MIB);
		if (s > 20 || arena.used - before > 600 * MIB)
			fail_msg("%s %s… takes %.1f s and %zu MiB", texts[i].head,
				 texts[i].part, s, (arena.used - before) / MIB);
		arena_release(&arena);
		arena_init(&arena, ARENA_DEFAULT_BUDGET);
		source_init(&map, &arena);
	}
}

/* --- texts that are nearly right ------------------------------------------------ */

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static const char *const seeds[] = {
	POL_STDLIB_DIR "/../tests/golden/yaml/sections.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/scalars.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/docs-sandbox.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/docs-permissions.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/docs-teams.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/docs-limits.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/pieces.yml",
	POL_STDLIB_DIR "/../tests/golden/yaml/aliases.yml",
};

/* Bytes changed, lines left out or doubled, parts of another text put in. */
static struct str mutated(struct str text, struct str other, uint64_t *s)
{
	static const char bytes[] = "\"'[]{}:,-#&*!|>%@`?~ \n\t\\$0aA\xc3";
	struct buf b;
	size_t n = 1 + rnd(s) % 2;

	while (n--) {
		size_t at = rnd(s) % (text.n + 1), len = rnd(s) % 40;
		size_t from = rnd(s) % (other.n + 1);

		if (len > text.n - at)
			len = text.n - at;
		buf_init(&b, &arena);
		buf_str(&b, str_sub(text, 0, at));
		switch (rnd(s) % 4) {
		case 0:
			buf_ch(&b, bytes[rnd(s) % (sizeof(bytes) - 1)]);
			at += at < text.n;
			break;
		case 1:
			at += len;
			break;
		case 2:
			buf_str(&b, str_sub(text, at, len));
			break;
		default:
			buf_str(&b, str_sub(other, from,
					    len < other.n - from ? len : other.n - from));
		}
		buf_str(&b, str_sub(text, at, text.n - at));
		text = buf_view(&b);
	}
	return text;
}

static struct str read_seed(const char *path)
{
	uint32_t f;

	if (source_read(&map, path, str_from(path), &f) < 0)
		fail_msg("cannot read %s", path);
	return map.files.v[f].text;
}

static void test_changed_texts_end_in_a_tree_or_a_message(void **state)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	uint64_t start = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	unsigned long n = runs ? strtoul(runs, NULL, 0) : 1500, taken = 0;

	(void)state;
	print_message("SEED=%llu RUNS=%lu\n", (unsigned long long)start, n);
	for (unsigned long i = 0; i < n; i++) {
		uint64_t s = (start + i) * 0x9e3779b97f4a7c15u | 1;
		struct ast_file *f;

		arena_release(&arena);
		arena_init(&arena, ARENA_DEFAULT_BUDGET);
		source_init(&map, &arena);
		f = parse_n(mutated(read_seed(seeds[rnd(&s) % POL_LEN(seeds)]),
				    read_seed(seeds[rnd(&s) % POL_LEN(seeds)]), &s));
		if (!f)
			continue;
		/* what was taken is a tree that can be printed and read again */
		taken++;
		uint32_t again =
			source_add(&map, STR("again.pol"), str_from(printed(f)));
		if (!dsl_parse(&arena, &sink, &map, again)) {
			diag_render(stderr, &sink, &map, false);
			fail_msg("SEED=%llu: the tree of this text prints what is no "
				 "policy:\n%.*s",
				 (unsigned long long)(start + i),
				 STR_ARG(map.files.v[file].text));
		}
	}
	print_message("%lu of %lu taken\n", taken, n);
	if (!seed && n >= 1000)
		assert_true(taken > n / 100 && taken < n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(texts, test_both_spellings_make_one_tree),
		WITH(texts, test_places_are_those_of_the_file),
		WITH(texts, test_escaped_texts_keep_their_faults_apart),
		WITH(texts, test_texts_that_cost_much_are_bounded),
		WITH(texts, test_changed_texts_end_in_a_tree_or_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
