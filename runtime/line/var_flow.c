/*
 * Walks over a line in the order in which it runs, until what is known of its variables
 * no longer changes. Then it walks once more, and changes the words.
 */
#include "runtime/line/shell/production.h"
#include "runtime/line/var_run.h"

/* If something is still new after so many walks, it is given up. */
#define MAX_WALKS 4
#define BYTES(n) (64 * 1024 + 4 * (uint64_t)(n))

/* --- places ---------------------------------------------------------------- */

static struct var_frame *push(struct var_run *r, enum sh_flow_kind kind)
{
	struct var_frame *f = r->unused;

	if (f)
		r->unused = f->next;
	else if (!(f = var_take(r, sizeof(*f))))
		return NULL;
	f->next = r->frame;
	f->kind = kind;
	f->was = r->now;
	f->loop = r->loop;
	r->frame = f;
	return f;
}

static void pop(struct var_run *r)
{
	struct var_frame *f = r->frame;

	r->frame = f->next;
	f->next = r->unused;
	r->unused = f;
}

/* Both may be so. */
static void meet(const struct var_run *r, struct var_state *to,
		 const struct var_state *from)
{
	for (uint32_t i = 0; i < r->sh->nvars; i++)
		to->may[i] |= from->may[i];
	to->lost |= from->lost;
}

/* --- lists: what holds if the list was true so far, and if it was false ---- */

static void take_pipeline(struct var_run *r, struct var_frame *f)
{
	struct var_state *yes = &f->was, *no = &f->other;

	if (f->op == SH_F_AND) {
		*yes = r->now;
		meet(r, no, &r->now);
	} else if (f->op == SH_F_OR) {
		meet(r, yes, &r->now);
		*no = r->now;
	}
}

static void list_goes_on(struct var_run *r, enum sh_flow_kind op)
{
	struct var_frame *f = r->frame;

	take_pipeline(r, f);
	if (!SHELL_OFF(VAR_LIST))
		r->now = op == SH_F_AND ? f->was : f->other;
	f->op = op;
}

static void list_ends(struct var_run *r)
{
	struct var_frame *f = r->frame;

	take_pipeline(r, f);
	if (!SHELL_OFF(VAR_LIST)) {
		r->now = f->was;
		meet(r, &r->now, &f->other);
	}
	pop(r);
}

/* --- loops, functions ------------------------------------------------------ */

/* The values of the words of a `for`. */
static uint16_t loop_values(struct var_run *r, const struct sh_cmd *c)
{
	uint32_t var = sh_var_find(r->sh, c->name, c->name_n);
	struct sh_text v[VAR_MAX_VALUES];
	const struct sh_word *w;
	uint16_t may = 0;

	for (w = c->words; w && !(may & VAR_UNKNOWN); w = w->next) {
		uint32_t n = var ? var_fields(r, w, v, VAR_MAX_VALUES) : 0;

		for (uint32_t i = 0; i < n; i++)
			may |= var_bit_of(r, var, v[i].p, v[i].n);
		uint16_t pattern = var && !n ? var_pattern(r, var, w) : 0;

		if (!n)
			may |= pattern ? pattern : var_value(r, c->name, c->name_n, w, 0);
	}
	return may ? may : VAR_UNKNOWN;
}

/*
 * At the beginning of a turn a variable is what it was before the loop, or what some
 * place of the line assigned to it, if the loop sets it. The same holds behind the
 * loop, however it was left.
 */
static void loop_begins(struct var_run *r, struct sh_flow *e)
{
	struct var_frame *f;
	struct var_loop *loop;
	uint16_t may = e->cmd ? loop_values(r, e->cmd) : 0;

	if (!e->note) {
		if (!(e->note = var_take(r, sizeof(struct var_loop))))
			return;
		memset(e->note, 0, sizeof(struct var_loop));
	}
	loop = e->note;
	for (uint32_t i = 0; i < r->sh->nvars; i++)
		if (loop->sets & var_bit(i + 1) && !SHELL_OFF(VAR_LOOP))
			r->now.may[i] |= r->all[i];
	r->now.lost |= loop->lost;
	if (!(f = push(r, SH_F_LOOP)))
		return;
	r->loop = loop;
	if (e->cmd)
		var_assign(r, e->cmd->name, e->cmd->name_n, may, false);
}

