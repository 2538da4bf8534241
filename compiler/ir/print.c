/*
 * The stable text dump of the IR, for goldens and `polc dump`: one line a
 * rule with what it means, its exceptions and what lifts it indented below.
 */
#include <inttypes.h>

#include "compiler/ir/facts_words.h"
#include "compiler/ir/print.h"

void ir_print_str(FILE *out, struct str s)
{
	if (s.n)
		fwrite(s.p, 1, s.n, out);
}

/* On one line, between double quotes. */
void ir_print_quoted(FILE *out, struct str s)
{
	size_t i;

	fputc('"', out);
	for (i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

void ir_print_place(FILE *out, const struct ir_place *at)
{
	if (!at->line) {
		fputs("(built in)", out);
		return;
	}
	ir_print_str(out, at->file);
	fprintf(out, ":%u", at->line);
}

/* --- sets --------------------------------------------------------------- */

static void put_glob(FILE *out, const struct ir_glob *g);

static void put_item(FILE *out, const struct ir_glob_item *it)
{
	size_t k;

	switch (it->op) {
	case IR_G_BYTE:
		if (it->byte > 0x20 && it->byte < 0x7f) {
			if (strchr("*?{}|\\\"", it->byte))
				fputc('\\', out);
			fputc(it->byte, out);
		} else {
			fprintf(out, "\\x%02x", it->byte);
		}
		break;
	case IR_G_ONE:
		fputc('?', out);
		break;
	case IR_G_STAR:
		fputc('*', out);
		break;
	case IR_G_DEEP:
		fputs("**", out);
		break;
	case IR_G_DIRS:
		fputs("**/", out);
		break;
	case IR_G_ALT:
		for (k = 0; k < it->nalts; k++) {
			fputc(k ? '|' : '{', out);
			put_glob(out, &it->alts[k]);
		}
		fputc('}', out);
		break;
	}
}

static void put_glob(FILE *out, const struct ir_glob *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		put_item(out, &g->v[i]);
}

static void put_path(FILE *out, const struct ir_path *p)
{
	if (p->abstract)
		fputc('@', out);
	else if (p->root != IR_ROOT_FS)
		fprintf(out, "${%s}", ir_root_name(p->root));
	else if (!p->glob.n)
		fputc('/', out);
	put_glob(out, &p->glob);
	if (p->below)
		fputs(" (and below)", out);
}

static void put_guard(FILE *out, const struct ir_guard *g)
{
	size_t i;

	fprintf(out, " %s ", ir_guard_words[g->kind]);
	for (i = 0; i < g->noptions; i++) {
		fputs(i ? ", " : "", out);
		put_glob(out, &g->options[i].name);
		if (g->options[i].value) {
			fputc('=', out);
			put_glob(out, g->options[i].value);
		}
	}
	for (i = 0; i < g->npaths; i++) {
		fputs(i ? ", " : "", out);
		put_path(out, &g->paths[i]);
	}
}

static void put_regex(FILE *out, const struct ir_command *c)
{
	fputc('/', out);
	ir_print_str(out, c->text);
	fprintf(out, "/%s%s%s", c->regex_i ? "i" : "", c->regex_x ? "x" : "",
		c->opaque ? " (opaque)" : "");
}

static void put_words(FILE *out, const struct ir_command *c)
{
	size_t i;

	fputc('[', out);
	for (i = 0; i < c->nwords; i++) {
		if (i)
			fputc(' ', out);
		if (c->words[i].any_words)
			fputs("**", out);
		else if (!c->words[i].glob.n)
			fputs("\"\"", out);
		else
			put_glob(out, &c->words[i].glob);
	}
	fputs(c->tail ? ":*]" : c->more ? " ...]" : "]", out);
}

void ir_print_command(FILE *out, const struct ir_command *c)
{
	if (c->regex)
		put_regex(out, c);
	else
		put_words(out, c);
	for (size_t i = 0; i < c->nguards; i++)
		put_guard(out, &c->guards[i]);
}

static void put_cidr(FILE *out, const struct num_cidr *c)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	unsigned i;

	if (c->bits >= 96 && memcmp(c->addr, mapped, sizeof(mapped)) == 0) {
		fprintf(out, "%u.%u.%u.%u/%u", c->addr[12], c->addr[13],
			c->addr[14], c->addr[15], c->bits - 96u);
		return;
	}
	for (i = 0; i < 16; i += 2)
		fprintf(out, "%s%x", i ? ":" : "",
			(unsigned)c->addr[i] << 8 | c->addr[i + 1]);
	fprintf(out, "/%u", c->bits);
}

static void put_net(FILE *out, const struct ir_net *n)
{
	size_t i;

	fputs(n->protos == IR_TCP ? "tcp " : n->protos == IR_UDP ? "udp " : "any ",
	      out);
	switch (n->host) {
	case IR_HOST_ANY:
		fputc('*', out);
		break;
	case IR_HOST_BELOW:
		fputs("*.", out);
		ir_print_str(out, n->name);
		break;
	case IR_HOST_NAME:
		ir_print_str(out, n->name);
		break;
	case IR_HOST_CIDR:
		put_cidr(out, &n->cidr);
		break;
	}
	fprintf(out, " port %u-%u", n->port_lo, n->port_hi);
	for (i = 0; i < n->nwithin; i++) {
		fputs(i ? ", " : " within ", out);
		put_cidr(out, &n->within[i]);
	}
}

static void put_compare(FILE *out, const struct ir_cond *c)
{
	static const char *const ops[] = {
		[IR_EQ] = "==", [IR_NE] = "!=", [IR_LT] = "<",
		[IR_LE] = "<=", [IR_GT] = ">",  [IR_GE] = ">=",
	};
	uint64_t full = c->width == 32 ? UINT32_MAX : UINT64_MAX;

	if (c->mask == full)
		fprintf(out, "arg%u", c->arg);
	else
		fprintf(out, "(arg%u & 0x%" PRIx64 ")", c->arg, c->mask);
	fprintf(out, ":%u %s 0x%" PRIx64, c->width, ops[c->cmp], c->value);
}

static void put_cond(FILE *out, const struct ir_cond *c)
{
	switch (c->op) {
	case IR_C_TRUE:
		fputs("true", out);
		break;
	case IR_C_FALSE:
		fputs("false", out);
		break;
	case IR_C_NOT:
		fputs("not ", out);
		put_cond(out, c->a);
		break;
	case IR_C_AND:
	case IR_C_OR:
		fputc('(', out);
		put_cond(out, c->a);
		fputs(c->op == IR_C_AND ? " and " : " or ", out);
		put_cond(out, c->b);
		fputc(')', out);
		break;
	case IR_C_CMP:
		put_compare(out, c);
		break;
	}
}

static void put_syscall(FILE *out, const struct ir_syscall *s)
{
	ir_print_str(out, s->name);
	fprintf(out, "(%u)", s->nr);
	if (s->cond) {
		fputs(" when ", out);
		put_cond(out, s->cond);
	}
}

void ir_print_set(FILE *out, enum ir_kind kind, const struct ir_set *s)
{
	switch (kind) {
	case IR_COMMAND:
		ir_print_command(out, &s->u.command);
		break;
	case IR_FILE:
		fprintf(out, "%s ", ir_op_name((enum ir_op)s->u.file.ops));
		put_path(out, &s->u.file.path);
		break;
	case IR_NET:
		put_net(out, &s->u.net);
		break;
	case IR_UNIX:
		put_path(out, &s->u.unix_path);
		break;
	case IR_SYSCALL:
		put_syscall(out, &s->u.syscall);
		break;
	case IR_TOOL:
		put_glob(out, &s->u.tool.glob);
		break;
	case IR_KIND_COUNT:
		break;
	}
}

void ir_print_except(FILE *out, enum ir_kind kind, const struct ir_set *e, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		fputs("        except ", out);
		ir_print_set(out, kind, &e[i]);
		fputc('\n', out);
	}
}

