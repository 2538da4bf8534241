/* Answers seccomp notifications.  The filter decides which calls arrive here.  The
 * supervisor only runs the same filter again to find out which rule it was.  A call
 * that no rule explains is denied. */
#include "runtime/supervise/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/decide/bpf.h"
#include "runtime/base/sysname.h"

static int get_buffers(struct listener *l, struct rt_err *err)
{
	struct seccomp_notif_sizes sizes = { 0 };

	if (sys_seccomp(SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
		return rt_fail_errno(err, errno, "seccomp notifications");
	l->req_size = sizeof(*l->req);
	if (l->req_size < sizes.seccomp_notif)
		l->req_size = sizes.seccomp_notif;
	l->resp_size = sizeof(*l->resp);
	if (l->resp_size < sizes.seccomp_notif_resp)
		l->resp_size = sizes.seccomp_notif_resp;
	l->req = malloc(l->req_size);
	l->resp = malloc(l->resp_size);
	if (!l->req || !l->resp)
		return rt_fail(err, ENOMEM, "out of memory");
	return 0;
}

int listener_init(struct listener *l, const struct sandbox_run *run,
		  const struct sandbox_view *view, struct sandbox_child *child,
		  struct denials *d, struct rt_err *err)
{
	const void *insns;
	int r;

	*l = (struct listener){ .fd = child->listener, .denials = d };
	l->trace.paths.proc_fd = l->trace.paths.root_fd = -1;
	child->listener = -1;
	if (l->fd < 0)
		return 0;
	l->bundle = run->bundle;
	l->kind = sandbox_filter_kind(run);
	r = bundle_filter(run->bundle, l->kind, &insns, &l->ninsns, &l->map, err);
	if (r < 0)
		return r;
	l->insns = insns;
	r = get_buffers(l, err);
	if (r < 0)
		return r;
	if (l->kind == PB_FILTER_TRACE) {
		r = trace_init(&l->trace, run, view, child->init_pid, d, err);
		if (r < 0 && !sandbox_child_ended(child))
			return r;
		if (r < 0) /* there is nothing to look at any more */
			memset(err, 0, sizeof(*err));
	}
	/* Linux 6.6: the answer wakes the caller on this processor.  Without it, it is
	 * slower. */
	(void)ioctl(l->fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	return 0;
}

void listener_release(struct listener *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
	trace_release(&l->trace);
	free(l->req);
	free(l->resp);
	l->req = NULL;
	l->resp = NULL;
}

static const struct pb_map_entry *map_find(const struct pb_map *map, uint32_t pc)
{
	const struct pb_map_entry *e = pb_at(map, map->entries, sizeof(*e), 0);
	uint32_t at = pb_first(map, map->entries, sizeof(*e),
			       offsetof(struct pb_map_entry, pc), pc);

	return at < map->entries.count && e[at].pc == pc ? &e[at] : NULL;
}

void listener_judge(const struct listener *l, const struct seccomp_data *data,
		    struct listener_verdict *ret)
{
	const struct pb_map_entry *e = NULL;
	uint32_t value = 0;
	unsigned args = 0;
	int pc = bpf_run(l->insns, l->ninsns, data, &value, &args);

	*ret = (struct listener_verdict){ PB_V_DENY, EPERM, UINT32_MAX, args };
	if (pc >= 0)
		e = map_find(l->map, (uint32_t)pc);
	if (!e)
		return;
	ret->rule = e->rule;
	/* These two count only if their filter is loaded. */
	if ((e->verdict == PB_V_TRACE && l->kind == PB_FILTER_TRACE) ||
	    (e->verdict == PB_V_BROKER && l->kind == PB_FILTER_BROKER))
		ret->verdict = e->verdict;
	else if (e->verdict == PB_V_DENY && e->err != 0)
		ret->err = e->err;
}

static void record_call(struct listener *l, const struct seccomp_data *data,
			const struct listener_verdict *v)
{
	char buf[SYSNAME_CAP], subject[256];
	const char *name = sysname(data->nr, buf), *sep = "";
	int n = snprintf(subject, sizeof(subject), "%s(", name);

	/* Show only the arguments that decided: others (pointers) differ each time. */
	for (unsigned i = 0; i < 6; i++) {
		if (!(v->args & 1u << i))
			continue;
		n += snprintf(subject + n, sizeof(subject) - (size_t)n,
			      "%sarg%u=0x%" PRIx64, sep, i, (uint64_t)data->args[i]);
		sep = ", ";
	}
	(void)snprintf(subject + n, sizeof(subject) - (size_t)n, ")");
	denials_add(l->denials, "seccomp", name, subject, v->err, v->rule);
}

static bool still_there(const struct listener *l)
{
	uint64_t id = l->req->id;

	return ioctl(l->fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* What we saw counts only if the caller still exists afterwards.  Otherwise its pid,
 * and the memory that we read, may belong to another process. */
static void look(struct listener *l)
{
	struct touched *touched = l->trace.judge.touched;
	size_t ntouched = touched ? touched->n : 0;
	struct denials seen = { 0 };

	l->trace.judge.denials = &seen;
	trace_look(&l->trace, l->req);
	l->trace.judge.denials = l->denials;
	if (still_there(l))
		for (size_t i = 0; i < seen.n; i++)
			denials_add(l->denials, seen.v[i].layer, seen.v[i].op,
				    seen.v[i].subject, seen.v[i].err, seen.v[i].rule);
	else if (touched)
		touched_forget(touched, ntouched);
	l->denials->lost += seen.lost;
	free(seen.v);
}

int listener_serve(struct listener *l)
{
	struct listener_verdict v;
	int64_t since;

	memset(l->req, 0, l->req_size); /* the kernel requires it */
	if (ioctl(l->fd, SECCOMP_IOCTL_NOTIF_RECV, l->req) != 0)
		/* ENOENT: the caller is gone; EINTR: poll again */
		return errno == ENOENT || errno == EINTR ? 0 : -errno;
	since = sys_now_ms();
	listener_judge(l, &l->req->data, &v);
	if (v.verdict == PB_V_TRACE)
		look(l);
	/* the trace filter reports the broker's calls as well */
	if ((v.verdict == PB_V_TRACE || v.verdict == PB_V_BROKER) && l->brokered &&
	    l->brokered->on)
		return brokered_serve(l->brokered, l->fd, l->req, since, l->resp, l->denials);
	memset(l->resp, 0, l->resp_size);
	l->resp->id = l->req->id;
	if (v.verdict == PB_V_TRACE) {
		l->resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else {
		record_call(l, &l->req->data, &v);
		l->resp->error = -v.err;
	}
	/* ENOENT: the caller was killed meanwhile. */
	if (SYS_RETRY(ioctl(l->fd, SECCOMP_IOCTL_NOTIF_SEND, l->resp)) != 0 &&
	    errno != ENOENT)
		return -errno;
	return 0;
}

int listener_go_on(struct listener *l)
{
	return brokered_go_on(l->brokered, l->fd, l->resp, l->denials);
}

int listener_fifos(struct listener *l)
{
	return brokered_fifos(l->brokered, l->fd, l->resp);
}
