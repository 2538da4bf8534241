/* Finds out of a refused packet what was refused, and by which rule. */
#include "runtime/egress/nflog.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/decide/egress.h"
#include "runtime/egress/gate_record.h"

struct packet {
	uint8_t to[16];
	uint8_t proto;
	uint16_t port, source; /* 0 where the protocol has none */
};

static uint16_t u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* Behind extension headers of v6 no port is looked for. */
static bool read_packet(const uint8_t *p, size_t n, struct packet *ret)
{
	size_t head;

	*ret = (struct packet){ 0 };
	if (n >= 20 && p[0] >> 4 == 4) {
		head = (size_t)(p[0] & 0x0f) * 4;
		ret->proto = p[9];
		host_map_v4(ret->to, p + 16);
		if (u16(p + 6) & 0x1fff) /* a later fragment */
			return true;
	} else if (n >= 40 && p[0] >> 4 == 6) {
		head = 40;
		ret->proto = p[6];
		memcpy(ret->to, p + 24, 16);
	} else {
		return false;
	}
	if ((ret->proto == IPPROTO_TCP || ret->proto == IPPROTO_UDP) && head >= 20 &&
	    n >= head + 4) {
		ret->source = u16(p + head);
		ret->port = u16(p + head + 2);
	}
	return true;
}

bool nflog_packet(const struct reach_policy *p, const uint8_t *packet, size_t n,
		  struct gate_record *ret)
{
	const struct names_entry *entry;
	const struct pb_piece *piece;
	struct packet k;
	char text[32];

	if (!read_packet(packet, n, &k))
		return false;
	*ret = record_new(GATE_DROPPED, GATE_W_RULE, p->otherwise_rule);
	ret->udp = k.proto == IPPROTO_UDP;
	ret->port = k.port;
	ret->source = k.source;
	ret->has_addr = 1;
	memcpy(ret->addr, k.to, 16);
	if (k.proto != IPPROTO_TCP && k.proto != IPPROTO_UDP) {
		/* no rule speaks of other protocols */
		record_text(ret, text, (size_t)snprintf(text, sizeof(text), "protocol %u",
							(unsigned)k.proto));
		return true;
	}
	if (names_is_pool(k.to)) {
		entry = names_at(p->names, egress_index(k.to));
		if (!entry) {
			ret->why = GATE_W_NO_NAME;
			return true;
		}
		record_name(ret, entry->name, strlen(entry->name));
		ret->has_addr = 0;
		memset(ret->addr, 0, 16);
		piece = egress_name(p->egress, entry->class_, ret->udp, k.port);
	} else {
		piece = egress_addr(p->egress, k.to, ret->udp, k.port);
	}
	ret->rule = piece->rule;
	if (ret->udp && piece->effect == PB_ALLOW)
		record_text(ret, "datagrams do not leave a run", 28);
	return true;
}

/* --- messages ---------------------------------------------------------------------------- */

static void tell_lost(uint32_t n, nflog_each *each, void *arg)
{
	static const char text[] = "refusals that a flood kept from being listed";
	struct gate_record rec = record_new(GATE_DROPPED, GATE_W_LIMIT, UINT32_MAX);

	rec.count = n;
	record_text(&rec, text, sizeof(text) - 1);
	each(arg, &rec);
}

void nflog_overrun(struct nflog_lost *l, nflog_each *each, void *arg)
{
	l->told++;
	tell_lost(1, each, arg);
}

/* The kernel numbers the packets, also those that it cannot deliver. */
static void look_for_gap(struct nflog_lost *l, uint32_t number, nflog_each *each, void *arg)
{
	uint32_t gap = number - l->next;

	l->next = number + 1;
	if (gap == 0 || gap > UINT32_MAX / 2)
		return;
	if (gap > l->told)
		tell_lost(gap - l->told, each, arg);
	l->told = 0;
}

/* The packet within one message of the kernel's log. */
static void read_message(struct nflog_lost *l, const struct reach_policy *p, const uint8_t *data,
			 size_t n, nflog_each *each, void *arg)
{
	size_t at = sizeof(struct nfgenmsg), size = 0;
	const uint8_t *packet = NULL;

	while (at + sizeof(struct nfattr) <= n) {
		struct nfattr a;
		unsigned type;

		memcpy(&a, data + at, sizeof(a));
		if (a.nfa_len < sizeof(a) || a.nfa_len > n - at)
			break;
		type = a.nfa_type & (unsigned)NLA_TYPE_MASK;
		if (type == NFULA_SEQ && a.nfa_len == sizeof(a) + 4) {
			const uint8_t *v = data + at + sizeof(a);

			look_for_gap(l, (uint32_t)u16(v) << 16 | u16(v + 2), each, arg);
		} else if (type == NFULA_PAYLOAD && !packet) {
			packet = data + at + sizeof(a);
			size = a.nfa_len - sizeof(a);
		}
		at += (a.nfa_len + 3u) & ~(size_t)3;
	}
	if (packet) {
		struct gate_record rec;

		if (nflog_packet(p, packet, size, &rec))
			each(arg, &rec);
	}
}

void nflog_read(struct nflog_lost *l, const struct reach_policy *p, const uint8_t *data, size_t n,
		nflog_each *each, void *arg)
{
	size_t at = 0;

	while (at + sizeof(struct nlmsghdr) <= n) {
		struct nlmsghdr h;

		memcpy(&h, data + at, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > n - at)
			return;
		if (h.nlmsg_type == (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET))
			read_message(l, p, data + at + sizeof(h), h.nlmsg_len - sizeof(h), each,
				     arg);
		at += (h.nlmsg_len + 3u) & ~(size_t)3;
	}
}
