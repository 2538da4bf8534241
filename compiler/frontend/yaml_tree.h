/*
 * A YAML text as a tree with places: what libyaml's events say, less what a
 * policy may not hold (tags, merge keys, keys that are no texts, a second
 * document), within limits.  What a scalar means is not decided here.
 */
#ifndef COMPILER_FRONTEND_YAML_TREE_H
#define COMPILER_FRONTEND_YAML_TREE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/diag/diag.h"
#include "compiler/source/source.h"

#define YML_MAX_DEPTH 64u             /* lists and mappings in each other */
#define YML_MAX_NODES (1024u * 1024u) /* with each alias as what it names */

enum yml_kind { YML_SCALAR, YML_LIST, YML_MAP };

struct yml_node {
	enum yml_kind kind;
	struct span at;         /* with quotes and brackets */
	struct span inner;      /* SCALAR: without its quotes */
	struct str text;        /* SCALAR: decoded; bytes, never NULL */
	bool plain;             /* SCALAR without quotes, not a block */
	bool block;             /* SCALAR behind | or > */
	struct yml_item *items; /* LIST, MAP: in order */
	uint32_t n;
	uint32_t size; /* nodes of it and below it, aliases counted */
};

struct yml_item {
	struct yml_node *key; /* MAP: a scalar; LIST: NULL */
	struct yml_node *value;
	struct yml_item *next;
};

/*
 * The tree of file `file`; *ret NULL where the text says nothing.  False iff
 * errors were reported.  Gives the file its key paths (source.h).
 */
bool yml_tree(struct arena *a, struct diag_sink *sink, struct source_map *map,
	      uint32_t file, struct yml_node **ret);

#endif
