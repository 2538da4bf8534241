/*
 * Prints findings.  A request is written in the words that `explain` takes, so that
 * everybody can ask it again.
 */
#include "compiler/cli/diff_print.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/impact_print.h"
#include "compiler/cli/request_words.h"
#include "compiler/cli/show.h"
#include "compiler/cli/value.h"
#include "compiler/target/target.h"

/* --- requests as words --------------------------------------------------- */

static bool is_below(struct str path, struct str dir)
{
	return dir.p && str_starts(path, dir) &&
	       (path.n == dir.n || path.p[dir.n] == '/');
}

/* The options that must stand on the command line before the request. */
static void put_options(struct request_words *w, const struct diff_show *s,
			const struct ir_request *q)
{
	int i;

	if (q->scope != s->o->scope) {
		request_put_z(w, "--scope");
		request_put_z(w, q->scope == IR_HOST ? "host" : "sandbox");
	}
	for (i = 0; i < IR_ROOT_COUNT; i++) {
		if (!(s->made[i] && is_below(q->path, q->roots.dir[i])) &&
		    str_eq(q->roots.dir[i], s->roots->dir[i]))
			continue;
		request_put_z(w, "--root");
		request_put(w, str_printf(w->a, "%s=%.*s", ir_root_name((enum ir_root)i),
				  STR_ARG(q->roots.dir[i])));
	}
}

static struct request_words request_words(struct arena *a, const struct diff_show *s,
					  const struct diff_finding *f,
					  const struct ir_request *q)
{
	struct request_words w = { .a = a };

	if (!f->asked)
		return w;
	if (f->role.n) {
		request_put_z(&w, "--role");
		request_put(&w, f->role);
	}
	put_options(&w, s, q);
	request_put_words(&w, q);
	return w;
}

/* --- one side ------------------------------------------------------------ */

struct str diff_value_text(struct arena *a, const struct diff_said *v)
{
	if (v->scalar)
		return show_scalar(a, v->scalar_id, v->scalar);
	if (v->setting)
		return show_value(a, &v->setting->value);
	return v->value;
}

struct str diff_side_text(struct arena *a, const struct diff_said *v)
{
	struct buf b;

	if (!v->there)
		return STR("nothing");
	buf_init(&b, a);
	if (v->decides)
		buf_printf(&b, "%s", ir_effect_name(v->effect));
	else
		buf_str(&b,
			diff_value_text(a, v).n ? show_cut(a, diff_value_text(a, v)) : STR("none"));
	if (v->decides && v->err)
		buf_printf(&b, " with %s", target_errno_name(v->err));
	buf_printf(&b, " by %.*s", STR_ARG(v->id));
	if (v->at.line && v->level)
		buf_printf(&b, " (%s, %.*s)", ir_level_name(v->level),
			   STR_ARG(show_point(a, &v->at)));
	else
		buf_printf(&b, " (%.*s)", STR_ARG(show_point(a, &v->at)));
	if (v->text.n)
		buf_printf(&b, ": %.*s", STR_ARG(show_cut(a, v->text)));
	return cli_clean(a, buf_view(&b), false);
}

struct str diff_change_text(struct arena *a, enum diff_change c)
{
	struct str s = str_from(diff_change_name(c));
	char *p = arena_dup(a, s.p, s.n);
	size_t i;

	for (i = 0; i < s.n; i++)
		if (p[i] == '-')
			p[i] = ' ';
	return (struct str){ p, s.n };
}

struct str diff_subject(struct arena *a, const struct diff_show *s,
			const struct diff_finding *f)
{
	const struct diff_said *v = &f->side[f->side[1].there ? 1 : 0];
	struct request_words w;

	if (f->asked) {
		w = request_words(a, s, f, diff_shown(f));
		return request_joined(&w);
	}
	/* an item of a list is named by its text, a value by its name */
	return show_cut(a, str_printf(a, "%s%.*s%s%s %.*s", f->role.n ? "--role " : "",
				      STR_ARG(f->role), f->role.n ? " " : "", f->kind,
				      STR_ARG(v->value.n ? v->value : v->id)));
}

struct str diff_doubt_text(struct arena *a, const struct diff_doubt *d)
{
	struct str why = d->why;

