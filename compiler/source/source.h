/*
 * Every text of a compilation, kept in memory once.  A place is a byte span; line and
 * column are computed only for printing.
 */
#ifndef COMPILER_SOURCE_SOURCE_H
#define COMPILER_SOURCE_SOURCE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"

struct span {
	uint32_t file; /* index into the map, or SOURCE_NONE */
	uint32_t off;  /* byte offset of the first byte */
	uint32_t len;
};

#define SOURCE_NONE UINT32_MAX
#define SPAN_NONE ((struct span){ SOURCE_NONE, 0, 0 })

/*
 * A place in a text that has a name for people: an entry of a mapping or an item of a
 * list.  Sorted by their first bytes; `parent` is the key around this one.
 */
struct source_key {
	uint32_t off, end;
	uint32_t parent; /* or SOURCE_NONE */
	uint32_t index;  /* of an item, if name.p is NULL */
	struct str name;
};

struct source_file {
	struct str name; /* as printed: the name on the command line or in `use` */
	struct str text; /* with a NUL after its last byte */
	uint32_t *lines; /* offset of each line's first byte */
	uint32_t nlines;
	bool library; /* part of the standard library */
	bool managed; /* an option gives it a managed level */
	const struct source_key *keys; /* NULL if the language has no keys */
	uint32_t nkeys;
};

struct source_map {
	struct arena *a;
	VEC(struct source_file) files;
};

struct source_pos {
	struct str file;
	uint32_t line; /* counted from 1 */
	uint32_t col;  /* counted from 1, in bytes */
	struct str text; /* the whole line, without its newline */
};

/* The most bytes of a policy file; more is an error with a message. */
#define SOURCE_MAX_BYTES ((size_t)16 * 1024 * 1024)

void source_init(struct source_map *m, struct arena *a);
/* Registers a copy of a text; returns its file number. */
uint32_t source_add(struct source_map *m, struct str name, struct str text);
/*
 * Reads a regular file.  0, or -errno (EFBIG beyond SOURCE_MAX_BYTES, EISDIR, EINVAL
 * if it is not a regular file).
 */
int source_read(struct source_map *m, const char *path, struct str name,
		uint32_t *ret_file);
struct source_pos source_locate(const struct source_map *m, struct span s);
/* The innermost key around the span: "permissions.allowlist[2].pattern", or empty. */
struct str source_key_path(const struct source_map *m, struct arena *a, struct span s);
struct str source_text(const struct source_map *m, struct span s);
/* The span from the first byte of `a` to the last byte of `b`, in the same file. */
struct span span_join(struct span a, struct span b);

#endif
