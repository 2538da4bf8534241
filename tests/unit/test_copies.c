/*
 * Copies of programs: what is copied at once and what later, and that a copy counts only for the
 * program as it was.  The process that mounts (attach.h) is the test's own: it copies when it is
 * told to, and mounts nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/sys.h"
#include "runtime/supervise/copies.h"
#include "tests/unit/scratch_dir.h"

#define LARGE (COPIES_AT_ONCE + 4321)

static char dir[] = "/tmp/pol-copies.XXXXXX";
static struct broker broker;
static struct held held;
static struct copies c;
static int tell; /* what becomes of the next large copy */
static unsigned before;

/* --- the process that mounts ------------------------------------------------------------- */

struct request {
	uint32_t number;
	off_t size;
};

static void say(int to, int r)
{
	if (write(to, &r, sizeof(r)) != (ssize_t)sizeof(r))
		_exit(1);
}

static void __attribute__((noreturn)) mount_nothing(int sock, int copied, int told)
{
	struct pollfd p[2] = { { sock, POLLIN, 0 }, { told, POLLIN, 0 } };
	struct request q;
	int fds[2] = { -1, -1 }, r;
	off_t left = 0;
	size_t n;

	for (;;) {
		if (poll(p, 2, -1) < 1)
			_exit(1);
		if (!p[0].revents) {
			if (read(told, &r, sizeof(r)) != (ssize_t)sizeof(r))
				_exit(0);
			while (r == 0 && left > 0)
				left -= sendfile(fds[1], fds[0], NULL, (size_t)left);
			(void)close(fds[0]);
			(void)close(fds[1]);
			say(copied, r);
		} else {
			int got[2];

			if (fd_pass_receive(sock, &q, sizeof(q), 0, got, 2, &n) != (ssize_t)sizeof(q))
				_exit(0);
			if (n < 2) {
				if (n)
					(void)close(got[0]);
				say(sock, 0);
			} else {
				memcpy(fds, got, sizeof(fds));
				left = q.size;
			}
		}
	}
}

static void start_peer(void)
{
	int sv[2], copied[2], told[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
	assert_true(pipe2(copied, O_CLOEXEC) == 0 && pipe2(told, O_CLOEXEC) == 0);
	c.attach = (struct attach){ sv[0], copied[0], fork() };
	assert_true(c.attach.pid >= 0);
	if (c.attach.pid == 0) {
		(void)close(sv[0]);
		(void)close(copied[0]);
		(void)close(told[1]);
		mount_nothing(sv[1], copied[1], told[0]);
	}
	(void)close(sv[1]);
	(void)close(copied[1]);
	(void)close(told[0]);
	tell = told[1];
}

/* --- the rest of a run ------------------------------------------------------------------- */

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

static int begin(void **state)
{
	(void)state;
	before = open_files();
	assert_int_equal(broker_init(&broker, &(const struct broker_rules){ 0 }), 0);
	held_init(&held, &broker, 10);
	copies_none(&c);
	c.held = &held;
	(void)mkdir("files", 0700);
	c.dir = open("files", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		char name[SANDBOX_COPY_NAME];
		struct stat st;
		int fd;

		sandbox_copy_name(i, name);
		fd = openat(c.dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		assert_true(fd >= 0 && fstat(fd, &st) == 0);
		(void)close(fd);
		c.dev = st.st_dev;
		c.v[i].ino = st.st_ino;
	}
	start_peer();
	return 0;
}

static int end(void **state)
{
	(void)state;
	(void)close(tell);
	copies_release(&c);
	held_release(&held);
	broker_release(&broker);
	assert_int_equal(open_files(), before);
	return 0;
}

static void put(const char *name, char with, off_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_true(fd >= 0 && pwrite(fd, &with, 1, size - 1) == 1);
	(void)close(fd);
}

static int start(const char *name)
{
	int fd = open(name, O_PATH | O_CLOEXEC), r;
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	r = copies_start(&c, fd, st.st_dev, st.st_ino);
	(void)close(fd);
	return r;
}

/* The one that is being copied is, with this result; and who waits for it asks again. */
static void go_on(int with)
{
	struct pollfd p = { copies_fd(&c), POLLIN, 0 };

	assert_true(p.fd >= 0);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(write(tell, &with, sizeof(with)), sizeof(with));
	assert_int_equal(poll(&p, 1, 10000), 1);
	copies_over(&c);
	assert_int_equal(copies_fd(&c), -1);
}

/* Which file holds the program: its last byte, its size and mode are these. */
static void assert_holds(const char *name, char last)
{
	struct stat st, is;
	char file[SANDBOX_COPY_NAME + 8] = "files/", got;
	int fd;

	assert_int_equal(stat(name, &st), 0);
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		if (c.v[i].fd < 0 || c.v[i].was.st_ino != st.st_ino)
			continue;
		sandbox_copy_name(i, file + 6);
		fd = open(file, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0 && fstat(fd, &is) == 0);
		/* nobody writes it: the kernel would not start it */
		assert_int_equal(held_ask(fd, F_RDLCK), 0);
		assert_int_equal(is.st_size, st.st_size);
		assert_int_equal(is.st_mode, st.st_mode);
		assert_int_equal(is.st_mtim.tv_nsec, st.st_mtim.tv_nsec);
		assert_int_equal(pread(fd, &got, 1, is.st_size - 1), 1);
		assert_int_equal(got, last);
		assert_int_equal(c.v[i].size, st.st_size);
		(void)close(fd);
		return;
	}
	fail_msg("no file holds %s", name);
}

static off_t held_bytes(void)
{
	off_t sum = 0, counted = 0;

	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		char file[SANDBOX_COPY_NAME];
		struct stat st;

		sandbox_copy_name(i, file);
		assert_int_equal(fstatat(c.dir, file, &st, 0), 0);
		sum += st.st_size;
		counted += c.v[i].size;
	}
	assert_int_equal(sum, counted);
	return sum;
}

