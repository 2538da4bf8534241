/*
 * The canonical JSON of the IR (doc/ir.md): every part of it, keys in a
 * fixed order, no white space but a newline between records, so that equal
 * policies have equal bytes.  Globs are written as lists of items.
 */
#include <inttypes.h>

#include "compiler/ir/ir.h"

static void key(struct buf *b, const char *k)
{
	if (b->n && b->p[b->n - 1] != '{' && b->p[b->n - 1] != '[')
		buf_ch(b, ',');
	buf_printf(b, "\"%s\":", k);
}

static void put_str(struct buf *b, const char *k, struct str v)
{
	key(b, k);
	buf_json(b, v);
}

static void put_word(struct buf *b, const char *k, const char *v)
{
	put_str(b, k, str_from(v));
}

static void put_num(struct buf *b, const char *k, uint64_t v)
{
	key(b, k);
	buf_printf(b, "%" PRIu64, v);
}

/* Flags are written only when they are set. */
static void put_flag(struct buf *b, const char *k, bool v)
{
	if (v) {
		key(b, k);
		buf_z(b, "true");
	}
}

/* 64-bit masks and values lose bits in readers that use doubles: text. */
static void put_hex(struct buf *b, const char *k, uint64_t v)
{
	key(b, k);
	buf_printf(b, "\"0x%" PRIx64 "\"", v);
}

static void put_place(struct buf *b, const char *k, const struct ir_place *p)
{
	key(b, k);
	if (!p->line) {
		buf_z(b, "null");
		return;
	}
	buf_ch(b, '{');
	put_str(b, "file", p->file);
	put_num(b, "line", p->line);
	put_num(b, "col", p->col);
	buf_ch(b, '}');
}

static void comma(struct buf *b, size_t i)
{
	if (i)
		buf_ch(b, ',');
}

/* --- sets ------------------------------------------------------------------ */

static void put_glob(struct buf *b, const struct ir_glob *g);

static void put_run(struct buf *b, const struct ir_glob *g, size_t *i)
{
	struct buf run;

	buf_init(&run, b->a);
	for (; *i < g->n && g->v[*i].op == IR_G_BYTE; (*i)++)
		buf_ch(&run, (char)g->v[*i].byte);
	buf_json(b, buf_view(&run));
}

/* Literal runs are strings; everything else is an object. */
static void put_glob(struct buf *b, const struct ir_glob *g)
{
	static const char *const ops[] = {
		[IR_G_ONE] = "one", [IR_G_STAR] = "star",
		[IR_G_DEEP] = "deep", [IR_G_DIRS] = "dirs",
	};
	size_t i = 0, k;

	buf_ch(b, '[');
	while (i < g->n) {
		const struct ir_glob_item *it = &g->v[i];

		comma(b, i);
		if (it->op == IR_G_BYTE) {
			put_run(b, g, &i);
			continue;
		}
		i++;
		if (it->op != IR_G_ALT) {
			buf_printf(b, "{\"op\":\"%s\"}", ops[it->op]);
			continue;
		}
		buf_z(b, "{\"op\":\"alt\",\"of\":[");
		for (k = 0; k < it->nalts; k++) {
			comma(b, k);
			put_glob(b, &it->alts[k]);
		}
		buf_z(b, "]}");
	}
	buf_ch(b, ']');
}

static void put_path(struct buf *b, const struct ir_path *p)
{
	put_word(b, "root", ir_root_name(p->root));
	key(b, "glob");
	put_glob(b, &p->glob);
	put_flag(b, "below", p->below);
	put_flag(b, "abstract", p->abstract);
	put_str(b, "text", p->text);
}

static void put_command(struct buf *b, const struct ir_command *c)
{
	size_t i;

	key(b, "words");
	buf_ch(b, '[');
	for (i = 0; i < c->nwords; i++) {
		comma(b, i);
		if (c->words[i].any_words)
			buf_z(b, "null");
		else
			put_glob(b, &c->words[i].glob);
	}
	buf_ch(b, ']');
	put_flag(b, "tail", c->tail);
	put_flag(b, "more", c->more);
	put_str(b, "text", c->text);
}

static void put_cidr(struct buf *b, const struct num_cidr *c)
{
	unsigned i;

	buf_ch(b, '"');
	for (i = 0; i < 16; i++)
		buf_printf(b, "%02x", c->addr[i]);
	buf_printf(b, "/%u\"", c->bits);
}

