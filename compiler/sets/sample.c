/*
 * Spells the shortest choice of each part, and matches by trying: the texts are short, and a
 * search that takes too many steps says "perhaps", which costs its caller an automaton.
 */
#include "compiler/sets/sample.h"

#include <string.h>

/* What a wildcard stands for: a name that hardly any pattern has. */
#define ANY 'q'
#define MAX_STEPS 2000u

/* --- one path ---------------------------------------------------------------------- */

struct text {
	char *p;
	size_t n;
};

static void put(struct text *t, char c)
{
	if (t->n < SAMPLE_SIZE)
		t->p[t->n] = c;
	t->n++;
}

static void spell(struct text *t, const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n && t->n <= SAMPLE_SIZE; i++) {
		const struct ir_glob_item *it = &g->v[i];

		switch (it->op) {
		case IR_G_BYTE:
			put(t, (char)it->byte);
			break;
		case IR_G_ONE:
		case IR_G_STAR:
		case IR_G_DEEP:
			put(t, ANY);
			break;
		case IR_G_DIRS:
			break;
		case IR_G_ALT:
			if (it->nalts)
				spell(t, &it->alts[0]);
			break;
		}
	}
}

/* Does a name that no path has begin here: "", "." or ".."? */
static bool is_no_name(struct str s, size_t at)
{
	size_t dots = 0;

	while (dots < 2 && at + dots < s.n && s.p[at + dots] == '.')
		dots++;
	return at + dots == s.n || s.p[at + dots] == '/';
}

/* Is it what follows a root in some path: "", or names that each follow a '/'? */
static bool is_rest(struct str s)
{
	if (s.n && s.p[0] != '/')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\0' || (s.p[i] == '/' && is_no_name(s, i + 1)))
			return false;
	return true;
}

struct str sample_path(const struct ir_path *p, char *buf)
{
	struct text t = { .p = buf };
	struct str s;

	spell(&t, &p->glob);
	if (t.n > SAMPLE_SIZE)
		return STR_NULL;
	s = (struct str){ buf, t.n };
	return is_rest(s) ? s : STR_NULL;
}

/* --- does it match? ---------------------------------------------------------------- */

/* What is left to be matched: items, and behind them those of the lists around. */
struct left {
	const struct ir_glob_item *v;
	size_t n;
	const struct left *outer; /* or NULL */
};

struct search {
	struct str s;
	bool below;
	bool begins; /* more may follow the text */
	unsigned steps;
};

static bool match(struct search *m, const struct left *l, size_t at);

/* One or more bytes of the wildcard were taken, or none. */
static bool match_many(struct search *m, const struct left *rest, size_t at, bool slash)
{
	for (;; at++) {
		if (match(m, rest, at))
			return true;
		if (at == m->s.n || (m->s.p[at] == '/' && !slash))
			return false;
	}
}

/* Zero or more "name/". */
static bool match_dirs(struct search *m, const struct left *rest, size_t at)
{
	for (;;) {
		const char *slash;

		if (match(m, rest, at))
			return true;
		slash = memchr(m->s.p + at, '/', m->s.n - at);
		if (!slash)
			return m->begins; /* in the middle of a name */
		if (slash == m->s.p + at)
			return false;
		at = (size_t)(slash - m->s.p) + 1;
	}
}

static bool match(struct search *m, const struct left *l, size_t at)
{
	const struct ir_glob_item *it;
	struct left rest;

	if (++m->steps > MAX_STEPS)
		return true; /* perhaps */
	if (m->begins && at == m->s.n)
		return true;
	while (l && !l->n)
		l = l->outer;
	if (!l)
		return at == m->s.n || (m->below && m->s.p[at] == '/');
	it = l->v;
	rest = (struct left){ l->v + 1, l->n - 1, l->outer };
	switch (it->op) {
	case IR_G_BYTE:
		return at < m->s.n && (uint8_t)m->s.p[at] == it->byte && match(m, &rest, at + 1);
	case IR_G_ONE:
		return at < m->s.n && m->s.p[at] != '/' && match(m, &rest, at + 1);
	case IR_G_STAR:
	case IR_G_DEEP:
		return match_many(m, &rest, at, it->op == IR_G_DEEP);
	case IR_G_DIRS:
		return match_dirs(m, &rest, at);
	case IR_G_ALT:
		for (size_t i = 0; i < it->nalts; i++) {
			const struct left alt = { it->alts[i].v, it->alts[i].n, &rest };

			if (match(m, &alt, at))
				return true;
		}
		return false;
	}
	return true;
}

bool sample_may_match(const struct ir_path *p, struct str rest)
{
	struct search m = { .s = rest, .below = p->below };
	const struct left all = { p->glob.v, p->glob.n, NULL };

	return match(&m, &all, 0);
}

bool sample_may_begin(const struct ir_path *p, struct str text)
{
	struct search m = { .s = text, .below = p->below, .begins = true };
	const struct left all = { p->glob.v, p->glob.n, NULL };

	return match(&m, &all, 0);
}
