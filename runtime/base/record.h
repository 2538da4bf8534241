/*
 * The parts from which all binary members of a bundle (runtime/bundle/format.h) and the
 * tables for reading lines (runtime/line/facts.h) are built: records of fixed width that
 * refer to each other by offsets, so that they can be used in place.
 */
#ifndef RUNTIME_BASE_RECORD_H
#define RUNTIME_BASE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define PB_FORMAT_VERSION 1u

/* A text inside a member. It holds no NUL and is not NUL-terminated. */
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

/* The pointer to record `i` of a checked table. */
static inline const void *pb_at(const void *member, struct pb_table t, size_t size, uint32_t i)
{
	return (const uint8_t *)member + t.off + (size_t)i * size;
}

static inline const char *pb_strp(const void *member, struct pb_str s)
{
	return (const char *)member + s.off;
}

#endif
