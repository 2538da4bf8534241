/*
 * Finds places in a text of JSON that has been read already, so that it is known to be
 * valid, and inserts or removes one element or member there.
 */
#include "runtime/hooks/hook_edit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>



void hook_edit_blank(char *text)
{
	bool in_text = false;

	for (char *p = text; *p; p++) {
		char *end;

		if (in_text) {
			if (*p == '\\' && p[1])
				p++;
			else
				in_text = *p != '"';
			continue;
		}
		in_text = *p == '"';
		if (p[0] != '/' || (p[1] != '/' && p[1] != '*'))
			continue;
		end = p[1] == '/' ? strchrnul(p, '\n') : strstr(p + 2, "*/");
		if (!end)
			return;
		end += *end == '*' ? 2 : 0;
		for (char *c = p; c < end; c++)
			if (*c != '\n')
				*c = ' ';
		p = end - 1;
	}
}

/* --- places ------------------------------------------------------------------------- */

/* An object or list, and one thing in it. */
struct place {
	size_t open, close;   /* its brackets */
	size_t before;        /* the end of the thing before, or open + 1 */
	size_t from, to;      /* the thing: a value, or NAME: VALUE; from == close: none */
	size_t value;         /* where its value begins */
	size_t next;          /* where the next thing begins; 0: there is none */
	size_t n;             /* how many things there are */
};

static size_t blanks(const char *s, size_t i)
{
	return i + strspn(s + i, " \t\r\n");
}

static size_t end_of_text(const char *s, size_t i)
{
	for (i++; s[i] && s[i] != '"'; i++)
		if (s[i] == '\\' && s[i + 1])
			i++;
	return s[i] ? i + 1 : i;
}

static size_t end_of_value(const char *s, size_t i)
{
	size_t depth = 0;

	if (s[i] == '"')
		return end_of_text(s, i);
	if (s[i] != '{' && s[i] != '[')
		return i + strcspn(s + i, ",]} \t\r\n");
	do {
		if (s[i] == '"') {
			i = end_of_text(s, i);
			continue;
		}
		depth += s[i] == '{' || s[i] == '[';
		depth -= s[i] == '}' || s[i] == ']';
		i++;
	} while (depth && s[i]);
	return i;
}

static bool is_name(const char *s, size_t i, const char *name)
{
	size_t n = strlen(name);

	return s[i] == '"' && strncmp(s + i + 1, name, n) == 0 && s[i + 1 + n] == '"';
}

/* Finds the member `name`, or (NULL) the k-th thing; k == SIZE_MAX: the last one. */
static bool find(const char *s, size_t open, const char *name, size_t k, struct place *ret)
{
	size_t i = blanks(s, open + 1), end = open + 1;
	bool found = false;

	*ret = (struct place){ .open = open, .before = end };
	while (s[i] && s[i] != '}' && s[i] != ']') {
		size_t from = i, value = i;
		bool object = s[open] == '{';

		if (object) {
			value = blanks(s, end_of_text(s, i));
			value = blanks(s, value + (s[value] == ':'));
		}
		if (found && !ret->next)
			ret->next = from;
		if (!found || k == SIZE_MAX) {
			bool this = name ? object && is_name(s, from, name) :
					   k == SIZE_MAX || ret->n == k;

			if (this) {
				ret->before = end;
				ret->from = from;
				ret->value = value;
				ret->to = end_of_value(s, value);
				ret->next = 0;
				found = true;
			}
		}
		end = end_of_value(s, value);
		ret->n++;
		i = blanks(s, end);
		i = s[i] == ',' ? blanks(s, i + 1) : i;
	}
	ret->close = i;
	return found && s[i];
}

/* Where the object or list below `path` begins; "#K" names the K-th thing of a list. */
static int find_below(const char *s, const char *const *path, char bracket, size_t *ret,
		      struct rt_err *err)
{
	size_t at = blanks(s, 0);
	struct place p;

	for (; *path && s[at] == (**path == '#' ? '[' : '{'); path++) {
		bool index = **path == '#';

		if (!find(s, at, index ? NULL : *path, index ? strtoul(*path + 1, NULL, 10) : 0, &p))
			return rt_fail(err, ENOENT, "'%s' is not there", *path);
		at = p.value;
	}
	if (*path || s[at] != bracket)
		return rt_fail(err, EINVAL, "'%s' is no %s", *path ? *path : "it",
			       bracket == '{' ? "object" : "list");
	*ret = at;
	return 0;
}

/* The text with blanks in place of comments: malloc'ed. */
static char *plain(const struct hook_edit *e)
{
	char *s = strndup(e->text, e->n);

	if (s && e->comments)
		hook_edit_blank(s);
	return s;
}

/* --- changes ------------------------------------------------------------------------ */

static int no_memory(struct rt_err *err)
{
	return rt_fail(err, ENOMEM, "out of memory");
}

/* Replaces text[from..to) by `by`. */
static int replace(struct hook_edit *e, size_t from, size_t to, const char *by, size_t n,
		   struct rt_err *err)
{
	char *text = malloc(e->n - (to - from) + n + 1);

