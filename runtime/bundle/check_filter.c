/*
 * Checks a filter and its map. A notification without an entry could only be
 * answered by a guess. So every return that notifies or kills must have an entry, and
 * every entry a return.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "runtime/bundle/check.h"

#define MAX_INSNS 4096u /* BPF_MAXINSNS */

/* The verdict about an allowed call that this filter may have; 0: none. */
static unsigned own_verdict(enum pb_filter_kind kind)
{
	switch (kind) {
	case PB_FILTER_BROKER:
		return PB_V_BROKER;
	case PB_FILTER_TRACE:
		return PB_V_TRACE;
	case PB_FILTER_ENFORCE:
	case PB_FILTER_COUNT:
		break;
	}
	return 0;
}

static int check_entry(const struct check *c, enum pb_filter_kind kind,
		       const struct sock_filter *f, size_t n,
		       const struct pb_map_entry *e, uint32_t nrules)
{
	uint32_t want;

	switch ((enum pb_verdict)e->verdict) {
	case PB_V_DENY:
		want = SECCOMP_RET_USER_NOTIF;
		if (e->err == 0 || e->err > 4095 || e->rule >= nrules)
			return check_bad(c, "a denial has no errno or no rule");
		break;
	case PB_V_TRACE:
	case PB_V_BROKER:
		if (e->verdict != own_verdict(kind))
			return check_bad(c,
					 "an entry has the verdict of another filter");
		/* fallthrough */
	case PB_V_KILL:
		want = e->verdict == PB_V_KILL ? SECCOMP_RET_KILL_PROCESS :
						 SECCOMP_RET_USER_NOTIF;
		if (e->err != 0 || e->rule != UINT32_MAX)
			return check_bad(
				c, "an entry has an errno or a rule and no denial");
		break;
	default:
		return check_bad(c, "an entry has an unknown verdict");
	}
	if (e->zero || e->zero2)
		return check_bad(c, "an entry has bytes that must be zero");
	if (e->pc >= n || f[e->pc].code != (BPF_RET | BPF_K) || f[e->pc].k != want)
		return check_bad(
			c, "an entry names an instruction that returns otherwise");
	return 0;
}

/* Is there a notifying or killing return in from .. to - 1? */
static bool has_other(const struct sock_filter *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint32_t action = f[i].k & SECCOMP_RET_ACTION_FULL;

		if (BPF_CLASS(f[i].code) != BPF_RET)
			continue;
		if (f[i].code != (BPF_RET | BPF_K) ||
		    action == SECCOMP_RET_USER_NOTIF ||
		    action == SECCOMP_RET_KILL_PROCESS)
			return true;
	}
	return false;
}

int bundle_check_filter(enum pb_filter_kind kind, const void *insns, size_t size,
			const void *map, size_t map_size, uint32_t nrules,
			struct rt_err *err)
{
	struct check c = { .data = map, .size = map_size, .member = "filter map", .err = err };
	size_t n = size / sizeof(struct sock_filter), next = 0;
	const struct sock_filter *f = insns;
	const struct pb_map *h = map;
	const struct pb_map_entry *v;

	if (size == 0 || size % sizeof(*f) != 0 || n > MAX_INSNS)
		return check_bad(&c, "the filter is no program of 1 to %u instructions",
				 MAX_INSNS);
	CHECK_TRY(check_head(&c, PB_MAGIC_MAP, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->entries, sizeof(*v), MAX_INSNS, "entries"));
	v = (const void *)(c.data + h->entries.off);
	for (uint32_t i = 0; i < h->entries.count; i++) {
		CHECK_TRY(check_entry(&c, kind, f, n, v + i, nrules));
		if (v[i].pc < next)
			return check_bad(&c, "the entries do not ascend");
		if (has_other(f, next, v[i].pc))
			return check_bad(&c, "a return of the filter has no entry");
		next = (size_t)v[i].pc + 1;
	}
	if (has_other(f, next, n))
		return check_bad(&c, "a return of the filter has no entry");
	return 0;
}
