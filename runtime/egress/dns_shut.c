/* Keeps the datagrams of senders that flood out of a socket's queue (dns_shut.h). */
#include "runtime/egress/dns_shut.h"

#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "runtime/base/filter_insn.h"

enum {
	EACH = 5, /* instructions for a sender */
	PASS_ALL = 0xffff, /* bytes: more than a datagram has */
	LAST_WORD = sizeof(struct in6_addr) - sizeof(uint32_t),
};

#define LOAD_AT(size, at) STMT(BPF_LD | (size) | BPF_ABS, at)

static uint32_t last_word(const struct sockaddr_in6 *from)
{
	if (from->sin6_family == AF_INET)
		return ((const struct sockaddr_in *)from)->sin_addr.s_addr;
	return from->sin6_addr.s6_addr32[3];
}

void dns_shut_add(struct dns_shut *s, const struct sockaddr_in6 *from)
{
	uint32_t addr = last_word(from);

	for (uint32_t i = 0; i < s->count; i++)
		if (s->v[i].port == from->sin6_port && s->v[i].addr == addr)
			return;
	if (s->count == DNS_SHUT_MOST)
		return;
	s->v[s->count].addr = addr;
	s->v[s->count++].port = from->sin6_port; /* at the same place in both families */
	s->is_changed = true;
}

/* A filter of a UDP socket sees the UDP header first; the one before it lies at SKF_NET_OFF. */
void dns_shut_close(struct dns_shut *s, int fd)
{
	struct sock_filter f[EACH * DNS_SHUT_MOST + 1];
	struct sock_fprog prog = { 0, f };
	socklen_t len = sizeof(int);
	int family = 0;
	uint32_t at;

	if (!s->is_changed || getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0)
		return;
	at = family == AF_INET ? offsetof(struct iphdr, saddr) :
				 offsetof(struct ip6_hdr, ip6_src) + LAST_WORD;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct sock_filter one[EACH] = {
			LOAD_AT(BPF_H, offsetof(struct udphdr, uh_sport)),
			JEQ(ntohs(s->v[i].port), 0, 3),
			LOAD_AT(BPF_W, (uint32_t)SKF_NET_OFF + at),
			JEQ(ntohl(s->v[i].addr), 0, 1),
			STMT(BPF_RET | BPF_K, 0),
		};

		for (int j = 0; j < EACH; j++)
			f[prog.len++] = one[j];
	}
	f[prog.len++] = (struct sock_filter)STMT(BPF_RET | BPF_K, PASS_ALL);
	s->is_changed = false;
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) == 0)
		s->is_attached = true;
}

void dns_shut_open(struct dns_shut *s, int fd)
{
	static const int none;

	s->count = 0;
	s->is_changed = false;
	if (s->is_attached)
		(void)setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none));
	s->is_attached = false;
}
