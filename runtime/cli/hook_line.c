/* Reads what a hook's command says to polquery. */
#include "runtime/cli/hook_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/shell/shell.h"

/* All that is kept of one line: what the analysis makes, the words, their texts. */
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

/* Does the word begin with ~ or $HOME, quoted or not?  Its first piece is that then. */
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

/* The text that the shell makes of the word; NULL: not known, or no room. */
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

static bool is_polquery(const struct sh_cmd *c)
{
	const struct sh_word *w = c->words;
	static const char name[] = "polquery";
	size_t n = sizeof(name) - 1;

	if (c->kind != SH_COMMAND || !w || !sh_is_literal(w) || w->seg.n < n)
		return false;
	return memcmp(w->seg.p + w->seg.n - n, name, n) == 0 &&
	       (w->seg.n == n || w->seg.p[w->seg.n - n - 1] == '/');
}

static int read_words(struct room *m, const struct sh_cmd *c, struct query_options *ret,
		      struct rt_err *err)
{
	const struct sh_word *w;
	char shown[80];
	int n = 0, r;

	for (w = c->words; w; w = w->next) {
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
	if (ret->bundle[0] != '/' || (ret->signers && ret->signers[0] != '/'))
		return rt_fail(err, EINVAL, "it names '%s' from a directory that is not known "
			       "here: give an absolute path",
			       ret->bundle[0] == '/' ? ret->signers : ret->bundle);
	return 0;
}

int hook_line_read(const char *text, struct hook_line *ret, struct rt_err *err)
{
	const char *home = getenv("HOME");
	size_t n = strlen(text), parsed = sh_block_size(n), words, made;
	const struct sh_cmd *c;
	struct room m = { .line = text };
	struct sh sh;
	char *block;

	*ret = (struct hook_line){ .block = NULL };
	/* a word is at least a byte, and may have one HOME in front */
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
	for (c = sh.first; c && !is_polquery(c); c = c->next)
		;
	if (!c)
		return rt_fail(err, EINVAL, "it does not start polquery itself");
	ret->from = c->from;
	ret->to = c->assigns || c->redirs ? 0 : c->to;
	return read_words(&m, c, &ret->opt, err);
}

void hook_line_release(struct hook_line *h)
{
	free(h->block);
	h->block = NULL;
}
