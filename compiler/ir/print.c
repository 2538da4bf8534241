/* The text dump of words, places and sets, as they appear in the lines of the dump. */
#include <inttypes.h>

#include "compiler/ir/print.h"
#include "compiler/ir/words.h"

void ir_print_str(FILE *out, struct str s)
{
	if (s.n)
		fwrite(s.p, 1, s.n, out);
}

/* Prints it on one line, between double quotes. */
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

void ir_print_said(FILE *out, enum ir_level level, const struct ir_place *at)
{
	fprintf(out, "  # %s ", ir_level_name(level));
	ir_print_place(out, at);
	fputc('\n', out);
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

	fprintf(out, " %s ", ir_word(&ir_words_guard, g->kind));
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

static void put_named(FILE *out, const char *word, struct str s)
{
	if (s.n) {
		fprintf(out, " %s ", word);
		ir_print_str(out, s);
	}
}

static void put_grant(FILE *out, const struct ir_grant *g)
{
	if (g->peek)
		fprintf(out, " peek %s", ir_word(&ir_words_peek, g->peek));
	put_named(out, "via", g->via);
	put_named(out, "user from secret", g->via_secret);
	put_named(out, "inject header", g->header);
	if (g->prefix.n) {
		fputc(' ', out);
		ir_print_quoted(out, g->prefix);
	}
	put_named(out, "from secret", g->secret);
	if (g->dial)
		fprintf(out, " dial %u", g->dial);
	if (g->connections)
		fprintf(out, " connections %u", g->connections);
	if (g->bytes)
		fprintf(out, " bytes %" PRIu64, g->bytes);
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
	put_grant(out, &n->grant);
}

static void put_compare(FILE *out, const struct ir_cond *c)
{
	uint64_t full = c->width == 32 ? UINT32_MAX : UINT64_MAX;

	if (c->mask == full)
		fprintf(out, "arg%u", c->arg);
	else
		fprintf(out, "(arg%u & 0x%" PRIx64 ")", c->arg, c->mask);
	fprintf(out, ":%u %s 0x%" PRIx64, c->width, ir_word(&ir_words_cmp, c->cmp),
		c->value);
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
