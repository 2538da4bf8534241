/*
 * One connection of a run, and what all steps of it need: its end, its time, its
 * events. The steps themselves are in relay.c (until bytes flow) and relay_flow.c.
 */
#ifndef RUNTIME_EGRESS_RELAY_CONN_H
#define RUNTIME_EGRESS_RELAY_CONN_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/egress/dial.h"
#include "runtime/egress/gate_ask.h"
#include "runtime/egress/gate_inject.h"
#include "runtime/egress/gate_lookup.h"
#include "runtime/egress/gate_report.h"
#include "runtime/egress/peek.h"
#include "runtime/egress/pump.h"
#include "runtime/egress/reach.h"
#include "runtime/egress/relay_kept.h"
#include "runtime/egress/spent.h"

#define RELAY_IDLE_MS (60 * 60 * 1000u) /* nothing passes in either direction */
#define RELAY_SILENT_MS 30000u          /* before the first byte of what is looked at */
#define RELAY_PEEK_MS 10000u            /* from there until it is whole */
#define RELAY_PATIENCE_MS 1000u         /* to be let through, where others want the place */
#define RELAY_LEFT_MS 60000u            /* until what has passed arrives, before a reset */
#define RELAY_ACCEPTS 64                /* of one turn */

/* What a grant's upstream proxy wants to know: "user:password", without a NUL. */
struct relay_secret {
	const char *bytes; /* NULL: there is none */
	size_t size;
};

struct relay_conn;
LIST_HEAD(relay_conns, relay_conn);
TAILQ_HEAD(relay_turn, relay_conn);
TAILQ_HEAD(relay_early, relay_conn);

struct relay {
	struct event_base *base;
	const struct reach_policy *policy;
	struct lookup *lookup;
	struct gate_ask *ask;
	struct gate_report *report;
	struct pump *pump;
	struct gate_inject *inject;
	struct spent spent;        /* of the rules' limits of bytes */
	uint32_t *connections;     /* let through, by the number of the rule whose limit counts them */
	const struct relay_secret *secrets; /* by grant number; NULL: there are none */
	uint32_t rule_count, most, count;
	size_t kept; /* room of all that is looked at */
	struct relay_conns conns;
	struct relay_turn turn; /* those that have more to move */
	struct relay_early early; /* those that are not let through yet, the oldest first */
	struct event again;     /* runs them */
	struct event listeners[2], pause;
	int listener_fds[2];
};

enum relay_state {
	RELAY_ASK, RELAY_PEEK, RELAY_LOOKUP, RELAY_DIAL, RELAY_FLOW,
	RELAY_VIA,   /* the upstream proxy has been asked */
	RELAY_INJECT, /* polinject has both sockets */
	RELAY_LEAVE   /* refused: what has passed arrives, then it is reset */
};

struct relay_conn {
	LIST_ENTRY(relay_conn) link;
	TAILQ_ENTRY(relay_conn) turn, early;
	bool is_early;
	struct relay *relay;
	enum relay_state state;
	void (*go)(struct relay_conn *c); /* on an event; NULL: bytes wait meanwhile */
	void (*late)(struct relay_conn *c); /* when the time is over; NULL: the usual */
	void (*whole)(struct relay_conn *c); /* when a request's head has come (relay_inject.h) */
	size_t head_seen, head_read; /* bytes of it that were there, and when it was read last */
	bool in_turn, watched[2];         /* its sockets: the command's, the server's */
	uint32_t asking;          /* the rule of the question that it waits for */
	uint32_t answered[4];     /* rules to whose question a person has said yes */
	uint32_t answered_count;
	bool silent;                      /* nothing to look at was sent yet */
	struct reach reach;
	uint8_t addr[16]; /* the destination if it has no name, then what is dialled */
	bool has_addr;
	uint16_t port, source;
	uint16_t out_port; /* that is dialled: another one where a header is injected */
	uint64_t began, last; /* ms; when bytes passed last */
	uint64_t pause;       /* ms; of RELAY_LEAVE, until it looks again */
	struct pump_way up, down;
	struct relay_kept kept; /* of `up`: goes before what is still in the socket */
	struct event events[2], timer;
	struct lookup_wait wait;
	struct gate_ask_wait ask;
	struct gate_inject_wait inject;
	void (*via_connected)(struct relay_conn *c, int server);
	uint8_t via_addr[16]; /* the destination that the proxy is asked for */
	uint16_t via_port;    /* of the proxy */
	struct dial *dial;
	struct peek *peek;
};

/* It has been let through, or ends: it does not give way to others any more. */
void relay_not_early(struct relay_conn *c);
/* Frees the connection and closes its sockets, with a reset if `reset`. */
void relay_free(struct relay_conn *c, bool reset);
/* A record of this connection. */
struct gate_record relay_record(const struct relay_conn *c, enum gate_what what,
				enum gate_why why, uint32_t rule);
/* Records, resets and frees.  `error` is an errno or 0, `text` may be NULL. */
void relay_refuse(struct relay_conn *c, enum gate_what what, enum gate_why why,
		  uint32_t rule, int error, const char *text);
/* The same, but what has passed arrives first, if the reader takes it in time. */
void relay_refuse_behind(struct relay_conn *c, enum gate_why why, uint32_t rule,
			 const char *text);
/* The end of its own accord, or by `error` of a socket: records and frees.  A command
 * that gives up before it was let through is no event. */
void relay_end(struct relay_conn *c, int error);

/* Prepares the timer; relay_set_timer() starts it. */
void relay_init_timer(struct relay_conn *c);
void relay_set_timer(struct relay_conn *c, uint64_t ms);
/* Watches the command's (0) or the server's (1) socket, once, by edges: so a reset is
 * seen whatever the connection waits for.  False: out of memory. */
bool relay_watch(struct relay_conn *c, int which);

/* The secret of the grant's upstream proxy, or NULL. */
const struct relay_secret *relay_secret(const struct relay *r, const struct pb_grant *g);

/* Closes a socket so that the other end gets a reset. */
void relay_reset(int fd);

#endif
