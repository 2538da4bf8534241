/*
 * Handles the builtins that change what the shell does with the rest of the text (the
 * directory, variables, names of commands) and those that evaluate a word as text.
 */
#include <ctype.h>

#include "runtime/line/cmd_change.h"
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_number.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_script.h"
#include "runtime/line/cmd_text.h"
#include "runtime/line/lang.h"

static const char subscript[] = "a subscript is arithmetic, which may run code";
static const char arithmetic[] = "arithmetic on a name, whose value may hold code";
static const char any_name[] = "a variable whose name is not known is set";

/* --- words of builtins ----------------------------------------------------------------- */

struct builtin_words {
	struct cmd_an *a;
	const struct cmd_ctx *c;
	struct cmd_part *p;
	const char *valued; /* letters of options that take a value */
	const char *named;  /* letters of options whose value is the name of a variable */
	uint64_t seen;      /* letters of the options that were found */
	bool gives;         /* named variables get a value from elsewhere */
	bool exports;       /* the variables are exported, with a value or without */
	uint32_t at;        /* the first operand */
};

static uint64_t bit(char c)
{
	return 1ULL << ((unsigned char)c & 63);
}

static bool is_number(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)p[i]))
			return false;
	return n > 0;
}

/* The name of a variable, perhaps with a subscript and a value. */
static void set_word(struct builtin_words *b, const struct sh_word *w, bool only_values)
{
	const char *eq, *sub, *end;
	struct cmd_shape s;
	size_t n;

	cmd_shape(w, &s);
	eq = s.n ? memchr(s.p, '=', s.n) : NULL;
	n = eq ? (size_t)(eq - s.p) : s.n;
	sub = n ? memchr(s.p, '[', n) : NULL;
	if (!s.literal && !eq && !sub) {
		cmd_opaque(b->p, any_name);
		cmd_taint(b->c, any_name);
		return;
	}
	if (sub) {
		end = memchr(sub, ']', n - (size_t)(sub - s.p));
		if (!end || !is_number(sub + 1, (size_t)(end - sub) - 1))
			cmd_opaque(b->p, subscript);
		n = (size_t)(sub - s.p);
	} else if (eq && n && s.p[n - 1] == '+') {
		n--;
	}
	if (eq || !only_values)
		cmd_set(b->a, b->c, s.p, n);
	if (b->exports)
		cmd_export(b->a, b->c, s.p, n);
	if ((eq || b->gives) &&
	    !cmd_may_have(s.p, n, s.literal && eq ? eq + 1 : NULL,
			  s.literal && eq ? s.n - (size_t)(eq + 1 - s.p) : 0))
		cmd_opaque(b->p, CMD_NUMBER);
}

/*
 * NAME=VALUE for `declare` and the like. Bash reads a value in parentheses as the words
 * of an array, however it was quoted. A variable with -n gets the name of another one.
 */
static void declared(struct builtin_words *b, const struct sh_word *w, bool made)
{
	bool array = b->seen & (bit('a') | bit('A'));
	const char *eq, *v;
	struct cmd_shape s;
	size_t n;

	cmd_shape(w, &s);
	eq = s.n ? memchr(s.p, '=', s.n) : NULL;
	v = eq ? eq + 1 : NULL;
	n = eq ? s.n - (size_t)(v - s.p) : 0;
	if (made && (b->seen & bit('n')) && !(eq && s.literal && sh_is_name(v, n)))
		cmd_opaque(b->p, "a name stands for a variable that is not known");
	if (!eq || (w->flags & SH_W_ARRAY))
		return;
	if (n && v[0] == '(' && s.literal && !array)
		array = made && (memchr(v, '$', n) || memchr(v, '`', n));
	else if (!s.literal && made)
		array |= b->c->scope->env->arrays;
	if (array && (n ? v[0] == '(' : !s.literal))
		cmd_opaque(b->p, "a value that is read as the words of an array");
}

/* Reads options up to the first operand, as the shell's own getopt does. */
static void read_options(struct builtin_words *b)
{
	for (b->at = 1; b->at < b->p->nwords; b->at++) {
		const struct sh_word *w = b->p->words[b->at].w, *v;

		if (!sh_is_literal(w) || w->seg.n < 2 ||
		    (w->seg.p[0] != '-' && w->seg.p[0] != '+'))
			return;
		if (cmd_lit(w, "--")) {
			b->at++;
			return;
		}
		for (uint32_t i = 1; i < w->seg.n; i++) {
			char c = w->seg.p[i];
			bool rest = i + 1 < w->seg.n;

			b->seen |= bit(c);
			if (!strchr(b->valued, c))
				continue;
			v = rest ? cmd_literal(b->a, w->seg.p + i + 1, w->seg.n - i - 1) :
			    b->at + 1 < b->p->nwords ? b->p->words[b->at + 1].w : NULL;
			if (v && strchr(b->named, c))
				set_word(b, v, false);
			b->at += !rest;
			break;
		}
	}
	if (b->at > b->p->nwords)
		b->at = b->p->nwords;
}

