/*
 * A YAML text as a tree with places, made from libyaml's events within limits.  Parts
 * that a policy may not use are refused: tags, merge keys, keys that are no texts, a
 * second document.  What a scalar means is not decided here.  Names begin with yml_,
 * since yaml_ is libyaml's.
 */
#ifndef COMPILER_FRONTEND_YAML_TREE_H
#define COMPILER_FRONTEND_YAML_TREE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/diag/diag.h"
#include "compiler/source/source.h"

#define YML_MAX_DEPTH 64u             /* nested lists and mappings */
#define YML_MAX_NODES (1024u * 1024u) /* an alias counts as all nodes that it names */

enum yml_kind { YML_SCALAR, YML_LIST, YML_MAP };

struct yml_node {
	enum yml_kind kind;
	struct span at;         /* including quotes and brackets */
	struct span inner;      /* SCALAR: without quotes */
	struct str text;        /* SCALAR: decoded; bytes, never NULL */
	bool plain;             /* SCALAR without quotes, not a block */
	bool block;             /* SCALAR after | or > */
	struct yml_item *items; /* LIST, MAP: in order */
	uint32_t n;
	uint32_t size; /* number of nodes in it, itself and aliases included */
};

struct yml_item {
	struct yml_node *key; /* MAP: a scalar; LIST: NULL */
	struct yml_node *value;
	struct yml_item *next;
};

/*
 * Makes the tree of file `file`; *ret is NULL if the text is empty.  False iff errors
 * were reported.  Records the paths of the file's keys (source.h).
 */
bool yml_tree(struct arena *a, struct diag_sink *sink, struct source_map *map,
	      uint32_t file, struct yml_node **ret);

#endif
