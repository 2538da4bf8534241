/*
 * Prints findings.  A request is written in the words that `explain` takes, so that
 * everybody can ask it again.
 */
#include "compiler/cli/diff_print.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/show.h"
#include "compiler/cli/value.h"
#include "compiler/target/target.h"

/* --- requests as words --------------------------------------------------- */

struct words {
	struct arena *a;
	VEC(struct str) v;
};

static void put(struct words *w, struct str s)
{
	VEC_PUSH(w->a, &w->v, s);
}

static void put_z(struct words *w, const char *z)
{
	put(w, str_from(z));
}

static void put_command(struct words *w, const struct ir_request *q)
{
	size_t i;

	if (q->unparsed) {
		put_z(w, "command");
		put(w, q->text);
		return;
	}
	put_z(w, "argv");
	put_z(w, "--");
	for (i = 0; i < q->nargv; i++)
		put(w, q->argv[i]);
}

static void put_net(struct words *w, const struct ir_request *q)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = memcmp(q->addr, mapped, sizeof(mapped)) == 0;
	char text[INET6_ADDRSTRLEN] = "";

	put_z(w, "net");
	put_z(w, q->proto == IR_UDP ? "udp" : "tcp");
	if (q->is_addr)
		inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? q->addr + 12 : q->addr, text,
			  sizeof(text));
	if (!q->is_addr)
		put(w, str_printf(w->a, "%.*s:%u", STR_ARG(q->host), q->port));
	else
		put(w, str_printf(w->a, v4 ? "%s:%u" : "[%s]:%u", text, q->port));
}

static void put_syscall(struct words *w, const struct ir_request *q)
{
	const struct target_call *call = target_call_by_nr(q->nr);
	struct buf b;
	size_t i, n = 6;

	buf_init(&b, w->a);
	if (call)
		buf_z(&b, call->name);
	else
		buf_printf(&b, "%u", q->nr);
	while (n && !q->args[n - 1])
		n--;
	for (i = 0; i < n; i++)
		buf_printf(&b, "%s0x%" PRIx64, i ? "," : "(", q->args[i]);
	if (n)
		buf_ch(&b, ')');
	put_z(w, "syscall");
	put(w, buf_view(&b));
}

static bool is_below(struct str path, struct str dir)
{
	return dir.p && str_starts(path, dir) &&
	       (path.n == dir.n || path.p[dir.n] == '/');
}

/* The options that must stand on the command line before the request. */
static void put_options(struct words *w, const struct diff_show *s,
			const struct ir_request *q)
{
	int i;

	if (q->scope != s->o->scope) {
		put_z(w, "--scope");
		put_z(w, q->scope == IR_HOST ? "host" : "sandbox");
	}
	for (i = 0; i < IR_ROOT_COUNT; i++) {
		if (!s->made[i] || !is_below(q->path, q->roots.dir[i]))
			continue;
		put_z(w, "--root");
		put(w, str_printf(w->a, "%s=%.*s", ir_root_name((enum ir_root)i),
				  STR_ARG(q->roots.dir[i])));
	}
}

static struct words request_words(struct arena *a, const struct diff_show *s,
				  const struct diff_finding *f)
{
	const struct ir_request *q = &f->request;
	struct words w = { .a = a };

	if (!f->asked)
		return w;
	if (f->role.n) {
		put_z(&w, "--role");
		put(&w, f->role);
	}
	put_options(&w, s, q);
	switch (q->kind) {
	case IR_COMMAND:
		put_command(&w, q);
		break;
	case IR_FILE:
		put_z(&w, "file");
		put_z(&w, ir_op_name(q->op));
		put(&w, q->path);
		break;
	case IR_NET:
		put_net(&w, q);
		break;
	case IR_UNIX:
		put_z(&w, "unix");
		put(&w, q->abstract ? str_cat(a, STR("@"), q->path) : q->path);
		break;
	case IR_SYSCALL:
		put_syscall(&w, q);
		break;
	case IR_TOOL:
		put_z(&w, "tool");
		put(&w, q->tool);
		break;
	case IR_KIND_COUNT:
		break;
	}
	return w;
}

static bool is_plain(struct str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
			    "6789"
			    "-_./:=@,+%",
			    s.p[i]) ||
		    !s.p[i])
			return false;
	return s.n > 0;
}

/* Joins the words and quotes them for a shell. */
static struct str joined(struct arena *a, const struct words *w)
{
	struct buf b;
	size_t i, k;

