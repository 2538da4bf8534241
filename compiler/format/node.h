/*
 * A YAML text before it is written: scalars, lists and mappings with the comments
 * around them, and the layout that each prefers.  libyaml's emitter writes no
 * comments, so we write the text ourselves; tests check that it reads back.
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
	NODE_IF_FITS, /* on one line if it fits, else NODE_BLOCK */
	NODE_FILL     /* a list in brackets, on as many lines as it needs */
};

struct node {
	enum node_kind kind;
	enum node_layout layout;
	struct str text; /* SCALAR: as it will be written, with quotes */
	struct str lines; /* SCALAR, NODE_BLOCK: the text as a literal block */
	struct str key;  /* in a mapping: the key as it will be written */
	struct node *items, *last, *next;
	bool blank;      /* a blank line before it */
	VEC(struct trivia_comment) before, tail; /* tail: after the last item */
	struct str open, trailing; /* comment after the key, comment after the end */
};

struct node *node_new(struct arena *a, enum node_kind kind, enum node_layout layout);
void node_add(struct node *list, struct node *item);
/* `key` is a word of the schema and is written as it is. */
void node_put(struct node *map, const char *key, struct node *value);

/* A scalar that every reader of YAML takes for text. */
struct node *node_text(struct arena *a, struct str text);
/* A scalar without quotes: numbers, dates, words that need none. */
struct node *node_plain(struct arena *a, struct str text);
/* A text in two forms of equal meaning: on one line, and (where possible) on several. */
struct node *node_lines(struct arena *a, struct str one_line, struct str lines);

/* Writes a whole text: `top` is a mapping or a list; an empty one makes no text. */
void node_write(struct buf *b, const struct node *top);

#endif