	if (d->role.n)
		why = str_printf(a, "--role %.*s: %.*s", STR_ARG(d->role), STR_ARG(why));
	return cli_clean(a, why, false);
}

/* In a comparison a doubt may be about what only forbids more; a proof has no such sides. */
static bool is_comparison(const struct diff_show *s)
{
	return !s->side[0];
}

/* --- text ---------------------------------------------------------------- */

size_t diff_widenings(const struct diff_result *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->findings.n; i++)
		n += r->findings.v[i].widening;
	return n;
}

static const char *side_name(const struct diff_show *s, int side)
{
	return s->side[side] ? s->side[side] : side ? "new" : "old";
}

static void text_sides(FILE *out, struct arena *a, const struct diff_show *s,
		       const struct diff_said side[2])
{
	const char *x = side_name(s, 0), *y = side_name(s, 1);
	int width = (int)(strlen(x) > strlen(y) ? strlen(x) : strlen(y));

	fprintf(out, "    %-*s  %.*s\n    %-*s  %.*s\n", width, x,
		STR_ARG(diff_side_text(a, &side[0])), width, y, STR_ARG(diff_side_text(a, &side[1])));
}

static void text_share(FILE *out, struct arena *a, const struct diff_show *s,
		       const struct impact_share *share)
{
	fprintf(out, "    %.*s\n", STR_ARG(impact_share_text(a, s->impact, share)));
}

static void text_doubts(FILE *out, const struct diff_show *s, struct arena *a)
{
	for (size_t i = 0; i < s->r->doubts.n; i++) {
		fprintf(out, "undecided: %.*s\n",
			STR_ARG(diff_doubt_text(a, &s->r->doubts.v[i])));
		text_sides(out, a, s, s->r->doubts.v[i].side);
		if (s->impact && s->impact->doubts[i].count)
			text_share(out, a, s, &s->impact->doubts[i]);
	}
}

void diff_text(FILE *out, const struct diff_show *s, struct arena *a)
{
	size_t i, n = s->r->findings.n, doubts = s->r->doubts.n;

	for (i = 0; i < n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "%.*s: %.*s%s\n", STR_ARG(diff_change_text(a, f->change)),
			STR_ARG(diff_subject(a, s, f)), f->widening ? "  (widening)" : "");
		text_sides(out, a, s, f->side);
		if (s->impact)
			text_share(out, a, s, &s->impact->findings[i]);
	}
	text_doubts(out, s, a);
	if (!n && !doubts && !(s->impact && impact_is_open(s->impact)))
		fputs("the two policies decide alike\n", out);
	else
		fprintf(out, "%zu difference%s, %zu widening, %zu undecided\n", n,
			n == 1 ? "" : "s", diff_widenings(s->r), doubts);
	if (s->impact)
		impact_text(out, s->impact, a);
}

void diff_requests(FILE *out, const struct diff_show *s, struct arena *a)
{
	for (size_t i = 0; i < s->r->findings.n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "against it: %.*s\n", STR_ARG(diff_subject(a, s, f)));
		text_sides(out, a, s, f->side);
	}
	for (size_t i = 0; i < s->r->elsewhere.n; i++) {
		const struct diff_finding *f = &s->r->elsewhere.v[i];

		fprintf(out, "with other roots: %.*s\n", STR_ARG(diff_subject(a, s, f)));
		text_sides(out, a, s, f->side);
	}
	text_doubts(out, s, a);
}

void diff_ceiling(FILE *out, const struct diff_show *s, struct arena *a)
{
	size_t i, n = s->r->findings.n, doubts = s->r->doubts.n;
	struct str name = cli_clean(a, str_from(s->ceiling), false);

	for (i = 0; i < n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "beyond the ceiling: %.*s  (%.*s)\n",
			STR_ARG(diff_subject(a, s, f)), STR_ARG(diff_change_text(a, f->change)));
		text_sides(out, a, s, f->side);
	}
	text_doubts(out, s, a);
	if (!n && !doubts)
		fprintf(out, "nothing is beyond the ceiling '%.*s'\n", STR_ARG(name));
	else
		fprintf(out, "%zu thing%s beyond the ceiling '%.*s', %zu undecided\n", n,
			n == 1 ? "" : "s", STR_ARG(name), doubts);
}

/* --- JSON ---------------------------------------------------------------- */

