/* The messages by which the run's processes tell polrun what has become of the run. */
#include "runtime/sandbox/status.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/sys.h"
#include "runtime/egress/gate.h"

int status_send(int sock, enum sandbox_event event, int value, const struct rt_err *err)
{
	struct sandbox_status st;
	ssize_t n;

	memset(&st, 0, sizeof(st));
	st.event = event;
	st.value = value;
	if (err)
		st.err = *err;
	if (event == SANDBOX_EXITED) {
		struct rusage ru;

		if (getrusage(RUSAGE_CHILDREN, &ru) == 0) {
			st.cpu_us =
				(uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) *
				1000000;
			st.cpu_us +=
				(uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
			st.max_rss_kib = (uint64_t)ru.ru_maxrss;
		}
	}
	n = SYS_RETRY(write(sock, &st, sizeof(st)));
	return n < 0 ? -errno : 0;
}

int status_send_fds(int sock, enum sandbox_event event, int value, const int *fds, size_t n)
{
	struct sandbox_status st;

	memset(&st, 0, sizeof(st));
	st.event = event;
	st.value = value;
	return fd_pass_send(sock, &st, sizeof(st), fds, n, 0);
}
