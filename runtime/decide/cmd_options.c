/*
 * Reads a command's words as its program would: which are options, values and
 * operands, in every reading where no table decides; where a wrapper's command
 * begins; and which places hold code.
 */
#include "runtime/decide/cmd.h"

#define MAX_LETTERS 64 /* of one cluster; behind them anything may stand */

/* May the next word be the value of the option before it? */
enum { TAKE_NOT, TAKE_MAY, TAKE_SURE };

struct reader {
	struct cmd_an *a;
	struct cmd_part *p;
	struct cmd_read *ret;
	struct cmd_option **tail;
	struct cmd_range **ranges;
	struct cmd_text **texts;
	const struct pb_program *prog;
	uint32_t flags;      /* of the table, enum pb_program_flag */
	uint32_t i;          /* the word at hand */
	uint32_t min, max;   /* how many operands are behind us */
	uint32_t skip;       /* operands before a wrapper's command */
	unsigned take, next; /* TAKE_: for this word, for the one behind it */
	/* the word before it may take it, for that is not known itself */
	bool take_value, next_value;
	bool ended;          /* no option follows */
	bool may_end;        /* in some reading … */
	bool end_value;      /* … and for some value of an unknown word in all */
	bool settled;        /* an unknown word is one known option and its value */
	bool wrapper, stop, ok;
};

/* --- options ----------------------------------------------------------------------- */

/* The table's option of that name here: behind the first operand, which is the
 * subcommand, a global one has no meaning, or that of the subcommand. */
static const struct pb_option *option_here(const struct reader *r, const char *p, size_t n)
{
	const struct pb_option *o = cmd_known(r->a->facts, r->prog, p, n);

	return o && (o->flags & PB_OF_GLOBAL) && r->min ? NULL : o;
}

/* A value of an option with a code place; p NULL: not literal. */
static void code_value(struct reader *r, const struct pb_option *o, const char *p, size_t n,
		       uint32_t word)
{
	if (r->wrapper && o->when == PB_NO_WHEN) {
		struct cmd_text *t = cmd_alloc(r->a, sizeof(*t));

		if (!t) {
			r->ok = false;
			return;
		}
		*t = (struct cmd_text){ .p = p, .n = (uint32_t)n, .word = word };
		*r->texts = t;
		r->texts = &t->next;
	} else if (!p || o->when == PB_NO_WHEN ||
		   cmd_when(r->a->facts, o->when, p, n)) {
		r->ret->code = true;
	}
}

static void code_option(struct reader *r, const struct cmd_option *o)
{
	const struct sh_word *w;

	if (!(o->known->flags & PB_OF_CODE))
		return;
	if (o->value || o->value_open) {
		code_value(r, o->known, o->value, o->value_n, o->word);
	} else if (o->value_word) {
		w = r->p->words[o->value_word].w;
		code_value(r, o->known, sh_is_literal(w) ? w->seg.p : NULL, w->seg.n,
			   o->value_word);
	} else if (o->known->takes == PB_TAKES_NOTHING || (r->p->flags & CMD_APPENDS)) {
		r->ret->code = true;
	}
}

/* What one option of the command is, its place in the word apart. */
static struct cmd_option *emit(struct reader *r, enum cmd_how how, const char *name,
			       size_t n, const struct pb_option *known, bool sure)
{
	struct cmd_option *o = cmd_alloc(r->a, sizeof(*o));

	if (!o) {
		r->ok = false;
		return NULL;
	}
	*o = (struct cmd_option){
		.name = name, .name_n = (uint32_t)n, .known = known, .how = how, .word = r->i,
		.sure = sure && how == CMD_O_EXACT && !r->may_end && r->take == TAKE_NOT,
		.given = how != CMD_O_ANY && !r->end_value && !r->take_value,
	};
	*r->tail = o;
	r->tail = &o->next;
	return o;
}

/* The next word is the value of o, or may be. */
static void wants(struct reader *r, struct cmd_option *o, unsigned take)
{
	if (o && r->i + 1 < r->p->nwords)
		o->value_word = r->i + 1;
	if (take > r->next)
		r->next = take;
}

/* A known option without its value in the same word. */
static void emit_known(struct reader *r, const char *name, size_t n,
		       const struct pb_option *known, bool sure, const char *value,
		       size_t value_n, bool open)
{
	struct cmd_option *o = emit(r, CMD_O_EXACT, name, n, known, sure);

	if (!o)
		return;
	o->value = value;
	o->value_n = (uint32_t)value_n;
	o->value_open = open;
	if (!value && !open && known && known->takes == PB_TAKES_VALUE)
		wants(r, o, o->sure ? TAKE_SURE : TAKE_MAY);
	else if (!value && !open && !known)
		wants(r, o, TAKE_MAY);
	if (!known)
		return;
	r->settled |= open && o->sure && known->takes != PB_TAKES_NOTHING;
	if ((known->flags & PB_OF_QUERY) && o->sure)
		r->ret->query = true;
	code_option(r, o);
}

