/*
 * Places, words, paths, hosts and conditions: the rows for a set of each kind, and the
 * promises on which every reader of patterns relies.
 */
#include "compiler/ir/rows.h"

#define MAX_DEPTH 256 /* deeper nesting would overflow some reader's stack */

static const struct ir_place nowhere = { .span = SPAN_NONE };
TABLE(ir_record_place, NULL, &nowhere,
	TEXT(ir_place, "file", file, .is = ir_is_some),
	NUMBER(ir_place, "line", line, 1, UINT32_MAX),
	NUMBER(ir_place, "col", col, 1, UINT32_MAX));

/* --- globs and paths ------------------------------------------------------- */

static const char *check_glob(const struct ir_glob *g, bool path, int depth)
{
	const char *why = NULL;
	size_t i, k;

	if (depth > MAX_DEPTH)
		return "a glob nests too deep";
	for (i = 0; i < g->n && !why; i++) {
		const struct ir_glob_item *it = &g->v[i];

		switch (it->op) {
		case IR_G_BYTE:
			why = it->byte ? NULL : "a glob holds NUL";
			break;
		case IR_G_ONE:
		case IR_G_STAR:
			break;
		case IR_G_DEEP:
		case IR_G_DIRS:
			why = path ? NULL : "'**' inside of a word";
			break;
		case IR_G_ALT:
			why = it->nalts ? NULL : "a glob with no alternative";
			for (k = 0; k < it->nalts && !why; k++)
				why = check_glob(&it->alts[k], path, depth + 1);
			break;
		default:
			why = "a glob item out of range";
			break;
		}
	}
	return why;
}

const char *ir_check_glob(const struct ir_glob *g, bool path)
{
	return check_glob(g, path, 0);
}

static const char *check_path(struct ir_check *c)
{
	const struct ir_path *p = c->of;
	const struct ir_glob *g = &p->glob;
	const struct ir_glob_item *last = g->n ? &g->v[g->n - 1] : NULL;

	if (p->abstract)
		return ir_check_glob(g, false);
	if (!last)
		return NULL;
	if (last->op == IR_G_BYTE && last->byte == '/')
		return "a path pattern ends in '/'";
	if (last->op == IR_G_DIRS)
		return "a path pattern ends in '**/'";
	if (g->n > 1 && last->op == IR_G_DEEP && last[-1].op == IR_G_BYTE && last[-1].byte == '/')
		return "a path pattern ends in '/**'";
	return NULL;
}

static TABLE(path, check_path, NULL,
	WORD(ir_path, "root", root, ir_words_root),
	VALUE(ir_path, "glob", glob, IR_FT_GLOB, .flags = IR_FF_PATH),
	FLAG(ir_path, "below", below),
	FLAG(ir_path, "abstract", abstract),
	TEXT(ir_path, "text", text));

static const char *file_check(const struct ir_path *p)
{
	return p->abstract ? "a file path is abstract" : NULL;
}

/* --- commands -------------------------------------------------------------- */

static bool is_plain(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].op != IR_G_BYTE && g->v[i].op != IR_G_ONE &&
		    g->v[i].op != IR_G_STAR)
			return false;
	return true;
}

/* A name that begins like an option; its braces have been expanded. */
static const char *check_option(struct ir_check *c)
{
	const struct ir_option *o = c->of;
	const struct ir_glob_item *v = o->name.v;

	if (o->name.n < 2 || v[0].op != IR_G_BYTE || (v[0].byte != '-' && v[0].byte != '+'))
		return "an option that begins with no dash";
	if (!is_plain(&o->name) || (o->value && !is_plain(o->value)))
		return "an option with braces";
	return NULL;
}

static TABLE(option, check_option, NULL,
	VALUE(ir_option, "name", name, IR_FT_GLOB),
	BEHIND(ir_option, "value", value, IR_FT_GLOB, UNLESS_EMPTY(ir_option, value)),
	TEXT(ir_option, "text", text));

static const char *check_guard(struct ir_check *c)
{
	const struct ir_guard *g = c->of;

	for (size_t i = 0; i < g->npaths; i++)
		if (file_check(&g->paths[i]))
			return file_check(&g->paths[i]);
	return g->kind == IR_GD_WITHIN ? g->noptions ? "a guard 'within' with options" : NULL :
	       g->npaths ? "a guard of options with paths" : NULL;
}

