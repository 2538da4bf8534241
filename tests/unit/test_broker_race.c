/*
 * Another process exchanges a directory and links, and a file and a link, below the path of
 * the calls that the broker makes: open, create, rename, chmod.  Nothing outside of the tree
 * and nothing that a rule denies is ever touched.  The control makes the same calls by name,
 * after a look that says they are fine, and is walked around.  POL_RACE_SWAPS: how many
 * exchanges there are to be (else as many as there are in POL_RACE_SECONDS, 3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "tests/lib/broker_twin.h"

static struct twin t;
static unsigned long *swaps; /* shared with the process that makes them */
static char root[128], outside[160], denied[160];

/* Everything but what lies in "no". */
static bool allows(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *ret_rule)
{
	size_t n = strlen(denied);

	(void)arg, (void)op, (void)is_dir;
	*ret_rule = 7;
	return strncmp(path, denied, n) != 0 || (path[n] && path[n] != '/');
}

static const struct broker_rules rules = { .allows = allows };

static const char *in(const char *dir, const char *name)
{
	static char buf[8][400];
	static unsigned at;
	char *out = buf[at++ % 8];

	(void)snprintf(out, 400, "%s/%s", dir, name);
	return out;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static int begin(void **state)
{
	(void)state;
	if (twin_init(&t, &rules) != 0)
		return -1;
	(void)snprintf(root, sizeof(root), "%s", t.root[0]);
	(void)snprintf(outside, sizeof(outside), "%s", t.root[1]);
	(void)snprintf(denied, sizeof(denied), "%s/no", root);
	swaps = mmap(NULL, sizeof(*swaps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (swaps == MAP_FAILED || mkdir(denied, 0700) != 0 || mkdir(in(root, "d"), 0700) != 0)
		return -1;
	put(in(denied, "f"), "keep");
	put(in(outside, "f"), "keep");
	put(in(root, "d/f"), "mine");
	put(in(root, "source"), "moved");
	return symlink("no", in(root, "l")) == 0 && symlink(outside, in(root, "m")) == 0 &&
			       symlink("../no/f", in(root, "d/g")) == 0 &&
			       symlink(in(outside, "f"), in(root, "d/h")) == 0 ?
		       0 :
		       -1;
}

static int end(void **state)
{
	(void)state;
	twin_release(&t);
	return 0;
}

/* Exchanges for ever.  Each exchange is undone, so that each name has its own object again. */
static pid_t start_swapping(void)
{
	static const char *const pairs[][2] = {
		{ "d", "l" }, { "d/f", "d/g" }, { "d", "m" }, { "d/f", "d/h" },
	};
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (unsigned i = 0;; i++)
		for (unsigned twice = 0; twice < 2; twice++) {
			const char *const *p = pairs[i % 4];

			if (renameat2(dir, p[0], dir, p[1], RENAME_EXCHANGE) != 0)
				continue;
			__atomic_add_fetch(swaps, 1, __ATOMIC_RELAXED);
		}
}

static void stop_swapping(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* What nobody may touch is as it was. */
static bool is_kept(const char *dir)
{
	char text[16] = "";
	int fd = open(in(dir, "f"), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	struct stat st;
	bool kept = fd >= 0 && n == 4 && strcmp(text, "keep") == 0 && fstat(fd, &st) == 0 &&
		    (st.st_mode & 07777) == 0600;

	if (fd >= 0)
		(void)close(fd);
	return kept && access(in(dir, "new"), F_OK) != 0 && access(in(dir, "moved"), F_OK) != 0;
}

static void make_whole(const char *dir)
{
	(void)unlink(in(dir, "f"));
	(void)unlink(in(dir, "new"));
	(void)unlink(in(dir, "moved"));
	put(in(dir, "f"), "keep");
}

static const struct broker_call calls[] = {
	{ .verb = BROKER_OPEN, .path = { "d/f", root }, .flags = O_WRONLY | O_TRUNC },
	{ .verb = BROKER_OPEN, .path = { "d/new", root }, .flags = O_WRONLY | O_CREAT, .mode = 0600 },
	{ .verb = BROKER_UNLINK, .path = { "d/new", root } },
	{ .verb = BROKER_CHMOD, .path = { "d/f", root }, .mode = 0640, .follow = true },
	{ .verb = BROKER_TRUNCATE, .path = { "d/f", root }, .length = 2 },
	{ .verb = BROKER_RENAME, .path = { "source", root }, .to = { "d/moved", root } },
	{ .verb = BROKER_RENAME, .path = { "d/moved", root }, .to = { "source", root } },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

struct met {
	unsigned long done, denied, elsewhere, other;
};

static void broker_once(size_t i, struct met *met)
{
	broker_act(&t.broker, &calls[i], &t.last);
	if (t.last.fd >= 0) {
		struct stat st;

		assert_int_equal(fstat(t.last.fd, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(write(t.last.fd, "hello", 5), 5);
		(void)close(t.last.fd);
	}
	met->done += t.last.ours && t.last.err == 0;
	met->denied += t.last.ours && t.last.reason == BROKER_BY_RULE;
	met->elsewhere += !t.last.ours;
	met->other += t.last.ours && t.last.err && t.last.reason == BROKER_BY_KERNEL;
}

static int64_t seconds(const char *name, int64_t usual)
{
	const char *v = getenv(name);

	return v ? strtoll(v, NULL, 10) : usual;
}

static void test_nothing_outside_and_nothing_denied_is_touched(void **state)
{
	struct met met = { 0 };
	unsigned long want = (unsigned long)seconds("POL_RACE_SWAPS", 0);
	int64_t until = sys_now_ms() + 1000 * seconds("POL_RACE_SECONDS", 3);
	pid_t pid = start_swapping();

	(void)state;
	for (size_t i = 0; want ? __atomic_load_n(swaps, __ATOMIC_RELAXED) < want :
				  sys_now_ms() < until;
	     i++)
		broker_once(i % CALLS, &met);
	stop_swapping(pid);
	assert_true(is_kept(outside));
	assert_true(is_kept(denied));
	print_message("%lu exchanges; calls: %lu done, %lu denied, %lu elsewhere, %lu failed\n", *swaps,
		      met.done, met.denied, met.elsewhere, met.other);
	/* the calls met each of the faces that the path has */
	assert_true(*swaps > 100 && met.done > 20 && met.denied > 20 && met.elsewhere > 20);
}

/* The same by name: a look, and then the call, if what was seen is allowed. */
static void control_once(size_t i)
{
	struct broker_call look = calls[i];
	struct twin_answer a;

	look.verb = BROKER_ACCESS;
	look.mode = R_OK;
	look.follow = true;
	broker_act(&t.broker, &look, &t.last);
	if (!t.last.ours || strncmp(t.last.subject, denied, strlen(denied)) == 0)
		return;
	twin_plain(&calls[i], &a);
	if (a.fd >= 0) {
		(void)!write(a.fd, "hello", 5);
		(void)close(a.fd);
	}
}

static void test_control_by_name_is_walked_around(void **state)
{
	int64_t until = sys_now_ms() + 60000;
	bool kept = true;
	pid_t pid = start_swapping();

	(void)state;
	for (size_t i = 0; kept && sys_now_ms() < until; i++) {
		control_once(i % CALLS);
		kept = is_kept(outside) && is_kept(denied);
	}
	stop_swapping(pid);
	make_whole(outside);
	make_whole(denied);
	assert_false(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_outside_and_nothing_denied_is_touched, begin,
						end),
		cmocka_unit_test_setup_teardown(test_control_by_name_is_walked_around, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
