/*
 * `polc prove POLICY… 'ASSERTION'`: without a role and under each role that the policy
 * has; a bundle is the policy of one role.
 */
#include "compiler/cli/assertion.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/compare.h"
#include "compiler/cli/diff_print.h"

static void text(const struct diff_show *s, const char *assertion, struct arena *a)
{
	struct str said = cli_clean(a, str_from(assertion), false);

	diff_requests(stdout, s, a);
	printf("%s: %.*s\n", s->verdict, STR_ARG(said));
}

static void json(const struct diff_show *s, const char *assertion, struct arena *a)
{
	struct value *top = value_map(a);
	struct buf b;

	value_put(top, "assertion", value_z(a, assertion));
	value_put(top, "result", diff_data(s, a));
	buf_init(&b, a);
	value_json(&b, top);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
}

enum cli_exit cmd_prove(struct options *o, struct arena *a)
{
	struct compare c = { .side = { NULL, o }, .role = o->role };
	struct diff_result r;
	struct diff_show s = { .o = o, .r = &r, .made = c.made, .roots = &c.where.roots,
			       .side = { "policy", "assertion" } };
	const struct ir_assertion *assertion = assertion_read(o->assertion, o, a);
	enum cli_exit e;

	if (!assertion || (!o->bundle && !cli_sources(o, a)) || !compare_where(&c, o, a))
		return CLI_TROUBLE;
	e = compare_prove(&c, assertion, a, &r);
	if (e != CLI_CLEAN)
		return e;
	e = compare_any(&r);
	s.verdict = e == CLI_CLEAN ? "proved" : e == CLI_FINDINGS ? "refuted" : "undecided";
	if (o->json)
		json(&s, o->assertion, a);
	else
		text(&s, o->assertion, a);
	return e;
}
