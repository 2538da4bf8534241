/*
 * Writes mounts.bin: an anchor for each literal place of each file rule and of
 * its exceptions, one for each deny of writing by a wildcard, and one for each socket
 * file that a unix rule names.
 */
#include <inttypes.h>

#include "compiler/backend/mounts/check.h"
#include "compiler/backend/mounts/refuse.h"
#include "compiler/backend/mounts/mounts.h"
#include "compiler/backend/mounts/places.h"
#include "compiler/backend/mounts/verify.h"
#include "compiler/backend/common/util.h"
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

/* Adds the anchors of one set: of the rule itself or of one of its exceptions. */
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
	/* Names are decided one by one where they are written; no pattern is expanded, so
	 * an allow of reading or executing with a wildcard opens nothing.  What a deny of
	 * names at any depth leaves out lies in trees where names are decided anyway. */
	if (effect == PB_ALLOW && (!(a.ops & PB_WRITE) ||
				   (places.shape == MOUNTS_ANY && set != &r->set)))
		return;
	if (effect == PB_ALLOW && places.shape == MOUNTS_ANY) {
		a.kind = PB_A_WILD;
		add(s, &a, STR(""));
		return;
	}
	/* an exception has all operations, and takes away those of its rule, in its places */
	a.ops &= (uint8_t)r->set.u.file.ops;
	if (places.shape == MOUNTS_ANY && set != &r->set) {
		a.root = (uint8_t)r->set.u.file.path.root;
		mounts_places(s->a, &r->set.u.file.path, &places);
	}
	if (places.shape == MOUNTS_ANY) {
		a.kind = PB_A_ANY;
		a.root = PB_ROOT_FS;
		add(s, &a, STR(""));
		return;
	}
	a.kind = PB_A_WILD;
	for (size_t i = 0; i < places.paths.n; i++)
		add(s, &a, places.paths.v[i]);
}

/* A socket file has one name: a pattern with a wildcard has no anchor. */
static void add_sockets(struct anchors *s, const struct ir_rule *r,
			const struct ir_set *set, enum pb_effect effect)
{
	const struct ir_path *p = &set->u.unix_path;
	struct pb_anchor a = { .kind = PB_A_PATH, .root = (uint8_t)p->root,
			       .flags = PB_AF_SOCKET, .effect = (uint8_t)effect,
			       .rule = r->index };
	struct mounts_places places;

	if (p->abstract)
		return;
	mounts_places(s->a, p, &places);
	for (size_t i = 0; places.shape == MOUNTS_LITERAL && i < places.paths.n; i++)
		add(s, &a, places.paths.v[i]);
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
	void (*put)(struct anchors *, const struct ir_rule *, const struct ir_set *,
		    enum pb_effect) = r->kind == IR_UNIX ? add_sockets : add_set;

	put(s, r, &r->set, effect_of(r->effect));
	for (size_t i = 0; i < r->nexcept; i++)
		put(s, r, &r->except[i], inverse);
}

static struct str tree_text(struct arena *a, const struct ir_glob *g)
{
	char *text = arena_alloc(a, g->n + 1);

	for (size_t i = 0; i < g->n; i++)
		text[i] = (char)g->v[i].byte;
	return (struct str){ text, g->n };
}

static void add_mounts(const struct ir *ir, struct arena *a, struct rec_pool *pool,
		       struct buf *ret)
{
	for (size_t i = 0; i < ir->mounts.n; i++) {
		const struct ir_path *p = ir_mount_tree(ir, &ir->mounts.v[i]);
		struct pb_mount m = { .root = (uint8_t)p->root,
				      .rule = ir->mounts.v[i].rule };

		m.path = rec_pool_add(pool, tree_text(a, &p->glob));
		m.place = rec_pool_add(pool, ir->mounts.v[i].place);
		buf_add(ret, &m, sizeof(m));
	}
}

static void write_member(const struct ir *ir, struct bk_output *out, struct anchors *s)
{
	const struct ir_scalar *disk = &ir->scalars[IR_S_LIMIT_DISK];
	struct pb_mounts h = { .head = { PB_MAGIC_MOUNTS, PB_FORMAT_VERSION, 0, 0 } };
	size_t anchors = s->v.n * sizeof(struct pb_anchor);
	struct buf b, mounts;
	struct rec_pool pool;

	h.anchors = (struct pb_table){ sizeof(h), (uint32_t)s->v.n };
	h.mounts = (struct pb_table){ (uint32_t)(sizeof(h) + anchors),
				      (uint32_t)ir->mounts.n };
	h.disk = disk->set ? disk->num : 0;
	h.disk_rule = bk_rule_of_scalar(ir, IR_S_LIMIT_DISK);
	rec_pool_init(&pool, out->a,
		     sizeof(h) + anchors + ir->mounts.n * sizeof(struct pb_mount));
	for (size_t i = 0; i < s->v.n; i++)
		s->v.v[i].path = rec_pool_add(&pool, s->paths.v[i]);
	buf_init(&mounts, out->a);
	add_mounts(ir, out->a, &pool, &mounts);
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	buf_add(&b, s->v.v, anchors);
	buf_str(&b, buf_view(&mounts));
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

		if ((r->kind == IR_FILE || r->kind == IR_UNIX) && (r->scopes & IR_SANDBOX))
			add_rule(&s, r);
	}
	if (s.v.n > PB_MAX_RULES) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the file and unix rules name %zu places, a bundle holds at most %u",
			 s.v.n, PB_MAX_RULES);
		return false;
	}
	if (ir->mounts.n > PB_MAX_MOUNTS) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the policy has %zu mounts, a bundle holds at most %u",
			 ir->mounts.n, PB_MAX_MOUNTS);
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
	const struct bk_member *in_member = bk_member(in, PB_MOUNTS);
	const struct pb_mounts *h =
		in_member ? (const void *)in_member->bytes.p : NULL;
	const struct pb_anchor *v;
	const struct pb_mount *m;

	if (!in_member || bundle_check_mounts(h, in_member->bytes.n, UINT32_MAX, NULL) < 0)
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
		if (v[i].flags & PB_AF_SOCKET)
			(void)fputs("socket", out);
		else
			print_ops(out, v[i].ops);
		(void)fprintf(out, " %.*s%s%s%s  %.*s\n", STR_ARG(place),
			      v[i].kind == PB_A_WILD ? " (some names below)" : "",
			      v[i].flags & PB_AF_SCRATCH ? " (scratch)" : "",
			      v[i].flags & PB_AF_FLOOR ? " (floor)" : "",
			      STR_ARG(bk_rule_label(in, v[i].rule)));
	}
	m = (const void *)((const char *)h + h->mounts.off);
	for (uint32_t i = 0; i < h->mounts.count; i++) {
		struct str rest = { (const char *)h + m[i].path.off, m[i].path.len };
		struct str tree = mounts_place_text(in->a, (enum ir_root)m[i].root, rest);

		(void)fprintf(out, "mount %.*s at %.*s  %.*s\n", STR_ARG(tree),
			      (int)m[i].place.len, (const char *)h + m[i].place.off,
			      STR_ARG(bk_rule_label(in, m[i].rule)));
	}
}

const struct backend bk_mounts = {
	.name = "mounts",
	.check = mounts_check,
	.emit = emit,
	.print = print,
	.verify = mounts_verify,
};
