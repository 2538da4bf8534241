/*
 * What of the run's opens the broker makes, and its limits: of steps, of time, of
 * descriptors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "tests/unit/broker_fixture.h"

/* --- what is opened ----------------------------------------------------------------------- */

static void test_no_device_and_no_socket_is_opened(void **state)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(bind(s, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_refused(open_it("socket", O_WRONLY), ENXIO, BROKER_BY_KIND, "socket");
	assert_int_equal(open_it("d", O_WRONLY)->err, EISDIR);
	assert_int_equal(open_it("d", O_RDWR | O_DIRECTORY)->err, EISDIR);
	assert_int_equal(open_it(".", O_WRONLY)->err, EISDIR);
	/* for reading the kernel opens, below the mount that the run sees */
	put("f");
	assert_false(open_it("f", O_RDONLY | O_CREAT)->ours);
	assert_false(open_it("d", O_RDONLY | O_CREAT)->ours);
	assert_false(open_it("f", O_PATH | O_WRONLY)->ours);
	/* a device is neither made nor opened */
	assert_refused(act((struct broker_call){ .verb = BROKER_MKNOD, .path.raw = "dev", .mode = S_IFCHR }),
		       EPERM, BROKER_BY_NATURE, "dev");
	if (mknod("dev", S_IFCHR | 0666, (dev_t)((1 << 8) | 3)) == 0)
		assert_refused(open_it("dev", O_WRONLY), EACCES, BROKER_BY_KIND, "dev");
	assert_done(act((struct broker_call){ .verb = BROKER_MKNOD, .path.raw = "p", .mode = S_IFIFO | 0600 }));
	(void)close(s);
}

static bool may_wait;
static ino_t comes_first;

static bool wait_for_reader(void *arg)
{
	(void)arg;
	return may_wait;
}

static void opens_fifo(void *arg, dev_t dev, ino_t ino)
{
	(void)arg, (void)dev;
	comes_first = ino;
}

static void assert_given(const struct broker_result *r)
{
	assert_true(r->fd >= 0);
	assert_int_equal(fcntl(r->fd, F_GETFL) & O_NONBLOCK, 0);
	assert_done(r);
}

static void test_a_fifo_is_opened_without_waiting(void **state)
{
	const struct broker_result *r;
	struct broker_fifo f;
	struct stat st, waits;
	int reader;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkfifo(".env-fifo", 0600), 0);
	assert_int_equal(mkfifo("secret-fifo", 0600), 0);
	assert_refused(open_it(".env-fifo", O_RDWR), EACCES, BROKER_BY_RULE, ".env-fifo");
	assert_refused(open_it("secret-fifo", O_RDWR), EACCES, BROKER_BY_RULE, "secret-fifo");
	assert_int_equal(stat("fifo", &st), 0);
	t.broker.rules.opens_fifo = opens_fifo;
	/* nobody reads it, and nobody may wait: by default, and then by what is said */
	assert_int_equal(open_it("fifo", O_WRONLY | O_NONBLOCK)->err, ENXIO);
	assert_refused(open_it("fifo", O_WRONLY), EAGAIN, BROKER_BY_WAITING, "fifo");
	t.broker.rules.may_wait = wait_for_reader;
	assert_refused(open_it("fifo", O_WRONLY), EAGAIN, BROKER_BY_WAITING, "fifo");
	may_wait = true;
	comes_first = 0;
	r = open_it("fifo", O_WRONLY | O_CREAT | O_TRUNC);
	assert_true(r->ours && r->later);
	assert_int_equal(r->fd, -1);
	assert_int_equal(fstat(r->object, &waits), 0);
	assert_true(waits.st_ino == st.st_ino && comes_first == st.st_ino);
	f = (struct broker_fifo){ .flags = O_WRONLY, .object = r->object };
	assert_int_equal(broker_fifo_open(&t.broker, &f), -ENXIO);
	(void)close(r->object);
	reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_given(open_it("fifo", O_WRONLY));
	assert_given(open_it("fifo", O_WRONLY | O_CREAT | O_TRUNC));
	(void)close(reader);
	assert_given(open_it("fifo", O_RDWR));
	/* as any other file */
	assert_int_equal(open_it("fifo", O_WRONLY | O_DIRECTORY)->err, ENOTDIR);
	assert_int_equal(open_it("fifo", O_WRONLY | O_CREAT | O_EXCL)->err, EEXIST);
	assert_false(open_it("fifo", O_RDONLY | O_TRUNC)->ours);
}

/* --- names that lead through links -------------------------------------------------------- */

static char asked[8][PATH_MAX];
static size_t nasked;

