/* The canonical JSON of one set: words, paths, hosts, conditions. */
#include <inttypes.h>

#include "compiler/ir/facts_words.h"
#include "compiler/ir/json_set.h"

void ir_json_key(struct buf *b, const char *k)
{
	if (b->n && b->p[b->n - 1] != '{' && b->p[b->n - 1] != '[')
		buf_ch(b, ',');
	buf_printf(b, "\"%s\":", k);
}

void ir_json_str(struct buf *b, const char *k, struct str v)
{
	ir_json_key(b, k);
	buf_json(b, v);
}

void ir_json_word(struct buf *b, const char *k, const char *v)
{
	ir_json_str(b, k, str_from(v));
}

void ir_json_num(struct buf *b, const char *k, uint64_t v)
{
	ir_json_key(b, k);
	buf_printf(b, "%" PRIu64, v);
}

void ir_json_opt_str(struct buf *b, const char *k, struct str v)
{
	if (v.n)
		ir_json_str(b, k, v);
}

void ir_json_opt_num(struct buf *b, const char *k, uint64_t v)
{
	if (v)
		ir_json_num(b, k, v);
}

void ir_json_flag(struct buf *b, const char *k, bool v)
{
	if (v) {
		ir_json_key(b, k);
		buf_z(b, "true");
	}
}

void ir_json_hex(struct buf *b, const char *k, uint64_t v)
{
	ir_json_key(b, k);
	buf_printf(b, "\"0x%" PRIx64 "\"", v);
}

void ir_json_addr(struct buf *b, const char *k, const uint8_t addr[16])
{
	unsigned i;

	ir_json_key(b, k);
	buf_ch(b, '"');
	for (i = 0; i < 16; i++)
		buf_printf(b, "%02x", addr[i]);
	buf_ch(b, '"');
}

void ir_json_comma(struct buf *b, size_t i)
{
	if (i)
		buf_ch(b, ',');
}

void ir_json_place(struct buf *b, const char *k, const struct ir_place *p)
{
	ir_json_key(b, k);
	if (!p->line) {
		buf_z(b, "null");
		return;
	}
	buf_ch(b, '{');
	ir_json_str(b, "file", p->file);
	ir_json_num(b, "line", p->line);
	ir_json_num(b, "col", p->col);
	buf_ch(b, '}');
}

void ir_json_record(struct buf *b, size_t i)
{
	buf_z(b, i ? ",\n{" : "\n{");
}

void ir_json_said(struct buf *b, enum ir_level level, struct str id,
		  const struct ir_place *at)
{
	ir_json_word(b, "level", ir_level_name(level));
	ir_json_str(b, "id", id);
	ir_json_place(b, "at", at);
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

		ir_json_comma(b, i);
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
			ir_json_comma(b, k);
			put_glob(b, &it->alts[k]);
		}
		buf_z(b, "]}");
	}
	buf_ch(b, ']');
}

static void put_path(struct buf *b, const struct ir_path *p)
{
	ir_json_word(b, "root", ir_root_name(p->root));
	ir_json_key(b, "glob");
	put_glob(b, &p->glob);
	ir_json_flag(b, "below", p->below);
	ir_json_flag(b, "abstract", p->abstract);
	ir_json_str(b, "text", p->text);
}

static void put_option(struct buf *b, const struct ir_option *o)
{
	buf_ch(b, '{');
	ir_json_key(b, "name");
	put_glob(b, &o->name);
	if (o->value) {
		ir_json_key(b, "value");
		put_glob(b, o->value);
	}
	ir_json_str(b, "text", o->text);
	buf_ch(b, '}');
}

static void put_guard(struct buf *b, const struct ir_guard *g)
{
	size_t i;

	buf_ch(b, '{');
	ir_json_word(b, "kind", ir_guard_words[g->kind]);
	ir_json_key(b, g->kind == IR_GD_WITHIN ? "paths" : "options");
	buf_ch(b, '[');
	for (i = 0; i < g->noptions; i++) {
		ir_json_comma(b, i);
		put_option(b, &g->options[i]);
	}
	for (i = 0; i < g->npaths; i++) {
		ir_json_comma(b, i);
		buf_ch(b, '{');
		put_path(b, &g->paths[i]);
		buf_ch(b, '}');
	}
	buf_z(b, "]}");
}

