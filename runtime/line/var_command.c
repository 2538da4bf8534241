/*
 * What one command does to the variables: assignments, and builtins that set names. A
 * builtin that may do more than this file knows makes everything unknown.
 */
#include "runtime/line/lang.h"
#include "runtime/line/shell/production.h"
#include "runtime/line/var_run.h"

/* --- builtins -------------------------------------------------------------- */

enum act {
	A_LOST,    /* it may set anything */
	A_KILL,    /* its operands are names, which get values that are not followed */
	A_EXPORT,  /* NAME=VALUE, or names whose values stay */
	A_DECLARE, /* NAME=VALUE; a name alone may be unset then */
	A_LOCAL,   /* the same, and only in a function */
	A_NUMBER, /* with a wrong operand bash goes on with the next line of the text */
	A_PRINTF,
	A_TEST,

	A_COMMAND,
	A_SET,
	A_TRAP,
	A_READ,
	A_GETOPTS,
	A_WAIT,
	A_NOTHING, /* it sets nothing. Programs set nothing either, but if the line
		    * defines a function with the name of one of these, nothing is known
		    */
};

static const struct known {
	char name[10];
	uint8_t act; /* enum act */
} builtins[] = {
	{ ".", A_LOST },          { "[", A_TEST },          { "alias", A_LOST },
	{ "bind", A_LOST },       { "builtin", A_COMMAND }, { "command", A_COMMAND },
	{ "compgen", A_LOST },    { "complete", A_LOST },   { "compopt", A_LOST },
	{ "declare", A_DECLARE }, { "enable", A_LOST },     { "enum", A_LOST },
	{ "eval", A_LOST },       { "export", A_EXPORT },   { "fc", A_LOST },
	{ "float", A_LOST },      { "getln", A_LOST },      { "getopts", A_GETOPTS },
	{ "history", A_LOST },    { "integer", A_LOST },    { "let", A_LOST },
	{ "local", A_LOCAL },     { "mapfile", A_LOST },    { "nameref", A_LOST },
	{ "print", A_LOST },      { "printf", A_PRINTF },   { "read", A_READ },
	{ "readarray", A_LOST },  { "readonly", A_LOST },   { "set", A_SET },
	{ "setvar", A_LOST },     { "shopt", A_SET },       { "source", A_LOST },
	{ "test", A_TEST },       { "trap", A_TRAP },       { "typeset", A_DECLARE },
	{ "unset", A_KILL },      { "vared", A_LOST },      { "wait", A_WAIT },
	{ "zmodload", A_LOST },   { "exec", A_NOTHING },    { ":", A_NOTHING },
	{ "true", A_NOTHING },    { "break", A_NUMBER },    { "continue", A_NUMBER },
	{ "return", A_NUMBER },   { "exit", A_NUMBER },     { "shift", A_NUMBER },
	{ "ulimit", A_LOST },     { "cd", A_NOTHING },      { "false", A_NOTHING },
};

