/* Parses a hook's command line and finds what it passes to polquery. */
#include "runtime/hooks/hook_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/line/shell/shell.h"

/* All memory for one line: the result of the analysis, the words and their texts. */
struct room {
	const char *line;
	char **argv;
	char *text, *end;
};

static bool put(struct room *m, const char *p, size_t n)
{
	if ((size_t)(m->end - m->text) <= n)
		return false;
	memcpy(m->text, p, n);
	m->text += n;
	return true;
}

/* Does the word begin with ~ or $HOME, quoted or not?  Then that is its first piece. */
static bool begins_at_home(const struct room *m, const struct sh_word *w)
{
	const char *p = m->line + w->from;

	if (w->seg.kind == SH_HOME)
		return true;
	p += *p == '"';
	if (w->seg.kind == SH_LIT || strncmp(p, "$HOME", 5) != 0)
		return w->seg.kind != SH_LIT && strncmp(p, "${HOME}", 7) == 0;
	return !p[5] || !sh_is_name(p + 1, 5);
}

/* The text that the shell makes of the word.  NULL: unknown, or no room. */
static char *text_of_word(struct room *m, const struct sh_word *w)
{
	const struct sh_seg *s = &w->seg;
	const char *home = getenv("HOME");
	char *from = m->text;

	if (begins_at_home(m, w)) {
		if (!home || home[0] != '/' || !put(m, home, strlen(home)))
			return NULL;
		s = s->next;
	}
	for (; s; s = s->next)
		if (s->kind != SH_LIT || memchr(s->p, '\0', s->n) || !put(m, s->p, s->n))
			return NULL;
	return put(m, "", 1) ? from : NULL;
}

/* Is this the program `name`, with or without a path?  Sets *ret_bare if the path is
 * not absolute. */
static bool is_program(const struct sh_word *w, const char *name, bool *ret_bare)
{
	size_t n = strlen(name);

	if (!w || !sh_is_literal(w) || w->seg.n < n ||
	    memcmp(w->seg.p + w->seg.n - n, name, n) != 0 ||
	    (w->seg.n > n && w->seg.p[w->seg.n - n - 1] != '/'))
		return false;
	*ret_bare |= w->seg.p[0] != '/';
	return true;
}

/* Reads whole seconds or minutes from a word; 0: something else, or no limit. */
static unsigned duration(const struct sh_word *w)
{
	unsigned n = 0;
	size_t i = 0;

	if (!w || !sh_is_literal(w))
		return 0;
	for (; i < w->seg.n && w->seg.p[i] >= '0' && w->seg.p[i] <= '9' && n < 100000; i++)
		n = n * 10 + (unsigned)(w->seg.p[i] - '0');
	if (i == w->seg.n || (i + 1 == w->seg.n && w->seg.p[i] == 's'))
		return n;
	return i + 1 == w->seg.n && w->seg.p[i] == 'm' ? n * 60 : 0;
}

static bool is_word(const struct sh_word *w, const char *text)
{
	return w && sh_is_literal(w) && w->seg.n == strlen(text) &&
	       memcmp(w->seg.p, text, w->seg.n) == 0;
}

/*
 * Returns the word that is polquery, or NULL.  Only those options of `timeout` are
 * accepted that make it stricter: with others it may wait for ever, or return another
 * status.
 */
static const struct sh_word *polquery_of(const struct sh_cmd *c, struct hook_line *ret,
					 const struct sh_word **ret_timeout)
{
	const struct sh_word *w = c->words;
	bool bare = false, timed;
	unsigned seconds = 0;

	if (c->kind != SH_COMMAND)
		return NULL;
	timed = is_program(w, "timeout", &bare);
	if (timed) {
		w = w->next;
		if (is_word(w, "-k") && duration(w->next)) {
			seconds = duration(w->next);
			w = w->next->next;
		}
		if (!duration(w))
			return NULL;
		seconds += duration(w);
		w = w->next;
	}
	if (!is_program(w, "polquery", &bare))
		return NULL;
	ret->bare = bare;
	ret->seconds = seconds;
	*ret_timeout = timed ? c->words : NULL;
	return w;
}

static int read_words(struct room *m, const struct sh_word *first, struct query_options *ret,
		      struct rt_err *err)
{
	const struct sh_word *w;
	char shown[80];
	int n = 0, r;

	for (w = first; w; w = w->next) {
		m->argv[n] = text_of_word(m, w);
		if (!m->argv[n++]) {
			io_escape(shown, sizeof(shown), m->line + w->from, w->to - w->from);
			return rt_fail(err, EINVAL, "'%s' is known only when it runs", shown);
		}
	}
	m->argv[n] = NULL;
	r = query_options_parse(n, m->argv, ret, err);
	if (r < 0)
		return r;
	if (ret->action != QUERY_HOOK)
		return rt_fail(err, EINVAL, "it does not call 'polquery hook'");
	for (size_t i = 0; i < 3; i++) {
		const char *path = i == 0 ? ret->bundle : i == 1 ? ret->signers : ret->run;

		if (path && path[0] != '/')
			return rt_fail(err, EINVAL, "it names '%s' from a directory that is not known "
				       "here: give an absolute path", path);
	}
	return 0;
}

int hook_line_read(const char *text, struct hook_line *ret, struct rt_err *err)
{
	const char *home = getenv("HOME");
	size_t n = strlen(text), parsed = sh_block_size(n), words, made;
	const struct sh_word *first = NULL, *timeout = NULL;
	const struct sh_cmd *c;
	struct room m = { .line = text };
	struct sh sh;
	char *block;
	int r;

	*ret = (struct hook_line){ .block = NULL };
	/* a word has at least one byte, and may have one HOME in front */
	words = (n + 2) * sizeof(char *);
	made = (n + 1) * (2 + (home ? strlen(home) : 0));
	ret->block = block = malloc(parsed + words + made);
	if (!block)
		return rt_fail(err, ENOMEM, "out of memory");
	m.argv = (char **)(void *)block;
	m.text = block + words + parsed;
	m.end = m.text + made;
	if (sh_parse(&sh, block + words, parsed, text, n, SH_POSIX) != SH_PARSED)
		return rt_fail(err, EINVAL, "sh cannot read it: %s", sh.why);
	for (c = sh.first; c; c = c->next)
		if ((first = polquery_of(c, ret, &timeout)) != NULL)
			break;
	if (!c)
		return rt_fail(err, EINVAL, "it does not start polquery itself");
	ret->from = c->from;
	ret->to = c->assigns || c->redirs ? 0 : c->to;
	r = read_words(&m, first, &ret->opt, err);
	ret->program = m.argv[0];
	ret->timeout = timeout ? text_of_word(&m, timeout) : NULL;
	return r;
}

void hook_line_release(struct hook_line *h)
{
	free(h->block);
	h->block = NULL;
}
