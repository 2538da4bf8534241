/* Which finding explains that a recorded request changes, and that a request without one
 * is noticed. */
#include "compiler/analysis/impact.h"
#include "tests/unit/diff_fixture.h"

static struct impact im;
static struct impact_requests all;

static struct impact_request *push(enum ir_kind kind, size_t count)
{
	struct impact_request *q = ARENA_NEW(&arena, struct impact_request);
	struct ir_roots *roots = &q->req.roots;

	*q = (struct impact_request){ .count = count, .file = "r", .line = all.v.n + 1 };
	q->req = (struct ir_request){ .kind = kind, .scope = IR_SANDBOX, .cwd = STR("/home/dev/app") };
	roots->dir[IR_ROOT_FS] = STR("/");
	roots->dir[IR_ROOT_HOME] = STR("/home/dev");
	roots->dir[IR_ROOT_PROJECT] = STR("/home/dev/app");
	roots->dir[IR_ROOT_TMP] = STR("/tmp");
	VEC_PUSH(&arena, &all.v, q);
	all.total += count;
	return q;
}

static void line(const char *text, size_t count)
{
	push(IR_COMMAND, count)->req.line = str_from(text);
}

/* Where no sandbox keeps what the file section's `otherwise` denies. */
static void host_line(const char *text, size_t count)
{
	struct impact_request *q = push(IR_COMMAND, count);

	q->req.line = str_from(text);
	q->req.scope = IR_HOST;
}

static void file(enum ir_op op, const char *path, size_t count)
{
	struct impact_request *q = push(IR_FILE, count);

	q->req.op = op;
	q->req.path = str_from(path);
}

static void push_tool(enum ir_scope scope)
{
	struct impact_request *q = push(IR_TOOL, 1);

	q->req.scope = scope;
	q->req.tool = STR("a");
}

/* Compares the policies, and decides what was pushed; with `found` the findings count. */
static void run_irs(const struct ir *o, const struct ir *n, bool found)
{
	struct diff_where w = { .scope = IR_SANDBOX, .cwd = STR("/home/dev/app") };
	static const struct diff_result none;

	w.roots = all.v.v[0]->req.roots;
	diff_policies(o, n, &w, &arena, &res);
	impact_init(&im, found ? &res : &none, &arena);
	impact_add(&im, o, n, STR(""), &all, &arena);
	all = (struct impact_requests){ .total = 0 };
}

static void run(const char *old, const char *new, bool found)
{
	run_irs(managed(old), managed(new), found);
}

static size_t explained(void)
{
	size_t n = 0;

	for (size_t i = 0; i < im.found->findings.n; i++)
		n += im.findings[i].count;
	for (size_t i = 0; i < im.found->doubts.n; i++)
		n += im.doubts[i].count;
	return n;
}

/* As many recorded requests change, each has an explanation, and without the findings each
 * is lost. */
#define CHANGES(old, new, want, ...)                                                   \
	do {                                                                           \
		__VA_ARGS__;                                                           \
		run(old, new, true);                                                   \
		assert_int_equal(im.lost.n, 0);                                        \
		assert_int_equal(explained(), want);                                   \
		__VA_ARGS__;                                                           \
		run(old, new, false);                                                  \
		assert_int_equal(im.lost.n > 0, (want) > 0);                           \
	} while (0)

static void test_the_request_of_a_finding(void **state)
{
	(void)state;
	CHANGES("command { otherwise deny }", "command { allow \"ls\"  otherwise deny }", 3,
		line("ls", 3); line("cat x", 5));
	assert_int_equal(im.total, 8);
	assert_int_equal(im.changes[DIFF_ALLOWED], 3);
	assert_string_equal(im.lost.v[0].request->req.line.p, "ls");
}

static void test_a_removed_rule_explains_what_others_then_decide(void **state)
{
	(void)state;
	/* the finding has one request, and the other is allowed by another rule */
	CHANGES("command { deny \"git *\"  allow \"git pull\"  allow \"git push\"  otherwise ask }",
		"command { allow \"git pull\"  allow \"git push\"  otherwise ask }", 6,
		line("git push", 1); line("git pull", 2); line("git log", 3));
}

static void test_files_by_operation(void **state)
{
	(void)state;
	CHANGES("file { allow read \"/a\", \"/b\" otherwise read deny }",
		"file { allow read \"/a\"  deny read \"/b/c\" otherwise read deny }", 4,
		file(IR_READ, "/b/x", 1); file(IR_READ, "/b/c", 3); file(IR_READ, "/a/x", 9);
		file(IR_WRITE, "/b/x", 9));
	assert_int_equal(im.changes[DIFF_DENIED], 4);
}

