/* Moves one connection's bytes between the command and the server (inject_conn.h). */
#include "runtime/egress/inject_conn.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/egress/delivered.h"
#include "runtime/egress/inject_tls.h"

#define ROUNDS 32 /* of one turn */

/* --- the end --------------------------------------------------------------------- */

static void close_end(struct inject_conn *c, int which, bool reset)
{
	struct linger hard = { 1, 0 };

	if (c->fd[which] < 0)
		return;
	/* another process may have the same connection open: closing alone would not
	   stop its events */
	if (c->epoll >= 0)
		(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->fd[which], NULL);
	if (reset)
		(void)setsockopt(c->fd[which], SOL_SOCKET, SO_LINGER, &hard,
				 sizeof(hard));
	(void)close(c->fd[which]);
	c->fd[which] = -1;
}

static void close_server(struct inject_conn *c, bool reset)
{
	if (c->ssl && c->connected && !reset && !c->cut) {
		(void)SSL_shutdown(c->ssl);
		ERR_clear_error();
	}
	SSL_free(c->ssl);
	c->ssl = NULL;
	close_end(c, 1, reset);
}

/* The first reason counts: what follows from it is no news. */
static void say(struct inject_conn *c, enum gate_what what, enum gate_why why,
		int error, const char *text)
{
	if (c->done.what)
		return;
	c->done.what = (uint32_t)what;
	c->done.why = (uint32_t)why;
	c->done.error = (uint32_t)error;
	(void)snprintf(c->done.text, sizeof(c->done.text), "%s", text);
}

static void end(struct inject_conn *c, bool reset)
{
	say(c, GATE_CLOSED, GATE_W_RULE, 0, "");
	close_server(c, reset);
	close_end(c, 0, reset);
	c->ended = true;
	c->again = false;
}

/*
 * Says why to the program inside, if it can still be the answer to its request.  The
 * text has nothing of the request or of the header in it.
 */
static void refuse(struct inject_conn *c, const char *status, enum gate_what what,
		   enum gate_why why, int error, const char *text)
{
	int n;

	say(c, what, why, error, text);
	if (c->refused)
		c->refused(c);
	close_server(c, true);
	if (c->done.down || c->back_n) {
		end(c, true);
		return;
	}
	c->reading = INJECT_R_NONE;
	c->answering = c->gone = true;
	c->in_n = c->out_at = c->out_n = 0;
	n = snprintf(
		(char *)c->back, sizeof(c->back),
		"HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
		"Connection: close\r\n\r\npolgate: %s\n",
		status, strlen(text) + sizeof("polgate: \n") - 1, text);
	c->back_n = n > 0 && (size_t)n < sizeof(c->back) ? (size_t)n : 0;
}

/* Takes from the rule's limit what was read, before it is passed on; how much may be. */
static size_t take_limit(struct inject_conn *c, size_t n)
{
	size_t got = (size_t)spent_take(c->spent, c->rule, c->most, n);

	if (got < n) {
		c->over = true;
		say(c, GATE_REFUSED, GATE_W_LIMIT, 0, "the rule's limit of bytes");
	}
	return got;
}

/* --- the server's side ----------------------------------------------------------- */

/* True: wait for an event.  False: `ssl` is broken. */
static bool must_wait(const struct inject_conn *c, int r)
{
	int e = SSL_get_error(c->ssl, r);

	return e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE;
}

static bool shake_hands(struct inject_conn *c)
{
	char text[160];
	int r, error;

	if (c->connected || !c->ssl)
		return false;
	ERR_clear_error();
	errno = 0;
	r = SSL_connect(c->ssl);
	error = errno;
	/* SSL_VERIFY_PEER ends the hand-shake otherwise; it is worth a second look */
	if (r == 1 && SSL_get_verify_result(c->ssl) == X509_V_OK &&
	    SSL_get0_peer_certificate(c->ssl)) {
		c->connected = true;
		return true;
	}
	if (r != 1 && must_wait(c, r))
		return false;
	inject_tls_reason(c->ssl, text, sizeof(text));
	refuse(c, "502 Bad Gateway", GATE_UNREACHED, GATE_W_PROTOCOL, r < 0 ? error : 0,
	       text);
	return true;
}

