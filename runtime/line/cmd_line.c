/*
 * From a line to its parts: every simple command in the shell's grammar, and all that its
 * words make it run.
 */
#include "runtime/line/cmd_change.h"
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_files.h"
#include "runtime/line/cmd_made.h"
#include "runtime/line/cmd_number.h"
#include "runtime/line/cmd_options.h"
#include "runtime/line/cmd_redir.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_script.h"
#include "runtime/line/cmd_text.h"
#include "runtime/line/cmd_values.h"
#include "runtime/line/var.h"

/* How many bytes and words may be read again. */
#define CMD_WORK(n) (64 * 1024 + 3 * (uint64_t)(n))

static const char code_why[] = "code of another language stands in it";
static const char code_stdin[] = "code of another language comes from its standard input";

size_t cmd_block_size(size_t n)
{
	/* parts, words and options of the line, and of the text nested in it */
	return sh_block_size(n) + 1024 * 1024 + 1024 * n;
}

/* --- one command -------------------------------------------------------------------- */

static void take_program(const struct cmd_an *a, struct cmd_part *p)
{
	const struct line_program *t, *called;
	bool by_pattern;
	const char *base;
	size_t n;

	if (!cmd_base(p->words[0].w, &base, &n))
		return;
	t = cmd_program_called(a->facts, base, n, &called, &by_pattern);
	if (called && (by_pattern || called->also.count)) {
		cmd_node(p)->called = called;
		cmd_node(p)->by_pattern = by_pattern;
	}
	p->program = cmd_take_table(p, t);
	/* a pattern may be wrong about a name: then the words may spell a command */
	if (p->program && !by_pattern)
		p->flags |= CMD_TABLED;
}

/* `hash -p PATH NAME`: the command is judged as PATH as well. */
static bool stand_in(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	const struct cmd_proc *e = c->scope->env;
	struct cmd_ctx as = *c;
	struct cmd_name **list, *d;
	struct cmd_word *words;

	if (!e->hashed || c->stood_in || !sh_is_literal(w))
		return true;
	list = cmd_names(e, w->seg.p, w->seg.n);
	as.stood_in = as.alternative = true;
	for (d = list ? *list : NULL; d; d = d->next) {
		if (!d->path || d->n != w->seg.n || memcmp(d->p, w->seg.p, d->n) != 0)
			continue;
		words = cmd_alloc(a, sizeof(*words) * p->nwords);
		if (!words || !cmd_work(a, p->nwords + 16))
			return false;
		memcpy(words, p->words, sizeof(*words) * p->nwords);
		words[0].w = d->path;
		if (!cmd_run(a, &as, words, p->nwords))
			return false;
	}
	return true;
}

/* A program named by its path may be a script that somebody has just made. */
static void run_path(struct cmd_an *a, struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	const struct sh_seg *g;
	bool slash = w->seg.kind == SH_HOME;

	for (g = &w->seg; g; g = g->next)
		slash |= g->kind == SH_LIT && memchr(g->p, '/', g->n);
	if (!slash || (sh_is_literal(w) && cmd_trusted_place(w->seg.p, w->seg.n)))
		return;
	if (sh_is_literal(w) || w->seg.kind == SH_HOME)
		cmd_script(a, p, w);
}

/* Does a redirection say what the command reads? */
static bool has_own_input(const struct cmd_ctx *c)
{
	const struct sh_redir *r;

	if (!c->cmd)
		return false;
	for (r = c->cmd->redirs; r; r = r->next) {
		bool out = r->op == SH_R_OUT || r->op == SH_R_APPEND ||
			   r->op == SH_R_CLOBBER || r->op == SH_R_BOTH ||
			   r->op == SH_R_BOTH_APPEND || r->op == SH_R_DUP_OUT;

		if (!r->var && (r->fd == 0 || (r->fd < 0 && !out)))
			return true;
	}
	return false;
}

/* Does the line itself say what the command reads? */
static bool has_input(const struct cmd_ctx *c)
{
	return has_own_input(c) || (c->cmd && (c->cmd->marks & SH_READS_PIPE));
}