static void put_guards(struct buf *b, const struct ir_command *c)
{
	if (!c->nguards)
		return;
	ir_json_key(b, "guards");
	buf_ch(b, '[');
	for (size_t i = 0; i < c->nguards; i++) {
		ir_json_comma(b, i);
		put_guard(b, &c->guards[i]);
	}
	buf_ch(b, ']');
}

static void put_command(struct buf *b, const struct ir_command *c)
{
	size_t i;

	ir_json_key(b, "words");
	buf_ch(b, '[');
	for (i = 0; i < c->nwords; i++) {
		ir_json_comma(b, i);
		if (c->words[i].any_words)
			buf_z(b, "null");
		else
			put_glob(b, &c->words[i].glob);
	}
	buf_ch(b, ']');
	ir_json_flag(b, "tail", c->tail);
	ir_json_flag(b, "more", c->more);
	ir_json_flag(b, "regex", c->regex);
	ir_json_flag(b, "regex_i", c->regex_i);
	ir_json_flag(b, "regex_x", c->regex_x);
	ir_json_flag(b, "opaque", c->opaque);
	put_guards(b, c);
	ir_json_str(b, "text", c->text);
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

	ir_json_flag(b, "tcp", n->protos & IR_TCP);
	ir_json_flag(b, "udp", n->protos & IR_UDP);
	ir_json_word(b, "host", hosts[n->host]);
	if (n->host == IR_HOST_CIDR) {
		ir_json_key(b, "cidr");
		put_cidr(b, &n->cidr);
	} else if (n->host != IR_HOST_ANY) {
		ir_json_str(b, "name", n->name);
	}
	ir_json_num(b, "port_lo", n->port_lo);
	ir_json_num(b, "port_hi", n->port_hi);
	ir_json_key(b, "within");
	buf_ch(b, '[');
	for (i = 0; i < n->nwithin; i++) {
		ir_json_comma(b, i);
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
	ir_json_word(b, "op", ops[c->op]);
	if (c->op == IR_C_CMP) {
		ir_json_num(b, "arg", c->arg);
		ir_json_num(b, "width", c->width);
		ir_json_word(b, "cmp", cmps[c->cmp]);
		ir_json_hex(b, "mask", c->mask);
		ir_json_hex(b, "value", c->value);
	}
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT) {
		ir_json_key(b, "a");
		put_cond(b, c->a);
	}
	if (c->op == IR_C_AND || c->op == IR_C_OR) {
		ir_json_key(b, "b");
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
		ir_json_flag(b, "read", s->u.file.ops & IR_READ);
		ir_json_flag(b, "write", s->u.file.ops & IR_WRITE);
		ir_json_flag(b, "exec", s->u.file.ops & IR_EXEC);
		put_path(b, &s->u.file.path);
		break;
	case IR_NET:
		put_net(b, &s->u.net);
		break;
	case IR_UNIX:
		put_path(b, &s->u.unix_path);
		break;
	case IR_SYSCALL:
		ir_json_str(b, "name", s->u.syscall.name);
		ir_json_num(b, "nr", s->u.syscall.nr);
		if (s->u.syscall.cond) {
			ir_json_key(b, "cond");
			put_cond(b, s->u.syscall.cond);
		}
		break;
	case IR_TOOL:
		ir_json_key(b, "glob");
		put_glob(b, &s->u.tool.glob);
		ir_json_str(b, "text", s->u.tool.text);
		break;
	case IR_KIND_COUNT:
		break;
	}
	buf_ch(b, '}');
}

void ir_json_sets(struct buf *b, enum ir_kind kind, const struct ir_set *set,
		     const struct ir_set *except, size_t nexcept)
{
	size_t i;

	ir_json_key(b, "set");
	put_set(b, kind, set);
	if (!nexcept)
		return;
	ir_json_key(b, "except");
	buf_ch(b, '[');
	for (i = 0; i < nexcept; i++) {
		ir_json_comma(b, i);
		put_set(b, kind, &except[i]);
	}
	buf_ch(b, ']');
}
