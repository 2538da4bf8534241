/* Staged runs: what an upper layer means, what is refused, what a commit does and leaves
 * alone, and how it is told.  Random work in real overlays: tests/prop/prop_stage.c. */
#include "tests/unit/stage_fixture.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/stage/stage_diff.h"
#include "runtime/stage/stage_remove.h"

/* --- reading an upper layer ---------------------------------------------------------------- */

static void test_every_change_has_an_entry(void **state)
{
	static const struct {
		const char *path;
		enum stage_op op;
	} rows[] = {
		{ "d", STAGE_DELETE }, { "d/x", STAGE_DELETE }, { "d/y", STAGE_DELETE },
		{ "d/y/z", STAGE_DELETE }, { "e/new", STAGE_CREATE }, { "e/old", STAGE_DELETE },
		{ "f", STAGE_MODIFY }, { "k", STAGE_TYPE }, { "k/in", STAGE_DELETE },
		{ "l", STAGE_CREATE }, { "m", STAGE_MODE },
	};
	struct look l;

	(void)state;
	begin("mkdir -p d/y e k m keep && touch d/x d/y/z e/old f k/in m/in keep/in");
	whiteout("d");
	work("mkdir e m && touch e/new && echo changed >f && echo file >k && ln -s /etc/passwd l && "
	     "chmod 700 m && mkdir keep");
	mark("e", "user.overlay.opaque", "y");
	look(&l);
	assert_int_equal(l.d.n, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < l.d.n; i++) {
		assert_string_equal(l.d.v[i].path, rows[i].path);
		assert_int_equal(l.d.v[i].op, rows[i].op);
		assert_int_equal(l.d.v[i].state, STAGE_READY);
	}
	assert_string_equal(entry(&l, "l")->target, "/etc/passwd");
	look_end(&l);
	commit_all();
	sh("cd out && test ! -e d && test -f e/new && test ! -e e/old && grep -q changed f && "
	   "grep -q file k && test -L l && test -f keep/in && test -f m/in && "
	   "test \"$(stat -c %a m)\" = 700 && test -z \"$(ls -a | grep pol-stage)\"");
	look(&l);
	for (size_t i = 0; i < l.d.n; i++)
		assert_int_equal(l.d.v[i].state, STAGE_SAME);
	look_end(&l);
}

/* A name that is deleted by an attribute, as later kernels can do it. */
static void test_a_whiteout_may_be_an_attribute(void **state)
{
	struct look l;

	(void)state;
	begin("touch f");
	work("touch f");
	mark("f", "user.overlay.whiteout", "y");
	look(&l);
	assert_int_equal(entry(&l, "f")->op, STAGE_DELETE);
	look_end(&l);
}

static void test_what_cannot_be_carried_over_is_refused_by_name(void **state)
{
	struct look l;

	(void)state;
	begin("mkdir d");
	work("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")' && touch r && "
	     "mkdir p");
	mark("r", "user.overlay.redirect", "/elsewhere");
	look(&l);
	assert_int_equal(entry(&l, "s")->state, STAGE_UNFIT);
	assert_string_equal(entry(&l, "s")->why, "a socket cannot be carried over");
	assert_int_equal(entry(&l, "r")->state, STAGE_UNFIT);
	assert_non_null(strstr(entry(&l, "r")->why, "user.overlay.redirect"));
	look_end(&l);
	commit_all();
	sh("test ! -e out/s && test ! -e out/r && test -d out/p");
}

/* --- rules ---------------------------------------------------------------------------------- */

