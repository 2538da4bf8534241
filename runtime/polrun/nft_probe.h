/* Finds out whether the kernel has what the rules of a limited network need. */
#ifndef RUNTIME_POLRUN_NFT_PROBE_H
#define RUNTIME_POLRUN_NFT_PROBE_H

/*
 * Makes a table of the family inet with a chain on the hook output, in the caller's
 * network namespace.  The caller needs CAP_NET_ADMIN there and discards the namespace
 * afterwards.  0 or an errno.
 */
int nft_probe(void);

#endif
