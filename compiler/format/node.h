/*
 * A YAML text before it is one: scalars, lists and mappings with the comments
 * around them, and how each wants to be laid out.  libyaml's emitter writes
 * no comments, so the text is ours; that it reads back is a law of the tests.
 */
#ifndef COMPILER_FORMAT_NODE_H
#define COMPILER_FORMAT_NODE_H

#include "compiler/base/buf.h"
#include "compiler/base/vec.h"
#include "compiler/format/trivia.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

enum node_layout {
	NODE_BLOCK,   /* each item on a line of its own */
	NODE_ONE_LINE,
	NODE_IF_FITS, /* on one line where it fits, else NODE_BLOCK */
	NODE_FILL     /* a list in brackets, on as many lines as it needs */
};

struct node {
	enum node_kind kind;
	enum node_layout layout;
	struct str text; /* SCALAR: as it is written, with quotes */
	struct str lines; /* SCALAR, NODE_BLOCK: the text as a literal block */
	struct str key;  /* in a mapping: the same */
	struct node *items, *last, *next;
	bool blank;      /* a blank line before it */
	VEC(struct trivia_comment) before, tail; /* tail: behind the last item */
	struct str open, behind; /* on the line of its key, of its end */
};

struct node *node_new(struct arena *a, enum node_kind kind, enum node_layout layout);
void node_add(struct node *list, struct node *item);
/* `key` is a word of the schema, written as it is. */
void node_put(struct node *map, const char *key, struct node *value);

/* A scalar that any reader of YAML takes for a text. */
struct node *node_text(struct arena *a, struct str text);
/* A scalar without quotes: numbers, dates, words that need none. */
struct node *node_plain(struct arena *a, struct str text);
/* Text that means the same on one line, and on lines of its own where it can. */
struct node *node_lines(struct arena *a, struct str one_line, struct str lines);

/* A whole text: `top` is a mapping or a list; an empty one is no text. */
void node_write(struct buf *b, const struct node *top);

#endif