static void loop_ends(struct var_run *r)
{
	struct var_frame *f = r->frame;
	struct var_loop *loop = r->loop;

	if (r->now.lost && !loop->lost)
		loop->lost = r->changed = true;
	r->now = f->was;
	r->now.lost |= loop->lost;
	r->loop = f->loop;
	if (r->loop && loop->sets & ~r->loop->sets) {
		r->loop->sets |= loop->sets;
		r->changed = true;
	}
	pop(r);
}

/* It may run at any time after its definition, whatever was set until then. */
static void function_begins(struct var_run *r)
{
	if (!push(r, SH_F_FUNC))
		return;
	r->functions++;
	r->loop = NULL;
	for (uint32_t i = 0; i < r->sh->nvars && !SHELL_OFF(VAR_BODY); i++)
		r->now.may[i] |= r->all[i];
	r->now.lost |= r->exported || r->strange;
}

/* --- the walk -------------------------------------------------------------- */

/* Which of its assignments a command has made by now is not known. */
static void forget_assigned(struct var_run *r, const struct sh_cmd *c)
{
	const struct sh_assign *a;
	uint32_t var;

	for (a = c->assigns; a && !SHELL_OFF(VAR_ASSIGNED); a = a->next)
		if ((var = sh_var_find(r->sh, a->name, a->name_n)))
			r->now.may[var - 1] = VAR_UNKNOWN;
}

static void words(struct var_run *r, struct sh_cmd *c)
{
	struct var_state was = r->now;
	struct sh_redir *d;

	if (!r->apply)
		return;
	r->code = c->words && sh_is_literal(c->words) && c->words->seg.n == 4 &&
		  memcmp(c->words->seg.p, "eval", 4) == 0;
	if (c->kind == SH_COMMAND && var_may_split(c))
		c->nwords += var_split(r, c->words, c->nwords);
	if (c->kind == SH_COMMAND)
		var_words(r, c->words, c->nwords);
	r->code = false;
	/* shells differ in when they expand these */
	forget_assigned(r, c);
	for (d = c->redirs; d; d = d->next) {
		if (d->op != SH_R_HEREDOC)
			var_words(r, d->target, 1);
		else if (d->body && !d->quoted)
			var_words(r, d->body, 1);
	}
	r->now = was;
}

/* The variables of which nobody knows whether they are set before or after an
 * expression of the command. */
static uint64_t unordered(const struct var_run *r, const struct sh_cmd *c)
{
	const struct sh_assign *a;
	uint64_t bits = 0;
	uint32_t var;

	if (c->kind == SH_GROUP)
		return UINT64_MAX;
	/* `i=$((i + 1))` sets it afterwards */
	if (!c->assigns || SHELL_OFF(VAR_ORDER) || (!c->assigns->next && !c->redirs))
		return 0;
	for (a = c->assigns; a; a = a->next)
		if ((var = sh_var_find(r->sh, a->name, a->name_n)))
			bits |= var_bit(var);
	return bits;
}

/*
 * If it reads only numbers, an expression of this kind runs no code and does not fail.
 * It may set its variables or not (`a && (b = 1)`).
 */
static void calculation(struct var_run *r, const struct sh_flow *e)
{
	const struct sh_calc *c = e->note;
	struct sh_cmd *cmd = e->cmd;

	/* in the text of a here-document: the command that reads it may be a builtin */
	if (!c || (c->reads | c->sets) & unordered(r, cmd) || (r->now.lost && c->sets))
		r->lost = true;
	for (uint32_t i = 1; i <= r->sh->nvars; i++) {
		const struct sh_var *v = &r->sh->vars[i - 1];

		if (c->reads & var_bit(i) && !var_is_number(r, i) &&
		    !SHELL_OFF(VAR_CALC))
			r->lost = true;
		if (!(c->sets & var_bit(i)))
			continue;
		var_name_set(r, v->name, v->name_n);
		var_assign(r, v->name, v->name_n, VAR_NUMBER, true);
	}
	if (!r->apply || r->lost || !cmd->ncalcs)
		return;
	if (--cmd->ncalcs == 0) {
		cmd->marks &= ~(uint32_t)SH_EVALUATES;
		cmd->evaluates = NULL;
	}
}

