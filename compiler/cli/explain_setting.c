/*
 * `polc explain POLICY setting NAME`: the value of a setting, or of an entry in a
 * section such as runner, session or audit; who set it, and what it overrode.
 */
#include <errno.h>

#include "compiler/base/json_buf.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/explain_setting.h"
#include "compiler/cli/loaded.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/value.h"

/* "context.storage", or with the name of its part: "runner.mode". */
static struct str full_name(struct arena *a, const struct ir_setting *s)
{
	if (s->part == IR_P_SETTING)
		return s->key;
	return str_printf(a, "%s.%.*s", ir_part_name(s->part), STR_ARG(s->key));
}

static const struct ir_setting *find(const struct ir *ir, struct arena *a,
				     struct str name)
{
	const struct ir_setting *ret = ir_setting_find(ir, IR_P_SETTING, name);

	for (size_t i = 0; i < ir->settings.n && !ret; i++)
		if (str_eq(full_name(a, &ir->settings.v[i]), name))
			ret = &ir->settings.v[i];
	return ret;
}

static enum cli_exit nobody(const struct ir *ir, struct arena *a, struct str name,
			    bool json)
{
	const char **names = arena_array(a, ir->settings.n + 1, sizeof(*names));
	const char *near;
	struct buf b;

	for (size_t i = 0; i < ir->settings.n; i++)
		names[i] = str_z(a, full_name(a, &ir->settings.v[i]));
	near = diag_suggest(name, names, ir->settings.n);
	buf_init(&b, a);
	buf_json(&b, name);
	if (json)
		printf("{\"setting\":%.*s,\"value\":null}\n", STR_ARG(buf_view(&b)));
	else
		printf("setting %.*s is set by nobody%s%s%s\n",
		       STR_ARG(cli_clean(a, name, false)), near ? "; did you mean '" : "",
		       near ? near : "", near ? "'?" : "");
	return CLI_FINDINGS;
}

static void text_one(FILE *out, struct arena *a, const char *head,
		     const struct ir_setting *s)
{
	struct buf b;

	buf_init(&b, a);
	ir_value_json(&b, &s->value);
	fprintf(out, "%s%.*s (%s", head, STR_ARG(cli_clean(a, buf_view(&b), false)),
		ir_level_name(s->level));
	if (s->role.n)
		fprintf(out, ", role %.*s", STR_ARG(s->role));
	fprintf(out, ") at %.*s:%u\n", STR_ARG(cli_clean(a, s->at.file, false)),
		s->at.line);
}

static void text(FILE *out, struct arena *a, const struct ir_setting *s)
{
	fprintf(out, "setting %.*s = ", STR_ARG(cli_clean(a, full_name(a, s), false)));
	text_one(out, a, "", s);
	if (s->locked)
		fputs("  locked: no lower level may say it\n", out);
	for (size_t i = 0; i < s->nover; i++)
		text_one(out, a, "  over ", &s->over[i]);
	fputs(s->acts ? "  this version acts on it\n" :
			"  carried: this version does not act on it\n", out);
}

static void json_one(struct json *j, struct arena *a, const struct ir_setting *s)
{
	ir_value_put(j, "value", &s->value);
	json_cstr(j, "level", ir_level_name(s->level));
	json_buf_str(j, "at",
		     str_printf(a, "%.*s:%u", STR_ARG(s->at.file), s->at.line));
	json_buf_str(j, "role", s->role);
	json_bool(j, "locked", s->locked);
}

static void json(FILE *out, struct arena *a, const struct ir_setting *s)
{
	struct json j;
	struct buf b;

	buf_init(&b, a);
	json_buf_init(&j, &b);
	json_object(&j, NULL);
	json_buf_str(&j, "setting", full_name(a, s));
	json_one(&j, a, s);
	json_bool(&j, "acts", s->acts);
	json_array(&j, "over");
	for (size_t i = 0; i < s->nover; i++) {
		json_object(&j, NULL);
		json_one(&j, a, &s->over[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}

enum cli_exit explain_setting(struct options *o, struct arena *a)
{
	const struct ir_setting *s;
	struct loaded l = { .name = NULL };
	enum cli_exit e;
	struct str name;

	if (o->why_level) {
		fprintf(stderr, "polc: --why-not is about requests, and a setting is none\n");
		return CLI_TROUBLE;
	}
	if (o->nrequest != 2) {
		fprintf(stderr, "polc: a setting is asked by its name: setting "
				"permissions.mode\n");
		return CLI_TROUBLE;
	}
	e = loaded_read(&l, o, a);
	if (e != CLI_CLEAN)
		return e;
	name = str_from(o->request[1]);
	s = find(l.ir, a, name);
	if (!s)
		return nobody(l.ir, a, name, o->json);
	if (o->json)
		json(stdout, a, s);
	else
		text(stdout, a, s);
	return CLI_CLEAN;
}
