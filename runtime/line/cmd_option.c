/*
 * Reads the options in one word, in each reading: known or not, cut short, several
 * letters in one, with or without a value.
 */
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_reader.h"
#include "runtime/line/lang.h"

#include <strings.h>

#define MAX_LETTERS 64 /* in one cluster; more letters may be anything */

bool cmd_reader_blocked(const struct cmd_reader *r, const struct line_option *o)
{
	const struct line_option *own =
		pb_at(r->a->facts, r->prog->options, sizeof(*own), 0);

	if (!(o->flags & LINE_OF_GLOBAL))
		return false;
	/* options of the program before its subcommand's table, or of that table */
	return r->min || o < own || o >= own + r->prog->options.count;
}

/* The option of that name in the table, if it may stand here. */
const struct line_option *cmd_reader_known(const struct cmd_reader *r, const char *p,
					 size_t n)
{
	const struct line_option *o = cmd_known(r->a->facts, r->prog, p, n);

	return o && cmd_reader_blocked(r, o) ? NULL : o;
}

/* The table that has the option under exactly this name. */
static const struct line_program *table_of(const struct cmd_reader *r, const struct line_option *o)
{
	const struct line_facts *f = r->a->facts;
	const struct line_program *p;

	for (p = r->prog; p; p = cmd_base_of(f, p)) {
		const struct line_option *own = pb_at(f, p->options, sizeof(*own), 0);

		if (o >= own && o < own + p->options.count)
			return p;
	}
	return NULL;
}

/* Is the code a script of a language that we read, and does it nothing but print? */
static bool only_prints(const struct line_program *of, const char *p, size_t n)
{
	if (of && (of->flags & LINE_PF_SED_SCRIPT))
		return lang_sed_prints(p, n);
	return of && (of->flags & LINE_PF_AWK_SCRIPT) && lang_awk_prints(p, n);
}

/* A value of an option with a code place. p is NULL if it is not literal. */
void cmd_reader_code(struct cmd_reader *r, const struct line_program *of,
		     const struct line_option *o, const char *p, size_t n, uint32_t word)
{
	/* Code for the program itself is not text for its subcommand, which is a wrapper
	 * and runs its words all the same (`bun x`). */
	bool own = of && (of->kinds & LINE_PK_WRAPPER);
	bool text = r->wrapper && own && o->when == LINE_NO_WHEN;
	struct cmd_text *t;

	if (!text && p && o->when != LINE_NO_WHEN &&
	    (!cmd_when(r->a->facts, o->when, p, n) || only_prints(of, p, n)))
		return;
	if (!text)
		cmd_reader_is_code(r, p || o->when == LINE_NO_WHEN ? NULL :
				   "a word that is not literal may be code of another language");
	/* the operand that announces code is not code itself */
	if (!r->wrapper || (!text && (!p || !o->name.len)))
		return;
	t = cmd_alloc(r->a, sizeof(*t));
	if (!t) {
		r->ok = false;
		return;
	}
	*t = (struct cmd_text){ .p = p, .n = (uint32_t)n, .word = word, .opaque = !text,
				.maybe = r->maybe };
	*r->texts = t;
	r->texts = &t->next;
}

static void code_option(struct cmd_reader *r, const struct cmd_option *o)
{
	const struct sh_word *w;

	if (!(o->known->flags & LINE_OF_CODE))
		return;
	/* "-XX*": look at the text after the stem */
	if (pb_strp(r->a->facts, o->known->name)[o->known->name.len - 1] == '*' &&
	    o->name_n >= o->known->name.len - 1) {
		size_t stem = o->known->name.len - 1;
		size_t n = o->value ? (size_t)(o->value - o->name) + o->value_n : o->name_n;

		cmd_reader_code(r, table_of(r, o->known), o->known, o->value_open ? NULL : o->name + stem, n - stem,
				o->word);
		return;
	}
	if (o->value || o->value_open) {
		cmd_reader_code(r, table_of(r, o->known), o->known, o->value, o->value_n, o->word);
	} else if (o->value_word) {
		w = r->p->words[o->value_word].w;
		cmd_reader_code(r, table_of(r, o->known), o->known, sh_is_literal(w) ? w->seg.p : NULL, w->seg.n,
			   o->value_word);
	} else if (o->known->takes == LINE_TAKES_NOTHING || (r->p->flags & CMD_APPENDS)) {
		cmd_reader_is_code(r, NULL);
	}
}

