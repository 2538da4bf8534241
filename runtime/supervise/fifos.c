/* Looks whether what waits for the other end of a FIFO has to wait any longer: see fifos.h. */
#include "runtime/supervise/fifos.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/sys.h"

/* What the kernel makes of a call that a signal has interrupted: EINTR, or it is made once more.  It does
 * so only if a signal is pending for the very thread; else the program would see this number. */
#define RESTART_AFTER_SIGNAL 512 /* ERESTARTSYS */
/* A signal that any thread may take is taken within this time, if one that does not wait can. */
#define SIGNAL_TAKEN_MS 20
/* A look costs some 30 us: after so many of them polrun rests for a millisecond. */
#define LOOKS_PER_MS 3

bool fifos_may(struct fifos *s)
{
	size_t cap = s->cap ? 2 * s->cap : 16;
	void *grown;

	if (s->n >= s->most)
		return false;
	if (s->n < s->cap)
		return true;
	grown = reallocarray(s->v, cap, sizeof(*s->v));
	if (!grown)
		return false;
	s->v = grown;
	s->cap = cap;
	return true;
}

/* The older it is, the less it notices of a moment more. */
static int64_t next_look(const struct fifos_call *c, int64_t now_ms)
{
	int64_t age = now_ms - c->since_ms;

	return now_ms + (age < 1 ? 1 : age > FIFOS_MOST_MS ? FIFOS_MOST_MS : age);
}

void fifos_add(struct fifos *s, const struct broker_fifo *f)
{
	struct fifos_call c = { .fifo = *f, .since_ms = sys_now_ms() };
	struct stat st;

	if (fstat(f->object, &st) == 0) {
		c.dev = st.st_dev;
		c.ino = st.st_ino;
	}
	c.due_ms = next_look(&c, c.since_ms);
	if (!s->n || c.due_ms < s->next_ms)
		s->next_ms = c.due_ms;
	s->v[s->n++] = c;
}

static void forget(struct fifos *s, size_t i)
{
	if (s->v[i].fifo.object >= 0)
		(void)close(s->v[i].fifo.object);
	s->v[i] = s->v[--s->n];
}

/* `with`: its descriptor, or -errno. */
static int answer(struct fifos *s, struct broker *b, int listener, struct seccomp_notif_resp *resp, size_t i,
		  int with)
{
	int r = broker_fifo_answer(b, listener, &s->v[i].fifo, with, resp);

	forget(s, i);
	return r;
}

/* Without the other end, and without room for one more descriptor, it goes on waiting. */
static int try(const struct broker *b, struct fifos_call *c)
{
	int fd = broker_fifo_open(b, &c->fifo);

	return fd == -ENXIO || fd == -EMFILE || fd == -ENFILE ? 0 : fd;
}

int fifos_let_go(struct fifos *s, struct broker *b, int listener, struct seccomp_notif_resp *resp,
		 dev_t dev, ino_t ino)
{
	int r = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].got && s->v[i].dev == dev && s->v[i].ino == ino)
			s->v[i].got = try(b, &s->v[i]);
	for (size_t i = s->n; i-- > 0;) {
		int sent = s->v[i].got ? answer(s, b, listener, resp, i, s->v[i].got) : 0;

		r = r < 0 ? r : sent;
	}
	return r;
}

int fifos_wait(const struct fifos *s, int64_t now_ms)
{
	int64_t at = s->next_ms > s->rest_ms ? s->next_ms : s->rest_ms;

	return !s->n ? -1 : at <= now_ms ? 0 : (int)(at - now_ms);
}

/* What interrupts it, or 0. */
static int interrupted(struct fifos_call *c, int proc_fd, int64_t now_ms)
{
	switch (tracee_signal(proc_fd, c->fifo.pid)) {
	case TRACEE_SIGNAL_OWN:
		return -RESTART_AFTER_SIGNAL;
	case TRACEE_SIGNAL_ANY:
		if (c->signal_ms && now_ms - c->signal_ms >= SIGNAL_TAKEN_MS)
			return -EINTR;
		c->signal_ms = c->signal_ms ? c->signal_ms : now_ms;
		return 0;
	case TRACEE_SIGNAL_NONE:
		break;
	}
	c->signal_ms = 0;
	return 0;
}

/* 0: it goes on waiting.  1: it is answered, or its caller is gone, and perhaps others are.  -errno. */
static int look_at(struct fifos *s, struct broker *b, int proc_fd, int listener, struct seccomp_notif_resp *resp,
		   size_t i, int64_t now_ms)
{
	struct fifos_call *c = &s->v[i];
	uint64_t id = c->fifo.id;
	int stop, r;

	c->got = try(b, c);
	if (c->got) {
		r = fifos_let_go(s, b, listener, resp, c->dev, c->ino);
		return r < 0 ? r : 1;
	}
	stop = interrupted(c, proc_fd, now_ms);
	/* what was read is the caller's only if it still waits */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0) {
		r = errno == ENOENT ? 1 : -errno;
		forget(s, i);
		return r;
	}
	if (stop == 0)
		return 0;
	r = answer(s, b, listener, resp, i, stop);
	return r < 0 ? r : 1;
}

int fifos_look(struct fifos *s, struct broker *b, int proc_fd, int listener, struct seccomp_notif_resp *resp)
{
	const int64_t begun = sys_now_ms();
	unsigned looks = 0;
	int r = 0;

	for (size_t left = s->n; left-- > 0 && s->n && looks < FIFOS_STEP && r >= 0;) {
		if (s->at >= s->n)
			s->at = 0;
		if (s->v[s->at].due_ms > begun) {
			s->at++;
			continue;
		}
		looks++;
		r = look_at(s, b, proc_fd, listener, resp, s->at, begun);
		if (r != 0)
			continue;
		s->v[s->at].due_ms = next_look(&s->v[s->at], begun);
		s->at++;
	}
	s->next_ms = begun + FIFOS_MOST_MS;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].due_ms < s->next_ms)
			s->next_ms = s->v[i].due_ms;
	s->rest_ms = sys_now_ms() + looks / LOOKS_PER_MS;
	return r < 0 ? r : 0;
}

void fifos_release(struct fifos *s)
{
	while (s->n)
		forget(s, s->n - 1);
	free(s->v);
	*s = (struct fifos){ 0 };
}