/* If a redirection fails, the command does not run. */
static void command(struct var_run *r, const struct sh_cmd *c)
{
	struct var_state was = r->now;

	var_command(r, c);
	if (c->redirs && !SHELL_OFF(VAR_REDIR))
		meet(r, &r->now, &was);
}

/* A substitution runs before the command that holds it, and after some of its
 * assignments. */
static void substitution(struct var_run *r, const struct sh_cmd *c)
{
	if (!c || c->kind == SH_GROUP)
		r->now.lost = true;
	else
		forget_assigned(r, c);
}

/* `select NAME`; `coproc NAME`, which also sets NAME_PID. */
static void sets(struct var_run *r, const char *name, size_t n)
{
	for (uint32_t i = 0; i < r->sh->nvars && !SHELL_OFF(VAR_COPROC); i++) {
		const struct sh_var *v = &r->sh->vars[i];

		if (v->name_n >= n && memcmp(v->name, name, n) == 0 &&
		    (v->name_n == n ||
		     (v->name_n == n + 4 && memcmp(v->name + n, "_PID", 4) == 0)))
			var_kill(r, v->name, v->name_n);
	}
	var_name_set(r, name, n);
}

/* The end of something that frame->kind began. */
static void ends(struct var_run *r, const struct sh_flow *e)
{
	enum sh_flow_kind kind = e->kind;
	struct var_frame *f = r->frame;

	if (kind == SH_F_FI && !SHELL_OFF(VAR_BRANCH)) {
		if (!f->otherwise)
			meet(r, &r->now, &f->was);
		meet(r, &r->now, &f->other);
	} else if (kind == SH_F_ESAC && !SHELL_OFF(VAR_CASE)) {
		if (!f->otherwise)
			meet(r, &r->now, &f->was);
		meet(r, &r->now, &f->other);
	} else if (/* with `lastpipe` it is no process of its own */
		   (kind == SH_F_END_LAST && !SHELL_OFF(VAR_LAST)) ||
		   (kind == SH_F_END_GROUP && !SHELL_OFF(VAR_REDIR))) {
		meet(r, &r->now, &f->was);
	} else if (kind == SH_F_END_FUNC || kind == SH_F_END_LAST ||
		   (kind == SH_F_END_SUB && !SHELL_OFF(VAR_SUBSHELL))) {
		r->now = f->was;
	}
	if (kind == SH_F_END_FUNC) {
		r->functions--;
		r->loop = f->loop;
	}
	pop(r);
}

/* Where something other than the main path begins. false: no memory. */
static bool begins(struct var_run *r, const struct sh_flow *e)
{
	struct var_frame *f = push(r, e->kind);

	if (!f)
		return false;
	if (e->kind == SH_F_SUBST)
		substitution(r, e->cmd);
	else if (e->kind == SH_F_LATE)
		r->now.lost = !SHELL_OFF(VAR_LATE);
	f->op = SH_F_LIST;
	f->otherwise = f->clause = false;
	f->other = r->now;
	if (e->kind == SH_F_IF || e->kind == SH_F_CASE)
		memset(&f->other, 0, sizeof(f->other));
	return true;
}

