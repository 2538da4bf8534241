/*
 * Which addresses the gateway does not dial by itself: those that lead back into the
 * host, into its networks or to a cloud's metadata.  A name that anybody may register
 * can point there, so only a rule's `within` (or a rule for that range) lifts it.
 *
 * Pure: what is the host's own is given by the caller.  All addresses are 16 bytes,
 * v4 as v4-mapped (::ffff:a.b.c.d).
 */
#ifndef RUNTIME_BASE_ADDRESS_GUARD_H
#define RUNTIME_BASE_ADDRESS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum guard_kind {
	GUARD_PUBLIC, /* nothing special */
	GUARD_LOOPBACK,
	GUARD_UNSPECIFIED, /* connect() takes it for this host */
	GUARD_PRIVATE,     /* RFC 1918, unique local, site local */
	GUARD_CGNAT,
	GUARD_LINK_LOCAL,
	GUARD_METADATA,
	GUARD_MULTICAST,
	GUARD_RESERVED, /* also benchmarks, where the names of a run live */
	GUARD_EMBEDDED, /* a v6 form that carries a v4 address of one of these kinds */
	GUARD_OWN,      /* an address of this host, or one that it delivers to itself */
	GUARD_KIND_COUNT
};

#define GUARD_MAX_OWN 4096u

struct guard {
	bool on; /* false (mode full): only loopback and this host are guarded */
	uint8_t (*own)[16];
	uint32_t own_count, own_room;
	/* Would the kernel deliver it on this host, whether or not an interface has it?
	 * NULL: only the addresses above are known. */
	bool (*is_local)(int routes, const uint8_t addr[16]);
	int routes; /* the first argument of is_local() */
};

/* The kind of an address by its bits alone. */
enum guard_kind guard_kind(const uint8_t addr[16]);
/* The same for this host: also GUARD_OWN; with `on` false, what full permits is public. */
enum guard_kind guard_ask(const struct guard *g, const uint8_t addr[16]);
/* How many v6 forms are known that carry a v4 address, and the address that the form
 * `i` carries, v4-mapped.  False: this address has another form. */
size_t guard_form_count(void);
bool guard_form_read(size_t i, const uint8_t addr[16], uint8_t ret[16]);
/*
 * The ranges of the guard as blocks, one after the other: *at starts as 0; false: no more.
 * Blocks of v6 addresses that carry such a v4 address are among them.  (Teredo's clients and
 * ISATAP are no blocks: guard_kind() alone knows those.)
 */
bool guard_next_range(size_t *at, uint8_t ret_addr[16], unsigned *ret_bits);
/*
 * Does a rule about this block of addresses name `addr`, so that the guard lets it pass?  A
 * block names what it holds, except for guarded ranges that are narrower than itself: 10.0.0.0/8
 * names 10.1.2.3, 169.254.0.0/16 does not name the metadata service in it.  A block that reaches
 * beyond a guarded range, as 0.0.0.0/0, names nothing.
 */
bool guard_is_named(const uint8_t block[16], unsigned bits, const uint8_t addr[16]);
/*
 * Names that lead to a guarded address whoever resolves them: they are in Debian's /etc/hosts, in
 * RFC 6761 or in a cloud's documents.  Where no gateway looks names up (the scope `host`) they are
 * all that a decision by name can know.  `n` counts the table's rows.
 */
struct guard_name {
	const char *name; /* lower case */
	uint8_t addr[16];
	bool below; /* the names below it, too */
};
const struct guard_name *guard_names(size_t *n);
/* The address to which the name (lower case, no trailing dot) leads, or NULL: not known. */
const uint8_t *guard_name_address(const char *name, size_t n);
/* Is it "localhost" or a name below it, which are the run's own loopback in a sandbox? */
bool guard_is_localhost(const char *name, size_t n);
/* A few words for messages: "a private address". */
const char *guard_text(enum guard_kind kind);

/* Adds an address of this host.  0, or -ENOMEM; -E2BIG above GUARD_MAX_OWN. */
int guard_add_own(struct guard *g, const uint8_t addr[16]);
void guard_release(struct guard *g);

#endif
