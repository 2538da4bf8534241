/*
 * The rules of the run's table that do not come from the policy's statements: how the
 * gateway gets its connections, and which ports the synthetic addresses have.
 */
#ifndef COMPILER_BACKEND_NFT_GATEWAY_H
#define COMPILER_BACKEND_NFT_GATEWAY_H

#include "compiler/backend/nft/document.h"

/* Comments of the table's own rules; no rule's id has such letters. */
#define GATEWAY_DNS "(dns)"
#define GATEWAY_OWN "(gateway)"
#define GATEWAY_LOCALHOST "(localhost)"

/* Rules of the chain `out`, to stand before those of the policy. */
void gateway_rules(struct doc *d, const struct region *r);
/* The rules of the chain `nat`.  They come last, as the kernel lists them. */
void gateway_redirects(struct doc *d, const struct region *r);
/* Matches the loopback addresses of a family. */
void gateway_loopback(struct buf *b, const char *op, unsigned family);
/*
 * The tcp ports on which the run's loopback is that of the host: a rule lets "localhost"
 * be reached there and names the loopback as the place where it may lie.
 */
void gateway_host_ports(const struct region *r, struct arena *a, struct region_ports **ret_v,
			size_t *ret_n);
bool gateway_leads_to_host(const struct region *r, const struct region_piece *p);

#endif