	if (!text)
		return no_memory(err);
	memcpy(text, e->text, from);
	memcpy(text + from, by, n);
	memcpy(text + from + n, e->text + to, e->n - to);
	e->n = e->n - (to - from) + n;
	text[e->n] = '\0';
	free(e->text);
	e->text = text;
	return 0;
}

/* The blanks at the beginning of the line of text[at]. */
static size_t indent_of(const char *s, size_t at, const char **ret)
{
	while (at && s[at - 1] != '\n')
		at--;
	*ret = s + at;
	return strspn(s + at, " \t");
}

/* One step of indentation, as the file's first indented line has it. */
static size_t unit_of(const char *s, const char **ret)
{
	for (const char *p = s; (p = strchr(p, '\n')) != NULL; p++) {
		size_t n = strspn(p + 1, " \t");

		if (n && !strchr("\r\n", p[1 + n])) {
			*ret = p + 1;
			return n;
		}
	}
	*ret = "  ";
	return 2;
}

/* The place behind the last byte before `close` that is no blank: comments count. */
static size_t last_ink(const char *text, size_t close)
{
	while (close && strchr(" \t\r\n", text[close - 1]))
		close--;
	return close;
}

/* Puts `item` behind the last thing of the object or list at `open`. */
static int insert(struct hook_edit *e, const char *s, size_t open, const char *item,
		  struct rt_err *err)
{
	const char *indent, *unit;
	size_t nindent, nunit = 0;
	struct place p;
	char *by = NULL;
	bool any = find(s, open, NULL, SIZE_MAX, &p), lines;
	size_t at;
	int n, r;

	lines = !any || memchr(s + p.before, '\n', p.from - p.before) != NULL ||
		memchr(s + p.to, '\n', p.close - p.to) != NULL;
	if (any) {
		nindent = indent_of(s, p.from, &indent);
		unit = "";
	} else {
		nindent = indent_of(s, open, &indent);
		nunit = unit_of(s, &unit);
	}
	at = last_ink(e->text, p.close);
	n = lines ? asprintf(&by, "\n%.*s%.*s%s%s%.*s", (int)nindent, indent, (int)nunit, unit, item,
			     any ? "" : "\n", any ? 0 : (int)nindent, indent) :
		    asprintf(&by, " %s", item);
	if (n < 0)
		return no_memory(err);
	/* an empty one is filled from the last comment in it to its end */
	r = replace(e, at, any ? at : p.close, by, (size_t)n, err);
	free(by);
	return r == 0 && any ? replace(e, p.to, p.to, ",", 1, err) : r;
}

int hook_edit_member(struct hook_edit *e, const char *const *path, const char *name,
		     const char *value, struct rt_err *err)
{
	char *s = plain(e), *item = NULL;
	struct place p;
	size_t open;
	int r = s ? find_below(s, path, '{', &open, err) : no_memory(err);

	if (r == 0 && !find(s, open, name, 0, &p)) {
		if (asprintf(&item, "\"%s\": %s", name, value) < 0)
			r = no_memory(err);
		else
			r = insert(e, s, open, item, err);
		free(item);
	}
	free(s);
	return r;
}

int hook_edit_append(struct hook_edit *e, const char *const *path, const char *value,
		     struct rt_err *err)
{
	char *s = plain(e);
	size_t open;
	int r = s ? find_below(s, path, '[', &open, err) : no_memory(err);

	if (r == 0)
		r = insert(e, s, open, value, err);
	free(s);
	return r;
}

/* Removes the thing, and what made room for it. */
static int cut(struct hook_edit *e, const char *s, const struct place *p, struct rt_err *err)
{
	size_t ink = last_ink(e->text, p->from), comma;
	int r;

	if (p->next) /* up to the next one, with the comma behind it */
		return replace(e, p->from, p->next, "", 0, err);
	if (p->n == 1) /* with the blanks on both sides, if there is nothing else */
		return replace(e, ink, ink == p->open + 1 ? p->close : p->to, "", 0, err);
	comma = p->before + strspn(s + p->before, " \t\r\n");
	/* a comment may stand between the comma and the thing */
	r = replace(e, ink > comma + 1 ? ink : comma + 1, p->to, "", 0, err);
	return r == 0 ? replace(e, comma, comma + 1, "", 0, err) : r;
}

int hook_edit_remove(struct hook_edit *e, const char *const *path, const char *name,
		     size_t k, struct rt_err *err)
{
	char *s = plain(e);
	struct place p;
	size_t open;
	int r = s ? find_below(s, path, name ? '{' : '[', &open, err) : no_memory(err);

	if (r == 0)
		r = find(s, open, name, k, &p) ? cut(e, s, &p, err) :
						 rt_fail(err, ENOENT, "it is not there");
	free(s);
	return r;
}

int hook_edit_prune(struct hook_edit *e, const char *const *path, const char *name,
		    struct rt_err *err)
{
	char *s = plain(e);
	struct place p;
	size_t open;
	int r = s ? find_below(s, path, '{', &open, err) : no_memory(err);

	if (r == 0 && find(s, open, name, 0, &p) && (s[p.value] == '{' || s[p.value] == '[') &&
	    blanks(e->text, p.value + 1) + 1 == p.to)
		r = cut(e, s, &p, err);
	free(s);
	return r;
}
