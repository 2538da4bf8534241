/* Writes results for programs.  The verb decides what a result holds. */
#include "compiler/cli/value.h"

#include <inttypes.h>
#include <yaml.h>

#include "compiler/base/json_buf.h"
#include "compiler/diag/width.h"

enum value_type { VALUE_MAP, VALUE_LIST, VALUE_STR, VALUE_NUM, VALUE_FLAG, VALUE_NULL };

struct value_pair {
	const char *key; /* NULL in a list */
	const struct value *v;
};

struct value {
	enum value_type type;
	struct arena *a;
	struct str text;
	uint64_t num;
	VEC(struct value_pair) items;
};

static struct value *make(struct arena *a, enum value_type type)
{
	struct value *v = ARENA_NEW(a, struct value);

	v->type = type;
	v->a = a;
	return v;
}

struct value *value_map(struct arena *a)
{
	return make(a, VALUE_MAP);
}

struct value *value_list(struct arena *a)
{
	return make(a, VALUE_LIST);
}

struct value *value_str(struct arena *a, struct str s)
{
	struct value *v = make(a, VALUE_STR);

	v->text = s;
	return v;
}

struct value *value_z(struct arena *a, const char *z)
{
	return value_str(a, str_from(z));
}

struct value *value_num(struct arena *a, uint64_t n)
{
	struct value *v = make(a, VALUE_NUM);

	v->num = n;
	return v;
}

struct value *value_flag(struct arena *a, bool yes)
{
	struct value *v = make(a, VALUE_FLAG);

	v->num = yes;
	return v;
}

struct value *value_null(struct arena *a)
{
	return make(a, VALUE_NULL);
}

void value_put(struct value *map, const char *key, struct value *v)
{
	struct value_pair p = { key, v };

	VEC_PUSH(map->a, &map->items, p);
}

void value_add(struct value *list, struct value *v)
{
	value_put(list, NULL, v);
}

/* --- JSON ---------------------------------------------------------------- */

static void put(struct json *j, const char *key, const struct value *v)
{
	switch (v->type) {
	case VALUE_MAP:
		json_object(j, key);
		break;
	case VALUE_LIST:
		json_array(j, key);
		break;
	case VALUE_STR:
		json_buf_str(j, key, v->text);
		break;
	case VALUE_NUM:
		json_uint(j, key, v->num);
		break;
	case VALUE_FLAG:
		json_bool(j, key, v->num);
		break;
	case VALUE_NULL:
		json_null(j, key);
		break;
	}
	for (size_t i = 0; i < v->items.n; i++)
		put(j, v->items.v[i].key, v->items.v[i].v);
	if (v->type == VALUE_MAP)
		json_object_end(j);
	else if (v->type == VALUE_LIST)
		json_array_end(j);
}

void value_json(struct buf *out, const struct value *v)
{
	struct json j;

	json_buf_init(&j, out);
	put(&j, NULL, v);
}

/* --- YAML ---------------------------------------------------------------- */

struct yaml_out {
	yaml_emitter_t e;
	struct buf *buf;
	bool ok;
};

static int take(void *data, unsigned char *bytes, size_t n)
{
	buf_add(((struct yaml_out *)data)->buf, bytes, n);
	return 1;
}

static void emit(struct yaml_out *y, yaml_event_t *ev, int made)
{
	y->ok = y->ok && made && yaml_emitter_emit(&y->e, ev);
}

/* libyaml accepts only UTF-8. */
static struct str as_utf8(struct arena *a, struct str s)
{
	struct buf b;
	size_t i, n;

	buf_init(&b, a);
	for (i = 0; i < s.n; i += n) {
		uint32_t c;
		bool valid;

		n = utf8_next(s, i, &c, &valid);
		if (valid) {
			buf_add(&b, s.p + i, n);
			continue;
		}
		n = 1;
		buf_u8(&b, (uint8_t)(0xc0 | (uint8_t)s.p[i] >> 6));
		buf_u8(&b, (uint8_t)(0x80 | ((uint8_t)s.p[i] & 0x3f)));
	}
	return buf_view(&b);
}

/* A text is always quoted, so that no reader guesses a type. */
static void emit_scalar(struct yaml_out *y, struct str s, const char *tag, bool quoted)
{
	yaml_event_t ev;

	emit(y, &ev,
	     yaml_scalar_event_initialize(&ev, NULL, (yaml_char_t *)(uintptr_t)tag,
					  (const yaml_char_t *)(s.n ? s.p : ""),
					  (int)s.n, 1, 1,
					  quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
						 : YAML_PLAIN_SCALAR_STYLE));
}

static void emit_value(struct yaml_out *y, const struct value *v);

static void emit_items(struct yaml_out *y, const struct value *v)
{
	bool map = v->type == VALUE_MAP;
	yaml_event_t ev;
	size_t i;

	emit(y, &ev,
	     map ? yaml_mapping_start_event_initialize(&ev, NULL, NULL, 1,
						       YAML_BLOCK_MAPPING_STYLE)
		 : yaml_sequence_start_event_initialize(&ev, NULL, NULL, 1,
							YAML_BLOCK_SEQUENCE_STYLE));
	for (i = 0; i < v->items.n; i++) {
		if (map)
			emit_scalar(y, str_from(v->items.v[i].key), NULL, false);
		emit_value(y, v->items.v[i].v);
	}
	emit(y, &ev,
	     map ? yaml_mapping_end_event_initialize(&ev)
		 : yaml_sequence_end_event_initialize(&ev));
}

static void emit_value(struct yaml_out *y, const struct value *v)
{
	switch (v->type) {
	case VALUE_MAP:
	case VALUE_LIST:
		emit_items(y, v);
		break;
	case VALUE_STR:
		emit_scalar(y, as_utf8(v->a, v->text), NULL, true);
		break;
	case VALUE_NUM:
		emit_scalar(y, str_printf(v->a, "%" PRIu64, v->num), NULL, false);
		break;
	case VALUE_FLAG:
		emit_scalar(y, v->num ? STR("true") : STR("false"), NULL, false);
		break;
	case VALUE_NULL:
		emit_scalar(y, STR("null"), NULL, false);
		break;
	}
}

bool value_yaml(struct buf *out, const struct value *v)
{
	struct yaml_out y = { .buf = out, .ok = true };
	yaml_event_t ev;

	if (!yaml_emitter_initialize(&y.e))
		return false;
	yaml_emitter_set_output(&y.e, take, &y);
	yaml_emitter_set_unicode(&y.e, 1);
	yaml_emitter_set_width(&y.e, -1);
	emit(&y, &ev, yaml_stream_start_event_initialize(&ev, YAML_UTF8_ENCODING));
	emit(&y, &ev, yaml_document_start_event_initialize(&ev, NULL, NULL, NULL, 1));
	emit_value(&y, v);
	emit(&y, &ev, yaml_document_end_event_initialize(&ev, 1));
	emit(&y, &ev, yaml_stream_end_event_initialize(&ev));
	yaml_emitter_delete(&y.e);
	return y.ok;
}