static TABLE(guard, check_guard, NULL,
	WORD(ir_guard, "kind", kind, ir_words_guard),
	RECORDS(ir_guard, "options", options, noptions, option, .flags = IR_FF_NEEDED,
		WHEN(ir_guard, kind, ~ONLY(IR_GD_WITHIN))),
	RECORDS(ir_guard, "paths", paths, npaths, path, .flags = IR_FF_NEEDED,
		WHEN(ir_guard, kind, ONLY(IR_GD_WITHIN))));

static const char *check_words(const struct ir_command *c, bool broad)
{
	const struct ir_word *last;

	if (!c->nwords)
		return "a command pattern without words";
	if (c->regex_i || c->regex_x || c->opaque)
		return "words with flags of a regex";
	last = &c->words[c->nwords - 1];
	if (c->more && !broad)
		return "a last '*' of many words where allow matches";
	if (c->more && c->tail)
		return "a command pattern with two tails";
	if (c->more && (last->any_words || last->glob.n != 1 ||
			last->glob.v[0].op != IR_G_STAR))
		return "a last '*' that is none";
	return NULL;
}

static const char *check_command(struct ir_check *c)
{
	const struct ir_command *p = c->of;

	if (!p->regex)
		return check_words(p, c->broad);
	return p->nwords || p->tail || p->more || !p->text.n ? "a regex with words" : NULL;
}

TABLE(ir_record_command, check_command, NULL,
	LIST(ir_command, "words", words, nwords, IR_FT_PATTERN),
	FLAG(ir_command, "tail", tail),
	FLAG(ir_command, "more", more),
	FLAG(ir_command, "regex", regex),
	FLAG(ir_command, "regex_i", regex_i),
	FLAG(ir_command, "regex_x", regex_x),
	FLAG(ir_command, "opaque", opaque),
	OPT_LIST(ir_command, "guards", guards, nguards, IR_FT_RECORD, .of = &guard),
	TEXT(ir_command, "text", text));

/* --- files, hosts ---------------------------------------------------------- */

static WORDS(ops, "read", "write", "exec");

static const char *check_file(struct ir_check *c)
{
	const struct ir_set *s = c->of;

	/* deny, ask and hide include everything below the path (semantics 5) */
	if (c->broad && !s->u.file.path.below)
		return "a deny, ask or hide that does not cover below";
	return file_check(&s->u.file.path);
}

static TABLE(file, check_file, NULL,
	BITS(ir_set, u.file.ops, ops),
	RECORD(ir_set, NULL, u.file.path, path));

static WORDS(protos, "tcp", "udp");
static WORDS(hosts, [IR_HOST_ANY] = "any", [IR_HOST_NAME] = "name",
	     [IR_HOST_BELOW] = "below", [IR_HOST_CIDR] = "cidr");

static bool is_host(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return false;
	return s.n && s.p[0] != '.' && s.p[s.n - 1] != '.';
}

static const char *check_net(struct ir_check *c)
{
	const struct ir_net *n = c->of;

	const struct ir_grant *g = &n->grant;

	if (!n->protos || n->port_lo > n->port_hi)
		return n->protos ? "an empty port range" : "no protocol";
	if (g->via_secret.n && (!g->via.n || str_eqz(g->via, "none")))
		return "a proxy's secret without a proxy";
	if (!g->header.n != !g->secret.n || (g->prefix.n && !g->header.n))
		return "a header without a secret, or the reverse";
	if (!g->header.n != !g->dial)
		return "a header without a port to dial, or the reverse";
	return g->header.n && (n->host != IR_HOST_NAME || n->protos != IR_TCP ||
			       n->port_lo != 80 || n->port_hi != 80) ?
		       "injects where not one host's HTTP gets it" : NULL;
}