static void code_from_input(struct cmd_part *p)
{
	p->flags |= CMD_OPAQUE_CODE;
	if (!p->opaque)
		p->opaque = code_stdin;
}

/*
 * The script of an interpreter that is not a shell, or its standard input. The operands
 * of a mere program are not scripts (`sqlite3 FILE`, `at TIME`): what the line feeds to
 * it is code whatever the operands are.
 */
static bool interpreted(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
			const struct cmd_read *r)
{
	const struct cmd_option *o;

	if (!(p->program->kinds & LINE_PK_INTERPRETER) ||
	    (p->program->flags & LINE_PF_AWAY)) {
		if ((p->program->flags & LINE_PF_CODE_STDIN) &&
		    !(p->program->kinds & LINE_PK_WRAPPER) && has_input(c))
			code_from_input(p);
		return true;
	}
	if (p->program->flags & LINE_PF_SHELL)
		return true;
	if (r->no_operand && !r->code && (p->program->flags & LINE_PF_CODE_STDIN)) {
		/* `python3 --version` reads nothing */
		if (p->nwords == 1 || c->appends ||
		    (c->cmd && (c->cmd->redirs || (c->cmd->marks & SH_IN_PIPE))) ||
		    !(p->options && p->options->sure))
			code_from_input(p);
	}
	/* `awk -f FILE` */
	for (o = p->options; o; o = o->next)
		if (o->known && o->value_word &&
		    (cmd_is_named(o, "-f") || cmd_is_named(o, "--file")))
			cmd_script(a, p, p->words[o->value_word].w);
	/* otherwise its operands are code, not a script */
	if (p->program->codes.count)
		return true;
	if (r->operand && cmd_lit(p->words[r->operand].w, "-"))
		code_from_input(p);
	else if (r->operand)
		cmd_script(a, p, p->words[r->operand].w);
	else if (!r->no_operand)
		cmd_opaque(p, "a script that is not known");
	if (!cmd_module(a, c, p))
		return false;
	/* the script is a program to rules */
	return !r->operand || r->code || cmd_as_program(a, c, p, r->operand);
}

bool cmd_run(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words, uint32_t n)
{
	struct cmd_part *p = cmd_part_new(a, c, CMD_COMMAND);
	struct cmd_read r;

	if (!p)
		return false;
	p->words = words;
	p->nwords = n;
	take_program(a, p);
	cmd_node(p)->input = has_input(c);
	cmd_node(p)->own_input = has_own_input(c);
	if (!cmd_options(a, p, &r) || !cmd_move(a, p))
		return false;
	run_path(a, p);
	if (!cmd_unasked(a, p) || (p->program && !cmd_files(a, p, cmd_node(p)->input)))
		return false;
	if (p->program) {
		if (p->program->kinds & LINE_PK_INTERPRETER)
			p->flags |= CMD_INTERPRETER;
		if (!interpreted(a, c, p, &r))
			return false;
		if ((p->flags & CMD_APPENDS) && !(p->program->kinds & LINE_PK_WRAPPER) &&
		    p->program->codes.count && !r.code) {
			r.code = true;
			r.guess = "a word that follows may be code of another language";
		}
		if ((p->program->flags & LINE_PF_AWAY) && !r.query) {
			r.code = true;
			r.guess = cmd_remote_why(a, p);
		}
		if (r.code && !(p->program->flags & LINE_PF_SHELL))
			p->flags |= CMD_OPAQUE_CODE;
		if ((p->flags & CMD_OPAQUE_CODE) && !p->opaque)
			p->opaque = r.guess ? r.guess : code_why;
		cmd_node(p)->begin = p->program->kinds & LINE_PK_WRAPPER && !r.lost ?
					    r.begin : 0;
		if ((p->program->kinds & LINE_PK_WRAPPER) && !cmd_wrapper(a, c, p, &r))
			return false;
		if ((p->program->flags & LINE_PF_SHELL) && !cmd_shell(a, c, p, &r))
			return false;
	}
	cmd_may_write(p);
	return cmd_builtin(a, c, p) && stand_in(a, c, p) && cmd_renamed(a, c, p, &r) &&
	       cmd_forked(a, c, p, &r);
}

