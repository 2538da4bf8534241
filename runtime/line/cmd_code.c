/*
 * Code that a command is given. The literal code of shells, and of wrappers whose code is
 * shell text, is read like a line; a script is a file.
 */
#include "runtime/line/cmd_clear.h"
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_script.h"
#include "runtime/line/cmd_text.h"
#include "runtime/line/var.h"

static const char not_literal[] = "a shell's code that is not literal";
static const char foreign[] = "text that this shell may read in another way than bash does";
static const char from_stdin[] = "a shell's code from its standard input";
static const char eaten[] = "commands in a shell's input may read or change what follows";

/* --- is the reading in two dialects the same? --------------------------------------------- */

static bool same_words(const struct sh_word *a, const struct sh_word *b)
{
	for (; a && b; a = a->next, b = b->next) {
		const struct sh_seg *g = &a->seg, *h = &b->seg;

		if ((a->flags ^ b->flags) & (SH_W_LOCALE | SH_W_QUOTED))
			return false;
		for (; g && h; g = g->next, h = h->next)
			if (g->kind != h->kind || g->n != h->n || g->values || h->values ||
			    (g->n && memcmp(g->p, h->p, g->n) != 0))
				return false;
		if (g || h)
			return false;
	}
	return !a && !b;
}

static bool same_name(const char *p, uint32_t n, const char *q, uint32_t k)
{
	return n == k && (!n || memcmp(p, q, n) == 0);
}

static bool same_assigns(const struct sh_assign *a, const struct sh_assign *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!same_name(a->name, a->name_n, b->name, b->name_n))
			return false;
	return !a && !b;
}

static bool same_redirs(const struct sh_redir *a, const struct sh_redir *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->op != b->op || a->fd != b->fd || !same_words(a->target, b->target) ||
		    !same_words(a->body, b->body) ||
		    !same_name(a->var, a->var_n, b->var, b->var_n))
			return false;
	return !a && !b;
}

static bool same_text(const struct sh *x, const struct sh *y)
{
	const struct sh_cmd *a = x->first, *b = y->first;

	if (x->status != y->status || x->ncmds != y->ncmds)
		return false;
	for (; a && b; a = a->next, b = b->next)
		if (a->kind != b->kind || a->marks != b->marks || a->nwords != b->nwords ||
		    !a->func != !b->func || !same_name(a->name, a->name_n, b->name, b->name_n) ||
		    !same_words(a->words, b->words) || !same_assigns(a->assigns, b->assigns) ||
		    !same_redirs(a->redirs, b->redirs))
			return false;
	return true;
}

/* --- nested text ---------------------------------------------------------------------------- */

static bool parse(struct cmd_an *a, struct sh *ret, const char *text, size_t n,
		  unsigned dialect)
{
	if (!cmd_work(a, n + 32))
		return false;
	sh_parse(ret, a->mem, (size_t)(a->mem_end - a->mem), text, n,
		 dialect == CMD_IN_POSIX ? SH_POSIX : SH_BASH);
	if (ret->status != SH_LIMIT) {
		a->mem += ret->used;
		return true;
	}
	a->ret->memory_short |= ret->memory_short && !a->ret->limit;
	return cmd_limit(a, ret->why);
}

/* Lists all that the text runs, in its environment. */
static bool read_text(struct cmd_an *a, struct cmd_scope *s, const struct sh *sh)
{
	struct cmd_proc *outer = s->env, own;
	bool ok;

	if (sh->status == SH_UNPARSED && !s->guess) {
		struct cmd_ctx c = { .scope = s, .outer = s->outer, .from = s->from,
				     .to = s->to, .anytime = s->anytime,
				     .remote = s->remote,
				     .alternative = s->alternative,
				     .beside = s->beside, .pipe = s->pipe };
		struct cmd_part *p = cmd_part_new(a, &c, CMD_UNPARSED);

		if (!p)
			return false;
		cmd_opaque(p, sh->why);
	}
	if (!s->process)
		return cmd_scope(a, s, sh);
	own = *outer;
	own.first = a->tail;
	own.defined |= own.names || own.names_all;
	own.began = own.dirs;
	own.names = NULL;
	own.aliases = NULL;
	own.late = false;
	own.taint_all = own.exported_all = own.names_all = own.hashed = false;
	own.allexport |= s->allexport;
	s->env = &own;
	ok = cmd_scope(a, s, sh);
	if (ok)
		cmd_proc_end(&own);
	s->env = outer;
	return ok;
}

