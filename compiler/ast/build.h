/*
 * The only way to make nodes of the tree.  Each constructor takes the node by
 * value, checks what every reader relies on (assertions: our fault), counts
 * it against the limits and returns a copy in the arena, never NULL:
 *
 *	AST_STMT(b, AST_LET, at, .name = n, .name_at = n_at, .values = v)
 *
 * When a limit is exceeded, one error is reported and `full` is set.  Nodes made after
 * that must not be used, and the file must be refused (it has an error).
 */
#ifndef COMPILER_AST_BUILD_H
#define COMPILER_AST_BUILD_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/diag/diag.h"

#define AST_MAX_STATEMENTS 65536
#define AST_MAX_NODES      (1024 * 1024) /* values, options, conditions … */
#define AST_MAX_NESTING    64            /* blocks, lists, maps, parentheses */
#define AST_MAX_EXPR_DEPTH 256           /* each `or` of a chain adds one level */

struct ast_build {
	struct arena *a;
	struct diag_sink *sink;
	size_t statements, nodes;
	bool full; /* a limit was exceeded; the error is in the sink */
	/* NULL, or gives the place of a node whose text is not in the file byte for byte
	   (an escaped YAML scalar) */
	struct span (*place)(const void *arg, struct span at);
	const void *place_arg;
};

void ast_build_init(struct ast_build *b, struct arena *a, struct diag_sink *sink);

/* --- nodes -------------------------------------------------------------- */

struct ast_file *ast_file(struct ast_build *b, uint32_t source, struct ast_stmt *stmts);
struct ast_stmt *ast_stmt(struct ast_build *b, struct ast_stmt s);
struct ast_value *ast_value(struct ast_build *b, struct ast_value v);
struct ast_option *ast_option(struct ast_build *b, struct ast_option o);
struct ast_prog_item *ast_prog_item(struct ast_build *b, struct ast_prog_item i);
struct ast_test_case *ast_test_case(struct ast_build *b, struct ast_test_case c);
/* A leaf, or ANY. */
struct ast_expr *ast_expr_leaf(struct ast_build *b, enum ast_expr_op op,
			       struct span at, struct str text);
/* `y` is NULL for NOT.  The new node owns both kids. */
struct ast_expr *ast_expr_op(struct ast_build *b, enum ast_expr_op op,
			     struct span at, struct ast_expr *x, struct ast_expr *y);
struct ast_expr *ast_expr_list(struct ast_build *b, struct span at,
			       struct ast_expr *kids);

#define AST_STMT(b, k, where, ...) \
	ast_stmt((b), (struct ast_stmt){ .kind = (k), .at = (where), __VA_ARGS__ })
#define AST_VALUE(b, k, where, ...) \
	ast_value((b), (struct ast_value){ .kind = (k), .at = (where), __VA_ARGS__ })
#define AST_OPTION(b, k, where, ...) \
	ast_option((b), (struct ast_option){ .kind = (k), .at = (where), __VA_ARGS__ })
#define AST_PROG(b, k, where, ...)                                        \
	ast_prog_item((b), (struct ast_prog_item){ .kind = (k), .at = (where), \
						   __VA_ARGS__ })

/* Adds a key to the value, for a MAP or a map of risks. */
struct ast_value *ast_keyed(struct ast_value *v, struct str key);
/* Adds the prefix `locked` to the statement; `at` is the span including the prefix. */
struct ast_stmt *ast_locked(struct ast_build *b, struct ast_stmt *s, bool locked,
			    struct span at);

/* --- lists with their tails: appending is constant time ------------------ */

#define AST_LIST(list, node)                                                   \
	struct list {                                                          \
		struct node *head, *tail;                                      \
	};                                                                     \
	/* Appends `x`; does nothing if it is NULL (an item with an error). */ \
	static inline struct list list##_add(struct list l, struct node *x)    \
	{                                                                      \
		if (!x)                                                        \
			return l;                                              \
		if (l.tail)                                                    \
			l.tail->next = x;                                      \
		else                                                           \
			l.head = x;                                            \
		l.tail = x;                                                    \
		return l;                                                      \
	}                                                                      \
	static inline struct list list##_one(struct node *x)                   \
	{                                                                      \
		return (struct list){ x, x };                                  \
	}

AST_LIST(ast_stmts, ast_stmt)
AST_LIST(ast_values, ast_value)
AST_LIST(ast_exprs, ast_expr)
AST_LIST(ast_options, ast_option)
AST_LIST(ast_prog_items, ast_prog_item)
AST_LIST(ast_test_cases, ast_test_case)

/* --- texts ---------------------------------------------------------------- */

/*
 * The text of a STRING or RAW where nothing is interpolated (names of tests, tools and
 * settings, keys, strings in conditions): \$ becomes $.
 */
struct str ast_plain(struct ast_build *b, const struct ast_value *v);
/*
 * The reverse: the text of an AST_V_STRING that means exactly these bytes.  With
 * `expand`, ${NAME} keeps its meaning in it.
 */
struct str ast_string_text(struct ast_build *b, struct str plain, bool expand);
/* Is it spelled like a name (letters, digits, _ - ., no digit first)? */
bool ast_is_word(struct str s);
/* Is it a name that is not reserved?  Such a name needs no quotes. */
bool ast_is_name(struct str s);
/* Names of enumerators in the spelling of the language; never NULL. */
const char *ast_effect_name(enum ast_effect e);
const char *ast_section_name(enum ast_section_kind k);

#endif