static enum act act_of(const char *p, size_t n)
{
	for (size_t i = 0; n && i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (builtins[i].name[0] == p[0] && strlen(builtins[i].name) == n &&
		    memcmp(builtins[i].name, p, n) == 0)
			return builtins[i].act;
	return A_NOTHING;
}

static bool is_builtin(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (strlen(builtins[i].name) == n &&
		    memcmp(builtins[i].name, p, n) == 0)
			return true;
	return false;
}

bool var_may_split(const struct sh_cmd *c)
{
	const struct sh_word *w = c->words;

	/* a command that stands in a value as a whole (`$X`) is nobody's habit, and asks */
	return w && sh_is_literal(w) && act_of(w->seg.p, w->seg.n) == A_NOTHING;
}

/* --- words ----------------------------------------------------------------- */

/* One command, and the word that is looked at. */
struct call {
	struct var_run *r;
	const struct sh_cmd *c;
	const struct sh_word *w; /* NULL: no more */
	const char *p;           /* its text; NULL: not known */
	size_t n;
	bool plain; /* the builtin is the first word, as it is */
};

/* Takes the text of the current word. */
static void look(struct call *k)
{
	k->p = NULL;
	k->n = 0;
	if (k->w && !var_text(k->r, k->w, &k->p, &k->n))
		k->p = NULL;
}

static bool next(struct call *k)
{
	if (k->w)
		k->w = k->w->next;
	look(k);
	return k->w != NULL;
}

static bool is(const struct call *k, const char *z)
{
	return k->p && strlen(z) == k->n && memcmp(z, k->p, k->n) == 0;
}

/* Is the word an option? *ret_ends is set for "--". */
static bool is_option(const struct call *k)
{
	return k->p && k->n > 1 && (k->p[0] == '-' || k->p[0] == '+');
}

static bool has(const struct call *k, char c)
{
	return k->p && memchr(k->p, c, k->n);
}

/* Has the word a piece that may become several words? */
static bool splits(const struct sh_word *w)
{
	for (const struct sh_seg *g = &w->seg; g; g = g->next)
		if (g->kind == SH_MULTI || g->kind == SH_GLOB)
			return true;
	return false;
}

/* This holds from now on, in all of the line. */
static void note(struct var_run *r, bool *ret)
{
	r->changed |= !*ret;
	*ret = true;
}

/* --- names ----------------------------------------------------------------- */

/* The operand is a name that gets a value which is not followed. */
static void kill(struct call *k)
{
	if (!k->p)
		var_lost(k->r);
	else if (sh_is_name(k->p, k->n))
		var_kill(k->r, k->p, k->n);
	else if (has(k, '['))
		var_lost(k->r); /* a subscript is arithmetic, which may set variables */
}

/* NAME=VALUE, NAME. `unset`: a name alone may be without a value then. */
static void declared(struct call *k, bool unset)
{
	const struct sh_word *w = k->w;
	const char *p = k->p ? k->p : w->seg.kind == SH_LIT ? w->seg.p : "";
	size_t n = k->p ? k->n : w->seg.kind == SH_LIT ? w->seg.n : 0;
	const char *eq = n ? memchr(p, '=', n) : NULL;
	size_t name_n = eq ? (size_t)(eq - p) : n;

	/* bash splits no assignment behind a plain `export` */
	if (!k->p && (!eq || (splits(w) && (!k->r->sh->bash || !k->plain ||
					    w->flags & SH_W_BRACED)))) {
		var_lost(k->r);
		return;
	}
	if (!sh_is_name(p, name_n)) {
		if (memchr(p, '[', n))
			var_lost(k->r);
		else if (eq && name_n && p[name_n - 1] == '+')
			var_kill(k->r, p, name_n - 1);
		return;
	}
	if (!eq) {
		if (unset)
			var_kill(k->r, p, name_n);
		return;
	}
	if (w->flags & SH_W_ARRAY) {
		note(k->r, &k->r->arrays);
		var_kill(k->r, p, name_n);
		return;
	}
	/* bash reads the value of an array as the words of a list, which runs code */
	if (k->r->arrays && (!k->p || (name_n + 1 < n && p[name_n + 1] == '(')))
		var_lost(k->r);
	else
		var_assign(k->r, p, name_n,
			   k->p ? var_value(k->r, p, name_n, w, name_n + 1)
				: VAR_UNKNOWN,
			   false);
}

static void declare(struct call *k, bool unset, bool kills)
{
	bool odd = kills;

	for (; k->w && is_option(k); next(k)) {
		if (SHELL_OFF(VAR_DECLARE))
			continue;
		if (has(k, 'f') || has(k, 'F'))
			note(k->r, &k->r->exported);
		if (has(k, 'a') || has(k, 'A'))
			note(k->r, &k->r->arrays);
		/* later values are arithmetic, or those of another variable */
		if (has(k, 'i') || has(k, 'n') || has(k, 'r'))
			var_lost(k->r);
		odd |= k->n > 1 && !is(k, "--") && !is(k, "-x") && !is(k, "-p");
	}
	for (; k->w; next(k)) {
		const char *eq = k->p ? memchr(k->p, '=', k->n) : NULL;

		declared(k, unset || odd);
		if (odd && eq)
			var_kill(k->r, k->p, (size_t)(eq - k->p));
		else if (odd && !k->p && k->w->seg.kind == SH_LIT &&
			 (eq = memchr(k->w->seg.p, '=', k->w->seg.n)))
			var_kill(k->r, k->w->seg.p, (size_t)(eq - k->w->seg.p));
	}
}

/* --- single builtins ------------------------------------------------------- */

static void run_printf(struct call *k)
{
	if (is(k, "--"))
		next(k);
	else if (k->p && k->n > 1 && k->p[0] == '-' && k->p[1] == 'v') {
		k->p += 2;
		k->n -= 2;
		if (!k->n)
			next(k);
		kill(k);
		return;
	}
	if (k->w && (!k->p || lang_printf_counts(k->p, k->n)))
		var_lost(k->r);
}

/* `-v NAME[…]` evaluates the subscript, and an unknown word may be a `-v`. */
static void run_test(struct call *k)
{
	for (; k->w; next(k)) {
		const struct sh_word *then = k->w->next;

		if (!k->p && var_is_operand(k->r, k->w))
			continue;
		if (!k->p && splits(k->w))
			var_lost(k->r);
		if (!(k->p ? is(k, "-v") || is(k, "-R") : k->w->seg.kind != SH_LIT) ||
		    !then)
			continue;
		if (!sh_is_literal(then) ||
		    (then->seg.n > 1 && memchr(then->seg.p, '[', then->seg.n)))
			var_lost(k->r);
	}
}

/* Options: with -a other shells get the functions. */
static void run_set(struct call *k)
{
	bool value = false; /* of the option before it */
	const struct sh_word *w;

	for (w = k->w; w; w = w->next) {
		size_t n = sh_is_literal(w) ? w->seg.n : 0;

		if (!value && (n < 2 || !strchr("-+", w->seg.p[0]) || w->seg.p[1] == '-'))
			var_kill_positional(k->r);
		value = !value && n && w->seg.p[n - 1] == 'o';
	}
	for (; k->w && !is(k, "--"); next(k))
		if (is(k, "failglob"))
			var_lost(k->r);
		else if (!k->p || (is_option(k) && has(k, 'a')) || is(k, "allexport"))
			note(k->r, &k->r->exported);
}

/* Nothing of the line runs after the trap of its exit. (In ksh it may belong to a
 * function.) */
static void run_trap(struct call *k)
{
	if (is(k, "--"))
		next(k);
	if (!k->w || is(k, "-") || (k->p && !k->n))
		return;
	for (next(k); k->w; next(k))
		if ((!is(k, "EXIT") && !is(k, "0")) || k->c->func)
			var_lost(k->r);
}

static void run_read(struct call *k)
{
	for (; k->w; next(k)) {
		if (is_option(k) && has(k, 'a'))
			note(k->r, &k->r->arrays);
		kill(k);
	}
}

static void run_getopts(struct call *k)
{
	if (!k->p && k->w)
		var_lost(k->r);
	if (next(k))
		kill(k);
}

static void run_number(struct call *k)
{
	for (size_t i = 0; k->w && (!k->p || i < k->n); i++)
		if (!k->p || k->p[i] < '0' || k->p[i] > '9' || i > 6) {
			var_lost(k->r);
			return;
		}
	if (k->w && next(k))
		var_lost(k->r);
}

static void run_wait(struct call *k)
{
	for (; k->w; next(k))
		if (!k->p || (is_option(k) && has(k, 'p')))
			var_lost(k->r);
}

/* --- commands -------------------------------------------------------------- */

static void call(struct call *k);

/* The command after `command` and `builtin`. */
static void run_command(struct call *k)
{
	for (; is_option(k); next(k)) {
		if (is(k, "-v") || is(k, "-V"))
			return;
		if (!is(k, "-p") && !is(k, "--")) {
			var_lost(k->r);
			return;
		}
	}
	if (k->w)
		call(k);
}

/* The command that begins at the current word. */
static void call(struct call *k)
{
	enum act act;

	/* dash has no `builtin`: nothing behind it is run */
	if (!k->p || (is(k, "builtin") && !k->r->sh->bash)) {
		var_lost(k->r);
		return;
	}
	act = act_of(k->p, k->n);
	if (is(k, "shift"))
		var_kill_positional(k->r);
	k->plain = k->w == k->c->words && !(k->w->flags & SH_W_QUOTED) &&
		   !k->w->seg.next && k->w->to - k->w->from == k->n && !k->c->assigns;
	next(k);
	switch (act) {
	case A_LOST:
		var_lost(k->r);
		break;
	case A_KILL:
		declare(k, true, true);
		break;
	case A_EXPORT:
		declare(k, false, false);
		break;
	case A_DECLARE:
		/* dash does not have it: the variable stays what it was */
		declare(k, true, !k->r->sh->bash);
		break;
	case A_LOCAL:
		/* elsewhere it fails, and sets nothing */
		declare(k, true, !k->c->func && !SHELL_OFF(VAR_LOCAL));
		break;
	case A_NUMBER:
		run_number(k);
		break;
	case A_PRINTF:
		run_printf(k);
		break;
	case A_TEST:
		run_test(k);
		break;
	case A_COMMAND:
		run_command(k);
		break;
	case A_SET:
		run_set(k);
		break;
	case A_TRAP:
		run_trap(k);
		break;
	case A_READ:
		run_read(k);
		break;
	case A_GETOPTS:
		run_getopts(k);
		break;
	case A_WAIT:
		run_wait(k);
		break;
	case A_NOTHING:
		break;
	}
}

void var_command(struct var_run *r, const struct sh_cmd *c)
{
	struct call k = { .r = r, .c = c, .w = c->words };
	const struct sh_assign *a;

	if (c->kind != SH_COMMAND)
		return;
	for (a = c->assigns; a; a = a->next)
		if (a->value && !a->append && !a->subscript && !a->array)
			var_assign(r, a->name, a->name_n,
				   var_value(r, a->name, a->name_n, a->value, 0),
				   c->words != NULL);
	if (!k.w)
		return;
	look(&k);
	call(&k);
}

/* --- the whole line -------------------------------------------------------- */

/* `IFS= read x`: holds for this command only. */
static bool is_own(const struct sh_cmd *c, const struct sh_assign *a)
{
	return c->words && sh_is_literal(c->words) && c->words->seg.n == 4 &&
	       memcmp(c->words->seg.p, "read", 4) == 0 && a->name_n == 3 &&
	       memcmp(a->name, "IFS", 3) == 0;
}

void var_scan(struct var_run *r)
{
	const struct sh_cmd *c;
	const struct sh_assign *a;
	const struct sh_redir *d;

	for (c = r->sh->first; c && !r->lost; c = c->next) {
		r->lost |= c->evaluates_more;
		/* its own function runs in place of the builtin */
		r->lost |= c->kind == SH_FUNCTION && is_builtin(c->name, c->name_n) &&
			   !SHELL_OFF(VAR_SHADOW);
		/* a function has its own */
		if (c->kind == SH_FUNCTION)
			var_kill_positional(r);
		for (d = c->redirs; d; d = d->next)
			if (d->var)
				var_kill(r, d->var, d->var_n);
		for (a = c->assigns; a; a = a->next) {
			if (c->kind == SH_SET && SHELL_OFF(VAR_DEFAULT))
				continue;
			if (!a->value || a->append || a->subscript || a->array)
				var_kill(r, a->name, a->name_n);
			else if (!is_own(c, a))
				var_name_set(r, a->name, a->name_n);
			r->lost |= a->subscript; /* it may be wrong */
			r->arrays |= a->array;
		}
	}
}
