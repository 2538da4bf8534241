/* Remembered answers: what a file may hold, who may have written it, what one
 * answer covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/approvals/approval_key.h"
#include "runtime/approvals/ask_text.h"
#include "runtime/base/io.h"
#include "runtime/state/state_dir.h"
#include "tests/unit/bundle_parse.h"
#include "tests/unit/scratch_dir.h"

static char scratch[] = "/tmp/pol-approvals.XXXXXX";
static struct bundle bundle;

static int set_up(void **state)
{
	(void)state;
	mk_sample_parsed(&bundle);
	return scratch_enter(scratch);
}

static int tear_down(void **state)
{
	(void)state;
	bundle_release(&bundle);
	return scratch_leave(scratch);
}

static struct approval answer(unsigned number, const char *session)
{
	struct approval p = { .when = time(NULL) };

	(void)snprintf(p.key, sizeof(p.key), "%064x", number);
	(void)snprintf(p.session, sizeof(p.session), "%s", session);
	memset(p.digest, 'a', 64);
	(void)snprintf(p.rule, sizeof(p.rule), "rule-%u", number);
	(void)snprintf(p.what, sizeof(p.what), "git push %u", number);
	return p;
}

static void open_at(const char *dir, struct approvals *a)
{
	struct rt_err err = { 0 };

	assert_int_equal(state_dir_make(dir, &err), 0);
	assert_int_equal(approvals_open(dir, a, &err), 0);
}

static bool has(struct approvals *a, unsigned number, const char *session)
{
	struct approval p = answer(number, session);

	return approvals_has(a, p.key, session, time(NULL));
}

/* --- the file ----------------------------------------------------------------------------- */

static void test_the_directory_follows_the_standard(void **state)
{
	char dir[PATH_MAX], deep[PATH_MAX];

	(void)state;
	assert_true(state_dir_path("/h", NULL, dir));
	assert_string_equal(dir, "/h/.local/state/pol");
	assert_true(state_dir_path("/h", "", dir));
	assert_string_equal(dir, "/h/.local/state/pol");
	assert_true(state_dir_path("/h", "relative", dir));
	assert_string_equal(dir, "/h/.local/state/pol");
	assert_true(state_dir_path("/h", "/s", dir));
	assert_string_equal(dir, "/s/pol");
	assert_true(state_dir_path("/h", "/a/none/..//./s/", dir));
	assert_string_equal(dir, "/a/s/pol");
	assert_true(state_dir_path("/h", "/../a/../..", dir));
	assert_string_equal(dir, "/pol");
	assert_true(state_dir_path("/h", "/a..b/...", dir));
	assert_string_equal(dir, "/a..b/.../pol");
	approvals_file(dir, deep);
	assert_string_equal(deep, "/a..b/.../pol/approvals");
	memset(deep, 'a', sizeof(deep) - 1);
	deep[0] = '/';
	deep[sizeof(deep) - 1] = '\0';
	assert_false(state_dir_path("/h", deep, dir));
}

