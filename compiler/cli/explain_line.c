/*
 * Prints what a line may run: each simple command with its words as the analysis
 * understands them, the command around it, its effect and the reason.
 */
#include "compiler/cli/explain_line.h"

#include "compiler/cli/cli.h"

/* --- words ------------------------------------------------------------------------ */

static bool is_bare(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || (c && strchr("._:/@+-=,%^", c)) ||
		      (unsigned char)c >= 0x80))
			return false;
	}
	return true;
}

static void add_quoted(struct buf *b, struct str s)
{
	if (is_bare(s)) {
		buf_str(b, s);
		return;
	}
	buf_ch(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_z(b, "'\\''");
		else
			buf_ch(b, s.p[i]);
	}
	buf_ch(b, '\'');
}

struct str explain_shell_word(struct arena *a, struct str text)
{
	struct buf b;

	buf_init(&b, a);
	add_quoted(&b, text);
	return buf_view(&b);
}

struct str explain_word(struct arena *a, const struct sh_word *w)
{
	const struct sh_seg *s;
	struct buf b;

	buf_init(&b, a);
	if (sh_is_literal(w) && !w->seg.n)
		buf_z(&b, "''");
	for (s = &w->seg; s; s = s->next) {
		struct str text = { s->p, s->n };

		switch (s->kind) {
		case SH_LIT:
			add_quoted(&b, text);
			break;
		case SH_ANY:
			buf_z(&b, "<any>");
			break;
		case SH_MULTI:
			buf_z(&b, "<words>");
			break;
		case SH_GLOB:
			buf_z(&b, s->n ? "<names " : "<names");
			buf_str(&b, text);
			buf_ch(&b, '>');
			break;
		case SH_HOME:
			buf_z(&b, "<home>");
			break;
		}
	}
	return cli_clean(a, buf_view(&b), false);
}

/* --- what a part is ------------------------------------------------------------------ */

static const char *const kinds[] = { "command", "file", "net", "unparsed" };

/* What of the `outer` part contains this part; NULL: it stands in the line itself. */
static const char *inside(const struct cmd_part *p)
{
	if (!p->outer)
		return NULL;
	if (p->kind == CMD_FILE || p->kind == CMD_NET)
		return "redirection";
	return p->outer->program && (p->outer->program->flags & LINE_PF_SHELL) ? "shell code" :
									       "words";
}

static size_t number_of(const struct explain_answer *e, const struct cmd_part *p)
{
	size_t i;

	for (i = 0; i < e->parts.n && e->parts.v[i].part != p; i++)
		;
	return i;
}

static struct str ops_of(struct arena *a, uint8_t ops)
{
	static const enum ir_op all[] = { IR_READ, IR_WRITE, IR_EXEC };
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < POL_LEN(all); i++)
		if (ops & all[i])
			buf_printf(&b, "%s%s", b.n ? " " : "", ir_op_name(all[i]));
	return buf_view(&b);
}

struct str explain_part_text(struct arena *a, const struct cmd_part *p)
{
	struct buf b;

	buf_init(&b, a);
	if (p->kind == CMD_FILE) {
		buf_str(&b, ops_of(a, p->ops));
		buf_ch(&b, ' ');
		if (p->path && p->home_path)
			buf_z(&b, "<home>");
		if (p->path)
			add_quoted(&b, (struct str){ p->path, p->path_n });
		else
			buf_z(&b, "<any>");
	} else if (p->kind == CMD_NET) {
		buf_printf(&b, "%s ", p->udp ? "udp" : "tcp");
		buf_str(&b, p->host ? (struct str){ p->host, p->host_n } : STR("<any>"));
		if (p->port)
			buf_printf(&b, ":%u", p->port);
		else
			buf_z(&b, ":<any>");
	} else if (p->kind == CMD_UNPARSED) {
		buf_z(&b, p->flags & CMD_EVALUATED ? "text that is evaluated a second time" :
						     "text that cannot be read");
	}
	for (uint32_t i = 0; p->kind == CMD_COMMAND && i < p->nwords; i++) {
		if (i)
			buf_ch(&b, ' ');
		buf_str(&b, explain_word(a, p->words[i].w));
	}
	if (p->flags & CMD_APPENDS)
		buf_z(&b, " <words>");
	return cli_clean(a, buf_view(&b), false);
}

static struct str option_text(struct arena *a, const struct cmd_option *o)
{
	static const char *const after[] = { [CMD_O_EXACT] = "", [CMD_O_PREFIX] = "…",
					     [CMD_O_ANY] = "<any>" };
	struct buf b;

