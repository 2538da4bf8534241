/*
 * Reads a ClientHello byte by byte (RFC 8446 4.1.2, RFC 6066 3): records give the bytes
 * of the handshake message, these are a sequence of numbers and of bytes that are
 * skipped. Each number is held against what is left of the fields around it, so that
 * all lengths agree or the hello is malformed.
 */
#include "runtime/egress/tls_hello.h"

#include <string.h>

#define RECORD_HEAD 5
#define RECORD_HANDSHAKE 22
#define RECORD_MAX 16384
#define CLIENT_HELLO 1
#define RANDOM_SIZE 32
#define SESSION_ID_MAX 32
#define EXT_SERVER_NAME 0
#define NAME_IS_HOST 0

enum step {
	S_TYPE,
	S_LENGTH,
	S_VERSION,
	S_RANDOM,
	S_SESSION_LEN,
	S_SESSION,
	S_SUITES_LEN,
	S_SUITES,
	S_METHODS_LEN,
	S_METHODS,
	S_EXTS_LEN,
	S_EXT_TYPE,
	S_EXT_LEN,
	S_EXT_BODY,
	S_LIST_LEN,
	S_NAME_TYPE,
	S_NAME_LEN,
	S_NAME
};

static enum tls_hello_verdict done(struct tls_hello *h);

/* The next field has `n` bytes; it must not reach beyond the hello. */
static enum tls_hello_verdict enter(struct tls_hello *h, enum step step, uint32_t n)
{
	if (n > h->hello_left)
		return TLS_HELLO_MALFORMED;
	h->step = (uint8_t)step;
	h->step_left = n;
	h->number = 0;
	return n ? TLS_HELLO_MORE : done(h);
}

/* The same inside of the server name's extension. */
static enum tls_hello_verdict enter_name(struct tls_hello *h, enum step step,
					 uint32_t n)
{
	if (n == 0 || n > h->ext_left)
		return TLS_HELLO_MALFORMED;
	h->ext_left -= n;
	return enter(h, step, n);
}

/* The hello's last byte has been read.  What comes after it in the same record would be
 * a second message that nobody here reads. */
static enum tls_hello_verdict finish(const struct tls_hello *h)
{
	if (h->record_left)
		return TLS_HELLO_MALFORMED;
	return h->has_name ? TLS_HELLO_NAME : TLS_HELLO_NO_SNI;
}

static enum tls_hello_verdict next_extension(struct tls_hello *h)
{
	return h->hello_left ? enter(h, S_EXT_TYPE, 2) : finish(h);
}

static enum tls_hello_verdict extension(struct tls_hello *h)
{
	h->ext = (uint16_t)h->number;
	for (size_t i = 0; i < h->seen_n; i++)
		if (h->seen[i] == h->ext)
			return TLS_HELLO_MALFORMED;
	if (h->seen_n == TLS_HELLO_EXTENSIONS)
		return TLS_HELLO_MALFORMED;
	h->seen[h->seen_n++] = h->ext;
	return enter(h, S_EXT_LEN, 2);
}

static enum tls_hello_verdict extension_body(struct tls_hello *h)
{
	if (h->number > h->hello_left)
		return TLS_HELLO_MALFORMED;
	if (h->ext != EXT_SERVER_NAME)
		return enter(h, S_EXT_BODY, h->number);
	h->ext_left = h->number;
	return enter_name(h, S_LIST_LEN, 2);
}

static enum tls_hello_verdict name(struct tls_hello *h)
{
	if (h->ext_left)
		return enter_name(h, S_NAME_TYPE, 1);
	if (!egress_host_name(h->name, h->raw, h->raw_n))
		return TLS_HELLO_MALFORMED;
	h->name_n = h->raw_n;
	h->has_name = true;
	return next_extension(h);
}

/* A field has been read: `number` holds its value if it was a number. */
static enum tls_hello_verdict done(struct tls_hello *h)
{
	uint32_t v = h->number;