static bool own_process(enum cmd_code how)
{
	return how == CMD_CODE_SHELL || how == CMD_CODE_INPUT;
}

/*
 * May the text's own assignments be followed? Only in a process of its own, of a shell
 * that is known to do it like bash and dash, and if no function of this line can reach
 * it (`export -f`).
 */
static bool may_follow(const struct cmd_ctx *c, const struct cmd_part *part,
		       enum cmd_code how)
{
	const struct cmd_proc *e = c->scope->env;

	return own_process(how) && !c->guess && !c->opaque && !c->no_allow && !c->assigned && !c->anytime &&
	       !e->names && !e->names_all && !e->taint && !e->defined && cmd_plain_shell(part);
}

#define MAX_GIVEN 10 /* $0 to $9 */

/* The words after a shell's text, as long as they are known: its $0, $1 … */
static uint32_t given_after(const struct cmd_part *part, const char *text, struct sh_text *ret)
{
	uint32_t i = 1, n;

	while (i < part->nwords && part->words[i].w->seg.p != text)
		i++;
	for (n = 0, i++; n < MAX_GIVEN && i < part->nwords; n++, i++) {
		const struct sh_word *w = part->words[i].w;

		if (!sh_is_literal(w) || w->flags & SH_W_LOCALE)
			break;
		ret[n] = (struct sh_text){ w->seg.p, w->seg.n };
	}
	return n;
}

bool cmd_nested(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *part,
		const char *text, size_t n, enum cmd_code how, unsigned dialects)
{
	bool shell = part->program && (part->program->flags & LINE_PF_SHELL) &&
		     how != CMD_CODE_EXPANDED;
	struct cmd_scope s = {
		.env = c->scope->env, .outer = part, .text = text, .text_n = n,
		.shell = shell ? part : c->scope->shell,
		.remote = c->remote,
		.process = own_process(how),
		.no_allow = c->no_allow, .opaque = c->opaque,
		.from = part->from, .to = part->to, .depth = c->depth + 1,
		.dialects = dialects,
		.anytime = c->anytime || how == CMD_CODE_TRAP || how == CMD_CODE_ALIAS,
		.alternative = c->alternative, .appends = how == CMD_CODE_ALIAS,
		.moved = c->moved, .assigned = c->assigned, .allexport = c->allexport,
		.guess = c->guess || (how == CMD_CODE_EXPANDED && c->scope->guess),
		.beside = c->beside, .pipe = c->pipe,
	};
	unsigned first = dialects & CMD_IN_BASH ? CMD_IN_BASH : CMD_IN_POSIX;
	bool follow = may_follow(c, part, how);
	struct sh_text given[MAX_GIVEN];
	struct var_around around = { .given = given };
	struct sh sh, other;
	char *mem;

	/* the shell reads it when it runs, and expands the aliases that it has then */
	s.env->late |= s.anytime && how != CMD_CODE_ALIAS && how != CMD_CODE_EXPANDED && !s.process;
	if (s.depth > SH_MAX_DEPTH)
		return cmd_limit(a, "the line nests too deep");
	if (!parse(a, &sh, text, n, first))
		return false;
	if (own_process(how) && shell && cmd_is_foreign(a->facts, part, text, n))
		cmd_opaque(part, foreign);
	if (how == CMD_CODE_INPUT && !cmd_keeps_input(&sh, text, n))
		cmd_opaque(part, eaten);
	else if (own_process(how) && !c->guess && cmd_clear_shell(a->facts, part, text, n))
		part->flags |= CMD_TRANSPARENT;
	if (follow && how == CMD_CODE_SHELL)
		around.ngiven = given_after(part, text, given);
	if (follow)
		var_follow(&sh, &a->mem, a->mem_end, n, &around);
	if (dialects == first)
		return read_text(a, &s, &sh);
	mem = a->mem;
	if (!parse(a, &other, text, n, CMD_IN_POSIX))
		return false;
	if (how == CMD_CODE_INPUT && !cmd_keeps_input(&other, text, n))
		cmd_opaque(part, eaten);
	if (follow)
		var_follow(&other, &a->mem, a->mem_end, n, &around);
	if (same_text(&sh, &other)) {
		a->mem = mem;
		return read_text(a, &s, &sh);
	}
	s.dialects = CMD_IN_BASH;
	if (!read_text(a, &s, &sh))
		return false;
	s.dialects = CMD_IN_POSIX;
	s.alternative = true;
	return read_text(a, &s, &other);
}