static bool begins(const struct pb_commands *f, struct pb_str s, const char *p, size_t n)
{
	return s.len > n && memcmp(pb_strp(f, s), p, n) == 0;
}

/* A long option that no table has as it stands. */
static void read_abbreviation(struct reader *r, const char *p, size_t n, const char *value,
			      size_t value_n, bool open)
{
	const struct pb_commands *f = r->a->facts;
	uint32_t i, count = 0, same = 0;

	if (r->prog && (r->flags & PB_PF_ABBREVIATE))
		for (i = 0; i < r->prog->options.count; i++) {
			const struct pb_option *o = cmd_option_at(f, r->prog, i);

			if (begins(f, o->name, p, n) &&
			    !((o->flags & PB_OF_GLOBAL) && r->min) &&
			    (!count || o->same != same)) {
				count++;
				same = o->same;
			}
		}
	for (i = 0; count && i < r->prog->options.count; i++) {
		const struct pb_option *o = cmd_option_at(f, r->prog, i);

		if (begins(f, o->name, p, n) && !((o->flags & PB_OF_GLOBAL) && r->min))
			emit_known(r, pb_strp(f, o->name), o->name.len, o, count == 1,
				   value, value_n, open);
	}
	/* a table need not have every option that it could be short for */
	if (!r->prog || (r->flags & PB_PF_ABBREVIATE))
		emit(r, CMD_O_PREFIX, p, n, NULL, false);
	if (count != 1)
		emit_known(r, p, n, NULL, !count, value, value_n, open);
}

/* "--name", "--name=value"; of a word that is not literal p is what is known. */
static void read_long(struct reader *r, const char *p, size_t n, bool open)
{
	const char *eq = memchr(p, '=', n), *value = NULL;
	const struct pb_option *known;
	size_t name_n = eq ? (size_t)(eq - p) : n, value_n = 0;

	if (eq && !open) {
		value = eq + 1;
		value_n = n - name_n - 1;
	}
	known = option_here(r, p, name_n);
	if (known)
		emit_known(r, p, name_n, known, true, value, value_n, open);
	else
		read_abbreviation(r, p, name_n, value, value_n, open);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '?' || c == '@' || c == '#' || c == '_';
}

/* The option of one letter, in bytes that stay. */
static const char *letter_name(struct reader *r, const char *p, size_t k)
{
	char *s;

	if (k == 1)
		return p;
	s = cmd_alloc(r->a, 2);
	if (!s) {
		r->ok = false;
		return p;
	}
	s[0] = p[0];
	s[1] = p[k];
	return s;
}

/* "-abc" as options of one letter each, the last maybe with a value. */
static void read_cluster(struct reader *r, const char *p, size_t n, bool sure, bool open)
{
	bool unsure = false;

	for (size_t k = 1; k < n && r->ok && is_letter(p[k]); k++) {
		const char *name = letter_name(r, p, k);
		const struct pb_option *known = option_here(r, name, 2);
		bool rest = k + 1 < n || open, more = !known;
		const char *value = !rest || open ? NULL : p + k + 1;

		if (k == MAX_LETTERS) {
			emit(r, CMD_O_ANY, p, 1, NULL, false);
			return;
		}
		if (known && known->takes == PB_TAKES_NOTHING) {
			more = true;
			rest = false;
			value = NULL;
			if (k + 1 < n || open) {
				emit_known(r, name, 2, known, sure && !unsure, NULL, 0,
					   false);
				continue;
			}
		}
		emit_known(r, name, 2, known, sure && !unsure, value,
			   value ? n - k - 1 : 0, rest && open);
		if (!more)
			return;
		unsure |= !known;
	}
	if (open)
		emit(r, CMD_O_ANY, p, 1, NULL, false);
}

/* "-x", "-abc", "-ovalue", "-name", "-name=value", "+x". */
static void read_short(struct reader *r, const char *p, size_t n, bool open)
{
	const char *eq = memchr(p, '=', n);
	size_t name_n = eq && eq > p + 1 ? (size_t)(eq - p) : n;
	const struct pb_option *known = NULL;
	bool cluster = !(r->flags & PB_PF_NO_CLUSTER);

	if (name_n > 2 && (!open || name_n < n))
		known = option_here(r, p, name_n);
	if (known) {
		emit_known(r, p, name_n, known, true,
			   name_n < n && !open ? p + name_n + 1 : NULL,
			   name_n < n ? n - name_n - 1 : 0, open);
		return;
	}
	if (cluster || (n == 2 && !open)) {
		read_cluster(r, p, n, r->prog || n == 2, open);
		/* of a program that no table knows it may be one name */
		if (n == 2 || r->prog)
			return;
	} else {
		known = option_here(r, p, 2);
		if (known && known->takes != PB_TAKES_NOTHING)
			emit_known(r, p, 2, known, false, open ? NULL : p + 2,
				   open ? 0 : n - 2, open);
	}
	if (open && name_n == n)
		emit(r, CMD_O_ANY, p, n, NULL, false);
	else
		emit_known(r, p, name_n, NULL, !cluster, name_n < n && !open ? p + name_n + 1 :
			   NULL, name_n < n ? n - name_n - 1 : 0, open);
}