static struct value *side_data(struct arena *a, const struct diff_said *v)
{
	struct value *m, *rule;

	if (!v->there)
		return value_null(a);
	m = value_map(a);
	rule = value_map(a);
	value_put(m, "effect",
		  v->decides ? value_z(a, ir_effect_name(v->effect)) : value_null(a));
	if (!v->decides)
		value_put(m, "value", value_str(a, diff_value_text(a, v)));
	if (v->decides && v->err)
		value_put(m, "errno", value_z(a, target_errno_name(v->err)));
	value_put(rule, "id", value_str(a, v->id));
	value_put(rule, "level",
		  v->level ? value_z(a, ir_level_name(v->level)) : value_null(a));
	value_put(rule, "at",
		  v->at.line ? value_str(a, show_place(a, &v->at)) : value_null(a));
	value_put(rule, "file", v->at.line ? value_str(a, v->at.file) : value_null(a));
	value_put(rule, "line", v->at.line ? value_num(a, v->at.line) : value_null(a));
	value_put(rule, "column",
		  v->at.line && v->at.col ? value_num(a, v->at.col) : value_null(a));
	value_put(rule, "text", value_str(a, v->text));
	value_put(m, "rule", rule);
	return m;
}

static void put_sides(struct value *m, const struct diff_show *s, struct arena *a,
		      const struct diff_said side[2])
{
	value_put(m, side_name(s, 0), side_data(a, &side[0]));
	value_put(m, side_name(s, 1), side_data(a, &side[1]));
}

/* A request as the words that `explain` takes. */
static struct value *request_data(struct arena *a, const struct diff_show *s,
				  const struct diff_finding *f, const struct ir_request *q)
{
	struct request_words w = request_words(a, s, f, q);
	struct value *list = value_list(a);

	for (size_t i = 0; i < w.v.n; i++)
		value_add(list, value_str(a, w.v.v[i]));
	return list;
}

static struct value *finding_data(struct arena *a, const struct diff_show *s,
				  const struct diff_finding *f)
{
	struct value *m = value_map(a);

	value_put(m, "kind", value_z(a, f->kind));
	value_put(m, "change", value_z(a, diff_change_name(f->change)));
	value_put(m, "widening", value_flag(a, f->widening));
	if (f->role.n)
		value_put(m, "role", value_str(a, f->role));
	value_put(m, "request", request_data(a, s, f, diff_shown(f)));
	value_put(m, "shortest", request_data(a, s, f, &f->request));
	put_sides(m, s, a, f->side);
	return m;
}

struct value *diff_data(const struct diff_show *s, struct arena *a)
{
	struct value *top = value_map(a), *list = value_list(a),
		     *doubts = value_list(a), *elsewhere = value_list(a);
	size_t i;

	for (i = 0; i < s->r->elsewhere.n; i++)
		value_add(elsewhere, finding_data(a, s, &s->r->elsewhere.v[i]));
	for (i = 0; i < s->r->findings.n; i++) {
		struct value *m = finding_data(a, s, &s->r->findings.v[i]);

		if (s->impact)
			value_put(m, "seen", impact_share_data(a, &s->impact->findings[i]));
		value_add(list, m);
	}
	for (i = 0; i < s->r->doubts.n; i++) {
		const struct diff_doubt *d = &s->r->doubts.v[i];
		struct value *m = value_map(a);

		value_put(m, "why", value_str(a, d->why));
		if (d->role.n)
			value_put(m, "role", value_str(a, d->role));
		if (is_comparison(s))
			value_put(m, "may_widen", value_flag(a, !d->narrows_only));
		put_sides(m, s, a, d->side);
		if (s->impact)
			value_put(m, "seen", impact_share_data(a, &s->impact->doubts[i]));
		value_add(doubts, m);
	}
	value_put(top, "verdict", value_z(a, s->verdict));
	value_put(top, "findings", list);
	value_put(top, "undecided", doubts);
	if (s->r->elsewhere.n)
		value_put(top, "elsewhere", elsewhere);
	if (s->impact)
		value_put(top, "traffic", impact_data(a, s->impact));
	return top;
}

void diff_json(FILE *out, const struct diff_show *s, struct arena *a)
{
	struct buf b;

	buf_init(&b, a);
	value_json(&b, diff_data(s, a));
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}
