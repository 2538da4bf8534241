/* Prints the entries of `polc effective`: a page for people, data for programs. */
#include <inttypes.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/effective.h"
#include "compiler/cli/show.h"
#include "compiler/cli/value.h"

/* "(user, p.pol:3)".  The author of a bundle chooses its names, so they are cleaned. */
static struct str by(struct arena *a, enum ir_level level, const struct ir_place *at)
{
	if (!at->line)
		return STR("(built in)");
	return cli_clean(a,
			 str_printf(a, "(%s, %.*s)", ir_level_name(level),
				    STR_ARG(show_place(a, at))),
			 false);
}

/* The flags of a rule that change its meaning. */
static const char *const flag_names[] = { "final", "floor", "scratch", "soft",
					 "may yes"};

static bool has_flag(const struct ir_rule *r, size_t i)
{
	const bool flags[POL_LEN(flag_names)] = { r->final, r->floor, r->scratch,
						 r->soft, r->may_yes};

	return flags[i];
}

static const char *scopes_word(const struct ir_rule *r)
{
	return r->scopes == IR_SANDBOX ? "sandbox"
	       : r->scopes == IR_HOST  ? "host"
				       : "none";
}

/* --- text ---------------------------------------------------------------- */

struct page {
	FILE *out;
	struct arena *a;
	const struct effective_show *s;
};

static void put_notes(struct page *p, const struct effective_entry *e)
{
	struct arena *a = p->a;
	size_t i;

	if (e->via.n)
		fprintf(p->out, "          via %.*s\n", STR_ARG(show_cut(a, e->via)));
	if (e->because.n)
		fprintf(p->out, "          because %.*s\n",
			STR_ARG(show_cut(a, e->because)));
	for (i = 0; e->rule && i < POL_LEN(flag_names); i++)
		if (has_flag(e->rule, i))
			fprintf(p->out, "          %s\n", flag_names[i]);
	if (e->rule && e->rule->scopes != IR_ALL_SCOPES)
		fprintf(p->out, "          only in scope %s\n", scopes_word(e->rule));
	if (e->until.n)
		fprintf(p->out, "          until %.*s\n",
			STR_ARG(show_cut(a, e->until)));
	if (e->role.n)
		fprintf(p->out, "          of role %.*s\n",
			STR_ARG(show_cut(a, e->role)));
	if (e->locked)
		fputs("          locked: lower levels cannot set it\n", p->out);
	if (e->carried)
		fputs("          carried: this version does not act on it\n", p->out);
	for (i = 0; i < e->over.n; i++)
		fprintf(p->out, "          overrides %.*s %.*s%s\n",
			STR_ARG(show_cut(a, e->over.v[i].value)),
			STR_ARG(by(a, e->over.v[i].level, &e->over.v[i].at)),
			e->over.v[i].level < e->level ? ", which is looser" : "");
	for (i = 0; i < e->lifted.n; i++)
		fprintf(p->out,
			"          %.*s is lifted for what %.*s matches: %.*s\n",
			STR_ARG(show_cut(a, e->lifted.v[i].value)),
			STR_ARG(by(a, e->lifted.v[i].level, &e->lifted.v[i].at)),
			STR_ARG(show_cut(a, e->lifted.v[i].text)));
}

static void put_entry(struct page *p, const struct effective_entry *e)
{
	struct arena *a = p->a;
	struct str name = show_cut(a, e->name), value = show_cut(a, e->value);
	struct str text = show_cut(a, e->text), who = by(a, e->level, &e->at);

	switch (e->what) {
	case EFFECTIVE_VALUE:
		fprintf(p->out, "  %.*s = %.*s  %.*s\n", STR_ARG(name), STR_ARG(value),
			STR_ARG(who));
		break;
	case EFFECTIVE_RULE:
		fprintf(p->out, "  %-6.*s %.*s  %.*s  %.*s\n", STR_ARG(name),
			STR_ARG(who), STR_ARG(show_cut(a, e->id)), STR_ARG(text));
		break;
	case EFFECTIVE_VARIABLE:
	case EFFECTIVE_FACT:
	case EFFECTIVE_PUBLISH:
	case EFFECTIVE_ASSERTION:
		fprintf(p->out, "  %.*s%s%.*s%s%.*s  %.*s\n", STR_ARG(name),
			value.n ? " " : "", STR_ARG(value), text.n ? "  " : "",
			STR_ARG(text), STR_ARG(who));
		break;
	case EFFECTIVE_MOUNT:
		fprintf(p->out, "  mount %.*s at %.*s  %.*s\n", STR_ARG(value),
			STR_ARG(name), STR_ARG(who));
		break;
	case EFFECTIVE_ROLE:
	case EFFECTIVE_TEST:
		fprintf(p->out, "  %.*s: %.*s  (%.*s)\n", STR_ARG(name), STR_ARG(value),
			STR_ARG(cli_clean(a, show_place(a, &e->at), false)));
		break;
	}
	put_notes(p, e);
}

