/*
 * Every text of a compilation, kept in memory once.  A place is a byte span;
 * line and column are computed when something is printed.
 */
#ifndef COMPILER_SOURCE_SOURCE_H
#define COMPILER_SOURCE_SOURCE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"

struct span {
	uint32_t file; /* index into the map; SOURCE_NONE where there is none */
	uint32_t off;  /* byte offset of the first byte */
	uint32_t len;
};

#define SOURCE_NONE UINT32_MAX
#define SPAN_NONE ((struct span){ SOURCE_NONE, 0, 0 })

/*
 * A place in a text that has a name for people: an entry of a mapping or an
 * item of a list.  In the order of their first bytes; `parent` encloses it.
 */
struct source_key {
	uint32_t off, end;
	uint32_t parent; /* SOURCE_NONE: none */
	uint32_t index;  /* of an item, where name.p is NULL */
	struct str name;
};

struct source_file {
	struct str name; /* as printed: as it was named on the command line or in `use` */
	struct str text; /* NUL-terminated after its last byte */
	uint32_t *lines; /* offset of each line's first byte */
	uint32_t nlines;
	bool library; /* of the standard library, not the user's own */
	bool managed; /* an option says that it speaks at a managed level */
	const struct source_key *keys; /* NULL where the language has none */
	uint32_t nkeys;
};

struct source_map {
	struct arena *a;
	VEC(struct source_file) files;
};

struct source_pos {
	struct str file;
	uint32_t line; /* from 1 */
	uint32_t col;  /* from 1, in bytes */
	struct str text; /* the whole line, without its newline */
};

/* A policy file may have this many bytes; more is an error with a message. */
#define SOURCE_MAX_BYTES ((size_t)16 * 1024 * 1024)

void source_init(struct source_map *m, struct arena *a);
/* Registers a text (copied); returns its file number. */
uint32_t source_add(struct source_map *m, struct str name, struct str text);
/*
 * Reads a regular file.  0, or -errno (EFBIG past SOURCE_MAX_BYTES, EISDIR,
 * EINVAL for what is no regular file).
 */
int source_read(struct source_map *m, const char *path, struct str name,
		uint32_t *ret_file);
struct source_pos source_locate(const struct source_map *m, struct span s);
/* "permissions.allowlist[2].pattern", or empty: the innermost key around it. */
struct str source_key_path(const struct source_map *m, struct arena *a, struct span s);
struct str source_text(const struct source_map *m, struct span s);
/* The span from the first byte of `a` to the last of `b` (one file). */
struct span span_join(struct span a, struct span b);

#endif