#define WORDS(v, nm)                                                                   \
	struct builtin_words b = { .a = a, .c = c, .p = p, .valued = (v), .named = (nm),     \
				   .gives = (nm)[0] };                                  \
	read_options(&b)

static const struct sh_word *word(const struct builtin_words *b, uint32_t i)
{
	return i < b->p->nwords ? b->p->words[i].w : NULL;
}

/* --- directories --------------------------------------------------------------------------- */

/* Goes to the directory that the word names. */
static bool go_to(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_word *w)
{
	const struct sh_seg *g = &w->w->seg;
	const char *text;
	size_t n, from = 0;
	bool home;

	/* the value of PWD or HOME is a guess */
	if (g->kind != SH_HOME && (g->kind != SH_LIT || g->next))
		cmd_lose(c->scope->env);
	if (cmd_lit(w->w, "-") || (g->kind == SH_LIT && g->next) ||
	    !cmd_path_text(w, false, &from, &text, &n, &home)) {
		cmd_lose(c->scope->env);
		return true;
	}
	/* `cd ''` stays where it is */
	return (!n && !home) || cmd_go(a, c, text, n, home);
}

static bool run_cd(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	if (b.at >= p->nwords && !(p->flags & CMD_APPENDS))
		return cmd_go(a, c, "", 0, true);
	if (b.at + 1 != p->nwords) {
		cmd_lose(c->scope->env);
		return true;
	}
	return go_to(a, c, &p->words[b.at]);
}

/* `pushd DIR` goes there as `cd DIR` does. Without a directory, it goes to one that the text has
 * put on the stack, if there is one. */
static bool run_pushd(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct cmd_proc *e = c->scope->env;
	uint32_t at = p->nwords > 1 && cmd_lit(p->words[1].w, "-n") ? 2 : 1;
	const struct sh_word *w;

	if (at < p->nwords && cmd_lit(p->words[at].w, "--"))
		at++;
	w = at < p->nwords ? p->words[at].w : NULL;
	if ((p->flags & CMD_APPENDS) || c->anytime || at + 1 < p->nwords ||
	    (w ? w->seg.kind == SH_LIT && w->seg.n && strchr("-+", w->seg.p[0]) : !e->pushed)) {
		cmd_lose(e);
		return true;
	}
	if (!w)
		return true;
	e->pushed++;
	return go_to(a, c, &p->words[at]);
}

/* Each directory on the stack is one of those from which the text has gone elsewhere. */
static bool run_popd(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct cmd_proc *e = c->scope->env;

	(void)a;
	if (!e->pushed || p->nwords > 1 || c->anytime)
		cmd_lose(e);
	else
		e->pushed--;
	return true;
}

/* With cdable_vars `cd NAME` goes to the value of that variable. */
static bool run_shopt(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct cmd_proc *e = c->scope->env;

	(void)a;
	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;

		if (!sh_is_literal(w) || cmd_lit(w, "cdable_vars"))
			cmd_lose(e);
		e->allexport |= !sh_is_literal(w) || cmd_lit(w, "allexport");
	}
	return true;
}

/* `set -a`, `set -o allexport`: what is set from now on is exported. */
static bool run_set(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct cmd_proc *e = c->scope->env;

	(void)a;
	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;
		struct cmd_shape s;

		cmd_shape(w, &s);
		if (cmd_lit(w, "--") || (s.literal && (!s.n || (s.p[0] != '-' && s.p[0] != '+'))))
			break;
		if (!s.literal) {
			e->allexport |= s.open || (s.n && s.p[0] == '-');
			continue;
		}
		e->allexport |= s.p[0] == '-' && memchr(s.p, 'a', s.n);
		/* the name of an option follows */
		if (memchr(s.p, 'o', s.n) && i + 1 < p->nwords) {
			w = p->words[++i].w;
			e->allexport |= !sh_is_literal(w) || cmd_lit(w, "allexport");
		}
	}
	return true;
}

/* --- variables -------------------------------------------------------------------------------- */

static bool run_export(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	b.exports = cmd_lit(p->words[0].w, "export") &&
		    !(b.seen & (bit('n') | bit('f')));
	for (uint32_t i = b.at; i < p->nwords; i++) {
		set_word(&b, p->words[i].w, true);
		declared(&b, p->words[i].w, false);
	}
	return true;
}

