/*
 * Statements of sections as items of a list: a mapping whose first key says
 * which statement it is, then its parts, then its options in their order.
 */
#include "compiler/format/to_yaml.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"

struct item {
	struct to_yaml *y;
	struct node *n;
};

static void put(struct item *i, const char *key, struct node *value)
{
	node_put(i->n, key, value);
}

static void put_word(struct item *i, const char *key, struct str word)
{
	put(i, key, node_text(i->y->a, word));
}

static void put_effect(struct item *i, const char *key, enum ast_effect e)
{
	put_word(i, key, str_from(ast_effect_name(e)));
}

static void put_yes(struct item *i, const char *key)
{
	put(i, key, node_plain(i->y->a, STR("true")));
}

/* "locked KEY +=", as the statement says. */
static const char *marked(struct item *i, const struct ast_stmt *s, const char *key)
{
	if (!s->locked && !s->append)
		return key;
	return arena_printf(i->y->a, "%s%s%s", s->locked ? "locked " : "", key,
			    s->append ? " +=" : "");
}

/* --- options ------------------------------------------------------------------ */

/* What `except` takes: what the rules of the section do. */
static enum yml_type subject(enum ast_section_kind sec)
{
	switch ((int)sec) {
	case AST_SEC_COMMAND:
		return YML_T_PATTERNS;
	case AST_SEC_NETWORK:
		return YML_T_HOSTS;
	case AST_SEC_SYSCALL:
		return YML_T_CALLS;
	case AST_SEC_TOOLS:
		return YML_T_NAMES;
	default:
		return YML_T_PATHS;
	}
}

static const struct {
	const char *key;
	enum yml_type type;
} options[] = {
	[AST_O_BECAUSE] = { "because", YML_T_TEXT },
	[AST_O_AS] = { "as", YML_T_WORD },
	[AST_O_WHEN] = { "when", YML_T_EXPR },
	[AST_O_WITH] = { "with", YML_T_OPTIONS },
	[AST_O_WITH_ONLY] = { "withOnly", YML_T_OPTIONS },
	[AST_O_WITHOUT] = { "without", YML_T_OPTIONS },
	[AST_O_WITHIN] = { "within", YML_T_PATHS },
	[AST_O_EXCEPT] = { "except", YML_T_ANY },
	[AST_O_MATCH] = { "match", YML_T_TEXTS },
	[AST_O_NOT_MATCH] = { "notMatch", YML_T_TEXTS },
	[AST_O_STRICT] = { "strict", YML_T_BOOL },
	[AST_O_ACCEPT_ADVISORY] = { "acceptAdvisory", YML_T_BOOL },
	[AST_O_UNTIL] = { "until", YML_T_DATE },
	[AST_O_MAY] = { "may", YML_T_WORD },
	[AST_O_PEEK] = { "peek", YML_T_WORD },
};

static enum yml_type option_type(enum ast_section_kind sec, enum ast_opt_kind k)
{
	if (k == AST_O_EXCEPT)
		return subject(sec);
	if (k == AST_O_WITH && sec == AST_SEC_SYSCALL)
		return YML_T_WORD;
	if ((k == AST_O_MATCH || k == AST_O_NOT_MATCH) && sec == AST_SEC_SYSCALL)
		return YML_T_CALLS;
	if (k == AST_O_WITHIN && sec == AST_SEC_NETWORK)
		return YML_T_HOSTS;
	return options[k].type;
}

/* How often the option stands there in a row. */
static size_t in_a_row(const struct ast_option *o)
{
	const enum ast_opt_kind kind = o->kind;
	size_t n = 0;

	for (; o && o->kind == kind; o = o->next)
		n++;
	return n;
}

/* An option twice, with others between, or a day that is none, has no key. */
static bool has_options(struct to_yaml *y, enum ast_section_kind sec,
			const struct ast_option *o)
{
	const struct ast_option *last = NULL;
	unsigned seen = 0;

	for (; o; last = o, o = o->next) {
		bool again = last && last->kind == o->kind &&
			     yml_is_repeatable(o->kind, option_type(sec, o->kind));

		if (seen & 1u << o->kind && !again)
			return false;
		seen |= 1u << o->kind;
		if (o->kind == AST_O_UNTIL &&
		    ty_value(y, YML_T_DATE, o->values)->kind != NODE_SCALAR)
			return false;
	}
	return true;
}

