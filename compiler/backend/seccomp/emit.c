/*
 * Turns the selection into the members of the bundle.  Besides what the rules say,
 * a filter holds only the check of the architecture.
 */
#include <stddef.h>

#include "compiler/backend/seccomp/codegen.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "compiler/backend/common/util.h"
#include "compiler/target/target.h"
#include "runtime/bundle/members.h"

static void put(struct bk_output *out, const char *path, const struct buf *b)
{
	struct bk_member m = { .path = str_from(path), .bytes = buf_view(b) };

	VEC_PUSH(out->a, &out->members, m);
}

static void put_program(struct bk_output *out, const char *path,
			const struct filter *f)
{
	struct buf b;

	buf_init(&b, out->a);
	for (size_t i = 0; i < f->n; i++) {
		buf_u16(&b, f->insns[i].code);
		buf_u8(&b, f->insns[i].jt);
		buf_u8(&b, f->insns[i].jf);
		buf_u32(&b, f->insns[i].k);
	}
	put(out, path, &b);
}

static void put_map(struct bk_output *out, const char *path, const struct filter *f)
{
	struct buf b;

	buf_init(&b, out->a);
	buf_u32(&b, PB_MAGIC_MAP);
	buf_u32(&b, PB_FORMAT_VERSION);
	buf_u32(&b, (uint32_t)(sizeof(struct pb_map) + f->nmap * sizeof(f->map[0])));
	buf_u32(&b, 0);
	buf_u32(&b, sizeof(struct pb_map));
	buf_u32(&b, (uint32_t)f->nmap);
	for (size_t i = 0; i < f->nmap; i++) {
		buf_u32(&b, f->map[i].pc);
		buf_u8(&b, f->map[i].verdict);
		buf_u8(&b, 0);
		buf_u16(&b, f->map[i].err);
		buf_u32(&b, f->map[i].rule);
		buf_u32(&b, 0);
	}
	put(out, path, &b);
}

/* The number of compares of a condition, to find the rule that has the most. */
static size_t weight(const struct ir_cond *c)
{
	if (!c)
		return 0;
	return c->op == IR_C_CMP ? 1 :
	       (c->a ? weight(c->a) : 0) + (c->b ? weight(c->b) : 0);
}

static const struct ir_rule *heaviest(const struct ir *ir, uint32_t nr)
{
	const struct ir_rule *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		size_t w;

		if (r->kind != IR_SYSCALL || r->set.u.syscall.nr != nr)
			continue;
		w = 1 + weight(r->set.u.syscall.cond);
		for (size_t k = 0; k < r->nexcept; k++)
			w += weight(r->except[k].u.syscall.cond);
		if (w > most) {
			most = w;
			best = r;
		}
	}
	return best;
}

static void too_large(const struct ir *ir, const struct filter *f,
		      struct diag_sink *sink)
{
	const struct ir_rule *r = heaviest(ir, f->largest_nr);
	const struct target_call *call = target_call_by_nr(f->largest_nr);
	struct diag *d;

	d = diag_add(sink, DIAG_SECCOMP_SIZE, r ? r->at.span : SPAN_NONE,
		     "the system call filter has %zu instructions, the kernel takes %d",
		     f->n, BPF_MAXINSNS);
	diag_help(sink, d, "the conditions on '%s' take the most, %zu instructions: "
		  "use fewer, or deny the call whole", call ? call->name : "?",
		  f->largest_size);
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct selection s;
	struct filter f;

	if (!sel_build(ir, out->a, sink, &s))
		return false;
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++) {
		filter_build(&s, (enum pb_filter_kind)k, out->a, &f);
		if (f.n > BPF_MAXINSNS) {
			too_large(ir, &f, sink);
			return false;
		}
		put_program(out, member_filters[k].bpf, &f);
		put_map(out, member_filters[k].map, &f);
	}
	bk_add_feature(out, "seccomp");
	return true;
}

const struct backend bk_seccomp = {
	.name = "seccomp",
	.check = bk_seccomp_check,
	.emit = emit,
	.print = bk_seccomp_print,
	.verify = bk_seccomp_verify,
};
