/*
 * polgate: the only way out of a limited network.  polrun starts it in the host's network
 * namespace with the descriptors that gate.h describes.  It reads what it needs, confines
 * itself, and serves the sockets that polinit made inside of the run.  It prints nothing:
 * a failure is a message to polrun.
 */
#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd_pass.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/check.h"
#include "runtime/egress/dns_serve.h"
#include "runtime/egress/gate.h"
#include "runtime/egress/gate_confine.h"
#include "runtime/egress/gate_inject.h"
#include "runtime/egress/host_addr.h"
#include "runtime/egress/nflog.h"
#include "runtime/egress/relay.h"
#include "runtime/egress/via.h"

enum { DESCRIPTORS = 20000, CONNECTIONS = 8000, FLUSH_MS = 1000, INJECT_MS = 200 };

struct gate {
	struct event_base *base;
	struct gate_config config;
	const struct pb_egress *egress;
	int sockets[GATE_SOCKET_COUNT];
	int addresses; /* netlink: the host's own */
	struct guard guard;
	struct names names;
	struct reach_policy policy;
	struct pump pump;
	struct gate_report report;
	struct gate_ask ask;
	struct lookup lookup;
	struct relay relay;
	struct gate_inject inject;
	bool injects;
	struct dns_serve dns;
	struct event control, nflog, own;
	struct nflog_lost lost;
};

static int send_message(enum gate_type type, const char *text)
{
	struct gate_message m = { .type = type };
	struct gate_record r = record_new(0, 0, UINT32_MAX);

	if (!text)
		return send(GATE_CONTROL, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m) ? 0 : -1;
	r.type = type;
	(void)snprintf(r.text, sizeof(r.text), "%.*s", (int)sizeof(r.text) - 1, text);
	return send(GATE_CONTROL, &r, sizeof(r), MSG_NOSIGNAL) == sizeof(r) ? 0 : -1;
}

/* --- what polrun hands over ------------------------------------------------------------ */

static bool is_control(int fd)
{
	int type = 0, family = 0;
	socklen_t n = sizeof(type), m = sizeof(family);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &m) == 0 &&
	       type == SOCK_SEQPACKET && family == AF_UNIX;
}

/* Those of upstream proxies, behind egress.bin.  A rule without its secret ends the start. */
static int read_secrets(struct gate *g, const char *config, size_t size, struct rt_err *err)
{
	const struct pb_egress *e = g->egress;
	size_t at = (sizeof(g->config) + g->config.egress_size + 7) & ~(size_t)7;
	struct relay_secret *v = calloc(e->grants.count, sizeof(*v));
	struct gate_secret s;

	if (!v)
		return rt_fail(err, ENOMEM, "the secrets");
	g->relay.secrets = v;
	for (uint32_t i = 0; i < g->config.secret_count; i++) {
		if (at > size || size - at < sizeof(s))
			return rt_fail(err, EINVAL, "the secrets are cut short");
		memcpy(&s, config + at, sizeof(s));
		at += sizeof(s);
		if (s.grant >= e->grants.count || s.size == 0 || s.size > size - at ||
		    memchr(config + at, '\0', s.size))
			return rt_fail(err, EINVAL, "a secret is malformed");
		v[s.grant] = (struct relay_secret){ config + at, s.size };
		at = (at + s.size + 7) & ~(size_t)7;
	}
	for (uint32_t i = 0; i < e->grants.count; i++) {
		const struct pb_grant *p = pb_at(e, e->grants, sizeof(*p), i);

		if (p->via.len && p->via_secret.len && !v[i].bytes)
			return rt_fail(err, EINVAL, "the secret of an upstream proxy is missing");
		if (v[i].size > VIA_SECRET_MAX)
			return rt_fail(err, EINVAL, "the secret of an upstream proxy is too long");
	}
	return 0;
}

/* Nobody can change the bytes any more once they are checked. */
static int read_config(struct gate *g, struct rt_err *err)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	const struct gate_config *c;
	struct stat st;
	int have = fcntl(GATE_CONFIG, F_GET_SEALS);

	if (have < 0 || (have & seals) != seals || fstat(GATE_CONFIG, &st) != 0 ||
	    st.st_size < (off_t)sizeof(*c) || st.st_size > (off_t)PB_MAX_BUNDLE)
		return rt_fail(err, EINVAL, "no sealed configuration");
	c = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, GATE_CONFIG, 0);
	if (c == MAP_FAILED)
		return rt_fail_errno(err, errno, "the configuration");
	if (c->magic != GATE_MAGIC || c->size != sizeof(*c) ||
	    c->egress_size > (size_t)st.st_size - sizeof(*c) ||
	    c->rule_count > PB_MAX_RULES * 2 || c->otherwise_rule >= c->rule_count)
		return rt_fail(err, EINVAL, "the configuration is of another version");
	g->config = *c;
	g->egress = (const void *)(c + 1);
	(void)close(GATE_CONFIG);
	if (bundle_check_egress(g->egress, c->egress_size, c->rule_count, err) != 0)
		return -EINVAL;
	return read_secrets(g, (const void *)c, (size_t)st.st_size, err);
}

