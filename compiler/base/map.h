/* A map from strings to pointers.  It keeps the insertion order, so that output is
 * deterministic. */
#ifndef COMPILER_BASE_MAP_H
#define COMPILER_BASE_MAP_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

struct map_entry {
	struct str key;
	void *value;
};

struct map {
	struct arena *a;
	struct map_entry *e; /* in insertion order */
	size_t n, cap;
	uint32_t *slots; /* index + 1; 0 marks a free slot */
	size_t nslots;
};

void map_init(struct map *m, struct arena *a);
/* The value, or NULL. */
void *map_get(const struct map *m, struct str key);
/* Adds or replaces a value; returns the former one or NULL.  `key` is not copied. */
void *map_put(struct map *m, struct str key, void *value);

#endif
