/*
 * Checks that every literal place of an anchor is a request that its rule (or one of
 * its exceptions) matches by the reference evaluator, and that every rule that can
 * change the view has an anchor.
 */
#include "compiler/backend/mounts/verify.h"

#include "compiler/backend/common/util.h"
#include "compiler/eval/request.h"
#include "runtime/bundle/check.h"

/* Asks the evaluator: does the rule with only this set match the place? */
static bool set_matches(const struct ir_rule *r, const struct ir_set *set,
			const struct pb_anchor *an, struct str rest, struct arena *a)
{
	struct ir_request req = { .kind = r->kind, .scope = IR_SANDBOX };
	struct ir_rule alone = *r;

	alone.set = *set;
	alone.except = NULL;
	alone.nexcept = 0;
	req.roots.dir[IR_ROOT_FS] = STR("/");
	if (an->root != PB_ROOT_FS)
		req.roots.dir[an->root] = STR("/root");
	req.path = an->root == PB_ROOT_FS ? (rest.n ? rest : STR("/")) :
					    str_cat(a, STR("/root"), rest);
	if (r->kind == IR_UNIX)
		return !set->u.unix_path.abstract && eval_rule_matches(&alone, &req);
	for (unsigned op = IR_READ; op <= IR_EXEC; op <<= 1) {
		if (!(an->ops & op))
			continue;
		req.op = (enum ir_op)op;
		if (!eval_rule_matches(&alone, &req))
			return false;
	}
	return true;
}

static bool anchor_holds(const struct ir_rule *r, const struct pb_anchor *an,
			 struct str rest, struct arena *a)
{
	if (an->effect == (uint8_t)r->effect)
		return an->kind != PB_A_PATH || set_matches(r, &r->set, an, rest, a);
	if (an->effect != (r->effect == IR_ALLOW ? PB_DENY : PB_ALLOW))
		return false;
	for (size_t i = 0; i < r->nexcept; i++) {
		if (an->kind != PB_A_PATH || set_matches(r, &r->except[i], an, rest, a))
			return true;
	}
	return false;
}

static bool is_literal(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->v[i].op != IR_G_BYTE)
			return false;
	}
	return true;
}

/* The literal text of a pattern that has no wildcards and no alternatives. */
static struct str literal(struct arena *a, const struct ir_glob *g)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < g->n; i++)
		buf_ch(&b, (char)g->v[i].byte);
	return buf_view(&b);
}

/* Does the place of the set have an anchor?  (A wildcard that closes: its tree.) */
static bool set_has_anchor(const struct pb_mounts *h, const struct ir_rule *r,
			   const struct ir_set *set, bool closes, struct arena *a)
{
	const struct pb_anchor *v = (const void *)((const char *)h + h->anchors.off);
	bool is_socket = r->kind == IR_UNIX;
	const struct ir_path *p = is_socket ? &set->u.unix_path : &set->u.file.path;
	const struct ir_glob *g = &p->glob;
	struct str want = is_literal(g) ? literal(a, g) : STR_NULL;

	if (!is_literal(g) && !closes)
		return true;
	if (is_socket && (p->abstract || !is_literal(g)))
		return true;
	for (uint32_t i = 0; i < h->anchors.count; i++) {
		struct str rest = { (const char *)h + v[i].path.off, v[i].path.len };

		if (v[i].rule != r->index ||
		    (!is_socket && (v[i].ops & set->u.file.ops) == 0))
			continue;
		if (!is_literal(g) ||
		    (v[i].kind == PB_A_PATH &&
		     v[i].root == (uint8_t)p->root && str_eq(rest, want)))
			return true;
	}
	return false;
}

/* Compares the mounts with those of the policy, as the evaluator reads them. */
static const char *check_mounts(const struct ir *ir, const struct pb_mounts *h,
				struct arena *a)
{
	const struct pb_mount *v = (const void *)((const char *)h + h->mounts.off);

	if (h->mounts.count != ir->mounts.n)
		return "another number of mounts than the policy has";
	for (uint32_t i = 0; i < h->mounts.count; i++) {
		struct str place = { (const char *)h + v[i].place.off, v[i].place.len };
		struct str rest = { (const char *)h + v[i].path.off, v[i].path.len };
		const struct ir_mount *m = ir_mount_at(ir, place);
		const struct ir_path *p = m ? ir_mount_tree(ir, m) : NULL;

		if (!m || !str_eq(m->place, place) || m->rule != v[i].rule ||
		    (uint8_t)p->root != v[i].root || !str_eq(literal(a, &p->glob), rest))
			return arena_printf(a, "mount %u is not the policy's", i);
	}
	return NULL;
}

static bool has_anchors(const struct ir_rule *r)
{
	return (r->kind == IR_FILE || r->kind == IR_UNIX) && (r->scopes & IR_SANDBOX);
}

const char *mounts_verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	const struct bk_member *m = bk_member(in, PB_MOUNTS);
	struct rt_err err = { .err = 0 };
	const struct pb_mounts *h;
	const struct pb_anchor *v;
	const char *why;

	if (!m)
		return PB_MOUNTS " is missing";
	if (bundle_check_mounts(m->bytes.p, m->bytes.n, bk_rule_count(ir), &err) < 0)
		return arena_printf(a, "%s", err.text);
	h = (const void *)m->bytes.p;
	why = check_mounts(ir, h, a);
	if (why)
		return why;
	v = (const void *)(m->bytes.p + h->anchors.off);
	for (uint32_t i = 0; i < h->anchors.count; i++) {
		struct str rest = { m->bytes.p + v[i].path.off, v[i].path.len };
		const struct ir_rule *r = v[i].rule < ir->rules.n ?
						  ir->rules.v[v[i].rule] :
						  NULL;

		if (!r || !has_anchors(r) ||
		    (r->kind == IR_UNIX) != !!(v[i].flags & PB_AF_SOCKET) ||
		    !anchor_holds(r, &v[i], rest, a))
			return arena_printf(a, "anchor %u says what no rule says", i);
	}
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		bool ok = true;

		if (!has_anchors(r))
			continue;
		ok = set_has_anchor(h, r, &r->set, r->effect != IR_ALLOW, a);
		for (size_t k = 0; k < r->nexcept && ok; k++)
			ok = set_has_anchor(h, r, &r->except[k], r->effect == IR_ALLOW,
					    a);
		if (!ok)
			return arena_printf(a, "rule %zu has no anchor", i);
	}
	return NULL;
}
