/*
 * What random rules of the network are made of beyond one host and its ports: names in
 * their many spellings, several hosts, and what the gateway grants.  All of it is drawn from a
 * stream that is split off, so that the texts of old seeds are otherwise what they were.
 */
#ifndef TESTS_PROP_RANDOM_NET_H
#define TESTS_PROP_RANDOM_NET_H

#include "compiler/base/buf.h"
#include "tests/prop/random_ir.h"

/* A stream of its own that begins here; the stream it comes from does not move. */
static inline struct rnd rnd_split(const struct rnd *r, uint64_t salt)
{
	struct rnd own = *r;

	own.s = (own.s ^ salt * 0x9e3779b97f4a7c15u) | 1;
	for (int i = 0; i < 4; i++)
		(void)rnd_below(&own, 2);
	return own;
}

static const char *const net_names[] = {
	"a.example", "*.example", "b.a.example", "*.a.example", "A.Example.", "*.b.a.example",
	"b\xc3\xbc" "cher.example", "*.b\xc3\xbc" "cher.example", "xn--bcher-kva.example", "example",
	"c.example", "x.org", "*.org", "localhost", "*.localhost", "db.localhost",
};
static const char *const net_blocks[] = {
	"10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", "192.0.2.0/24", "192.0.2.7", "0.0.0.0/0",
	"127.0.0.0/8", "127.0.0.1", "::1", "::/0", "2001:db8::/32", "2001:db8::7", "fc00::/7",
	"169.254.169.254", "198.18.0.0/15", "64:ff9b::/96", "203.0.113.2", "::ffff:10.0.0.0/104",
};
static const char *const net_ports[] = { "80", "443", "80, 443", "79-81", "22", "1-1024", "8080",
					 "443-65535", "1" };
static const char *const net_within[] = { "10.0.0.0/8", "127.0.0.0/8, ::1", "10.1.2.0/24", "fc00::/7",
					  "203.0.113.2", "0.0.0.0/0", "169.254.0.0/16, 10.1.0.0/16" };

/* Names for requests: what the rules name, and what is beside and below it. */
static const char *const net_asked[] = {
	"a.example", "b.a.example", "x.b.a.example", "c.example", "example", "xa.example",
	"deep.er.a.example", "xn--bcher-kva.example", "x.xn--bcher-kva.example", "x.org", "org",
	"y.x.org", "other.net", "localhost", "db.localhost", "x.localhost", "localhost.example",
};
static const uint16_t net_asked_ports[] = { 0, 1, 22, 53, 79, 80, 81, 82, 443, 444, 1024, 1025, 8080,
					    65535 };

/* What a rule says so far, and what it may say. */
struct net_rule {
	const char *effect; /* "allow", "ask" or "deny" */
	int secret;         /* the number of the file's secret; -1: it has none */
	bool tcp, udp;      /* the one that it says */
	bool named, block;  /* some host is a name, an address */
	bool local, below;  /* some name is one of this machine, some is "*.…" */
	bool inject;
	bool plain; /* only what an echo server can show: its ports, and `within` */
};

static const char *const net_echo_ports[] = { "7", "8", "9000", "7, 9000", "7-8", "8-9000", "9010", "1-1024" };

static inline void net_host(struct rnd *r, struct buf *b, struct net_rule *x, bool name)
{
	const char *text = name ? RND_PICK(r, net_names) : RND_PICK(r, net_blocks);

	buf_printf(b, name ? "\"%s\"" : "%s", text);
	x->named |= name;
	x->block |= !name;
	x->below |= name && text[0] == '*';
	x->local |= strstr(text, "localhost") != NULL;
}

/* One to three names or blocks, or both. */
static inline void net_hosts(struct rnd *r, struct buf *b, struct net_rule *x)
{
	uint32_t n = rnd_one_in(r, 2) ? 1 : 1 + rnd_below(r, 3), kind = rnd_below(r, 5);

	for (uint32_t i = 0; i < n; i++) {
		buf_z(b, i ? ", " : "");
		net_host(r, b, x, kind < 3 || (kind == 4 && rnd_one_in(r, 2)));
	}
}

/* Protocol, hosts and ports. */
static inline void net_head(struct rnd *r, struct buf *b, struct net_rule *x)
{
	uint32_t proto = rnd_below(r, 6);
	bool any = rnd_one_in(r, x->plain ? 15 : 5);

	x->udp = proto == 5;
	x->tcp = proto < 4;
	buf_z(b, x->udp ? "udp " : x->tcp ? "tcp " : "");
	if (any)
		buf_z(b, "any");
	else
		net_hosts(r, b, x);
	x->inject = strcmp(x->effect, "deny") != 0 && x->secret >= 0 && x->tcp && x->named &&
		    !x->block && !x->local && !x->below && rnd_one_in(r, 4);
	if (x->inject ? rnd_one_in(r, 2) : !rnd_one_in(r, 3))
		buf_printf(b, " port %s", x->inject ? "8443" :
					  x->plain  ? RND_PICK(r, net_echo_ports) :
						      RND_PICK(r, net_ports));
}

static inline void net_proxy(struct rnd *r, struct buf *b, int secret)
{
	buf_z(b, "\"http://proxy.example:3128\"");
	if (secret >= 0 && rnd_one_in(r, 2))
		buf_printf(b, " user from secret T%d", secret);
}

/* The options about connections; those of one rule fit together. */
static inline void net_grant(struct rnd *r, struct buf *b, const struct net_rule *x)
{
	static const char *const peeks[] = { "none", "tls", "http" };

	if (!strcmp(x->effect, "deny"))
		return;
	/* the host's own loopback is reached by a rule that says so, and by no other */
	if (x->named && !x->block && (x->local || rnd_one_in(r, 3)))
		buf_printf(b, " within %s", x->local ? net_within[1] : RND_PICK(r, net_within));
	if (x->udp || x->plain)
		return;
	if (x->inject) {
		buf_printf(b, " inject header \"X-%u\" from secret T%d", rnd_below(r, 2), x->secret);
		return;
	}
	if (!x->block && rnd_one_in(r, 6))
		buf_printf(b, " peek %s", RND_PICK(r, peeks));
	if (rnd_one_in(r, 6))
		buf_printf(b, " connections %u", 1 + rnd_below(r, 9));
	if (rnd_one_in(r, 6))
		buf_printf(b, " bytes %uM", 1 + rnd_below(r, 9));
	if (x->local || !rnd_one_in(r, 8))
		return;
	buf_z(b, " via ");
	if (rnd_one_in(r, 3))
		buf_z(b, "none");
	else
		net_proxy(r, b, x->secret);
}

#endif
