/*
 * Shapes of YAML: mappings with the keys of the table, lists of mappings, and items
 * that are statements.  The function that the table names for a key decides what the
 * entry means.  Readers of shapes call it through the state, so that they do not
 * depend on any such function.
 *
 * Such a function (yml_do_NAME) reads one entry of a mapping and adds the statements
 * that it makes to y->out.  It reports what is wrong and goes on; a file with an error
 * is refused as a whole.
 */
#ifndef COMPILER_FRONTEND_YAML_SHAPE_H
#define COMPILER_FRONTEND_YAML_SHAPE_H

#include "compiler/ast/build.h"
#include "compiler/frontend/dsl_piece.h"
#include "compiler/frontend/yaml_keys.h"
#include "compiler/frontend/yaml_tree.h"

struct yml_entry;

struct yml {
	struct arena *a;
	struct diag_sink *sink;
	const struct source_map *map;
	uint32_t file;
	struct dsl_parser *dsl;
	struct ast_build *b;    /* the builder of the DSL parser */
	struct map keys;        /* filled by yml_index */
	/* yml_do_NAME, by enum yml_reader; NULL: read with the head of its statement */
	void (*const *readers)(struct yml *y, const struct yml_entry *e);
	struct ast_stmts out;   /* where statements go */
	bool locks;             /* the file has a managed level */
	bool mounted;           /* something in the file mounts the project */
	bool hosts;             /* something in the file lists allowed hosts */
	const char *mode;       /* the runner that the file's mode names, or NULL */
	bool in_role, in_block; /* now inside a role, inside a runner's block */
	struct ast_stmts outer; /* of the file, while `out` is a runner's block */
	struct ast_stmt *joined, *joined_tail; /* the section to which yml_add_in adds */
};

/* One entry of a mapping, with its key looked up. */
struct yml_entry {
	const struct yml_key *key;
	const struct yml_node *name; /* the key as written */
	struct yml_node *value;
	const struct yml_node *node; /* the mapping */
	const struct yml_entry *all; /* its entries, in order */
	struct span at;              /* key and value */
	bool locked, append;
	struct yml_entry *next;
};

#define X(name) void yml_do_##name(struct yml *y, const struct yml_entry *e);
YML_READERS(X)
#undef X

/* True after a limit, or after as many errors as are shown: read no more. */
static inline bool yml_stop(const struct yml *y)
{
	return y->b->full || y->sink->errors > y->sink->limit;
}

/* --- nodes ------------------------------------------------------------- */

/* Is the value not written at all: `key:` and nothing after it? */
bool yml_is_nothing(const struct yml_node *n);
struct diag *yml_wrong_shape(struct yml *y, const struct yml_node *n,
			     const char *wanted);
/* The text of a scalar; false after an error. */
bool yml_text(struct yml *y, const struct yml_node *n, const char *wanted,
	      struct str *ret);
/* The items of a list.  For anything else: `one`, which then holds the node. */
const struct yml_item *yml_list(const struct yml_node *n, struct yml_item *one);
struct span yml_join(const struct yml_node *key, const struct yml_node *value);

/* --- mappings ------------------------------------------------------------ */

/*
 * The entries of a mapping, without those that have errors.  NULL for an empty
 * mapping, and after an error if the node is no mapping (*ret_ok is false).
 */
struct yml_entry *yml_entries(struct yml *y, const struct yml_node *n,
			      enum yml_scope scope, bool *ret_ok);
/* The entry with that name (as written in the table), or NULL. */
const struct yml_entry *yml_get(const struct yml_entry *all, const char *name);
/* The value of another key of the same mapping, or NULL. */
const struct yml_node *yml_part(const struct yml_entry *e, const char *name);
/* Calls the function of the entry's key; for YML_T_NAMED once for each NAME: VALUE. */
void yml_read(struct yml *y, const struct yml_entry *e);
/* Calls the function of each entry. */
void yml_read_map(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* Reads a mapping of the scope, or a list of such mappings. */
void yml_read_maps(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* Is the name in `seen` already?  If so, reports an error; if not, adds it. */
bool yml_is_second(struct yml *y, struct map *seen, const struct yml_node *key);

/* Reads the statements of a section: a list of mappings, or one mapping. */
void yml_read_items(struct yml *y, const struct yml_node *n, enum yml_scope scope);

/* --- statements -------------------------------------------------------------- */

void yml_add(struct yml *y, struct ast_stmt *s);
/* Adds the statements one by one. */
void yml_add_all(struct yml *y, struct ast_stmt *s);
/* Adds `s` to the section before, if that accepts it, else to a new section. */
void yml_add_in(struct yml *y, enum ast_section_kind kind, struct ast_stmt *s);
/* Begins a body: later statements go there.  Give the result to yml_end. */
struct ast_stmts yml_begin(struct yml *y);
/* Ends the body and returns its statements. */
struct ast_stmt *yml_end(struct yml *y, struct ast_stmts outer);

#endif
