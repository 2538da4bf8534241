/*
 * Reads a command's words as its program would, in every reading if no table decides:
 * which words are options, values and operands, where a wrapper's command begins, and
 * which places hold code.
 */
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_options.h"
#include "runtime/line/cmd_reader.h"
#include "runtime/line/cmd_text.h"

/* --- operands ------------------------------------------------------------------------- */

static bool is_operand_code(const struct cmd_reader *r, const struct line_code *c,
			    const struct cmd_shape *s)
{
	if (c->operand == LINE_ANY_OPERAND)
		return true;
	if (c->operand <= r->min)
		return false;
	return s->several || r->max == UINT32_MAX || c->operand <= r->max + 1;
}

/* `sed -e SCRIPT FILE`: with -e no operand is a script of sed or awk. */
static bool has_script(const struct cmd_reader *r)
{
	if (!(r->flags & (LINE_PF_SED_SCRIPT | LINE_PF_AWK_SCRIPT)))
		return false;
	for (const struct cmd_option *o = r->p->options; o; o = o->next)
		if (o->sure && o->known && (o->known->flags & LINE_OF_INSTEAD))
			return true;
	return false;
}

static void code_operand(struct cmd_reader *r, const struct cmd_shape *s)
{
	const struct line_facts *f = r->a->facts;

	if (has_script(r))
		return;
	for (const struct line_program *p = r->prog; p; p = cmd_base_of(f, p))
		for (uint32_t i = 0; i < p->codes.count; i++) {
			const struct line_code *c = pb_at(f, p->codes, sizeof(*c), i);
			struct line_option place = { .when = c->when };

			/* a base program's operands count only up to the subcommand */
			if (p == r->prog ? is_operand_code(r, c, s) :
					   c->operand == LINE_ANY_OPERAND)
				cmd_reader_code(r, p, &place, s->literal ? s->p : NULL, s->n,
						r->i);
		}
}

/* --- subcommands ---------------------------------------------------------------------- */

static void take_table(struct cmd_reader *r, const struct line_program *prog)
{
	r->prog = r->p->program = prog;
	if (!prog)
		return;
	r->flags = prog->flags;
	r->skip = prog->skip;
	r->wrapper = prog->kinds & LINE_PK_WRAPPER;
}

/*
 * The current word decides how the following ones are read. If it may also be the value
 * of the option before it, the command is read once more with that meaning; here it is
 * not a value.
 */
static bool fork_here(struct cmd_reader *r)
{
	struct cmd_fork *f;

	if (r->take == TAKE_NOT)
		return false;
	f = cmd_alloc(r->a, sizeof(*f));
	if (!f)
		return r->ok = false;
	*f = (struct cmd_fork){ .word = r->i };
	*r->forks = f;
	r->forks = &f->next;
	return true;
}

/*
 * A word that names a subcommand. The subcommand's table reads the words after it, and
 * operands are counted from there. In a reading where this word is the value of the
 * option before it, another word is the subcommand, or there is none.
 */
static bool subcommand(struct cmd_reader *r, const struct cmd_shape *s, bool *ret_forked)
{
	const struct line_program *prog;

	if (!r->prog || !(r->prog->flags & LINE_PF_SUBCOMMANDS) || r->min)
		return false;
	if (!s->literal) {
		cmd_reader_is_code(r, "a word that is not literal may be code of another "
				      "language");
		return false;
	}
	*ret_forked = fork_here(r);
	prog = cmd_take_table(r->p, cmd_subcommand(r->a->facts, r->prog, s->p, s->n));
	if (!prog) {
		if (!r->ret->command)
			r->ret->command = r->i;
		return false;
	}
	take_table(r, prog);
	r->p->words[r->i].first = r->p->words[r->i].last = 0;
	r->min = r->max = 0;
	r->ret->operand = r->ret->command = 0;
	return true;
}

