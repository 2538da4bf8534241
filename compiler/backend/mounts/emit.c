/*
 * Writes mounts.bin: an anchor for each literal place of each file rule and of
 * its exceptions, and one for each deny of writing with a wildcard.
 */
#include <inttypes.h>

#include "compiler/backend/mounts/check.h"
#include "compiler/backend/mounts/mounts.h"
#include "compiler/backend/mounts/places.h"
#include "compiler/backend/mounts/verify.h"
#include "compiler/backend/util.h"
#include "runtime/bundle/check.h"

struct anchors {
	struct arena *a;
	VEC(struct pb_anchor) v; /* paths are filled in last */
	VEC(struct str) paths;
};

static void add(struct anchors *s, const struct pb_anchor *a, struct str path)
{
	VEC_PUSH(s->a, &s->v, *a);
	VEC_PUSH(s->a, &s->paths, path);
}

/* The anchors of one set: the rule's own or one of its exceptions. */
static void add_set(struct anchors *s, const struct ir_rule *r,
		    const struct ir_set *set, enum pb_effect effect)
{
	const struct ir_path *p = &set->u.file.path;
	struct pb_anchor a = { .root = (uint8_t)p->root,
			       .ops = (uint8_t)set->u.file.ops,
			       .effect = (uint8_t)effect,
			       .rule = r->index };
	struct mounts_places places;

	mounts_places(s->a, p, &places);
	a.flags = (uint8_t)((p->below ? PB_AF_BELOW : 0) |
			    (r->scratch && effect == PB_ALLOW ? PB_AF_SCRATCH : 0) |
			    (r->floor ? PB_AF_FLOOR : 0));
	if (places.shape == MOUNTS_LITERAL) {
		a.kind = PB_A_PATH;
		for (size_t i = 0; i < places.paths.n; i++)
			add(s, &a, places.paths.v[i]);
		return;
	}
	/* A wildcard opens nothing and closes writing to its tree. */
	if (effect == PB_ALLOW)
		return;
	a.kind = places.shape == MOUNTS_ANY ? PB_A_ANY : PB_A_WILD;
	if (places.shape == MOUNTS_ANY)
		a.root = PB_ROOT_FS;
	add(s, &a, places.shape == MOUNTS_ANY ? STR("") : places.paths.v[0]);
}

static enum pb_effect effect_of(enum ir_effect e)
{
	switch (e) {
	case IR_ALLOW:
		return PB_ALLOW;
	case IR_ASK:
		return PB_ASK;
	case IR_HIDE:
		return PB_HIDE;
	case IR_DENY:
	case IR_EFFECT_COUNT:
		break;
	}
	return PB_DENY;
}

static void add_rule(struct anchors *s, const struct ir_rule *r)
{
	enum pb_effect inverse = r->effect == IR_ALLOW ? PB_DENY : PB_ALLOW;

	add_set(s, r, &r->set, effect_of(r->effect));
	for (size_t i = 0; i < r->nexcept; i++)
		add_set(s, r, &r->except[i], inverse);
}

static void write_member(const struct ir *ir, struct bk_output *out, struct anchors *s)
{
	const struct ir_scalar *disk = &ir->scalars[IR_S_LIMIT_DISK];
	struct pb_mounts h = { .head = { PB_MAGIC_MOUNTS, PB_FORMAT_VERSION, 0, 0 } };
	struct bk_pool pool;
	struct buf b;

	h.anchors = (struct pb_table){ sizeof(h), (uint32_t)s->v.n };
	h.disk = disk->set ? disk->num : 0;
	h.disk_rule = bk_rule_of_scalar(ir, IR_S_LIMIT_DISK);
	bk_pool_init(&pool, out->a, sizeof(h) + s->v.n * sizeof(struct pb_anchor));
	for (size_t i = 0; i < s->v.n; i++)
		s->v.v[i].path = bk_pool_add(&pool, s->paths.v[i]);
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	buf_add(&b, s->v.v, s->v.n * sizeof(struct pb_anchor));
	buf_str(&b, buf_view(&pool.bytes));
	bk_add_member(out, PB_MOUNTS, &b);
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct anchors s = { .a = out->a };

	if (!mounts_refuse(ir, sink))
		return false;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_FILE && (r->scopes & IR_SANDBOX))
			add_rule(&s, r);
	}
	if (s.v.n > PB_MAX_RULES) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the file rules name %zu places, a bundle holds at most %u",
			 s.v.n, PB_MAX_RULES);
		return false;
	}
	write_member(ir, out, &s);
	bk_add_feature(out, "mount-setattr");
	bk_add_feature(out, "pid-namespace");
	bk_add_feature(out, "user-namespace");
	return true;
}

static void print_ops(FILE *out, unsigned ops)
{
	(void)fprintf(out, "%c%c%c", ops & PB_READ ? 'r' : '-',
		      ops & PB_WRITE ? 'w' : '-', ops & PB_EXEC ? 'x' : '-');
}

static void print(FILE *out, const struct bk_output *in)
{
	static const char *const effects[] = { "allow", "ask", "deny", "hide" };
	const struct bk_member *m = bk_member(in, PB_MOUNTS);
	const struct pb_mounts *h = m ? (const void *)m->bytes.p : NULL;
	const struct pb_anchor *v;

	if (!m || bundle_check_mounts(h, m->bytes.n, UINT32_MAX, NULL) < 0)
		return;
	if (h->disk)
		(void)fprintf(out, "scratch trees hold at most %" PRIu64 " bytes\n",
			      h->disk);
	v = (const void *)((const char *)h + h->anchors.off);
	for (uint32_t i = 0; i < h->anchors.count; i++) {
		struct str rest = { (const char *)h + v[i].path.off, v[i].path.len };
		struct str place =
			v[i].kind == PB_A_ANY ?
				STR("at any depth") :
				mounts_place_text(in->a, (enum ir_root)v[i].root, rest);

		(void)fprintf(out, "%-5s ", effects[v[i].effect]);
		print_ops(out, v[i].ops);
		(void)fprintf(out, " %.*s%s%s%s  %.*s\n", STR_ARG(place),
			      v[i].kind == PB_A_WILD ? " (some names below)" : "",
			      v[i].flags & PB_AF_SCRATCH ? " (scratch)" : "",
			      v[i].flags & PB_AF_FLOOR ? " (floor)" : "",
			      STR_ARG(bk_rule_label(in, v[i].rule)));
	}
}

const struct backend bk_mounts = { "mounts", mounts_check, emit, print, mounts_verify };