/* What is written does not meet the rule that shows the tree, and yet it changes. */
static void test_a_shown_tree_ends_each_scratch_tree(void **state)
{
	(void)state;
	file(IR_WRITE, "/tmp/x/a", 1);
	file(IR_WRITE, "/tmp/x/y/a", 2);
	run("file { scratch \"/tmp/x/y\"  scratch \"${TMPDIR}\" }",
	    "file { scratch \"/tmp/x/y\"  scratch \"${TMPDIR}\"  allow read \"/tmp/x\" }", true);
	assert_int_equal(explained(), 3);
	assert_int_equal(im.lost.n, 0);
}

static void test_a_default_that_changes(void **state)
{
	(void)state;
	CHANGES("command { otherwise deny }", "command { otherwise ask }", 2, line("a", 1); line("b c", 1));
	assert_int_equal(im.changes[DIFF_ASKED], 2);
}

static void test_a_part_of_a_line_that_does_not_decide_it(void **state)
{
	(void)state;
	/* the strictest part decides, and it is not always the one whose rule has changed */
	CHANGES("command { allow \"a\", \"b\"  ask \"c\"  otherwise ask }",
		"command { allow \"b\"  ask \"c\"  otherwise ask }", 7,
		line("b; a", 3); line("b && a | b", 4); line("b; c; a", 9));
}

static void test_a_line_that_writes_what_a_file_rule_denies(void **state)
{
	(void)state;
	CHANGES("command { allow \"a\" } file { allow write \"/x\" otherwise write deny }",
		"command { allow \"a\" } file { otherwise write deny }", 2,
		host_line("a >/x", 2); host_line("a", 5));
}

/* The finding's request is decided by other rules than the recorded one. */
static void test_a_rule_that_raised_the_finding(void **state)
{
	(void)state;
	CHANGES("tools { ask \"a\" when scope == sandbox may yes }",
		"tools { ask \"a\" when scope == sandbox may yes  ask \"a\" except \"ab\" }", 2,
		push_tool(IR_SANDBOX); push_tool(IR_HOST));
}

static void test_a_default_that_changes_more_than_one_way(void **state)
{
	(void)state;
	/* newly allowed for all others, and what both ask stays as it is */
	CHANGES("command { ask \"a\" } file { otherwise write deny }",
		"command { ask \"a\" } file { otherwise write allow }", 4, host_line("a >/x", 4); host_line("a", 3));
}

static void test_a_class_and_what_is_opaque(void **state)
{
	(void)state;
	CHANGES("command { otherwise ask  risk critical \"a\" }", "command { otherwise ask }", 2,
		line("a >/x", 2); line("b >/x", 1));
	/* what a default does to one line is no finding of its own, if it widens another one */
	CHANGES("command { otherwise allow  opaque ask  ask /push/ may yes }",
		"command { otherwise allow  opaque allow  ask /push/ may yes }", 2, line("VA=1 $x", 2));
}

/* A file rule decides the line in both policies; only the command in it has another class. */
static void test_a_class_of_a_line_that_a_file_decides(void **state)
{
	static const char *const old = "command { otherwise by risk { low ask medium ask high deny critical deny } }"
				       " file { deny read \"/srv\" }";
	static const char *const new = "command { risk high \"foo:*\" otherwise by risk { low ask medium ask high deny critical deny } }"
				       " file { deny read \"/srv\" }";

	(void)state;
	CHANGES(old, new, 3, line("foo", 1); line("foo < /srv/x", 2));
	assert_int_equal(im.changes[DIFF_RISK_HIGHER], 2);
	CHANGES(new, old, 3, line("foo", 1); line("foo < /srv/x", 2));
}