/* --- tests ------------------------------------------------------------------------------- */

static void test_a_small_one_is_copied_at_once(void **state)
{
	(void)state;
	put("p", 'a', COPIES_AT_ONCE);
	assert_int_equal(start("p"), 0);
	assert_int_equal(copies_fd(&c), -1);
	assert_holds("p", 'a');
	assert_int_equal(c.used, 1);
}

static void test_a_large_one_is_copied_later(void **state)
{
	(void)state;
	put("p", 'a', LARGE);
	put("q", 'b', LARGE);
	put("small", 'c', 10);
	assert_int_equal(start("p"), COPIES_BEGUN);
	assert_int_equal(start("p"), COPIES_BUSY);
	assert_int_equal(start("q"), COPIES_BUSY);
	/* nobody else waits */
	assert_int_equal(start("small"), 0);
	assert_holds("small", 'c');
	go_on(0);
	assert_int_equal(start("p"), 0);
	assert_holds("p", 'a');
	assert_int_equal(start("q"), COPIES_BEGUN);
	copies_settle(&c);
	go_on(0);
	assert_int_equal(start("q"), 0);
	copies_settle(&c);
	assert_holds("p", 'a');
	assert_holds("q", 'b');
	assert_int_equal(held_bytes(), 2 * LARGE + 10);
}

static void test_what_has_changed_meanwhile_is_copied_anew(void **state)
{
	int fd;

	(void)state;
	put("p", 'a', LARGE);
	assert_int_equal(start("p"), COPIES_BEGUN);
	(void)usleep(20000); /* the kernel's clock of files */
	put("p", 'b', LARGE);
	go_on(0);
	assert_int_equal(start("p"), COPIES_BEGUN);
	copies_settle(&c);
	/* by the run itself, also where no time of the file says so */
	copies_touch(&c, AT_FDCWD, "p");
	fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	copies_touch(&c, fd, "p");
	(void)close(fd);
	go_on(0);
	assert_int_equal(start("p"), COPIES_BEGUN);
	copies_settle(&c);
	go_on(0);
	assert_int_equal(start("p"), 0);
	assert_holds("p", 'b');
	assert_int_equal(held_bytes(), LARGE);
}

static void test_what_is_written_is_not_started(void **state)
{
	int fd;

	(void)state;
	put("p", 'a', LARGE);
	put("small", 'a', 10);
	fd = open("p", O_WRONLY | O_CLOEXEC);
	assert_int_equal(start("p"), -ETXTBSY);
	(void)close(fd);
	assert_int_equal(start("p"), COPIES_BEGUN);
	/* it has not written yet */
	fd = open("p", O_WRONLY | O_CLOEXEC);
	go_on(0);
	assert_int_equal(start("p"), -ETXTBSY);
	copies_settle(&c);
	(void)close(fd);
	assert_int_equal(held_bytes(), 0);
	fd = open("small", O_WRONLY | O_CLOEXEC);
	assert_int_equal(start("small"), -ETXTBSY);
	(void)close(fd);
	assert_int_equal(c.used, 0);
}