static bool run_declare(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	b.exports = (b.seen & bit('x')) != 0;
	if (b.seen & bit('n'))
		cmd_taint(c, "a variable stands for another one");
	if (b.seen & bit('i'))
		cmd_opaque(p, "values of a variable with -i are arithmetic");
	for (uint32_t i = b.at; i < p->nwords; i++) {
		set_word(&b, p->words[i].w, false);
		declared(&b, p->words[i].w, true);
	}
	c->scope->env->arrays |= (b.seen & (bit('a') | bit('A'))) != 0;
	return true;
}

static bool run_unset(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	for (uint32_t i = b.at; i < p->nwords; i++)
		set_word(&b, p->words[i].w, false);
	return true;
}

static bool run_read(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("adinNptu", "a");
	c->scope->env->arrays |= (b.seen & bit('a')) != 0;
	for (uint32_t i = b.at; i < p->nwords; i++)
		set_word(&b, p->words[i].w, false);
	return true;
}

static bool run_mapfile(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("dnOsuCc", "");
	c->scope->env->arrays = true;
	for (uint32_t i = b.at; i < p->nwords; i++)
		set_word(&b, p->words[i].w, false);
	return true;
}

static bool run_getopts(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct cmd_shape s = { .several = false };

	WORDS("", "");
	if (word(&b, b.at))
		cmd_shape(word(&b, b.at), &s);
	if (s.several)
		cmd_opaque(p, any_name);
	if (word(&b, b.at + 1))
		set_word(&b, word(&b, b.at + 1), false);
	return true;
}

static bool run_wait(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("p", "p");
	(void)b;
	return true;
}

/* Sets the variables that a format may set. */
static void set_counted(struct builtin_words *b)
{
	struct cmd_shape s;

	if (!word(b, b->at))
		return;
	cmd_shape(word(b, b->at), &s);
	if (s.literal && !lang_printf_counts(s.p, s.n))
		return;
	for (uint32_t i = b->at + 1; i < b->p->nwords; i++) {
		cmd_shape(b->p->words[i].w, &s);
		if (s.literal)
			cmd_set(b->a, b->c, s.p, s.n);
		else
			cmd_taint(b->c, any_name);
	}
}

/* An unknown word may be the "-v" before a name. */
static bool run_printf(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct sh_word *w;
	struct cmd_shape s;

	WORDS("v", "v");
	w = word(&b, b.at);
	if (!w || !(c->scope->dialects & CMD_IN_BASH))
		return true;
	set_counted(&b);
	cmd_shape(w, &s);
	if (s.open && (s.several || b.at + 1 < p->nwords) && !w->seg.next)
		cmd_opaque(p, any_name);
	return true;
}

/* Digits and operators mean what they say. The value of a name is evaluated again. */
static bool run_let(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct builtin_words b = { .a = a, .c = c, .p = p, .valued = "", .named = "" };

	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;
		bool plain = sh_is_literal(w);

		for (uint32_t k = 0; plain && k < w->seg.n; k++)
			plain = isdigit((unsigned char)w->seg.p[k]) ||
				strchr("+-*/%<>=!&|^~() ", w->seg.p[k]);
		if (plain)
			continue;
		cmd_opaque(p, arithmetic);
		set_word(&b, w, true);
	}
	return true;
}

static bool run_test(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	struct builtin_words b = { .a = a, .c = c, .p = p, .valued = "", .named = "" };

	if (!(c->scope->dialects & CMD_IN_BASH))
		return true;
	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;
		struct cmd_shape s;

		cmd_shape(w, &s);
		/* if it splits into several words, one of them may be any operator */
		if (s.splits && !cmd_is_number(c, w))
			cmd_opaque(p, "a word of test may be several, -v and a subscript among "
				      "them");
		if (!cmd_lit(w, "-v") || i + 1 >= p->nwords)
			continue;
		cmd_shape(p->words[i + 1].w, &s);
		if (!s.literal)
			cmd_opaque(p, "-v and -R evaluate a subscript of the name");
		if (!s.literal || memchr(s.p, '[', s.n))
			set_word(&b, p->words[i + 1].w, true);
	}
	return true;
}

/* --- names of commands --------------------------------------------------------------------------- */

static void define_any(const struct cmd_ctx *c, struct cmd_part *p)
{
	cmd_opaque(p, "a command whose name is not known is defined");
	c->scope->env->names_all = true;
}

