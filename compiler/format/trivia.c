/* Hands out comments in order, and says how they stand on the lines of the source. */
#include "compiler/format/trivia.h"

void trivia_init(struct trivia *t, const struct source_map *map, const struct ast_file *f)
{
	*t = (struct trivia){ .text = map->files.v[f->source].text, .f = f };
}

#define MAX_BACK 4096 /* bytes of a line that are looked at */

static uint32_t line_begin(const struct trivia *t, uint32_t off)
{
	uint32_t least = off > MAX_BACK ? off - MAX_BACK : 0;

	while (off > least && t->text.p[off - 1] != '\n')
		off--;
	return off;
}

static bool is_white(const struct trivia *t, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		if (!strchr(" \t\r", t->text.p[from]) || !t->text.p[from])
			return false;
	return true;
}

void trivia_passed(struct trivia *t, uint32_t off)
{
	if (off > t->last)
		t->last = off;
}

bool trivia_blank(const struct trivia *t, uint32_t off)
{
	unsigned newlines = 0;

	for (uint32_t i = t->last; i < off && newlines < 2; i++) {
		if (t->text.p[i] == '\n')
			newlines++;
		else if (!strchr(" \t\r", t->text.p[i]) || !t->text.p[i])
			newlines = 0;
	}
	return newlines >= 2;
}

uint32_t trivia_indent(const struct trivia *t, uint32_t off)
{
	uint32_t begin = line_begin(t, off), end = begin;

	while (end < off && (t->text.p[end] == ' ' || t->text.p[end] == '\t'))
		end++;
	return end - begin;
}

uint32_t trivia_column(const struct trivia *t, uint32_t off)
{
	return off - line_begin(t, off);
}

bool trivia_is_one_line(const struct trivia *t, struct span at)
{
	return !memchr(t->text.p + at.off, '\n', at.len);
}

static struct str comment_text(const struct trivia *t, struct span at)
{
	struct str s = { t->text.p + at.off, at.len };

	while (s.n && strchr(" \t\r", s.p[s.n - 1]))
		s.n--;
	return s;
}

/* The next comment if it begins before `off`, else NULL. */
static const struct span *peek(const struct trivia *t, uint32_t off)
{
	const struct span *at;

	if (t->next == t->f->ncomments)
		return NULL;
	at = &t->f->comments[t->next];
	return at->off < off ? at : NULL;
}

static bool stands_behind(const struct trivia *t, const struct span *at)
{
	return !is_white(t, line_begin(t, at->off), at->off);
}

static void hand_out(struct trivia *t, const struct span *at)
{
	t->next++;
	trivia_passed(t, at->off + at->len);
}

static void take(struct trivia *t, const struct span *at, struct trivia_comment *ret)
{
	ret->text = comment_text(t, *at);
	ret->blank = !stands_behind(t, at) && trivia_blank(t, at->off);
	hand_out(t, at);
}

bool trivia_before(struct trivia *t, uint32_t off, struct trivia_comment *ret)
{
	const struct span *at = peek(t, off);

	if (at)
		take(t, at, ret);
	return at != NULL;
}

bool trivia_right_of(struct trivia *t, uint32_t off, uint32_t column,
		     struct trivia_comment *ret)
{
	const struct span *at = peek(t, off);

	if (!at || trivia_column(t, at->off) < column)
		return false;
	take(t, at, ret);
	return true;
}

bool trivia_behind(struct trivia *t, uint32_t off, struct str *ret)
{
	const struct span *at = peek(t, off);

	if (!at || !stands_behind(t, at))
		return false;
	*ret = comment_text(t, *at);
	hand_out(t, at);
	return true;
}

bool trivia_on_line(struct trivia *t, uint32_t off, struct str *ret)
{
	const struct span *at = peek(t, UINT32_MAX);

	if (!at || at->off < off)
		return false;
	for (uint32_t i = off; i < at->off; i++)
		if (!t->text.p[i] || !strchr(" \t,;'\"", t->text.p[i]))
			return false;
	*ret = comment_text(t, *at);
	hand_out(t, at);
	return true;
}