static bool write_server(struct inject_conn *c)
{
	size_t n;

	if (!c->connected || !c->ssl || c->out_at == c->out_n)
		return false;
	ERR_clear_error();
	if (SSL_write_ex(c->ssl, c->out + c->out_at, c->out_n - c->out_at, &n) != 1) {
		if (must_wait(c, 0))
			return false;
		/* it may have answered before it stopped reading */
		ERR_clear_error();
		c->in_n = c->out_at = c->out_n = 0;
		c->reading = INJECT_R_NONE;
		return true;
	}
	c->out_at += n;
	if (c->out_at == c->out_n) {
		OPENSSL_cleanse(c->out, c->out_n);
		c->out_at = c->out_n = 0;
	}
	return true;
}

static bool read_server(struct inject_conn *c)
{
	size_t n;

	if (!c->connected || !c->ssl || c->gone || c->back_n || c->over)
		return false;
	ERR_clear_error();
	if (SSL_read_ex(c->ssl, c->back, sizeof(c->back), &n) == 1) {
		c->back_n = take_limit(c, n);
		c->answered = true;
		return true;
	}
	if (must_wait(c, 0))
		return false;
	c->gone = true;
	c->cut = SSL_get_error(c->ssl, 0) != SSL_ERROR_ZERO_RETURN;
	ERR_clear_error();
	return true;
}

/* --- the command's side ---------------------------------------------------------- */

static bool read_command(struct inject_conn *c)
{
	size_t room = sizeof(c->in) - c->in_n;
	uint8_t *to = c->in + c->in_n;
	ssize_t n;

	if (c->left || room == 0 || c->over)
		return false;
	n = SYS_RETRY(read(c->fd[0], to, room));
	if (n < 0) {
		if (errno == EAGAIN)
			return false;
		end(c, true);
		return true;
	}
	if (n == 0) {
		c->left = true;
		return true;
	}
	n = (ssize_t)take_limit(c, (size_t)n);
	c->done.up += (uint64_t)n;
	/* what follows the last request is nobody's */
	if (c->reading != INJECT_R_NONE)
		c->in_n += (size_t)n;
	return true;
}

static bool write_command(struct inject_conn *c, uint64_t now)
{
	ssize_t n;

	if (c->back_at == c->back_n)
		return false;
	n = SYS_RETRY(send(c->fd[0], c->back + c->back_at, c->back_n - c->back_at,
			   MSG_NOSIGNAL));
	if (n < 0) {
		if (errno == EAGAIN)
			return false;
		end(c, true);
		return true;
	}
	c->back_at += (size_t)n;
	c->done.down += (uint64_t)n;
	c->last = now;
	if (c->back_at == c->back_n)
		c->back_at = c->back_n = 0;
	return true;
}

/* --- requests -------------------------------------------------------------------- */

static void take(struct inject_conn *c, size_t n)
{
	c->in_n -= n;
	memmove(c->in, c->in + n, c->in_n);
}

