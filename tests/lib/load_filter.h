/*
 * Runs calls in a child under a filter of ours: the notifications are
 * rewritten to their errno, as polrun does without a listener.
 */
#ifndef TESTS_LIB_LOAD_FILTER_H
#define TESTS_LIB_LOAD_FILTER_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/bundle/format.h"

struct kernel_call {
	long nr;
	uint64_t args[6];
	int done; /* the call returned */
	long value;
	int err;
};

/* A copy of the program in which every denial returns its errno. */
__attribute__((unused)) static struct sock_filter *
errno_program(const struct sock_filter *insns, size_t n,
	      const struct pb_map_entry *map, size_t nmap)
{
	struct sock_filter *p = calloc(n, sizeof(*p));

	if (!p)
		abort();
	memcpy(p, insns, n * sizeof(*p));
	for (size_t i = 0; i < nmap; i++) {
		if (map[i].verdict == PB_V_DENY)
			p[map[i].pc].k = SECCOMP_RET_ERRNO | map[i].err;
		else if (map[i].verdict == PB_V_TRACE || map[i].verdict == PB_V_BROKER)
			p[map[i].pc].k = SECCOMP_RET_ALLOW;
	}
	return p;
}

struct kernel_end {
	int failed, finished;
};

__attribute__((unused)) static int
wait_for(pid_t pid, volatile struct kernel_end *end, int *ret_status)
{
	for (unsigned i = 0;; i++) {
		pid_t p = waitpid(pid, ret_status, WNOHANG);

		if (p != 0)
			return p == pid ? 0 : -1;
		/* ten seconds are a call that never returns */
		if (end->finished || i > 100000)
			kill(pid, SIGKILL);
		usleep(100);
	}
}

/*
 * Makes the calls in a child.  Returns the child's wait status, or -1 where
 * the filter could not be loaded (errno).  Results survive the child's death.
 */
__attribute__((unused)) static int
run_in_kernel(struct sock_filter *insns, size_t n, struct kernel_call *calls,
	      size_t ncalls)
{
	size_t size = ncalls * sizeof(*calls) + sizeof(struct kernel_end);
	struct sock_fprog prog = { .len = (unsigned short)n, .filter = insns };
	struct kernel_call *shared;
	volatile struct kernel_end *end;
	int status;
	pid_t pid;

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	memcpy(shared, calls, ncalls * sizeof(*calls));
	end = (struct kernel_end *)(void *)(shared + ncalls);
	pid = fork();
	if (pid == 0) {
		/* no core, no report of a sanitizer when a call kills us */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		signal(SIGSYS, SIG_DFL);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
		    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog)) {
			end->failed = errno;
			_exit(1);
		}
		for (size_t i = 0; i < ncalls; i++) {
			struct kernel_call *c = &shared[i];

			errno = 0;
			c->value = syscall(c->nr, c->args[0], c->args[1],
					   c->args[2], c->args[3], c->args[4],
					   c->args[5]);
			c->err = c->value == -1 ? errno : 0;
			c->done = 1;
		}
		/* exit_group may be denied: the parent ends us */
		end->finished = 1;
		for (;;)
			__builtin_ia32_pause();
	}
	if (pid < 0 || wait_for(pid, end, &status) < 0) {
		munmap(shared, size);
		return -1;
	}
	memcpy(calls, shared, ncalls * sizeof(*calls));
	if (end->failed) {
		errno = end->failed;
		status = -1;
	}
	munmap(shared, size);
	return status;
}

#endif
