/*
 * The canonical JSON of the IR (doc/ir.md): every part of it, keys in a
 * fixed order, no white space but a newline between records, so that equal
 * policies have equal bytes.  Globs are written as lists of items.
 */
#include <inttypes.h>

#include "compiler/ir/json_set.h"
#include "compiler/ir/value.h"

/* --- records -------------------------------------------------------------------- */

/* The rules of one statement have one text, which may be long: the first has it. */
static bool has_text_of(const struct ir_rule *r, const struct ir_rule *before)
{
	return before && str_eq(r->text, before->text);
}

static void put_rule(struct buf *b, const struct ir_rule *r, const struct ir_rule *before)
{
	size_t i;

	ir_json_str(b, "id", r->id);
	ir_json_word(b, "level", ir_level_name(r->level));
	ir_json_place(b, "at", &r->at);
	ir_json_word(b, "kind", ir_kind_name(r->kind));
	ir_json_word(b, "effect", ir_effect_name(r->effect));
	if (!has_text_of(r, before))
		ir_json_str(b, "text", r->text);
	ir_json_opt_str(b, "because", r->because);
	ir_json_flag(b, "sandbox", r->scopes & IR_SANDBOX);
	ir_json_flag(b, "host", r->scopes & IR_HOST);
	ir_json_flag(b, "final", r->final);
	ir_json_flag(b, "floor", r->floor);
	ir_json_flag(b, "scratch", r->scratch);
	ir_json_flag(b, "soft", r->soft);
	ir_json_flag(b, "full", r->full);
	ir_json_flag(b, "may_yes", r->may_yes);
	ir_json_opt_num(b, "errno", r->err);
	ir_json_opt_str(b, "role", r->role);
	ir_json_opt_str(b, "until", r->until);
	ir_json_sets(b, r->kind, &r->set, r->except, r->nexcept);
	if (!r->nlifted_by)
		return;
	ir_json_key(b, "lifted_by");
	buf_ch(b, '[');
	for (i = 0; i < r->nlifted_by; i++)
		buf_printf(b, "%s%u", i ? "," : "", r->lifted_by[i]);
	buf_ch(b, ']');
}

static void put_value(struct buf *b, enum ir_scalar_type t, const struct ir_scalar *s)
{
	int i;

	if (s->by_risk) {
		ir_json_key(b, "by_risk");
		buf_ch(b, '{');
		for (i = 0; i < IR_RISK_COUNT; i++)
			ir_json_word(b, ir_risk_name((enum ir_risk)i),
				 ir_effect_name(s->effects[i]));
		buf_ch(b, '}');
	} else if (t == IR_T_EFFECT || t == IR_T_OTHERWISE) {
		ir_json_word(b, "effect", ir_effect_name(s->effect));
	} else if (t == IR_T_NAME) {
		ir_json_str(b, "text", s->text);
	} else if (t == IR_T_MODE) {
		ir_json_word(b, "mode", ir_mode_name((enum ir_mode)s->num));
	} else {
		ir_json_num(b, "value", s->num);
	}
}