	buf_init(&b, a);
	buf_add(&b, o->name, o->name_n);
	buf_z(&b, after[o->how]);
	if (o->value) {
		buf_ch(&b, '=');
		add_quoted(&b, (struct str){ o->value, o->value_n });
	} else if (o->value_open) {
		buf_z(&b, "=<any>");
	}
	return cli_clean(a, buf_view(&b), false);
}

/* --- text ------------------------------------------------------------------------------- */

struct out {
	FILE *f;
	const struct explain_answer *e;
	int depth;
};

static void label(const struct out *o, const char *name, struct str text)
{
	fprintf(o->f, "%*s%-10s %.*s\n", 2 * o->depth + 9, "", name, STR_ARG(text));
}

static void text_options(const struct out *o, const struct cmd_part *p)
{
	const struct cmd_option *x;
	struct buf b;

	buf_init(&b, o->e->a);
	for (x = p->options; x; x = x->next) {
		buf_z(&b, b.n ? ", " : "");
		buf_str(&b, option_text(o->e->a, x));
		buf_z(&b, x->sure ? "" : "?");
	}
	if (b.n)
		label(o, "options", buf_view(&b));
}

static void text_by(const struct out *o, const struct explain_part *p)
{
	struct arena *a = o->e->a;
	struct str id = cli_clean(a, p->by.id, false);

	if (str_eqz(p->by.id, "none"))
		return;
	label(o, "by", p->by.line ?
			       str_printf(a, "%.*s (%s) at %.*s: %.*s", STR_ARG(id),
					  p->by.level,
					  STR_ARG(cli_clean(a, explain_place(a, &p->by),
							    false)),
					  STR_ARG(cli_clean(a, p->by.text, false))) :
			       str_printf(a, "%.*s (built in)", STR_ARG(id)));
}

static void text_rules(const struct out *o, const struct explain_part *p)
{
	struct arena *a = o->e->a;

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct explain_match *m = &p->rules.v[i];

		label(o, m->must ? "matches" : "may match",
		      str_printf(a, "%s %.*s (%s) at %.*s%s%.*s", m->rule.effect,
				 STR_ARG(cli_clean(a, m->rule.id, false)), m->rule.level,
				 STR_ARG(cli_clean(a, explain_place(a, &m->rule), false)),
				 m->rule.idle.n ? ", does not count: " : "",
				 STR_ARG(cli_clean(a, m->rule.idle, false))));
	}
}

static void text_part(FILE *f, const struct explain_answer *e,
		      const struct explain_part *p)
{
	struct out o = { .f = f, .e = e };
	const struct cmd_part *c = p->part, *up;

	for (up = c->outer; up && o.depth < 20; up = up->outer)
		o.depth++;
	fprintf(f, "%*s%-6s %.*s\n", 2 * o.depth + 2, "",
		ir_effect_name(p->effect), STR_ARG(explain_part_text(e->a, c)));
	if (inside(c))
		label(&o, "inside of", str_printf(e->a, "the %s of '%.*s'", inside(c),
						  STR_ARG(explain_part_text(e->a, c->outer))));
	text_options(&o, c);
	if (c->opaque)
		label(&o, "opaque", str_from(c->opaque));
	if (c->no_allow)
		label(&o, "no allow", str_from(c->no_allow));
	/* if there is only one part, the head has said this already */
	if (e->parts.n == 1)
		return;
	label(&o, "step", cli_clean(e->a, p->step, false));
	text_by(&o, p);
	text_rules(&o, p);
	if (p->needs_person)
		label(&o, "answer", STR("a person only"));
}

void explain_line_text(FILE *out, const struct explain_answer *e)
{
	size_t i;

	if (!e->line)
		return;
	if (e->line->why)
		fprintf(out, "not read: %s (byte %u)\n", e->line->why, e->line->at);
	fputs(e->parts.n ? "it may run:\n" : "it runs nothing\n", out);
	for (i = 0; i < e->parts.n; i++) {
		const struct explain_part *p = &e->parts.v[i];

		/* a name that no rule is about */
		if (!(p->part->flags & CMD_RENAMED) || p->rules.n || p->effect != IR_ALLOW)
			text_part(out, e, p);
	}
}

/* --- JSON -------------------------------------------------------------------------------- */

/* Writes null for a text that is not there. */
static void text(struct json *j, const char *key, struct str s)
{
	if (s.p)
		json_buf_str(j, key, s);
	else
		json_null(j, key);
}