/* --- rules ----------------------------------------------------------------- */

static void put_flags(FILE *out, const struct ir_rule *r)
{
	if (r->final)
		fputs(" final", out);
	if (r->floor)
		fputs(" floor", out);
	if (r->scratch)
		fputs(" scratch", out);
	if (r->soft)
		fputs(" soft", out);
	if (!r->full)
		fputs(" narrow-only", out);
	if (r->may_yes)
		fputs(" may yes", out);
	if (r->until.n)
		fprintf(out, " until %.*s", STR_ARG(r->until));
	if (r->role.n)
		fprintf(out, " of role %.*s", STR_ARG(r->role));
	if (r->scopes != IR_ALL_SCOPES)
		fputs(r->scopes == IR_SANDBOX ? " in sandbox" :
		      r->scopes == IR_HOST    ? " in host" :
						" in no scope", out);
	if (r->err)
		fprintf(out, " errno %u", r->err);
}

static void put_rule(FILE *out, const struct ir_rule *r)
{
	size_t i;

	fprintf(out, "%4u  %s %s %s ", r->index, ir_level_name(r->level),
		ir_effect_name(r->effect), ir_kind_name(r->kind));
	ir_print_set(out, r->kind, &r->set);
	put_flags(out, r);
	fputs("  # ", out);
	ir_print_str(out, r->id);
	fputc(' ', out);
	ir_print_place(out, &r->at);
	fputc('\n', out);
	ir_print_except(out, r->kind, r->except, r->nexcept);
	if (r->because.n) {
		fputs("        because ", out);
		ir_print_quoted(out, r->because);
		fputc('\n', out);
	}
	for (i = 0; i < r->nlifted_by; i++)
		fprintf(out, "%s%u%s", i ? ", " : "        lifted by ", r->lifted_by[i],
			i + 1 == r->nlifted_by ? "\n" : "");
}

