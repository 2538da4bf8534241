/*
 * What all parts of the tree's YAML printer need.  The way in is convert.h.
 * doc/yaml.md says how YAML is read; each function writes what is read back as
 * the same node, and where the schema has no spelling for it, the language's
 * own text behind the key `pol`.
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
	struct map keys; /* yml_index */
};

/* Before a statement's node is made: a node with what stands before it in the source. */
struct node ty_before(struct to_yaml *y, struct span at);
/* After it is made: gives it these, what is left inside of it, and what is behind. */
void ty_attach(struct to_yaml *y, struct node *n, const struct node *before,
	       struct span at);
/* Behind the opening brace of what has a body, up to its first item. */
void ty_open(struct to_yaml *y, struct node *n, uint32_t first);
/* Before the closing brace. */
void ty_tail(struct to_yaml *y, struct node *n, uint32_t end);
enum node_layout ty_layout(const struct to_yaml *y, struct span at);

/* `{pol: TEXT}` of one statement. */
struct node *ty_pol(struct to_yaml *y, const struct ast_stmt *s);
/* "locked KEY +=", as the statement says. */
struct str ty_marked(struct to_yaml *y, const struct ast_stmt *s, const char *key);
/* The key of a file that such a section has: what stands in it. */
const struct yml_key *ty_section_key(struct to_yaml *y, enum ast_section_kind sec);

#endif