static bool take_head(struct inject_conn *c)
{
	enum http_verdict v = http_head_read(&c->head, c->in, c->in_n);
	enum gate_why why;
	const char *text;
	char long_text[EGRESS_NAME_MAX + 8];
	size_t n;

	if (v == HTTP_MORE)
		return false;
	if (v != HTTP_HEAD) {
		(void)snprintf(long_text, sizeof(long_text), "%s%s%s", http_text(v),
			       v == HTTP_MALFORMED ? ": " : "",
			       v == HTTP_MALFORMED ? c->head.what : "");
		refuse(c, "400 Bad Request", GATE_REFUSED,
		       v == HTTP_NO_HOST || v == HTTP_SEVERAL || v == HTTP_DISAGREES
			       ? GATE_W_HOST
			       : GATE_W_PROTOCOL,
		       0, long_text);
		return true;
	}
	text = inject_refuses(&c->head, c->in, c->name, &why);
	if (text) {
		/* the record names the host, as polgate's own records do */
		(void)snprintf(long_text, sizeof(long_text), "%s", c->head.host);
		if (c->head.port)
			(void)snprintf(long_text, sizeof(long_text), "%s:%u", c->head.host,
				       (unsigned)c->head.port);
		say(c, GATE_REFUSED, why, 0, why == GATE_W_HOST ? long_text : text);
		refuse(c, "403 Forbidden", GATE_REFUSED, why, 0, text);
		return true;
	}
	/* room for the whole head; what is written before it goes first */
	if (c->out_n || !c->connected)
		return false;
	n = inject_head(&c->head, c->in, c->name, c->port, &c->add, (char *)c->out,
			sizeof(c->out));
	if (n == 0) {
		refuse(c, "400 Bad Request", GATE_REFUSED, GATE_W_PROTOCOL, 0,
		       http_text(HTTP_TOO_LONG));
		return true;
	}
	c->out_n = n;
	c->done.requests++;
	c->answered = false;
	take(c, c->head.head_n);
	http_body_init(&c->body, &c->head);
	c->body.closed = c->add.name;
	c->body.closed_n = c->add.name_n;
	c->reading = INJECT_R_BODY;
	return true;
}

static bool take_body(struct inject_conn *c)
{
	size_t room = sizeof(c->out) - c->out_n, n = c->in_n < room ? c->in_n : room,
	       used;
	enum http_verdict v;

	if (n == 0 && c->body.verdict == HTTP_MORE)
		return false;
	v = http_body_read(&c->body, c->in, n, &used);
	memcpy(c->out + c->out_n, c->in, used);
	c->out_n += used;
	take(c, used);
	if (v == HTTP_MALFORMED) {
		refuse(c, "400 Bad Request", GATE_REFUSED, GATE_W_PROTOCOL, 0,
		       "a malformed body");
	} else if (v == HTTP_END) {
		c->reading = c->head.close ? INJECT_R_NONE : INJECT_R_HEAD;
		http_head_init(&c->head);
		if (c->reading == INJECT_R_NONE)
			c->in_n = 0;
	}
	return true;
}

static bool take_requests(struct inject_conn *c)
{
	switch (c->reading) {
	case INJECT_R_HEAD:
		return c->in_n > 0 && take_head(c);
	case INJECT_R_BODY:
		return take_body(c);
	case INJECT_R_NONE:
		break;
	}
	return false;
}

/* --- together -------------------------------------------------------------------- */

struct inject_conn *inject_conn_new(SSL_CTX *ctx, const struct inject_open *open,
				    const struct inject_header *add, struct spent *spent,
				    const int fd[2], uint64_t now)
{
	struct inject_conn *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memset(c, 0, offsetof(struct inject_conn, in));
	memcpy(c->name, open->name, strnlen(open->name, EGRESS_NAME_MAX));
	c->ssl = inject_tls_open(ctx, fd[1], c->name);
	if (!c->ssl) {
		free(c);
		return NULL;
	}
	c->fd[0] = fd[0];
	c->fd[1] = fd[1];
	c->add = *add;
	c->port = open->port;
	c->epoll = -1;
	c->spent = spent;
	c->rule = open->rule;
	c->most = open->bytes;
	c->began = c->last = now;
	c->done.type = INJECT_DONE;
	c->done.id = open->id;
	http_head_init(&c->head);
	return c;
}

/* The command has ended its side in the middle of a request, or without one. */
static bool is_unfinished(const struct inject_conn *c)
{
	switch (c->reading) {
	case INJECT_R_HEAD:
		return c->in_n ? c->head.verdict == HTTP_MORE : c->done.requests == 0;
	case INJECT_R_BODY:
		return c->in_n == 0;
	case INJECT_R_NONE:
		break;
	}
	return false;
}

