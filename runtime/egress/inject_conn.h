/*
 * One connection of the command to a host for which a rule injects a header: plain
 * HTTP/1.1 on its side, verified TLS on the server's.  Requests are read one by one
 * (http_head.h); what the server sends is passed on as it comes.
 *
 * A request is passed on only after the server's certificate was accepted for the name.
 * One that is refused, before anything was answered, gets an answer in words (400, 403,
 * 502); later the connection is reset.
 */
#ifndef RUNTIME_EGRESS_INJECT_CONN_H
#define RUNTIME_EGRESS_INJECT_CONN_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/egress/http_body.h"
#include "runtime/egress/inject.h"
#include "runtime/egress/inject_head.h"
#include "runtime/egress/spent.h"

#define INJECT_IN (HTTP_HEAD_MAX + 1024)
#define INJECT_OUT (HTTP_HEAD_MAX + INJECT_GROWS)
#define INJECT_BACK 16384

#define INJECT_TLS_MS 10000u   /* until the server's certificate was accepted */
#define INJECT_FIRST_MS 30000u /* until the first request is complete */
#define INJECT_IDLE_MS (60 * 60 * 1000u)
#define INJECT_LEFT_MS 60000u  /* the command has ended its side: for a first answer */
#define INJECT_QUIET_MS 3000u  /* the same, behind what was answered already */
#define INJECT_LINGER_MS 1000u /* behind an answer of our own */

enum inject_reading {
	INJECT_R_HEAD, /* of the next request */
	INJECT_R_BODY,
	INJECT_R_NONE /* no request may follow */
};

struct inject_conn {
	struct inject_conn *next, *prev; /* the loop's */
	/* Called when `done` says that it is refused, before the program is answered: so the
	 * record is there when the program reads why.  May be NULL. */
	void (*refused)(struct inject_conn *c);
	bool told_gate; /* the loop's: `done` was sent */
	bool again;                      /* the loop's: it has more to do now */
	int epoll;                       /* the loop's, which watches both; -1: none */
	int fd[2]; /* the command's end, the server's (-1: closed) */
	SSL *ssl;
	struct inject_header add;
	uint16_t port;
	struct spent *spent; /* the loop's */
	uint32_t rule;       /* whose limit is counted there */
	uint64_t most;       /* the limit; 0: there is none */
	bool over;           /* the limit is used up: what was taken before goes, and no more */
	char name[EGRESS_NAME_MAX + 1];
	bool connected;  /* the server's certificate was accepted */
	bool left, gone; /* the command, the server has ended its side */
	bool cut; /* the server's without TLS's own end: the command must not take it
		     for one */
	bool answering; /* the last bytes are an answer of our own */
	bool answered;  /* something came from the server behind the last request */
	bool told;      /* the answer was written; waiting for the command to leave */
	bool ended;     /* `done` is final, and the descriptors are closed */
	enum inject_reading reading;
	struct http_head head;
	struct http_body body;
	uint64_t began, last; /* ms; when bytes passed last */
	struct inject_done done;
	size_t in_n, out_at, out_n, back_at, back_n;
	uint8_t in[INJECT_IN];     /* read from the command */
	uint8_t out[INJECT_OUT];   /* for the server */
	uint8_t back[INJECT_BACK]; /* for the command */
};

/*
 * Takes both descriptors, which must be non-blocking.  NULL: no memory, and they are
 * the caller's still.  `now` is in milliseconds, here and below.
 */
struct inject_conn *inject_conn_new(SSL_CTX *ctx, const struct inject_open *open,
				    const struct inject_header *add, struct spent *spent,
				    const int fd[2], uint64_t now);
/* Does all that can be done without waiting.  c->ended says that it is over; c->again
 * that others should have a turn before it goes on. */
void inject_conn_run(struct inject_conn *c, uint64_t now);
/* How much it would lose if it had to give its place to others. */
enum inject_way {
	INJECT_W_ENDS,    /* nothing but its last bytes */
	INJECT_W_NO_HEAD, /* it has sent no whole head */
	INJECT_W_NO_TLS,  /* the server has not been accepted yet */
	INJECT_W_ON
};
enum inject_way inject_conn_way(const struct inject_conn *c);
/* Ends it now, as others need its place. */
void inject_conn_give_way(struct inject_conn *c);
/* Ends it now, as the run has ended. */
void inject_conn_stop(struct inject_conn *c);
/* Ends it if it has waited for too long. */
void inject_conn_check_time(struct inject_conn *c, uint64_t now);
/* Closes what is open, and overwrites it: a part of the secret may stand in it. */
void inject_conn_free(struct inject_conn *c);

#endif