/* Finds where a wrapper's command begins. false: the word is an assignment, or "--". */
static bool wrapped(struct cmd_reader *r, const struct cmd_shape *s, bool sure)
{
	/* `env -` means `env -i` */
	if ((r->flags & LINE_PF_ASSIGNMENTS) && r->max >= r->skip && s->n &&
	    (memchr(s->p, '=', s->n) || (s->literal && s->n == 1 && s->p[0] == '-')))
		return false;
	/* `mosh HOST -- COMMAND` */
	if (r->skip && r->min == r->skip && s->literal && s->n == 2 &&
	    memcmp(s->p, "--", 2) == 0)
		return false;
	if (!r->ret->lost && sure && r->min >= r->skip) {
		r->ret->begin = r->i;
		r->stop = true;
		return true;
	}
	r->ret->lost |= (!sure && r->skip < LINE_NO_COMMAND) || s->several;
	if (r->ret->lost && r->max >= r->skip) {
		/* the following words may belong to the command */
		r->may_end = r->end_value = true;
		if (!r->ret->maybe)
			r->ret->maybe = r->i;
	}
	return true;
}

/* The word may be an operand; `sure`: it is one in every reading. */
static void take_operand(struct cmd_reader *r, const struct cmd_shape *s, bool sure)
{
	bool one = sure && !s->several, forked = false;

	r->p->words[r->i].first = (uint8_t)(r->min < 254 ? r->min + 1 : 255);
	r->p->words[r->i].last = (uint8_t)(r->max < 254 ? r->max + 1 : 255);
	if (r->prog)
		code_operand(r, s);
	if (subcommand(r, s, &forked))
		return;
	if (one && !r->ret->operand)
		r->ret->operand = r->i;
	one |= forked;
	if (r->wrapper && !r->prog->after.count && !wrapped(r, s, sure))
		return;
	r->min += one;
	if (s->several || r->max == UINT32_MAX)
		r->max = UINT32_MAX;
	else
		r->max++;
	if (!(r->flags & LINE_PF_POSIX))
		return;
	r->ended |= one;
	r->may_end = true;
	r->end_value |= !one && (!s->literal || r->take_value);
}

/* --- words ------------------------------------------------------------------------------- */

static bool is_dash(const struct cmd_reader *r, const struct cmd_shape *s)
{
	if (!s->n || (s->p[0] != '-' && s->p[0] != '+'))
		return false;
	return s->p[0] == '-' ||
	       (s->n > 1 && cmd_reader_known(r, s->p, 2));
}

/* May a word be this option, if only its beginning is known? */
static bool may_be(const struct line_facts *f, const struct line_option *o,
		   const struct cmd_shape *s)
{
	const char *name = pb_strp(f, o->name);
	size_t n = s->n < o->name.len ? s->n : o->name.len;

	if (s->n < 2 || memcmp(name, s->p, n) == 0)
		return true;
	/* a letter of a cluster */
	return s->p[1] != '-' && o->name.len == 2 && name[1] != '-';
}

static void code_of_any(struct cmd_reader *r, const struct cmd_shape *s)
{
	uint32_t i;

	if (!r->prog || r->wrapper || r->ret->code || (s->n < 2 && r->no_code[r->min > 0]))
		return;
	for (i = 0; i < cmd_option_count(r->a->facts, r->prog); i++) {
		const struct line_option *o = cmd_option_at(r->a->facts, r->prog, i);

		if ((o->flags & LINE_OF_CODE) && !cmd_reader_blocked(r, o) &&
		    may_be(r->a->facts, o, s))
			cmd_reader_is_code(r, "a word that is not literal may be an option "
					      "whose value is code");
	}
	r->no_code[r->min > 0] |= s->n < 2 && !r->ret->code;
}

/* May a command begin after the current word? */
static bool may_begin(const struct cmd_reader *r, const struct cmd_shape *s)
{
	const struct sh_seg *last = &r->p->words[r->i].w->seg;
	uint32_t i;

	if (!r->prog->after.count || s->splits)
		return true;
	while (last->next)
		last = last->next;
	for (i = 0; i < r->prog->after.count; i++) {
		const struct line_word *a = pb_at(r->a->facts, r->prog->after, sizeof(*a), i);
		const char *p = pb_strp(r->a->facts, a->text);
		uint32_t n = a->text.len, tail = last->kind == SH_LIT ? last->n : 0;

		/* the known parts at its two ends */
		if (s->n <= n && tail <= n && memcmp(p, s->p, s->n) == 0 &&
		    (!tail || memcmp(p + n - tail, last->p, tail) == 0))
			return true;
	}
	return false;
}