/* Limits that nobody set and the many facts of the library are left out. */
static bool is_quiet(const struct page *p, const struct effective_entry *e)
{
	if (p->s->verbose)
		return false;
	return (e->what == EFFECTIVE_FACT && e->level == IR_DEFAULT) ||
	       (e->what == EFFECTIVE_VALUE && str_eqz(e->value, "none") && !e->at.line);
}

static void put_section(struct page *p, const char *name)
{
	struct effective_section s = effective_collect(p->s->ir, p->a, name);
	size_t i, facts = 0;

	if (!s.entries.n)
		return;
	fprintf(p->out, "%s%s%s", p->s->section ? "" : "\n", name,
		s.lock ? ", locked by " : "");
	if (s.lock)
		fprintf(p->out, "%.*s", STR_ARG(by(p->a, s.lock->level, &s.lock->at)));
	fputc('\n', p->out);
	for (i = 0; i < s.entries.n; i++) {
		if (!is_quiet(p, &s.entries.v[i]))
			put_entry(p, &s.entries.v[i]);
		else
			facts += s.entries.v[i].what == EFFECTIVE_FACT;
	}
	if (facts)
		fprintf(p->out, "  and %zu facts of the standard library: --verbose\n",
			facts);
}

static void put_head(struct page *p)
{
	const struct ir *ir = p->s->ir;
	size_t i;

	fprintf(p->out, "policy %.*s, serial %" PRIu64,
		STR_ARG(show_cut(p->a, ir->name)), ir->serial);
	if (ir->role.n)
		fprintf(p->out, ", role %.*s", STR_ARG(show_cut(p->a, ir->role)));
	if (ir->expires.n)
		fprintf(p->out, ", expires %.*s", STR_ARG(show_cut(p->a, ir->expires)));
	if (ir->until.n)
		fprintf(p->out, ", allows to be looked at again after %.*s",
			STR_ARG(show_cut(p->a, ir->until)));
	fputc('\n', p->out);
	for (i = 0; i < ir->files.n; i++)
		fprintf(p->out, "  %-12s %.*s%s\n", ir_level_name(ir->files.v[i].level),
			STR_ARG(show_cut(p->a, ir->files.v[i].name)),
			ir->files.v[i].narrow ? "  (narrow-only)" : "");
}

static void put_dropped(struct page *p)
{
	const struct ir *ir = p->s->ir;
	size_t i;

	if (ir->dropped.n)
		fputs("\ndoes not count\n", p->out);
	for (i = 0; i < ir->dropped.n; i++) {
		const struct ir_dropped *d = &ir->dropped.v[i];

		fprintf(p->out, "  %.*s  %.*s\n          %.*s",
			STR_ARG(show_cut(p->a, d->text)),
			STR_ARG(by(p->a, d->level, &d->at)),
			STR_ARG(show_cut(p->a, d->why)));
		if (d->by.line)
			fprintf(p->out, ": %.*s",
				STR_ARG(cli_clean(p->a, show_place(p->a, &d->by),
						  false)));
		fputc('\n', p->out);
	}
}

void effective_text(FILE *out, const struct effective_show *s, struct arena *a)
{
	struct page p = { out, a, s };
	size_t i;

	if (s->section) {
		put_section(&p, s->section);
		return;
	}
	put_head(&p);
	for (i = 0; effective_sections[i]; i++)
		put_section(&p, effective_sections[i]);
	put_dropped(&p);
}

/* --- data ---------------------------------------------------------------- */

static void put_str(struct arena *a, struct value *m, const char *key, struct str s)
{
	value_put(m, key, value_str(a, s));
}

static void put_some(struct arena *a, struct value *m, const char *key, struct str s)
{
	if (s.n)
		put_str(a, m, key, s);
}

static void put_by(struct arena *a, struct value *m, enum ir_level level,
		   const struct ir_place *at)
{
	if (level)
		value_put(m, "level", value_z(a, ir_level_name(level)));
	value_put(m, "at", at->line ? value_str(a, show_place(a, at)) : value_null(a));
}

static struct value *others(struct arena *a, const struct effective_other *v, size_t n,
			    const char *what)
{
	struct value *list = value_list(a);
	size_t i;

	for (i = 0; i < n; i++) {
		struct value *m = value_map(a);

		put_str(a, m, what, v[i].value);
		put_str(a, m, "id", v[i].id);
		put_by(a, m, v[i].level, &v[i].at);
		put_str(a, m, "text", v[i].text);
		value_add(list, m);
	}
	return list;
}