static void put_net(struct buf *b, const struct ir_net *n)
{
	static const char *const hosts[] = {
		[IR_HOST_ANY] = "any", [IR_HOST_NAME] = "name",
		[IR_HOST_BELOW] = "below", [IR_HOST_CIDR] = "cidr",
	};
	size_t i;

	put_flag(b, "tcp", n->protos & IR_TCP);
	put_flag(b, "udp", n->protos & IR_UDP);
	put_word(b, "host", hosts[n->host]);
	if (n->host == IR_HOST_CIDR) {
		key(b, "cidr");
		put_cidr(b, &n->cidr);
	} else if (n->host != IR_HOST_ANY) {
		put_str(b, "name", n->name);
	}
	put_num(b, "port_lo", n->port_lo);
	put_num(b, "port_hi", n->port_hi);
	key(b, "within");
	buf_ch(b, '[');
	for (i = 0; i < n->nwithin; i++) {
		comma(b, i);
		put_cidr(b, &n->within[i]);
	}
	buf_ch(b, ']');
}

static void put_cond(struct buf *b, const struct ir_cond *c)
{
	static const char *const ops[] = {
		[IR_C_TRUE] = "true", [IR_C_FALSE] = "false", [IR_C_AND] = "and",
		[IR_C_OR] = "or", [IR_C_NOT] = "not", [IR_C_CMP] = "cmp",
	};
	static const char *const cmps[] = {
		[IR_EQ] = "==", [IR_NE] = "!=", [IR_LT] = "<",
		[IR_LE] = "<=", [IR_GT] = ">", [IR_GE] = ">=",
	};

	buf_ch(b, '{');
	put_word(b, "op", ops[c->op]);
	if (c->op == IR_C_CMP) {
		put_num(b, "arg", c->arg);
		put_num(b, "width", c->width);
		put_word(b, "cmp", cmps[c->cmp]);
		put_hex(b, "mask", c->mask);
		put_hex(b, "value", c->value);
	}
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT) {
		key(b, "a");
		put_cond(b, c->a);
	}
	if (c->op == IR_C_AND || c->op == IR_C_OR) {
		key(b, "b");
		put_cond(b, c->b);
	}
	buf_ch(b, '}');
}

static void put_set(struct buf *b, enum ir_kind kind, const struct ir_set *s)
{
	buf_ch(b, '{');
	switch (kind) {
	case IR_COMMAND:
		put_command(b, &s->u.command);
		break;
	case IR_FILE:
		put_flag(b, "read", s->u.file.ops & IR_READ);
		put_flag(b, "write", s->u.file.ops & IR_WRITE);
		put_flag(b, "exec", s->u.file.ops & IR_EXEC);
		put_path(b, &s->u.file.path);
		break;
	case IR_NET:
		put_net(b, &s->u.net);
		break;
	case IR_UNIX:
		put_path(b, &s->u.unix_path);
		break;
	case IR_SYSCALL:
		put_str(b, "name", s->u.syscall.name);
		put_num(b, "nr", s->u.syscall.nr);
		if (s->u.syscall.cond) {
			key(b, "cond");
			put_cond(b, s->u.syscall.cond);
		}
		break;
	case IR_TOOL:
		key(b, "glob");
		put_glob(b, &s->u.tool.glob);
		put_str(b, "text", s->u.tool.text);
		break;
	case IR_KIND_COUNT:
		break;
	}
	buf_ch(b, '}');
}

static void put_sets(struct buf *b, enum ir_kind kind, const struct ir_set *set,
		     const struct ir_set *except, size_t nexcept)
{
	size_t i;

	key(b, "set");
	put_set(b, kind, set);
	key(b, "except");
	buf_ch(b, '[');
	for (i = 0; i < nexcept; i++) {
		comma(b, i);
		put_set(b, kind, &except[i]);
	}
	buf_ch(b, ']');
}

/* --- records -------------------------------------------------------------------- */