/* --- scalars ------------------------------------------------------------------ */

static void put_value(FILE *out, enum ir_scalar_type t, const struct ir_scalar *s)
{
	int i;

	switch (t) {
	case IR_T_OTHERWISE:
		if (s->by_risk) {
			fputs("by risk {", out);
			for (i = 0; i < IR_RISK_COUNT; i++)
				fprintf(out, " %s %s", ir_risk_name((enum ir_risk)i),
					ir_effect_name(s->effects[i]));
			fputs(" }", out);
			return;
		}
		fputs(ir_effect_name(s->effect), out);
		return;
	case IR_T_EFFECT:
		fputs(ir_effect_name(s->effect), out);
		return;
	case IR_T_MODE:
		fputs(ir_mode_name((enum ir_mode)s->num), out);
		return;
	case IR_T_SIZE:
	case IR_T_COUNT:
		fprintf(out, "%" PRIu64, s->num);
		return;
	case IR_T_DURATION:
		fprintf(out, "%" PRIu64 "ms", s->num);
		return;
	case IR_T_MILLI:
		fprintf(out, "%" PRIu64 ".%03" PRIu64, s->num / 1000, s->num % 1000);
		return;
	case IR_T_NAME:
		ir_print_str(out, s->text);
		return;
	}
}

static void put_scalar(FILE *out, enum ir_scalar_id id, const struct ir_scalar *s)
{
	enum ir_scalar_type t = ir_scalar_type(id);
	bool limit = strcmp(ir_scalar_section(id), "limits") == 0;
	size_t i;

	if (!s->set && limit)
		return;
	fprintf(out, "%s %s = ", ir_scalar_section(id), ir_scalar_key(id));
	put_value(out, t, s);
	fputs(s->locked ? " locked" : "", out);
	if (s->role.n)
		fprintf(out, " of role %.*s", STR_ARG(s->role));
	fprintf(out, "  # %s ", ir_level_name(s->level));
	ir_print_place(out, &s->at);
	fputc('\n', out);
	for (i = 0; i < s->nover; i++) {
		fputs("        over ", out);
		put_value(out, t, &s->over[i]);
		fprintf(out, "  # %s ", ir_level_name(s->over[i].level));
		ir_print_place(out, &s->over[i].at);
		fputc('\n', out);
	}
}

void ir_print(FILE *out, const struct ir *ir)
{
	size_t i;

	fputs("policy ", out);
	ir_print_quoted(out, ir->name);
	fprintf(out, " serial %" PRIu64, ir->serial);
	if (ir->expires.n) {
		fputs(" expires ", out);
		ir_print_str(out, ir->expires);
	}
	if (ir->role.n)
		fprintf(out, " role %.*s", STR_ARG(ir->role));
	if (ir->until.n)
		fprintf(out, " until %.*s", STR_ARG(ir->until));
	fprintf(out, "%s\n", ir->base_none ? " base none" : "");
	for (i = 0; i < ir->files.n; i++) {
		fprintf(out, "file %s%s ", ir_level_name(ir->files.v[i].level),
			ir->files.v[i].narrow ? " narrow-only" : "");
		ir_print_str(out, ir->files.v[i].name);
		fputc('\n', out);
	}
	for (i = 0; i < IR_KIND_COUNT; i++) {
		if (!ir->locked[i].level)
			continue;
		fprintf(out, "locked %s by %s  # ", ir_kind_name((enum ir_kind)i),
			ir_level_name(ir->locked[i].level));
		ir_print_place(out, &ir->locked[i].at);
		fputc('\n', out);
	}
	for (i = 0; i < ir->rules.n; i++)
		put_rule(out, ir->rules.v[i]);
	for (i = 0; i < IR_SCALAR_COUNT; i++)
		put_scalar(out, (enum ir_scalar_id)i, &ir->scalars[i]);
	ir_print_rest(out, ir);
}