/* --- a shell's words --------------------------------------------------------------------------- */

static unsigned shell_dialects(const struct cmd_part *p)
{
	const char *base;
	size_t n;

	if (cmd_base(p->words[0].w, &base, &n)) {
		if (n == 4 && memcmp(base, "bash", 4) == 0)
			return CMD_IN_BASH;
		if (n == 4 && memcmp(base, "dash", 4) == 0)
			return CMD_IN_POSIX;
	}
	return CMD_IN_BASH | CMD_IN_POSIX;
}

struct shell_words {
	struct cmd_an *a;
	struct cmd_part *p;
	uint32_t at;     /* the first operand, or nwords */
	bool code;       /* -c */
	bool read_stdin; /* -s */
	bool allexport;  /* -a, -o allexport */
	bool nothing;    /* --version */
	bool unknown;    /* unknown words stand before it */
	bool strange;    /* nobody knows the current option */
	struct cmd_fork **forks;
};

/* Bash also takes its long options with one dash. */
static bool is_bash_option(const struct sh_word *w)
{
	static const char *const names[] = {
		"-debug", "-debugger", "-dump-po-strings", "-dump-strings", "-help",
		"-init-file", "-login", "-noediting", "-noprofile", "-norc", "-posix",
		"-pretty-print", "-protected", "-rcfile", "-restricted", "-verbose",
		"-version", "-wordexp",
	};
	size_t n = w->seg.n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cmd_lit(w, names[i]) ||
		    (n == strlen(names[i]) + 1 && w->seg.p[0] == '-' &&
		     memcmp(w->seg.p + 1, names[i], n - 1) == 0))
			return true;
	return false;
}

static bool is_long(const struct sh_word *w)
{
	return (w->seg.n > 1 && w->seg.p[0] == '-' && w->seg.p[1] == '-') || is_bash_option(w);
}

/* Is the word "--NAME" or "-NAME"? */
static bool is_option(const struct sh_word *w, const char *name)
{
	return cmd_lit(w, name) || cmd_lit(w, name + 1);
}

/* A startup file: it runs like a script. */
static bool long_option(struct shell_words *s, const struct sh_word *w)
{
	const struct line_option *o =
		cmd_known(s->a->facts, s->p->program, w->seg.p, w->seg.n);

	if (is_option(w, "--rcfile") || is_option(w, "--init-file")) {
		if (s->at + 1 < s->p->nwords)
			cmd_script(s->a, s->p, s->p->words[s->at + 1].w);
		return true;
	}
	s->nothing |= is_option(w, "--version") || is_option(w, "--help");
	s->strange = !o && !is_bash_option(w) && !memchr(w->seg.p, '=', w->seg.n);
	return o && o->takes == LINE_TAKES_VALUE;
}

/* Does this letter take a value? No table has the letters of `set`, which every shell
 * takes. */
static bool letter(struct shell_words *s, char c)
{
	const char name[2] = { '-', c };
	const struct line_option *o = cmd_known(s->a->facts, s->p->program, name, 2);

	s->code |= c == 'c';
	s->read_stdin |= c == 's';
	s->allexport |= c == 'a';
	/* zsh's -O is a flag */
	if (c == 'o' || c == 'O' || c == 'c')
		return c != 'c' && !(o && o->takes == LINE_TAKES_NOTHING);
	s->strange |= !c || (!o && !strchr("abefhiklmnprstuvxBCDEHIPT", c));
	return o && o->takes == LINE_TAKES_VALUE;
}

/* How many of the next words belong to "-eo", "+O", "--rcfile". */
static uint32_t option_values(struct shell_words *s, const struct sh_word *w)
{
	uint32_t n = 0;

	s->strange = false;
	if (is_long(w))
		return long_option(s, w);
	/* "+c" and "+s" mean "-c" and "-s" */
	for (uint32_t i = 1; i < w->seg.n; i++)
		n += letter(s, w->seg.p[i]);
	return n;
}

/* The option before this word may or may not take it as its value. false: a limit was
 * exceeded. */
static bool strange_value(struct shell_words *s)
{
	uint32_t word = s->at + 1;
	struct cmd_fork *f;

	if (word >= s->p->nwords || s->p->words[word].as == CMD_AS_OPERAND)
		return true;
	if (s->p->words[word].as == CMD_AS_VALUE) {
		s->at++;
		return true;
	}
	f = cmd_alloc(s->a, sizeof(*f));
	if (!f)
		return false;
	*f = (struct cmd_fork){ .word = word };
	*s->forks = f;
	s->forks = &f->next;
	return true;
}

