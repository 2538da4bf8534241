/*
 * Values of settings (semantics 3.2): when two are equal, how they are written, and the
 * order that makes equal settings equal bytes.
 */
#include "compiler/ir/value.h"

#include "compiler/base/json_buf.h"

bool ir_value_equal(const struct ir_value *x, const struct ir_value *y)
{
	size_t i;

	if (x->type != y->type)
		return false;
	switch (x->type) {
	case IR_V_BOOL:
		return x->yes == y->yes;
	case IR_V_NUMBER:
	case IR_V_TEXT:
		return str_eq(x->text, y->text);
	case IR_V_LIST:
	case IR_V_MAP:
		break;
	}
	if (x->nitems != y->nitems)
		return false;
	for (i = 0; i < x->nitems; i++)
		if (!str_eq(x->items[i].key, y->items[i].key) ||
		    !ir_value_equal(&x->items[i], &y->items[i]))
			return false;
	return true;
}

void ir_value_put(struct json *j, const char *key, const struct ir_value *v)
{
	switch (v->type) {
	case IR_V_BOOL:
		json_bool(j, key, v->yes);
		return;
	case IR_V_NUMBER:
		json_raw(j, key, v->text.p, v->text.n);
		return;
	case IR_V_TEXT:
		json_buf_str(j, key, v->text);
		return;
	case IR_V_LIST:
		json_array(j, key);
		for (size_t i = 0; i < v->nitems; i++)
			ir_value_put(j, NULL, &v->items[i]);
		json_array_end(j);
		return;
	case IR_V_MAP:
		json_object(j, key);
		for (size_t i = 0; i < v->nitems; i++) {
			json_key(j, v->items[i].key.p, v->items[i].key.n);
			ir_value_put(j, NULL, &v->items[i]);
		}
		json_object_end(j);
		return;
	}
}

void ir_value_json(struct buf *b, const struct ir_value *v)
{
	struct json j;

	json_buf_init(&j, b);
	ir_value_put(&j, NULL, v);
}

static size_t digits(struct str s, size_t i)
{
	size_t from = i;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i - from;
}

bool ir_value_is_number(struct str s)
{
	size_t i = s.n && s.p[0] == '-' ? 1 : 0, n = digits(s, i);

	if (!n || (n > 1 && s.p[i] == '0'))
		return false;
	i += n;
	if (i < s.n && s.p[i] == '.') {
		n = digits(s, i + 1);
		if (!n)
			return false;
		i += n + 1;
	}
	return i == s.n;
}

static const char *verify(const struct ir_value *v, unsigned depth)
{
	const char *why = NULL;
	size_t i;

	if (depth > IR_VALUE_DEPTH)
		return "a value is nested too deeply";
	if (v->type == IR_V_NUMBER && !ir_value_is_number(v->text))
		return "a number that is none";
	if (v->type == IR_V_TEXT && v->text.n && memchr(v->text.p, 0, v->text.n))
		return "a text with a NUL";
	if (v->nitems && v->type != IR_V_LIST && v->type != IR_V_MAP)
		return "a plain value with items";
	for (i = 0; i < v->nitems && !why; i++) {
		const struct ir_value *k = &v->items[i];

		if (v->type == IR_V_LIST ? k->key.n > 0 : k->key.n == 0)
			return "a key in a list, or none in a map";
		if (v->type == IR_V_MAP && i > 0 &&
		    str_cmp(v->items[i - 1].key, k->key) >= 0)
			return "keys of a map out of order";
		why = verify(k, depth + 1);
	}
	return why;
}

const char *ir_value_verify(const struct ir_value *v)
{
	return verify(v, 0);
}

const struct ir_setting *ir_setting_find(const struct ir *ir, enum ir_part part,
					 struct str key)
{
	size_t i;

	for (i = 0; i < ir->settings.n; i++)
		if (ir->settings.v[i].part == part &&
		    str_eq(ir->settings.v[i].key, key))
			return &ir->settings.v[i];
	return NULL;
}

void ir_settings_json(struct buf *out, const struct ir *ir)
{
	const struct ir_setting *last = NULL;
	struct json j;

	json_buf_init(&j, out);
	json_object(&j, NULL);
	for (size_t i = 0; i < ir->settings.n; i++) {
		const struct ir_setting *s = &ir->settings.v[i];

		if (last && last->part != s->part) {
			json_line(&j);
			json_object_end(&j);
		}
		json_line(&j);
		if (!last || last->part != s->part) {
			json_object(&j, ir_part_name(s->part));
			json_line(&j);
		}
		json_key(&j, s->key.p, s->key.n);
		ir_value_put(&j, NULL, &s->value);
		last = s;
	}
	if (last) {
		json_line(&j);
		json_object_end(&j);
		json_line(&j);
	}
	json_object_end(&j);
	buf_ch(out, '\n');
}
