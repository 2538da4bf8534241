/* Writes and reads the lines of a stage's files; what they mean is decided elsewhere. */
#include "runtime/stage/stage_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool room(struct stage_text *t, size_t more)
{
	size_t cap = t->cap ? t->cap : 4096;
	char *p;

	if (t->failed)
		return false;
	if (t->n + more <= t->cap)
		return true;
	while (cap < t->n + more)
		cap *= 2;
	p = realloc(t->p, cap);
	if (!p) {
		t->failed = true;
		return false;
	}
	t->p = p;
	t->cap = cap;
	return true;
}

void stage_text_add(struct stage_text *t, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* paths have a function of their own: what comes here is short */
	if (n < 0 || (size_t)n >= sizeof(line)) {
		t->failed = true;
		return;
	}
	if (!room(t, (size_t)n))
		return;
	memcpy(t->p + t->n, line, (size_t)n);
	t->n += (size_t)n;
}

void stage_text_path(struct stage_text *t, const char *path)
{
	static const char hex[] = "0123456789abcdef";
	size_t len = strlen(path);

	if (!room(t, 3 * len + 2))
		return;
	t->p[t->n++] = ' ';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)path[i];

		if (c >= 0x20 && c != 0x7f && c != '%') {
			t->p[t->n++] = (char)c;
			continue;
		}
		t->p[t->n++] = '%';
		t->p[t->n++] = hex[c >> 4];
		t->p[t->n++] = hex[c & 15];
	}
	t->p[t->n++] = '\n';
}

int stage_text_end(const struct stage_text *t)
{
	return t->failed ? -ENOMEM : 0;
}

void stage_text_release(struct stage_text *t)
{
	free(t->p);
	*t = (struct stage_text){ .p = NULL };
}

char *stage_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

char *stage_word(char **at)
{
	char *word = *at, *end;

	if (!word || !*word)
		return NULL;
	end = strchr(word, ' ');
	if (end)
		*end++ = '\0';
	else
		end = word + strlen(word);
	*at = end;
	return word;
}

bool stage_signed(char **at, int64_t *ret)
{
	char *word = stage_word(at), *end;
	long long v;

	if (!word || !*word)
		return false;
	errno = 0;
	v = strtoll(word, &end, 10);
	if (errno || *end)
		return false;
	*ret = v;
	return true;
}

bool stage_number(char **at, uint64_t *ret)
{
	char *word = stage_word(at), *end;
	unsigned long long v;

	if (!word || word[0] < '0' || word[0] > '9')
		return false;
	errno = 0;
	v = strtoull(word, &end, 10);
	if (errno || *end)
		return false;
	*ret = v;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool stage_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int hi, lo;

		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		hi = digit(s[1]);
		lo = hi < 0 ? -1 : digit(s[2]);
		if (lo < 0 || (hi == 0 && lo == 0))
			return false;
		*to++ = (char)(hi * 16 + lo);
		s += 2;
	}
	*to = '\0';
	return true;
}
