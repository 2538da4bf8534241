/*
 * Prints exposures.  A role is shown by what differs from the policy without a role; JSON
 * has all of each.
 */
#include "compiler/cli/exposure_print.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/show.h"
#include "compiler/cli/value.h"

unsigned exposure_worst(const struct exposure_show *s)
{
	unsigned most = 0;

	for (size_t i = 0; i < s->sides.n; i++)
		if (s->sides.v[i].r.score > most)
			most = s->sides.v[i].r.score;
	return most;
}

static const struct exposure_finding *same_fact(const struct exposure_result *r,
						const struct exposure_finding *f)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].fact->group == f->fact->group &&
		    strcmp(r->findings.v[i].fact->title, f->fact->title) == 0)
			return &r->findings.v[i];
	return NULL;
}

static bool is_as_before(const struct exposure_show *s, size_t side,
			 const struct exposure_finding *f)
{
	const struct exposure_finding *was =
		side ? same_fact(&s->sides.v[0].r, f) : NULL;

	if (!was || was->score != f->score || was->ways.n != f->ways.n)
		return false;
	for (size_t i = 0; i < f->ways.n; i++) {
		const struct exposure_way *x = &was->ways.v[i], *y = &f->ways.v[i];

		if (x->more != y->more || !str_eq(x->reach.by.id, y->reach.by.id))
			return false;
	}
	return true;
}

/* --- parts of a line ---------------------------------------------------------------- */

static const char *grade_word(const struct exposure_reach *r)
{
	if (r->undecided)
		return "undecided";
	return r->grade == EXPOSURE_OPEN ? "allow" : "ask";
}

static struct str what_text(struct arena *a, const struct exposure_way *way)
{
	struct buf b;

	buf_init(&b, a);
	buf_str(&b, show_cut(a, way->reach.what));
	if (way->more)
		buf_printf(&b, ", and %zu more", way->more);
	if (way->reach.undecided)
		buf_z(&b, " (undecided, so it counts)");
	else if (way->reach.grade == EXPOSURE_ASKED)
		buf_z(&b, " (asks first)");
	return cli_clean(a, buf_view(&b), false);
}

/* "file-1a2b (project, p.pol:4:5): allow write …"; the column is 0 in some places. */
static struct str by_text(struct arena *a, const struct exposure_by *by)
{
	struct buf b;

	buf_init(&b, a);
	if (!by->at.line) {
		buf_printf(&b, "no statement of %.*s", STR_ARG(by->id));
		return cli_clean(a, buf_view(&b), false);
	}
	buf_printf(&b, "%.*s (%s, %.*s)", STR_ARG(by->id),
		   by->level ? ir_level_name(by->level) : "built in",
		   STR_ARG(show_point(a, &by->at)));
	if (by->text.n)
		buf_printf(&b, ": %.*s", STR_ARG(show_cut(a, by->text)));
	return cli_clean(a, buf_view(&b), false);
}

static struct str role_text(struct arena *a, struct str role)
{
	if (!role.n)
		return STR("without a role");
	return cli_clean(a, str_printf(a, "role %.*s", STR_ARG(role)), false);
}

/* One sentence. */
static const char *attacker(struct arena *a, const struct exposure_fact *fact)
{
	if (fact->group == EXPOSURE_SOCKET)
		return fact->does;
	return arena_printf(a, "an attacker %s", fact->does);
}

/* --- text --------------------------------------------------------------------------- */

static void text_finding(FILE *out, const struct exposure_finding *f, struct arena *a)
{
	fprintf(out, "%4u  %s: %s\n", f->score, f->fact->title, attacker(a, f->fact));
	for (size_t i = 0; i < f->ways.n; i++)
		fprintf(out, "      %.*s\n        by %.*s\n",
			STR_ARG(what_text(a, &f->ways.v[i])),
			STR_ARG(by_text(a, &f->ways.v[i].reach.by)));
}

static unsigned group_score(const struct exposure_result *r, enum exposure_group g)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].fact->group == g)
			n += r->findings.v[i].score;
	return n;
}

static void text_side(FILE *out, const struct exposure_show *s, size_t side, struct arena *a)
{
	const struct exposure_result *r = &s->sides.v[side].r, *first = &s->sides.v[0].r;
	size_t same = 0, gone = 0;
	int last = -1;

	fprintf(out, "%sexposure %u of %u, %.*s\n", side ? "\n" : "", r->score, r->most,
		STR_ARG(role_text(a, s->sides.v[side].role)));
	for (size_t i = 0; i < r->findings.n; i++) {
		const struct exposure_finding *f = &r->findings.v[i];

		if (is_as_before(s, side, f)) {
			same++;
			continue;
		}
		if (last != (int)f->fact->group)
			fprintf(out, "\n%s: %u\n", exposure_group_title(f->fact->group),
				group_score(r, f->fact->group));
		last = (int)f->fact->group;
		text_finding(out, f, a);
	}
	for (size_t i = 0; side && i < first->findings.n; i++)
		gone += !same_fact(r, &first->findings.v[i]);
	if (side)
		fprintf(out, "\n%zu as %.*s, and %zu less\n", same,
			STR_ARG(role_text(a, s->sides.v[0].role)), gone);
}

