/*
 * What the files of the tree's YAML printer share; private to them.  The way
 * in is convert.h.  doc/yaml.md says how YAML is read; each function writes
 * what is read back as the same node, and where the schema has no spelling
 * for it, the language's own text behind the key `pol`.
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

/* --- values (to_yaml_value.c) ---------------------------------------------- */

/* One value where a value of `type` is wanted; never NULL. */
struct node *ty_value(struct to_yaml *y, enum yml_type type, const struct ast_value *v);
/* A list of them; one is no list. */
struct node *ty_values(struct to_yaml *y, enum yml_type type, const struct ast_value *v);
struct node *ty_expr(struct to_yaml *y, const struct ast_expr *x);
struct node *ty_ops(struct to_yaml *y, unsigned ops);
/* The value of the pair `s` of that scope, or NULL: it has no key of its own. */
struct node *ty_pair(struct to_yaml *y, enum yml_scope scope, const struct ast_stmt *s);
/* Text of the language as it stands behind `pol` and the like. */
struct node *ty_dsl(struct to_yaml *y, const struct buf *text);

/* --- items of sections (to_yaml_item.c) -------------------------------------- */

/* A statement of a section that is a list; NULL: it has no spelling of its own. */
struct node *ty_item(struct to_yaml *y, enum ast_section_kind sec,
		     const struct ast_stmt *s);
/* Is there such a spelling?  Hands out no comment. */
bool ty_has_item(struct to_yaml *y, enum ast_section_kind sec, const struct ast_stmt *s);

/* --- bodies (to_yaml_body.c) --------------------------------------------------- */

/* What stands in the braces of a section, a runner, a tool, a policy. */
struct node *ty_section(struct to_yaml *y, const struct ast_stmt *s);
struct node *ty_block(struct to_yaml *y, const struct ast_stmt *s);
struct node *ty_tool(struct to_yaml *y, const struct ast_stmt *s);
/* NULL: it has no spelling of its own. */
struct node *ty_policy(struct to_yaml *y, const struct ast_stmt *s);
struct node *ty_test(struct to_yaml *y, const struct ast_stmt *s);

/* --- comments (to_yaml.c) -------------------------------------------------------- */

/* Before a statement's node is made: what stands before it in the source. */
struct node_before {
	VEC(struct node_comment) comments;
	bool blank;
};
struct node_before ty_before(struct to_yaml *y, struct span at);
/* After it is made: gives it these, what is left inside of it, and what is behind. */
void ty_attach(struct to_yaml *y, struct node *n, const struct node_before *b,
	       struct span at);
/* Behind the opening brace of what has a body, up to its first item. */
void ty_open(struct to_yaml *y, struct node *n, uint32_t first);
/* Before the closing brace. */
void ty_tail(struct to_yaml *y, struct node *n, uint32_t end);
enum node_layout ty_layout(const struct to_yaml *y, struct span at);

/* Statements of a file or role: a mapping, or a list of these. */
struct node *ty_file(struct to_yaml *y, const struct ast_stmt *stmts);
/* `{pol: TEXT}` of one statement. */
struct node *ty_pol(struct to_yaml *y, const struct ast_stmt *s);

#endif
