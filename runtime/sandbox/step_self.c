/*
 * What pid 1 does to itself: dies with polrun, protects its memory, leaves the keyring
 * and drops its capabilities.  The capabilities are read back, so that a half-dropped
 * set is not taken for an empty one.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/sandbox/plan.h"

int step_pdeathsig(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct pollfd p = { .fd = in->sock, .events = POLLIN };

	(void)op;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return step_fail(err, STEP_PDEATHSIG, errno, "prctl");
	/* getppid() is always 0 here, so this is how we see that polrun died earlier */
	if (step_on(STEP_HANGUP)) {
		if (SYS_RETRY(poll(&p, 1, 0)) < 0)
			return step_fail(err, STEP_HANGUP, errno, "poll");
		if (p.revents & POLLHUP)
			_exit(125);
	}
	return 0;
}

int step_dumpable(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return step_fail(err, STEP_DUMPABLE, errno, "prctl");
	return 0;
}

int step_keyring(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	/* ENOSYS: a kernel without keys has no keyring that could be reached */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0 &&
	    errno != ENOSYS)
		return step_fail(err, STEP_KEYRING, errno, "keyctl");
	return 0;
}

int step_securebits(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	/* SECBIT_KEEP_CAPS stays unlocked, since ping and daemons set it and end if they cannot. It
	 * only has a setuid(2) leave the permitted set as it is, which here is empty and changes with
	 * no setuid(2) anyway; execve(2) clears it. */
	unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
			     SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
			     SECBIT_NO_CAP_AMBIENT_RAISE |
			     SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	(void)in, (void)op;
	if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
		return step_fail(err, STEP_SECUREBITS, errno, "prctl");
	return 0;
}

int step_bounding(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	/* EINVAL: the first number that this kernel does not know */
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL && cap > CAP_SETPCAP &&
		    prctl(PR_CAPBSET_READ, cap, 0, 0, 0) < 0 && errno == EINVAL)
			return 0;
		return step_fail(err, STEP_BOUNDING, errno, "capability %lu", cap);
	}
	return 0;
}

int step_ambient(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return step_fail(err, STEP_AMBIENT, errno, "prctl");
	return 0;
}

int step_capset(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	(void)in, (void)op;
	if (syscall(SYS_capset, &h, d) < 0)
		return step_fail(err, STEP_CAPSET, errno, "capset");
	if (syscall(SYS_capget, &h, d) < 0)
		return step_fail(err, STEP_CAPSET, errno, "capget");
	for (int i = 0; i < 2; i++)
		if (d[i].effective | d[i].permitted | d[i].inheritable)
			return step_fail(err, STEP_CAPSET, EPERM,
					 "capabilities are left");
	return 0;
}

int step_nnp(struct init *in, const struct plan_op *op, struct rt_err *err)
{
	(void)in, (void)op;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return step_fail(err, STEP_NNP, errno, "prctl");
	return 0;
}