/* --- what stands before a command -------------------------------------------------------- */

/* Some text is evaluated a second time, outside of any command. */
static bool evaluated(struct cmd_an *a, const struct cmd_ctx *c, const char *why)
{
	struct cmd_part *p = cmd_part_new(a, c, CMD_UNPARSED);

	if (!p)
		return false;
	p->flags |= CMD_EVALUATED;
	cmd_opaque(p, why);
	return true;
}

/* Assignments without a command. */
static bool assignments(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_cmd *cmd)
{
	const char *why = cmd->marks & SH_EVALUATES ? cmd->evaluates : NULL;
	const struct sh_assign *s;
	const struct sh_seg *value;

	for (s = cmd->assigns; s; s = s->next) {
		cmd_set(a, c, s->name, s->name_n);
		c->scope->env->arrays |= s->array;
		value = s->value && sh_is_literal(s->value) ? &s->value->seg : NULL;
		if (!why && !cmd_may_have(s->name, s->name_n,
				  value && value->n ? value->p : value ? "" : NULL,
				  value ? value->n : 0))
			why = CMD_NUMBER;
	}
	return !why || evaluated(a, c, why);
}

/* `IFS= read x`: only splits what is read, and affects nothing else. */
static bool is_own(const struct sh_cmd *cmd, const struct sh_assign *s)
{
	return s->name_n == 3 && memcmp(s->name, "IFS", 3) == 0 &&
	       (cmd_lit(cmd->words, "read") || cmd_lit(cmd->words, "mapfile") ||
		cmd_lit(cmd->words, "readarray"));
}

static bool has_locale(const struct sh_word *w, uint32_t n)
{
	for (; w && n; w = w->next, n--)
		if (w->flags & SH_W_LOCALE)
			return true;
	return false;
}

/*
 * A message catalogue may translate $"…", though nearly always the text stays as written.
 * So an allow rule must not take it as written, and a deny or ask rule has to.
 */
static bool untranslated(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_cmd *cmd)
{
	bool locale = has_locale(cmd->words, cmd->nwords);
	const struct sh_redir *r;
	struct cmd_ctx as = *c;
	struct cmd_word *words;

	for (r = cmd->redirs; r; r = r->next)
		locale |= has_locale(r->target, 1) || has_locale(r->body, 1);
	if (!locale)
		return true;
	as.alternative = as.untranslated = true;
	return cmd_work(a, cmd->nwords + 16u) &&
	       cmd_take_words(a, c->scope->env, cmd->words, cmd->nwords, true, &words) &&
	       cmd_run(a, &as, words, cmd->nwords);
}

static bool command(struct cmd_an *a, struct cmd_ctx *c, const struct sh_cmd *cmd)
{
	struct cmd_part **at = a->tail;
	const struct sh_assign *s;
	struct cmd_word *words;

	if (!cmd->words)
		return assignments(a, c, cmd);
	for (s = cmd->assigns; s; s = s->next)
		if (!is_own(cmd, s))
			cmd_before(a, c, s->name, s->name_n);
	/* if the text is a guess, unknown words tell no more than the part of its shell
	 * does */
	if (c->scope->guess && !sh_is_literal(cmd->words))
		return true;
	if (!cmd_take_words(a, c->scope->env, cmd->words, cmd->nwords, false, &words) ||
	    !cmd_number_words(a, c, words, cmd->nwords) ||
	    !cmd_run(a, c, words, cmd->nwords))
		return false;
	if (cmd->marks & SH_EVALUATES)
		cmd_opaque(*at, cmd->evaluates);
	return untranslated(a, c, cmd) && cmd_aliased(a, c, *at);
}

