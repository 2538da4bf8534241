/*
 * Turns libyaml's events into a tree.  Decides which parts of YAML a policy may use,
 * where each node stands in bytes, and how large a text may become.
 */
#include "compiler/frontend/yaml_tree.h"

#include <yaml.h>

#include "compiler/base/map.h"
#include "compiler/frontend/yaml_text.h"

struct tree {
	struct arena *a;
	struct diag_sink *sink;
	struct source_map *map;
	uint32_t file;
	struct yml_text text;
	yaml_parser_t parser;
	struct map anchors; /* name -> node; `pending` while the node is being read */
	unsigned depth;
	uint32_t nodes;
	VEC(struct source_key) keys;
	bool failed;
};

static struct yml_node pending;

/* --- events ---------------------------------------------------------- */

static bool next(struct tree *t, yaml_event_t *e)
{
	if (yaml_parser_parse(&t->parser, e))
		return true;
	yml_report(t->sink, &t->text, &t->parser);
	t->failed = true;
	return false;
}

static struct span event_span(const struct tree *t, const yaml_event_t *e)
{
	return yml_span(&t->text, e->start_mark.index, e->end_mark.index);
}

static struct diag *fail(struct tree *t, enum diag_code code, struct span at,
			 const char *text)
{
	t->failed = true;
	return diag_add(t->sink, code, at, "%s", text);
}

/* --- key paths ------------------------------------------------------- */

static uint32_t open_key(struct tree *t, uint32_t parent, struct span at,
			 const struct yml_node *name, uint32_t index)
{
	struct source_key k = { .off = at.off,
				.end = UINT32_MAX, /* until the value has been read */
				.parent = parent,
				.index = index };

	if (name)
		k.name = name->text;
	VEC_PUSH(t->a, &t->keys, k);
	return (uint32_t)t->keys.n - 1;
}

static void close_key(struct tree *t, uint32_t key, struct span value)
{
	t->keys.v[key].end = value.off + value.len;
}

/* --- nodes ----------------------------------------------------------- */

static struct yml_node *new_node(struct tree *t, enum yml_kind kind, struct span at)
{
	struct yml_node *n = ARENA_NEW(t->a, struct yml_node);

	*n = (struct yml_node){
		.kind = kind, .at = at, .inner = at, .size = 1, .text = STR("")
	};
	return n;
}

static bool count(struct tree *t, struct span at, uint32_t size)
{
	if (size <= YML_MAX_NODES - t->nodes) {
		t->nodes += size;
		return true;
	}
	diag_add(t->sink, DIAG_YAML_LIMIT, at,
		 "the text has more than %u values, with aliases as what they name",
		 YML_MAX_NODES);
	t->failed = true;
	return false;
}

/* Records where the text of the scalar stands in the file, without quotes. */
static void set_inner(const struct tree *t, struct yml_node *n,
		      yaml_scalar_style_t style)
{
	uint32_t quote = style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
			 style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;

	n->plain = style == YAML_PLAIN_SCALAR_STYLE;
	n->block = !n->plain && !quote;
	n->inner = n->at;
	if (n->at.len >= 2 * quote) {
		n->inner.off += quote;
		n->inner.len -= 2 * quote;
	}
	/* the newlines at the end of a block do not belong to it */
	while (!quote && n->at.len &&
	       memchr(" \t\r\n", t->text.all.p[n->at.off + n->at.len - 1], 4))
		n->inner.len = --n->at.len;
}

static struct yml_node *scalar(struct tree *t, const yaml_event_t *e)
{
	struct yml_node *n = new_node(t, YML_SCALAR, event_span(t, e));
	struct str text = { (const char *)e->data.scalar.value, e->data.scalar.length };

	n->text = str_dup(t->a, text);
	set_inner(t, n, e->data.scalar.style);
	if (n->text.n && memchr(n->text.p, 0, n->text.n)) {
		fail(t, DIAG_NUL_BYTE, n->at,
		     "a NUL byte cannot stand in a command, path or name");
		return NULL;
	}
	return n;
}

static struct yml_node *alias(struct tree *t, const yaml_event_t *e)
{
	struct str name = str_from((const char *)e->data.alias.anchor);
	struct yml_node *to = map_get(&t->anchors, name), *n;
	struct span at = event_span(t, e);

