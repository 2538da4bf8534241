/* Writes records as one JSON array for programs; every text is valid UTF-8. */
#include "compiler/base/buf.h"
#include "compiler/diag/diag.h"

static void put_place(struct buf *b, const struct source_map *m, struct span at)
{
	struct source_pos pos = source_locate(m, at);

	if (!pos.line) {
		buf_z(b, "\"file\":null,\"line\":null,\"column\":null,\"length\":null");
		return;
	}
	buf_z(b, "\"file\":");
	buf_json(b, pos.file);
	buf_printf(b, ",\"line\":%u,\"column\":%u,\"length\":%u", pos.line, pos.col,
		   at.len);
}

void diag_json_one(struct buf *b, const struct diag *d, const struct source_map *m)
{
	struct str path = source_key_path(m, m->a, d->at);

	buf_printf(b, "{\"code\":\"%s\",\"severity\":\"%s\",", diag_code_name(d->code),
		   diag_severity_name(d->severity));
	put_place(b, m, d->at);
	buf_z(b, ",\"message\":");
	buf_json(b, d->text);
	buf_z(b, ",\"notes\":[");
	if (path.n) {
		buf_z(b, "{\"kind\":\"note\",");
		put_place(b, m, SPAN_NONE);
		buf_z(b, ",\"message\":");
		buf_json(b, str_cat(m->a, STR("the key is "), path));
		buf_ch(b, '}');
	}
	for (size_t i = 0; i < d->parts.n; i++) {
		const struct diag_part *p = &d->parts.v[i];

		buf_z(b, i || path.n ? ",{\"kind\":" : "{\"kind\":");
		buf_json(b, p->label);
		buf_ch(b, ',');
		put_place(b, m, p->at);
		buf_z(b, ",\"message\":");
		buf_json(b, p->text);
		buf_ch(b, '}');
	}
	buf_z(b, "]}");
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