static bool run_alias(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	/* zsh's -g and -s expand names anywhere in a command; ksh's -t and -x are older */
	if (b.seen & ~bit('p')) {
		cmd_opaque(p, "aliases that stand anywhere in a command");
		cmd_taint(c, "aliases that stand anywhere in a command");
	}
	for (uint32_t i = b.at; i < p->nwords; i++) {
		struct cmd_alias alias;
		struct cmd_shape s;
		const char *eq;

		cmd_shape(p->words[i].w, &s);
		eq = s.n ? memchr(s.p, '=', s.n) : NULL;
		if (!eq) {
			if (!s.literal)
				define_any(c, p);
			continue;
		}
		if (!cmd_define(a, c, s.p, (size_t)(eq - s.p), NULL))
			return false;
		if (!s.literal)
			cmd_opaque(p, "the text of an alias that is not literal");
		if (!s.literal)
			continue;
		alias = (struct cmd_alias){ .name = s.p, .name_n = (uint32_t)(eq - s.p), .text = eq + 1,
					    .text_n = (uint32_t)(s.n - (size_t)(eq + 1 - s.p)) };
		/* the shell does not expand it in its own text */
		if (!cmd_nested(a, c, p, alias.text, alias.text_n, CMD_CODE_ALIAS,
				c->scope->dialects) ||
		    !cmd_alias_define(a, c, &alias))
			return false;
	}
	return true;
}

/* The operands of `hash` and `enable`. */
static bool define_all(struct builtin_words *b, const struct sh_word *path)
{
	for (uint32_t i = b->at; i < b->p->nwords; i++) {
		const struct sh_word *w = b->p->words[i].w;

		if (!sh_is_literal(w))
			define_any(b->c, b->p);
		else if (!cmd_define(b->a, b->c, w->seg.p, w->seg.n, path))
			return false;
	}
	return true;
}

static bool run_hash(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct sh_word *path = NULL, *w;
	uint32_t i;

	WORDS("p", "");
	for (i = 1; i < b.at; i++) {
		const char *v;

		w = p->words[i].w;
		if (w->seg.n < 2 || w->seg.p[0] != '-')
			continue;
		v = memchr(w->seg.p, 'p', w->seg.n);
		if (v && v + 1 < w->seg.p + w->seg.n)
			path = cmd_literal(a, v + 1, (size_t)(w->seg.p + w->seg.n - v - 1));
		else if (v)
			path = word(&b, i + 1);
	}
	if (path && !sh_is_literal(path))
		cmd_taint(c, "a name of a command stands for a path that is not literal");
	return define_all(&b, path);
}

static bool run_enable(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("f", "");
	if (b.seen & bit('f'))
		cmd_opaque(p, "code that is loaded into the shell");
	return define_all(&b, NULL);
}

/* --- code ---------------------------------------------------------------------------------------- */

static bool run_source(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	WORDS("", "");
	if (word(&b, b.at))
		cmd_script(a, p, word(&b, b.at));
	else if (p->flags & CMD_APPENDS)
		cmd_opaque(p, "a script that is not known");
	return true;
}

/* For an eval whose table does not say that its words are code. */
static bool run_eval(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	(void)a;
	(void)c;
	if (!p->program)
		cmd_opaque(p, "it evaluates its words as code");
	return true;
}

static const struct builtin {
	char name[10];
	uint8_t n;
	bool (*run)(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p);
} builtins[] = {
	{ "cd", 2, run_cd },           { "chdir", 5, run_cd },
	{ "pushd", 5, run_pushd },     { "popd", 4, run_popd },
	{ "shopt", 5, run_shopt },     { "set", 3, run_set },
	{ "export", 6, run_export },   { "readonly", 8, run_export },
	{ "declare", 7, run_declare }, { "typeset", 7, run_declare },
	{ "local", 5, run_declare },   { "unset", 5, run_unset },
	{ "read", 4, run_read },       { "mapfile", 7, run_mapfile },
	{ "readarray", 9, run_mapfile }, { "getopts", 7, run_getopts },
	{ "wait", 4, run_wait },       { "printf", 6, run_printf },
	{ "let", 3, run_let },         { "test", 4, run_test },
	{ "[", 1, run_test },          { "alias", 5, run_alias },
	{ "hash", 4, run_hash },       { "enable", 6, run_enable },
	{ "source", 6, run_source },   { ".", 1, run_source },
	{ "eval", 4, run_eval },       { "trap", 4, run_eval },
};

bool cmd_builtin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	size_t i;

	if (!sh_is_literal(w) || !w->seg.n || w->seg.n > 9)
		return true;
	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (builtins[i].name[0] == w->seg.p[0] && builtins[i].n == w->seg.n &&
		    memcmp(builtins[i].name, w->seg.p, w->seg.n) == 0)
			return builtins[i].run(a, c, p);
	return true;
}
