/* Decides what in a message can become a request: only paths that all readers
 * understand in the same way, and no more requests than the limit. */
#include "runtime/hooks/hook_reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/utf8.h"
#include "runtime/bundle/format.h"
#include "runtime/query/query_text.h"

bool hook_fail(const struct reading *r, const char *key, const char *what)
{
	char shown[QUERY_SHOWN_CAP];

	io_escape(shown, sizeof(shown), key, strlen(key));
	(void)rt_fail(r->err, EINVAL, "'%s' %s", shown, what);
	return false;
}

bool hook_no_memory(const struct reading *r)
{
	(void)rt_fail(r->err, ENOMEM, "out of memory");
	return false;
}

/* --- requests ---------------------------------------------------------------------- */

char *hook_keep(struct reading *r, char *text)
{
	struct hook_message *m = r->m;
	char **p = text ? realloc(m->kept, (m->nkept + 1) * sizeof(*p)) : NULL;

	if (!p) {
		free(text);
		(void)hook_no_memory(r);
		return NULL;
	}
	m->kept = p;
	p[m->nkept++] = text;
	return text;
}

struct query_request *hook_add(struct reading *r, enum query_kind kind)
{
	struct hook_message *m = r->m;
	struct query_request *p;

	if (m->n == HOOK_MAX_REQUESTS) {
		(void)rt_fail(r->err, E2BIG, "it touches more than %d things",
			      HOOK_MAX_REQUESTS);
		return NULL;
	}
	p = realloc(m->requests, (m->n + 1) * sizeof(*p));
	if (!p) {
		(void)hook_no_memory(r);
		return NULL;
	}
	m->requests = p;
	p[m->n] = (struct query_request){ .kind = kind, .cwd = r->cwd };
	return &p[m->n++];
}

/* --- paths ------------------------------------------------------------------------- */

static bool is_wide_blank(const char *s, size_t n)
{
	static const char *const blanks[] = {
		"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", /* U+0085, U+00A0, U+1680 */
		"\xe1\xa0\x8e", "\xe3\x80\x80", "\xef\xbb\xbf", /* U+180E, U+3000, U+FEFF */
	};

	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		if (strlen(blanks[i]) == n && memcmp(s, blanks[i], n) == 0)
			return true;
	/* U+2000 to U+206F: blanks, direction marks and other invisible characters */
	return n == 3 && s[0] == '\xe2' && (s[1] == '\x80' || s[1] == '\x81');
}

bool hook_is_trimmed(const char *s, size_t n)
{
	size_t first = n ? utf8_length(s, n) : 0, last = 1;

	while (last < n && last < 4 && ((unsigned char)s[n - last] & 0xc0) == 0x80)
		last++;
	return first && (unsigned char)s[0] > ' ' && s[0] != '\x7f' &&
	       (unsigned char)s[n - 1] > ' ' && s[n - 1] != '\x7f' &&
	       !is_wide_blank(s, first) && !is_wide_blank(s + n - last, last);
}

const char *hook_plain(struct reading *r, const char *key, const char *path,
		       const char *base)
{
	size_t n = strlen(path) + (base ? strlen(base) : 0) + 2, at = 0;
	char *out = malloc(n), *p = out;
	const char *part[2] = { path[0] == '/' ? "" : base, path };

	if (!out) {
		(void)hook_no_memory(r);
		return NULL;
	}
	if (path[0] == '~' || (path[0] != '/' && !base)) {
		free(out);
		(void)hook_fail(r, key, "is no absolute path");
		return NULL;
	}
	for (int i = 0; i < 2; i++) {
		for (const char *s = part[i]; *s;) {
			size_t k = strcspn(s, "/");

			if (k && !(k == 1 && s[0] == '.')) {
				p[at++] = '/';
				memcpy(p + at, s, k);
				at += k;
			}
			s += k + (s[k] == '/');
		}
	}
	if (at == 0)
		p[at++] = '/';
	p[at] = '\0';
	if (!place_is_plain(out)) {
		free(out);
		(void)hook_fail(r, key, "has a '..', which may lead anywhere");
		return NULL;
	}
	return hook_keep(r, out);
}

/* Does pi (1.6.0) take another file for this name, or one that has a part of it replaced?  See its path-utils and
 * paths: '@' in front, '~', an address of a file, blanks of Unicode; and when it reads what is not there, other
 * quotes and forms of accents. */
static bool is_rewritten(struct reading *r, const char *path)
{
	static const char *const blanks[] = { "\xc2\xa0", "\xe2\x80", "\xe2\x81\x9f", "\xe3\x80\x80" };
	bool odd = strchr(path, '\'') || strcasestr(path, " AM.") || strcasestr(path, " PM.");
	const char *where;

	if (path[0] == '@' || path[0] == '~' || strncmp(path, "file:", 5) == 0)
		return true;
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		if (strstr(path, blanks[i]))
			return true;
	for (const char *p = path; *p; p++)
		odd |= (unsigned char)*p >= 0x80;
	if (!odd || !r->tool || strcmp(r->tool, "read") != 0)
		return false;
	where = hook_plain(r, "path", path, r->cwd);
	return !where || access(where, F_OK) != 0;
}

const char *hook_plain_path(struct reading *r, const char *key, const char *path)
{
	if (r->m->agent == HOOK_PI && is_rewritten(r, path)) {
		(void)hook_fail(r, key, "is a name for which the agent may take another file");
		return NULL;
	}
	if (!hook_is_trimmed(path, strlen(path))) {
		(void)hook_fail(r, key, "has a blank at an end, which may belong to it or not");
		return NULL;
	}
	return hook_plain(r, key, path, r->cwd);
}

bool hook_add_file(struct reading *r, const char *key, const char *path, uint8_t ops)
{
	const char *where = hook_plain_path(r, key, path);

	for (unsigned op = PB_READ; where && op <= PB_EXEC; op <<= 1) {
		struct query_request *q = ops & op ? hook_add(r, QUERY_FILE) : NULL;

		if (!(ops & op))
			continue;
		if (!q)
			return false;
		q->op = (uint8_t)op;
		q->path = where;
	}
	return where != NULL;
}
