/*
 * Decides system calls: interprets the filter that a run loads. The map names the rule of
 * the instruction at which the filter ended.
 */
#include <errno.h>
#include <linux/audit.h>

#include "runtime/decide/bpf.h"
#include "runtime/decide/combine.h"

static void name_rule(const struct pb_map *map, uint32_t pc, struct decision *ret)
{
	uint32_t i;

	for (i = 0; i < map->entries.count; i++) {
		const struct pb_map_entry *e =
			pb_at(map, map->entries, sizeof(*e), i);

		if (e->pc != pc)
			continue;
		ret->err = e->err;
		if (e->rule != UINT32_MAX)
			ret->rule = e->rule;
	}
}

int decide_syscall(struct bundle *b, uint32_t nr, const uint64_t args[6],
		   struct decision *ret, struct rt_err *err)
{
	struct seccomp_data data = { .nr = (int)nr, .arch = AUDIT_ARCH_X86_64 };
	const struct decide_ctx c = { .b = b, .scope = PB_SANDBOX };
	const struct pb_map *map;
	const void *insns;
	unsigned looked;
	uint32_t value;
	size_t n, i;
	int pc, r;

	*ret = (struct decision){ .effect = PB_DENY };
	decide_deny(&c, PB_S_SYSCALL_OTHERWISE, ret);
	r = bundle_filter(b, PB_FILTER_ENFORCE, &insns, &n, &map, err);
	if (r < 0)
		return r;
	for (i = 0; i < 6; i++)
		data.args[i] = args[i];
	pc = bpf_run(insns, n, &data, &value, &looked);
	if (pc < 0)
		return rt_fail(err, EBADMSG, "the filter does not end");
	if (value == SECCOMP_RET_ALLOW)
		ret->effect = PB_ALLOW;
	if ((value & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
		ret->err = value & SECCOMP_RET_DATA;
	name_rule(map, (uint32_t)pc, ret);
	return 0;
}
