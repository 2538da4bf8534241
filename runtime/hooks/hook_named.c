/* Finds the files that a list, a pattern or a patch names, and the hosts that an
 * address names.  Refuses what two readers would read differently. */
#include "runtime/hooks/hook_named.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/host.h"
#include "runtime/bundle/format.h"
#include "runtime/hooks/hook_reading.h"
#include "runtime/hooks/hook_tools.h"

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* --- files ---------------------------------------------------------------------------- */

bool hook_in_list(const char *list, const char *word)
{
	size_t n = strlen(word);

	/* a text of two words is not one word of the list */
	if (n == 0 || strchr(word, ' '))
		return false;
	for (const char *p = list; (p = strstr(p, word)) != NULL; p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

/*
 * True if the pattern matches only below its directory.  Expansion can build a path
 * from pieces: braces make "/x" of "{,a}/x" and ".." of ".{.,a}", and brackets make
 * ".." of "[.][.]".  So a dot is taken for half of a ".." if such a byte follows it,
 * and such a byte, a '/' or the beginning comes before it.
 */
static bool is_below(const char *glob)
{
	static const char *const fronts[] = { "{/", ",/", "{~", ",~", "{,", ",,", ",}" };
	static const char joins[] = "{,}[]()|";

	if (strchr("/~\\", glob[0]) || strchr(glob, '\\') || strstr(glob, ".."))
		return false;
	for (size_t i = 0; glob[0] == '{' && i < sizeof(fronts) / sizeof(fronts[0]); i++)
		if (strstr(glob, fronts[i]))
			return false;
	for (const char *p = glob; *p; p++)
		if (*p == '.' && p[1] && strchr(joins, p[1]) &&
		    (p == glob || p[-1] == '/' || strchr(joins, p[-1])))
			return false;
	return true;
}

static bool check_glob(struct reading *r, const char *key, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_string))
		return hook_fail(r, key, "is no text");
	if (!is_below(json_object_get_string(v)))
		return hook_fail(r, key, "may match elsewhere: name the directory in 'path' "
					 "and no '/', '~', '..' or '\\' in front of the rest");
	return true;
}

/* Calls `take` for each element of a list; a single text counts as a list of one. */
static bool each(struct reading *r, const char *key, struct json_object *list,
		 bool (*take)(struct reading *, const char *, struct json_object *))
{
	if (!json_object_is_type(list, json_type_array))
		return take(r, key, list);
	if (json_object_array_length(list) == 0)
		return hook_fail(r, key, "is empty");
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!take(r, key, json_object_array_get_idx(list, i)))
			return false;
	return true;
}

bool hook_check_globs(struct reading *r, const struct hook_tool *t)
{
	json_object_object_foreach(r->input, key, value) {
		if (!hook_in_list(t->glob, key))
			continue;
		if (!(t->what == W_TREES ? each(r, key, value, check_glob) :
					   check_glob(r, key, value)))
			return false;
	}
	return true;
}

/* See packages/core/src/utils/pathCorrector.ts of Gemini CLI. */
bool hook_add_sought(struct reading *r, const char *key, const char *path)
{
	if (!hook_add_file(r, key, path, PB_READ | PB_WRITE))
		return false;
	if (path[0] != '/' && access(r->m->requests[r->m->n - 1].path, F_OK) != 0)
		return hook_fail(r, key, "names no file here, and may be taken for one that "
					 "lies elsewhere: give an absolute path");
	return true;
}

static bool add_both(struct reading *r, const char *key, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_string))
		return hook_fail(r, key, "is no text");
	return hook_add_file(r, key, json_object_get_string(v), PB_READ | PB_WRITE);
}

static bool add_read(struct reading *r, const char *key, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_string))
		return hook_fail(r, key, "is no text");
	return hook_add_file(r, key, json_object_get_string(v), PB_READ);
}

bool hook_add_reads(struct reading *r, const char *keys)
{
	json_object_object_foreach(r->input, key, value) {
		if (hook_in_list(keys, key) && !each(r, key, value, add_read))
			return false;
	}
	return true;
}

bool hook_add_files(struct reading *r, const char *keys)
{
	size_t before = r->m->n;
	char wanted[80];

	if (!hook_add_reads(r, keys))
		return false;
	(void)snprintf(wanted, sizeof(wanted), "%s", keys);
	return r->m->n > before || hook_fail(r, wanted, "is missing");
}

