/*
 * Keeps the datagrams of senders that flood out of a socket's queue, which is one for all of its
 * senders: a packet filter on the socket (SO_ATTACH_FILTER, since Linux 2.2, no rights needed)
 * drops them before they are queued, at the cost of the one who sends.
 */
#ifndef RUNTIME_EGRESS_DNS_SHUT_H
#define RUNTIME_EGRESS_DNS_SHUT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* A flood from more senders than these is slowed only by what is read of it. */
#define DNS_SHUT_MOST 256u

struct dns_shut {
	uint32_t count;
	bool is_changed, is_attached;
	struct {
		uint32_t addr; /* the last 32 bits of the address, as in the packet */
		uint16_t port; /* as in the packet */
	} v[DNS_SHUT_MOST];
};

/* Notes a sender: one of AF_INET or AF_INET6, as recvfrom() gave it. */
void dns_shut_add(struct dns_shut *s, const struct sockaddr_in6 *from);
/* Lets the socket drop what the noted senders send.  All senders of a socket are of one family.
 * Where the kernel has no memory for it, the socket goes on as before. */
void dns_shut_close(struct dns_shut *s, int fd);
/* Hears all senders again, and forgets them. */
void dns_shut_open(struct dns_shut *s, int fd);

#endif