/* Notes which name was asked about, and denies what ends in "no". */
static bool denies(void *arg, enum broker_op op, const char *name, uint32_t *ret_rule)
{
	size_t n = strlen(name);

	(void)arg;
	assert_int_equal(op, BROKER_READ);
	assert_true(nasked < 8);
	assert_int_equal(strncmp(name, t.root[0], strlen(t.root[0])), 0);
	(void)snprintf(asked[nasked++], PATH_MAX, "%s", name + strlen(t.root[0]) + 1);
	*ret_rule = 5;
	return n > 2 && strcmp(name + n - 2, "no") == 0;
}

static void assert_asked(const char *path, uint64_t flags, const char *first, const char *second)
{
	nasked = 0;
	assert_int_equal(open_it(path, flags)->err, 0);
	assert_true(t.last.ours && t.last.fd >= 0);
	(void)close(t.last.fd);
	assert_int_equal(nasked, !!first + !!second);
	if (first)
		assert_string_equal(asked[0], first);
	if (second)
		assert_string_equal(asked[1], second);
}

static void test_names_that_lead_through_links_are_asked_about(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/e", 0700), 0);
	put("d/f");
	assert_int_equal(symlink("d", "to"), 0);
	assert_int_equal(symlink("to/f", "chain"), 0);
	assert_int_equal(symlink("f", "d/no"), 0);
	t.broker.rules.denies = denies;
	/* where reading is not decided by name nobody is asked */
	assert_asked("chain", O_RDWR, NULL, NULL);
	assert_int_equal(broker_trees_add(&t.broker.reads, BROKER_OPEN_HERE, t.root[0],
					  t.broker.trees.v[0].fd), 0);
	assert_asked("d/f", O_RDONLY, NULL, NULL);
	assert_asked("to/f", O_RDONLY, "to/f", NULL);
	assert_asked("./to//e/.././f", O_RDONLY, "to/f", NULL);
	assert_asked("chain", O_RDONLY, "chain", "to/f");
	assert_asked("chain", O_RDWR, "chain", "to/f");
	nasked = 0;
	assert_refused(open_it("to/no", O_RDONLY), EACCES, BROKER_BY_RULE, "to/no");
	assert_int_equal(t.last.rule, 5);
	assert_int_equal(nasked, 1);
	assert_refused(open_it("d/no", O_WRONLY | O_CREAT), EACCES, BROKER_BY_RULE, "d/no");
	/* the link itself is not followed */
	assert_int_equal(open_it("d/no", O_WRONLY | O_NOFOLLOW)->err, ELOOP);
	assert_int_equal(open_it("d/no", O_WRONLY | O_CREAT | O_EXCL)->err, EEXIST);
}