/* A list for each of them. */
static const struct ast_option *put_row(struct item *i, enum ast_section_kind sec,
					const struct ast_option *o)
{
	enum yml_type type = option_type(sec, o->kind);
	struct node *all = node_new(i->y->a, NODE_LIST, NODE_FILL);
	const struct ast_option *last = o;

	for (; o && o->kind == last->kind; last = o, o = o->next) {
		struct node *one = node_new(i->y->a, NODE_LIST, NODE_FILL);

		for (const struct ast_value *v = o->values; v; v = v->next)
			node_add(one, ty_value(i->y, type, v));
		node_add(all, one);
	}
	put(i, options[last->kind].key, all);
	return last;
}

static void put_options(struct item *i, enum ast_section_kind sec,
			const struct ast_option *o)
{
	for (; o; o = o->next) {
		const char *key = options[o->kind].key;

		if (in_a_row(o) > 1)
			o = put_row(i, sec, o);
		else if (o->expr)
			put(i, key, ty_expr(i->y, o->expr));
		else if (o->values)
			put(i, key, ty_values(i->y, option_type(sec, o->kind), o->values));
		else
			put_yes(i, key);
	}
}

/* --- statements ------------------------------------------------------------------ */

static void rule(struct item *i, enum ast_section_kind sec, const struct ast_stmt *s)
{
	const char *effect = ast_effect_name(s->effect);
	const struct ast_value *v = sec == AST_SEC_NETWORK ? s->net.hosts : s->values;

	if (v)
		put(i, effect, ty_values(i->y, subject(sec), v));
	else
		put_effect(i, "effect", s->effect);
	if (s->ops)
		put(i, "op", ty_ops(i->y, s->ops));
	if (s->net.proto)
		put_word(i, "proto", s->net.proto->text);
	if (s->net.ports)
		put(i, "port", ty_values(i->y, YML_T_PORTS, s->net.ports));
	if (s->final)
		put_yes(i, "final");
	put_options(i, sec, s->options);
}

static void by_risk(struct item *i, const struct ast_stmt *s)
{
	struct node *n = node_new(i->y->a, NODE_MAP, ty_layout(i->y, s->at));

	for (const struct ast_value *v = s->pairs; v; v = v->next) {
		struct node_before before = ty_before(i->y, v->at);
		struct node *effect = node_plain(i->y->a, v->text);

		effect->key = quote_text(i->y->a, v->key);
		ty_attach(i->y, effect, &before, v->at);
		node_add(n, effect);
	}
	put(i, marked(i, s, "otherwise"), n);
}

static bool is_twice(struct to_yaml *y, const struct ast_value *pairs)
{
	struct map seen;

	map_init(&seen, y->a);
	for (; pairs; pairs = pairs->next)
		if (map_put(&seen, pairs->key, (void *)pairs))
			return true;
	return false;
}

static void program(struct item *i, const struct ast_stmt *s)
{
	struct node *n = node_new(i->y->a, NODE_LIST, ty_layout(i->y, s->at));

	put(i,
	    s->kind == AST_PROGRAM   ? "program"
	    : s->kind == AST_WRAPPER ? "wrapper"
				     : "interpreter",
	    ty_values(i->y, YML_T_NAMES, s->values));
	if (!s->items)
		return;
	ty_open(i->y, i->n, s->items->at.off);
	for (const struct ast_prog_item *p = s->items; p; p = p->next) {
		struct node_before before = ty_before(i->y, p->at);
		struct node *text = node_text(i->y->a, piece_item(i->y->a, p));

		ty_attach(i->y, text, &before, p->at);
		node_add(n, text);
	}
	ty_tail(i->y, n, s->at.off + s->at.len);
	put(i, "items", n);
}

static void pin(struct item *i, const struct ast_stmt *s)
{
	put_word(i, "pin", s->name);
	put(i, "path", ty_value(i->y, YML_T_TEXT, s->values));
	if (s->values->next)
		put(i, "sha256", ty_value(i->y, YML_T_TEXT, s->values->next));
}

static void mount(struct item *i, const struct ast_stmt *s)
{
	put(i, "mount", ty_value(i->y, YML_T_TEXT, s->values));
	put(i, "at", ty_value(i->y, YML_T_TEXT, s->values->next));
	put(i, "op", ty_ops(i->y, s->ops));
}

static void route(struct item *i, const struct ast_stmt *s)
{
	put(i, marked(i, s, "route"), ty_values(i->y, YML_T_WORDS, s->values));
	put_word(i, "to", s->name);
	if (s->has_else)
		put_effect(i, "else", s->effect);
}

