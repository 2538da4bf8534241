/* Descriptors beside a message: they arrive as they were sent, and none is left open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"

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

static void pair(int kind, int ret[2])
{
	assert_int_equal(socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ret), 0);
}

static bool same_file(int x, int y)
{
	struct stat a, b;

	return fstat(x, &a) == 0 && fstat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void test_descriptors_arrive_in_their_order(void **state)
{
	static const int kinds[] = { SOCK_SEQPACKET, SOCK_DGRAM };
	size_t before = open_count();

	(void)state;
	for (size_t k = 0; k < 2; k++)
		for (size_t n = 0; n <= FD_PASS_MOST; n++) {
			int s[2], out[FD_PASS_MOST + 2][2], fds[FD_PASS_MOST], got[FD_PASS_MOST];
			size_t count = 99;
			char text[8];

			pair(kinds[k], s);
			for (size_t i = 0; i < n; i++) {
				assert_int_equal(pipe2(out[i], O_CLOEXEC), 0);
				fds[i] = out[i][0];
			}
			assert_int_equal(fd_pass_send(s[0], "hello", 6, fds, n, 0), 0);
			assert_int_equal(fd_pass_receive(s[1], text, sizeof(text), 0, got, n, &count), 6);
			assert_string_equal(text, "hello");
			assert_int_equal(count, n);
			for (size_t i = 0; i < n; i++) {
				assert_true(same_file(got[i], fds[i]) && got[i] != fds[i]);
				assert_int_equal(fcntl(got[i], F_GETFD), FD_CLOEXEC);
				(void)close(got[i]);
				(void)close(out[i][0]);
				(void)close(out[i][1]);
			}
			(void)close(s[0]);
			assert_int_equal(fd_pass_receive(s[1], text, 1, MSG_DONTWAIT, got, 1, &count),
					 kinds[k] == SOCK_DGRAM ? -EAGAIN : 0);
			(void)close(s[1]);
		}
	assert_int_equal(open_count(), before);
}

/* What is not as it should be leaves nothing open. */
static void test_too_many_or_a_cut_message_is_closed(void **state)
{
	size_t before = open_count(), count = 7;
	int fds[FD_PASS_MOST + 1], got[FD_PASS_MOST] = { 0 }, s[2];
	char text[4];

	(void)state;
	for (size_t i = 0; i <= FD_PASS_MOST; i++)
		fds[i] = 0;
	pair(SOCK_SEQPACKET, s);
	assert_int_equal(fd_pass_send(s[0], "x", 1, fds, FD_PASS_MOST + 1, 0), -EINVAL);
	for (size_t most = 0; most < 3; most++) {
		assert_int_equal(fd_pass_send(s[0], "x", 1, fds, 3, 0), 0);
		assert_int_equal(fd_pass_receive(s[1], text, sizeof(text), 0, got, most, &count), -EPROTO);
		assert_int_equal(open_count(), before + 2);
	}
	assert_int_equal(fd_pass_send(s[0], "too long", 9, fds, 1, 0), 0);
	assert_int_equal(fd_pass_receive(s[1], text, sizeof(text), 0, got, 2, &count), -EPROTO);
	assert_int_equal(open_count(), before + 2);
	/* the control: the next one is read */
	assert_int_equal(fd_pass_send(s[0], "x", 1, fds, 1, 0), 0);
	assert_int_equal(fd_pass_receive(s[1], text, sizeof(text), 0, got, 2, &count), 1);
	assert_int_equal(count, 1);
	(void)close(got[0]);
	assert_int_equal(fd_pass_receive(s[1], text, sizeof(text), MSG_DONTWAIT, got, 2, &count), -EAGAIN);
	(void)close(s[1]);
	assert_int_equal(fd_pass_send(s[0], "x", 1, fds, 1, 0), -EPIPE);
	(void)close(s[0]);
	assert_int_equal(open_count(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors_arrive_in_their_order),
		cmocka_unit_test(test_too_many_or_a_cut_message_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
