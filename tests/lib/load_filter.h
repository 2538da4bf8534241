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
		else if (map[i].verdict == PB_V_TRACE)
			p[map[i].pc].k = SECCOMP_RET_ALLOW;
	}
	return p;
}

/*
 * Makes the calls in a child.  Returns the child's wait status, or -1 where
 * the filter could not be loaded (errno).  Results survive the child's death.
 */
__attribute__((unused)) static int
run_in_kernel(struct sock_filter *insns, size_t n, struct kernel_call *calls,
	      size_t ncalls)
{
	size_t size = ncalls * sizeof(*calls) + sizeof(int);
	struct sock_fprog prog = { .len = (unsigned short)n, .filter = insns };
	struct kernel_call *shared;
	int status, *failed;
	pid_t pid;

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	memcpy(shared, calls, ncalls * sizeof(*calls));
	failed = (int *)(void *)(shared + ncalls);
	pid = fork();
	if (pid == 0) {
		/* no core, no report of a sanitizer when a call kills us */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		signal(SIGSYS, SIG_DFL);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
		    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog)) {
			*failed = errno;
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
		for (;;)
			_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		munmap(shared, size);
		return -1;
	}
	memcpy(calls, shared, ncalls * sizeof(*calls));
	if (*failed) {
		errno = *failed;
		status = -1;
	}
	munmap(shared, size);
	return status;
}

#endif
