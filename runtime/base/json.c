/* Writes JSON, indented by two blanks a level or on one line. Decides only how text is
 * escaped. */
#include "runtime/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/utf8.h"

void json_init(struct json *j)
{
	memset(j, 0, sizeof(*j));
}

void json_init_fixed(struct json *j, char *buf, size_t cap)
{
	*j = (struct json){ .buf = buf, .cap = cap, .fixed = true };
	if (cap)
		buf[0] = '\0';
}

void json_release(struct json *j)
{
	if (!j->fixed)
		free(j->buf);
	json_init(j);
}

void json_reset(struct json *j)
{
	struct json old = *j;

	*j = (struct json){ .buf = old.buf, .cap = old.cap, .one_line = old.one_line,
			    .fixed = old.fixed };
}

static void put_fixed(struct json *j, const char *s, size_t len)
{
	size_t room = j->len < j->cap ? j->cap - j->len - 1 : 0;
	size_t n = len < room ? len : room;

	if (j->len < j->cap) {
		memcpy(j->buf + j->len, s, n);
		j->buf[j->len + n] = '\0';
	}
	j->len += len;
}

static void put(struct json *j, const char *s, size_t len)
{
	if (j->failed)
		return;
	if (j->fixed) {
		put_fixed(j, s, len);
		return;
	}
	if (j->cap - j->len < len + 1) {
		size_t cap = j->cap ? j->cap * 2 : 1024;
		char *p;

		while (cap - j->len < len + 1)
			cap *= 2;
		p = realloc(j->buf, cap);
		if (!p) {
			j->failed = true;
			return;
		}
		j->buf = p;
		j->cap = cap;
	}
	memcpy(j->buf + j->len, s, len);
	j->len += len;
	j->buf[j->len] = '\0';
}

static void puts_(struct json *j, const char *s)
{
	put(j, s, strlen(s));
}

static void newline(struct json *j)
{
	if (j->one_line)
		return;
	puts_(j, "\n");
	for (unsigned i = 0; i < j->depth; i++)
		puts_(j, "  ");
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void quoted(struct json *j, const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;

	puts_(j, "\"");
	for (size_t i = 0, n; i < len; i += n) {
		size_t plain = i;
		char esc[8];

		/* most text can be copied in one go */
		while (plain < len && is_plain(u[plain]))
			plain++;
		n = plain - i;
		if (n) {
			put(j, s + i, n);
			continue;
		}
		n = utf8_length(s + i, len - i);

		if (n == 0) {
			puts_(j, "\\ufffd");
			n = 1;
		} else if (u[i] == '"' || u[i] == '\\') {
			esc[0] = '\\';
			esc[1] = (char)u[i];
			put(j, esc, 2);
		} else if (u[i] < 0x20 || u[i] == 0x7f) {
			(void)snprintf(esc, sizeof(esc), "\\u%04x", u[i]);
			puts_(j, esc);
		} else {
			put(j, s + i, n);
		}
	}
	puts_(j, "\"");
}

static void member(struct json *j, const char *key)
{
	if (j->comma)
		puts_(j, ",");
	if (j->depth)
		newline(j);
	if (key) {
		quoted(j, key, strlen(key));
		puts_(j, j->one_line ? ":" : ": ");
	}
	j->comma = true;
}

static void begin(struct json *j, const char *key, const char *mark)
{
	member(j, key);
	puts_(j, mark);
	j->depth++;
	j->comma = false;
}

static void end(struct json *j, const char *mark)
{
	bool empty = !j->comma;

	j->depth--;
	if (!empty)
		newline(j);
	puts_(j, mark);
	j->comma = true;
}

void json_object(struct json *j, const char *key)
{
	begin(j, key, "{");
}

void json_object_end(struct json *j)
{
	end(j, "}");
}

void json_array(struct json *j, const char *key)
{
	begin(j, key, "[");
}

void json_array_end(struct json *j)
{
	end(j, "]");
}

void json_str(struct json *j, const char *key, const char *s, size_t len)
{
	member(j, key);
	quoted(j, s, len);
}

void json_cstr(struct json *j, const char *key, const char *s)
{
	if (s)
		json_str(j, key, s, strlen(s));
	else
		json_null(j, key);
}

void json_int(struct json *j, const char *key, int64_t v)
{
	char b[32];

	member(j, key);
	(void)snprintf(b, sizeof(b), "%" PRId64, v);
	puts_(j, b);
}

void json_uint(struct json *j, const char *key, uint64_t v)
{
	char b[32];

	member(j, key);
	(void)snprintf(b, sizeof(b), "%" PRIu64, v);
	puts_(j, b);
}

void json_bool(struct json *j, const char *key, bool v)
{
	member(j, key);
	puts_(j, v ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	member(j, key);
	puts_(j, "null");
}

void json_raw(struct json *j, const char *key, const char *s, size_t len)
{
	member(j, key);
	put(j, s, len);
}

const char *json_finish(struct json *j, size_t *ret_len)
{
	puts_(j, "\n");
	if (j->failed)
		return NULL;
	*ret_len = j->len;
	return j->fixed && j->len >= j->cap ? NULL : j->buf;
}