/* polinject's socket is there if a rule injects something, and only then; what is used up of the
 * limits is counted together with it. */
static int find_inject(struct gate *g, struct rt_err *err)
{
	uint32_t rules = g->config.rule_count;
	int r;

	g->injects = gate_inject_is_needed(g->egress);
	if (g->injects && !is_control(GATE_INJECT))
		return rt_fail(err, EINVAL, "a rule injects a header, and there is no polinject");
	r = g->injects ? spent_open(&g->relay.spent, rules, GATE_SPENT) :
			 spent_init(&g->relay.spent, rules);
	if (!g->injects)
		(void)close(GATE_INJECT);
	(void)close(GATE_SPENT);
	return r < 0 ? rt_fail_errno(err, -r, "the counters of the limits") : 0;
}

static bool is_socket(int fd, enum gate_socket which)
{
	static const struct {
		int family, type, listens;
	} want[GATE_SOCKET_COUNT] = {
		[GATE_TCP4] = { AF_INET, SOCK_STREAM, 1 },
		[GATE_TCP6] = { AF_INET6, SOCK_STREAM, 1 },
		[GATE_DNS_UDP4] = { AF_INET, SOCK_DGRAM, 0 },
		[GATE_DNS_UDP6] = { AF_INET6, SOCK_DGRAM, 0 },
		[GATE_DNS_TCP4] = { AF_INET, SOCK_STREAM, 1 },
		[GATE_DNS_TCP6] = { AF_INET6, SOCK_STREAM, 1 },
		[GATE_NFLOG] = { AF_NETLINK, SOCK_RAW, 0 },
	};
	int family = 0, type = 0, listens = 0;
	socklen_t n = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &n) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) == 0 &&
	       family == want[which].family && listens == want[which].listens &&
	       (type == want[which].type || (which == GATE_NFLOG && type == SOCK_DGRAM)) &&
	       fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

/* Waits for GATE_SOCKETS. */
static int take_sockets(struct gate *g, struct rt_err *err)
{
	struct gate_message m = { 0 };
	int fds[GATE_SOCKET_COUNT];
	size_t count = 0, next = 0;
	ssize_t n = fd_pass_receive(GATE_CONTROL, &m, sizeof(m), 0, fds, GATE_SOCKET_COUNT,
				    &count);

	if (n == 0)
		return rt_fail(err, EPIPE, "polrun has gone");
	if (n != (ssize_t)sizeof(m) || m.type != GATE_SOCKETS)
		return rt_fail(err, EPROTO, "no sockets");
	for (int i = 0; i < GATE_SOCKET_COUNT; i++) {
		g->sockets[i] = -1;
		if (!(m.value >> i & 1))
			continue;
		if (next >= count || !is_socket(fds[next], (enum gate_socket)i))
			return rt_fail(err, EPROTO, "socket %d is none", i);
		g->sockets[i] = fds[next++];
	}
	if (next != count || m.value >> GATE_SOCKET_COUNT || g->sockets[GATE_TCP4] < 0 ||
	    g->sockets[GATE_DNS_UDP4] < 0)
		return rt_fail(err, EPROTO, "the sockets are not complete");
	return 0;
}

/* --- what happens while it serves ------------------------------------------------------- */

static void on_control(evutil_socket_t fd, short what, void *arg)
{
	struct gate *g = arg;
	struct gate_message m;
	ssize_t n = recv((int)fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == (ssize_t)sizeof(m) && m.type == GATE_ANSWER) {
		gate_ask_answer(&g->ask, m.id, m.value == GATE_YES);
		return;
	}
	/* GATE_END, the socket's end, or something that is not polrun */
	(void)event_base_loopbreak(g->base);
}

static void each_packet(void *arg, const struct gate_record *rec)
{
	gate_report_add(arg, rec);
}

static void on_nflog(evutil_socket_t fd, short what, void *arg)
{
	struct gate *g = arg;
	ssize_t n;

	(void)what;
	/* the pump's buffer is free between two events */
	for (int turn = 0; turn < 16; turn++) {
		n = recv((int)fd, g->pump.buffer, sizeof(g->pump.buffer), MSG_DONTWAIT);
		if (n < 0 && errno == ENOBUFS) {
			nflog_overrun(&g->lost, each_packet, &g->report);
			continue;
		}
		if (n <= 0)
			return;
		nflog_read(&g->lost, &g->policy, g->pump.buffer, (size_t)n, each_packet,
			   &g->report);
	}
}

static void on_own(evutil_socket_t fd, short what, void *arg)
{
	struct gate *g = arg;

	(void)what;
	/* an address of the host that is not known would not be guarded */
	if (host_addr_read((int)fd, &g->guard) < 0)
		(void)event_base_loopbreak(g->base);
}

static int watch(struct gate *g, struct event *e, int fd, event_callback_fn call)
{
	(void)event_assign(e, g->base, fd, EV_READ | EV_PERSIST, call, g);
	return event_add(e, NULL) == 0 ? 0 : -ENOMEM;
}

