/*
 * What the line makes, nobody has reviewed (semantics 4.4): a script is opaque
 * when an earlier part of the line writes it, or has a word with the same last
 * component; in a loop, a function or a trap any part is earlier.
 */
#include "runtime/decide/cmd.h"

#define BUCKETS 256
#define SEEN 4

/* A script's name, and the commands that have it among their words. */
struct script {
	struct script *next;
	const char *p;
	uint32_t n;
	uint32_t seen[SEEN]; /* numbers of the commands, the first ones */
	uint32_t nseen;
	bool more, anytime;
};

struct scripts {
	struct script *bucket[BUCKETS];
	bool first[256]; /* bytes that one of the names begins with */
};

static uint32_t hash(const char *p, size_t n)
{
	uint32_t h = 5381;

	for (size_t i = 0; i < n && i < 64; i++)
		h = h * 33 + (unsigned char)p[i];
	return h % BUCKETS;
}

static struct script *find(const struct scripts *s, const char *p, size_t n)
{
	struct script *m;

	if (!n || !s->first[(unsigned char)p[0]])
		return NULL;
	m = s->bucket[hash(p, n)];
	while (m && (m->n != n || memcmp(m->p, p, n) != 0))
		m = m->next;
	return m;
}

static bool take_scripts(struct cmd_an *a, struct scripts *s)
{
	struct cmd_part *p;

	for (p = a->ret->first; p; p = p->next) {
		const struct cmd_run_file *f;

		for (f = cmd_node(p)->scripts; f; f = f->next) {
			struct script *m;
			uint32_t h;

			if (!f->n || find(s, f->p, f->n))
				continue;
			m = cmd_alloc(a, sizeof(*m));
			if (!m)
				return false;
			h = hash(f->p, f->n);
			*m = (struct script){ .p = f->p, .n = f->n, .next = s->bucket[h] };
			s->bucket[h] = m;
			s->first[(unsigned char)m->p[0]] = true;
		}
	}
	return true;
}

static void see(const struct scripts *s, const struct cmd_node *n, const char *p, size_t k)
{
	const char *end = p + k, *base;
	struct script *m;

	/* "x.sh/" is it, too */
	while (end > p && end[-1] == '/')
		end--;
	base = memrchr(p, '/', (size_t)(end - p));
	base = base ? base + 1 : p;
	m = find(s, base, (size_t)(end - base));
	if (!m)
		return;
	m->anytime |= n->anytime;
	if (m->nseen && m->seen[m->nseen - 1] == n->number)
		return;
	if (m->nseen < SEEN)
		m->seen[m->nseen++] = n->number;
	else
		m->more = true;
}

static void see_part(const struct scripts *s, const struct cmd_part *p)
{
	const struct cmd_node *n = (const struct cmd_node *)p;
	const char *text;
	size_t k, t;
	bool home;

	if (p->kind == CMD_FILE && p->path && (p->ops & PB_WRITE))
		see(s, n, p->path, p->path_n);
	if (p->kind != CMD_COMMAND)
		return;
	for (uint32_t i = 1; i < p->nwords; i++) {
		if (!sh_is_literal(p->words[i].w) &&
		    cmd_base(p->words[i].w, &text, &k)) {
			see(s, n, text, k);
			continue;
		}
		for (t = 0; cmd_path_text(&p->words[i], false, &t, &text, &k, &home);)
			see(s, n, text, k);
	}
}

/* A command that holds this one does not come before it. */
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
		const struct script *m = find(s, f->p, f->n);
		bool made = m && m->more;

		for (uint32_t i = 0; m && i < m->nseen; i++)
			made |= (m->seen[i] < n->number || n->anytime || m->anytime) &&
				!is_around(p, m->seen[i]);
		if (made)
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
		see_part(s, p);
	for (p = a->ret->first; p; p = p->next)
		judge(s, p);
	return true;
}