static void test_directories_are_made_for_their_owner_only(void **state)
{
	struct approvals a;
	struct rt_err err = { 0 };
	char dir[PATH_MAX];
	struct stat st;

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/deep/er/pol", scratch);
	assert_int_equal(approvals_open(dir, &a, &err), -ENOENT);
	open_at(dir, &a);
	assert_int_equal(stat("deep/er", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(fstat(a.dirfd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	approvals_release(&a);
}

static void test_an_answer_comes_back(void **state)
{
	struct approval p = answer(1, "id:a"), q = answer(2, "id:a");
	struct rt_err err = { 0 };
	struct approvals a;
	char dir[PATH_MAX];
	struct stat st;

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/back", scratch);
	open_at(dir, &a);
	assert_int_equal(approvals_load(&a, &err), 0);
	assert_false(has(&a, 1, "id:a"));
	assert_int_equal(approvals_add(&a, &p, &err), 0);
	assert_int_equal(approvals_add(&a, &q, &err), 0);
	assert_int_equal(approvals_add(&a, &p, &err), 0);
	approvals_release(&a);
	open_at(dir, &a);
	assert_int_equal(approvals_load(&a, &err), 0);
	assert_int_equal(a.n, 2);
	assert_true(has(&a, 1, "id:a"));
	assert_true(has(&a, 2, "id:a"));
	assert_false(has(&a, 1, "id:b"));
	assert_false(has(&a, 3, "id:a"));
	assert_string_equal(a.v[0].what, "git push 2");
	assert_string_equal(a.v[0].rule, "rule-2");
	assert_int_equal(fstatat(a.dirfd, "approvals", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	approvals_release(&a);
}

static void test_the_oldest_goes_and_what_ended_too(void **state)
{
	struct approval old = answer(9999, "id:a"), future = answer(9998, "id:a");
	struct rt_err err = { 0 };
	struct approvals a;
	char dir[PATH_MAX];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/full", scratch);
	open_at(dir, &a);
	old.when -= APPROVALS_NAMED_SECONDS;
	future.when += 100;
	assert_false(approvals_counts(&old, time(NULL)));
	assert_false(approvals_counts(&future, time(NULL)));
	assert_int_equal(approvals_add(&a, &old, &err), 0);
	for (unsigned i = 0; i < APPROVALS_MAX + 3; i++) {
		struct approval p = answer(i, "id:a");

		assert_int_equal(approvals_add(&a, &p, &err), 0);
	}
	assert_int_equal(approvals_load(&a, &err), 0);
	assert_int_equal(a.n, APPROVALS_MAX);
	assert_false(has(&a, 9999, "id:a"));
	assert_false(has(&a, 2, "id:a"));
	assert_true(has(&a, 3, "id:a"));
	assert_true(has(&a, APPROVALS_MAX + 2, "id:a"));
	approvals_release(&a);
}

static bool is_of_b(const struct approval *p, void *arg)
{
	return strcmp(p->session, arg) == 0;
}

static void test_revoking_takes_what_is_named(void **state)
{
	struct approval p = answer(1, "id:a"), q = answer(1, "id:b");
	struct rt_err err = { 0 };
	struct approvals a;
	char dir[PATH_MAX];
	char b[] = "id:b";
	size_t n = 0;

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/revoke", scratch);
	open_at(dir, &a);
	assert_int_equal(approvals_add(&a, &p, &err), 0);
	assert_int_equal(approvals_add(&a, &q, &err), 0);
	assert_int_equal(approvals_remove(&a, is_of_b, b, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(approvals_load(&a, &err), 0);
	assert_true(has(&a, 1, "id:a"));
	assert_false(has(&a, 1, "id:b"));
	approvals_release(&a);
}

/* An answer may be written behind one that was given after it. */
static void test_a_later_answer_may_be_written_first(void **state)
{
	struct approval early = answer(1, "id:x"), late = answer(2, "id:x");
	struct rt_err err = { 0 };
	struct approvals a;
	char dir[PATH_MAX];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/late", scratch);
	open_at(dir, &a);
	early.when--;
	assert_int_equal(approvals_add(&a, &late, &err), 0);
	assert_int_equal(approvals_add(&a, &early, &err), 0);
	assert_true(has(&a, 1, "id:x"));
	assert_true(has(&a, 2, "id:x"));
	/* of the future, by hours, is one that no clock of this machine gave */
	late.when += 7200;
	assert_int_equal(approvals_add(&a, &late, &err), 0);
	assert_int_equal(approvals_add(&a, &early, &err), 0);
	assert_true(has(&a, 1, "id:x"));
	assert_int_equal(a.n, 1);
	approvals_release(&a);
}

/* Several runs at once lose nothing of each other. */
static void test_concurrent_answers_all_stay(void **state)
{
	enum { WHO = 6, EACH = 15 };
	struct rt_err err = { 0 };
	struct approvals a;
	char dir[PATH_MAX];

	(void)state;
	(void)snprintf(dir, sizeof(dir), "%s/many", scratch);
	open_at(dir, &a);
	approvals_release(&a);
	for (unsigned i = 0; i < WHO; i++) {
		if (fork() != 0)
			continue;
		for (unsigned k = 0; k < EACH; k++) {
			struct approval p = answer(i * EACH + k, "id:x");

			if (approvals_open(dir, &a, &err) < 0 ||
			    approvals_add(&a, &p, &err) < 0)
				_exit(1);
			approvals_release(&a);
		}
		_exit(0);
	}
	for (unsigned i = 0; i < WHO; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	open_at(dir, &a);
	assert_int_equal(approvals_load(&a, &err), 0);
	assert_int_equal(a.n, WHO * EACH);
	for (unsigned i = 0; i < WHO * EACH; i++)
		assert_true(has(&a, i, "id:x"));
	approvals_release(&a);
}

/* --- damage --------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static size_t damage(uint64_t *x, char *text, size_t n, size_t cap)
{
	static const char bytes[] = "\t\n\0 0fg:-\x7f\x1b";
	unsigned how = (unsigned)(next(x) % 5);
	size_t at = next(x) % n;

	if (how == 0)
		return at;
	if (how == 1) {
		memmove(text + at, text + at + 1, n - at - 1);
		return n - 1;
	}
	if (how == 2 && n < cap) {
		memmove(text + at + 1, text + at, n - at);
		n++;
	}
	text[at] = how == 3 ? (char)next(x) : bytes[next(x) % (sizeof(bytes) - 1)];
	return n;
}

static bool holds_line(const char *text, size_t n, const char *line)
{
	return memmem(text, n, line, strlen(line)) != NULL;
}

/* Whatever the bytes are: an answer counts only where its key and its session stand as
 * they were written, behind the header. */
static void test_damage_is_no_answer(void **state)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	uint64_t x = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL) * 2 + 1;
	unsigned long most = runs ? strtoul(runs, NULL, 10) : 3000, refused = 0, kept = 0;
	char dir[PATH_MAX], good[2000], bad[2000], line[2000];
	struct approval p = answer(7, "id:a"), q = answer(8, "tty:0:1:2");
	struct rt_err err = { 0 };
	struct approvals a;
	AUTO_FREE char *text = NULL;
	size_t n;

	(void)state;
	print_message("SEED=%llu\n", (unsigned long long)x);
	x |= 1;
	(void)snprintf(dir, sizeof(dir), "%s/damage", scratch);
	open_at(dir, &a);
	(void)snprintf(q.session, sizeof(q.session),
		       "tty:00000000-0000-0000-0000-000000000000:12:345");
	assert_int_equal(approvals_add(&a, &q, &err), 0);
	assert_int_equal(approvals_add(&a, &p, &err), 0);
	assert_int_equal(io_read_file("damage/approvals", sizeof(good), &text, &n), 0);
	memcpy(good, text, n);
	/* another time of the last day is as good */
	(void)snprintf(line, sizeof(line), "\n%s\tid:a\t", p.key);
	for (unsigned long i = 0; i < most; i++) {
		size_t len = n;
		int r;

		memcpy(bad, good, n);
		for (unsigned k = (unsigned)(next(&x) % 3) + 1; k > 0 && len > 0; k--)
			len = damage(&x, bad, len, sizeof(bad));
		scratch_put("damage/approvals", bad, len);
		assert_int_equal(chmod("damage/approvals", 0600), 0);
		r = approvals_load(&a, &err);
		assert_true(r == 0 || (r == -EBADMSG && a.n == 0));
		refused += r != 0;
		kept += r == 0 && has(&a, 7, "id:a");
		if (has(&a, 7, "id:a")) {
			assert_true(holds_line(bad, len, line));
			assert_memory_equal(bad, APPROVALS_HEADER "\n",
					    strlen(APPROVALS_HEADER) + 1);
		}
	}
	/* both happen, or this test tries nothing */
	assert_true(most < 1000 || (refused > most / 10 && kept > 0));
	approvals_release(&a);
}

/* --- sessions ------------------------------------------------------------------------------- */

static void test_names_of_sessions(void **state)
{
	static const char *const bad[] = {
		"", "id:", "id:a b", "id:a\n", "tty:", "x:1", "tty:x:1:2",
		"tty:00000000-0000-0000-0000-000000000000:1:",
		"tty:00000000-0000-0000-0000-000000000000:1:2x",
		"tty:00000000-0000-0000-0000-000000000000: 1:2",
		"tty:00000000-0000-0000-0000-000000000000:+1:2",
	};
	char own[APPROVAL_SESSION], id[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(approval_session_is(bad[i]));
	assert_true(approval_session_is("id:agent-1.x@y:z"));
	assert_true(
		approval_session_is("tty:00000000-0000-0000-0000-000000000000:12:345"));
	/* no boot has that id */
	assert_false(
		approval_session_lives("tty:00000000-0000-0000-0000-000000000000:1:1"));
	assert_true(approval_session("agent", own));
	assert_string_equal(own, "id:agent");
	memset(id, 'a', sizeof(id));
	id[129] = '\0';
	assert_false(approval_session_id(id));
	id[128] = '\0';
	assert_true(approval_session_id(id));
	if (approval_session(NULL, own)) {
		assert_true(approval_session_is(own));
		assert_true(approval_session_lives(own));
		/* another process of that number is another session */
		own[strlen(own) - 1] ^= 1;
		assert_false(approval_session_lives(own));
	}
}

/* --- what one answer covers ------------------------------------------------------------------- */

static void key_of(const char *line, const char *cwd, const char *session,
		   const char *path, char key[APPROVALS_KEY + 1])
{
	struct decide_ctx ctx = { .b = &bundle, .scope = PB_SANDBOX, .cwd = cwd };
	unsigned char common[APPROVAL_LINE];
	struct rt_err err = { 0 };
	struct entry e;

	ctx.roots.dir[PB_ROOT_FS] = "/";
	ctx.roots.dir[PB_ROOT_HOME] = "/home/u";
	ctx.roots.dir[PB_ROOT_PROJECT] = "/p";
	assert_int_equal(entry_decide(&ctx, line, NULL, 0, &e, &err), 0);
	assert_non_null(e.parts.first);
	approval_line(&ctx, &e, session, path, common);
	approval_key(&bundle, common, e.parts.first, key);
	entry_release(&e);
}

static bool same(const char *a, const char *b)
{
	char ka[APPROVALS_KEY + 1], kb[APPROVALS_KEY + 1];

	key_of(a, "/p", "id:s", "/bin", ka);
	key_of(b, "/p", "id:s", "/bin", kb);
	assert_int_equal(strlen(ka), APPROVALS_KEY);
	return strcmp(ka, kb) == 0;
}

static void test_one_line_is_covered(void **state)
{
	static const char *const other[] = {
		"git push origin x", "git push", "git 'push origin'", "git push origin ''",
		"git push origin; true", "git push origin &", "echo y | git push origin",
		"git push origin | cat", "git push origin <f", "git push origin >f",
		"A=1 git push origin", "LANG=C git push origin", "time git push origin",
		"! git push origin", "(git push origin)", "cd /x; git push origin",
		"if true; then git push origin; fi", "git push $x", "git push orig*",
		"git push origin <<E\na\nE", "git push {origin,x}", "sudo git push origin",
		"/bin/git push origin", "git push origin #x", "git push origin\ntrue",
	};

	(void)state;
	assert_true(same("git push origin", "git push origin"));
	assert_true(same("git push origin", " git  push\t'origin' "));
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (same("git push origin", other[i]))
			fail_msg("covered, too: %s", other[i]);
	/* what is no plain command is its own bytes */
	assert_true(same("a <<E\nx\nE\n", "a <<E\nx\nE\n"));
	assert_false(same("a <<E\nx\nE\n", "a <<E\ny\nE\n"));
	assert_false(same("echo a | b", "echo c | b"));
}

static void test_one_place_and_session_are_covered(void **state)
{
	char a[APPROVALS_KEY + 1], b[APPROVALS_KEY + 1];

	(void)state;
	key_of("make", "/p", "id:s", "/bin", a);
	key_of("make", "/p/x", "id:s", "/bin", b);
	assert_string_not_equal(a, b);
	key_of("make", "/p", "id:t", "/bin", b);
	assert_string_not_equal(a, b);
	key_of("make", "/p", "id:s", "/p:/bin", b);
	assert_string_not_equal(a, b);
	key_of("make", "/p", "id:s", NULL, b);
	assert_string_not_equal(a, b);
	bundle.digest[0] ^= 1;
	key_of("make", "/p", "id:s", "/bin", b);
	bundle.digest[0] ^= 1;
	assert_string_not_equal(a, b);
}

/* What was not all written is lost, whatever the stream says at its end. */
static void test_a_question_that_is_cut_off_is_known_to_be(void **state)
{
	struct decide_ctx ctx = { .b = &bundle, .scope = PB_SANDBOX, .cwd = "/p" };
	struct rt_err err = { 0 };
	struct entry e;
	struct ask_question q = { .ctx = &ctx, .entry = &e, .number = 1, .of = 1 };

	(void)state;
	ctx.roots.dir[PB_ROOT_FS] = "/";
	ctx.roots.dir[PB_ROOT_HOME] = "/home/u";
	ctx.roots.dir[PB_ROOT_PROJECT] = "/p";
	assert_int_equal(entry_decide(&ctx, "git push origin", NULL, 0, &e, &err), 0);
	q.part = e.parts.first;
	for (int full = 0; full < 2; full++) {
		struct ask_out out = { .to = fopen(full ? "/dev/full" : "/dev/null", "w") };

		assert_non_null(out.to);
		assert_int_equal(setvbuf(out.to, NULL, _IONBF, 0), 0);
		(void)ask_text(&out, &q);
		assert_int_equal(out.lost, full);
		out.lost = false;
		ask_text_details(&out, &q);
		assert_int_equal(out.lost, full);
		(void)fclose(out.to);
	}
	entry_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_directory_follows_the_standard),
		cmocka_unit_test(test_directories_are_made_for_their_owner_only),
		cmocka_unit_test(test_an_answer_comes_back),
		cmocka_unit_test(test_the_oldest_goes_and_what_ended_too),
		cmocka_unit_test(test_revoking_takes_what_is_named),
		cmocka_unit_test(test_a_later_answer_may_be_written_first),
		cmocka_unit_test(test_concurrent_answers_all_stay),
		cmocka_unit_test(test_damage_is_no_answer),
		cmocka_unit_test(test_names_of_sessions),
		cmocka_unit_test(test_one_line_is_covered),
		cmocka_unit_test(test_one_place_and_session_are_covered),
		cmocka_unit_test(test_a_question_that_is_cut_off_is_known_to_be),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
