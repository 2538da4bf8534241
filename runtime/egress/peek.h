/*
 * Decides from what the command sends whether it speaks to the host that its rule
 * names, and how many of the bytes may pass.  Pure: bytes in, verdict out.  The caller
 * must send the same bytes, out of memory that the command cannot change (relay_kept.h).
 *
 * TLS: the ClientHello must name exactly that host, and so must a second one, if the
 * server asks for it (HelloRetryRequest, RFC 8446 4.1.4): some servers go by its name.
 * Everything after it passes.
 * HTTP: the head of every request must, since a connection may carry many.
 */
#ifndef RUNTIME_EGRESS_PEEK_H
#define RUNTIME_EGRESS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/bundle/format.h"
#include "runtime/egress/gate.h"
#include "runtime/egress/http_body.h"
#include "runtime/egress/tls_hello.h"

/* What a port of a name is looked at for: the rule's own word, else the usual. */
enum pb_peek peek_kind(enum pb_peek rule, uint16_t port);

enum peek_step {
	PEEK_FIRST,  /* of the connection */
	PEEK_HEAD,   /* the head of the next request */
	PEEK_BODY,   /* in chunks */
	PEEK_SERVER, /* the server must say whether it upgrades, or wants another hello */
	PEEK_AGAIN,  /* that hello */
	PEEK_LAST,   /* no further request may follow */
	PEEK_ALL     /* everything passes */
};

struct peek {
	enum pb_peek kind; /* PB_PEEK_TLS or PB_PEEK_HTTP */
	enum peek_step step;
	const char *name; /* the caller's: lower case */
	size_t name_n;
	size_t seen;               /* bytes of the hello that were read */
	struct tls_hello *hello;   /* while it is read */
	struct http_head *head;    /* while it is read */
	struct http_body body;
	bool close, upgrade;
};

enum peek_answer {
	PEEK_MORE,  /* nothing passes until there are more bytes */
	PEEK_PASS,  /* `pass` bytes may pass; UINT64_MAX: all that ever come */
	PEEK_WATCH, /* wait for the server's first bytes: peek_server() */
	PEEK_REFUSE /* `why` and `text` */
};

struct peek_verdict {
	enum peek_answer answer;
	uint64_t pass;
	enum gate_why why;
	char text[EGRESS_NAME_MAX + 1];
};

void peek_init(struct peek *k, enum pb_peek kind, const char *name, size_t name_n);
void peek_release(struct peek *k);

/* `p`: all unread bytes of the command; `eof`: no more come.  To be called again, with
 * what is unread then, when as many as `pass` have passed. */
void peek_client(struct peek *k, const uint8_t *p, size_t n, bool eof,
		 struct peek_verdict *ret);
/* After PEEK_WATCH: the server's first bytes.  False: more are needed. */
bool peek_server(struct peek *k, const uint8_t *p, size_t n, bool eof);

#endif
