/*
 * Turns command patterns (semantics 4.3) into word lists and regexes: finds where words
 * begin and end, and reads `:*` and `**`.  guard.c reads guards.  The readers of the IR
 * decide which bytes `*` matches and how the program column is compared.
 */
#include "compiler/lower/command.h"

#include "compiler/lower/glob.h"
#include "compiler/lower/regex.h"
#include "compiler/sets/regex.h"

#define MAX_WORDS 256u

static bool bad(struct lower *l, const struct ast_value *v, const char *what,
		const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_COMMAND_PATTERN, v->at, "%s in '%.*s'",
				  what, STR_ARG(v->text));

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Does a backslash make the byte at `i` literal? */
static bool is_escaped(struct str t, size_t i)
{
	size_t n = 0;

	while (i > n && t.p[i - n - 1] == '\\')
		n++;
	return n % 2 == 1;
}

/*
 * Warns about quotes: they have no meaning here, but most people who write them believe
 * that they do.
 */
static void warn_quotes(struct lower *l, const struct ast_value *v)
{
	for (size_t i = 0; i < v->text.n; i++) {
		char c = v->text.p[i];

		if ((c == '\'' || c == '"') && !is_escaped(v->text, i)) {
			struct diag *d = diag_add(
				l->sink, DIAG_PATTERN_QUOTES, v->at,
				"quotes in '%.*s' match themselves, and a command's "
				"words have none",
				STR_ARG(v->text));
			diag_help(l->sink, d,
				  "write a blank inside of a word as '\\\\ ', "
				  "and a quote that is meant as '\\\\%s%c'",
				  c == '"' ? "\\" : "", c);
			return;
		}
	}
}

/* The length of an assignment (`NAME=value`) with which the pattern begins; 0: there is none. */
static size_t assignment_length(struct str t)
{
	size_t eq = 0, n;

	while (eq < t.n && t.p[eq] != '=' && t.p[eq] != '+' && !is_blank(t.p[eq]))
		eq++;
	if (!lower_is_variable(str_sub(t, 0, eq), false))
		return 0;
	n = eq + (eq < t.n && t.p[eq] == '+');
	if (n >= t.n || t.p[n] != '=')
		return 0;
	while (n < t.n && !(is_blank(t.p[n]) && !is_escaped(t, n)))
		n++;
	return n;
}

/*
 * Warns about an assignment at the beginning: a pattern begins with the program, and what a line
 * assigns before it is no word of the command, so that the rule matches nothing.
 */
static void warn_assignment(struct lower *l, const struct ast_value *v, struct str text, bool narrow)
{
	size_t n = assignment_length(text);
	struct diag *d;

	if (!n)
		return;
	d = diag_add(l->sink, DIAG_PATTERN_ASSIGNMENT, v->at,
		     "no line matches '%.*s': it begins with an assignment, which is no word of a command",
		     STR_ARG(v->text));
	diag_help(l->sink, d, "%s",
		  narrow ? "begin with the program; to allow the variable as well write 'safe NAME'" :
			   "begin with the program: the rule holds whatever is assigned before it");
}

/* Removes ":*" from the end; false if it is not there. */
static bool strip_tail(struct str *t)
{
	if (t->n < 2 || t->p[t->n - 1] != '*' || t->p[t->n - 2] != ':' ||
	    is_escaped(*t, t->n - 2))
		return false;
	t->n -= 2;
	return true;
}

static struct str trimmed(struct str t)
{
	while (t.n && is_blank(t.p[0]))
		t = str_sub(t, 1, t.n - 1);
	while (t.n && is_blank(t.p[t.n - 1]) && !is_escaped(t, t.n - 1))
		t.n--;
	return t;
}

/* Is the word `**` and nothing else? */
static bool is_any_words(const struct lower_glob_in *in)
{
	struct str t = in->text;

	return in->i + 2 <= t.n && memcmp(t.p + in->i, "**", 2) == 0 &&
	       (in->i + 2 == t.n || is_blank(t.p[in->i + 2]));
}