static bool one(struct cmd_an *a, struct cmd_ctx *c, const struct sh_cmd *cmd)
{
	struct cmd_part **at = a->tail;
	const struct sh_assign *s;
	const struct sh_redir *r;
	bool ok = true;

	for (r = cmd->redirs; r; r = r->next)
		if (r->var)
			cmd_set(a, c, r->var, r->var_n);
	switch (cmd->kind) {
	case SH_COMMAND:
	case SH_COND:
	case SH_ARITH:
		ok = command(a, c, cmd);
		break;
	case SH_FUNCTION:
		ok = cmd_define(a, c, cmd->name, cmd->name_n, NULL);
		cmd_alias_function(a, c, cmd->name, cmd->name_n);
		break;
	case SH_LOOP:
		cmd_set(a, c, cmd->name, cmd->name_n);
		ok = (!(cmd->marks & SH_EVALUATES) || evaluated(a, c, cmd->evaluates)) &&
		     (cmd_may_have(cmd->name, cmd->name_n, NULL, 0) ||
		      evaluated(a, c, CMD_NUMBER));
		break;
	case SH_SET:
		/* the command that holds the word is listed before it */
		c->anytime = true;
		for (s = cmd->assigns; s; s = s->next)
			cmd_set(a, c, s->name, s->name_n);
		break;
	case SH_CASE:
	case SH_GROUP:
		/* its redirections happen before its commands, which are listed first */
		c->beside = true;
		ok = !(cmd->marks & SH_EVALUATES) || evaluated(a, c, cmd->evaluates);
		break;
	}
	if (!ok || !cmd->redirs)
		return ok;
	/* files and addresses elsewhere do not belong to this machine */
	if (c->remote)
		return true;
	/* a command's redirections belong to it */
	if (*at && (*at)->kind == CMD_COMMAND)
		c->outer = *at;
	return cmd_redirs(a, c, cmd->redirs);
}

/* What runs at the same time, or before the command that holds its word. */
#define BESIDE (SH_IN_BACKGROUND | SH_COPROC | SH_IN_SUBST)

/* The command, once for each value of its variables. */
static bool each(struct cmd_an *a, const struct cmd_ctx *c, const struct sh *sh,
		 const struct sh_cmd *cmd)
{
	struct cmd_ctx in = *c;
	struct cmd_turn t;

	if (!cmd_turn_begin(a, &t, sh, cmd))
		return one(a, &in, cmd);
	do {
		in = *c;
		in.cmd = cmd_turn_take(a, &t, cmd);
		if (!in.cmd || !one(a, &in, in.cmd))
			return false;
	} while (cmd_turn_next(&t));
	return true;
}

bool cmd_scope(struct cmd_an *a, const struct cmd_scope *s, const struct sh *sh)
{
	const struct sh_cmd *cmd;
	uint32_t pipe = 0; /* the current one; pipes that touch count as one */

	for (cmd = sh->first; cmd; cmd = cmd->next) {
		struct cmd_ctx c = {
			.scope = s, .cmd = cmd, .outer = s->outer, .depth = s->depth,
			.no_allow = s->no_allow, .opaque = s->opaque,
			.from = s->outer ? s->from : cmd->from,
			.to = s->outer ? s->to : cmd->to,
			.anytime = s->anytime || cmd->func || (cmd->marks & SH_IN_LOOP),
			.alternative = s->alternative, .appends = s->appends,
			.moved = s->moved, .assigned = s->assigned, .remote = s->remote,
			.beside = s->beside || (cmd->marks & BESIDE),
			.pipe = s->pipe,
		};

		if (cmd->marks & SH_IN_PIPE) {
			a->pipes += !pipe;
			pipe = a->pipes;
			if (!c.pipe)
				c.pipe = pipe;
		} else {
			pipe = 0;
		}
		a->number++;
		if (!each(a, &c, sh, cmd))
			return false;
	}
	return true;
}

/* --- a line, an argv ----------------------------------------------------------------------- */

