/*
 * Turns command patterns (semantics 4.3) into word lists and regexes: finds where words
 * begin and end, and reads `:*` and `**`.  guard.c reads guards.  The readers of the IR
 * decide which bytes `*` matches and how the program column is compared.
 */
#include "compiler/lower/command.h"

#include "compiler/lower/dialect.h"
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

/* Does the word assign (`NAME=value`, `NAME+=value`)? */
static bool is_assignment(struct str word)
{
	size_t n = 0;

	while (n < word.n && word.p[n] != '=' && word.p[n] != '+')
		n++;
	if (!lower_is_variable(str_sub(word, 0, n), false))
		return false;
	n += n < word.n && word.p[n] == '+';
	return n < word.n && word.p[n] == '=';
}

/* Is the word one that ends a command or redirects it, where it is not quoted? */
static bool is_operator(struct str word)
{
	static const char *const operators[] = { "|",  "||", "|&", "&&", "&",  ">",
						 ">>", "<",  "2>", "&>", "2>&1" };

	for (size_t i = 0; i < POL_LEN(operators); i++)
		if (str_eqz(word, operators[i]))
			return true;
	return false;
}

/* Does the shell replace some of the word (`~/x`, `$HOME/x`, `$(x)`)? */
static bool is_expanded(struct str word)
{
	if (word.n && word.p[0] == '~' && (word.n == 1 || word.p[1] == '/'))
		return true;
	for (size_t i = 0; i + 1 < word.n; i++)
		if (word.p[i] == '$' && !is_escaped(word, i) &&
		    (word.p[i + 1] == '(' || lower_is_variable(str_sub(word, i + 1, 1), false)))
			return true;
	return false;
}

static void warn_syntax(struct lower *l, const struct ast_value *v, struct str word, const char *what,
			const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_PATTERN_SYNTAX, v->at,
				  "'%.*s' in '%.*s' matches a quoted word only: %s",
				  STR_ARG(word), STR_ARG(v->text), what);

	diag_help(l->sink, d, "%s", help);
}

/*
 * Warns about what only a shell understands.  A pattern is compared with the words of one command
 * as the shell would pass them on, so that such a rule matches nothing but quoted text.
 */
static void warn_shell_syntax(struct lower *l, const struct ast_value *v, struct str text, bool narrow)
{
	for (size_t from = 0, to; from < text.n; from = to) {
		struct str word;

		while (from < text.n && is_blank(text.p[from]))
			from++;
		for (to = from; to < text.n && !(is_blank(text.p[to]) && !is_escaped(text, to));)
			to++;
		word = str_sub(text, from, to - from);
		if (from == 0 && is_assignment(word)) {
			warn_syntax(l, v, word, "an assignment before a command is not one of its words",
				    narrow ? "begin with the program; 'safe NAME' lets the variable be set" :
					     "begin with the program: the rule holds whatever is assigned before it");
		} else if (is_operator(word)) {
			warn_syntax(l, v, word, "each command of a line is judged by itself",
				    "write a pattern for one command; a quoted word is meant by '\\\\' before it");
		} else if (is_expanded(word)) {
			warn_syntax(l, v, word, "a pattern sees what the shell puts in its place",
				    "write a file rule, or '*' for what is not known; a quoted word is meant "
				    "by '\\\\' before it");
		} else {
			continue;
		}
		return;
	}
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
	warn_shell_syntax(l, v, text, narrow);
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
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		size_t from = sets.v.n;

		if (lower_command_pattern(l, v, side, &guards, &sets) && !lower_warn_dialect(l, v, true) &&
		    side == LOWER_BROAD && sets.v.n > from)
			lower_warn_exact(l, v, &sets.v.v[from].u.command);
	}
	for (size_t i = 0; i < sets.v.n && ok; i++)
		lower_add(l, &h, &sets.v.v[i]);
}