	switch ((enum step)h->step) {
	case S_TYPE:
		return v == CLIENT_HELLO ? enter(h, S_LENGTH, 3) : TLS_HELLO_MALFORMED;
	case S_LENGTH:
		if (v > TLS_HELLO_MAX - 4)
			return TLS_HELLO_TOO_LONG;
		h->hello_left = v;
		return enter(h, S_VERSION, 2);
	case S_VERSION:
		return v >> 8 == 3 ? enter(h, S_RANDOM, RANDOM_SIZE)
				   : TLS_HELLO_MALFORMED;
	case S_RANDOM:
		return enter(h, S_SESSION_LEN, 1);
	case S_SESSION_LEN:
		return v <= SESSION_ID_MAX ? enter(h, S_SESSION, v)
					   : TLS_HELLO_MALFORMED;
	case S_SESSION:
		return enter(h, S_SUITES_LEN, 2);
	case S_SUITES_LEN:
		return v && v % 2 == 0 ? enter(h, S_SUITES, v) : TLS_HELLO_MALFORMED;
	case S_SUITES:
		return enter(h, S_METHODS_LEN, 1);
	case S_METHODS_LEN:
		return v ? enter(h, S_METHODS, v) : TLS_HELLO_MALFORMED;
	case S_METHODS:
		return h->hello_left ? enter(h, S_EXTS_LEN, 2) : finish(h);
	case S_EXTS_LEN:
		return v == h->hello_left ? next_extension(h) : TLS_HELLO_MALFORMED;
	case S_EXT_TYPE:
		return extension(h);
	case S_EXT_LEN:
		return extension_body(h);
	case S_EXT_BODY:
		return next_extension(h);
	case S_LIST_LEN:
		return v == h->ext_left ? enter_name(h, S_NAME_TYPE, 1)
					: TLS_HELLO_MALFORMED;
	case S_NAME_TYPE:
		if (h->raw_n)
			return TLS_HELLO_SEVERAL;
		return v == NAME_IS_HOST ? enter_name(h, S_NAME_LEN, 2)
					 : TLS_HELLO_MALFORMED;
	case S_NAME_LEN:
		return v <= EGRESS_NAME_MAX ? enter_name(h, S_NAME, v)
					    : TLS_HELLO_MALFORMED;
	case S_NAME:
		return name(h);
	}
	return TLS_HELLO_MALFORMED;
}

static enum tls_hello_verdict handshake_byte(struct tls_hello *h, uint8_t c)
{
	if ((enum step)h->step == S_NAME)
		h->raw[h->raw_n++] = c;
	h->number = h->number << 8 | c;
	h->hello_left--;
	return --h->step_left ? TLS_HELLO_MORE : done(h);
}

/* A byte of a record's header: type, version, length. */
static enum tls_hello_verdict record_byte(struct tls_hello *h, uint8_t c)
{
	enum tls_hello_verdict other =
		h->wire <= RECORD_HEAD ? TLS_HELLO_NOT_TLS : TLS_HELLO_MALFORMED;

	switch (h->head_n++) {
	case 0:
		return c == RECORD_HANDSHAKE ? TLS_HELLO_MORE : other;
	case 1:
		return c == 3 ? TLS_HELLO_MORE : other;
	case 2:
		return c <= 4 ? TLS_HELLO_MORE : other;
	case 3:
		h->record_left = (uint16_t)(c << 8);
		return c <= RECORD_MAX >> 8 ? TLS_HELLO_MORE : TLS_HELLO_MALFORMED;
	default:
		h->record_left |= c;
		h->head_n = 0;
		return h->record_left && h->record_left <= RECORD_MAX
			       ? TLS_HELLO_MORE
			       : TLS_HELLO_MALFORMED;
	}
}

void tls_hello_init(struct tls_hello *h)
{
	memset(h, 0, sizeof(*h));
	h->verdict = TLS_HELLO_MORE;
	h->hello_left = 4;
	h->step = S_TYPE;
	h->step_left = 1;
}

enum tls_hello_verdict tls_hello_add(struct tls_hello *h, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && h->verdict == TLS_HELLO_MORE; i++) {
		if (h->wire == TLS_HELLO_WIRE_MAX) {
			h->verdict = TLS_HELLO_TOO_LONG;
			break;
		}
		h->wire++;
		if (h->head_n || !h->record_left) {
			h->verdict = record_byte(h, p[i]);
		} else {
			h->record_left--;
			h->verdict = handshake_byte(h, p[i]);
		}
	}
	if (h->verdict != TLS_HELLO_NAME && h->verdict != TLS_HELLO_MORE) {
		h->name[0] = '\0';
		h->name_n = 0;
	}
	return h->verdict;
}

const char *tls_hello_text(enum tls_hello_verdict v)
{
	switch (v) {
	case TLS_HELLO_MORE:
		return "an unfinished TLS hello";
	case TLS_HELLO_NAME:
		return "TLS with a host name";
	case TLS_HELLO_NO_SNI:
		return "TLS without a host name";
	case TLS_HELLO_SEVERAL:
		return "TLS with several host names";
	case TLS_HELLO_MALFORMED:
		return "a malformed TLS hello";
	case TLS_HELLO_NOT_TLS:
		return "no TLS";
	case TLS_HELLO_TOO_LONG:
		return "a TLS hello that is too long";
	}
	return "no TLS";
}
