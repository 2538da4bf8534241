/* Decides what counts as a record of what a run has left: exactly what is written here. */
#include "runtime/state/left_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

#define FIRST "pol-left 2"

/* --- writing ----------------------------------------------------------------------- */

static void put_path(FILE *f, const char *path)
{
	for (const unsigned char *s = (const unsigned char *)path; *s; s++)
		if (*s < 0x20 || *s == 0x7f || *s == '%')
			fprintf(f, "%%%02x", *s);
		else
			fputc(*s, f);
	fputc('\n', f);
}

void left_text_path(FILE *f, const char *what, const char *path)
{
	fprintf(f, "%s ", what);
	put_path(f, path);
}

void left_text_head(FILE *f, const char *project)
{
	fputs(FIRST "\n", f);
	left_text_path(f, "project", project);
}

void left_text_repo(FILE *f, const struct repo_item *r)
{
	fprintf(f, "was %s ", left_word((enum left_kind)(LEFT_REPO + r->kind)));
	put_path(f, r->path);
}

void left_text_item(FILE *f, const struct left_item *it)
{
	fprintf(f, "left %lld %s %s ", (long long)it->when, it->killed ? "killed" : "ended",
		left_word(it->kind));
	put_path(f, it->path);
}

/* --- reading ----------------------------------------------------------------------- */

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decodes the path in place.  A byte 0 is refused, since it would end the path too
 * early. */
static bool read_path(char *s)
{
	char *w = s;

	for (; *s; s++) {
		int high, low;

		if (*s != '%') {
			*w++ = *s;
			continue;
		}
		high = hex(s[1]);
		low = high < 0 ? -1 : hex(s[2]);
		if (low < 0 || !(high * 16 + low))
			return false;
		*w++ = (char)(high * 16 + low);
		s += 2;
	}
	*w = '\0';
	return true;
}

/* Takes the word before the next blank off *s; "": no word. */
static const char *word(char **s)
{
	char *begin = *s, *blank = strchr(begin, ' ');

	if (!blank)
		return "";
	*blank = '\0';
	*s = blank + 1;
	return begin;
}

static bool read_number(const char *s, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(s, &end, 10);
	return end > s && !*end && !errno && *s >= '0' && *s <= '9';
}

static int read_was(struct left_text *t, char *s)
{
	enum left_kind k = left_kind_of(word(&s));
	struct repo_item *grown;

	if (k >= LEFT_NAME || !read_path(s))
		return -EBADMSG;
	grown = reallocarray(t->was, t->nwas + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->was = grown;
	grown[t->nwas++] = (struct repo_item){ (enum repo_kind)(k - LEFT_REPO), s };
	return 0;
}

static int read_may(struct left_text *t, char *s)
{
	char **grown;

	if (s[0] != '/' || !read_path(s))
		return -EBADMSG;
	grown = reallocarray(t->may, t->nmay + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->may = grown;
	grown[t->nmay++] = s;
	return 0;
}

static int read_left(struct left_text *t, char *s)
{
	struct left_item it = { 0 }, *grown;
	const char *how;

	if (!read_number(word(&s), &it.when))
		return -EBADMSG;
	how = word(&s);
	it.killed = !strcmp(how, "killed");
	it.kind = left_kind_of(word(&s));
	if ((!it.killed && strcmp(how, "ended") != 0) || it.kind == LEFT_KINDS || s[0] != '/' ||
	    !read_path(s))
		return -EBADMSG;
	it.path = s;
	grown = reallocarray(t->left, t->nleft + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->left = grown;
	grown[t->nleft++] = it;
	return 0;
}

static int read_line(struct left_text *t, char *s)
{
	const char *what;
	int64_t more;

	if (!strcmp(s, "ended")) {
		t->has_ended = t->is_running;
		t->is_running = false;
		return t->has_ended ? 0 : -EBADMSG;
	}
	what = word(&s);
	if (!strcmp(what, "running")) {
		t->is_running = true;
		return read_number(s, &t->running) ? 0 : -EBADMSG;
	}
	if (!strcmp(what, "was"))
		return read_was(t, s);
	if (!strcmp(what, "may"))
		return read_may(t, s);
	if (!strcmp(what, "left"))
		return read_left(t, s);
	if (strcmp(what, "more") != 0 || !read_number(s, &more))
		return -EBADMSG;
	t->more = (uint64_t)more;
	return 0;
}

/* Takes the first line of *rest, without its newline.  NULL: there is no whole line. */
static char *line(char **rest, const char *end)
{
	char *begin = *rest, *stop = memchr(begin, '\n', (size_t)(end - begin));

	if (!stop)
		return NULL;
	*stop = '\0';
	*rest = stop + 1;
	return begin;
}

int left_text_read(char *text, size_t n, struct left_text *ret)
{
	const char *end = text + n;
	char *rest = text, *s;
	int r = 0;

	*ret = (struct left_text){ .project = NULL };
	if (memchr(text, '\0', n) || !(s = line(&rest, end)) || strcmp(s, FIRST) != 0 ||
	    !(s = line(&rest, end)) || strcmp(word(&s), "project") != 0 || s[0] != '/' ||
	    !read_path(s))
		return -EBADMSG;
	ret->project = s;
	while (r == 0 && (s = line(&rest, end)))
		r = read_line(ret, s);
	return r;
}

void left_text_release(struct left_text *t)
{
	free(t->was);
	free(t->may);
	free(t->left);
	*t = (struct left_text){ .project = NULL };
}

bool left_text_was(const struct left_text *t, enum repo_kind kind, const char *path)
{
	for (size_t i = 0; i < t->nwas; i++)
		if (t->was[i].kind == kind && !strcmp(t->was[i].path, path))
			return true;
	return false;
}