/* What was taken from the limit and can still go has arrived. */
static bool is_spent(const struct inject_conn *c)
{
	return c->out_n == 0 && is_delivered(c->fd[0]) && is_delivered(c->fd[1]);
}

static void look_for_end(struct inject_conn *c)
{
	if (c->ended || c->back_n)
		return;
	if (c->over) {
		if (is_spent(c))
			end(c, true);
	} else if (c->answering) {
		if (!c->told)
			(void)shutdown(c->fd[0], SHUT_WR);
		c->told = true;
		if (c->left)
			end(c, false);
	} else if (c->gone) {
		/* without TLS's own end, somebody on the way may have cut the answer:
		   the command must see that it is none */
		if (!c->cut || is_delivered(c->fd[0]))
			end(c, c->cut);
	} else if (c->left && is_unfinished(c)) {
		end(c, c->done.requests != 0);
	}
}

void inject_conn_run(struct inject_conn *c, uint64_t now)
{
	c->again = false;
	for (int i = 0; i < ROUNDS; i++) {
		bool moved = shake_hands(c);

		moved |= !c->ended && read_command(c);
		moved |= !c->ended && take_requests(c);
		moved |= !c->ended && write_server(c);
		moved |= !c->ended && read_server(c);
		moved |= !c->ended && write_command(c, now);
		if (c->ended)
			return;
		if (!moved) {
			look_for_end(c);
			return;
		}
		c->last = now;
	}
	c->again = true;
}

enum inject_way inject_conn_way(const struct inject_conn *c)
{
	if (c->over || c->told)
		return INJECT_W_ENDS;
	if (c->answering || c->done.requests)
		return INJECT_W_ON;
	if (c->head.verdict != HTTP_HEAD)
		return INJECT_W_NO_HEAD;
	return c->connected ? INJECT_W_ON : INJECT_W_NO_TLS;
}

void inject_conn_give_way(struct inject_conn *c)
{
	say(c, GATE_REFUSED, GATE_W_LIMIT, 0,
	    "too many connections at once, and this one was not complete");
	end(c, true);
}

void inject_conn_stop(struct inject_conn *c)
{
	if (!c->ended)
		end(c, true);
}

void inject_conn_check_time(struct inject_conn *c, uint64_t now)
{
	uint64_t quiet = now - c->last, age = now - c->began;

	if (c->ended)
		return;
	if (c->answering) {
		if (quiet > INJECT_LINGER_MS)
			end(c, true);
	} else if (c->gone || c->over) {
		/* a slow reader gets what is left for some time */
		if (quiet > INJECT_LEFT_MS)
			end(c, true);
		else
			inject_conn_run(c, now);
	} else if (!c->connected && age > INJECT_TLS_MS) {
		refuse(c, "504 Gateway Timeout", GATE_UNREACHED, GATE_W_TIMEOUT,
		       ETIMEDOUT, "the server does not finish TLS's hand-shake");
	} else if (c->done.requests == 0 && age > INJECT_FIRST_MS) {
		refuse(c, "408 Request Timeout", GATE_REFUSED, GATE_W_TIMEOUT, 0,
		       "no request within 30 seconds");
	} else if (c->left &&
		   quiet > (c->answered ? INJECT_QUIET_MS : INJECT_LEFT_MS)) {
		end(c, !c->answered);
	} else if (quiet > INJECT_IDLE_MS) {
		say(c, GATE_CLOSED, GATE_W_TIMEOUT, 0, "nothing passed for an hour");
		end(c, true);
	}
	if (!c->ended && c->answering)
		inject_conn_run(c, now);
}

void inject_conn_free(struct inject_conn *c)
{
	close_server(c, true);
	close_end(c, 0, true);
	OPENSSL_cleanse(c, sizeof(*c));
	free(c);
}
