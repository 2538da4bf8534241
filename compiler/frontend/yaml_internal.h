/*
 * What the files of the YAML front end share.  Private to them.
 *
 * A function of the table (yml_do_NAME) reads one entry of a mapping and adds
 * the statements that it makes to y->out.  Each says what is wrong and goes
 * on; a file with an error is refused as a whole.
 */
#ifndef COMPILER_FRONTEND_YAML_INTERNAL_H
#define COMPILER_FRONTEND_YAML_INTERNAL_H

#include "compiler/ast/build.h"
#include "compiler/frontend/dsl_piece.h"
#include "compiler/frontend/yaml_keys.h"
#include "compiler/frontend/yaml_tree.h"

struct yml {
	struct arena *a;
	struct diag_sink *sink;
	const struct source_map *map;
	uint32_t file;
	struct dsl_parser *dsl;
	struct ast_build *b;    /* dsl's */
	struct map keys;        /* yml_index */
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

/* Past a limit, or past the errors that are shown: nothing more is read. */
static inline bool yml_stop(const struct yml *y)
{
	return y->b->full || y->sink->errors > y->sink->limit;
}

/* --- mappings (yaml_map.c) ------------------------------------------- */

/*
 * The entries of a mapping; those with errors are left out.  NULL for an empty
 * one, and after an error where it is none (*ret_ok false).
 */
struct yml_entry *yml_entries(struct yml *y, const struct yml_node *n,
			      enum yml_scope scope, bool *ret_ok);
/* The entry of that name (as the table has it), or NULL. */
const struct yml_entry *yml_get(const struct yml_entry *all, const char *name);
/* Calls the function of each entry. */
void yml_read_map(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* A mapping of the scope, or a list of these. */
void yml_read_maps(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* A file, a role: mappings of the scope FILE. */
void yml_read_file(struct yml *y, const struct yml_node *n);
/* Is it a name that `seen` has?  That is an error; else it has it now. */
bool yml_is_second(struct yml *y, struct map *seen, const struct yml_node *key);
void yml_add(struct yml *y, struct ast_stmt *s);
struct span yml_join(const struct yml_node *key, const struct yml_node *value);
/* "a list", "a mapping", "a text", "nothing". */
const char *yml_shape(const struct yml_node *n);
/* Is it what is not written at all: `key:` and nothing behind it? */
bool yml_is_nothing(const struct yml_node *n);
struct diag *yml_wrong_shape(struct yml *y, const struct yml_node *n,
			     const char *wanted);
/* --- items (yaml_items.c) -------------------------------------------- */

/* The statements of a section: a list of mappings, or one of these. */
void yml_read_items(struct yml *y, const struct yml_node *n, enum yml_scope scope);
/* The value of another key of the same item, or NULL. */
const struct yml_node *yml_part(const struct yml_entry *e, const char *name);
/* `mode: …` and NAME: BODY for each runner (yaml_runner.c). */
void yml_read_runner(struct yml *y, const struct yml_node *n);
/* Sections that are a list of statements or a mapping of something else. */
void yml_read_mixed(struct yml *y, const struct yml_entry *e);

/* --- values (yaml_value.c) ------------------------------------------- */

/* NULL after an error; lists of one where a scalar stands. */
struct ast_value *yml_values(struct yml *y, enum yml_type type,
			     const struct yml_node *n);
/* A scalar's text; false after an error. */
bool yml_text(struct yml *y, const struct yml_node *n, const char *wanted,
	      struct str *ret);
/* A name that is not reserved; false after an error. */
bool yml_word(struct yml *y, const struct yml_node *n, struct str *ret);
/* A bare name of the language that is no word of it: of a `let`. */
bool yml_is_free_name(struct str s);
bool yml_bool(struct yml *y, const struct yml_node *n, bool *ret);
bool yml_effect(struct yml *y, const struct yml_node *n, enum ast_effect *ret);
bool yml_ops(struct yml *y, const struct yml_node *n, unsigned *ret);
/* One piece of the language. */
bool yml_dsl(struct yml *y, enum dsl_start start, const struct yml_node *n,
	     struct dsl_result *ret);

/* --- the documents' own keys (yaml_docs.c, yaml_paths.c) ------------ */

/* NAME: TEXT of `env`. */
void yml_read_variables(struct yml *y, const struct yml_node *n);
/* A warning where a text is a secret that everybody can read. */
void yml_check_secret(struct yml *y, struct str name, const struct yml_node *value);

/* allowedHosts, blockedPorts inside of a network section. */
void yml_read_network_list(struct yml *y, const struct yml_entry *e);
/* `network: limited` with no list of domains beside it: the usual ones. */
void yml_default_domains(struct yml *y, const struct yml_entry *e);
/* The meaning of a word of the set; NULL after an error. */
const char *yml_choice(struct yml *y, const struct yml_node *n, enum yml_word_set set);
/* The same without a message; NULL for no word of the set, and for no node. */
const char *yml_meaning(struct yml *y, const struct yml_node *n, enum yml_word_set set);
/* true, false as the name that they are in the language; NULL after an error. */
struct ast_value *yml_truth(struct yml *y, const struct yml_node *n);
/* What is to be known of a file before it is read (yaml_agent.c). */
void yml_scan(struct yml *y, const struct yml_node *root);
/* NAME: what is known of a tool (yaml_watch.c). */
void yml_read_tools(struct yml *y, const struct yml_node *n);
/* Calls `each` for every item of a list, or for the one value that stands there. */
void yml_each_item(struct yml *y, const struct yml_entry *e,
		   void (*each)(struct yml *, const struct yml_entry *,
				const struct yml_node *));
/* The project's place in a container, where nothing of the file mounts it. */
void yml_name_project(struct yml *y, struct ast_value *v);
/* A section of one statement. */
void yml_add_in(struct yml *y, enum ast_section_kind kind, struct ast_stmt *s);

/* --- functions of the table ------------------------------------------ */

#define YML_DO(name) void yml_do_##name(struct yml *y, const struct yml_entry *e)

/* yaml_top.c */
YML_DO(policy);
YML_DO(use);
YML_DO(let);
YML_DO(group);
YML_DO(section);
YML_DO(network);
YML_DO(role);
YML_DO(tool);
YML_DO(tool_effect);
YML_DO(alert);
YML_DO(setting);
YML_DO(test);
YML_DO(dsl);
YML_DO(pair);
/* yaml_items.c */
YML_DO(rule);
YML_DO(hostless);
YML_DO(otherwise);
YML_DO(risk);
YML_DO(program);
YML_DO(values);
YML_DO(pin);
YML_DO(shell);
YML_DO(opaque);
YML_DO(mount);
YML_DO(mode);
YML_DO(set);
YML_DO(secret);
YML_DO(rate);
YML_DO(route);
YML_DO(block);
/* yaml_docs.c, yaml_paths.c */
YML_DO(map);
YML_DO(paths);
YML_DO(workspace);
YML_DO(workspace_mount);
YML_DO(mounts);
YML_DO(allowed_hosts);
YML_DO(blocked_ports);
YML_DO(quantity);
YML_DO(limit);
YML_DO(permissions);
/* yaml_agent.c */
YML_DO(runner_mode);
YML_DO(runner_block);
YML_DO(sandbox_image);
YML_DO(block_pair);
YML_DO(setting_of);
YML_DO(settings);
/* yaml_watch.c */
YML_DO(alerts);
YML_DO(command_risks);
YML_DO(tool_risks);
/* Read by the function of their statement's head, never called. */
YML_DO(final);
YML_DO(part);
YML_DO(option);

#endif
