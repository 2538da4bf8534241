/*
 * A small polrun for polgate alone: makes the network namespace of a run, starts polgate
 * with rules from the command line, runs a command inside, and writes each record as a
 * line.  For tests and timings of the gateway without the rest of a sandbox.
 *
 *   gate_host POLGATE [-a yes|no|none] [-o FILE] [-p POOL] [-m CONNECTIONS] [-d MS] [-w FILE]
 *             [-h MS] [-u UID] [-f] [-t] -- RULE… -- COMMAND…
 *
 * RULE is a line as in tests/unit/egress_fixture.h.  -a: what asks are answered with,
 * after -d milliseconds, which with -w begin when FILE is there.  -h: how long a question holds.
 * -f: mode full.  -t: print how long polgate's start took, with
 * the sockets at hand, and at the end what it has used.
 * Exit status: that of the command; 125 if polgate failed or ended before it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/egress/gate.h"
#include "tests/unit/egress_fixture.h"

static FILE *out;
static struct made made;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "gate_host: %s: %s\n", what, strerror(errno));
	_exit(126);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void run(const char *const *argv, const char *input)
{
	int fds[2], status;
	pid_t pid;

	if (pipe(fds) != 0)
		die("pipe");
	pid = fork();
	if (pid == 0) {
		dup2(fds[0], 0);
		close(fds[1]);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		die(argv[0]);
	}
	close(fds[0]);
	if (write(fds[1], input, strlen(input)) < 0)
		die("write");
	close(fds[1]);
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		die(argv[0]);
}

/* --- inside ------------------------------------------------------------------------- */

static int make(int family, int type, uint16_t port)
{
	struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_port = htons(port),
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, family == AF_INET ? (void *)&a4 : (void *)&a6,
			   family == AF_INET ? sizeof(a4) : sizeof(a6)) != 0 ||
	    (type == SOCK_STREAM && listen(fd, 4096) != 0))
		die("a socket of the gateway");
	return fd;
}

static void log_request(int fd, uint16_t group, uint16_t type, const void *value,
			uint16_t size)
{
	struct {
		struct nlmsghdr h;
		struct nfgenmsg g;
		struct nlattr a;
		uint8_t value[8];
	} m = { .h = { .nlmsg_len = (uint32_t)(sizeof(m) - 8 + ((size + 3u) & ~3u)),
		       .nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.g = { .res_id = htons(group) },
		.a = { .nla_len = (uint16_t)(sizeof(struct nlattr) + size),
		       .nla_type = type } };
	char answer[512];

	memcpy(m.value, value, size);
	if (send(fd, &m, m.h.nlmsg_len, 0) < 0 || recv(fd, answer, sizeof(answer), 0) < 0)
		die("the log");
}

static int make_log(void)
{
	struct nfulnl_msg_config_cmd bind_it = { NFULNL_CFG_CMD_BIND };
	struct nfulnl_msg_config_mode mode = { .copy_range = htonl(128),
					       .copy_mode = NFULNL_COPY_PACKET };
	uint32_t one = htonl(1);
	uint16_t number = htons(NFULNL_CFG_F_SEQ);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	log_request(fd, PB_NFT_GROUP, NFULA_CFG_CMD, &bind_it, sizeof(bind_it));
	log_request(fd, PB_NFT_GROUP, NFULA_CFG_MODE, &mode, sizeof(mode));
	log_request(fd, PB_NFT_GROUP, NFULA_CFG_QTHRESH, &one, sizeof(one));
	log_request(fd, PB_NFT_GROUP, NFULA_CFG_FLAGS, &number, sizeof(number));
	return fd;
}

/* No address rules: what reaches polgate must be decided there. */
static const char table[] =
	"table inet pol {\n"
	" chain out { type filter hook output priority -150; policy drop\n"
	"  ct state established,related accept\n"
	"  udp dport 53 accept\n"
	"  ip daddr 127.0.0.0/8 accept\n  ip6 daddr ::1 accept\n"
	"  meta l4proto tcp tcp dport != 9 accept\n"
	"  log prefix \"otherwise\" group 42 counter\n"
	"  meta l4proto tcp reject with tcp reset\n"
	"  reject with icmpx admin-prohibited\n }\n"
	" chain nat { type nat hook output priority -100\n"
	"  udp dport 53 redirect to :53\n"
	"  meta l4proto tcp ip daddr != 127.0.0.0/8 redirect to :1\n"
	"  meta l4proto tcp ip6 daddr != ::1 redirect to :1\n"
	"  ip daddr 127.0.0.0/8 tcp dport { 5432-5434, 8080 } redirect to :1\n }\n"
	"}\n";

static void bind_file(const char *text, const char *to)
{
	char path[] = "/tmp/gate_host.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, 0644) != 0 ||
	    mount(path, to, NULL, MS_BIND, NULL) != 0)
		die(to);
	unlink(path);
	close(fd);
}