static TABLE(net, check_net, NULL,
	BITS(ir_net, protos, protos),
	WORD(ir_net, "host", host, hosts),
	VALUE(ir_net, "cidr", cidr, IR_FT_BLOCK, WHEN(ir_net, host, ONLY(IR_HOST_CIDR))),
	TEXT(ir_net, "name", name, .is = is_host,
	     WHEN(ir_net, host, ONLY(IR_HOST_NAME) | ONLY(IR_HOST_BELOW))),
	NUMBER(ir_net, "port_lo", port_lo, 0, UINT16_MAX),
	NUMBER(ir_net, "port_hi", port_hi, 0, UINT16_MAX),
	LIST(ir_net, "within", within, nwithin, IR_FT_BLOCK),
	WORD(ir_net, "peek", grant.peek, ir_words_peek, SAYS(ir_net, grant.peek, SOME)),
	OPT_TEXT(ir_net, "via", grant.via, .is = ir_is_text),
	OPT_TEXT(ir_net, "via_secret", grant.via_secret, .is = ir_is_text),
	OPT_TEXT(ir_net, "header", grant.header, .is = ir_is_text),
	OPT_TEXT(ir_net, "prefix", grant.prefix, .is = ir_is_text),
	OPT_TEXT(ir_net, "secret", grant.secret, .is = ir_is_text),
	OPT_NUMBER(ir_net, "dial", grant.dial, UINT16_MAX),
	OPT_NUMBER(ir_net, "connections", grant.connections, UINT32_MAX),
	OPT_NUMBER(ir_net, "bytes", grant.bytes, UINT64_MAX));

/* --- system calls, tools --------------------------------------------------- */

static WORDS(cond_ops, [IR_C_TRUE] = "true", [IR_C_FALSE] = "false", [IR_C_AND] = "and",
	     [IR_C_OR] = "or", [IR_C_NOT] = "not", [IR_C_CMP] = "cmp");

static const char *check_cond(struct ir_check *c)
{
	const struct ir_cond *p = c->of;

	if (p->op != IR_C_CMP)
		return NULL;
	if (p->width != 32 && p->width != 64)
		return "an argument width that is neither 32 nor 64";
	return p->width == 32 && ((p->mask | p->value) >> 32) ?
		       "a mask or value above the argument's width" : NULL;
}

#define COMPARES WHEN(ir_cond, op, ONLY(IR_C_CMP))

static const struct ir_record cond;
static TABLE(cond, check_cond, NULL,
	WORD(ir_cond, "op", op, cond_ops),
	NUMBER(ir_cond, "arg", arg, 0, 5, COMPARES),
	NUMBER(ir_cond, "width", width, 32, 64, COMPARES),
	WORD(ir_cond, "cmp", cmp, ir_words_cmp, COMPARES),
	VALUE(ir_cond, "mask", mask, IR_FT_HEX, COMPARES),
	VALUE(ir_cond, "value", value, IR_FT_HEX, COMPARES),
	BEHIND(ir_cond, "a", a, IR_FT_RECORD, .of = &cond,
	       WHEN(ir_cond, op, ONLY(IR_C_AND) | ONLY(IR_C_OR) | ONLY(IR_C_NOT))),
	BEHIND(ir_cond, "b", b, IR_FT_RECORD, .of = &cond,
	       WHEN(ir_cond, op, ONLY(IR_C_AND) | ONLY(IR_C_OR))));

static TABLE(call, NULL, NULL,
	TEXT(ir_syscall, "name", name, .is = ir_is_some),
	NUMBER(ir_syscall, "nr", nr, 0, UINT32_MAX),
	BEHIND(ir_syscall, "cond", cond, IR_FT_RECORD, .of = &cond,
	       UNLESS_EMPTY(ir_syscall, cond)));

static TABLE(tool, NULL, NULL,
	VALUE(ir_set, "glob", u.tool.glob, IR_FT_GLOB),
	TEXT(ir_set, "text", u.tool.text));

/* The members of the union begin at the offset of the set. */
const struct ir_record *ir_record_set(enum ir_kind kind)
{
	static const struct ir_record *const sets[] = {
		[IR_COMMAND] = &ir_record_command, [IR_FILE] = &file, [IR_NET] = &net,
		[IR_UNIX] = &path, [IR_SYSCALL] = &call, [IR_TOOL] = &tool,
	};

	return (unsigned)kind < POL_LEN(sets) ? sets[kind] : NULL;
}