static bool read_words(struct lower *l, const struct ast_value *v, struct str text,
		       bool narrow, struct ir_command *ret)
{
	struct lower_glob_in in = { .l = l,
				    .text = text,
				    .shown = v->text,
				    .at = v->at,
				    .code = DIAG_COMMAND_PATTERN,
				    .separator = '|',
				    .sets = true,
				    .narrow = narrow };
	struct {
		VEC(struct ir_word) v;
	} words = { .v = { NULL, 0, 0 } };

	for (;;) {
		struct ir_word w = { .any_words = false };

		while (in.i < text.n && is_blank(text.p[in.i]))
			in.i++;
		if (in.i >= text.n)
			break;
		if (is_any_words(&in)) {
			in.i += 2;
			w.any_words = true;
		} else if (!lower_glob(&in, &w.glob)) {
			return false;
		}
		if (words.v.n == MAX_WORDS)
			return bad(l, v, "more than 256 words", NULL);
		VEC_PUSH(l->a, &words.v, w);
	}
	ret->words = words.v.v;
	ret->nwords = words.v.n;
	return true;
}

static bool read_regex(struct lower *l, const struct ast_value *v, enum lower_side side,
		       struct ir_command *c)
{
	c->regex = true;
	c->regex_i = lower_regex_flag(v, 'i');
	c->regex_x = lower_regex_flag(v, 'x');
	return lower_regex(l, v, side == LOWER_NARROW ? SET_REGEX_DOLLAR_END : 0,
			   &c->opaque);
}

static bool read_text(struct lower *l, const struct ast_value *v, bool narrow,
		      struct ir_command *c)
{
	struct str text = trimmed(v->text);

	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW) {
		diag_add(l->sink, DIAG_KIND_OF_VALUE, v->at,
			 "a command pattern is a text in double quotes, or a regex");
		return false;
	}
	if (v->kind == AST_V_STRING && sema_has_root(text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a root has no value in a command pattern: '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	if (v->kind == AST_V_STRING) /* keep the backslashes that belong to the pattern */
		text = sema_plain(l->a, text);
	c->tail = strip_tail(&text);
	if (!text.n)
		return bad(l, v, "no words", "to match every command write '*'");
	if (c->tail && is_blank(text.p[text.n - 1]) && !is_escaped(text, text.n - 1))
		return bad(l, v, "':*' without its word",
			   "it continues the word before it: \"npm run test:*\"");
	if (!read_words(l, v, text, narrow, c))
		return false;
	if (c->words[0].any_words)
		return bad(l, v, "'**' for the program",
			   "a pattern begins with one program; '*' is any");
	if (c->tail && c->words[c->nwords - 1].any_words)
		return bad(l, v, "':*' behind '**'", "'**' alone says as much");
	warn_quotes(l, v);
	warn_assignment(l, v, text, narrow);
	return true;
}

bool lower_command_pattern(struct lower *l, const struct ast_value *v,
			   enum lower_side side, const struct lower_guards *guards,
			   struct lower_sets *into)
{
	struct ir_set set = { 0 };
	struct ir_command *c = &set.u.command;

	c->text = v->text;
	if (guards) {
		c->guards = guards->v.v;
		c->nguards = guards->v.n;
	}
	if (v->kind == AST_V_REGEX ? !read_regex(l, v, side, c) :
				     !read_text(l, v, side == LOWER_NARROW, c))
		return false;
	if (side == LOWER_NARROW || c->regex) {
		VEC_PUSH(l->a, &into->v, set);
		return true;
	}
	return lower_option_words(l, c, into) ||
	       bad(l, v, "too many alternatives", "write several patterns");
}

static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	return lower_command_pattern(l, v, side, NULL, into);
}

bool lower_command_except(struct lower *l, const struct ast_stmt *stmt,
			  enum lower_side side, struct ir_set **ret, size_t *ret_n)
{
	return lower_except(l, stmt, side, read_except, ret, ret_n);
}

void lower_command(struct lower *l, const struct sema_stmt *t)
{
	enum lower_side side = lower_side_of(t->stmt->effect);
	struct lower_sets sets = { .v = { NULL, 0, 0 } };
	struct lower_guards guards;
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_COMMAND, &h);

	ok &= lower_command_except(l, t->stmt, side, &h.except, &h.nexcept);
	ok &= lower_guards(l, t->stmt, side, &guards);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next)
		lower_command_pattern(l, v, side, &guards, &sets);
	for (size_t i = 0; i < sets.v.n && ok; i++)
		lower_add(l, &h, &sets.v.v[i]);
}