static void inside(int sock, char **argv)
{
	static const char *const nft[] = { "nft", "-f", "-", NULL };
	static const char *const ip4[] = { "ip", "route", "add", "local", "default", "dev",
					   "lo", "table", "local", NULL };
	static const char *const ip6[] = { "ip", "-6", "route", "add", "local", "default",
					   "dev", "lo", "table", "local", NULL };
	char map[64], go;
	unsigned uid = getuid(), gid = getgid();
	int fds[GATE_SOCKET_COUNT], s;
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	char control[CMSG_SPACE(sizeof(fds))];
	struct iovec v = { &go, 1 };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0)
		die("unshare");
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_file("/proc/self/gid_map", map);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		die("mount");
	bind_file("nameserver 127.0.0.1\n", "/etc/resolv.conf");
	bind_file("127.0.0.1 localhost\n::1 localhost ip6-localhost\n", "/etc/hosts");
	bind_file("hosts: files dns\n", "/etc/nsswitch.conf");
	s = socket(AF_INET, SOCK_DGRAM, 0);
	if (ioctl(s, SIOCSIFFLAGS, &lo) != 0)
		die("lo");
	close(s);
	run(ip4, "");
	run(ip6, "");
	run(nft, table);
	for (int i = 0; i < GATE_NFLOG; i++)
		fds[i] = make(i & 1 ? AF_INET6 : AF_INET,
			      i == GATE_DNS_UDP4 || i == GATE_DNS_UDP6 ? SOCK_DGRAM :
									 SOCK_STREAM,
			      i < GATE_DNS_UDP4 ? GATE_PORT : GATE_DNS_PORT);
	fds[GATE_NFLOG] = make_log();
	memset(control, 0, sizeof(control));
	c = CMSG_FIRSTHDR(&h);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	go = 'x';
	if (sendmsg(sock, &h, 0) != 1)
		die("sendmsg");
	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		close(fds[i]);
	if (read(sock, &go, 1) != 1)
		_exit(125);
	close(sock);
	execvp(argv[0], argv);
	die(argv[0]);
}

/* --- outside -------------------------------------------------------------------------- */