static void test_what_nobody_wants_any_more_goes(void **state)
{
	(void)state;
	put("p", 'a', LARGE);
	put("q", 'b', LARGE);
	assert_int_equal(start("p"), COPIES_BEGUN);
	/* who has started it was killed, and somebody else waits */
	assert_int_equal(start("q"), COPIES_BUSY);
	go_on(0);
	assert_int_equal(start("q"), COPIES_BEGUN);
	copies_settle(&c);
	/* and now nobody does */
	go_on(0);
	copies_settle(&c);
	assert_int_equal(held_bytes(), 0);
	assert_int_equal(c.used, 0);
	/* and the run ends while one is made */
	assert_int_equal(start("p"), COPIES_BEGUN);
}

static void test_what_cannot_be_copied(void **state)
{
	int r;

	(void)state;
	put("p", 'a', LARGE);
	put("huge", 'a', COPIES_LARGEST + 1);
	assert_int_equal(start("huge"), -EFBIG);
	assert_int_equal(start("p"), COPIES_BEGUN);
	go_on(-EIO);
	assert_int_equal(start("p"), -EIO);
	copies_settle(&c);
	/* there is nothing that could make room */
	assert_int_equal(start("p"), COPIES_BEGUN);
	go_on(-ENOSPC);
	assert_int_equal(start("p"), -ENOSPC);
	copies_settle(&c);
	assert_int_equal(held_bytes(), 0);
	/* now there is */
	put("small", 'a', 10);
	assert_int_equal(start("small"), 0);
	assert_int_equal(start("p"), COPIES_BEGUN);
	go_on(-ENOSPC);
	assert_int_equal(start("p"), COPIES_BEGUN);
	copies_settle(&c);
	assert_int_equal(c.used, 0);
	go_on(0);
	assert_int_equal(start("p"), 0);
	assert_holds("p", 'a');
	/* the process has ended */
	put("q", 'a', LARGE);
	assert_int_equal(start("q"), COPIES_BEGUN);
	assert_int_equal(kill(c.attach.pid, SIGKILL), 0);
	(void)waitpid(c.attach.pid, NULL, 0);
	c.attach.pid = 0;
	copies_over(&c);
	assert_int_equal(start("q"), -EPIPE);
	r = start("q");
	assert_true(r == -EPIPE || r == -ECONNRESET);
	copies_settle(&c);
	assert_int_equal(copies_fd(&c), -1);
}

static void test_there_is_room_for_so_many(void **state)
{
	char name[16];
	int64_t now;
	int fd;

	(void)state;
	for (int i = 0; i <= (int)SANDBOX_COPIES; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i);
		put(name, 'a', 10);
		if (i < (int)SANDBOX_COPIES)
			assert_int_equal(start(name), 0);
	}
	/* who was allowed to start one of them has not done so yet */
	now = sys_now_ms();
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		c.v[i].last_ms = now + 1000;
	assert_int_equal(start(name), COPIES_FULL);
	put("large", 'a', LARGE);
	assert_int_equal(start("large"), COPIES_FULL);
	/* where the copy is mounted already */
	assert_int_equal(copies_start(&c, c.v[3].fd, c.dev, c.v[3].ino), 0);
	/* two have, and one of them runs */
	c.v[5].last_ms = c.v[6].last_ms = now - COPIES_FRESH_MS;
	sandbox_copy_name(5, name);
	fd = openat(c.dir, name, O_RDONLY | O_CLOEXEC);
	(void)snprintf(name, sizeof(name), "n%d", (int)SANDBOX_COPIES);
	/* it has just been looked for */
	assert_int_equal(start(name), COPIES_FULL);
	(void)usleep((COPIES_FULL_MS + 5) * 1000);
	assert_int_equal(start(name), 0);
	assert_int_equal(c.used, SANDBOX_COPIES);
	assert_holds(name, 'a');
	assert_int_equal(copies_start(&c, c.v[5].fd, c.dev, c.v[5].ino), 0);
	put("more", 'a', 10);
	assert_int_equal(start("more"), COPIES_FULL);
	(void)close(fd);
}

static int enter(void **state)
{
	(void)state;
	return scratch_enter(dir);
}

static int leave(void **state)
{
	(void)state;
	return scratch_leave(dir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_small_one_is_copied_at_once),
		TEST(test_a_large_one_is_copied_later),
		TEST(test_what_has_changed_meanwhile_is_copied_anew),
		TEST(test_what_is_written_is_not_started),
		TEST(test_what_nobody_wants_any_more_goes),
		TEST(test_what_cannot_be_copied),
		TEST(test_there_is_room_for_so_many),
	};

	/* the end of a lease */
	(void)signal(SIGIO, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, enter, leave);
}
