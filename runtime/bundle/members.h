/* Which members a bundle has, in which order; and which features it may require. */
#ifndef RUNTIME_BUNDLE_MEMBERS_H
#define RUNTIME_BUNDLE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/bundle/format.h"

#define MEMBERS_SOURCES "sources/"

struct member_kind {
	const char *path;
	bool required;
};

/* In the order of the file, then come the sources. Ends with NULL. */
extern const struct member_kind member_kinds[];

/* By enum pb_filter_kind: what messages call the filter, and its two members. */
struct member_filter {
	const char *name, *bpf, *map;
};
extern const struct member_filter member_filters[PB_FILTER_COUNT];

/*
 * The position of a member in that order, or -1 if this version does not know the path.
 * All sources have the same, highest rank; among themselves they are in byte order.
 */
int member_rank(const char *path, size_t len);
bool member_is_source(const char *path, size_t len);
/* Is this a member that no run reads (ir.json, a source)? These are the last ones. */
bool member_is_idle(const char *path, size_t len);
/* Is this a feature that the manifest may require? doc/bundle-format.md lists them. */
bool member_feature_known(const char *name, size_t len);

#endif