static void put_scalar(struct buf *b, enum ir_scalar_type t, const struct ir_scalar *s)
{
	size_t i;

	ir_json_str(b, "id", s->id);
	ir_json_word(b, "level", ir_level_name(s->level));
	ir_json_place(b, "at", &s->at);
	ir_json_flag(b, "set", s->set);
	ir_json_flag(b, "locked", s->locked);
	put_value(b, t, s);
	ir_json_str(b, "text_of", s->source);
	ir_json_str(b, "role", s->role);
	ir_json_key(b, "over");
	buf_ch(b, '[');
	for (i = 0; i < s->nover; i++) {
		ir_json_comma(b, i);
		buf_ch(b, '{');
		put_scalar(b, t, &s->over[i]);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_request(struct buf *b, const struct ir_request *q)
{
	size_t i;

	ir_json_word(b, "kind", ir_kind_name(q->kind));
	ir_json_str(b, "text", q->text);
	switch (q->kind) {
	case IR_COMMAND:
		if (q->line.p) {
			ir_json_str(b, "line", q->line);
			break;
		}
		ir_json_flag(b, "unparsed", q->unparsed);
		ir_json_key(b, "argv");
		buf_ch(b, '[');
		for (i = 0; i < q->nargv; i++) {
			ir_json_comma(b, i);
			buf_json(b, q->argv[i]);
		}
		buf_ch(b, ']');
		break;
	case IR_FILE:
		ir_json_word(b, "op", ir_op_name(q->op));
		ir_json_str(b, "path", q->path);
		break;
	case IR_UNIX:
		ir_json_flag(b, "abstract", q->abstract);
		ir_json_str(b, "path", q->path);
		break;
	case IR_NET:
		ir_json_word(b, "proto", q->proto == IR_UDP ? "udp" : "tcp");
		if (q->is_addr)
			ir_json_addr(b, "addr", q->addr);
		else
			ir_json_str(b, "host", q->host);
		ir_json_num(b, "port", q->port);
		break;
	case IR_SYSCALL:
		ir_json_num(b, "nr", q->nr);
		ir_json_flag(b, "known", q->nr_known);
		for (i = 0; i < 6; i++)
			ir_json_hex(b, (const char *[]){ "a0", "a1", "a2", "a3", "a4",
						     "a5" }[i], q->args[i]);
		break;
	case IR_TOOL:
		ir_json_str(b, "tool", q->tool);
		break;
	case IR_KIND_COUNT:
		break;
	}
}

static void put_test(struct buf *b, const struct ir_test *t)
{
	size_t i;

	ir_json_str(b, "name", t->name);
	ir_json_place(b, "at", &t->at);
	ir_json_flag(b, "sandbox", t->scopes & IR_SANDBOX);
	ir_json_flag(b, "host", t->scopes & IR_HOST);
	ir_json_key(b, "cases");
	buf_ch(b, '[');
	for (i = 0; i < t->ncases; i++) {
		ir_json_comma(b, i);
		buf_ch(b, '{');
		ir_json_place(b, "at", &t->cases[i].at);
		put_request(b, &t->cases[i].request);
		ir_json_word(b, "want", ir_effect_name(t->cases[i].want));
		ir_json_str(b, "by", t->cases[i].by);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

/* --- the whole -------------------------------------------------------------------- */

static void put_head(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_num(b, "format", 1);
	ir_json_str(b, "name", ir->name);
	ir_json_num(b, "serial", ir->serial);
	ir_json_str(b, "expires", ir->expires);
	ir_json_str(b, "role", ir->role);
	ir_json_str(b, "until", ir->until);
	ir_json_flag(b, "base_none", ir->base_none);
	ir_json_key(b, "locked");
	buf_ch(b, '{');
	for (i = 0; i < IR_KIND_COUNT; i++) {
		if (!ir->locked[i].level)
			continue;
		ir_json_key(b, ir_kind_name((enum ir_kind)i));
		buf_ch(b, '{');
		ir_json_word(b, "level", ir_level_name(ir->locked[i].level));
		ir_json_place(b, "at", &ir->locked[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, '}');
	ir_json_key(b, "files");
	buf_ch(b, '[');
	for (i = 0; i < ir->files.n; i++) {
		ir_json_record(b, i);
		ir_json_word(b, "level", ir_level_name(ir->files.v[i].level));
		ir_json_flag(b, "narrow", ir->files.v[i].narrow);
		ir_json_str(b, "name", ir->files.v[i].name);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_env(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "env_keep");
	buf_ch(b, '[');
	for (i = 0; i < ir->keep.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "name", ir->keep.v[i].name);
		ir_json_said(b, ir->keep.v[i].level, ir->keep.v[i].id, &ir->keep.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
	ir_json_key(b, "env_set");
	buf_ch(b, '[');
	for (i = 0; i < ir->env.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "name", ir->env.v[i].name);
		ir_json_str(b, "value", ir->env.v[i].value);
		ir_json_said(b, ir->env.v[i].level, ir->env.v[i].id, &ir->env.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_secrets(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "env_secret");
	buf_ch(b, '[');
	for (i = 0; i < ir->secrets.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "name", ir->secrets.v[i].name);
		ir_json_word(b, "source", ir->secrets.v[i].file ? "file" : "store");
		ir_json_str(b, "from", ir->secrets.v[i].from);
		ir_json_said(b, ir->secrets.v[i].level, ir->secrets.v[i].id, &ir->secrets.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_env_locks(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "env_locks");
	buf_ch(b, '[');
	for (i = 0; i < ir->env_locks.n; i++) {
		const struct ir_env_lock *k = &ir->env_locks.v[i];

		ir_json_record(b, i);
		ir_json_flag(b, "keep", k->keep);
		ir_json_str(b, "name", k->name);
		ir_json_said(b, k->level, k->id, &k->at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_setting(struct buf *b, const struct ir_setting *s)
{
	size_t i;

	ir_json_word(b, "part", ir_part_name(s->part));
	ir_json_str(b, "key", s->key);
	ir_json_str(b, "id", s->id);
	ir_json_word(b, "level", ir_level_name(s->level));
	ir_json_place(b, "at", &s->at);
	ir_json_flag(b, "acts", s->acts);
	ir_json_flag(b, "locked", s->locked);
	ir_json_key(b, "value");
	ir_value_json(b, &s->value);
	ir_json_str(b, "text_of", s->source);
	ir_json_str(b, "role", s->role);
	ir_json_key(b, "over");
	buf_ch(b, '[');
	for (i = 0; i < s->nover; i++) {
		ir_json_comma(b, i);
		buf_ch(b, '{');
		put_setting(b, &s->over[i]);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_settings(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "settings");
	buf_ch(b, '[');
	for (i = 0; i < ir->settings.n; i++) {
		ir_json_record(b, i);
		put_setting(b, &ir->settings.v[i]);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
	ir_json_key(b, "roles");
	buf_ch(b, '[');
	for (i = 0; i < ir->roles.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "name", ir->roles.v[i].name);
		ir_json_place(b, "at", &ir->roles.v[i].at);
		ir_json_str(b, "digest", ir->roles.v[i].digest);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_mounts(struct buf *b, const struct ir *ir)
{
	ir_json_key(b, "mounts");
	buf_ch(b, '[');
	for (size_t i = 0; i < ir->mounts.n; i++) {
		ir_json_record(b, i);
		ir_json_str(b, "place", ir->mounts.v[i].place);
		ir_json_num(b, "rule", ir->mounts.v[i].rule);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_dropped(struct buf *b, const struct ir *ir)
{
	size_t i;

	ir_json_key(b, "dropped");
	buf_ch(b, '[');
	for (i = 0; i < ir->dropped.n; i++) {
		const struct ir_dropped *d = &ir->dropped.v[i];

		ir_json_record(b, i);
		ir_json_str(b, "text", d->text);
		ir_json_str(b, "why", d->why);
		ir_json_word(b, "level", ir_level_name(d->level));
		ir_json_place(b, "at", &d->at);
		ir_json_place(b, "by", &d->by);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

void ir_json(struct buf *out, const struct ir *ir)
{
	size_t i;

	buf_ch(out, '{');
	put_head(out, ir);
	ir_json_key(out, "rules");
	buf_ch(out, '[');
	for (i = 0; i < ir->rules.n; i++) {
		ir_json_record(out, i);
		put_rule(out, ir->rules.v[i], i ? ir->rules.v[i - 1] : NULL);
		buf_ch(out, '}');
	}
	buf_ch(out, ']');
	ir_json_key(out, "scalars");
	buf_ch(out, '[');
	for (i = 0; i < IR_SCALAR_COUNT; i++) {
		ir_json_record(out, i);
		put_scalar(out, ir_scalar_type((enum ir_scalar_id)i),
			   &ir->scalars[i]);
		buf_ch(out, '}');
	}
	buf_ch(out, ']');
	put_env(out, ir);
	put_secrets(out, ir);
	put_env_locks(out, ir);
	put_settings(out, ir);
	ir_json_facts(out, ir);
	put_mounts(out, ir);
	put_dropped(out, ir);
	ir_json_key(out, "tests");
	buf_ch(out, '[');
	for (i = 0; i < ir->tests.n; i++) {
		ir_json_record(out, i);
		put_test(out, &ir->tests.v[i]);
		buf_ch(out, '}');
	}
	buf_z(out, "]}\n");
}