static void put_rule(struct buf *b, const struct ir_rule *r)
{
	size_t i;

	put_str(b, "id", r->id);
	put_word(b, "level", ir_level_name(r->level));
	put_place(b, "at", &r->at);
	put_word(b, "kind", ir_kind_name(r->kind));
	put_word(b, "effect", ir_effect_name(r->effect));
	put_str(b, "text", r->text);
	put_str(b, "because", r->because);
	put_flag(b, "sandbox", r->scopes & IR_SANDBOX);
	put_flag(b, "host", r->scopes & IR_HOST);
	put_flag(b, "final", r->final);
	put_flag(b, "floor", r->floor);
	put_flag(b, "scratch", r->scratch);
	put_flag(b, "soft", r->soft);
	put_flag(b, "full", r->full);
	put_num(b, "errno", r->err);
	put_sets(b, r->kind, &r->set, r->except, r->nexcept);
	key(b, "lifted_by");
	buf_ch(b, '[');
	for (i = 0; i < r->nlifted_by; i++)
		buf_printf(b, "%s%u", i ? "," : "", r->lifted_by[i]);
	buf_ch(b, ']');
}

static void put_value(struct buf *b, enum ir_scalar_type t, const struct ir_scalar *s)
{
	int i;

	if (s->by_risk) {
		key(b, "by_risk");
		buf_ch(b, '{');
		for (i = 0; i < IR_RISK_COUNT; i++)
			put_word(b, ir_risk_name((enum ir_risk)i),
				 ir_effect_name(s->effects[i]));
		buf_ch(b, '}');
	} else if (t == IR_T_EFFECT || t == IR_T_OTHERWISE) {
		put_word(b, "effect", ir_effect_name(s->effect));
	} else if (t == IR_T_NAME) {
		put_str(b, "text", s->text);
	} else if (t == IR_T_MODE) {
		put_word(b, "mode", ir_mode_name((enum ir_mode)s->num));
	} else {
		put_num(b, "value", s->num);
	}
}