	if (!to || to == &pending) {
		diag_add(t->sink, DIAG_YAML_ALIAS, at,
			 to ? "'*%.*s' stands inside of what it names"
			    : "'*%.*s' names nothing: no '&%.*s' stands before it",
			 STR_ARG(name), STR_ARG(name));
		t->failed = true;
		return NULL;
	}
	if (!count(t, at, to->size))
		return NULL;
	/* the contents keep their places; this use has a place of its own */
	n = arena_dup(t->a, to, sizeof(*to));
	n->at = at;
	return n;
}

static bool has_tag(const yaml_event_t *e)
{
	switch ((int)e->type) {
	case YAML_SCALAR_EVENT:
		return e->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return e->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return e->data.mapping_start.tag;
	default:
		return false;
	}
}

static struct str anchor_of(const yaml_event_t *e)
{
	switch ((int)e->type) {
	case YAML_SCALAR_EVENT:
		return str_from((const char *)e->data.scalar.anchor);
	case YAML_SEQUENCE_START_EVENT:
		return str_from((const char *)e->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		return str_from((const char *)e->data.mapping_start.anchor);
	default:
		return STR_NULL;
	}
}

static struct yml_node *node(struct tree *t, yaml_event_t *e, uint32_t parent);

static void append(struct yml_node *to, struct yml_item ***tail, struct yml_item *item)
{
	**tail = item;
	*tail = &item->next;
	to->n++;
	to->size += item->value->size + (item->key ? 1 : 0);
}

/* A block collection ends with its last value, not at the next token. */
static void close_node(const struct tree *t, struct yml_node *n, const yaml_event_t *e,
		       struct span last)
{
	struct span end = event_span(t, e);

	if (end.len && memchr("]}", t->text.all.p[end.off], 2))
		last = end;
	n->at = span_join(n->at, last);
	n->inner = n->at;
}

static struct yml_node *list(struct tree *t, struct span at, uint32_t parent)
{
	struct yml_node *n = new_node(t, YML_LIST, at);
	struct yml_item **tail = &n->items;
	struct span last = at;
	yaml_event_t e;

	while (next(t, &e)) {
		struct yml_item *item;
		uint32_t key;

		if (e.type == YAML_SEQUENCE_END_EVENT) {
			close_node(t, n, &e, last);
			yaml_event_delete(&e);
			return n;
		}
		item = ARENA_NEW(t->a, struct yml_item);
		key = open_key(t, parent, event_span(t, &e), NULL, n->n);
		item->value = node(t, &e, key);
		if (!item->value)
			return NULL;
		last = item->value->at;
		close_key(t, key, last);
		append(n, &tail, item);
	}
	return NULL;
}

/* Reads the key of an entry: a text, but none that has a special meaning in YAML. */
static struct yml_node *map_key(struct tree *t, yaml_event_t *e, uint32_t parent)
{
	struct span at = event_span(t, e);
	struct yml_node *key;

	if (e->type != YAML_SCALAR_EVENT && e->type != YAML_ALIAS_EVENT) {
		fail(t, DIAG_YAML_KEY, at, "a key is a text, not a list or a mapping");
		yaml_event_delete(e);
		return NULL;
	}
	key = node(t, e, parent);
	if (!key)
		return NULL;
	if (key->kind != YML_SCALAR) {
		fail(t, DIAG_YAML_KEY, at, "a key is a text, not a list or a mapping");
		return NULL;
	}
	if (key->plain && str_eqz(key->text, "<<")) {
		struct diag *d =
			fail(t, DIAG_YAML_MERGE_KEY, at, "merge keys are not read");

		diag_help(t->sink, d,
			  "write the keys, or name the whole value with an alias");
		return NULL;
	}
	return key;
}

static struct yml_node *mapping(struct tree *t, struct span at, uint32_t parent)
{
	struct yml_node *n = new_node(t, YML_MAP, at);
	struct yml_item **tail = &n->items;
	struct span last = at;
	yaml_event_t e;

	while (next(t, &e)) {
		struct yml_item *item;
		uint32_t key;

		if (e.type == YAML_MAPPING_END_EVENT) {
			close_node(t, n, &e, last);
			yaml_event_delete(&e);
			return n;
		}
		item = ARENA_NEW(t->a, struct yml_item);
		item->key = map_key(t, &e, parent);
		if (!item->key || !next(t, &e))
			return NULL;
		key = open_key(t, parent, item->key->at, item->key, 0);
		item->value = node(t, &e, key);
		if (!item->value)
			return NULL;
		/* a value that is not written is placed right after its key */
		if (!item->value->at.len && !item->value->n)
			item->value->at.off = item->key->at.off + item->key->at.len;
		last = item->value->at;
		close_key(t, key, last);
		append(n, &tail, item);
	}
	return NULL;
}

static struct yml_node *collection(struct tree *t, const yaml_event_t *e,
				   struct span at, uint32_t parent)
{
	struct yml_node *n;

