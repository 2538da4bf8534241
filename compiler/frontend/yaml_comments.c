/*
 * Finds comments: a '#' begins a comment if it begins a line or follows a blank, and
 * stands in no scalar.  The tree says where the scalars are.
 */
#include "compiler/frontend/yaml_comments.h"

#include <stdlib.h>

#include "compiler/base/vec.h"

struct scalars {
	struct arena *a;
	VEC(struct span) at;
};

static void collect(struct scalars *s, const struct yml_node *n)
{
	if (n->kind == YML_SCALAR)
		VEC_PUSH(s->a, &s->at, n->at);
	for (const struct yml_item *i = n->items; i; i = i->next) {
		if (i->key)
			collect(s, i->key);
		collect(s, i->value);
	}
}

static int by_offset(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return (a->off > b->off) - (a->off < b->off);
}

void yml_comments(struct arena *a, const struct source_map *map,
		  const struct yml_node *root, struct ast_file *f)
{
	struct str text = map->files.v[f->source].text;
	struct scalars s = { .a = a };
	VEC(struct span) found = { 0 };
	size_t k = 0;

	if (root)
		collect(&s, root);
	if (s.at.n)
		qsort(s.at.v, s.at.n, sizeof(*s.at.v), by_offset);
	for (uint32_t i = 0; i < text.n; i++) {
		const char *end;
		struct span at = { f->source, i, 0 };

		while (k < s.at.n && s.at.v[k].off + s.at.v[k].len <= i)
			k++;
		if (k < s.at.n && s.at.v[k].off <= i) {
			i = s.at.v[k].off + s.at.v[k].len - 1;
			continue;
		}
		if (text.p[i] != '#' || (i && !memchr(" \t\r\n", text.p[i - 1], 4)))
			continue;
		end = memchr(text.p + i, '\n', text.n - i);
		at.len = (end ? (uint32_t)(end - text.p) : (uint32_t)text.n) - i;
		VEC_PUSH(a, &found, at);
		i += at.len;
	}
	f->comments = found.v;
	f->ncomments = found.n;
}
