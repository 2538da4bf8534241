/*
 * Builds the automata of `when`: one for each list of regexes; places with equal lists
 * share one.
 */
#include "compiler/lower/facts_merge.h"
#include "compiler/sets/regex.h"

#define MAX_WHENS 1024u     /* the limit of the bundle's reader */
#define MAX_STATES 65536    /* of one automaton */

static bool failed(struct diag_sink *sink, const struct merged_when *w, const char *why)
{
	if (sink)
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the automaton of 'when /%.*s/' cannot be made: %s",
			 STR_ARG(w->any.v[0]->text), why);
	return false;
}

/* The key that identifies an automaton: each regex with its flags, ended by NUL. */
static struct str key_of(struct arena *a, const struct merged_when *w)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < w->any.n; i++) {
		buf_ch(&b, w->any.v[i]->i ? 'i' : '-');
		buf_ch(&b, w->any.v[i]->x ? 'x' : '-');
		buf_str(&b, w->any.v[i]->text);
		buf_ch(&b, '\0');
	}
	return buf_view(&b);
}

static bool has_automaton(const struct merged_when *w)
{
	return !w->always && w->any.n > 0;
}

static bool add(struct merged_whens *ws, const struct merged_when *w,
		struct diag_sink *sink)
{
	struct merged_automaton *m = ARENA_NEW(ws->a, struct merged_automaton);
	struct set_re **v = arena_array(ws->a, w->any.n + 1, sizeof(struct set_re *));
	struct set_tagged lang = { .tag = 0 };
	const char *why = "it is not regular";
	size_t at;

	if (!has_automaton(w) || map_get(&ws->by_key, key_of(ws->a, w)))
		return true;
	for (size_t i = 0; i < w->any.n; i++) {
		const struct ir_when *r = w->any.v[i];
		unsigned flags = (r->i ? SET_REGEX_I : 0u) | (r->x ? SET_REGEX_X : 0u);

		if (set_from_regex(ws->a, r->text, flags, &v[i], &at, &why) !=
		    SET_REGEX_OK)
			return failed(sink, w, why);
	}
	lang.re = set_or_all(ws->a, v, w->any.n);
	if (ws->list.n == MAX_WHENS)
		return failed(sink, w, "there are too many of them");
	if (set_dfa_build(ws->a, &lang, 1, MAX_STATES, &m->dfa) != SET_HOLDS)
		return failed(sink, w, "it needs too many states");
	m->key = key_of(ws->a, w);
	VEC_PUSH(ws->a, &ws->list, m);
	m->number = (uint32_t)ws->list.n - 1;
	map_put(&ws->by_key, m->key, m);
	return true;
}

bool facts_whens(struct arena *a, const struct merged *m, struct diag_sink *sink,
		    struct merged_whens *ret)
{
	struct merged_whens ws = { .a = a };

	map_init(&ws.by_key, a);
	for (size_t i = 0; i < m->programs.n; i++) {
		const struct merged_program *p = &m->programs.v[i];

		for (size_t k = 0; k < p->options.n; k++)
			if (!add(&ws, &p->options.v[k].when, sink))
				return false;
		for (size_t k = 0; k < p->codes.n; k++)
			if (!add(&ws, &p->codes.v[k].when, sink))
				return false;
	}
	*ret = ws;
	return true;
}

uint32_t facts_when(const struct merged_whens *ws, const struct merged_when *w)
{
	const struct merged_automaton *m =
		has_automaton(w) ? map_get(&ws->by_key, key_of(ws->a, w)) : NULL;

	return m ? m->number : LINE_NO_WHEN;
}