static int config_memfd(uint32_t most, bool ask)
{
	struct gate_config c = { .magic = GATE_MAGIC, .size = sizeof(c),
				 .egress_size = (uint32_t)made.size,
				 .rule_count = made.rule_count + 1,
				 .max_connections = most,
				 .ask = ask ? GATE_ASK_POLRUN : GATE_ASK_NOBODY };
	int fd = memfd_create("gate", MFD_ALLOW_SEALING);
	static const char pad[8];

	/* `user=TEXT` of a rule is the secret itself here */
	for (uint32_t i = 0; i < made.rule_count; i++)
		c.secret_count += made.rules[i].user[0] != '\0';
	if (fd < 0 || write(fd, &c, sizeof(c)) != sizeof(c) ||
	    write(fd, made.data, made.size) != (ssize_t)made.size ||
	    write(fd, pad, -made.size % 8) != (ssize_t)(-made.size % 8))
		die("memfd");
	for (uint32_t i = 0; i < made.rule_count; i++) {
		const char *user = made.rules[i].user;
		struct gate_secret head = { i + 1, (uint32_t)strlen(user) };

		if (*user && (write(fd, &head, sizeof(head)) != sizeof(head) ||
			      write(fd, user, head.size) != (ssize_t)head.size ||
			      write(fd, pad, -head.size % 8) != (ssize_t)(-head.size % 8)))
			die("memfd");
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		die("memfd");
	return fd;
}

static pid_t start(const char *path, int config, int uid, int *ret_control)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		die("socketpair");
	pid = fork();
	if (pid == 0) {
		static char *const none[] = { NULL };
		int null = open("/dev/null", O_RDWR);

		for (int i = 0; i < 3; i++)
			dup2(null, i);
		/* out of the way of each other first */
		dup2(fcntl(config, F_DUPFD, GATE_CONFIG + 1), GATE_CONFIG + 50);
		dup2(fcntl(pair[1], F_DUPFD, GATE_CONFIG + 1), GATE_CONTROL);
		dup2(GATE_CONFIG + 50, GATE_CONFIG);
		if (uid && (setgid((gid_t)uid) != 0 || setuid((uid_t)uid) != 0))
			_exit(126);
		execve(path, (char *const[]){ (char *)(uintptr_t) "polgate", NULL }, none);
		_exit(126);
	}
	close(pair[1]);
	close(config);
	*ret_control = pair[0];
	return pid;
}

static void print_record(const struct gate_record *r)
{
	static const char *const what[] = { "?", "closed", "refused", "no-name", "dropped",
					    "unreached" };
	static const char *const why[] = { "rule", "ask", "guard", "sni", "host", "protocol",
					   "limit", "resolve", "connect", "timeout",
					   "no-name", "pool" };
	char addr[INET6_ADDRSTRLEN] = "-";

	if (r->has_addr)
		inet_ntop(AF_INET6, r->addr, addr, sizeof(addr));
	fprintf(out, "%s %s rule=%d name=%s addr=%s port=%u%s error=%u up=%llu down=%llu "
		"ms=%llu count=%llu text=%s\n",
		r->type == GATE_ASK ? "ask" : what[r->what % GATE_WHAT_COUNT],
		why[r->why % GATE_W_COUNT], (int)r->rule, r->name[0] ? r->name : "-", addr,
		r->port, r->udp ? "/udp" : "", r->error, (unsigned long long)r->up,
		(unsigned long long)r->down, (unsigned long long)r->ms,
		(unsigned long long)r->count, r->text);
	fflush(out);
}

/* How and when this stands in for a person. */
struct person {
	int answer; /* 1 yes, 0 no, -1 there is nobody */
	unsigned delay;
	const char *file; /* the delay begins when it is there; or NULL */
};

static void think(const struct person *p)
{
	/* a file that never comes is found by the row: the question is over by then */
	for (int i = 0; p->file && access(p->file, F_OK) != 0 && i < 3000; i++)
		usleep(10000);
	usleep(p->delay * 1000);
}

/* One message of polgate; 0: it has ended. */
static uint32_t one_message(int control, const struct person *person)
{
	struct gate_record r;
	struct gate_message m = { .type = GATE_ANSWER, .value = person->answer == 1 };
	ssize_t n = recv(control, &r, sizeof(r), 0);

	if (n < (ssize_t)sizeof(struct gate_message))
		return 0;
	if (r.type == GATE_FAILED)
		fprintf(stderr, "gate_host: polgate: %s\n", r.text);
	if (r.type == GATE_EVENT || r.type == GATE_ASK)
		print_record(&r);
	if (r.type == GATE_ASK) {
		m.id = r.id;
		think(person);
		if (send(control, &m, sizeof(m), 0) < 0)
			return 0;
	}
	return r.type;
}