static bool shell_words(struct shell_words *s)
{
	for (s->at = 1; s->at < s->p->nwords; s->at++) {
		const struct sh_word *w = s->p->words[s->at].w;
		struct cmd_shape h;
		uint32_t n;

		cmd_shape(w, &h);
		if (!h.literal) {
			if (!h.open && !h.splits && h.p[0] != '-' && h.p[0] != '+')
				return true;
			s->unknown = true;
			continue;
		}
		if (!h.n || (h.p[0] != '-' && h.p[0] != '+'))
			return true;
		if (cmd_lit(w, "--") || cmd_lit(w, "-")) {
			s->at++;
			return true;
		}
		if (h.n == 1)
			return true;
		for (n = option_values(s, w); n && s->at + 1 < s->p->nwords; n--) {
			s->at++;
			cmd_shape(s->p->words[s->at].w, &h);
			s->unknown |= h.several;
			s->allexport |= !h.literal ||
					cmd_lit(s->p->words[s->at].w, "allexport");
		}
		if (s->strange && !strange_value(s))
			return false;
	}
	if (s->at > s->p->nwords)
		s->at = s->p->nwords;
	return true;
}

/* Code of which only some pieces are known. */
static bool guessed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		    uint32_t word)
{
	struct cmd_ctx in = *c;
	bool literal;
	size_t n;
	char *s = cmd_guess(a, &(struct cmd_joint){ .words = p->words + word, .count = 1 },
			    &n, &literal);

	in.guess = in.alternative = true;
	return s && cmd_nested(a, &in, p, s, n, CMD_CODE_SHELL, shell_dialects(p));
}

bool cmd_shell(struct cmd_an *a, const struct cmd_ctx *outer, struct cmd_part *p,
	       struct cmd_read *r)
{
	struct cmd_ctx own = *outer, *c = &own;
	struct shell_words s = { .a = a, .p = p, .forks = &r->forks };
	const struct sh_word *w;

	if (!shell_words(&s))
		return false;
	if (s.unknown) {
		cmd_opaque(p, s.code ? not_literal : "a shell whose options are not known");
		p->flags |= CMD_LOST;
	}
	own.allexport = s.allexport || s.unknown;
	if (s.nothing)
		return true;
	w = s.at < p->nwords ? p->words[s.at].w : NULL;
	/* dash runs both */
	if (s.code && s.read_stdin && shell_dialects(p) & CMD_IN_POSIX &&
	    !cmd_stdin(a, c, p, shell_dialects(p)))
		return false;
	if (s.code) {
		if (w && sh_is_literal(w))
			return cmd_nested(a, c, p, w->seg.p, w->seg.n, CMD_CODE_SHELL,
					  shell_dialects(p));
		if (w || c->appends)
			cmd_opaque(p, not_literal);
		return !w || guessed(a, c, p, s.at);
	}
	if (w && !s.read_stdin) {
		cmd_script(a, p, w);
		return cmd_as_program(a, c, p, s.at);
	}
	if (s.unknown)
		return true;
	return cmd_stdin(a, c, p, shell_dialects(p));
}

bool cmd_stdin(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p, unsigned dialects)
{
	const struct sh_redir *r = c->cmd ? c->cmd->redirs : NULL, *in = NULL;
	const struct sh_word *w = NULL;

	for (; r; r = r->next) {
		bool less = r->op != SH_R_OUT && r->op != SH_R_APPEND &&
			    r->op != SH_R_CLOBBER && r->op != SH_R_BOTH &&
			    r->op != SH_R_BOTH_APPEND && r->op != SH_R_DUP_OUT;

		if (!r->var && (r->fd == 0 || (r->fd < 0 && less)))
			in = r;
	}
	if (in && in->op == SH_R_HERESTRING)
		w = in->target;
	else if (in && in->op == SH_R_HEREDOC)
		w = in->body;
	if (w && sh_is_literal(w) && (c->untranslated || !(w->flags & SH_W_LOCALE)) &&
	    !c->stdin_taken && !c->appends)
		return cmd_nested(a, c, p, w->seg.p, w->seg.n, CMD_CODE_INPUT, dialects);
	cmd_opaque(p, from_stdin);
	return true;
}