/* --- the start ---------------------------------------------------------------------------- */

/* Everything that needs a file, a name or memory in large pieces. */
static int prepare(struct gate *g, struct rt_err *err)
{
	struct host_files files;
	struct event_config *cfg = event_config_new();

	g->guard.on = g->egress->guard != 0;
	g->addresses = host_addr_open(&g->guard, err);
	if (g->addresses < 0)
		return g->addresses;
	if (host_addr_open_routes(&g->guard, err) < 0)
		return -err->err;
	if (!cfg || event_config_set_flag(cfg, EVENT_BASE_FLAG_NOLOCK |
						       EVENT_BASE_FLAG_IGNORE_ENV |
						       EVENT_BASE_FLAG_NO_CACHE_TIME) != 0)
		return rt_fail(err, ENOMEM, "libevent");
	g->base = event_base_new_with_config(cfg);
	event_config_free(cfg);
	if (!g->base)
		return rt_fail(err, ENOMEM, "libevent");
	if (names_init(&g->names, g->egress) != 0 ||
	    host_files_read(&files, "/etc/resolv.conf", "/etc/hosts") != 0 ||
	    lookup_init(&g->lookup, g->base, &files) != 0)
		return rt_fail(err, ENOMEM, "the tables of names");
	g->policy = (struct reach_policy){ .egress = g->egress, .names = &g->names,
					   .guard = &g->guard,
					   .otherwise_rule = g->config.otherwise_rule };
	return 0;
}

/* Each connection has two descriptors; pipes, look-ups and attempts to connect share the
 * rest. */
static uint32_t set_limits(struct gate *g)
{
	uint32_t files = gate_limits(DESCRIPTORS), rest = files / 5;
	uint32_t most = g->config.max_connections ? g->config.max_connections : CONNECTIONS;

	pump_init(&g->pump, rest / 8 < PUMP_PIPES ? rest / 8 : PUMP_PIPES);
	return most < (files - rest) / 2 ? most : (files - rest) / 2;
}

static int serve(struct gate *g, struct rt_err *err)
{
	const int *s = g->sockets;
	int r = 0;

	gate_report_init(&g->report, g->base, GATE_CONTROL);
	gate_ask_init(&g->ask, g->base, g->config.ask == GATE_ASK_POLRUN ? GATE_CONTROL : -1,
		      g->egress->hold_ms);
	g->relay.base = g->dns.base = g->base;
	g->relay.policy = &g->policy;
	g->relay.lookup = &g->lookup;
	g->relay.ask = &g->ask;
	g->relay.report = g->dns.report = &g->report;
	g->relay.pump = &g->pump;
	g->dns.names = &g->names;
	dns_serve_init(&g->dns);
	r = relay_init(&g->relay, g->config.rule_count, set_limits(g));
	for (int i = 0; r == 0 && i < 2; i++) {
		if (s[GATE_TCP4 + i] >= 0)
			r = relay_listen(&g->relay, i, s[GATE_TCP4 + i]);
		if (r == 0 && s[GATE_DNS_UDP4 + i] >= 0)
			r = dns_serve_udp(&g->dns, i, s[GATE_DNS_UDP4 + i]);
		if (r == 0 && s[GATE_DNS_TCP4 + i] >= 0)
			r = dns_serve_tcp(&g->dns, i, s[GATE_DNS_TCP4 + i]);
	}
	if (r == 0 && s[GATE_NFLOG] >= 0)
		r = watch(g, &g->nflog, s[GATE_NFLOG], on_nflog);
	if (r == 0)
		r = watch(g, &g->own, g->addresses, on_own);
	g->relay.inject = &g->inject;
	if (r == 0 && g->injects) {
		r = gate_inject_ready(err);
		if (r < 0)
			return r;
		r = gate_inject_init(&g->inject, g->base);
	}
	if (r == 0)
		r = watch(g, &g->control, GATE_CONTROL, on_control);
	return r < 0 ? rt_fail_errno(err, -r, "the gateway's events") : 0;
}

int main(void)
{
	static struct gate g;
	struct rt_err err = { 0 };
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)signal(SIGPIPE, SIG_IGN); /* splice() has no flag against it */
	if (!is_control(GATE_CONTROL))
		return 125;
	(void)sys_close_range(GATE_SPENT + 1, ~0u, 0);
	r = read_config(&g, &err);
	if (r == 0)
		r = find_inject(&g, &err);
	if (r == 0)
		r = prepare(&g, &err);
	if (r == 0)
		r = take_sockets(&g, &err);
	if (r == 0)
		r = serve(&g, &err);
	if (r == 0)
		r = gate_confine(&err);
	if (r < 0) {
		(void)send_message(GATE_FAILED, err.text);
		return 125;
	}
	if (send_message(GATE_READY, NULL) != 0)
		return 125;
	(void)event_base_dispatch(g.base);
	gate_inject_finish(&g.inject, INJECT_MS);
	relay_release(&g.relay);
	record_flush(&g.report.record, FLUSH_MS);
	return 0;
}
