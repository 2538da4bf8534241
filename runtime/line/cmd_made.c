/*
 * Nobody has reviewed what the line makes (semantics 4.4). A script is opaque if an
 * earlier part of the line writes it, or has a word with the same last component. In a
 * loop, a function or a trap every part counts as earlier; so does a part that runs at
 * the same time. A file that a program runs unasked (`make`) is opaque if an earlier part
 * may write a file of that name; a word that is only read does not count.
 */
#include <ctype.h>
#include <strings.h>

#include "runtime/line/cmd_made.h"
#include "runtime/line/cmd_text.h"

#define BUCKETS 256
#define SEEN 4
#define MAX_NAME 255 /* longest file name in bytes */

/* A script's name, and the commands that have it among their words. */
struct script {
	struct script *next; /* next in its bucket, or among the patterns */
	struct script *all;
	const char *p;
	uint32_t n;
	bool unasked;
	struct {
		uint32_t number, pipe;
	} seen[SEEN]; /* the first ones */
	uint32_t nseen;
	bool more, anytime;
};

struct scripts {
	struct script *bucket[BUCKETS];
	struct script *patterns; /* names of unasked files that hold a '*' */
	struct script *all;
	uint64_t bytes;  /* total size of all names */
	bool first[256]; /* the bytes with which names begin */
};

static uint32_t hash(const char *p, size_t n)
{
	uint32_t h = 5381;

	for (size_t i = 0; i < n && i < 64; i++)
		h = h * 33 + (unsigned)tolower((unsigned char)p[i]);
	return h % BUCKETS;
}

static bool is_pattern(const struct cmd_run_file *f)
{
	return f->unasked && memchr(f->p, '*', f->n);
}

/* Files that run unasked are compared without case: `just` finds any case, and so do some
 * file systems. */
static bool same_bytes(const struct script *m, const char *p, const char *q, size_t n)
{
	return m->unasked ? strncasecmp(p, q, n) == 0 : memcmp(p, q, n) == 0;
}

static bool same(const struct script *m, const char *p, size_t n, bool unasked)
{
	return m->unasked == unasked && m->n == n && same_bytes(m, m->p, p, n);
}

static struct script *find(const struct scripts *s, const char *p, size_t n,
			   bool unasked)
{
	struct script *m;

	if (!n || !s->first[tolower((unsigned char)p[0])])
		return NULL;
	m = s->bucket[hash(p, n)];
	while (m && !same(m, p, n, unasked))
		m = m->next;
	return m;
}

/* The entry for a file that a part runs, or NULL. */
static struct script *script_of(const struct scripts *s, const struct cmd_run_file *f)
{
	struct script *m;

	if (!is_pattern(f))
		return find(s, f->p, f->n, f->unasked);
	m = s->patterns;
	while (m && !same(m, f->p, f->n, true))
		m = m->next;
	return m;
}

static bool add_script(struct cmd_an *a, struct scripts *s,
		       const struct cmd_run_file *f)
{
	struct script *m = cmd_alloc(a, sizeof(*m)), **list;

	if (!m)
		return false;
	list = is_pattern(f) ? &s->patterns : &s->bucket[hash(f->p, f->n)];
	*m = (struct script){ .p = f->p,
			      .n = f->n,
			      .unasked = f->unasked,
			      .next = *list,
			      .all = s->all };
	s->all = *list = m;
	s->bytes += m->n < MAX_NAME ? m->n : MAX_NAME;
	s->first[tolower((unsigned char)m->p[0])] = true;
	return true;
}

static bool take_scripts(struct cmd_an *a, struct scripts *s)
{
	for (struct cmd_part *p = a->ret->first; p; p = p->next)
		for (struct cmd_run_file *f = cmd_node(p)->scripts; f; f = f->next)
			if (f->n && !script_of(s, f) && !add_script(a, s, f))
				return false;
	return true;
}

/* --- what a part makes ---------------------------------------------------------------- */

static void note(struct script *m, const struct cmd_node *n)
{
	m->anytime |= n->anytime || n->beside;
	if (m->nseen && m->seen[m->nseen - 1].number == n->number)
		return;
	if (m->nseen == SEEN) {
		m->more = true;
		return;
	}
	m->seen[m->nseen].number = n->number;
	m->seen[m->nseen++].pipe = n->pipe;
}

/* Does the text match the name, with any text for its '*'? */
static bool fits(const struct script *m, const char *p, size_t n)
{
	size_t before = (size_t)((const char *)memchr(m->p, '*', m->n) - m->p);
	size_t after = m->n - before - 1;

	return n >= before + after && same_bytes(m, p, m->p, before) &&
	       same_bytes(m, p + n - after, m->p + before + 1, after);
}