static void rule_data(struct arena *a, struct value *m, const struct effective_entry *e)
{
	struct value *flags = value_list(a);
	size_t i;

	for (i = 0; i < POL_LEN(flag_names); i++)
		if (has_flag(e->rule, i))
			value_add(flags, value_z(a, flag_names[i]));
	value_put(m, "patterns", value_num(a, e->patterns));
	value_put(m, "flags", flags);
	if (e->rule->scopes != IR_ALL_SCOPES)
		value_put(m, "scope", value_z(a, scopes_word(e->rule)));
	value_put(m, "lifted", others(a, e->lifted.v, e->lifted.n, "pattern"));
}

static struct value *entry_data(struct arena *a, const struct effective_entry *e)
{
	struct value *m = value_map(a);

	value_put(m, "what", value_z(a, effective_what_name(e->what)));
	put_str(a, m, e->what == EFFECTIVE_RULE ? "effect" : "name", e->name);
	if (e->what != EFFECTIVE_RULE)
		put_str(a, m, "value", e->value);
	put_by(a, m, e->level, &e->at);
	put_some(a, m, "id", e->id);
	put_some(a, m, "text", e->text);
	put_some(a, m, "because", e->because);
	put_some(a, m, "via", e->via);
	put_some(a, m, "role", e->role);
	put_some(a, m, "until", e->until);
	if (e->rule)
		rule_data(a, m, e);
	if (e->what == EFFECTIVE_VARIABLE)
		value_put(m, "locked", value_flag(a, e->locked));
	if (e->what == EFFECTIVE_VALUE) {
		value_put(m, "locked", value_flag(a, e->locked));
		value_put(m, "carried", value_flag(a, e->carried));
		value_put(m, "over", others(a, e->over.v, e->over.n, "value"));
	}
	return m;
}

static struct value *section_data(const struct effective_show *s, struct arena *a,
				  const char *name)
{
	struct effective_section sec = effective_collect(s->ir, a, name);
	struct value *m = value_map(a), *list = value_list(a), *lock = value_null(a);
	size_t i;

	if (sec.lock) {
		lock = value_map(a);
		put_by(a, lock, sec.lock->level, &sec.lock->at);
	}
	for (i = 0; i < sec.entries.n; i++)
		value_add(list, entry_data(a, &sec.entries.v[i]));
	value_put(m, "section", value_z(a, name));
	value_put(m, "locked", lock);
	value_put(m, "entries", list);
	return m;
}

static struct value *files_data(const struct ir *ir, struct arena *a)
{
	struct value *list = value_list(a);
	size_t i;

	for (i = 0; i < ir->files.n; i++) {
		struct value *m = value_map(a);

		value_put(m, "level", value_z(a, ir_level_name(ir->files.v[i].level)));
		put_str(a, m, "name", ir->files.v[i].name);
		value_put(m, "narrow", value_flag(a, ir->files.v[i].narrow));
		value_add(list, m);
	}
	return list;
}

static struct value *dropped_data(const struct ir *ir, struct arena *a)
{
	struct value *list = value_list(a);
	size_t i;

	for (i = 0; i < ir->dropped.n; i++) {
		const struct ir_dropped *d = &ir->dropped.v[i];
		struct value *m = value_map(a);

		put_str(a, m, "text", d->text);
		put_by(a, m, d->level, &d->at);
		put_str(a, m, "why", d->why);
		value_put(m, "by",
			  d->by.line ? value_str(a, show_place(a, &d->by))
				     : value_null(a));
		value_add(list, m);
	}
	return list;
}

bool effective_data(FILE *out, const struct effective_show *s, struct arena *a,
		    bool yaml)
{
	struct value *top = value_map(a), *sections = value_list(a);
	struct buf b;
	size_t i;

	put_str(a, top, "name", s->ir->name);
	value_put(top, "serial", value_num(a, s->ir->serial));
	put_str(a, top, "expires", s->ir->expires);
	put_str(a, top, "role", s->ir->role);
	put_str(a, top, "until", s->ir->until);
	value_put(top, "files", files_data(s->ir, a));
	for (i = 0; effective_sections[i]; i++)
		if (!s->section || strcmp(s->section, effective_sections[i]) == 0)
			value_add(sections, section_data(s, a, effective_sections[i]));
	value_put(top, "sections", sections);
	value_put(top, "dropped", dropped_data(s->ir, a));
	buf_init(&b, a);
	if (yaml && !value_yaml(&b, top))
		return false;
	if (!yaml) {
		value_json(&b, top);
		buf_ch(&b, '\n');
	}
	return fwrite(b.p, 1, b.n, out) == b.n;
}
