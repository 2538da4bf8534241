/*
 * Writes documents of libnftables, one a line: commands that add to the run's own table,
 * and the expressions of their rules.
 */
#ifndef COMPILER_BACKEND_NFT_DOCUMENT_H
#define COMPILER_BACKEND_NFT_DOCUMENT_H

#include "compiler/backend/nft/region.h"
#include "compiler/base/buf.h"

/* More ranges of ports than this do not stand in one rule. */
#define DOC_MAX_PORTS 256u

struct doc {
	struct buf *out;
	size_t cost; /* bytes of messages of the open document, estimated */
	bool is_open;
};

/* 4 or 6 as an index: 0 is v4, 1 is v6.  Protocols: 0 is tcp, 1 is udp. */

/* Begins a command of about `cost` bytes of messages.  Opens a new document if the
 * current one would grow too long. */
void doc_command(struct doc *d, const char *object, size_t cost);
void doc_end_command(struct doc *d);
void doc_close(struct doc *d);
/* Is there room for another element in this document?  Then its bytes are counted. */
bool doc_element(struct doc *d, bool first);
/* What an element costs where it begins a command. */
size_t doc_element_cost(void);

void doc_addresses(struct buf *b, region_addr lo, region_addr hi, unsigned family);
void doc_range(struct buf *b, struct region_ports r);

/* A rule of a chain, with `nports` ranges of ports in it. */
void doc_rule(struct doc *d, const char *chain, struct str comment, size_t nports);
void doc_payload(struct buf *b, const char *protocol, const char *field);
void doc_meta(struct buf *b, const char *key, const char *value);
void doc_daddr(struct buf *b, const char *op, region_addr lo, region_addr hi,
	       unsigned family);
/* Every port: only the protocol is compared. */
void doc_ports(struct buf *b, unsigned proto, const struct region_ports *v, size_t n);
/* Ends the rule.  A denial is logged under `comment`. */
void doc_verdict(struct doc *d, bool accept, unsigned proto, struct str comment);
void doc_redirect(struct doc *d, unsigned port);

const char *doc_protocol(unsigned proto);

#endif
