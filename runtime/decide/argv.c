/*
 * Commands and tools.  A command line is given to the automata as its program
 * as written, the program's place under the project, its absolute place (each
 * empty where it is not known, else behind a '='), and the further words.
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/internal.h"

struct line {
	const char *const *argv;
	size_t argc;
	const char *project;      /* without its '/', or NULL */
	const char *absolute;     /* or NULL */
	char buf[2 * PATH_MAX];
};

/* Appends the components of `p`; false at "..", or when it is too long. */
static bool add_components(char *buf, size_t size, size_t *at, const char *p)
{
	while (*p) {
		size_t n = (size_t)(strchrnul(p, '/') - p);

		/* ".." may leave through a symbolic link: nobody knows where to */
		if (n == 2 && p[0] == '.' && p[1] == '.')
			return false;
		if (n && !(n == 1 && p[0] == '.')) {
			if (size - *at < n + 2)
				return false;
			buf[(*at)++] = '/';
			memcpy(buf + *at, p, n);
			*at += n;
		}
		p += n + (p[n] == '/');
	}
	buf[*at] = '\0';
	return true;
}

static void find_places(const struct decide_ctx *c, struct line *l)
{
	const char *word = l->argv[0], *rest;
	size_t at = 0;

	l->project = l->absolute = NULL;
	if (!strchr(word, '/'))
		return;
	if (word[0] != '/' && (!c->cwd || c->cwd[0] != '/' ||
			       !add_components(l->buf, sizeof(l->buf), &at, c->cwd)))
		return;
	if (!add_components(l->buf, sizeof(l->buf), &at, word))
		return;
	l->absolute = l->buf;
	rest = path_rest(c->roots.dir[PB_ROOT_PROJECT], l->buf);
	if (rest && rest[0])
		l->project = rest + 1;
}

static void feed_place(struct dfa_walk *w, const char *place)
{
	if (place) {
		dfa_feed(w, "=", 1);
		dfa_feed(w, place, strlen(place));
	}
	dfa_feed(w, "", 1);
}

static void match_line(struct decide_match *m, const struct line *l)
{
	const struct pb_matcher *matcher = m->c->b->matcher;
	uint32_t i;
	size_t k;

	for (i = 0; i < matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(matcher, i);
		struct dfa_walk w;

		if (a->kind != m->kind || a->abstract)
			continue;
		dfa_start(&w, matcher, a);
		dfa_feed(&w, l->argv[0], strlen(l->argv[0]) + 1);
		feed_place(&w, l->project);
		feed_place(&w, l->absolute);
		for (k = 1; k < l->argc && w.state; k++)
			dfa_feed(&w, l->argv[k], strlen(l->argv[k]) + 1);
		match_take(m, &w);
	}
}

/* The highest class that a fact gives; medium where none does (4.5). */
static uint8_t risk_of(const struct decide_match *m)
{
	uint32_t i = match_next(m, 0);
	uint8_t class = 0;

	if (i == UINT32_MAX)
		return 1;
	for (; i != UINT32_MAX; i = match_next(m, i + 1)) {
		const struct pb_rule *r = bundle_rule(m->c->b, i);

		if (r->effect > class)
			class = r->effect;
	}
	return class;
}

void decide_argv(const struct decide_ctx *c, const char *const *argv, size_t argc,
		 struct decision *ret)
{
	struct decide_match m;
	struct line l = { .argv = argv, .argc = argc };

	if (!argc) {
		decide_unparsed(c, ret);
		return;
	}
	*ret = (struct decision){ .effect = PB_DENY };
	find_places(c, &l);
	match_init(&m, c, PB_RISK, 0);
	match_line(&m, &l);
	ret->risk = risk_of(&m);
	match_init(&m, c, PB_COMMAND, 0);
	match_line(&m, &l);
	decide_combine(&m, PB_S_COMMAND_OTHERWISE, ret);
}

void decide_unparsed(const struct decide_ctx *c, struct decision *ret)
{
	const struct pb_rule *opaque = decide_scalar(c, PB_S_COMMAND_OPAQUE);
	const struct pb_rule *other = decide_scalar(c, PB_S_COMMAND_OTHERWISE);
	uint8_t e;

	*ret = (struct decision){ .effect = PB_DENY, .risk = 1, .unparsed = true };
	decide_deny(c, PB_S_COMMAND_OPAQUE, ret);
	if (!opaque || !other)
		return;
	e = other->by_risk ? other->effects[1] : other->effect;
	if (e > opaque->effect)
		ret->rule = c->b->rules->scalar_first + PB_S_COMMAND_OTHERWISE;
	else
		e = opaque->effect;
	ret->effect = e == PB_ALLOW || e == PB_ASK ? PB_ASK : PB_DENY;
	/* what opaque asks, a person answers */
	ret->needs_person = ret->effect == PB_ASK &&
			    ret->rule != c->b->rules->scalar_first +
						 PB_S_COMMAND_OTHERWISE;
}

/* All automata over the names of tools: rules, or with PB_RISK classes. */
static void match_tool(struct decide_match *m, const char *name)
{
	const struct pb_matcher *matcher = m->c->b->matcher;
	uint32_t i;

	for (i = 0; i < matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(matcher, i);
		struct dfa_walk w;

		if (a->kind != m->kind || (a->kind == PB_RISK && !a->abstract))
			continue;
		dfa_start(&w, matcher, a);
		dfa_feed(&w, name, strlen(name));
		match_take(m, &w);
	}
}

void decide_tool(const struct decide_ctx *c, const char *name, struct decision *ret)
{
	struct decide_match m;

	*ret = (struct decision){ .effect = PB_DENY, .risk = 1 };
	decide_deny(c, PB_S_TOOL_OTHERWISE, ret);
	if (!name)
		return;
	match_init(&m, c, PB_RISK, 0);
	match_tool(&m, name);
	ret->risk = risk_of(&m);
	match_init(&m, c, PB_TOOL, 0);
	match_tool(&m, name);
	decide_combine(&m, PB_S_TOOL_OTHERWISE, ret);
}
