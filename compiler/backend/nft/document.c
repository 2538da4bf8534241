/*
 * The JSON of libnftables: how the commands of the run's table look, and how many bytes
 * of netlink messages they become.
 */
#include "compiler/backend/nft/document.h"

#include <arpa/inet.h>

#include "compiler/base/json_buf.h"

/*
 * Bytes of netlink messages, estimated high: 24 to 72 for an element, about 700 for
 * a rule with everything.  A document stays well below PB_NFT_TRANSACTION.
 */
#define COST_LIMIT (150u * 1024)
#define COST_ELEMENT 96u
#define COST_RULE 1024u
#define COST_PORT 96u

void doc_close(struct doc *d)
{
	if (d->is_open)
		buf_z(d->out, "]}\n");
	d->is_open = false;
	d->cost = 0;
}

void doc_command(struct doc *d, const char *object, size_t cost)
{
	if (d->is_open && d->cost + cost > COST_LIMIT)
		doc_close(d);
	buf_z(d->out, d->is_open ? "," : "{\"nftables\":[");
	buf_printf(d->out, "{\"add\":{\"%s\":{\"family\":\"inet\",", object);
	d->is_open = true;
	d->cost += cost;
}

void doc_end_command(struct doc *d)
{
	buf_z(d->out, "}}}");
}

static void add_address(struct buf *b, region_addr a, unsigned v6)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	region_bytes(a, bytes);
	(void)inet_ntop(v6 ? AF_INET6 : AF_INET, v6 ? bytes : bytes + 12, text,
			sizeof(text));
	buf_printf(b, "\"%s\"", text);
}

/* Writes them as libnftables lists them: an address, a block, or a range. */
void doc_addresses(struct buf *b, region_addr lo, region_addr hi, unsigned v6)
{
	region_addr size = hi - lo; /* number of addresses less one */
	unsigned len = v6 ? 128 : 32;

	if (lo == hi) {
		add_address(b, lo, v6);
		return;
	}
	if ((size & (size + 1)) == 0 && (lo & size) == 0) {
		for (; size; size >>= 1)
			len--;
		buf_z(b, "{\"prefix\":{\"addr\":");
		add_address(b, lo, v6);
		buf_printf(b, ",\"len\":%u}}", len);
		return;
	}
	buf_z(b, "{\"range\":[");
	add_address(b, lo, v6);
	buf_ch(b, ',');
	add_address(b, hi, v6);
	buf_z(b, "]}");
}

void doc_range(struct buf *b, struct region_ports r)
{
	if (r.lo == r.hi)
		buf_printf(b, "%u", r.lo);
	else
		buf_printf(b, "{\"range\":[%u,%u]}", r.lo, r.hi);
}

size_t doc_element_cost(void)
{
	return COST_ELEMENT;
}

bool doc_element(struct doc *d, bool first)
{
	if (!first && d->cost + COST_ELEMENT > COST_LIMIT)
		return false;
	d->cost += COST_ELEMENT;
	return true;
}

/* --- rules ---------------------------------------------------------------------- */

static const char *const protocols[2] = { "tcp", "udp" };

const char *doc_protocol(unsigned proto)
{
	return protocols[proto];
}

void doc_rule(struct doc *d, const char *chain, struct str comment, size_t nports)
{
	doc_command(d, "rule", COST_RULE + nports * COST_PORT);
	buf_printf(d->out,
		   "\"table\":\"" PB_NFT_TABLE "\",\"chain\":\"%s\",\"comment\":", chain);
	buf_json(d->out, comment);
	buf_z(d->out, ",\"expr\":[");
}

void doc_meta(struct buf *b, const char *key, const char *value)
{
	buf_printf(b, "{\"match\":{\"op\":\"==\",\"left\":{\"meta\":{\"key\":\"%s\"}},"
		      "\"right\":\"%s\"}},", key, value);
}

void doc_payload(struct buf *b, const char *protocol, const char *field)
{
	buf_printf(b, "{\"payload\":{\"protocol\":\"%s\",\"field\":\"%s\"}}", protocol,
		   field);
}

void doc_ports(struct buf *b, unsigned proto, const struct region_ports *v, size_t n)
{
	if (n == 1 && v[0].lo == 0 && v[0].hi == UINT16_MAX) {
		doc_meta(b, "l4proto", protocols[proto]);
		return;
	}
	buf_z(b, "{\"match\":{\"op\":\"==\",\"left\":");
	doc_payload(b, protocols[proto], "dport");
	buf_z(b, ",\"right\":");
	if (n > 1)
		buf_z(b, "{\"set\":[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_ch(b, ',');
		doc_range(b, v[i]);
	}
	buf_z(b, n > 1 ? "]}}}," : "}},");
}

/* A denial names its rule, and the kernel rejects at once so that the caller sees it. */
void doc_verdict(struct doc *d, bool accept, unsigned proto, struct str comment)
{
	struct buf *b = d->out;

	if (accept) {
		buf_z(b, "{\"counter\":null},{\"accept\":null}]");
	} else {
		buf_z(b, "{\"log\":{\"prefix\":");
		buf_json(b, comment);
		buf_printf(b, ",\"group\":%u}},{\"counter\":null},{\"reject\":{", PB_NFT_GROUP);
		buf_z(b, proto == 0 ? "\"type\":\"tcp reset\"}}]" :
				      "\"type\":\"icmpx\",\"expr\":\"admin-prohibited\"}}]");
	}
	doc_end_command(d);
}

void doc_redirect(struct doc *d, unsigned port)
{
	buf_printf(d->out, "{\"counter\":null},{\"redirect\":{\"port\":%u}}]", port);
	doc_end_command(d);
}

void doc_daddr(struct buf *b, const char *op, region_addr lo, region_addr hi,
	       unsigned family)
{
	buf_printf(b, "{\"match\":{\"op\":\"%s\",\"left\":", op);
	doc_payload(b, family ? "ip6" : "ip", "daddr");
	buf_z(b, ",\"right\":");
	doc_addresses(b, lo, hi, family);
	buf_z(b, "}},");
}