static void json_roles(struct json *j, uint8_t roles)
{
	static const struct {
		uint8_t bit;
		const char *name;
	} all[] = { { CMD_W_OPTION, "option" }, { CMD_W_VALUE, "value" },
		    { CMD_W_OPERAND, "operand" }, { CMD_W_END, "end" } };

	json_array(j, "roles");
	for (size_t i = 0; i < POL_LEN(all); i++)
		if (roles & all[i].bit)
			json_cstr(j, NULL, all[i].name);
	json_array_end(j);
}

/* A literal word is written as its text, any other word as the list of its pieces. */
static void json_word(struct json *j, const struct cmd_word *w)
{
	static const char *const kinds_of[] = { [SH_LIT] = "text", [SH_ANY] = "any",
						[SH_MULTI] = "words", [SH_GLOB] = "names",
						[SH_HOME] = "home" };
	const struct sh_seg *s;

	json_object(j, NULL);
	if (sh_is_literal(w->w)) {
		json_str(j, "text", w->w->seg.p, w->w->seg.n);
	} else {
		json_array(j, "pieces");
		for (s = &w->w->seg; s; s = s->next) {
			json_object(j, NULL);
			json_cstr(j, "kind", kinds_of[s->kind]);
			if (s->kind == SH_LIT || (s->kind == SH_GLOB && s->n))
				json_str(j, "text", s->p, s->n);
			json_object_end(j);
		}
		json_array_end(j);
	}
	json_roles(j, w->roles);
	json_object_end(j);
}

static void json_options(struct json *j, const struct cmd_part *p)
{
	static const char *const how[] = { [CMD_O_EXACT] = "exact",
					   [CMD_O_PREFIX] = "prefix", [CMD_O_ANY] = "any" };
	const struct cmd_option *o;

	json_array(j, "options");
	for (o = p->options; o; o = o->next) {
		json_object(j, NULL);
		json_str(j, "name", o->name, o->name_n);
		json_cstr(j, "how", how[o->how]);
		json_bool(j, "sure", o->sure);
		if (o->value)
			json_str(j, "value", o->value, o->value_n);
		if (o->value_word)
			json_uint(j, "value_word", o->value_word);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Writes the members that depend on the kind of the part. */
static void json_body(struct json *j, const struct explain_answer *e,
		      const struct cmd_part *p)
{
	uint32_t i;

	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		json_array(j, "words");
		for (i = 0; i < p->nwords; i++)
			json_word(j, &p->words[i]);
		json_array_end(j);
		json_bool(j, "words_follow", p->flags & CMD_APPENDS);
		json_options(j, p);
		break;
	case CMD_FILE:
		text(j, "operations", ops_of(e->a, p->ops));
		text(j, "path", (struct str){ p->path, p->path ? p->path_n : 0 });
		json_bool(j, "in_home", p->home_path);
		break;
	case CMD_NET:
		json_cstr(j, "proto", p->udp ? "udp" : "tcp");
		text(j, "host", (struct str){ p->host, p->host ? p->host_n : 0 });
		if (p->port)
			json_uint(j, "port", p->port);
		else
			json_null(j, "port");
		break;
	case CMD_UNPARSED:
		break;
	}
}

static void json_part(struct json *j, const struct explain_answer *e,
		      const struct explain_part *x)
{
	const struct cmd_part *p = x->part;

	json_object(j, NULL);
	json_cstr(j, "kind", kinds[p->kind]);
	json_cstr(j, "inside", inside(p));
	if (p->outer)
		json_uint(j, "of", number_of(e, p->outer));
	else
		json_null(j, "of");
	json_uint(j, "from", p->from);
	json_uint(j, "to", p->to);
	json_body(j, e, p);
	json_cstr(j, "opaque", p->opaque);
	json_cstr(j, "no_allow", p->no_allow);
	json_cstr(j, "effect", ir_effect_name(x->effect));
	text(j, "step", x->step);
	explain_json_rule(j, "by", e->a, &x->by);
	json_cstr(j, "risk", x->risk);
	json_bool(j, "needs_person", x->needs_person);
	json_array(j, "rules");
	for (size_t i = 0; i < x->rules.n; i++) {
		json_object(j, NULL);
		explain_json_rule(j, "rule", e->a, &x->rules.v[i].rule);
		json_bool(j, "all", x->rules.v[i].must);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void explain_line_json(struct json *j, const struct explain_answer *e)
{
	size_t i;

	if (!e->line)
		return;
	json_cstr(j, "not_read", e->line->why);
	json_array(j, "commands");
	for (i = 0; i < e->parts.n; i++)
		json_part(j, e, &e->parts.v[i]);
	json_array_end(j);
}