static void test_rules_are_asked_for_each_name(void **state)
{
	struct look l;

	(void)state;
	begin("mkdir -p sub && touch sub/.env1 sub/x && mkdir shut && touch shut/f");
	work("mkdir -p .git/hooks shut && echo x >.git/hooks/post && echo y >.git/f && "
	     "echo z >shut/f");
	whiteout("sub");
	look(&l);
	assert_int_equal(entry(&l, ".git/hooks")->state, STAGE_DENIED);
	assert_int_equal(entry(&l, ".git/hooks")->rule, 7);
	assert_int_equal(entry(&l, ".git/hooks/post")->state, STAGE_DENIED);
	assert_int_equal(entry(&l, "shut/f")->state, STAGE_DENIED);
	assert_int_equal(entry(&l, "sub/.env1")->state, STAGE_DENIED);
	assert_int_equal(entry(&l, "sub/x")->state, STAGE_READY);
	assert_string_equal(entry(&l, "sub")->why, "something in it stays");
	look_end(&l);
	commit_all();
	sh("test ! -e out/.git/hooks && test -f out/.git/f && test -f out/sub/.env1 && "
	   "test ! -e out/sub/x && test ! -s out/shut/f");
}

/* --- three ways ------------------------------------------------------------------------------- */

static void test_what_changed_outside_is_refused_and_stays(void **state)
{
	static const char *const names[] = { "a", "b", "c", "e", "g", "new", "d", "h/x" };
	struct look l;

	(void)state;
	begin("echo 1 >a; echo 1 >b; echo 1 >c; echo 1 >e; echo 1 >g; mkdir d h; touch h/x");
	work("echo 2 >a; echo 2 >b; echo 2 >c; echo 2 >g; echo 2 >new; mkdir h; echo 2 >h/x");
	whiteout("e");
	whiteout("d");
	/* the same size, mode and time; another object; gone; another mode; a link; ... */
	sh("cd out && touch -r a t && echo 3 >a && touch -r t a && rm t && echo 1 >b2 && mv b2 b && "
	   "rm c && ln -s a c && chmod 600 e && rm g && echo 9 >new && touch d/stranger && "
	   "mv h h2 && cp -a h2 h");
	look(&l);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(entry(&l, names[i])->state, STAGE_CHANGED);
	assert_string_equal(entry(&l, "h/x")->why, "the directory above it is another one outside");
	commit(&l, "");
	look_end(&l);
	sh("cd out && grep -q 3 a && grep -q 1 b && test -L c && grep -q 1 e && test ! -e g && "
	   "grep -q 9 new && test -f d/stranger && test ! -s h/x");
}

/* --- names and paths --------------------------------------------------------------------------- */

static void test_some_paths_can_be_committed_alone(void **state)
{
	struct look l;

	(void)state;
	begin("touch a ab");
	work("echo 1 >a; echo 1 >ab; mkdir n; echo 1 >n/x");
	look(&l);
	commit(&l, "a");
	look_end(&l);
	sh("test -s out/a && test ! -s out/ab && test ! -e out/n");
	/* what was committed is no change any more, whatever happens to it */
	sh("echo mine >out/a");
	look(&l);
	assert_int_equal(entry(&l, "a")->state, STAGE_SAME);
	assert_int_equal(entry(&l, "ab")->state, STAGE_READY);
	commit(&l, "n/x");
	assert_int_equal(entry(&l, "n/x")->state, STAGE_FAILED);
	look_end(&l);
	commit_all();
	sh("grep -q mine out/a && test -s out/ab && test -s out/n/x");
}

static void test_links_to_the_same_file_stay_so(void **state)
{
	(void)state;
	begin("echo 1 >a");
	work("echo 2 >a; ln a b; mkdir d; ln a d/c");
	commit_all();
	sh("cd out && test a -ef b && test a -ef d/c && grep -q 2 d/c");
}

static void test_a_sparse_file_stays_sparse(void **state)
{
	(void)state;
	begin("true");
	work("truncate -s 4G big && echo end | dd of=big bs=1 seek=3000000000 conv=notrunc status=none");
	commit_all();
	sh("test \"$(stat -c %s out/big)\" = 4294967296 && test \"$(stat -c %b out/big)\" -lt 1000 && "
	   "dd if=out/big bs=1 skip=3000000000 count=3 status=none | grep -q end");
}