static void start(struct cmd_an *a, struct cmd_line *ret, void *block, size_t size,
		  const struct cmd_world *w, struct cmd_proc *e, struct cmd_dir *cwd)
{
	*ret = (struct cmd_line){ 0 };
	*a = (struct cmd_an){ .ret = ret, .world = w, .facts = w->facts, .mem = block,
			      .mem_end = (char *)block + (size & ~(size_t)7),
			      .tail = &ret->first, .turns = CMD_MORE_TURNS };
	*e = (struct cmd_proc){ .first = &ret->first };
	*cwd = (struct cmd_dir){ .path = w->cwd };
	e->dirs_unknown = e->dirs_lost = !w->cwd;
	e->dirs = e->began = w->cwd ? cwd : NULL;
	e->ndirs = w->cwd != NULL;
}

static void finish(struct cmd_an *a, struct cmd_proc *e)
{
	cmd_proc_end(e);
	if (a->scripts && !a->ret->limit)
		cmd_made(a);
	if (a->world->host && !a->ret->limit)
		(void)cmd_lost_paths(a);
}

void cmd_from_line(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *text, size_t n)
{
	bool posix = w->facts->dialect == LINE_DIALECT_POSIX;
	struct cmd_dir *cwd;
	struct cmd_proc env;
	struct cmd_an a;
	struct sh sh;

	*ret = (struct cmd_line){ 0 };
	if (size < sizeof(*cwd)) {
		ret->limit = ret->memory_short = true;
		ret->why = "the line needs more memory than there is";
		return;
	}
	cwd = block;
	start(&a, ret, cwd + 1, size - sizeof(*cwd), w, &env, cwd);
	sh_parse(&sh, a.mem, (size_t)(a.mem_end - a.mem), text, n,
		 posix ? SH_POSIX : SH_BASH);
	a.mem += sh.used;
	var_follow(&sh, &a.mem, a.mem_end, n, &(struct var_around){ .alone = true });
	ret->why = sh.why;
	ret->at = sh.at;
	ret->unparsed = sh.status == SH_UNPARSED;
	ret->limit = sh.status == SH_LIMIT;
	ret->memory_short = sh.memory_short;
	if (w->facts->dialect == LINE_DIALECT_NONE && !ret->why) {
		ret->unparsed = true;
		ret->why = "no reader for the shell that the policy names";
	}
	/* how much nested text may be read again */
	a.work = CMD_WORK(n);
	cmd_scope(&a, &(struct cmd_scope){ .env = &env, .text = text, .text_n = n,
					   .dialects = posix ? CMD_IN_POSIX : CMD_IN_BASH },
		  &sh);
	finish(&a, &env);
	ret->steps = CMD_WORK(n) - a.work;
}

void cmd_from_argv(struct cmd_line *ret, void *block, size_t size,
		   const struct cmd_world *w, const char *const *argv, size_t argc)
{
	struct cmd_word *words;
	struct cmd_dir *cwd;
	struct cmd_proc env;
	struct cmd_an a;
	size_t n = 0, i;

	*ret = (struct cmd_line){ 0 };
	if (size < sizeof(*cwd)) {
		ret->limit = ret->memory_short = true;
		ret->why = "the line needs more memory than there is";
		return;
	}
	cwd = block;
	start(&a, ret, cwd + 1, size - sizeof(*cwd), w, &env, cwd);
	words = argc ? cmd_alloc(&a, sizeof(*words) * argc) : NULL;
	if (!words)
		return;
	for (i = 0; i < argc; i++) {
		size_t k = strlen(argv[i]);

		if (k > SH_MAX_BYTES || argc > SH_MAX_BYTES) {
			cmd_limit(&a, "the line is too long");
			return;
		}
		n += k + 1;
		words[i] = (struct cmd_word){ .w = cmd_literal(&a, argv[i], k) };
		if (!words[i].w)
			return;
	}
	a.number = 1;
	a.work = CMD_WORK(n);
	cmd_run(&a, &(struct cmd_ctx){ .scope = &(struct cmd_scope){
			.env = &env, .dialects = CMD_IN_BASH | CMD_IN_POSIX } },
		words, (uint32_t)argc);
	finish(&a, &env);
	ret->steps = CMD_WORK(n) - a.work;
}