/* --- operands ------------------------------------------------------------------------- */

static bool is_operand_code(const struct reader *r, const struct pb_code *c,
			    const struct cmd_shape *s)
{
	if (c->operand == PB_ANY_OPERAND)
		return true;
	if (c->operand <= r->min)
		return false;
	return s->several || r->max == UINT32_MAX || c->operand <= r->max + 1;
}

static void code_operand(struct reader *r, const struct cmd_shape *s)
{
	const struct pb_commands *f = r->a->facts;

	for (uint32_t i = 0; i < r->prog->codes.count; i++) {
		const struct pb_code *c = pb_at(f, r->prog->codes, sizeof(*c), i);
		struct pb_option place = { .when = c->when };

		if (is_operand_code(r, c, s))
			code_value(r, &place, s->literal ? s->p : NULL, s->n, r->i);
	}
}

/* Where a wrapper's command begins; false: the word is an assignment. */
static bool wrapped(struct reader *r, const struct cmd_shape *s, bool sure)
{
	/* and `env -` is `env -i` */
	if ((r->flags & PB_PF_ASSIGNMENTS) && r->max >= r->skip && s->n &&
	    (memchr(s->p, '=', s->n) || (s->literal && s->n == 1 && s->p[0] == '-')))
		return false;
	if (!r->ret->lost && sure && r->min >= r->skip) {
		r->ret->begin = r->i;
		r->stop = true;
		return true;
	}
	r->ret->lost |= !sure || s->several;
	if (r->ret->lost && r->max >= r->skip) {
		/* what follows may be words of the command */
		r->may_end = r->end_value = true;
		if (!r->ret->maybe)
			r->ret->maybe = r->i;
	}
	return true;
}

/* The word may be an operand; `sure`: it is one in every reading. */
static void take_operand(struct reader *r, const struct cmd_shape *s, bool sure)
{
	bool one = sure && !s->several;

	if (r->prog && r->prog->codes.count)
		code_operand(r, s);
	if (one && !r->ret->operand)
		r->ret->operand = r->i;
	if (r->wrapper && !r->prog->after.count && !wrapped(r, s, sure))
		return;
	r->min += one;
	if (s->several || r->max == UINT32_MAX)
		r->max = UINT32_MAX;
	else
		r->max++;
	if (!(r->flags & PB_PF_POSIX))
		return;
	r->ended |= one;
	r->may_end = true;
	r->end_value |= !one && (!s->literal || r->take_value);
}

/* --- words ------------------------------------------------------------------------------- */

static bool is_dash(const struct reader *r, const struct cmd_shape *s)
{
	if (!s->n || (s->p[0] != '-' && s->p[0] != '+'))
		return false;
	return s->p[0] == '-' ||
	       (s->n > 1 && option_here(r, s->p, 2));
}

/* May a word of which only this beginning is known be this option? */
static bool may_be(const struct pb_commands *f, const struct pb_option *o,
		   const struct cmd_shape *s)
{
	const char *name = pb_strp(f, o->name);
	size_t n = s->n < o->name.len ? s->n : o->name.len;

	if (s->n < 2 || memcmp(name, s->p, n) == 0)
		return true;
	/* one letter of a cluster */
	return s->p[1] != '-' && o->name.len == 2 && name[1] != '-';
}

static void code_of_any(struct reader *r, const struct cmd_shape *s)
{
	uint32_t i;

	if (!r->prog || r->wrapper)
		return;
	for (i = 0; i < r->prog->options.count; i++) {
		const struct pb_option *o = cmd_option_at(r->a->facts, r->prog, i);

		/* the global ones stand before the subcommand only */
		if ((o->flags & PB_OF_CODE) && !((o->flags & PB_OF_GLOBAL) && r->min) &&
		    may_be(r->a->facts, o, s))
			r->ret->code = true;
	}
}

