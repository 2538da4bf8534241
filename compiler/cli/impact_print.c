/* Decides the words for counts of recorded requests. */
#include "compiler/cli/impact_print.h"

#include <stdlib.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/request_words.h"

/* "4,821" */
static struct str number(struct arena *a, size_t n)
{
	struct str digits = str_printf(a, "%zu", n);
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < digits.n; i++) {
		if (i && (digits.n - i) % 3 == 0)
			buf_ch(&b, ',');
		buf_ch(&b, digits.p[i]);
	}
	return buf_view(&b);
}

static struct request_words words_of(struct arena *a, const struct impact_request *q)
{
	struct request_words w = { .a = a };

	request_put_words(&w, &q->req);
	return w;
}

/* With all options that `explain` needs to decide it as it was decided. */
static struct value *words_data(struct arena *a, const struct impact_request *q)
{
	struct value *list = value_list(a);
	struct request_words w = { .a = a };

	if (q->role.n) {
		request_put_z(&w, "--role");
		request_put(&w, q->role);
	}
	if (q->req.scope == IR_HOST) {
		request_put_z(&w, "--scope");
		request_put_z(&w, "host");
	}
	for (int i = 1; i < IR_ROOT_COUNT; i++) {
		if (!q->req.roots.dir[i].p)
			continue;
		request_put_z(&w, "--root");
		request_put(&w, str_printf(a, "%s=%.*s", ir_root_name((enum ir_root)i),
					   STR_ARG(q->req.roots.dir[i])));
	}
	if (q->req.cwd.p) {
		request_put_z(&w, "--cwd");
		request_put(&w, q->req.cwd);
	}
	request_put_words(&w, &q->req);
	for (size_t i = 0; i < w.v.n; i++)
		value_add(list, value_str(a, w.v.v[i]));
	return list;
}

struct str impact_share_text(struct arena *a, const struct impact *im,
			     const struct impact_share *s)
{
	struct request_words w;

	if (!s->count)
		return s->uncounted ? STR("not counted: a record has what was decided, and not "
					  "where a connection was led") :
				      STR("never seen");
	w = words_of(a, s->example);
	return str_printf(a, "seen in %s%.*s of %.*s recorded requests, such as: %.*s",
			  s->uncounted ? "at least " : "", STR_ARG(number(a, s->count)), STR_ARG(number(a, im->total)),
			  STR_ARG(request_joined(&w)));
}

struct value *impact_share_data(struct arena *a, const struct impact_share *s)
{
	struct value *m = value_map(a);

	value_put(m, "requests", s->uncounted && !s->count ? value_null(a) :
							    value_num(a, s->count));
	value_put(m, "example", s->example ? words_data(a, s->example) : value_null(a));
	return m;
}

/* --- the sum ------------------------------------------------------------------------- */

static size_t all_changes(const struct impact *im)
{
	size_t n = 0;

	for (int i = 0; i < DIFF_CHANGE_COUNT; i++)
		n += im->changes[i];
	return n;
}

static size_t blocked(const struct impact *im)
{
	return im->changes[DIFF_DENIED] + im->changes[DIFF_HIDDEN];
}

static void text_lost(FILE *out, const struct impact *im, struct arena *a)
{
	for (size_t i = 0; i < im->lost.n; i++) {
		const struct impact_change *c = &im->lost.v[i];
		struct request_words w = words_of(a, c->request);

		fprintf(out, "without a finding: %s: %.*s (%.*s:%zu)\n", diff_change_name(c->change),
			STR_ARG(request_joined(&w)),
			STR_ARG(cli_clean(a, str_from(c->request->file), false)),
			c->request->line);
	}
}

static void text_skipped(FILE *out, const struct impact *im, struct arena *a)
{
	for (size_t i = 0; i < im->skipped.n; i++) {
		const struct impact_skipped *s = &im->skipped.v[i];
		struct str role = s->role.n ? str_printf(a, "of the role '%.*s'",
							 STR_ARG(cli_clean(a, s->role, false))) :
					      STR("without a role");

		fprintf(out, "undecided: %.*s recorded requests %.*s (%.*s:%zu): %s\n",
			STR_ARG(number(a, s->share.count)), STR_ARG(role),
			STR_ARG(cli_clean(a, str_from(s->share.example->file), false)),
			s->share.example->line, s->why);
	}
}

void impact_text(FILE *out, const struct impact *im, struct arena *a)
{
	fprintf(out, "would block %.*s of %.*s recorded requests, ask about %.*s, allow %.*s; "
		"%.*s change\n", STR_ARG(number(a, blocked(im))), STR_ARG(number(a, im->total)),
		STR_ARG(number(a, im->changes[DIFF_ASKED])),
		STR_ARG(number(a, im->changes[DIFF_ALLOWED])),
		STR_ARG(number(a, all_changes(im))));
	text_skipped(out, im, a);
	text_lost(out, im, a);
}

struct str impact_lines(struct arena *a, const struct impact *im)
{
	struct str all = STR("");
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return all;
	impact_text(f, im, a);
	if (fclose(f) == 0)
		all = str_dup(a, (struct str){ text, n });
	free(text);
	return all;
}

/* The sum of them; *ret_list names each role. */
static size_t skipped_data(struct arena *a, const struct impact *im, struct value **ret_list)
{
	size_t n = 0;

	*ret_list = value_list(a);
	for (size_t i = 0; i < im->skipped.n; i++) {
		const struct impact_skipped *s = &im->skipped.v[i];
		struct value *m = value_map(a);

		value_put(m, "role", s->role.n ? value_str(a, s->role) : value_null(a));
		value_put(m, "requests", value_num(a, s->share.count));
		value_put(m, "why", value_z(a, s->why));
		value_add(*ret_list, m);
		n += s->share.count;
	}
	return n;
}

struct value *impact_data(struct arena *a, const struct impact *im)
{
	struct value *roles;
	size_t skipped = skipped_data(a, im, &roles);
	struct value *m = value_map(a), *changes = value_map(a), *lost = value_list(a);

	for (int i = 0; i < DIFF_CHANGE_COUNT; i++)
		if (im->changes[i])
			value_put(changes, diff_change_name((enum diff_change)i),
				  value_num(a, im->changes[i]));
	for (size_t i = 0; i < im->lost.n; i++) {
		const struct impact_change *c = &im->lost.v[i];
		struct value *x = value_map(a);

		value_put(x, "change", value_z(a, diff_change_name(c->change)));
		value_put(x, "widening", value_flag(a, c->widening));
		value_put(x, "requests", value_num(a, c->request->count));
		value_put(x, "request", words_data(a, c->request));
		value_put(x, "file", value_z(a, c->request->file));
		value_put(x, "line", value_num(a, c->request->line));
		value_add(lost, x);
	}
	value_put(m, "requests", value_num(a, im->total));
	value_put(m, "changed", value_num(a, all_changes(im)));
	value_put(m, "changes", changes);
	value_put(m, "blocked", value_num(a, blocked(im)));
	value_put(m, "only_doubted", value_num(a, im->undecided));
	value_put(m, "not_compared", value_num(a, skipped));
	if (skipped)
		value_put(m, "roles_not_compared", roles);
	value_put(m, "without_finding", lost);
	return m;
}
