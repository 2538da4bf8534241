/* Answers one notification of the run's filter: what it is decode.c says, and what
 * becomes of it act.c. */
#include "runtime/broker/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/broker/task.h"

/*
 * Puts the descriptor into the caller, which goes on waiting: our own is closed before
 * it goes on.  A program that has written another one and executes it at once would
 * else find it still open for writing (ETXTBSY).  Only a signal that kills ends its
 * wait, since Linux 5.19; before, one may leave the caller with a descriptor of which
 * it does not know. The number, or -errno of what the listener said.
 */
static int put_in(int listener, uint64_t id, int fd, bool cloexec)
{
	struct seccomp_notif_addfd add = { .id = id,
					   .srcfd = (__u32)fd,
					   .newfd_flags = cloexec ? O_CLOEXEC : 0 };
	int r = SYS_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add));

	return r < 0 ? -errno : r;
}

/* The caller has its descriptor as resp->val, or ret->err says why not.  False: it
 * waits no more. */
static bool give(struct broker *b, int listener, bool cloexec,
		 struct broker_result *ret, struct seccomp_notif_resp *resp)
{
	const struct broker_rules *rules = &b->rules;
	int r = rules->hold && !ret->reads && !ret->native ?
			rules->hold(rules->arg, ret->fd, &ret->object, false) :
			0;
	bool held = r == 0;

	if (held)
		r = put_in(listener, resp->id, ret->fd, cloexec);
	(void)close(ret->fd);
	if (ret->object >= 0)
		(void)close(ret->object);
	ret->fd = ret->object = -1;
	if (held && (r == -ENOENT || r == -EINPROGRESS))
		return false;
	/* there may be no room for a descriptor */
	ret->err = r < 0 ? -r : 0;
	resp->val = r < 0 ? 0 : r;
	return true;
}

/* The caller may have been killed meanwhile. */
static int send(int listener, struct seccomp_notif_resp *resp)
{
	return SYS_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, resp)) != 0 && errno != ENOENT ? -errno : 0;
}

int broker_serve(struct broker *b, const struct broker_source *from,
		 const struct seccomp_notif *req, int64_t since,
		 struct seccomp_notif_resp *resp, struct broker_result *ret)
{
	struct broker_decoded *d = &b->work->decoded;
	int listener = from->listener;
	uint64_t id = req->id;
	int r = broker_decode(from, req, since, d);

	broker_result_init(ret);
	ret->ours = r != BROKER_NOT_OURS;
	ret->err = r < 0 ? -r : 0;
	/* what was read is the caller's only if it still waits */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (r == 0)
		broker_act(b, &d->call, ret);
	if (ret->later)
		return 0;
	*resp = (struct seccomp_notif_resp){ .id = id };
	if (ret->fd >= 0 && !give(b, listener, d->cloexec, ret, resp))
		return 0;
	if (ret->ours)
		resp->error = -ret->err;
	else
		resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	return send(listener, resp);
}

void broker_fifo_of(const struct broker *b, const struct seccomp_notif *req, struct broker_result *ret,
		    struct broker_fifo *out)
{
	const struct broker_decoded *d = &b->work->decoded;

	*out = (struct broker_fifo){ .id = req->id, .pid = (pid_t)req->pid, .flags = d->call.flags,
				     .reads = ret->reads, .cloexec = d->cloexec, .native = ret->native,
				     .object = ret->object };
	ret->object = -1;
}

int broker_fifo_answer(struct broker *b, int listener, struct broker_fifo *f, int fd,
		       struct seccomp_notif_resp *resp)
{
	struct broker_result ret;

	broker_result_init(&ret);
	ret.fd = fd < 0 ? -1 : fd;
	ret.err = fd < 0 ? -fd : 0;
	ret.object = f->object;
	ret.native = f->native;
	ret.reads = f->reads;
	f->object = -1;
	*resp = (struct seccomp_notif_resp){ .id = f->id };
	if (fd >= 0 && !give(b, listener, f->cloexec, &ret, resp))
		return 0;
	if (ret.object >= 0)
		(void)close(ret.object);
	resp->error = -ret.err;
	return send(listener, resp);
}