static void send_sockets(int control, int from)
{
	struct gate_message m = { .type = GATE_SOCKETS,
				  .value = (1u << GATE_SOCKET_COUNT) - 1 };
	char control_in[CMSG_SPACE(sizeof(int) * GATE_SOCKET_COUNT)], x;
	struct iovec v = { &x, 1 }, w = { &m, sizeof(m) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control_in,
			    .msg_controllen = sizeof(control_in) };
	int fds[GATE_SOCKET_COUNT];

	if (recvmsg(from, &h, MSG_CMSG_CLOEXEC) != 1)
		die("the sockets");
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(fds));
	h.msg_iov = &w;
	if (sendmsg(control, &h, 0) != sizeof(m))
		die("sending the sockets");
	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	struct person person = { .answer = -1 };
	unsigned most = 0;
	int c, pair[2], control, uid = 0, status = 125, at;
	bool timed = false, ended = false;
	uint64_t began, ready;
	struct rusage used;
	pid_t gate, child;

	out = stderr;
	if (argc < 2)
		return 2;
	optind = 2;
	while ((c = getopt(argc, argv, "+a:o:p:m:d:w:h:u:ft")) != -1) {
		switch (c) {
		case 'a': person.answer = *optarg == 'y' ? 1 : *optarg == 'n' && optarg[2] == '\0' ? 0 : -1; break;
		case 'o': out = fopen(optarg, "we"); break;
		case 'p': made.pool_size = (uint32_t)atoi(optarg); break;
		case 'm': most = (unsigned)atoi(optarg); break;
		case 'd': person.delay = (unsigned)atoi(optarg); break;
		case 'w': person.file = optarg; break;
		case 'h': made.hold_ms = (uint32_t)atoi(optarg); break;
		case 'u': uid = atoi(optarg); break;
		case 'f': made.full = true; break;
		case 't': timed = true; break;
		default: return 2;
		}
	}
	for (at = optind; at < argc && strcmp(argv[at], "--") != 0; at++)
		if (!made_add(&made, argv[at])) {
			fprintf(stderr, "gate_host: no rule: %s\n", argv[at]);
			return 2;
		}
	if (!out || at + 1 >= argc)
		return 2;
	made_write(&made);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		die("socketpair");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		inside(pair[1], argv + at + 1);
	}
	close(pair[1]);
	if (timed) { /* as if the sandbox were faster: nothing but polgate itself counts */
		struct pollfd p = { pair[0], POLLIN, 0 };

		poll(&p, 1, -1);
	}
	began = now_us();
	gate = start(argv[1], config_memfd(most, person.answer >= 0), uid, &control);
	send_sockets(control, pair[0]);
	ready = now_us();
	if (one_message(control, &person) != GATE_READY) {
		kill(child, SIGKILL);
		return 125;
	}
	if (timed)
		fprintf(stderr, "exec to ready %llu us, after the sockets %llu us\n",
			(unsigned long long)(now_us() - began),
			(unsigned long long)(now_us() - ready));
	if (write(pair[0], "g", 1) != 1)
		die("go");
	for (;;) {
		struct pollfd p[2] = { { control, POLLIN, 0 }, { pair[0], POLLIN, 0 } };

		if (waitpid(child, &status, WNOHANG) == child)
			break;
		if (poll(p, 2, 50) > 0 && p[0].revents &&
		    one_message(control, &person) == 0) {
			fprintf(stderr, "gate_host: polgate has ended\n");
			kill(child, SIGKILL);
			ended = true;
			break;
		}
		if (p[1].revents)
			usleep(1000);
	}
	shutdown(control, SHUT_WR);
	while (!ended && one_message(control, &person) != 0)
		;
	if (wait4(gate, &c, 0, &used) == gate && timed)
		fprintf(stderr, "polgate: %ld ms of processor, at most %ld KiB\n",
			(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
				(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000,
			used.ru_maxrss);
	if (c != 0)
		fprintf(stderr, "gate_host: polgate: status 0x%x\n", (unsigned)c);
	return ended ? 125 : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