	buf_init(&b, a);
	for (i = 0; i < w->v.n; i++) {
		struct str s = w->v.v[i];

		if (i)
			buf_ch(&b, ' ');
		if (is_plain(s)) {
			buf_str(&b, s);
			continue;
		}
		buf_ch(&b, '\'');
		for (k = 0; k < s.n; k++) {
			if (s.p[k] == '\'')
				buf_z(&b, "'\\'");
			buf_ch(&b, s.p[k]);
		}
		buf_ch(&b, '\'');
	}
	return cli_clean(a, buf_view(&b), false);
}

/* --- one side ------------------------------------------------------------ */

static struct str value_of(struct arena *a, const struct diff_said *v)
{
	if (v->scalar)
		return show_scalar(a, v->scalar_id, v->scalar);
	if (v->setting)
		return show_value(a, &v->setting->value);
	return v->value;
}

/* "deny by no-curl (managed, m.pol:4): final deny …" */
static struct str side_text(struct arena *a, const struct diff_said *v)
{
	struct buf b;

	if (!v->there)
		return STR("nothing");
	buf_init(&b, a);
	if (v->decides)
		buf_printf(&b, "%s", ir_effect_name(v->effect));
	else
		buf_str(&b,
			value_of(a, v).n ? show_cut(a, value_of(a, v)) : STR("none"));
	if (v->decides && v->err)
		buf_printf(&b, " with %s", target_errno_name(v->err));
	buf_printf(&b, " by %.*s", STR_ARG(v->id));
	if (v->at.line && v->level)
		buf_printf(&b, " (%s, %.*s)", ir_level_name(v->level),
			   STR_ARG(show_place(a, &v->at)));
	else
		buf_printf(&b, " (%.*s)", STR_ARG(show_place(a, &v->at)));
	if (v->text.n)
		buf_printf(&b, ": %.*s", STR_ARG(show_cut(a, v->text)));
	return cli_clean(a, buf_view(&b), false);
}

static struct str change_text(struct arena *a, enum diff_change c)
{
	struct str s = str_from(diff_change_name(c));
	char *p = arena_dup(a, s.p, s.n);
	size_t i;

	for (i = 0; i < s.n; i++)
		if (p[i] == '-')
			p[i] = ' ';
	return (struct str){ p, s.n };
}

/* What the finding is about: a request, or the thing that has the value. */
static struct str subject(struct arena *a, const struct diff_show *s,
			  const struct diff_finding *f)
{
	const struct diff_said *v = &f->side[f->side[1].there ? 1 : 0];
	struct words w;

	if (f->asked) {
		w = request_words(a, s, f);
		return joined(a, &w);
	}
	/* an item of a list is named by its text, a value by its name */
	return show_cut(a, str_printf(a, "%s%.*s%s%s %.*s", f->role.n ? "--role " : "",
				      STR_ARG(f->role), f->role.n ? " " : "", f->kind,
				      STR_ARG(v->value.n ? v->value : v->id)));
}

static struct str doubt_text(struct arena *a, const struct diff_doubt *d)
{
	struct str why = d->why;

	if (d->role.n)
		why = str_printf(a, "--role %.*s: %.*s", STR_ARG(d->role), STR_ARG(why));
	return cli_clean(a, why, false);
}

/* --- text ---------------------------------------------------------------- */

static size_t widenings(const struct diff_result *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->findings.n; i++)
		n += r->findings.v[i].widening;
	return n;
}

static void text_sides(FILE *out, struct arena *a, const struct diff_said side[2])
{
	fprintf(out, "    old  %.*s\n    new  %.*s\n", STR_ARG(side_text(a, &side[0])),
		STR_ARG(side_text(a, &side[1])));
}

void diff_text(FILE *out, const struct diff_show *s, struct arena *a)
{
	size_t i, n = s->r->findings.n, doubts = s->r->doubts.n;

	for (i = 0; i < n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "%.*s: %.*s%s\n", STR_ARG(change_text(a, f->change)),
			STR_ARG(subject(a, s, f)), f->widening ? "  (widening)" : "");
		text_sides(out, a, f->side);
	}
	for (i = 0; i < doubts; i++) {
		fprintf(out, "undecided: %.*s\n",
			STR_ARG(doubt_text(a, &s->r->doubts.v[i])));
		text_sides(out, a, s->r->doubts.v[i].side);
	}
	if (!n && !doubts)
		fputs("the two policies decide alike\n", out);
	else
		fprintf(out, "%zu difference%s, %zu widening, %zu undecided\n", n,
			n == 1 ? "" : "s", widenings(s->r), doubts);
}

