/*
 * Writes values and conditions as canonical text.  Decides how a string is spelled and
 * where a condition needs parentheses.
 */
#include "compiler/ast/print_value.h"

#include "compiler/ast/build.h"
#include "compiler/diag/width.h"

/* Escapes a character that a reader of the policy could not see, or could mistake. */
static void put_visible(struct buf *b, struct str s, size_t i, size_t n, uint32_t c,
			bool valid)
{
	if (c == '\n')
		buf_z(b, "\\n");
	else if (c == '\t')
		buf_z(b, "\\t");
	else if (!valid || c < 0x20 || c == 0x7f)
		for (size_t k = 0; k < n; k++)
			buf_printf(b, "\\x%02x", (unsigned char)s.p[i + k]);
	else if (!utf8_is_printable(c))
		buf_printf(b, "\\u{%x}", c);
	else
		buf_add(b, s.p + i, n);
}

/* Prints the text of an AST_V_STRING, where \$ is one character. */
static void print_string(struct buf *b, struct str s)
{
	buf_ch(b, '"');
	for (size_t i = 0, n; i < s.n; i += n) {
		uint32_t c;
		bool valid;

		n = utf8_next(s, i, &c, &valid);
		if (c == '\\' && i + 1 < s.n && s.p[i + 1] == '$') {
			buf_z(b, "\\$");
			n = 2;
		} else if (c == '\\' || c == '"') {
			buf_ch(b, '\\');
			buf_ch(b, (char)c);
		} else {
			put_visible(b, s, i, n, c, valid);
		}
	}
	buf_ch(b, '"');
}

void ast_print_plain(struct buf *b, struct str plain)
{
	buf_ch(b, '"');
	for (size_t i = 0, n; i < plain.n; i += n) {
		uint32_t c;
		bool valid;

		n = utf8_next(plain, i, &c, &valid);
		if (c == '\\' || c == '"' || c == '$') {
			buf_ch(b, '\\');
			buf_ch(b, (char)c);
		} else {
			put_visible(b, plain, i, n, c, valid);
		}
	}
	buf_ch(b, '"');
}

/* r"…" if the text can be written so, else the string in quotes. */
static void print_raw(struct buf *b, struct str s)
{
	for (size_t i = 0, n; i < s.n; i += n) {
		uint32_t c;
		bool valid;

		n = utf8_next(s, i, &c, &valid);
		if (c == '"' || !valid || (c != '\t' && !utf8_is_printable(c))) {
			ast_print_plain(b, s);
			return;
		}
	}
	buf_z(b, "r\"");
	buf_str(b, s);
	buf_ch(b, '"');
}

void ast_print_name(struct buf *b, struct str name)
{
	if (ast_is_name(name))
		buf_str(b, name);
	else
		ast_print_plain(b, name);
}

/* A slash ends a regex, unless a backslash stands before it. */
static void print_regex(struct buf *b, struct str s, struct str flags)
{
	buf_ch(b, '/');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] != '\n') {
			buf_ch(b, s.p[i++]);
			buf_ch(b, s.p[i]);
		} else if (s.p[i] == '/') {
			buf_z(b, "\\/");
		} else if (s.p[i] == '\n') {
			buf_z(b, "\\n");
		} else {
			buf_ch(b, s.p[i]);
		}
	}
	buf_ch(b, '/');
	buf_str(b, flags);
}

static void print_call(struct buf *b, const struct ast_value *v)
{
	buf_str(b, v->text);
	buf_ch(b, '(');
	for (const struct ast_expr *x = v->args; x; x = x->next) {
		ast_print_expr(b, x);
		if (x->next)
			buf_z(b, ", ");
	}
	buf_ch(b, ')');
}

static void print_map(struct buf *b, const struct ast_value *items)
{
	buf_ch(b, '{');
	for (const struct ast_value *v = items; v; v = v->next) {
		buf_ch(b, ' ');
		if (ast_is_word(v->key))
			buf_str(b, v->key);
		else
			ast_print_plain(b, v->key);
		buf_z(b, " = ");
		ast_print_value(b, v);
		if (v->next)
			buf_ch(b, ',');
	}
	buf_z(b, items ? " }" : "}");
}

