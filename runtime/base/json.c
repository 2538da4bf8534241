/* Writes JSON, indented by two blanks a level or on one line. Decides only how text is
 * escaped and where white space stands. */
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

void json_init_put(struct json *j, void (*put)(void *to, const char *s, size_t len),
		   void *to)
{
	*j = (struct json){ .put = put, .to = to };
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

	*j = (struct json){ .buf = old.buf, .cap = old.cap, .put = old.put, .to = old.to,
			    .fixed = old.fixed, .layout = old.layout,
			    .text = old.text };
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
	if (j->put) {
		j->put(j->to, s, len);
		return;
	}
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
	if (j->layout == JSON_INDENTED || j->line)
		puts_(j, "\n");
	j->line = false;
	if (j->layout != JSON_INDENTED)
		return;
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
		if (n > 1) {
			put(j, s + i, n);
			continue;
		}
		if (u[i] == '"' || u[i] == '\\')
			(void)snprintf(esc, sizeof(esc), "\\%c", u[i]);
		else if (j->text == JSON_SHORT && (u[i] == '\n' || u[i] == '\t'))
			(void)snprintf(esc, sizeof(esc), "\\%c", u[i] == '\n' ? 'n' : 't');
		else
			(void)snprintf(esc, sizeof(esc), "\\u%04x",
				       n || j->text != JSON_REPLACE ? u[i] : 0xfffd);
		puts_(j, esc);
		n = 1;
	}
	puts_(j, "\"");
}

void json_key(struct json *j, const char *key, size_t len)
{
	if (j->comma)
		puts_(j, j->layout == JSON_SPACED ? ", " : ",");
	if (j->depth)
		newline(j);
	if (key) {
		quoted(j, key, len);
		puts_(j, j->layout == JSON_TIGHT ? ":" : ": ");
	}
	j->comma = true;
	j->keyed = true;
}

static void member(struct json *j, const char *key)
{
	if (!j->keyed)
		json_key(j, key, key ? strlen(key) : 0);
	j->keyed = false;
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
	if (!empty || j->line)
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

void json_line(struct json *j)
{
	j->line = true;
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
