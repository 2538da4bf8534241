/*
 * Calls of the run that wait until somebody opens the other end of the FIFO that they open: its reader, or,
 * where files are read by name, its writer.  polrun does not wait with them: it looks again and again, soon at first, and then every FIFOS_MOST_MS; all looks
 * together take about a tenth of its time.  Those that wait for one FIFO get it together, so that its
 * reader does not see the end of the first before the second has come.
 *
 * The name was decided when the call came, and the FIFO itself is kept, as the kernel does.
 *
 * Once polrun has a call, only a signal that kills ends the caller's wait.  So what is pending for it is
 * looked at, too: the call is interrupted, and restarted where the handler was set with SA_RESTART.
 */
#ifndef RUNTIME_SUPERVISE_FIFOS_H
#define RUNTIME_SUPERVISE_FIFOS_H

#include "runtime/broker/serve.h"

#define FIFOS_MOST 256u   /* calls at a time, each with a descriptor; as many again when they are let go */
#define FIFOS_MOST_MS 50  /* between two looks at one call */
#define FIFOS_STEP 32u    /* calls that are looked at before polrun does something else */

struct fifos_call {
	struct broker_fifo fifo;
	dev_t dev;
	ino_t ino;
	int64_t since_ms, due_ms;
	int64_t signal_ms; /* when a signal was seen that another thread may take; 0: none was */
	int got;           /* its descriptor, or -errno, before it is answered; 0: nothing yet */
};

struct fifos {
	size_t most; /* that may wait, FIFOS_MOST or fewer; the rest is zero before the first */
	struct fifos_call *v;
	size_t n, cap;
	size_t at; /* where the next look begins */
	int64_t next_ms, rest_ms; /* when it begins: not before both */
};

/* May one more wait?  Then there is room for it. */
bool fifos_may(struct fifos *s);
/* After fifos_may().  Takes over the descriptor. */
void fifos_add(struct fifos *s, const struct broker_fifo *f);
/* Those that wait for this FIFO are answered if somebody has opened its other end.  0 or -errno of the listener. */
int fifos_let_go(struct fifos *s, struct broker *b, int listener, struct seccomp_notif_resp *resp,
		 dev_t dev, ino_t ino);
/* How long until fifos_look() is to be called, in ms; -1: none waits. */
int fifos_wait(const struct fifos *s, int64_t now_ms);
/* Looks at those that are due.  `proc_fd`: of /proc.  0 or -errno of the listener. */
int fifos_look(struct fifos *s, struct broker *b, int proc_fd, int listener, struct seccomp_notif_resp *resp);
void fifos_release(struct fifos *s);

#endif
