/*
 * Runs a command under an outer sandbox that lacks something, so that polrun
 * can be seen to refuse, or to go on without a second wall:
 *   outer MODE COMMAND [ARG…]
 * no-userns     clone3 is unknown, clone and unshare of user namespaces EPERM
 *               (Docker's default profile)
 * no-mount      mount, open_tree, move_mount EPERM
 * no-mount-api  open_tree, mount_setattr ENOSYS (an old kernel)
 * no-landlock   the landlock calls ENOSYS
 * no-seccomp    seccomp ENOSYS (a kernel without filters)
 * no-getfd      pidfd_getfd EPERM (Yama's ptrace_scope 3)
 * no-nft        sockets of NETLINK_NETFILTER EPROTONOSUPPORT (a kernel without
 *               nf_tables)
 * listener      a filter with a listener is in place (WSL, another sandbox)
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STMT(c, v) { (unsigned short)(c), 0, 0, (unsigned)(v) }
#define JUMP(c, v, t, f) { (unsigned short)(c), t, f, (unsigned)(v) }
#define IF(nr, skip) JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, skip)
#define FAIL(e) STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define LOAD STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARG(n) STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define ARG0 ARG(0)
#define PASS STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NEWUSER JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1)

static const struct sock_filter no_userns[] = {
	LOAD, IF(SYS_clone3, 1), FAIL(ENOSYS),
	JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
	IF(SYS_unshare, 3), ARG0, NEWUSER, FAIL(EPERM), PASS,
};
static const struct sock_filter no_mount[] = {
	LOAD, IF(SYS_mount, 1), FAIL(EPERM), IF(SYS_open_tree, 1), FAIL(EPERM),
	IF(SYS_move_mount, 1), FAIL(EPERM), PASS,
};
static const struct sock_filter no_mount_api[] = {
	LOAD, IF(SYS_open_tree, 1), FAIL(ENOSYS), IF(SYS_mount_setattr, 1),
	FAIL(ENOSYS), PASS,
};
static const struct sock_filter no_landlock[] = {
	LOAD, IF(444, 1), FAIL(ENOSYS), IF(445, 1), FAIL(ENOSYS), IF(446, 1),
	FAIL(ENOSYS), PASS,
};
static const struct sock_filter no_seccomp[] = {
	LOAD, IF(SYS_seccomp, 1), FAIL(ENOSYS), PASS,
};
static const struct sock_filter no_getfd[] = {
	LOAD, IF(SYS_pidfd_getfd, 1), FAIL(EPERM), PASS,
};
static const struct sock_filter no_nft[] = {
	LOAD, JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5),
	ARG(0), JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3),
	ARG(2), JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_NETFILTER, 0, 1),
	FAIL(EPROTONOSUPPORT), PASS,
};
static const struct sock_filter nothing[] = { PASS };

#define MODE(name, f, flags) { name, f, sizeof(f) / sizeof((f)[0]), flags }
static const struct {
	const char *name;
	const struct sock_filter *f;
	size_t n;
	unsigned flags;
} modes[] = {
	MODE("no-userns", no_userns, 0),
	MODE("no-mount", no_mount, 0),
	MODE("no-mount-api", no_mount_api, 0),
	MODE("no-landlock", no_landlock, 0),
	MODE("no-seccomp", no_seccomp, 0),
	MODE("no-getfd", no_getfd, 0),
	MODE("no-nft", no_nft, 0),
	MODE("listener", nothing, SECCOMP_FILTER_FLAG_NEW_LISTENER),
};

/* The command runs in a child: the parent keeps the listener open, else the
 * kernel forgets that there was one. */
static int keep_listener(char **argv)
{
	pid_t pid = fork();
	int st;

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(2);
	}
	if (pid < 0 || waitpid(pid, &st, 0) < 0)
		return 2;
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct sock_fprog prog = { .len = (unsigned short)modes[i].n };

		if (strcmp(argv[1], modes[i].name) != 0)
			continue;
		prog.filter = (struct sock_filter *)(size_t)modes[i].f;
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, modes[i].flags,
			    &prog) < 0) {
			perror("outer: seccomp");
			return 2;
		}
		if (modes[i].flags)
			return keep_listener(argv + 2);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 2;
	}
	fputs("usage: outer MODE COMMAND [ARG...]\n", stderr);
	return 2;
}
