/* Writes records as one JSON array for programs; every text is valid UTF-8. */
#include "compiler/base/json_buf.h"
#include "compiler/diag/diag.h"

static void put_place(struct json *j, const struct source_map *m, struct span at)
{
	struct source_pos pos = source_locate(m, at);

	if (!pos.line) {
		json_null(j, "file");
		json_null(j, "line");
		json_null(j, "column");
		json_null(j, "length");
		return;
	}
	json_buf_str(j, "file", pos.file);
	json_uint(j, "line", pos.line);
	json_uint(j, "column", pos.col);
	json_uint(j, "length", at.len);
}

static void put_part(struct json *j, const struct source_map *m, struct str kind,
		     struct span at, struct str message)
{
	json_object(j, NULL);
	json_buf_str(j, "kind", kind);
	put_place(j, m, at);
	json_buf_str(j, "message", message);
	json_object_end(j);
}

void diag_json_one(struct buf *b, const struct diag *d, const struct source_map *m)
{
	struct str path = source_key_path(m, m->a, d->at);
	struct json j;

	json_buf_init(&j, b);
	json_object(&j, NULL);
	json_cstr(&j, "code", diag_code_name(d->code));
	json_cstr(&j, "severity", diag_severity_name(d->severity));
	put_place(&j, m, d->at);
	json_buf_str(&j, "message", d->text);
	json_array(&j, "notes");
	if (path.n)
		put_part(&j, m, STR("note"), SPAN_NONE,
			 str_cat(m->a, STR("the key is "), path));
	for (size_t i = 0; i < d->parts.n; i++)
		put_part(&j, m, d->parts.v[i].label, d->parts.v[i].at,
			 d->parts.v[i].text);
	json_array_end(&j);
	json_object_end(&j);
}

void diag_json(FILE *out, const struct diag_sink *s, const struct source_map *m)
{
	struct buf b;

	buf_init(&b, s->a);
	buf_ch(&b, '[');
	for (size_t i = 0; i < s->list.n; i++) {
		if (i)
			buf_z(&b, ",\n ");
		diag_json_one(&b, s->list.v[i], m);
	}
	buf_z(&b, "]\n");
	fwrite(b.p, 1, b.n, out);
}