static void place(struct var_run *r, struct sh_flow *e)
{
	struct var_frame *f = r->frame;

	switch (e->kind) {
	case SH_F_CALC:
		calculation(r, e);
		break;
	case SH_F_COMMAND:
		words(r, e->cmd);
		command(r, e->cmd);
		break;
	case SH_F_GROUP:
		words(r, e->cmd);
		begins(r, e);
		break;
	case SH_F_SETS:
		sets(r, e->cmd->name, e->cmd->name_n);
		break;
	case SH_F_SUBST:
	case SH_F_LATE:
	case SH_F_SUB:
	case SH_F_LIST:
	case SH_F_IF:
	case SH_F_CASE:
		begins(r, e);
		break;
	case SH_F_AND:
	case SH_F_OR:
		list_goes_on(r, e->kind);
		break;
	case SH_F_END_LIST:
		list_ends(r);
		break;
	case SH_F_LOOP:
		loop_begins(r, e);
		break;
	case SH_F_END_LOOP:
		loop_ends(r);
		break;
	case SH_F_FUNC:
		function_begins(r);
		break;
	case SH_F_THEN:
		f->was = r->now;
		break;
	case SH_F_ELIF:
	case SH_F_ELSE:
		meet(r, &f->other, &r->now);
		r->now = f->was;
		f->otherwise = e->kind == SH_F_ELSE;
		break;
	case SH_F_CLAUSE:
		/* the clause before it may go on here; other: what is behind the clauses
		 * so far */
		if (f->clause)
			meet(r, &f->other, &r->now);
		f->clause = true;
		f->otherwise |= e->note != NULL;
		r->now = f->was;
		meet(r, &r->now, &f->other);
		break;
	case SH_F_END_SUB:
	case SH_F_END_LAST:
	case SH_F_END_FUNC:
	case SH_F_FI:
	case SH_F_ESAC:
	case SH_F_END_GROUP:
		ends(r, e);
		break;
	}
}

static void walk(struct var_run *r, size_t n)
{
	struct sh_flow *e;

	r->changed = false;
	r->moved = 0;
	r->loop = NULL;
	r->functions = 0;
	r->bytes = BYTES(n);
	r->now.lost = false;
	for (uint32_t i = 0; i < SH_MAX_VARS; i++)
		r->now.may[i] = SHELL_OFF(VAR_BEFORE) ? 0 : r->began[i];
	for (e = r->sh->flow; e && !r->lost; e = e->next)
		place(r, e);
}

/* Does the line set any of the variables that it uses? Most lines do not. */
static bool sets_any(const struct var_run *r)
{
	for (uint32_t i = 0; i < r->sh->nvars; i++)
		if (!(r->dead & var_bit(i + 1)) &&
		    (r->all[i] & (uint16_t)~VAR_UNKNOWN || !sh_is_name(r->sh->vars[i].name, 1)))
			return true;
	return false;
}

/* What the variables are at the beginning. */
static void begin(struct var_run *r, const struct var_around *around)
{
	char digit;
	uint32_t var, i;

	for (i = 0; i < SH_MAX_VARS; i++)
		r->began[i] = VAR_UNKNOWN;
	for (i = 0; i < around->ngiven && i < 10; i++) {
		digit = (char)('0' + i);
		if ((var = sh_var_find(r->sh, &digit, 1)))
			var_given(r, var, &around->given[i]);
	}
}

void var_follow(struct sh *sh, char **mem, char *mem_end, size_t n,
		const struct var_around *around)
{
	struct var_run r = {
		.sh = sh, .mem = *mem, .end = mem_end, .exported = !around->alone
	};
	uint32_t i;

	if (sh->status != SH_PARSED || !sh->nvars || sh->calculates)
		return;
	for (i = 0; i < sh->nvars; i++)
		if (var_is_special(&sh->vars[i]) && !SHELL_OFF(VAR_SPECIAL))
			r.dead |= var_bit(i + 1);
	begin(&r, around);
	var_scan(&r);
	for (i = 0; !r.lost; i++) {
		walk(&r, n);
		if (!r.changed)
			break;
		if (i >= MAX_WALKS)
			r.dead |= r.moved;
		r.lost |= i >= 2 * MAX_WALKS;
	}
	if (r.lost || !sets_any(&r))
		return;
	r.apply = true;
	walk(&r, n);
	*mem = r.mem;
}