static void write_base(const char *dir, const char *name, const char *text)
{
	FILE *f = fopen(arena_printf(&arena, "%s/%s", dir, name), "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* The rule that is gone lifts one of the base; it matches no command of the line, only words of one. */
static void test_words_that_spell_what_was_allowed(void **state)
{
	static const char *const text[] = {
		"policy p { level managed }\ncommand { allow \"foo:*\", \"bar a\"  otherwise allow }",
		"policy p { level managed }\ncommand { otherwise allow }",
	};
	char dir[] = "/tmp/pol-base.XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	write_base(dir, "base.pol", "network disabled\ncommand { deny \"bar:*\" }\n");
	write_base(dir, "floor.pol", "file { }\n");
	own_stdlib = dir;
	for (int back = 0; back < 2; back++) {
		const struct ir *old = resolved(text[back]), *new = resolved(text[!back]);

		line("other 1 bar a", 2);
		line("other 1 bar b", 4);
		run_irs(old, new, true);
		assert_int_equal(im.lost.n, 0);
		assert_int_equal(explained(), 2);
	}
	own_stdlib = NULL;
	assert_int_equal(system(arena_printf(&arena, "rm -r '%s'", dir)), 0);
}

static void test_what_changes_nothing_has_no_share(void **state)
{
	(void)state;
	line("ls", 4);
	run("command { allow \"ls\" }", "command { allow \"ls\", \"ls\" }", true);
	assert_int_equal(im.lost.n + explained(), 0);
	assert_int_equal(im.total, 4);
	line("ls", 4);
	run("command { allow \"ls\" }", "command { allow \"{ls|never}\" }", true);
	assert_int_equal(im.lost.n + explained(), 0);
}

/* A finding about another rule is no explanation, even where one side is the same. */
static void test_another_finding_explains_nothing(void **state)
{
	const struct ir *o = managed("command { otherwise deny }");
	const struct ir *n = managed("command { allow \"ls\"\nallow \"cat\"  otherwise deny }");
	struct diff_where w = { .scope = IR_SANDBOX };
	struct diff_result part = { .findings = { 0 } };

	(void)state;
	line("cat", 1);
	w.roots = all.v.v[0]->req.roots;
	diff_policies(o, n, &w, &arena, &res);
	assert_int_equal(res.findings.n, 2);
	for (size_t i = 0; i < 2; i++)
		if (str_eqz(res.findings.v[i].request.argv[0], "ls"))
			VEC_PUSH(&arena, &part.findings, res.findings.v[i]);
	assert_int_equal(part.findings.n, 1);
	impact_init(&im, &part, &arena);
	impact_add(&im, o, n, STR(""), &all, &arena);
	assert_int_equal(im.lost.n, 1);
	assert_int_equal(im.findings[0].count, 0);
	impact_init(&im, &res, &arena);
	impact_add(&im, o, n, STR(""), &all, &arena);
	assert_int_equal(im.lost.n, 0);
	all = (struct impact_requests){ .total = 0 };
}

static void test_a_role_without_policies_is_not_asked(void **state)
{
	(void)state;
	line("ls", 4);
	all.v.v[0]->role = STR("tester");
	line("ls", 2);
	run("command { otherwise deny }", "command { allow \"ls\"  otherwise deny }", true);
	assert_int_equal(im.total, 2);
	line("ls", 4);
	all.v.v[0]->role = STR("tester");
	impact_skip(&im, STR("tester"), "why", &all, &arena);
	assert_int_equal(im.total, 6);
	assert_int_equal(im.skipped.n, 1);
	assert_int_equal(im.skipped.v[0].share.count, 4);
	assert_true(impact_is_open(&im));
	all = (struct impact_requests){ .total = 0 };
}

/* What the old policy lets through under it is blocked; what it denies does not change. */
static void test_a_role_that_only_the_old_policy_has_is_refused(void **state)
{
	static const char policy[] = "command { allow \"ls\"  ask \"git\"  otherwise deny }";
	const struct ir *old;

	(void)state;
	old = managed("role tester { } command { allow \"ls\"  ask \"git\"  otherwise deny }");
	line("x", 1);
	run("role tester { } command { allow \"ls\"  ask \"git\"  otherwise deny }", policy, true);
	assert_int_equal(im.found->findings.n, 1);
	for (int i = 0; i < 3; i++) {
		line(i == 0 ? "ls" : i == 1 ? "git" : "rm", 1 + (size_t)i);
		VEC_LAST(&all.v)[0]->role = STR("tester");
	}
	impact_refuse(&im, old, STR("tester"), &all, &arena);
	assert_int_equal(im.total, 7);
	assert_int_equal(im.changes[DIFF_DENIED], 3);
	assert_int_equal(im.findings[0].count, 3);
	assert_false(impact_is_open(&im));
	/* without the finding that says so it is lost */
	im.found = &(struct diff_result){ .findings = { NULL, 0, 0 } };
	impact_refuse(&im, old, STR("tester"), &all, &arena);
	assert_int_equal(im.lost.n, 2);
	all = (struct impact_requests){ .total = 0 };
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_the_request_of_a_finding),
		WITH(arena, test_a_removed_rule_explains_what_others_then_decide),
		WITH(arena, test_files_by_operation),
		WITH(arena, test_a_shown_tree_ends_each_scratch_tree),
		WITH(arena, test_a_default_that_changes),
		WITH(arena, test_a_part_of_a_line_that_does_not_decide_it),
		WITH(arena, test_a_line_that_writes_what_a_file_rule_denies),
		WITH(arena, test_a_rule_that_raised_the_finding),
		WITH(arena, test_a_default_that_changes_more_than_one_way),
		WITH(arena, test_a_class_and_what_is_opaque),
		WITH(arena, test_a_class_of_a_line_that_a_file_decides),
		WITH(arena, test_words_that_spell_what_was_allowed),
		WITH(arena, test_what_changes_nothing_has_no_share),
		WITH(arena, test_another_finding_explains_nothing),
		WITH(arena, test_a_role_without_policies_is_not_asked),
		WITH(arena, test_a_role_that_only_the_old_policy_has_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
