/* What all binary members of a bundle are made of (format.h). */
#ifndef RUNTIME_BUNDLE_FORMAT_BASE_H
#define RUNTIME_BUNDLE_FORMAT_BASE_H

#include <stdint.h>

#define PB_FORMAT_VERSION 1u

struct pb_str { uint32_t off, len; };

/* Every binary member begins with this. */
struct pb_head {
	uint32_t magic;   /* PB_MAGIC_* */
	uint32_t version; /* PB_FORMAT_VERSION */
	uint32_t size;    /* of the member in bytes */
	uint32_t zero;
};

/* A table inside a member: `count` records of a known size from `off` on. */
struct pb_table { uint32_t off, count; };

_Static_assert(sizeof(struct pb_head) == 16, "pb_head");

#endif
