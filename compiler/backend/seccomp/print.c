/*
 * Disassembly for dump, inspect and goldens.  Reads the members and the rule table;
 * numbers of calls are printed with their names, returns with their rules.
 */
#include <inttypes.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/common/util.h"
#include "compiler/target/target.h"
#include "runtime/bundle/members.h"

/* What the accumulator holds: the number of a call, or something else. */
enum held { HELD_UNSEEN, HELD_NR, HELD_OTHER };

static void held_meet(enum held *at, enum held from)
{
	*at = *at == HELD_UNSEEN || *at == from ? from : HELD_OTHER;
}

/* One pass suffices, since jumps only go forward. */
static enum held *find_held(const struct emitted *e, struct arena *a)
{
	enum held *held = arena_array(a, e->n + 1, sizeof(*held));
	enum held out;

	held[0] = HELD_OTHER;
	for (size_t pc = 0; pc < e->n; pc++) {
		const struct sock_filter *i = &e->insns[pc];
		size_t to[2] = { pc + 1, pc + 1 };

		out = held[pc];
		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			out = i->k == offsetof(struct seccomp_data, nr) ?
			      HELD_NR : HELD_OTHER;
			break;
		case BPF_ALU:
			out = HELD_OTHER;
			break;
		case BPF_RET:
			continue;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_JA) {
				to[0] = to[1] = pc + 1 + i->k;
			} else {
				to[0] = pc + 1 + i->jt;
				to[1] = pc + 1 + i->jf;
			}
			break;
		default:
			break;
		}
		for (int k = 0; k < 2; k++)
			if (to[k] < e->n)
				held_meet(&held[to[k]], out);
	}
	return held;
}

static void print_load(FILE *out, uint32_t off)
{
	uint32_t args = (uint32_t)offsetof(struct seccomp_data, args);

	if (off == offsetof(struct seccomp_data, nr))
		fprintf(out, "ld   nr");
	else if (off == offsetof(struct seccomp_data, arch))
		fprintf(out, "ld   arch");
	else if (off >= args && off < sizeof(struct seccomp_data))
		fprintf(out, "ld   arg%u.%s", (off - args) / 8,
			(off - args) % 8 ? "hi" : "lo");
	else
		fprintf(out, "ld   [%u]", off);
}

static void print_jump(FILE *out, const struct sock_filter *i, size_t pc,
		       enum held held)
{
	const char *op = BPF_OP(i->code) == BPF_JEQ ? "jeq" :
			 BPF_OP(i->code) == BPF_JGT ? "jgt" :
			 BPF_OP(i->code) == BPF_JGE ? "jge" : "j??";
	const struct target_call *call = target_call_by_nr(i->k);

	if (BPF_OP(i->code) == BPF_JA) {
		fprintf(out, "ja   %zu", pc + 1 + i->k);
		return;
	}
	fprintf(out, "%s  %#-10" PRIx32 " ? %zu : %zu", op, i->k, pc + 1 + i->jt,
		pc + 1 + i->jf);
	if (held == HELD_NR && call)
		fprintf(out, "   ; %s", call->name);
}

static void print_ret(FILE *out, const struct bk_output *in, const struct emitted *e,
		      size_t pc)
{
	const struct pb_map_entry *m = emitted_entry(e, (uint32_t)pc);
	uint32_t k = e->insns[pc].k;
	const char *name = target_errno_name(k & SECCOMP_RET_DATA);
	struct str label;

	switch (k & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
		fprintf(out, "ret  allow");
		break;
	case SECCOMP_RET_KILL_PROCESS:
		fprintf(out, "ret  kill");
		break;
	case SECCOMP_RET_ERRNO:
		fprintf(out, "ret  errno %s", name ? name : "?");
		break;
	case SECCOMP_RET_USER_NOTIF:
		fprintf(out, "ret  notify");
		break;
	default:
		fprintf(out, "ret  %#" PRIx32, k);
		break;
	}
	if (!m)
		return;
	switch (m->verdict) {
	case PB_V_DENY:
		name = target_errno_name(m->err);
		label = bk_rule_label(in, m->rule);
		fprintf(out, "   ; %s by %.*s", name ? name : "?", STR_ARG(label));
		break;
	case PB_V_TRACE:
		fprintf(out, "   ; trace");
		break;
	case PB_V_BROKER:
		fprintf(out, "   ; broker");
		break;
	case PB_V_KILL:
		fprintf(out, "   ; not our architecture");
		break;
	default:
		fprintf(out, "   ; verdict %u", m->verdict);
		break;
	}
}

static void print_insn(FILE *out, const struct bk_output *in, const struct emitted *e,
		       size_t pc, enum held held)
{
	const struct sock_filter *i = &e->insns[pc];

	fprintf(out, "%5zu  ", pc);
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
		print_load(out, i->k);
		break;
	case BPF_ALU:
		fprintf(out, "%s  %#" PRIx32,
			BPF_OP(i->code) == BPF_AND ? "and" : "or ", i->k);
		break;
	case BPF_JMP:
		print_jump(out, i, pc, held);
		break;
	case BPF_RET:
		print_ret(out, in, e, pc);
		break;
	default:
		fprintf(out, "??   %#x", i->code);
		break;
	}
	fputc('\n', out);
}

static void print_one(FILE *out, const struct bk_output *in, enum pb_filter_kind kind,
		      struct arena *a)
{
	struct emitted e;
	const char *bad = emitted_read(in, kind, a, &e);
	enum held *held;

	fprintf(out, "%s:", member_filters[kind].bpf);
	if (bad) {
		fprintf(out, " %s\n", bad);
		return;
	}
	fprintf(out, " %zu instructions\n", e.n);
	held = find_held(&e, a);
	for (size_t pc = 0; pc < e.n; pc++)
		print_insn(out, in, &e, pc, held[pc]);
}

void bk_seccomp_print(FILE *out, const struct bk_output *in)
{
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++)
		print_one(out, in, (enum pb_filter_kind)k, &a);
	arena_release(&a);
}