bool hook_add_any_files(struct reading *r, const char *keys)
{
	json_object_object_foreach(r->input, key, value) {
		if (hook_in_list(keys, key) && !each(r, key, value, add_both))
			return false;
	}
	return true;
}

bool hook_add_published(struct reading *r, const struct hook_tool *t)
{
	struct json_object *url;

	if (!hook_add_files(r, t->subject) || !hook_add_any_files(r, t->where) ||
	    !hook_add_url(r, "tool_name", hook_publisher, HOOK_URL_ALONE))
		return false;
	if (!json_object_object_get_ex(r->input, "url", &url))
		return true;
	if (!json_object_is_type(url, json_type_string))
		return hook_fail(r, "url", "is no text");
	return hook_add_url(r, "url", json_object_get_string(url), HOOK_URL_ALONE);
}

/* --- addresses ------------------------------------------------------------------------ */

/* The port in ":PORT", or the scheme's port; 0: none. */
static unsigned port_of(const char *s, size_t n, bool tls)
{
	unsigned port = 0;

	if (n == 0)
		return tls ? 443 : 80;
	if (s[0] != ':' || n > 6)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return 0;
		port = port * 10 + (unsigned)(s[i] - '0');
	}
	return n == 1 ? (tls ? 443 : 80) : port <= 65535 ? port : 0;
}

/* The bytes of a host.  With any other byte, some reader sees another address. */
static bool is_host_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c && strchr(".:_-[]", c));
}

/* Claude Code's WebFetch turns "http" into "https", and so changes the port if it was
 * the scheme's default. */
static bool add_upgraded(struct reading *r, const struct query_request *http)
{
	struct query_request copy = *http, *q = hook_add(r, QUERY_NET);

	copy.port = 443;
	if (q)
		*q = copy;
	return q != NULL;
}

/* The length of "http://" or its kind, or 0. */
static size_t scheme_of(const char *s, enum hook_url form, bool *ret_tls)
{
	const char *name = form == HOOK_URL_SOCKET ? "ws" : "http";
	size_t n = strlen(name);

	if (strncasecmp(s, name, n) != 0)
		return 0;
	*ret_tls = (s[n] | 32) == 's';
	n += *ret_tls;
	return strncmp(s + n, "://", 3) == 0 ? n + 3 : 0;
}

/* Adds one "http://…" or "https://…" at `s`.  Programs that fetch remove tabs and
 * newlines from it and leave most other bytes in the host.  So the host ends where a
 * path begins, or, in a text of several words, at a blank. */
bool hook_add_url(struct reading *r, const char *key, const char *s, enum hook_url form)
{
	bool tls = false;
	size_t n = scheme_of(s, form, &tls), i, host_n;
	struct query_request *q;
	const char *host;
	char *text;

	if (n == 0)
		return hook_fail(r, key, form == HOOK_URL_SOCKET ?
				 "is no address that begins with ws:// or wss://" :
				 "is no address that begins with http:// or https://");
	s += n;
	n = strcspn(s, form == HOOK_URL_WORDS ? "/?# \t\n\v\f\r" : "/?#");
	for (i = 0; i < n; i++)
		if (!is_host_byte(s[i]))
			return hook_fail(r, key, "has a host that may be read in two ways");
	host = s;
	host_n = strcspn(s, ":");
	if (s[0] == '[') {
		host = s + 1;
		host_n = strcspn(host, "]");
		if (host_n + 2 > n)
			return hook_fail(r, key, "has no host");
		i = host_n + 2;
	} else {
		host_n = host_n < n ? host_n : n;
		i = host_n;
	}
	q = hook_add(r, QUERY_NET);
	text = q ? hook_keep(r, strndup(host, host_n)) : NULL;
	if (!text)
		return false;
	q = &r->m->requests[r->m->n - 1];
	q->host = text;
	q->port = (uint16_t)port_of(s + i, n - i, tls);
	q->is_addr = host_address(text, q->addr);
	if (q->port == 0 || (!q->is_addr && !host_is_name(text)))
		return hook_fail(r, key, "has no host and port that can be read");
	return tls || q->port != 80 || form == HOOK_URL_SOCKET || r->m->agent != HOOK_CLAUDE ||
	       add_upgraded(r, q);
}

/* Adds every address in a text for people.  A text without addresses fetches nothing
 * that we know of. */
