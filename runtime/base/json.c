/* Writes JSON, indented by two blanks a level; it decides only how a text is
 * escaped. */
#include "runtime/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j)
{
	memset(j, 0, sizeof(*j));
}

void json_release(struct json *j)
{
	free(j->buf);
	json_init(j);
}

static void put(struct json *j, const char *s, size_t len)
{
	if (j->failed)
		return;
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
	puts_(j, "\n");
	for (unsigned i = 0; i < j->depth; i++)
		puts_(j, "  ");
}

/* Length of a well-formed UTF-8 sequence that needs no escape, or 0. */
static size_t utf8(const unsigned char *s, size_t len)
{
	size_t n = s[0] < 0x80		 ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4
					   : 0;

	if (n == 0 || n > len || s[0] == 0xc0 || s[0] == 0xc1 || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void quoted(struct json *j, const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;

	puts_(j, "\"");
	for (size_t i = 0; i < len;) {
		size_t n = utf8(u + i, len - i);
		char esc[8];

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
		i += n;
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
		puts_(j, ": ");
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

const char *json_finish(struct json *j, size_t *ret_len)
{
	puts_(j, "\n");
	if (j->failed)
		return NULL;
	*ret_len = j->len;
	return j->buf;
}