/* Stores one option of the command, without its place in the word. */
struct cmd_option *cmd_reader_emit(struct cmd_reader *r, enum cmd_how how, const char *name,
			       size_t n, const struct line_option *known, bool sure)
{
	struct cmd_option *o = cmd_alloc(r->a, sizeof(*o));

	if (o && r->a->noptions++ == CMD_MAX_OPTIONS) {
		cmd_limit(r->a, "the line has too many options");
		o = NULL;
	}
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

/* The next word is, or may be, the value of o. */
static void wants(struct cmd_reader *r, struct cmd_option *o, unsigned take)
{
	if (o && r->i + 1 < r->p->nwords)
		o->value_word = r->i + 1;
	if (take > r->next)
		r->next = take;
}

/* `runuser --user USER COMMAND`, `podman exec --latest COMMAND`: the table says that with
 * this option a command follows without an operand before it. */
static void command_after_all(struct cmd_reader *r, const struct cmd_option *o)
{
	if (!(o->known->flags & LINE_OF_RUNS) || !r->wrapper ||
	    (r->skip < LINE_NO_COMMAND && !(r->flags & LINE_PF_AWAY)))
		return;
	r->skip = 0;
	r->flags |= LINE_PF_POSIX;
	r->ret->lost |= !o->sure;
}

/* Is the next word a value that npm takes for the flag before it, or may it be one? */
static bool boolean_follows(const struct cmd_reader *r)
{
	static const char *const words[] = { "true", "false", "null" };
	const struct sh_word *w;

	if (!(r->flags & LINE_PF_BOOLEANS) || r->i + 1 >= r->p->nwords)
		return false;
	w = r->p->words[r->i + 1].w;
	if (!sh_is_literal(w))
		return true;
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (strlen(words[k]) == w->seg.n && !strncasecmp(words[k], w->seg.p, w->seg.n))
			return true;
	return false;
}

/* A known option without its value in the same word. */
static void emit_known(struct cmd_reader *r, const char *name, size_t n,
		       const struct line_option *known, bool sure, const char *value,
		       size_t value_n, bool open)
{
	struct cmd_option *o = cmd_reader_emit(r, CMD_O_EXACT, name, n, known, sure);

	if (!o)
		return;
	o->value = value;
	o->value_n = (uint32_t)value_n;
	o->value_open = open;
	if (!value && !open && known && known->takes == LINE_TAKES_VALUE)
		wants(r, o, o->sure ? TAKE_SURE : TAKE_MAY);
	else if (!value && !open &&
		 (!known || known->takes == LINE_TAKES_EITHER ||
		  (known->takes == LINE_TAKES_NOTHING && boolean_follows(r))))
		wants(r, o, TAKE_MAY);
	if (!known)
		return;
	command_after_all(r, o);
	r->maybe = !o->sure;
	r->settled |= open && o->sure && known->takes != LINE_TAKES_NOTHING;
	if ((known->flags & LINE_OF_QUERY) && o->sure)
		r->ret->query = true;
	code_option(r, o);
	r->maybe = false;
}

/* The options of one table that begin with this text and are longer: from *ret_first up
 * to, but not including, the returned index. */
static uint32_t longer(const struct line_facts *f, const struct line_program *prog,
		       const char *p, size_t n, uint32_t *ret_first)
{
	uint32_t i = cmd_first_option(f, prog, p, n);

	*ret_first = i;
	for (; i < prog->options.count; i++) {
		struct pb_str s = cmd_option_at(f, prog, i)->name;

		if (s.len < n || memcmp(pb_strp(f, s), p, n) != 0)
			break;
		*ret_first += s.len == n;
	}
	return i;
}

struct long_option {
	const char *p, *value;
	size_t n, value_n;
	bool open;
};

/* The options of which it may be an abbreviation, in the tables before `end`. true: there
 * are some. */
static bool longer_ones(struct cmd_reader *r, const struct long_option *l,
			const struct line_program *end)
{
	const struct line_facts *f = r->a->facts;
	const struct line_program *prog = r->flags & LINE_PF_ABBREVIATE ? r->prog : NULL;
	uint32_t i, last;
	bool any = false;

	for (; prog && prog != end; prog = cmd_base_of(f, prog))
		for (last = longer(f, prog, l->p, l->n, &i); i < last; i++) {
			const struct line_option *o = cmd_option_at(f, prog, i);

			if (cmd_reader_blocked(r, o))
				continue;
			any = true;
			emit_known(r, pb_strp(f, o->name), o->name.len, o, false, l->value,
				   l->value_n, l->open);
		}
	return any;
}

/*
 * A long option that no table has under exactly this name. It may abbreviate one that a
 * table has. As tables may be incomplete, it may also be another option, with a value or
 * not.
 */
static void read_abbreviation(struct cmd_reader *r, const struct long_option *l)
{
	bool any = longer_ones(r, l, NULL);

	if (!r->prog || (r->flags & LINE_PF_ABBREVIATE))
		cmd_reader_emit(r, CMD_O_PREFIX, l->p, l->n, NULL, false);
	emit_known(r, l->p, l->n, NULL, !any, l->value, l->value_n, l->open);
}

/* "--name", "--name=value". If the word is not literal, p is the known part. */
void cmd_reader_long(struct cmd_reader *r, const char *p, size_t n, bool open)
{
	const char *eq = memchr(p, '=', n);
	struct long_option l = { .p = p, .n = eq ? (size_t)(eq - p) : n, .open = open };
	const struct line_option *known = cmd_reader_known(r, p, l.n);
	bool other;

	if (eq && !open) {
		l.value = eq + 1;
		l.value_n = n - l.n - 1;
	}
	if (!known) {
		read_abbreviation(r, &l);
		return;
	}
	/* an option of the program's table may also abbreviate one of its subcommand */
	other = longer_ones(r, &l, table_of(r, known));
	emit_known(r, p, l.n, known, !other, l.value, l.value_n, open);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '?' || c == '@' || c == '#' || c == '_';
}

/* The name of a one-letter option, in bytes that stay valid. */
static const char *letter_name(struct cmd_reader *r, const char *p, size_t k)
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

/* "-abc" as options of one letter each; the last may have a value. */
static void read_cluster(struct cmd_reader *r, const char *p, size_t n, bool sure, bool open)
{
	bool unsure = false;

	for (size_t k = 1; k < n && r->ok && is_letter(p[k]); k++) {
		const char *name = letter_name(r, p, k);
		const struct line_option *known = cmd_reader_known(r, name, 2);
		bool rest = k + 1 < n || open;
		bool more = !known || known->takes == LINE_TAKES_EITHER;
		const char *value = !rest || open ? NULL : p + k + 1;

		if (k == MAX_LETTERS) {
			cmd_reader_emit(r, CMD_O_ANY, p, 1, NULL, false);
			return;
		}
		if (known && known->takes == LINE_TAKES_NOTHING) {
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
		unsure |= more;
	}
	if (open)
		cmd_reader_emit(r, CMD_O_ANY, p, 1, NULL, false);
}

/*
 * "-name" for a program that reads it as "--name" if it knows that option. If not, it may
 * be single letters, an abbreviation, or an unknown option. true: all that the word can
 * be was read.
 */
static bool read_one_dash(struct cmd_reader *r, const char *p, size_t n, size_t name_n,
			  bool open)
{
	const struct line_option *known;
	size_t value_n = name_n < n ? n - name_n - 1 : 0;
	const char *value = name_n < n ? p + name_n + 1 : NULL;
	char *name;

	if (!(r->flags & LINE_PF_ONE_DASH) || p[0] != '-' || n < 3 || (open && name_n == n))
		return false;
	name = cmd_alloc(r->a, name_n + 1);
	if (!name) {
		r->ok = false;
		return true;
	}
	name[0] = '-';
	memcpy(name + 1, p, name_n);
	known = cmd_reader_known(r, name, name_n + 1);
	if (known) {
		emit_known(r, name, name_n + 1, known, true, open ? NULL : value, value_n, open);
		return true;
	}
	longer_ones(r, &(struct long_option){ .p = name, .n = name_n + 1, .open = open,
					      .value = open ? NULL : value,
					      .value_n = value_n }, NULL);
	cmd_reader_emit(r, CMD_O_PREFIX, name, name_n + 1, NULL, false);
	emit_known(r, name, name_n + 1, NULL, false, open ? NULL : value, value_n, open);
	read_cluster(r, p, n, false, open);
	return true;
}

/* "-x", "-abc", "-ovalue", "-name", "-name=value", "+x". */
void cmd_reader_short(struct cmd_reader *r, const char *p, size_t n, bool open)
{
	const char *eq = memchr(p, '=', n);
	size_t name_n = eq && eq > p + 1 ? (size_t)(eq - p) : n;
	const struct line_option *known = NULL;
	bool cluster = !(r->flags & LINE_PF_NO_CLUSTER);

	if (name_n > 2 && (!open || name_n < n))
		known = cmd_reader_known(r, p, name_n);
	if (known) {
		emit_known(r, p, name_n, known, true,
			   name_n < n && !open ? p + name_n + 1 : NULL,
			   name_n < n ? n - name_n - 1 : 0, open);
		return;
	}
	if (read_one_dash(r, p, n, name_n, open))
		return;
	if (cluster || (n == 2 && !open)) {
		read_cluster(r, p, n, r->prog || n == 2, open);
		/* if no table knows the program, the word may be one name */
		if (n == 2 || r->prog)
			return;
	} else {
		known = cmd_reader_known(r, p, 2);
		if (known && known->takes != LINE_TAKES_NOTHING)
			emit_known(r, p, 2, known, false, open ? NULL : p + 2,
				   open ? 0 : n - 2, open);
	}
	if (open && name_n == n)
		cmd_reader_emit(r, CMD_O_ANY, p, n, NULL, false);
	else
		emit_known(r, p, name_n, NULL, !cluster, name_n < n && !open ? p + name_n + 1 :
			   NULL, name_n < n ? n - name_n - 1 : 0, open);
}
