/*
 * Reads ir.json: first checks limits, then reads the records, then checks what ir.h
 * promises, and last compares bytes, which is what makes the reader strict.
 */
#include "compiler/ir/read.h"

#include <json-c/json.h>

#include "compiler/ir/read_fields.h"

/*
 * Copies the text, and replaces \u0080 … \u00ff by the bytes that they stand for:
 * ir_json() writes a byte that is not UTF-8 in this way.  json-c passes such bytes on,
 * but would turn the escape into a character.  False if the text exceeds the limits.
 */
static bool unescape(struct buf *out, struct str s, const char **ret_why)
{
	size_t nlists = 0, nvalues = 0, i;
	bool quoted = false;

	for (i = 0; i < s.n; i++) {
		unsigned byte;
		char c = s.p[i];

		if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{'))
			nlists++;
		else if (!quoted && c == ',')
			nvalues++;
		if (c != '\\' || i + 1 == s.n) {
			buf_ch(out, c);
			continue;
		}
		byte = s.n - i >= 6 && memcmp(s.p + i, "\\u00", 4) == 0
			       ? ir_nibble(s.p[i + 4]) << 4 | ir_nibble(s.p[i + 5])
			       : 0;
		if (byte >= 0x80 && byte <= 0xff) {
			buf_u8(out, (uint8_t)byte);
			i += 5;
			continue;
		}
		buf_ch(out, c);
		buf_ch(out, s.p[++i]);
	}
	if (nlists > IR_READ_MAX_LISTS || nvalues > IR_READ_MAX_VALUES)
		*ret_why = "it holds too many values";
	return !*ret_why;
}

static struct json_object *parse(struct arena *a, struct str s, const char **ret_why)
{
	struct json_tokener *t = json_tokener_new_ex(IR_READ_MAX_DEPTH);
	struct json_object *o = NULL;

	if (!t) {
		*ret_why = "out of memory";
		return NULL;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(t, s.p, (int)s.n);
	if (!o)
		*ret_why = arena_printf(
			a, "it is no JSON: %s",
			json_tokener_error_desc(json_tokener_get_error(t)));
	json_tokener_free(t);
	return o;
}

/* If we would have written a byte differently, we did not understand it. */
static const char *compare(struct arena *a, const struct ir *ir, struct str s)
{
	const char *why = NULL;
	struct arena tmp;
	struct buf b;
	size_t i;

	arena_init(&tmp, a->budget);
	buf_init(&b, &tmp);
	ir_json(&b, ir);
	for (i = 0; i < b.n && i < s.n && (char)b.p[i] == s.p[i]; i++)
		;
	if (b.n != s.n || i < s.n)
		why = arena_printf(a,
				   "it is not in the canonical form of this version: "
				   "byte %zu differs",
				   i);
	arena_release(&tmp);
	return why;
}

struct ir *ir_read(struct arena *a, struct str json, const char **ret_why)
{
	struct json_object *o;
	struct arena tmp;
	struct buf text;
	struct ir *ir = ir_new(a);

	*ret_why = json.n > IR_READ_MAX_BYTES ? "it is too large" : NULL;
	if (*ret_why)
		return NULL;
	arena_init(&tmp, a->budget);
	buf_init(&text, &tmp);
	o = unescape(&text, json, ret_why) ? parse(a, buf_view(&text), ret_why) : NULL;
	if (o) {
		ir->lifted = true; /* bundles are written after the pass "lift" */
		*ret_why = ir_read_whole(a, o, ir);
		if (!*ret_why)
			*ret_why = ir_verify(ir, a);
	}
	json_object_put(o);
	arena_release(&tmp);
	if (!*ret_why)
		*ret_why = compare(a, ir, json);
	return *ret_why ? NULL : ir;
}
