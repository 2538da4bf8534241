/*
 * Checks one set of the IR: ranges, shapes and the promises about globs that
 * every reader of patterns relies on.
 */
#include "compiler/ir/verify_set.h"

/* Deeper nesting would be a stack overflow in some reader. */
#define MAX_DEPTH 256

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

static const char *check_path(const struct ir_path *p, bool unix_path)
{
	const struct ir_glob *g = &p->glob;

	if (p->root >= IR_ROOT_COUNT)
		return "a root out of range";
	if (p->abstract && !unix_path)
		return "a file path is abstract";
	if (p->abstract)
		return check_glob(g, false, 0);
	if (g->n && g->v[g->n - 1].op == IR_G_BYTE && g->v[g->n - 1].byte == '/')
		return "a path pattern ends in '/'";
	if (g->n && g->v[g->n - 1].op == IR_G_DIRS)
		return "a path pattern ends in '**/'";
	if (g->n > 1 && g->v[g->n - 1].op == IR_G_DEEP &&
	    g->v[g->n - 2].op == IR_G_BYTE && g->v[g->n - 2].byte == '/')
		return "a path pattern ends in '/**'";
	return check_glob(g, true, 0);
}

static bool is_plain(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].op != IR_G_BYTE && g->v[i].op != IR_G_ONE &&
		    g->v[i].op != IR_G_STAR)
			return false;
	return true;
}

/* A name that begins as an option does; its braces are written out. */
static const char *check_option(const struct ir_option *o)
{
	const struct ir_glob_item *v = o->name.v;

	if (o->name.n < 2 || v[0].op != IR_G_BYTE || (v[0].byte != '-' && v[0].byte != '+'))
		return "an option that begins with no dash";
	if (!is_plain(&o->name) || (o->value && !is_plain(o->value)))
		return "an option with braces";
	return check_glob(&o->name, false, 0);
}

static const char *check_guard(const struct ir_guard *g)
{
	const char *why = NULL;

	if (g->kind > IR_GD_WITHIN)
		return "a guard out of range";
	if (g->kind == IR_GD_WITHIN ? !g->npaths || g->noptions :
				      !g->noptions || g->npaths)
		return "a guard of nothing";
	for (size_t i = 0; i < g->noptions && !why; i++)
		why = check_option(&g->options[i]);
	for (size_t i = 0; i < g->npaths && !why; i++)
		why = check_path(&g->paths[i], false);
	return why;
}

static const char *check_words(const struct ir_command *c, bool broad)
{
	const struct ir_word *last;
	size_t i;

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
	for (i = 0; i < c->nwords; i++) {
		const char *why = check_glob(&c->words[i].glob, false, 0);

		if (why)
			return why;
		if (c->words[i].any_words && c->words[i].glob.n)
			return "a word that is '**' and a glob";
	}
	return NULL;
}

static const char *check_command(const struct ir_command *c, bool broad)
{
	const char *why = c->regex ? NULL : check_words(c, broad);

	if (c->regex && (c->nwords || c->tail || c->more || !c->text.n))
		return "a regex with words";
	for (size_t i = 0; i < c->nguards && !why; i++)
		why = check_guard(&c->guards[i]);
	return why;
}

static const char *check_cidr(const struct num_cidr *c)
{
	unsigned bit;

	if (c->bits > 128)
		return "an address block with more than 128 bits";
	for (bit = c->bits; bit < 128; bit++)
		if (c->addr[bit / 8] & (0x80u >> (bit % 8)))
			return "an address block with host bits";
	return NULL;
}

static const char *check_name(struct str s)
{
	size_t i;

	if (!s.n || s.p[0] == '.' || s.p[s.n - 1] == '.')
		return "a host name that is empty or begins or ends in '.'";
	for (i = 0; i < s.n; i++)
		if (s.p[i] >= 'A' && s.p[i] <= 'Z')
			return "a host name in upper case";
	return NULL;
}

static const char *check_net(const struct ir_net *n)
{
	const char *why = NULL;
	size_t i;

	if (!n->protos || n->protos & ~(unsigned)IR_ANY_PROTO)
		return "protocols out of range";
	if (n->port_lo > n->port_hi)
		return "an empty port range";
	switch (n->host) {
	case IR_HOST_ANY:
		break;
	case IR_HOST_NAME:
	case IR_HOST_BELOW:
		why = check_name(n->name);
		break;
	case IR_HOST_CIDR:
		why = check_cidr(&n->cidr);
		break;
	default:
		why = "a host out of range";
		break;
	}
	for (i = 0; i < n->nwithin && !why; i++)
		why = check_cidr(&n->within[i]);
	return why;
}

static const char *check_cmp(const struct ir_cond *c)
{
	if (c->arg > 5)
		return "an argument out of range";
	if (c->width != 32 && c->width != 64)
		return "an argument width that is neither 32 nor 64";
	if (c->cmp > IR_GE)
		return "a comparison out of range";
	if (c->width == 32 && ((c->mask | c->value) >> 32))
		return "a mask or value above the argument's width";
	return NULL;
}

static const char *check_cond(const struct ir_cond *c, int depth)
{
	const char *why;

	if (!c)
		return "a condition without its part";
	if (depth > MAX_DEPTH)
		return "a condition nests too deep";
	switch (c->op) {
	case IR_C_TRUE:
	case IR_C_FALSE:
		return NULL;
	case IR_C_NOT:
		return check_cond(c->a, depth + 1);
	case IR_C_AND:
	case IR_C_OR:
		why = check_cond(c->a, depth + 1);
		return why ? why : check_cond(c->b, depth + 1);
	case IR_C_CMP:
		return check_cmp(c);
	}
	return "a condition out of range";
}

const char *ir_verify_set(enum ir_kind kind, const struct ir_set *s, bool broad)
{
	switch (kind) {
	case IR_COMMAND:
		return check_command(&s->u.command, broad);
	case IR_FILE:
		/* deny, ask and hide cover what lies below (semantics 5) */
		if (broad && !s->u.file.path.below)
			return "a deny, ask or hide that does not cover below";
		return check_path(&s->u.file.path, false);
	case IR_NET:
		return check_net(&s->u.net);
	case IR_UNIX:
		return check_path(&s->u.unix_path, true);
	case IR_SYSCALL:
		if (!s->u.syscall.name.n)
			return "a system call without a name";
		return s->u.syscall.cond ? check_cond(s->u.syscall.cond, 0) : NULL;
	case IR_TOOL:
		return check_glob(&s->u.tool.glob, false, 0);
	case IR_KIND_COUNT:
		break;
	}
	return "a kind out of range";
}
