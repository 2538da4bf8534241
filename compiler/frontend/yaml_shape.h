/*
 * Shapes of YAML: mappings of the keys that the table has, lists of these,
 * items that are statements.  What an entry means is decided by the function
 * that the table names for it; it is called through the state, so that no
 * reader of a shape knows one.
 *
 * Such a function (yml_do_NAME) reads one entry of a mapping and adds the
 * statements that it makes to y->out.  Each says what is wrong and goes on; a
 * file with an error is refused as a whole.
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
	struct ast_build *b;    /* dsl's */
	struct map keys;        /* yml_index */
	/* yml_do_NAME, by enum yml_reader; NULL: read with the head of its statement */
	void (*const *readers)(struct yml *y, const struct yml_entry *e);
	struct ast_stmts out;   /* where statements go */
	bool locks;             /* the file speaks at a managed level */
	bool mounted;           /* something of the file mounts the project */
	bool hosts;             /* something of the file lists allowed hosts */
	const char *mode;       /* the runner that the file's mode names, or NULL */
	bool in_role, in_block; /* what is read stands inside of one */
	struct ast_stmts outer; /* of the file, while `out` is a runner's block */
	struct ast_stmt *joined, *joined_tail; /* a section to which yml_add_in adds */
};

/* One entry of a mapping, after its key was found. */
struct yml_entry {
	const struct yml_key *key;
	const struct yml_node *name; /* the key as it stands there */
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

/* Past a limit, or past the errors that are shown: nothing more is read. */
static inline bool yml_stop(const struct yml *y)
{
	return y->b->full || y->sink->errors > y->sink->limit;
}

/* --- nodes ------------------------------------------------------------- */

/* Is it what is not written at all: `key:` and nothing behind it? */
bool yml_is_nothing(const struct yml_node *n);
struct diag *yml_wrong_shape(struct yml *y, const struct yml_node *n,
			     const char *wanted);
/* A scalar's text; false after an error. */
bool yml_text(struct yml *y, const struct yml_node *n, const char *wanted,
	      struct str *ret);
/* The items of a list; of anything else `one`, which holds it. */
const struct yml_item *yml_list(const struct yml_node *n, struct yml_item *one);
struct span yml_join(const struct yml_node *key, const struct yml_node *value);

/* --- mappings ------------------------------------------------------------ */

/*
 * The entries of a mapping; those with errors are left out.  NULL for an empty
 * one, and after an error where it is none (*ret_ok false).
 */
struct yml_entry *yml_entries(struct yml *y, const struct yml_node *n,
			      enum yml_scope scope, bool *ret_ok);
/* The entry of that name (as the table has it), or NULL. */
const struct yml_entry *yml_get(const struct yml_entry *all, const char *name);
/* The value of another key of the same mapping, or NULL. */
const struct yml_node *yml_part(const struct yml_entry *e, const char *name);
/* Calls the function of the entry's key; of YML_T_NAMED for each NAME: VALUE in it. */
void yml_read(struct yml *y, const struct yml_entry *e);
/* Calls the function of each entry. */
void yml_read_map(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* A mapping of the scope, or a list of these. */
void yml_read_maps(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* Is it a name that `seen` has?  That is an error; else it has it now. */
bool yml_is_second(struct yml *y, struct map *seen, const struct yml_node *key);

/* The statements of a section: a list of mappings, or one of these. */
void yml_read_items(struct yml *y, const struct yml_node *n, enum yml_scope scope);

/* --- statements -------------------------------------------------------------- */

void yml_add(struct yml *y, struct ast_stmt *s);
/* The statements one after another, each for itself. */
void yml_add_all(struct yml *y, struct ast_stmt *s);
/* To the section before, if it takes `s` too, else to one of its own. */
void yml_add_in(struct yml *y, enum ast_section_kind kind, struct ast_stmt *s);
/* From here on statements are a body; yml_end wants what this returns. */
struct ast_stmts yml_begin(struct yml *y);
/* The statements of the body. */
struct ast_stmt *yml_end(struct yml *y, struct ast_stmts outer);

#endif