void ast_print_value(struct buf *b, const struct ast_value *v)
{
	switch (v->kind) {
	case AST_V_STRING:
		print_string(b, v->text);
		break;
	case AST_V_RAW:
		print_raw(b, v->text);
		break;
	case AST_V_REGEX:
		print_regex(b, v->text, v->flags);
		break;
	case AST_V_NAME:
		ast_print_name(b, v->text);
		break;
	case AST_V_GROUP:
		buf_ch(b, '@');
		buf_str(b, v->text);
		break;
	case AST_V_ANY:
		buf_z(b, "any");
		break;
	case AST_V_CALL:
		print_call(b, v);
		break;
	case AST_V_LIST:
		buf_ch(b, '[');
		ast_print_list(b, v->items, ", ");
		buf_ch(b, ']');
		break;
	case AST_V_MAP:
		print_map(b, v->items);
		break;
	case AST_V_NUMBER:
	case AST_V_RANGE:
	case AST_V_DATE:
	case AST_V_ADDR:
	case AST_V_OPTION:
	case AST_V_OPTSPEC:
	case AST_V_PATH:
		buf_str(b, v->text);
		break;
	}
}

void ast_print_list(struct buf *b, const struct ast_value *list, const char *between)
{
	for (const struct ast_value *v = list; v; v = v->next) {
		ast_print_value(b, v);
		if (v->next)
			buf_z(b, between);
	}
}

/* --- conditions ----------------------------------------------------------------- */

/* As in policy.y: a higher level binds tighter. */
enum { P_OR = 1, P_AND, P_NOT, P_COMPARE, P_BITOR, P_BITAND, P_LEAF };

static const struct {
	int level;
	const char *word;
} ops[] = {
	[AST_X_NAME] = { P_LEAF, "" },	   [AST_X_NUMBER] = { P_LEAF, "" },
	[AST_X_RANGE] = { P_LEAF, "" },	   [AST_X_STRING] = { P_LEAF, "" },
	[AST_X_GROUP] = { P_LEAF, "@" },   [AST_X_ANY] = { P_LEAF, "" },
	[AST_X_LIST] = { P_LEAF, "" },	   [AST_X_OR] = { P_OR, " or " },
	[AST_X_AND] = { P_AND, " and " },  [AST_X_NOT] = { P_NOT, "not " },
	[AST_X_EQ] = { P_COMPARE, " == " }, [AST_X_NE] = { P_COMPARE, " != " },
	[AST_X_LT] = { P_COMPARE, " < " }, [AST_X_LE] = { P_COMPARE, " <= " },
	[AST_X_GT] = { P_COMPARE, " > " }, [AST_X_GE] = { P_COMPARE, " >= " },
	[AST_X_IN] = { P_COMPARE, " in " }, [AST_X_BITOR] = { P_BITOR, " | " },
	[AST_X_BITAND] = { P_BITAND, " & " },
};

static void print_kid(struct buf *b, const struct ast_expr *x, int least)
{
	bool parens = ops[x->op].level < least;

	if (parens)
		buf_ch(b, '(');
	ast_print_expr(b, x);
	if (parens)
		buf_ch(b, ')');
}

static void print_leaf(struct buf *b, const struct ast_expr *x)
{
	if (x->op == AST_X_STRING) {
		ast_print_plain(b, x->text);
	} else if (x->op == AST_X_ANY) {
		buf_ch(b, '*');
	} else if (x->op == AST_X_LIST) {
		buf_ch(b, '[');
		for (const struct ast_expr *k = x->kids; k; k = k->next) {
			ast_print_expr(b, k);
			if (k->next)
				buf_z(b, ", ");
		}
		buf_ch(b, ']');
	} else {
		buf_z(b, ops[x->op].word);
		buf_str(b, x->text);
	}
}

void ast_print_expr(struct buf *b, const struct ast_expr *x)
{
	int level = ops[x->op].level;

	if (level == P_LEAF) {
		print_leaf(b, x);
	} else if (x->op == AST_X_NOT) {
		buf_z(b, "not ");
		print_kid(b, x->kids, P_NOT);
	} else {
		/* left-associative, except comparisons, which do not associate */
		print_kid(b, x->kids, level == P_COMPARE ? level + 1 : level);
		buf_z(b, ops[x->op].word);
		print_kid(b, x->kids->next, level + 1);
	}
}