static void test_a_closed_directory_gets_its_names_first(void **state)
{
	(void)state;
	begin("true");
	work("mkdir -p ro/in && echo 1 >ro/in/f && chmod 555 ro/in ro");
	commit_all();
	sh("test -s out/ro/in/f && test \"$(stat -c %a out/ro out/ro/in | tr -d '\\n')\" = 555555");
	sh("chmod -R u+w out");
}

/* --- telling ----------------------------------------------------------------------------------- */

static void test_names_and_lines_are_told_escaped(void **state)
{
	char *text = NULL;
	size_t n = 0;
	struct look l;
	struct stage_show show = { .stage = &l.s, .d = &l.d, .diffs = true };
	FILE *out;

	(void)state;
	begin("printf 'one\\ntwo\\nthree\\n' >f && ln -s x l && touch gone");
	work("printf 'one\\n\\033[31m2\\tb\\nthree\\n' >f && ln -s \"$(printf 'a\\033[2Jb')\" l && "
	     "touch \"$(printf 'n\\nm')\"");
	whiteout("gone");
	look(&l);
	out = open_memstream(&text, &n);
	assert_int_equal(stage_show_text(out, &show), 0);
	assert_int_equal(fclose(out), 0);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "-two\n"));
	assert_non_null(strstr(text, "+\\x1b[31m2\tb\n"));
	assert_non_null(strstr(text, " -> 'a\\x1b[2Jb'"));
	assert_non_null(strstr(text, "n\\x0am: file"));
	assert_non_null(strstr(text, "delete    "));
	free(text);
	out = open_memstream(&text, &n);
	assert_int_equal(stage_show_json(out, &show), 0);
	assert_int_equal(fclose(out), 0);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "\"op\": \"delete\""));
	free(text);
	look_end(&l);
}

static void diff_is(const char *a, const char *b, const char *want)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(stage_diff_print(out, "", a, strlen(a), b, strlen(b)), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
}

