/*
 * Shared by all parts of the printer of trees as YAML.  The entry point is convert.h.
 * doc/yaml.md says how YAML is read.  Each function writes what reads back as the same
 * node.  Where the schema has no spelling for a node, its text in the language stands
 * under the key `pol`.
 */
#ifndef COMPILER_FORMAT_TO_YAML_H
#define COMPILER_FORMAT_TO_YAML_H

#include "compiler/ast/ast.h"
#include "compiler/format/node.h"
#include "compiler/format/quote.h"
#include "compiler/format/trivia.h"
#include "compiler/frontend/yaml_keys.h"

struct to_yaml {
	struct arena *a;
	struct trivia t;
	struct map keys; /* filled by yml_index */
};

/* Call it before the node of a statement is made: a node with the comments before the
 * statement. */
struct node to_yaml_before(struct to_yaml *y, struct span at);
/* Call it after the node is made: gives it the comments of `before`, those left inside
 * the statement, and the one after it. */
void to_yaml_attach(struct to_yaml *y, struct node *n, const struct node *before,
		    struct span at);
/* Takes the comment after the opening brace of a body, before its first item. */
void to_yaml_open(struct to_yaml *y, struct node *n, uint32_t first);
/* Takes the comments before the closing brace. */
void to_yaml_tail(struct to_yaml *y, struct node *n, uint32_t end);
enum node_layout to_yaml_layout(const struct to_yaml *y, struct span at);

/* `{pol: TEXT}` of one statement. */
struct node *to_yaml_pol(struct to_yaml *y, const struct ast_stmt *s);
/* The key with the marks of the statement: "locked KEY +=". */
struct str to_yaml_marked(struct to_yaml *y, const struct ast_stmt *s, const char *key);
/* The key at the top of a file for this kind of section. */
const struct yml_key *to_yaml_section_key(struct to_yaml *y, enum ast_section_kind sec);

#endif
