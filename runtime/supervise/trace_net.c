/* Names the rule behind a refused connection.  The network namespace has no route to
 * the outside, so the kernel refuses what the policy denies. */
#include "runtime/supervise/trace_net.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"
#include "runtime/broker/tracee.h"

/* True for a datagram socket; `guess` if the descriptor cannot be looked at. */
static bool is_datagram(pid_t pid, int sock, bool guess)
{
	AUTO_CLOSE int pidfd = sys_pidfd_open(pid, 0);
	AUTO_CLOSE int fd = -1;
	int type = 0;
	socklen_t len = sizeof(type);

	if (pidfd < 0) /* the pid may be of a thread; a pidfd needs a thread group leader */
		return guess;
	fd = sys_pidfd_getfd(pidfd, sock, 0);
	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
		return guess;
	return type == SOCK_DGRAM || type == SOCK_RAW;
}

static void judge_net(const struct judge *j, bool udp, const struct sockaddr_storage *ss)
{
	uint8_t addr[16] = { 0 };
	char host[INET6_ADDRSTRLEN] = "", subject[96];
	static const uint8_t zero[16];
	struct decision d;
	uint16_t port;

	if (ss->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)ss;

		host_map_v4(addr, &in->sin_addr);
		port = ntohs(in->sin_port);
		(void)inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
	} else {
		const struct sockaddr_in6 *in = (const void *)ss;

		memcpy(addr, &in->sin6_addr, 16);
		port = ntohs(in->sin6_port);
		(void)inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host));
	}
	/* The kernel's table and the gateway tell what they refuse themselves; a socket is
	 * also connected to find out which address it would get. */
	if (j->run->gateway)
		return;
	/* Linux connects the unspecified address to the loopback. */
	if (memcmp(addr + 12, zero, 4) == 0 &&
	    (memcmp(addr, zero, 12) == 0 || ss->ss_family == AF_INET))
		return;
	if (j->touched && port)
		touched_add(j->touched, udp ? TOUCHED_UDP : TOUCHED_TCP, 0, host, port);
	decide_net(&j->run->ctx, udp, addr, port, &d);
	if (d.effect == PB_ALLOW)
		return;
	(void)snprintf(subject, sizeof(subject),
		       ss->ss_family == AF_INET ? "%s %s:%u" : "%s [%s]:%u",
		       udp ? "udp" : "tcp", host, port);
	denials_add(j->denials, "network", "connect", subject, 0,
		    explain_named(j->run->bundle, d.rule));
}

/* A socket file that the caller connects to. */
static void look_at_socket(const struct judge *j, struct tracee_paths *p, pid_t pid,
			   const char *raw)
{
	char path[PATH_MAX];
	bool exists;

	/* of one that exists the mask may be in the way */
	if (tracee_path(p, pid, AT_FDCWD, raw, true, path, &exists))
		judge_socket(j, path, !exists || judge_is_masked(j, path));
}

/* A socket file that the caller makes. */
static void look_at_bind(const struct judge *j, struct tracee_paths *p, pid_t pid,
			 const char *raw)
{
	char path[PATH_MAX];
	bool exists;

	if (tracee_path(p, pid, AT_FDCWD, raw, false, path, &exists) && !exists)
		judge_file(j, PB_WRITE, path, false, exists);
}

static void look_at_address(const struct judge *j, struct tracee_paths *p,
			    const struct seccomp_notif *req, uint64_t addr, uint64_t len)
{
	struct sockaddr_storage ss = { 0 };
	bool bind = req->data.nr == SYS_bind;
	size_t got;

	if (addr == 0 || len < sizeof(sa_family_t))
		return;
	if (len > sizeof(ss))
		len = sizeof(ss);
	got = tracee_read((pid_t)req->pid, addr, &ss, (size_t)len);
	if (got < (size_t)len)
		return;
	if (ss.ss_family == AF_UNIX) {
		char path[sizeof(struct sockaddr_un) + 1] = { 0 };

		got -= offsetof(struct sockaddr_un, sun_path);
		if (got >= sizeof(path))
			got = sizeof(path) - 1;
		memcpy(path, (const char *)&ss + offsetof(struct sockaddr_un, sun_path),
		       got);
		/* Abstract names are in the run's own network namespace. */
		if (path[0] && bind)
			look_at_bind(j, p, (pid_t)req->pid, path);
		else if (path[0])
			look_at_socket(j, p, (pid_t)req->pid, path);
		return;
	}
	if (bind || (ss.ss_family == AF_INET && got < sizeof(struct sockaddr_in)) ||
	    (ss.ss_family == AF_INET6 && got < offsetof(struct sockaddr_in6,
							sin6_scope_id)))
		return;
	if (ss.ss_family == AF_INET || ss.ss_family == AF_INET6)
		judge_net(j,
			  is_datagram((pid_t)req->pid, (int)(uint32_t)req->data.args[0],
				      req->data.nr != SYS_connect),
			  &ss);
}

static void look_at_messages(const struct judge *j, struct tracee_paths *p,
			     const struct seccomp_notif *req, uint64_t at, unsigned count)
{
	/* A few messages of a batch are enough for a report. */
	for (unsigned i = 0; i < count && i < 8; i++) {
		struct mmsghdr m = { 0 };
		size_t want = offsetof(struct msghdr, msg_iov);

		if (tracee_read((pid_t)req->pid, at + i * sizeof(m), &m, want) != want)
			return;
		look_at_address(j, p, req, (uint64_t)(uintptr_t)m.msg_hdr.msg_name,
				m.msg_hdr.msg_namelen);
	}
}

void trace_net_look(const struct judge *j, struct tracee_paths *p,
		    const struct seccomp_notif *req)
{
	const __u64 *args = req->data.args;

	switch (req->data.nr) {
	case SYS_connect:
	case SYS_bind:
		look_at_address(j, p, req, args[1], (uint32_t)args[2]);
		break;
	case SYS_sendto:
		look_at_address(j, p, req, args[4], (uint32_t)args[5]);
		break;
	case SYS_sendmsg:
		look_at_messages(j, p, req, args[1], 1);
		break;
	case SYS_sendmmsg:
		look_at_messages(j, p, req, args[1], (uint32_t)args[2]);
		break;
	default:
		break;
	}
}