static void put_scalar(struct buf *b, enum ir_scalar_type t, const struct ir_scalar *s)
{
	size_t i;

	put_str(b, "id", s->id);
	put_word(b, "level", ir_level_name(s->level));
	put_place(b, "at", &s->at);
	put_flag(b, "set", s->set);
	put_flag(b, "locked", s->locked);
	put_value(b, t, s);
	put_str(b, "text_of", s->source);
	key(b, "over");
	buf_ch(b, '[');
	for (i = 0; i < s->nover; i++) {
		comma(b, i);
		buf_ch(b, '{');
		put_scalar(b, t, &s->over[i]);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_request(struct buf *b, const struct ir_request *q)
{
	size_t i;

	put_word(b, "kind", ir_kind_name(q->kind));
	put_str(b, "text", q->text);
	switch (q->kind) {
	case IR_COMMAND:
		put_flag(b, "unparsed", q->unparsed);
		key(b, "argv");
		buf_ch(b, '[');
		for (i = 0; i < q->nargv; i++) {
			comma(b, i);
			buf_json(b, q->argv[i]);
		}
		buf_ch(b, ']');
		break;
	case IR_FILE:
		put_word(b, "op", ir_op_name(q->op));
		put_str(b, "path", q->path);
		break;
	case IR_UNIX:
		put_flag(b, "abstract", q->abstract);
		put_str(b, "path", q->path);
		break;
	case IR_NET:
		put_word(b, "proto", q->proto == IR_UDP ? "udp" : "tcp");
		put_str(b, "host", q->host);
		put_num(b, "port", q->port);
		break;
	case IR_SYSCALL:
		put_num(b, "nr", q->nr);
		for (i = 0; i < 6; i++)
			put_hex(b, (const char *[]){ "a0", "a1", "a2", "a3", "a4",
						     "a5" }[i], q->args[i]);
		break;
	case IR_TOOL:
		put_str(b, "tool", q->tool);
		break;
	case IR_KIND_COUNT:
		break;
	}
}

static void put_test(struct buf *b, const struct ir_test *t)
{
	size_t i;

	put_str(b, "name", t->name);
	put_place(b, "at", &t->at);
	put_flag(b, "sandbox", t->scopes & IR_SANDBOX);
	put_flag(b, "host", t->scopes & IR_HOST);
	key(b, "cases");
	buf_ch(b, '[');
	for (i = 0; i < t->ncases; i++) {
		comma(b, i);
		buf_ch(b, '{');
		put_place(b, "at", &t->cases[i].at);
		put_request(b, &t->cases[i].request);
		put_word(b, "want", ir_effect_name(t->cases[i].want));
		put_str(b, "by", t->cases[i].by);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

/* --- the whole -------------------------------------------------------------------- */

/* Opens record `i` of a list on a line of its own. */
static void record(struct buf *b, size_t i)
{
	buf_z(b, i ? ",\n{" : "\n{");
}

static void put_head(struct buf *b, const struct ir *ir)
{
	size_t i;

	put_num(b, "format", 1);
	put_str(b, "name", ir->name);
	put_num(b, "serial", ir->serial);
	put_str(b, "expires", ir->expires);
	put_flag(b, "base_none", ir->base_none);
	key(b, "locked");
	buf_ch(b, '{');
	for (i = 0; i < IR_KIND_COUNT; i++) {
		if (!ir->locked[i].level)
			continue;
		key(b, ir_kind_name((enum ir_kind)i));
		buf_ch(b, '{');
		put_word(b, "level", ir_level_name(ir->locked[i].level));
		put_place(b, "at", &ir->locked[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, '}');
	key(b, "files");
	buf_ch(b, '[');
	for (i = 0; i < ir->files.n; i++) {
		record(b, i);
		put_word(b, "level", ir_level_name(ir->files.v[i].level));
		put_flag(b, "narrow", ir->files.v[i].narrow);
		put_str(b, "name", ir->files.v[i].name);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_env(struct buf *b, const struct ir *ir)
{
	size_t i;

	key(b, "env_keep");
	buf_ch(b, '[');
	for (i = 0; i < ir->keep.n; i++) {
		record(b, i);
		put_str(b, "name", ir->keep.v[i].name);
		put_word(b, "level", ir_level_name(ir->keep.v[i].level));
		put_str(b, "id", ir->keep.v[i].id);
		put_place(b, "at", &ir->keep.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
	key(b, "env_set");
	buf_ch(b, '[');
	for (i = 0; i < ir->env.n; i++) {
		record(b, i);
		put_str(b, "name", ir->env.v[i].name);
		put_str(b, "value", ir->env.v[i].value);
		put_word(b, "level", ir_level_name(ir->env.v[i].level));
		put_str(b, "id", ir->env.v[i].id);
		put_place(b, "at", &ir->env.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_facts(struct buf *b, const struct ir *ir)
{
	size_t i;

	key(b, "risks");
	buf_ch(b, '[');
	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];

		record(b, i);
		put_word(b, "risk", ir_risk_name(f->risk));
		put_word(b, "level", ir_level_name(f->level));
		put_str(b, "id", f->id);
		put_place(b, "at", &f->at);
		put_sets(b, IR_COMMAND, &f->set, f->except, f->nexcept);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
	key(b, "facts");
	buf_ch(b, '[');
	for (i = 0; i < ir->facts.n; i++) {
		record(b, i);
		put_str(b, "kind", ir->facts.v[i].kind);
		put_str(b, "text", ir->facts.v[i].text);
		put_word(b, "level", ir_level_name(ir->facts.v[i].level));
		put_place(b, "at", &ir->facts.v[i].at);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

static void put_dropped(struct buf *b, const struct ir *ir)
{
	size_t i;

	key(b, "dropped");
	buf_ch(b, '[');
	for (i = 0; i < ir->dropped.n; i++) {
		const struct ir_dropped *d = &ir->dropped.v[i];

		record(b, i);
		put_str(b, "text", d->text);
		put_str(b, "why", d->why);
		put_word(b, "level", ir_level_name(d->level));
		put_place(b, "at", &d->at);
		put_place(b, "by", &d->by);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

void ir_json(struct buf *out, const struct ir *ir)
{
	size_t i;

	buf_ch(out, '{');
	put_head(out, ir);
	key(out, "rules");
	buf_ch(out, '[');
	for (i = 0; i < ir->rules.n; i++) {
		record(out, i);
		put_rule(out, ir->rules.v[i]);
		buf_ch(out, '}');
	}
	buf_ch(out, ']');
	key(out, "scalars");
	buf_ch(out, '[');
	for (i = 0; i < IR_SCALAR_COUNT; i++) {
		record(out, i);
		put_scalar(out, ir_scalar_type((enum ir_scalar_id)i),
			   &ir->scalars[i]);
		buf_ch(out, '}');
	}
	buf_ch(out, ']');
	put_env(out, ir);
	put_facts(out, ir);
	put_dropped(out, ir);
	key(out, "tests");
	buf_ch(out, '[');
	for (i = 0; i < ir->tests.n; i++) {
		record(out, i);
		put_test(out, &ir->tests.v[i]);
		buf_ch(out, '}');
	}
	buf_z(out, "]}\n");
}