/* A word that is not literal, and may begin with a dash or be several words. */
static uint8_t read_unknown(struct reader *r, const struct cmd_shape *s)
{
	bool dash = is_dash(r, s);
	uint8_t roles = CMD_W_OPTION;

	r->settled = false;
	if (dash && s->n > 2 && s->p[1] == '-' && memchr(s->p, '=', s->n))
		read_long(r, s->p, s->n, true);
	else if (dash && s->n > 1 && s->p[1] != '-')
		read_short(r, s->p, s->n, true);
	else
		emit(r, CMD_O_ANY, dash ? s->p : "", dash ? s->n : 0, NULL, false);
	if (r->settled && !s->splits)
		return roles;
	if (s->splits && dash)
		emit(r, CMD_O_ANY, "", 0, NULL, false);
	code_of_any(r, s->splits ? &(struct cmd_shape){ .p = "" } : s);
	r->next = TAKE_MAY;
	r->next_value = true;
	r->ret->lost |= r->wrapper;
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

static uint8_t read_dash(struct reader *r, const struct cmd_shape *s, bool sure)
{
	if (s->n == 2 && s->p[1] == '-') {
		r->ended |= sure;
		r->may_end = true;
		r->end_value |= !sure && r->take_value;
		return CMD_W_END;
	}
	if (s->p[0] == '-' && s->p[1] == '-')
		read_long(r, s->p, s->n, false);
	else
		read_short(r, s->p, s->n, false);
	return CMD_W_OPTION;
}

/* A word where an option may stand; `sure`: no reading has it as a value. */
static uint8_t read_free(struct reader *r, const struct cmd_shape *s, bool sure)
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
 * `npm exec --yes -- x`: options of the wrapper, in spite of where they stand.
 * Behind one that no table knows the command may begin a word later.
 */
static uint32_t range_from(struct reader *r, uint32_t from, uint32_t to)
{
	for (; from < to; from++) {
		const struct sh_word *w = r->p->words[from].w;
		const struct pb_option *o;
		const char *eq;

		if (!sh_is_literal(w) || !w->seg.n || w->seg.p[0] != '-')
			return from;
		if (cmd_lit(w, "--"))
			return from + 1;
		eq = memchr(w->seg.p, '=', w->seg.n);
		o = cmd_known(r->a->facts, r->prog, w->seg.p,
			      eq ? (size_t)(eq - w->seg.p) : w->seg.n);
		r->ret->lost |= !o && !eq;
		if (o && o->takes == PB_TAKES_VALUE && !eq)
			from++;
		if (o && (o->flags & PB_OF_CODE) && eq)
			code_value(r, o, eq + 1,
				   w->seg.n - (size_t)(eq + 1 - w->seg.p), from);
		else if (o && (o->flags & PB_OF_CODE) && from < to)
			code_value(r, o, sh_is_literal(r->p->words[from].w) ?
				   r->p->words[from].w->seg.p : NULL,
				   r->p->words[from].w->seg.n, from);
	}
	return from < to ? from : to;
}

/* -exec … ; : the words between belong to the command; true when there is one. */
static bool read_range(struct reader *r, const struct cmd_shape *s)
{
	const struct pb_commands *f = r->a->facts;
	struct cmd_range *g;
	uint32_t k;

	if (!s->literal || !cmd_in_words(f, r->prog->after, s->p, s->n))
		return false;
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
		/* find takes a '+' for the end behind "{}" only */
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
		emit(r, CMD_O_EXACT, s->p, s->n, NULL, true);
	} else {
		r->p->words[r->i].roles = CMD_W_OPERAND;
	}
	if (r->take == TAKE_MAY)
		r->p->words[r->i].roles |= CMD_W_VALUE;
	r->next = TAKE_NOT;
	r->i = k;
	return true;
}

static void read_word(struct reader *r, const struct cmd_shape *s)
{
	struct cmd_word *w = &r->p->words[r->i];
	bool maybe = r->take == TAKE_MAY;

	if (r->take == TAKE_SURE) {
		w->roles = CMD_W_VALUE;
		if (!s->several)
			return;
		/* the value, no word at all, or more than that */
		r->take = TAKE_MAY;
		r->take_value = maybe = true;
	}
	/* a word that is known begins no command there, or surely does */
	r->ret->lost |= r->wrapper && maybe && !r->prog->after.count;
	w->roles = read_free(r, s, !maybe);
	if (maybe)
		w->roles |= CMD_W_VALUE;
}

bool cmd_options(struct cmd_an *a, struct cmd_part *p, struct cmd_read *ret)
{
	struct reader r = { .a = a, .p = p, .ret = ret, .tail = &p->options,
			    .prog = p->program, .ok = true };
	struct cmd_shape s;

	*ret = (struct cmd_read){ 0 };
	r.ranges = &ret->ranges;
	r.texts = &ret->texts;
	if (r.prog) {
		r.flags = r.prog->flags;
		r.skip = r.prog->skip;
		r.wrapper = r.prog->kinds & PB_PK_WRAPPER;
	}
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
		if (r.wrapper && r.prog->after.count && r.take != TAKE_SURE &&
		    read_range(&r, &s))
			continue;
		read_word(&r, &s);
	}
	ret->no_operand = r.max == 0;
	return r.ok;
}
