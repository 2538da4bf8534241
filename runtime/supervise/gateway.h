/*
 * polrun's side of the egress gateway: starts polgate, gives it the run's sockets, and
 * takes its records.  A record is only a message: polgate parses what the network sends,
 * so nothing here acts on one but to count it, to name it and to ask a person.
 */
#ifndef RUNTIME_SUPERVISE_GATEWAY_H
#define RUNTIME_SUPERVISE_GATEWAY_H

#include "runtime/egress/gate.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/denials.h"

#define GATEWAY_RECORDS_MAX 4096

/* What polgate has told: the connections that ended, and totals. */
struct gateway_log {
	struct gate_record *v; /* malloc'ed: GATE_CLOSED and GATE_UNREACHED */
	size_t n;
	uint64_t lost;         /* records beyond GATEWAY_RECORDS_MAX */
	/* the same of what was refused, for --record */
	struct gate_record *refused_v;
	size_t refused_n;
	uint64_t refused_lost;
	uint64_t connections;  /* that were let through */
	uint64_t refused;      /* connections, names and packets */
	uint64_t unreached;    /* allowed, but not reached */
	uint64_t up, down;     /* bytes from and to the command */
};

/* Secrets in the form of the config (struct gate_secret). */
struct gateway_secrets {
	char *bytes; /* malloc'ed; NULL: none */
	size_t size;
	uint32_t count;
};

struct gateway {
	int sock;  /* -1: no gateway, or it has ended */
	const struct bundle *bundle;
	pid_t pid; /* 0: none */
	int pidfd;
	pid_t inject_pid; /* polinject; if it ends, so does polgate */
	int inject_pidfd;
	int ask;   /* socket of the process that asks a person (struct gate_question in,
	              GATE_ANSWER out), not blocking; the caller's; -1: nobody is asked */
	int32_t init_pid; /* of the run, for its questions */
	struct gateway_log log;
};

#define GATEWAY_NONE { .sock = -1, .pidfd = -1, .inject_pidfd = -1, .ask = -1 }

/* What gateway_start() starts: files that are opened for execution; the caller's. */
struct gateway_programs {
	int gate;
	int inject; /* -1: no rule injects anything */
	int ca;     /* for polinject: the host's certificate authorities */
	const struct gateway_secrets *via_secrets, *inject_secrets;
};

/*
 * Starts polgate and, if a rule needs it, polinject.  They go on alone until
 * gateway_give().  As root they run as host uids that own nothing.
 */
int gateway_start(struct gateway *g, const struct sandbox_run *run,
		  const struct gateway_programs *programs, enum gate_asking ask,
		  struct rt_err *err);
/* Passes the sockets of the run on (and closes them here), and waits until polgate is
 * confined and serves them. */
int gateway_give(struct gateway *g, struct sandbox_child *child, struct rt_err *err);
/*
 * Takes the records that are there; denials go to `d`.  0, or -errno if polgate has ended
 * or has sent nonsense: then the run must end.  Works behind confine_self().
 */
int gateway_serve(struct gateway *g, struct denials *d);
/* Passes an answer of the person on; the same values. */
int gateway_hear_answer(struct gateway *g);
/* The run has ended: takes the last records and ends polgate, within half a second. */
void gateway_finish(struct gateway *g, struct denials *d);
/* Ends polgate at once, if it is there, and frees the log. */
void gateway_release(struct gateway *g);

/* "tcp example.com:443", "tcp [2001:db8::1]:22", or the name alone if there is no port;
 * then what polgate adds to it. */
void gateway_subject(const struct gate_record *r, char *out, size_t cap);

#endif
