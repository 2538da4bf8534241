/* Reads settings and carried parts of ir.json, with their places and levels. */
#include "compiler/ir/read_set.h"
#include "compiler/ir/value.h"

enum ir_level ir_rd_level(struct ir_reader *r, struct json_object *o, const char *key)
{
	const char *words[IR_LEVEL_COUNT] = { NULL };
	unsigned i;

	for (i = IR_MANAGED; i < IR_LEVEL_COUNT; i++)
		words[i] = ir_level_name((enum ir_level)i);
	return (enum ir_level)ir_rd_word(r, o, key, words, IR_LEVEL_COUNT);
}

struct ir_place ir_rd_place(struct ir_reader *r, struct json_object *o, const char *key)
{
	struct ir_place p = { .span = SPAN_NONE };
	struct json_object *v = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &v)) {
		(void)ir_rd_fail(r, key, "is missing");
		return p;
	}
	if (!v)
		return p;
	p.file = ir_rd_str(r, v, "file");
	p.line = (uint32_t)ir_rd_num(r, v, "line", UINT32_MAX);
	p.col = (uint32_t)ir_rd_num(r, v, "col", UINT32_MAX);
	return p;
}

void ir_rd_said(struct ir_reader *r, struct json_object *o, enum ir_level *level,
		struct str *id, struct ir_place *at)
{
	*level = ir_rd_level(r, o, "level");
	*id = ir_rd_str(r, o, "id");
	*at = ir_rd_place(r, o, "at");
}

static void read_list(struct ir_reader *r, struct json_object *v, struct ir_value *ret,
		      unsigned depth)
{
	size_t i;

	ret->type = IR_V_LIST;
	ret->nitems = json_object_array_length(v);
	ret->items = arena_array(r->a, ret->nitems + 1, sizeof(*ret->items));
	for (i = 0; i < ret->nitems && !r->why; i++)
		ir_rd_value(r, json_object_array_get_idx(v, i), &ret->items[i],
			    depth + 1);
}

static void read_map(struct ir_reader *r, struct json_object *v, struct ir_value *ret,
		     unsigned depth)
{
	size_t n = (size_t)json_object_object_length(v);

	ret->type = IR_V_MAP;
	ret->items = arena_array(r->a, n + 1, sizeof(*ret->items));
	json_object_object_foreach(v, key, item)
	{
		struct ir_value *to = &ret->items[ret->nitems++];

		ir_rd_value(r, item, to, depth + 1);
		to->key = str_dup(r->a, str_from(key));
	}
}

void ir_rd_value(struct ir_reader *r, struct json_object *v, struct ir_value *ret,
		 unsigned depth)
{
	*ret = (struct ir_value){ .type = IR_V_BOOL };
	if (depth > IR_VALUE_DEPTH) {
		(void)ir_rd_fail(r, "value", "is nested too deeply");
		return;
	}
	switch (json_object_get_type(v)) {
	case json_type_boolean:
		ret->yes = json_object_get_boolean(v);
		break;
	case json_type_int:
	case json_type_double: /* json-c keeps its spelling */
		ret->type = IR_V_NUMBER;
		ret->text = str_dup(r->a, str_from(json_object_get_string(v)));
		break;
	case json_type_string:
		ret->type = IR_V_TEXT;
		ret->text = ir_rd_text(r, v);
		break;
	case json_type_array:
		read_list(r, v, ret, depth);
		break;
	case json_type_object:
		read_map(r, v, ret, depth);
		break;
	case json_type_null:
	default:
		(void)ir_rd_fail(r, "value", "is of no type that a value has");
		break;
	}
}

/* What was overridden has no list of its own. */
void ir_rd_setting(struct ir_reader *r, struct json_object *o, struct ir_setting *ret,
		   unsigned depth)
{
	const char *parts[IR_PART_COUNT];
	struct json_object *v = NULL, *list;
	unsigned p;
	size_t i;

	for (p = 0; p < IR_PART_COUNT; p++)
		parts[p] = ir_part_name((enum ir_part)p);
	*ret = (struct ir_setting){
		.part = (enum ir_part)ir_rd_word(r, o, "part", parts, IR_PART_COUNT),
	};
	ret->key = ir_rd_str(r, o, "key");
	ir_rd_said(r, o, &ret->level, &ret->id, &ret->at);
	ret->acts = ir_rd_flag(r, o, "acts");
	ret->locked = ir_rd_flag(r, o, "locked");
	if (!r->why && json_object_object_get_ex(o, "value", &v))
		ir_rd_value(r, v, &ret->value, 0);
	ret->source = ir_rd_str(r, o, "text_of");
	ret->role = ir_rd_str(r, o, "role");
	list = ir_rd_list(r, o, "over", &ret->nover);
	if (depth && ret->nover)
		(void)ir_rd_fail(r, "over", "overrides what was overridden");
	ret->over = arena_array(r->a, ret->nover + 1, sizeof(*ret->over));
	for (i = 0; i < ret->nover && !r->why; i++)
		ir_rd_setting(r, json_object_array_get_idx(list, i), &ret->over[i],
			      depth + 1);
}