bool hook_add_urls(struct reading *r, const char *key, const char *text)
{
	size_t found = 0;

	for (const char *p = text; (p = strcasestr(p, "http")) != NULL; p += 4) {
		size_t n = (p[4] | 32) == 's' ? 5 : 4;

		if (p[n] != ':' || !p[n + 1] || is_blank(p[n + 1]))
			continue;
		/* some readers also accept "http:/x" and "http:\\x" as addresses */
		if (!hook_add_url(r, key, p, HOOK_URL_WORDS))
			return false;
		found++;
	}
	return found ? true : hook_fail(r, key, "names no address");
}

/* --- patches --------------------------------------------------------------------------- */

static const char *const patch_heads[] = { "*** Add File: ", "*** Update File: ",
					   "*** Delete File: ", "*** Move to: " };

/* Readers remove blanks (also Unicode's) from the ends of a name, but not all remove
 * the same ones: with such a blank it would be two names. */
static bool add_patched(struct reading *r, const char *path, size_t n)
{
	char *text;

	if (path[0] <= ' ' || path[0] > '~' || path[n - 1] <= ' ' || path[n - 1] > '~')
		return hook_fail(r, "command",
				 "is a patch of a file whose name may be read in two ways");
	text = hook_keep(r, strndup(path, n));
	return text && hook_add_file(r, "command", text, PB_READ | PB_WRITE);
}

/* True if a head follows something that a reader may remove from the front of the line. */
static bool has_late_head(const char *line, size_t n)
{
	/* content, whatever a reader removes */
	if (n && strchr("+-@", line[0]))
		return false;
	for (size_t i = 0; i < sizeof(patch_heads) / sizeof(patch_heads[0]); i++)
		/* compare without the last blank, since another blank may be in its
		 * place */
		if (n > 1 && memmem(line + 1, n - 1, patch_heads[i], strlen(patch_heads[i]) - 1))
			return true;
	return false;
}

/* Codex's patches (codex-rs/apply-patch/src/parser.rs): each file is on a line of its
 * own.  The ends of the line are trimmed for some heads and not for others. */
static bool add_patch_line(struct reading *r, const char *line, size_t n)
{
	static const char *const marks[] = { "*** Begin Patch", "*** End Patch",
					     "*** End of File" };

	/* "\r\n" also ends a line */
	if (n && line[n - 1] == '\r')
		n--;
	if (has_late_head(line, n))
		return hook_fail(r, "command", "is a patch with a file named within a line");
	for (size_t i = 0; i < sizeof(patch_heads) / sizeof(patch_heads[0]); i++) {
		size_t k = strlen(patch_heads[i]);

		if (n > k && strncmp(line, patch_heads[i], k) == 0)
			return add_patched(r, line + k, n - k);
	}
	if (n < 4 || strncmp(line, "*** ", 4) != 0)
		return true;
	while (is_blank(line[n - 1]))
		n--;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (n == strlen(marks[i]) && strncmp(line, marks[i], n) == 0)
			return true;
	return hook_fail(r, "command", "is a patch with a line that is not understood");
}

bool hook_add_patch(struct reading *r, const char *text)
{
	size_t before = r->m->n;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (!add_patch_line(r, text, n))
			return false;
		text += n + (text[n] == '\n');
	}
	return r->m->n > before ? true : hook_fail(r, "command", "is a patch of no file");
}

char *hook_patch_of_line(const char *line)
{
	static const char name[] = "apply_patch";
	const char *p = line + strspn(line, " \t\n"), *word, *body, *end;
	size_t n;
	char quote;

	if (strncmp(p, name, sizeof(name) - 1) != 0)
		return NULL;
	p += sizeof(name) - 1;
	n = strspn(p, " \t");
	if (!n || strncmp(p + n, "<<", 2) != 0)
		return NULL;
	p += n + 2;
	p += strspn(p, " \t");
	quote = *p;
	if (quote != '\'' && quote != '"')
		return NULL;
	word = p + 1;
	n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
	if (!n || word[n] != quote || word[n + 1] != '\n')
		return NULL;
	body = word + n + 2;
	for (end = body; *end; end += (end[0] == '\n')) {
		size_t k = strcspn(end, "\n");

		if (k == n && strncmp(end, word, n) == 0)
			break;
		end += k;
	}
	/* nothing but blanks behind the word */
	if (!*end || end == body || end[n + strspn(end + n, " \t\n")])
		return NULL;
	return strndup(body, (size_t)(end - body));
}
