/* The members of this back end as their readers see them, after checks of bounds. */
#include "compiler/backend/seccomp/members.h"

#include "runtime/bundle/members.h"

static const char *read_map(const struct bk_output *in, const char *path,
			    struct arena *a, struct emitted *e)
{
	const struct bk_member *m = bk_member(in, path);
	struct pb_map head;

	if (!m)
		return arena_printf(a, "no member %s", path);
	if (m->bytes.n < sizeof(head))
		return arena_printf(a, "%s is too short", path);
	memcpy(&head, m->bytes.p, sizeof(head));
	if (head.head.magic != PB_MAGIC_MAP ||
	    head.head.version != PB_FORMAT_VERSION ||
	    head.head.size != m->bytes.n || head.entries.off > m->bytes.n ||
	    head.entries.count > (m->bytes.n - head.entries.off) /
				 sizeof(struct pb_map_entry))
		return arena_printf(a, "%s has a bad head", path);
	e->nmap = head.entries.count;
	e->map = arena_dup(a, m->bytes.p + head.entries.off,
			   e->nmap * sizeof(*e->map));
	return NULL;
}

const char *emitted_read(const struct bk_output *in, enum pb_filter_kind kind,
			 struct arena *a, struct emitted *ret)
{
	const char *path = member_filters[kind].bpf;
	const struct bk_member *m = bk_member(in, path);
	struct emitted e = { 0 };
	const char *bad;

	if (!m)
		return arena_printf(a, "no member %s", path);
	if (m->bytes.n == 0 || m->bytes.n % sizeof(struct sock_filter) ||
	    m->bytes.n / sizeof(struct sock_filter) > BPF_MAXINSNS)
		return arena_printf(a, "%s has a bad size", path);
	e.n = m->bytes.n / sizeof(struct sock_filter);
	e.insns = arena_dup(a, m->bytes.p, m->bytes.n);
	bad = read_map(in, member_filters[kind].map, a, &e);
	if (bad)
		return bad;
	for (size_t i = 0; i < e.nmap; i++)
		if (e.map[i].pc >= e.n ||
		    (e.insns[e.map[i].pc].code != (BPF_RET | BPF_K)) ||
		    (i && e.map[i - 1].pc >= e.map[i].pc))
			return arena_printf(a, "%s: entry %zu names no return",
					    path, i);
	*ret = e;
	return NULL;
}

const struct pb_map_entry *emitted_entry(const struct emitted *e, uint32_t pc)
{
	size_t lo = 0, hi = e->nmap;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->map[mid].pc == pc)
			return &e->map[mid];
		if (e->map[mid].pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}