/* A word that is not literal, and may begin with a dash or be several words. */
static uint8_t read_unknown(struct cmd_reader *r, const struct cmd_shape *s)
{
	bool dash = is_dash(r, s);
	uint8_t roles = CMD_W_OPTION;

	r->settled = false;
	if (dash && s->n > 2 && s->p[1] == '-' && memchr(s->p, '=', s->n))
		cmd_reader_long(r, s->p, s->n, true);
	else if (dash && s->n > 1 && s->p[1] != '-')
		cmd_reader_short(r, s->p, s->n, true);
	else
		cmd_reader_emit(r, CMD_O_ANY, dash ? s->p : "", dash ? s->n : 0, NULL, false);
	if (r->settled && !s->splits)
		return roles;
	if (s->splits && dash)
		cmd_reader_emit(r, CMD_O_ANY, "", 0, NULL, false);
	code_of_any(r, s->splits ? &(struct cmd_shape){ .p = "" } : s);
	r->next = TAKE_MAY;
	r->next_value = true;
	r->ret->lost |= r->wrapper && may_begin(r, s);
	if (!dash || s->splits || s->n < 2 || (s->n == 2 && s->p[1] == '-')) {
		roles |= CMD_W_END;
		r->may_end = r->end_value = true;
	}
	if (!dash || s->splits || s->n < 2) {
		roles |= CMD_W_OPERAND;
		take_operand(r, s, false);
	}
	return s->splits ? roles | CMD_W_VALUE : roles;
}

static uint8_t read_dash(struct cmd_reader *r, const struct cmd_shape *s, bool sure)
{
	if (s->n == 2 && s->p[1] == '-') {
		/* `su USER -- -c CODE`: the options after "--" belong to a shell */
		if (r->wrapper && r->skip == LINE_NO_COMMAND && (r->flags & LINE_PF_CODE_STDIN))
			return CMD_W_END;
		/* `find -- . -delete`: the next word may be an operand or an option */
		r->ended |= sure && !(r->flags & LINE_PF_NO_END);
		r->may_end = true;
		r->end_value |= !sure && r->take_value;
		return CMD_W_END;
	}
	if (s->p[0] == '-' && s->p[1] == '-')
		cmd_reader_long(r, s->p, s->n, false);
	else
		cmd_reader_short(r, s->p, s->n, false);
	return CMD_W_OPTION;
}

/* A word where an option may stand. `sure`: no reading takes it as a value. */
static uint8_t read_free(struct cmd_reader *r, const struct cmd_shape *s, bool sure)
{
	bool ended = r->may_end;
	uint8_t roles;

	if (r->ended || (s->literal && (!is_dash(r, s) || s->n == 1)) ||
	    (!s->literal && !s->open && !s->splits && !is_dash(r, s))) {
		take_operand(r, s, sure);
		return CMD_W_OPERAND;
	}
	roles = s->literal ? read_dash(r, s, sure) : read_unknown(r, s);
	if (ended && !(roles & CMD_W_OPERAND)) {
		roles |= CMD_W_OPERAND;
		take_operand(r, s, false);
	}
	return roles;
}

/*
 * `npm exec --yes -- x`: these are the wrapper's options although they come late. After
 * an option that no table knows, the command may begin one word later.
 */
static uint32_t range_from(struct cmd_reader *r, uint32_t from, uint32_t to)
{
	for (; from < to; from++) {
		const struct sh_word *w = r->p->words[from].w;
		const struct line_option *o;
		const char *eq;

		if (!sh_is_literal(w) || !w->seg.n || w->seg.p[0] != '-')
			return from;
		if (cmd_lit(w, "--"))
			return from + 1;
		eq = memchr(w->seg.p, '=', w->seg.n);
		o = cmd_known(r->a->facts, r->prog, w->seg.p,
			      eq ? (size_t)(eq - w->seg.p) : w->seg.n);
		r->ret->lost |= (!o || o->takes == LINE_TAKES_EITHER) && !eq;
		if (o && o->takes == LINE_TAKES_VALUE && !eq)
			from++;
		if (o && (o->flags & LINE_OF_CODE) && eq)
			cmd_reader_code(r, r->prog, o, eq + 1,
				   w->seg.n - (size_t)(eq + 1 - w->seg.p), from);
		else if (o && (o->flags & LINE_OF_CODE) && from < to)
			cmd_reader_code(r, r->prog, o, sh_is_literal(r->p->words[from].w) ?
				   r->p->words[from].w->seg.p : NULL,
				   r->p->words[from].w->seg.n, from);
	}
	return from < to ? from : to;
}