/* Those that are a key and values. */
static void plain(struct item *i, enum ast_section_kind sec, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_TAINT:
	case AST_SAFE:
		put(i, s->kind == AST_TAINT ? "taint" : "safe",
		    ty_values(i->y, YML_T_NAMES, s->values));
		break;
	case AST_KEEP:
		put(i, marked(i, s, "keep"), ty_values(i->y, YML_T_NAMES, s->values));
		break;
	case AST_INERT:
		put(i, "inert", ty_values(i->y, YML_T_PATTERNS, s->values));
		put_options(i, sec, s->options);
		break;
	case AST_RISK:
		put_word(i, "risk", s->name);
		put(i, "patterns", ty_values(i->y, YML_T_PATTERNS, s->values));
		put_options(i, sec, s->options);
		break;
	case AST_SHELL:
		put_word(i, "shell", s->name);
		if (s->values)
			put(i, "path", ty_value(i->y, YML_T_TEXT, s->values));
		break;
	case AST_SCRATCH:
		put(i, "scratch", ty_values(i->y, YML_T_PATHS, s->values));
		break;
	case AST_VIA:
		put(i, "via", ty_value(i->y, YML_T_TEXT, s->values));
		break;
	case AST_MODE:
		put_word(i, marked(i, s, "mode"), s->name);
		break;
	case AST_OPAQUE:
		put_effect(i, marked(i, s, "opaque"), s->effect);
		break;
	case AST_OTHERWISE:
		put_effect(i, marked(i, s, "otherwise"), s->effect);
		if (s->ops)
			put(i, "op", ty_ops(i->y, s->ops));
		break;
	default:
		break;
	}
}

static void variable(struct item *i, const struct ast_stmt *s)
{
	if (s->kind == AST_SET) {
		put_word(i, marked(i, s, "set"), s->name);
		put(i, "value", ty_value(i->y, YML_T_TEXT, s->values));
	} else {
		put_word(i, marked(i, s, "secret"), s->name);
		put_word(i, "from", s->values->text);
		put(i, "value", ty_value(i->y, YML_T_TEXT, s->values->next));
	}
}

static void rate(struct item *i, const struct ast_stmt *s)
{
	put_word(i, marked(i, s, "rate"), s->name);
	put(i, "count", ty_value(i->y, YML_T_NUMBER, s->values));
	put(i, "per", ty_value(i->y, YML_T_NUMBER, s->per));
}

static void block(struct item *i, const struct ast_stmt *s)
{
	put_word(i, marked(i, s, "block"), s->name);
	put(i, "body", ty_block(i->y, s));
}

bool ty_has_item(struct to_yaml *y, enum ast_section_kind sec, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_RULE:
	case AST_RISK:
	case AST_INERT:
		return has_options(y, sec, s->options);
	case AST_OTHERWISE_BY_RISK:
		return !is_twice(y, s->pairs);
	case AST_RATE:
		return ty_value(y, YML_T_NUMBER, s->values)->kind == NODE_SCALAR &&
		       ty_value(y, YML_T_NUMBER, s->per)->kind == NODE_SCALAR;
	case AST_SECTION:
	case AST_PAIR:
		return false;
	default:
		(void)sec;
		return true;
	}
}

struct node *ty_item(struct to_yaml *y, enum ast_section_kind sec,
		     const struct ast_stmt *s)
{
	struct item i = { y, node_new(y->a, NODE_MAP, NODE_IF_FITS) };

	if (!ty_has_item(y, sec, s))
		return NULL;
	switch ((int)s->kind) {
	case AST_RULE:
		rule(&i, sec, s);
		break;
	case AST_OTHERWISE_BY_RISK:
		by_risk(&i, s);
		break;
	case AST_PROGRAM:
	case AST_WRAPPER:
	case AST_INTERPRETER:
		program(&i, s);
		if (s->items)
			i.n->layout = ty_layout(y, s->at);
		break;
	case AST_PIN:
		pin(&i, s);
		break;
	case AST_MOUNT:
		mount(&i, s);
		break;
	case AST_SET:
	case AST_SECRET:
		variable(&i, s);
		break;
	case AST_RATE:
		rate(&i, s);
		break;
	case AST_ROUTE:
		route(&i, s);
		break;
	case AST_RUNNER:
		block(&i, s);
		if (s->body || i.n->last->tail.n)
			i.n->layout = ty_layout(y, s->at);
		break;
	default:
		plain(&i, sec, s);
		break;
	}
	if (i.n->items == i.n->last && i.n->layout == NODE_IF_FITS)
		i.n->layout = NODE_BLOCK;
	return i.n;
}