static void test_differences_are_those_of_diff(void **state)
{
	(void)state;
	diff_is("a\nb\n", "a\nb\n", "");
	diff_is("", "a\n", "@@ -0,0 +1,1 @@\n+a\n");
	diff_is("a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
	diff_is("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
		"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
	diff_is("a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

/* With many texts: what diff(1)'s reader makes of it is the new one. */
static void test_differences_can_be_applied(void **state)
{
	unsigned seed = 5;

	(void)state;
	for (int k = 0; k < 200; k++) {
		char a[400] = "", b[400] = "", *text = NULL;
		size_t n = 0;
		FILE *out;

		for (int i = 0, m = rand_r(&seed) % 40; i < m; i++)
			(void)snprintf(a + strlen(a), 4, "%d\n", rand_r(&seed) % 6);
		for (int i = 0, m = rand_r(&seed) % 40; i < m; i++)
			(void)snprintf(b + strlen(b), 4, "%d\n", rand_r(&seed) % 6);
		scratch_put("a.txt", a, strlen(a));
		scratch_put("b.txt", b, strlen(b));
		out = open_memstream(&text, &n);
		assert_int_equal(stage_diff_print(out, "", a, strlen(a), b, strlen(b)), 0);
		assert_int_equal(fclose(out), 0);
		scratch_put("d.txt", text, n);
		if (n)
			sh("printf -- '--- a.txt\\n+++ a.txt\\n' | cat - d.txt >p.txt && "
			   "git apply --unidiff-zero -p0 p.txt");
		sh("cmp a.txt b.txt");
		free(text);
	}
}

/* --- the folder ---------------------------------------------------------------------------------- */

static void test_a_run_that_lives_is_left_alone(void **state)
{
	struct rt_err err = { 0 };
	struct look l;
	struct stage other;

	(void)state;
	begin("true");
	look(&l);
	assert_int_equal(stage_open("state", id, &other, &err), -EBUSY);
	stage_release(&other);
	look_end(&l);
	sh("sed -i /^ended/d state/stage/*/record");
	assert_int_equal(stage_open("state", id, &other, &err), 0);
	/* a process that lives, by its start */
	sh("cut -d' ' -f22 /proc/$PPID/stat | sed \"s/^/init $PPID /\" >>$(echo state/stage/*/record)");
	stage_release(&other);
	assert_int_equal(stage_open("state", id, &other, &err), -EBUSY);
	stage_release(&other);
	assert_int_equal(stage_open("state", "0123", &other, &err), -EINVAL);
	stage_release(&other);
	assert_int_equal(stage_open("state", "ffffffffffff", &other, &err), -ENOENT);
	stage_release(&other);
}

/* The files of the run are their own there: an upper layer has no links to the lower one. */
static void work_on_three_names(void)
{
	begin("mkdir d; echo old >a; ln a d/b; ln a c; ln a e; touch -d 2001-02-03 a; sleep 0.02");
	work("mkdir d && echo of-a >a && echo of-b >d/b");
	whiteout("c");
}

static void test_names_of_one_file_are_committed_one_by_one(void **state)
{
	static const char *const names[] = { "a", "c", "d/b" };
	struct look l;

	(void)state;
	work_on_three_names();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		look(&l);
		assert_int_equal(entry(&l, names[i])->state, STAGE_READY);
		commit(&l, names[i]);
		assert_int_equal(entry(&l, names[i])->state, STAGE_COMMITTED);
		look_end(&l);
	}
	sh("grep -qx of-a out/a && grep -qx of-b out/d/b && [ ! -e out/c ] && grep -qx old out/e");
	assert_int_equal(system("[ $(grep -c ^shared state/stage/*/record) = 1 ]"), 0);
}

static void test_a_file_of_several_names_is_written_between_two_commits(void **state)
{
	static const char *const others[] = {
		"echo new >out/e",                                       /* another size, another time */
		"echo two >out/e && touch -d 2001-02-03 out/e",          /* neither */
		"python3 -c 'import os; os.setxattr(\"out/e\", \"user.x\", b\"y\")'",
		"chmod 600 out/e",
	};
	struct look l;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		work_on_three_names();
		look(&l);
		commit(&l, "a");
		look_end(&l);
		sh(others[i]);
		look(&l);
		assert_int_equal(entry(&l, "d/b")->state, STAGE_CHANGED);
		assert_int_equal(entry(&l, "c")->state, STAGE_CHANGED);
		look_end(&l);
		/* and what was written before the first of them was never noted */
		work_on_three_names();
		sh(others[i]);
		look(&l);
		commit(&l, "");
		assert_int_equal(entry(&l, "d/b")->state, STAGE_CHANGED);
		look_end(&l);
		assert_int_not_equal(system("grep -q ^shared state/stage/*/record"), 0);
	}
}

static void test_a_record_that_was_cut_off_or_altered(void **state)
{
	struct rt_err err = { 0 };
	struct stage s;

	(void)state;
	begin("touch a");
	sh("printf 'done 0 a' >>$(echo state/stage/*/record)");
	assert_int_equal(stage_open("state", NULL, &s, &err), 0);
	assert_int_equal(s.rec.ndone, 0);
	assert_int_equal(stage_note_done(&s, 0, "b\n"), 0);
	stage_release(&s);
	assert_int_equal(stage_open("state", NULL, &s, &err), 0);
	assert_int_equal(s.rec.ndone, 1);
	assert_true(stage_record_is_done(&s.rec, 0, "b\n"));
	stage_release(&s);
	sh("echo 'done 4 a' >>$(echo state/stage/*/record)");
	assert_int_equal(stage_open("state", NULL, &s, &err), -EBADMSG);
	stage_release(&s);
	sh("chmod 666 state/stage/*/record");
	assert_int_equal(stage_open("state", NULL, &s, &err), -EPERM);
	stage_release(&s);
}

static void test_everything_is_removed(void **state)
{
	struct rt_err err = { 0 };
	struct stage s;

	(void)state;
	begin("true");
	work("mkdir -p a/b shut/in && touch shut/in/f && chmod 0 shut/in shut && "
	     "python3 -c 'import os\nfor i in range(3000): os.mkdir(\"d\" * 9); os.chdir(\"d\" * 9)'");
	assert_int_equal(stage_open("state", NULL, &s, &err), 0);
	assert_int_equal(stage_remove(&s, &err), 0);
	stage_release(&s);
	sh("test -z \"$(ls state/stage)\"");
}

/* --- somebody swaps names meanwhile ------------------------------------------------------------------ */

static pid_t swap_for_ever(void)
{
	pid_t pid = fork();

	if (pid == 0)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pid == 0)
		for (;;) {
			/* the directory and a link that leads out of the tree */
			(void)renameat2(AT_FDCWD, "out/d", AT_FDCWD, "link", RENAME_EXCHANGE);
			(void)renameat2(AT_FDCWD, "out/f", AT_FDCWD, "link2", RENAME_EXCHANGE);
		}
	return pid;
}

static void test_no_link_leads_a_commit_out_of_the_tree(void **state)
{
	const char *turns = getenv("POL_STAGE_SWAPS");
	long n = turns ? atol(turns) : 60;
	pid_t pid;

	(void)state;
	begin("mkdir d && echo old >d/f && echo old >f && rm -rf ../away && mkdir ../away && "
	      "echo away >../away/f && ln -sfn $PWD/../away ../link && ln -sfn $PWD/../away/f ../link2");
	work("mkdir d && echo new >d/f && echo new >d/g && echo new >f && chmod 4755 f");
	pid = swap_for_ever();
	assert_true(pid > 0);
	for (long i = 0; i < n; i++) {
		char *text = NULL;
		size_t size = 0;
		struct look l;
		struct stage_show show = { .stage = &l.s, .d = &l.d, .diffs = true };
		FILE *out = open_memstream(&text, &size);

		look(&l);
		assert_int_equal(stage_show_text(out, &show), 0);
		commit(&l, "");
		look_end(&l);
		assert_int_equal(fclose(out), 0);
		assert_null(strstr(text, "-away"));
		free(text);
		/* again from the start */
		if (i % 20 == 0)
			sh("sed -i /^done/d state/stage/*/record");
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sh("test \"$(ls away)\" = f && grep -qx away away/f && test \"$(stat -c %a away/f)\" = 644");
}

static int enter(void **state)
{
	(void)state;
	(void)umask(022);
	return scratch_enter(dir);
}

static int leave(void **state)
{
	(void)state;
	(void)!system("chmod -R u+rwx . 2>/dev/null");
	return scratch_leave(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_change_has_an_entry),
		cmocka_unit_test(test_a_whiteout_may_be_an_attribute),
		cmocka_unit_test(test_what_cannot_be_carried_over_is_refused_by_name),
		cmocka_unit_test(test_rules_are_asked_for_each_name),
		cmocka_unit_test(test_what_changed_outside_is_refused_and_stays),
		cmocka_unit_test(test_some_paths_can_be_committed_alone),
		cmocka_unit_test(test_links_to_the_same_file_stay_so),
		cmocka_unit_test(test_a_sparse_file_stays_sparse),
		cmocka_unit_test(test_a_closed_directory_gets_its_names_first),
		cmocka_unit_test(test_names_and_lines_are_told_escaped),
		cmocka_unit_test(test_differences_are_those_of_diff),
		cmocka_unit_test(test_differences_can_be_applied),
		cmocka_unit_test(test_a_run_that_lives_is_left_alone),
		cmocka_unit_test(test_names_of_one_file_are_committed_one_by_one),
		cmocka_unit_test(test_a_file_of_several_names_is_written_between_two_commits),
		cmocka_unit_test(test_a_record_that_was_cut_off_or_altered),
		cmocka_unit_test(test_everything_is_removed),
		cmocka_unit_test(test_no_link_leads_a_commit_out_of_the_tree),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