/* `makes`: the part may write this file. */
static void see(const struct scripts *s, const struct cmd_node *n, const char *p,
		size_t k, bool makes)
{
	const char *end = p + k, *base;
	struct script *m;

	/* "x.sh/" names the same file */
	while (end > p && end[-1] == '/')
		end--;
	base = memrchr(p, '/', (size_t)(end - p));
	base = base ? base + 1 : p;
	k = (size_t)(end - base);
	m = find(s, base, k, false);
	if (m)
		note(m, n);
	m = makes ? find(s, base, k, true) : NULL;
	if (m)
		note(m, n);
	for (m = makes ? s->patterns : NULL; m; m = m->next)
		if (fits(m, base, k))
			note(m, n);
}

/* --- words that are not known --------------------------------------------------------- */

static bool same_byte(const struct script *m, uint16_t c, char d)
{
	return c == (uint8_t)d ||
	       (m->unasked && c < 256 && tolower(c) == tolower((unsigned char)d));
}

/* Can one text match both the name (where '*' is any text) and the pattern from `from`
 * on? */
static bool meets(const struct script *m, const struct cmd_pattern *g, uint32_t from)
{
	bool now[CMD_MAX_PATTERN + 1] = { false }, next[CMD_MAX_PATTERN + 1];
	uint32_t i, k, least;

	if (m->n > MAX_NAME)
		return false;
	now[from] = true;
	for (k = 0; k <= m->n; k++) {
		for (i = from; i < g->n; i++)
			now[i + 1] |= now[i] &&
				      (g->v[i] == CMD_G_STAR || g->v[i] == CMD_G_DEEP);
		if (k == m->n)
			break;
		memset(next, 0, g->n + 1);
		if (m->unasked && m->p[k] == '*') {
			for (least = from; least < g->n && !now[least]; least++)
				;
			for (i = least; i <= g->n; i++)
				next[i] = now[least];
		} else {
			for (i = from; i < g->n; i++) {
				if (!now[i])
					continue;
				if (g->v[i] == CMD_G_STAR || g->v[i] == CMD_G_DEEP)
					next[i] = true;
				else if (g->v[i] == CMD_G_ONE ||
					 same_byte(m, g->v[i], m->p[k]))
					next[i + 1] = true;
			}
		}
		memcpy(now, next, g->n + 1);
	}
	return now[g->n];
}

/* May the name end in these bytes, as far as both are known? */
static bool ends_in(const struct script *m, const char *p, size_t n)
{
	const char *star = m->unasked ? memchr(m->p, '*', m->n) : NULL;
	size_t known = star ? m->n - (size_t)(star + 1 - m->p) : m->n;

	if (n > known && star)
		return same_bytes(m, m->p + m->n - known, p + n - known, known);
	return n <= known && same_bytes(m, m->p + m->n - n, p, n);
}

/* May a word that is not literal, or a file below it, have this name? `g`: the word as a
 * pattern. */
static bool may_be(const struct script *m, const struct sh_word *w,
		   const struct cmd_pattern *g)
{
	const struct sh_seg *last = &w->seg;
	const char *slash;
	uint32_t from;

	if (g) {
		for (from = g->n; from && g->v[from - 1] != '/'; from--)
			;
		return meets(m, g, from);
	}
	for (const struct sh_seg *s = last; s; last = s, s = s->next)
		if (s->kind == SH_MULTI)
			return true;
	if (last->kind != SH_LIT || last == &w->seg)
		return true;
	slash = memrchr(last->p, '/', last->n);
	if (slash && !m->unasked)
		return (size_t)(last->p + last->n - slash - 1) == m->n &&
		       memcmp(slash + 1, m->p, m->n) == 0;
	if (slash)
		return ends_in(m, slash + 1, (size_t)(last->p + last->n - slash - 1));
	return ends_in(m, last->p, last->n);
}

/* A word that is not fully known and names a file that the part writes. */
static bool see_unknown(struct cmd_an *a, const struct scripts *s,
			const struct cmd_node *n, const struct cmd_word *word)
{
	struct cmd_pattern g;
	bool glob = cmd_word_pattern(a->world, "/", word, false, &g);

	/* each name is compared with the whole pattern */
	if (!cmd_work(a, s->bytes * (glob ? g.n + 16 : 1) / 16 + 1))
		return false;
	for (struct script *m = s->all; m; m = m->all)
		if (may_be(m, word->w, glob ? &g : NULL))
			note(m, n);
	return true;
}

/* --- parts ---------------------------------------------------------------------------- */

/* Which words of a command may name a file that it makes. */
struct maker {
	const struct cmd_part *p;
	bool tabled;  /* a table says what it does with files */
	bool nothing; /* ... namely that it makes none of its operands */
	bool writes;  /* some word names a file that it writes */
	bool more;    /* it writes files that no word names */
	uint32_t end; /* the words from here on are a wrapper's command */
};

