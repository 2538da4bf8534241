/* Which members a bundle has, in which order; which features it may require. */
#ifndef RUNTIME_BUNDLE_MEMBERS_H
#define RUNTIME_BUNDLE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#define MEMBERS_SOURCES "sources/"

struct member_kind {
	const char *path;
	bool required;
};

/* In the order of the file; the sources follow.  NULL-ended. */
extern const struct member_kind member_kinds[];

/*
 * The place of a member in that order, or -1 for a path that this version
 * does not know.  All sources have one rank, the highest: among themselves
 * they stand in byte order.
 */
int member_rank(const char *path, size_t len);
bool member_is_source(const char *path, size_t len);
/* A feature that the manifest may require; the list is in doc/bundle-format.md. */
bool member_feature_known(const char *name, size_t len);

#endif