	if (t->depth == YML_MAX_DEPTH) {
		diag_add(t->sink, DIAG_YAML_LIMIT, at,
			 "more than %u lists and mappings in each other",
			 YML_MAX_DEPTH);
		t->failed = true;
		return NULL;
	}
	t->depth++;
	n = e->type == YAML_SEQUENCE_START_EVENT ? list(t, at, parent)
						 : mapping(t, at, parent);
	t->depth--;
	return n;
}

/* Takes over the event; NULL after an error. */
static struct yml_node *node(struct tree *t, yaml_event_t *e, uint32_t parent)
{
	struct span at = event_span(t, e);
	struct str anchor = str_dup(t->a, anchor_of(e));
	struct yml_node *n = NULL;

	if (has_tag(e)) {
		struct diag *d = fail(t, DIAG_YAML_TAG, at, "tags are not read");

		diag_help(t->sink, d,
			  "a key decides what its value is; remove the tag");
	} else if (e->type == YAML_ALIAS_EVENT) {
		n = alias(t, e);
	} else if (count(t, at, 1)) {
		if (anchor.n)
			map_put(&t->anchors, anchor, &pending);
		n = e->type == YAML_SCALAR_EVENT ? scalar(t, e)
						 : collection(t, e, at, parent);
		if (n && anchor.n)
			map_put(&t->anchors, anchor, n);
	}
	yaml_event_delete(e);
	return n;
}

/* --- the text -------------------------------------------------------- */

/* After the first document there must be the end, not a second document. */
static void expect_end(struct tree *t)
{
	yaml_event_t e;

	while (!t->failed && next(t, &e)) {
		bool end = e.type == YAML_STREAM_END_EVENT;

		if (e.type == YAML_DOCUMENT_START_EVENT) {
			struct diag *d = fail(t, DIAG_YAML_DOCUMENTS, event_span(t, &e),
					      "a second document begins here");

			diag_help(t->sink, d,
				  "a file is one policy; write the second in a file of "
				  "its own and 'use' it");
		}
		yaml_event_delete(&e);
		if (end)
			return;
	}
}

static struct yml_node *document(struct tree *t)
{
	struct yml_node *root = NULL;
	yaml_event_t e;

	while (!t->failed && next(t, &e)) {
		bool begins = e.type == YAML_STREAM_START_EVENT ||
			      e.type == YAML_DOCUMENT_START_EVENT;

		if (e.type == YAML_STREAM_END_EVENT) {
			yaml_event_delete(&e);
			return NULL;
		}
		if (begins) {
			yaml_event_delete(&e);
			continue;
		}
		root = node(t, &e, SOURCE_NONE);
		if (root)
			expect_end(t);
		return root;
	}
	return NULL;
}

bool yml_tree(struct arena *a, struct diag_sink *sink, struct source_map *map,
	      uint32_t file, struct yml_node **ret)
{
	struct tree t = { .a = a, .sink = sink, .map = map, .file = file };
	struct yml_node *root;

	if (!yml_text_init(&t.text, a, sink, file, map->files.v[file].text))
		return false;
	map_init(&t.anchors, a);
	if (!yaml_parser_initialize(&t.parser)) {
		diag_add(sink, DIAG_YAML_SYNTAX, (struct span){ file, 0, 0 },
			 "no memory to read the text");
		return false;
	}
	yaml_parser_set_encoding(&t.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&t.parser,
				     (const unsigned char *)t.text.all.p + t.text.start,
				     t.text.all.n - t.text.start);
	root = document(&t);
	yaml_parser_delete(&t.parser);
	map->files.v[file].keys = t.keys.v;
	map->files.v[file].nkeys = (uint32_t)t.keys.n;
	if (t.failed)
		return false;
	/* `---` and nothing after it */
	if (root && root->kind == YML_SCALAR && root->plain && !root->text.n)
		root = NULL;
	*ret = root;
	return true;
}