static void test_a_descriptor_is_as_the_run_asked(void **state)
{
	static const uint64_t flags[] = { O_WRONLY, O_RDWR | O_APPEND, O_WRONLY | O_NONBLOCK,
					  O_RDWR | O_SYNC, O_RDWR | O_TMPFILE };
	struct stat st;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const struct broker_result *r =
			open_it(flags[i] & O_DIRECTORY ? "." : "f", flags[i] | (i < 4 ? O_CREAT : 0));
		int kept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC;

		assert_int_equal(r->err, 0);
		assert_int_equal(fcntl(r->fd, F_GETFL) & kept, (int)flags[i] & kept);
		assert_int_equal(fcntl(r->fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(fstat(r->fd, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 0777, 0644); /* 0666 less the mask of the call */
		(void)close(r->fd);
	}
	/* the mask of the process itself is as before */
	assert_int_equal(umask(022), 022);
}

/* Somebody holds a lease: open(2) would wait up to 45 seconds. */
static void test_a_lease_does_not_hold_the_broker_up(void **state)
{
	int64_t begun = sys_now_ms();
	int ready[2], status;
	char c;
	pid_t pid;

	(void)state;
	put("f");
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open("f", O_RDONLY | O_CLOEXEC);

		(void)signal(SIGIO, SIG_IGN);
		if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
			_exit(1);
		(void)!write(ready[1], "x", 1);
		(void)pause();
		_exit(0);
	}
	(void)close(ready[1]);
	if (read(ready[0], &c, 1) == 1) {
		assert_int_equal(open_it("f", O_WRONLY)->err, EAGAIN);
		assert_true(sys_now_ms() - begun < 20000);
	}
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(ready[0]);
	assert_true(WIFSIGNALED(status));
	assert_done(open_it("f", O_WRONLY));
}

/* --- its limits ----------------------------------------------------------------------------- */

static void test_a_path_has_a_limit_of_steps(void **state)
{
	char path[PATH_MAX] = "";

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	for (size_t i = 0; i < 400; i++)
		strcat(path, "d/../");
	/* each link doubles what is left to walk */
	assert_int_equal(symlink("d/../d/../d/../d/..", "l0"), 0);
	for (int i = 0; i < 5; i++) {
		char name[16], target[400];

		(void)snprintf(name, sizeof(name), "l%d", i + 1);
		target[0] = '\0';
		for (int k = 0; k < 6; k++)
			(void)snprintf(target + strlen(target), sizeof(target) - strlen(target), "l%d/", i);
		assert_int_equal(symlink(target, name), 0);
	}
	strcat(path, "x");
	assert_done(open_it(path, O_WRONLY | O_CREAT));
	assert_done(open_it("l1/x", O_WRONLY));
	assert_int_equal(open_it("l5/x", O_WRONLY)->err, ELOOP);
}

static bool allows_slowly(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *ret_rule)
{
	(void)usleep(2000);
	return allows(arg, op, path, is_dir, ret_rule);
}

static void test_a_call_may_not_take_too_long(void **state)
{
	struct broker_call move = { .verb = BROKER_RENAME, .path.raw = "d", .to.raw = "x" };
	char name[16];

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	for (unsigned i = 0; i < 30; i++) {
		(void)snprintf(name, sizeof(name), "d/%u", i);
		put(name);
	}
	for (unsigned verb = 0; verb < BROKER_VERB_COUNT; verb++) {
		struct broker_call c = { .verb = (enum broker_verb)verb, .by.until = 1, .path.raw = "d/1",
					 .to.raw = "e", .text = "user.x", .value = "", .flags = O_WRONLY };

		c.flags = verb ? 0 : O_WRONLY;
		assert_int_equal(act(c)->err, EIO);
		assert_int_equal(t.last.reason, BROKER_BY_LATE);
		assert_string_equal(t.last.subject, "d/1");
	}
	/* in the middle of it; half of what the look at a directory may take in any case */
	t.broker.rules.allows = allows_slowly;
	move.by.until = sys_now_ms() + BROKER_MOST_MS / 2;
	assert_int_equal(act(move)->err, EIO);
	assert_int_equal(t.last.reason, BROKER_BY_LATE);
	assert_int_equal(access("d/29", F_OK), 0);
	move.by.until = 0;
	assert_int_equal(act(move)->reason, BROKER_BY_MANY);
	t.broker.rules.allows = allows;
	assert_done(act(move));
}

static size_t open_count(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

static void test_nothing_is_left_open(void **state)
{
	static const char *const paths[] = { "d/f", "d/new", "l/f", "d/.env", "missing/x", "d/f/", "/", "",
					     "d/..", ".", "l", "d", "loop" };
	size_t before;

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	put("d/f");
	assert_int_equal(symlink("d", "l"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	before = open_count();
	for (unsigned verb = 0; verb < BROKER_VERB_COUNT; verb++)
		for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
			for (size_t k = 0; k < 2; k++) {
				struct broker_call c = { .verb = (enum broker_verb)verb,
							 .path.raw = paths[i],
							 .to.raw = k ? "d/y" : "no/y",
							 .text = "user.x",
							 .value = "v",
							 .size = 1,
							 .uid = (uid_t)-1,
							 .gid = (gid_t)-1,
							 .mode = k ? 0700 : R_OK,
							 .flags = verb ? 0 : O_WRONLY | (k ? O_CREAT : 0) };

				(void)act(c);
				if (t.last.fd >= 0)
					(void)close(t.last.fd);
			}
	assert_int_equal(open_count(), before);
}

/* --- where files are opened for reading by name -------------------------------------------- */

static void assert_opened(const struct broker_result *r, bool is_dir)
{
	struct stat st;

	assert_true(r->ours && r->reads);
	assert_int_equal(r->err, 0);
	assert_int_equal(fcntl(r->fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(r->fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(r->fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(r->fd, &st), 0);
	assert_int_equal(S_ISDIR(st.st_mode), is_dir);
	(void)close(r->fd);
}

static void test_reading_by_name(void **state)
{
	int writer;
	char byte;

	(void)state;
	put("f");
	put("secret");
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("secrets", 0700), 0);
	put("secrets/f");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkfifo("secret-fifo", 0600), 0);
	assert_int_equal(symlink("secret", "link"), 0);
	assert_int_equal(symlink("d/../f", "way"), 0);
	/* without the set everything is the kernel's */
	assert_false(open_it("f", O_RDONLY)->ours);
	assert_false(open_it("secret", O_RDONLY)->ours);
	assert_int_equal(broker_trees_add(&t.broker.reads, BROKER_OPEN_HERE, t.root[0],
					  t.broker.trees.v[0].fd), 0);
	assert_opened(open_it("f", O_RDONLY), false);
	assert_opened(open_it("f", O_RDONLY | O_NOFOLLOW | O_CREAT), false);
	assert_opened(open_it("way", O_RDONLY), false);
	assert_opened(open_it("d", O_RDONLY | O_DIRECTORY), true);
	assert_opened(open_it("d", O_RDONLY), true);
	assert_opened(open_it(".", O_RDONLY), true);
	assert_opened(open_it("d/..", O_RDONLY | O_DIRECTORY), true);
	assert_refused(open_it("secret", O_RDONLY), EACCES, BROKER_BY_RULE, "secret");
	assert_refused(open_it("secret", O_RDONLY | O_CREAT), EACCES, BROKER_BY_RULE, "secret");
	assert_refused(open_it("link", O_RDONLY), EACCES, BROKER_BY_RULE, "secret");
	assert_refused(open_it("secrets", O_RDONLY | O_DIRECTORY), EACCES, BROKER_BY_RULE, "secrets");
	assert_refused(open_it("secrets/f", O_RDONLY), EACCES, BROKER_BY_RULE, "secrets/f");
	/* nobody writes it, and nobody may wait; with a writer, and without waiting, it is opened */
	assert_refused(open_it("fifo", O_RDONLY), EAGAIN, BROKER_BY_WAITING, "fifo");
	assert_done(open_it("fifo", O_RDONLY | O_NONBLOCK));
	assert_int_equal(pipe2(t.broker.probe, O_CLOEXEC | O_NONBLOCK), 0);
	assert_refused(open_it("fifo", O_RDONLY), EAGAIN, BROKER_BY_WAITING, "fifo");
	writer = open("fifo", O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	assert_opened(open_it("fifo", O_RDONLY), false);
	assert_int_equal(write(writer, "x", 1), 1);
	assert_given(open_it("fifo", O_RDONLY));
	assert_int_equal(read(writer, &byte, 1), 1);
	(void)close(writer);
	(void)close(t.broker.probe[0]);
	(void)close(t.broker.probe[1]);
	assert_refused(open_it("secret-fifo", O_RDONLY | O_NONBLOCK), EACCES, BROKER_BY_RULE, "secret-fifo");
	/* what the kernel answers, and opens nothing */
	assert_false(open_it("none", O_RDONLY)->ours);
	assert_false(open_it("link", O_RDONLY | O_NOFOLLOW)->ours);
	assert_false(open_it("f", O_RDONLY | O_DIRECTORY)->ours);
	assert_false(open_it("f/", O_RDONLY)->ours);
	assert_false(open_it("f", O_PATH)->ours);
	assert_int_equal(open_it("f", O_RDONLY | O_CREAT | O_EXCL)->err, EEXIST);
}

/* The kernel's own files are not the same for polrun; the run's root shows names only. */
static void test_what_is_not_read_by_name(void **state)
{
	static const char *const files[] = { "/proc/version", "/proc/1/environ", "/proc/self/status",
					     "/proc/sys/kernel/ostype", "/dev/null", "/etc/passwd" };
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct broker_trees *reads = &t.broker.reads;

	(void)state;
	assert_int_equal(broker_trees_add(reads, BROKER_LIST, "/", fd), 0);
	assert_opened(open_it("/", O_RDONLY | O_DIRECTORY), true);
	for (size_t i = 0; i < 6; i++)
		assert_false(open_it(files[i], O_RDONLY)->ours);
	broker_trees_release(reads);
	assert_int_equal(broker_trees_add(reads, BROKER_OPEN_HERE, "/", fd), 0);
	assert_opened(open_it("/etc/passwd", O_RDONLY), false);
	for (size_t i = 0; i < 5; i++)
		assert_false(open_it(files[i], O_RDONLY)->ours);
	assert_false(open_it("/proc/1", O_RDONLY | O_DIRECTORY)->ours);
	broker_trees_release(reads);
	assert_int_equal(broker_trees_add(reads, BROKER_LOOK, "/", fd), 0);
	assert_false(open_it("/", O_RDONLY | O_DIRECTORY)->ours);
	assert_false(open_it("/etc/passwd", O_RDONLY)->ours);
	(void)close(fd);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(test_no_device_and_no_socket_is_opened),
		ROW(test_a_fifo_is_opened_without_waiting),
		ROW(test_a_descriptor_is_as_the_run_asked),
		ROW(test_a_lease_does_not_hold_the_broker_up),
		ROW(test_a_path_has_a_limit_of_steps),
		ROW(test_a_call_may_not_take_too_long),
		ROW(test_reading_by_name),
		ROW(test_what_is_not_read_by_name),
		ROW(test_names_that_lead_through_links_are_asked_about),
		ROW(test_nothing_is_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
