/* Answers one notification of the run's filter: what it is decode.c says, and what
 * becomes of it act.c. */
#include "runtime/broker/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/broker/task.h"

/* 0, or -errno of what the listener said. */
static int hand_over(int listener, uint64_t id, int fd, bool cloexec)
{
	struct seccomp_notif_addfd add = { .id = id,
					   .flags = SECCOMP_ADDFD_FLAG_SEND,
					   .srcfd = (__u32)fd,
					   .newfd_flags = cloexec ? O_CLOEXEC : 0 };

	return SYS_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add)) < 0 ? -errno
									       : 0;
}

/* True if the caller has its descriptor, or waits no more.  Else ret->err says why. */
static bool give(struct broker *b, int listener, uint64_t id, bool cloexec,
		 struct broker_result *ret)
{
	const struct broker_rules *rules = &b->rules;
	int r = rules->hold ? rules->hold(rules->arg, ret->fd, false) : 0;
	bool held = r == 0;

	if (held)
		r = hand_over(listener, id, ret->fd, cloexec);
	(void)close(ret->fd);
	ret->fd = -1;
	if (r == 0 || (held && (r == -ENOENT || r == -EINPROGRESS)))
		return true;
	ret->err = -r; /* there is no room for a descriptor */
	return false;
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
	*resp = (struct seccomp_notif_resp){ .id = id };
	if (ret->fd >= 0 && give(b, listener, id, d->cloexec, ret))
		return 0;
	if (ret->ours)
		resp->error = -ret->err;
	else
		resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (SYS_RETRY(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, resp)) != 0 &&
	    errno != ENOENT)
		return -errno;
	return 0;
}
