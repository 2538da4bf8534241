/*
 * What the host says about names: /etc/resolv.conf and /etc/hosts.  Both are read once,
 * before polgate gives up its right to open files, so a later change of either is not
 * seen by a run that goes on.  `search`, `domain` and nsswitch.conf are not used: names
 * in a policy are complete, and other sources than files and DNS are unknown here.
 */
#ifndef RUNTIME_EGRESS_HOST_FILES_H
#define RUNTIME_EGRESS_HOST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>

#include "runtime/egress/name.h"

#define HOST_SERVERS 3 /* as many as resolvers take (resolv.conf(5)) */
#define HOST_MAX_FILE (8u * 1024 * 1024)
#define HOST_MAX_ENTRIES (512u * 1024)

struct host_entry {
	uint32_t name; /* offset in `text` */
	uint32_t order;
	uint8_t addr[16]; /* v4 is v4-mapped */
};

struct host_files {
	struct sockaddr_in6 servers[HOST_SERVERS]; /* v4 as v4-mapped, port 53 */
	uint32_t server_count;
	bool tcp_only; /* options use-vc */
	char *text;
	struct host_entry *entries; /* by name, then as in the file */
	uint32_t entry_count;
};

/* Texts of the two files; NULL: there is none.  Without a server 127.0.0.1 is asked, as by
 * every resolver.  -ENOMEM, or 0.  What is malformed is left out. */
int host_files_parse(struct host_files *h, const char *resolv, const char *hosts);
/* Reads the files themselves. */
int host_files_read(struct host_files *h, const char *resolv_path, const char *hosts_path);
void host_files_release(struct host_files *h);

/* The addresses of a name (lower case) in /etc/hosts: at most `most`; 0: none. */
size_t host_files_find(const struct host_files *h, const char *name, size_t most,
		       uint8_t (*ret)[16]);

#endif