/* `bash -n FILE` reads a script, and runs nothing of it. */
static bool only_reads(const struct cmd_part *p)
{
	const struct sh_word *w = p->nwords == 3 ? p->words[2].w : NULL;
	const struct sh_seg *name = &p->words[0].w->seg;

	return w && p->program && sh_is_literal(p->words[0].w) && name->n &&
	       !memchr(name->p, '/', name->n) && (p->program->flags & LINE_PF_SHELL) &&
	       cmd_lit(p->words[1].w, "-n") && sh_is_literal(w) && w->seg.n &&
	       w->seg.p[0] != '-' && w->seg.p[0] != '+';
}

static struct maker maker_of(const struct cmd_part *p)
{
	const struct cmd_node *n = (const struct cmd_node *)p;
	const struct line_program *t = cmd_table_of_files(n);
	struct maker m = { .p = p,
			   .tabled = p->program,
			   .end = n->begin ? n->begin : p->nwords };

	m.nothing = t && (t->flags & LINE_PF_MAKES_NOTHING);
	m.more = (n->writes_more && !m.nothing) || (t && (t->flags & LINE_PF_WRITES_UNNAMED));
	for (uint32_t i = 1; i < p->nwords; i++)
		m.writes |= (p->words[i].places & CMD_P_WRITES) &&
			    !(m.nothing && p->words[i].roles == CMD_W_OPERAND);
	return m;
}

static bool makes(const struct maker *m, uint32_t i)
{
	const struct cmd_word *w = &m->p->words[i];

	if (m->nothing)
		return (w->places & CMD_P_WRITES) && w->roles != CMD_W_OPERAND;
	/* `cp x/Makefile .` makes a file of that name */
	if (m->writes || !m->tabled)
		return i < m->end;
	return i < m->end && !(w->places & CMD_P_READS);
}

static bool see_words(struct cmd_an *a, const struct scripts *s,
		      const struct cmd_part *p)
{
	const struct cmd_node *n = (const struct cmd_node *)p;
	struct maker m = maker_of(p);
	const char *text;
	size_t k, t;
	bool home;

	if (only_reads(p))
		return true;
	for (uint32_t i = 1; i < p->nwords; i++) {
		bool is = makes(&m, i);

		if (!sh_is_literal(p->words[i].w) &&
		    cmd_base(p->words[i].w, &text, &k)) {
			see(s, n, text, k, is);
			continue;
		}
		for (t = 0; cmd_path_text(&p->words[i], false, &t, &text, &k, &home);)
			see(s, n, text, k, is);
		if (!sh_is_literal(p->words[i].w) && is && m.writes &&
		    p->words[i].places && !see_unknown(a, s, n, &p->words[i]))
			return false;
	}
	if (!m.more)
		return true;
	for (struct script *all = s->all; all; all = all->all)
		note(all, n);
	return cmd_work(a, s->bytes / 16 + 1);
}

static bool see_part(struct cmd_an *a, const struct scripts *s,
		     const struct cmd_part *p)
{
	if (p->kind == CMD_FILE && p->path && (p->ops & CMD_WRITE))
		see(s, (const struct cmd_node *)p, p->path, p->path_n, true);
	return p->kind != CMD_COMMAND || see_words(a, s, p);
}

/* Does this command hold the part? Then it does not come before it. */
static bool is_around(const struct cmd_part *p, uint32_t number)
{
	for (; p; p = p->outer)
		if (((const struct cmd_node *)p)->number == number)
			return true;
	return false;
}

static void judge(const struct scripts *s, struct cmd_part *p)
{
	const struct cmd_node *n = cmd_node(p);

	for (const struct cmd_run_file *f = n->scripts; f; f = f->next) {
		const struct script *m = script_of(s, f);
		bool made = m && m->more;

		for (uint32_t i = 0; m && i < m->nseen; i++)
			made |= (m->seen[i].number < n->number || n->anytime ||
				 n->beside || m->anytime ||
				 (n->pipe && n->pipe == m->seen[i].pipe)) &&
				!is_around(p, m->seen[i].number);
		if (made && f->unasked)
			cmd_opaque(
				p,
				"a file that it runs unasked, which the line may make");
		else if (made)
			cmd_opaque(p, "a script that the line may make");
	}
}

bool cmd_made(struct cmd_an *a)
{
	struct scripts *s = cmd_alloc(a, sizeof(*s));
	struct cmd_part *p;

	if (!s)
		return false;
	memset(s, 0, sizeof(*s));
	if (!take_scripts(a, s))
		return false;
	for (p = a->ret->first; p; p = p->next)
		if (!see_part(a, s, p))
			return false;
	for (p = a->ret->first; p; p = p->next)
		judge(s, p);
	return true;
}