/* --- Markdown ------------------------------------------------------------ */

/* Text for a cell of a table: on one line, without bars and markup. */
static struct str cell(struct arena *a, struct str s)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < s.n; i++) {
		if (strchr("|\\`*_<>[]&#", s.p[i]) && s.p[i])
			buf_ch(&b, '\\');
		buf_ch(&b, s.p[i]);
	}
	return buf_view(&b);
}

void diff_markdown(FILE *out, const struct diff_show *s, struct arena *a)
{
	size_t i, n = s->r->findings.n, doubts = s->r->doubts.n;

	fprintf(out, "**%s**: %zu difference%s, %zu widening, %zu undecided\n",
		s->verdict, n, n == 1 ? "" : "s", widenings(s->r), doubts);
	if (n)
		fputs("\n| change | request or value | old | new "
		      "|\n|---|---|---|---|\n",
		      out);
	for (i = 0; i < n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "| %s%.*s%s | %.*s | %.*s | %.*s |\n",
			f->widening ? "**" : "", STR_ARG(change_text(a, f->change)),
			f->widening ? "**" : "", STR_ARG(cell(a, subject(a, s, f))),
			STR_ARG(cell(a, side_text(a, &f->side[0]))),
			STR_ARG(cell(a, side_text(a, &f->side[1]))));
	}
	if (doubts)
		fputs("\n| undecided | old | new |\n|---|---|---|\n", out);
	for (i = 0; i < doubts; i++)
		fprintf(out, "| %.*s | %.*s | %.*s |\n",
			STR_ARG(cell(a, doubt_text(a, &s->r->doubts.v[i]))),
			STR_ARG(cell(a, side_text(a, &s->r->doubts.v[i].side[0]))),
			STR_ARG(cell(a, side_text(a, &s->r->doubts.v[i].side[1]))));
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
		value_put(m, "value", value_str(a, value_of(a, v)));
	if (v->decides && v->err)
		value_put(m, "errno", value_z(a, target_errno_name(v->err)));
	value_put(rule, "id", value_str(a, v->id));
	value_put(rule, "level",
		  v->level ? value_z(a, ir_level_name(v->level)) : value_null(a));
	value_put(rule, "at",
		  v->at.line ? value_str(a, show_place(a, &v->at)) : value_null(a));
	value_put(rule, "text", value_str(a, v->text));
	value_put(m, "rule", rule);
	return m;
}

static struct value *finding_data(struct arena *a, const struct diff_show *s,
				  const struct diff_finding *f)
{
	struct value *m = value_map(a), *request = value_list(a);
	struct words w = request_words(a, s, f);
	size_t i;

	for (i = 0; i < w.v.n; i++)
		value_add(request, value_str(a, w.v.v[i]));
	value_put(m, "kind", value_z(a, f->kind));
	value_put(m, "change", value_z(a, diff_change_name(f->change)));
	value_put(m, "widening", value_flag(a, f->widening));
	if (f->role.n)
		value_put(m, "role", value_str(a, f->role));
	value_put(m, "request", request);
	value_put(m, "old", side_data(a, &f->side[0]));
	value_put(m, "new", side_data(a, &f->side[1]));
	return m;
}

void diff_json(FILE *out, const struct diff_show *s, struct arena *a)
{
	struct value *top = value_map(a), *list = value_list(a),
		     *doubts = value_list(a);
	struct buf b;
	size_t i;

	for (i = 0; i < s->r->findings.n; i++)
		value_add(list, finding_data(a, s, &s->r->findings.v[i]));
	for (i = 0; i < s->r->doubts.n; i++) {
		const struct diff_doubt *d = &s->r->doubts.v[i];
		struct value *m = value_map(a);

		value_put(m, "why", value_str(a, d->why));
		if (d->role.n)
			value_put(m, "role", value_str(a, d->role));
		value_put(m, "old", side_data(a, &d->side[0]));
		value_put(m, "new", side_data(a, &d->side[1]));
		value_add(doubts, m);
	}
	value_put(top, "verdict", value_z(a, s->verdict));
	value_put(top, "findings", list);
	value_put(top, "undecided", doubts);
	buf_init(&b, a);
	value_json(&b, top);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}