void exposure_text(FILE *out, const struct exposure_show *s, struct arena *a)
{
	for (size_t i = 0; i < s->sides.n; i++)
		text_side(out, s, i, a);
}

/* --- Markdown -------------------------------------------------------------------------- */

/* Text for a cell of a table: on one line, without bars and markup. */
static struct str cell(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] && strchr("|\\`*_<>[]&#$~", s.p[i]))
			buf_ch(&b, '\\');
		buf_ch(&b, s.p[i]);
	}
	return buf_view(&b);
}

static void markdown_finding(FILE *out, const struct exposure_finding *f, struct arena *a)
{
	fprintf(out, "| %u | **%s**: %s |", f->score, f->fact->title, attacker(a, f->fact));
	for (size_t i = 0; i < f->ways.n; i++)
		fprintf(out, "%s %.*s by %.*s", i ? "<br>" : "",
			STR_ARG(cell(a, what_text(a, &f->ways.v[i]))),
			STR_ARG(cell(a, by_text(a, &f->ways.v[i].reach.by))));
	fputs(" |\n", out);
}

void exposure_markdown(FILE *out, const struct exposure_show *s, struct arena *a)
{
	for (size_t i = 0; i < s->sides.n; i++) {
		const struct exposure_side *side = &s->sides.v[i];
		size_t rows = 0;

		fprintf(out, "%s**exposure %u** of %u, %.*s\n", i ? "\n" : "", side->r.score,
			side->r.most, STR_ARG(cell(a, role_text(a, side->role))));
		for (size_t k = 0; k < side->r.findings.n; k++) {
			const struct exposure_finding *f = &side->r.findings.v[k];

			if (is_as_before(s, i, f))
				continue;
			if (!rows++)
				fputs("\n| score | what | rules |\n|---:|---|---|\n", out);
			markdown_finding(out, f, a);
		}
	}
}

/* --- JSON ------------------------------------------------------------------------------- */

static struct value *fact_name(struct arena *a, const struct exposure_fact *fact)
{
	char *p = arena_printf(a, "%s", fact->name);

	for (char *c = p; *c; c++)
		*c = *c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
	return value_z(a, p);
}

static struct value *rule_data(struct arena *a, const struct exposure_by *by)
{
	struct value *m = value_map(a);
	bool there = by->at.line != 0;

	value_put(m, "id", value_str(a, by->id));
	value_put(m, "level", there && by->level ? value_z(a, ir_level_name(by->level)) :
						   value_null(a));
	value_put(m, "file", there ? value_str(a, by->at.file) : value_null(a));
	value_put(m, "line", there ? value_num(a, by->at.line) : value_null(a));
	value_put(m, "column", there && by->at.col ? value_num(a, by->at.col) : value_null(a));
	value_put(m, "text", value_str(a, by->text));
	return m;
}

static struct value *finding_data(struct arena *a, const struct exposure_finding *f)
{
	struct value *m = value_map(a), *ways = value_list(a);

	value_put(m, "fact", fact_name(a, f->fact));
	value_put(m, "group", value_z(a, exposure_group_name(f->fact->group)));
	value_put(m, "title", value_z(a, f->fact->title));
	value_put(m, "attacker", value_z(a, attacker(a, f->fact)));
	value_put(m, "weight", value_num(a, f->fact->weight));
	value_put(m, "score", value_num(a, f->score));
	for (size_t i = 0; i < f->ways.n; i++) {
		const struct exposure_way *w = &f->ways.v[i];
		struct value *way = value_map(a);

		value_put(way, "answer", value_z(a, grade_word(&w->reach)));
		value_put(way, "what", value_str(a, w->reach.what));
		value_put(way, "more", value_num(a, w->more));
		value_put(way, "rule", rule_data(a, &w->reach.by));
		value_add(ways, way);
	}
	value_put(m, "ways", ways);
	return m;
}

static struct value *side_data(struct arena *a, const struct exposure_side *side)
{
	struct value *m = value_map(a), *list = value_list(a);

	value_put(m, "role", side->role.n ? value_str(a, side->role) : value_null(a));
	value_put(m, "score", value_num(a, side->r.score));
	value_put(m, "of", value_num(a, side->r.most));
	for (size_t i = 0; i < side->r.findings.n; i++)
		value_add(list, finding_data(a, &side->r.findings.v[i]));
	value_put(m, "findings", list);
	return m;
}

void exposure_json(FILE *out, const struct exposure_show *s, struct arena *a)
{
	struct value *top = value_map(a), *sides = value_list(a), *roots = value_map(a);
	struct buf b;

	value_put(top, "scope", value_z(a, s->where->scope == IR_HOST ? "host" : "sandbox"));
	for (int i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++)
		value_put(roots, ir_root_name((enum ir_root)i),
			  value_str(a, s->where->roots.dir[i]));
	value_put(top, "roots", roots);
	value_put(top, "score", value_num(a, exposure_worst(s)));
	value_put(top, "max", s->o->has_max ? value_num(a, s->o->max) : value_null(a));
	for (size_t i = 0; i < s->sides.n; i++)
		value_add(sides, side_data(a, &s->sides.v[i]));
	value_put(top, "roles", sides);
	buf_init(&b, a);
	value_json(&b, top);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}
