/* The report of the back ends, and small helpers that back ends share. */
#include <stdarg.h>
#include <stdio.h>

#include "compiler/backend/common/util.h"
#include "runtime/bundle/check.h"

const char *bk_exactness_name(enum bk_exactness e)
{
	switch (e) {
	case BK_NONE:
		return "none";
	case BK_EXACT:
		return "exact";
	case BK_OVER:
		return "over";
	case BK_UNDER:
		return "under";
	case BK_ENTRY_ONLY:
		return "entry only";
	case BK_ADVISORY:
		return "advisory";
	}
	return "unknown";
}

void bk_note(struct bk_report *r, const struct ir_rule *rule, const char *layer,
	     enum bk_exactness e, const char *fmt, ...)
{
	struct bk_note n = {
		.rule = rule, .whole = !rule, .layer = layer, .exactness = e
	};
	va_list ap;

	va_start(ap, fmt);
	n.note.p = arena_vprintf(r->a, &n.note.n, fmt, ap);
	va_end(ap);
	VEC_PUSH(r->a, &r->notes, n);
}

void bk_note_scalar(struct bk_report *r, enum ir_scalar_id s, const char *layer,
		    enum bk_exactness e, const char *fmt, ...)
{
	struct bk_note n = { .scalar = s, .layer = layer, .exactness = e };
	va_list ap;

	va_start(ap, fmt);
	n.note.p = arena_vprintf(r->a, &n.note.n, fmt, ap);
	va_end(ap);
	VEC_PUSH(r->a, &r->notes, n);
}

const struct bk_member *bk_member(const struct bk_output *out, const char *path)
{
	for (size_t i = 0; i < out->members.n; i++) {
		if (str_eqz(out->members.v[i].path, path))
			return &out->members.v[i];
	}
	return NULL;
}

void bk_add_member(struct bk_output *out, const char *path, struct buf *bytes)
{
	struct bk_member m;

	buf_patch_u32(bytes, offsetof(struct pb_head, size), (uint32_t)bytes->n);
	m = (struct bk_member){ str_from(path), buf_view(bytes) };
	VEC_PUSH(out->a, &out->members, m);
}

void bk_add_feature(struct bk_output *out, const char *name)
{
	struct str s = str_from(name);

	VEC_PUSH(out->a, &out->features, s);
}

struct str bk_rule_label(const struct bk_output *in, uint32_t rule)
{
	const struct bk_member *m = bk_member(in, PB_RULES);
	const struct pb_rules *h = m ? (const void *)m->bytes.p : NULL;
	const struct pb_rule *r;

	if (!m || bundle_check_rules(h, m->bytes.n, NULL) < 0 || rule >= h->rules.count)
		return str_printf(in->a, "rule %u", rule);
	r = (const void *)(m->bytes.p + h->rules.off);
	r += rule;
	return str_printf(in->a, "%.*s (%.*s:%u)", (int)r->id.len,
			  m->bytes.p + r->id.off, (int)r->file.len,
			  m->bytes.p + r->file.off, r->line);
}