/* -exec … ; : the words between belong to the command. true: there is such a command. */
static bool read_range(struct cmd_reader *r, const struct cmd_shape *s)
{
	const struct line_facts *f = r->a->facts;
	struct cmd_range *g;
	uint32_t k;

	if (!s->literal || !cmd_in_words(f, r->prog->after, s->p, s->n))
		return false;
	fork_here(r);
	g = cmd_alloc(r->a, sizeof(*g));
	if (!g) {
		r->ok = false;
		return true;
	}
	for (k = r->i + 1; k < r->p->nwords; k++) {
		const struct sh_word *w = r->p->words[k].w;

		r->p->words[k].roles = CMD_W_OPERAND;
		if (!sh_is_literal(w) || !cmd_in_words(f, r->prog->ends, w->seg.p, w->seg.n))
			continue;
		/* find takes '+' as the end only after "{}" */
		if (!cmd_lit(w, "+") || k == r->i + 1 ||
		    !sh_is_literal(r->p->words[k - 1].w) ||
		    cmd_lit(r->p->words[k - 1].w, "{}"))
			break;
	}
	*g = (struct cmd_range){ .from = range_from(r, r->i + 1, k), .to = k };
	*r->ranges = g;
	r->ranges = &g->next;
	if (is_dash(r, s)) {
		r->p->words[r->i].roles = CMD_W_OPTION;
		cmd_reader_emit(r, CMD_O_EXACT, s->p, s->n, NULL, true);
	} else {
		r->p->words[r->i].roles = CMD_W_OPERAND;
	}
	if (r->take == TAKE_MAY)
		r->p->words[r->i].roles |= CMD_W_VALUE;
	r->next = TAKE_NOT;
	r->i = k;
	return true;
}

static void read_word(struct cmd_reader *r, const struct cmd_shape *s)
{
	struct cmd_word *w = &r->p->words[r->i];
	bool maybe = r->take == TAKE_MAY;

	if (r->take == TAKE_SURE || w->as == CMD_AS_VALUE) {
		w->roles = CMD_W_VALUE;
		if (!s->several)
			return;
		/* the word may be the value, no word at all, or more than one */
		r->take = TAKE_MAY;
		r->take_value = maybe = true;
	}
	/* a known word surely begins a command there, or surely does not */
	r->ret->lost |= r->wrapper && maybe && !r->prog->after.count &&
			r->skip < LINE_NO_COMMAND;
	w->roles = read_free(r, s, !maybe);
	if (maybe)
		w->roles |= CMD_W_VALUE;
}

bool cmd_options(struct cmd_an *a, struct cmd_part *p, struct cmd_read *ret)
{
	struct cmd_reader r = { .a = a, .p = p, .ret = ret, .tail = &p->options,
			    .ok = true };
	struct cmd_shape s;

	*ret = (struct cmd_read){ 0 };
	r.ranges = &ret->ranges;
	r.texts = &ret->texts;
	r.forks = &ret->forks;
	take_table(&r, p->program);
	for (r.i = 1; r.i < p->nwords && r.ok; r.i++) {
		if (r.stop) {
			p->words[r.i].roles = CMD_W_OPERAND;
			continue;
		}
		cmd_shape(p->words[r.i].w, &s);
		r.take = r.next;
		r.take_value = r.next_value;
		r.next = TAKE_NOT;
		r.next_value = false;
		if (p->words[r.i].as == CMD_AS_OPERAND) {
			r.take = TAKE_NOT;
			r.take_value = false;
		}
		if (r.wrapper && r.prog->after.count && r.take != TAKE_SURE &&
		    p->words[r.i].as != CMD_AS_VALUE && read_range(&r, &s))
			continue;
		read_word(&r, &s);
	}
	ret->no_operand = r.max == 0;
	return r.ok;
}
