/*
 * Reads matcher.bin back: prints it, and proves it equal to the languages of the IR,
 * one automaton after the other.
 */
#include "compiler/record/automaton.h"
#include "compiler/backend/matcher/internal.h"
#include "runtime/bundle/check.h"

const struct pb_matcher *matcher_member(const struct bk_output *in)
{
	const struct bk_member *m = bk_member(in, PB_MATCHER);

	if (!m || m->bytes.n < sizeof(struct pb_matcher))
		return NULL;
	return (const struct pb_matcher *)(const void *)m->bytes.p;
}

static const struct pb_automaton *automaton(const struct pb_matcher *m, uint32_t i)
{
	const uint8_t *p = (const uint8_t *)m + m->automata.off;

	return (const struct pb_automaton *)(const void *)p + i;
}

void matcher_read(struct arena *a, const struct pb_matcher *m, uint32_t i,
		  struct matcher_read *ret)
{
	const struct pb_automaton *p = automaton(m, i);
	struct matcher_read r = {
		.key = { p->kind, p->root, p->abstract, (uint8_t)p->except },
	};

	rec_automaton_read(a, m, p, &r.dfa);
	*ret = r;
}

/* --- proof ---------------------------------------------------------------- */

/* A language that no automaton carries must be empty. */
static const char *verify_group(const struct matcher_group *g,
				const struct pb_matcher *m, struct arena *a)
{
	bool *done = arena_array(a, g->langs.n + 1, sizeof(bool));
	const char *why;
	size_t i;
	uint32_t k;

	for (k = 0; k < m->automata.count; k++) {
		struct matcher_read r;

		matcher_read(a, m, k, &r);
		if (memcmp(&r.key, &g->key, sizeof(r.key)) != 0)
			continue;
		why = matcher_differs(g, &r.dfa, k, done, a);
		if (why)
			return why;
	}
	for (i = 0; i < g->langs.n; i++)
		if (!done[i] && set_member(a, g->langs.v[i].re, g->langs.v[i].minus,
					   SET_DEFAULT_BUDGET, NULL) != SET_HOLDS)
			return arena_printf(a, PB_MATCHER ": rule %u is missing",
					    g->langs.v[i].tag);
	return NULL;
}

const char *matcher_verify(const struct ir *ir, const struct bk_output *in,
			   struct arena *a)
{
	const struct pb_matcher *m = matcher_member(in);
	const struct bk_member *rules = bk_member(in, PB_RULES);
	struct matcher_groups groups;
	struct rt_err err = { .err = 0 };
	const char *why = NULL;
	uint32_t found = 0, k;
	size_t i;

	if (!m || !rules)
		return "there is no " PB_MATCHER;
	if (bundle_check_matcher(m, bk_member(in, PB_MATCHER)->bytes.n,
				 (const void *)rules->bytes.p, &err) < 0)
		return arena_printf(a, "%s", err.text);
	matcher_group(a, ir, &groups);
	for (i = 0; i < groups.v.n && !why; i++) {
		why = verify_group(&groups.v.v[i], m, a);
		for (k = 0; k < m->automata.count; k++) {
			const struct pb_automaton *p = automaton(m, k);
			struct matcher_key key = { p->kind, p->root, p->abstract,
						   (uint8_t)p->except };

			found += memcmp(&key, &groups.v.v[i].key, sizeof(key)) == 0;
		}
	}
	if (!why && found != m->automata.count)
		why = PB_MATCHER ": an automaton belongs to no rule";
	return why ? why : matcher_calls_verify(ir, m, a);
}

/* --- print ------------------------------------------------------------------ */

static void print_tags(FILE *out, const uint32_t *v, size_t n,
		       const struct pb_rules *rules)
{
	const uint8_t *p = (const uint8_t *)rules;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pb_rule *r = (const struct pb_rule *)(const void *)
			(p + rules->rules.off) + v[i];

		fprintf(out, "  rule %u %.*s", v[i], (int)r->id.len,
			(const char *)p + r->id.off);
		if (r->line)
			fprintf(out, " %.*s:%u", (int)r->file.len,
				(const char *)p + r->file.off, r->line);
		fputc('\n', out);
	}
}

void matcher_print(FILE *out, const struct bk_output *in)
{
	static const char *const kinds[PB_KIND_COUNT] = {
		"command", "file", "net", "unix", "syscall", "tool", "scalar", "risk"
	};
	const struct pb_matcher *m = matcher_member(in);
	const struct bk_member *rm = bk_member(in, PB_RULES);
	const struct pb_rules *rules = rm ? (const void *)rm->bytes.p : NULL;
	struct rt_err err;
	uint32_t i;

	if (!m || !rules || bundle_check_rules(rules, rm->bytes.n, &err) < 0 ||
	    bundle_check_matcher(m, bk_member(in, PB_MATCHER)->bytes.n, rules, &err) <
		    0) {
		fprintf(out, PB_MATCHER ": not readable\n");
		return;
	}
	for (i = 0; i < m->automata.count; i++) {
		struct matcher_read r;
		struct arena a;
		uint32_t *tags;
		size_t n;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		matcher_read(&a, m, i, &r);
		fprintf(out, "automaton %u: %s", i, kinds[r.key.kind]);
		if (r.key.kind == PB_FILE || r.key.kind == PB_UNIX)
			fprintf(out, " under %s", r.key.abstract ? "@" :
				ir_root_name((enum ir_root)r.key.root));
		if (r.key.except)
			fprintf(out, ", exceptions%s%s%s",
				r.key.kind != PB_FILE || !(r.key.except & PB_READ) ?
					"" : " read",
				r.key.except & PB_WRITE ? " write" : "",
				r.key.except & PB_EXEC ? " exec" : "");
		fprintf(out, ", %u states, %u classes\n", r.dfa.nstates,
			r.dfa.nclasses);
		n = matcher_carried(&a, &r.dfa, &tags);
		print_tags(out, tags, n, rules);
		arena_release(&a);
	}
	matcher_calls_print(out, m, rules->ir_rules);
}
