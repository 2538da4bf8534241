/* Checks commands.bin: the facts about programs, and the automata of `when`. */
#include <string.h>

#include "runtime/bundle/check.h"

#define MAX_PROGRAMS PB_MAX_RULES
#define MAX_RECORDS 4096u /* in one table of a program */
#define MAX_WHENS 1024u

#define OPTION_FLAGS \
	(LINE_OF_GLOBAL | LINE_OF_CODE | LINE_OF_QUERY | LINE_OF_MOVES | LINE_OF_RUNS | LINE_OF_LEADS | \
	 LINE_OF_READS | LINE_OF_WRITES | LINE_OF_SCRIPT | LINE_OF_TREES | LINE_OF_INSTEAD | \
	 LINE_OF_EDITS | LINE_OF_BEGINS | LINE_OF_BELOW | LINE_OF_UNPACKS | LINE_OF_NAMES)

struct commands {
	struct check *c;
	const struct line_facts *h;
};

static const void *at(const struct check *c, uint32_t off)
{
	return c->data + off;
}

/* Compares in byte order; if one string begins the other, the shorter is less. */
static int cmp(const struct check *c, struct pb_str x, struct pb_str y)
{
	uint32_t n = x.len < y.len ? x.len : y.len;
	int r = n ? memcmp(at(c, x.off), at(c, y.off), n) : 0;

	if (r != 0)
		return r;
	return x.len < y.len ? -1 : x.len > y.len;
}

/* The name is not empty, and is greater than the one before it. */
static int check_name(struct check *c, const struct pb_str *before, struct pb_str s,
		      const char *what)
{
	CHECK_TRY(check_string(c, s, what));
	if (s.len == 0)
		return check_bad(c, "%s is empty", what);
	if (before && cmp(c, *before, s) >= 0)
		return check_bad(c, "%s is repeated or not sorted", what);
	return 0;
}

static int check_when(const struct commands *m, uint32_t when)
{
	if (when != LINE_NO_WHEN && when >= m->h->whens.count)
		return check_bad(m->c, "a code place names no 'when'");
	return 0;
}

/* Number of options of a program and of all its base programs. */
static uint64_t all_options(const struct commands *m, const struct line_program *p)
{
	const struct line_program *v = at(m->c, m->h->programs.off);
	uint64_t n = p->options.count;

	/* a base program comes before its subcommands: check_base() */
	for (; p->base; p = v + p->base - 1)
		n += v[p->base - 1].options.count;
	return n;
}

static int check_options(const struct commands *m, const struct line_program *p)
{
	const struct line_option *o;
	uint32_t stems = 0;
	uint64_t all = all_options(m, p);

	CHECK_TRY(check_table(m->c, p->options, sizeof(*o), MAX_RECORDS, "options"));
	o = at(m->c, p->options.off);
	for (uint32_t i = 0; i < p->options.count; i++) {
		CHECK_TRY(check_name(m->c, i ? &o[i - 1].name : NULL, o[i].name,
				     "an option's name"));
		if (o[i].takes > LINE_TAKES_EITHER || (o[i].flags & ~(uint32_t)OPTION_FLAGS) ||
		    o[i].zero)
			return check_bad(m->c, "an option has an unknown flag");
		if (o[i].when != LINE_NO_WHEN && !(o[i].flags & LINE_OF_CODE))
			return check_bad(m->c, "an option that is no code has a 'when'");
		if (o[i].same >= all)
			return check_bad(m->c, "an option is the same as no other");
		CHECK_TRY(check_when(m, o[i].when));
		stems |= ((const char *)at(m->c, o[i].name.off))[o[i].name.len - 1] == '*';
	}
	if (p->stems != stems)
		return check_bad(m->c, "a program is wrong about the names of its options");
	return 0;
}

static int check_codes(const struct commands *m, const struct line_program *p)
{
	const struct line_code *v;

	CHECK_TRY(check_table(m->c, p->codes, sizeof(*v), MAX_RECORDS, "code places"));
	v = at(m->c, p->codes.off);
	for (uint32_t i = 0; i < p->codes.count; i++) {
		if (v[i].operand == 0 || (i && v[i - 1].operand >= v[i].operand))
			return check_bad(m->c,
					 "the code places are repeated or not sorted");
		CHECK_TRY(check_when(m, v[i].when));
	}
	return 0;
}

static int check_places(const struct commands *m, const struct line_program *p)
{
	const struct line_place *v;

	CHECK_TRY(check_table(m->c, p->places, sizeof(*v), MAX_RECORDS, "places of files"));
	v = at(m->c, p->places.off);
	for (uint32_t i = 0; i < p->places.count; i++) {
		uint32_t n = v[i].operand;

		if (v[i].kind < LINE_PLACE_READS || v[i].kind > LINE_PLACE_NAMES ||
		    (n < LINE_REST_OPERAND && (n % LINE_FROM_OPERAND == 0 ||
					     n % LINE_FROM_OPERAND > UINT8_MAX ||
					     n / LINE_FROM_OPERAND > 1)))
			return check_bad(m->c, "a place of a file is none");
		if (i && (v[i - 1].kind > v[i].kind ||
			  (v[i - 1].kind == v[i].kind && v[i - 1].operand >= n)))
			return check_bad(m->c,
					 "the places of files are repeated or not sorted");
		CHECK_TRY(check_when(m, v[i].when));
	}
	return 0;
}

static int check_words(const struct commands *m, struct pb_table t, const char *what)
{
	const struct line_word *v;

	CHECK_TRY(check_table(m->c, t, sizeof(*v), MAX_RECORDS, what));
	v = at(m->c, t.off);
	for (uint32_t i = 0; i < t.count; i++)
		CHECK_TRY(check_name(m->c, i ? &v[i - 1].text : NULL, v[i].text,
				     "a word around a command"));
	return 0;
}

/* Names of files; one '*' may stand for any text. */
static int check_defaults(const struct commands *m, struct pb_table t)
{
	const struct line_word *v;

	CHECK_TRY(check_words(m, t, "names of files that it runs"));
	v = at(m->c, t.off);
	for (uint32_t i = 0; i < t.count; i++) {
		const char *p = at(m->c, v[i].text.off), *star = memchr(p, '*', v[i].text.len);

		if (memchr(p, '/', v[i].text.len) || (star && v[i].text.len == 1) ||
		    (star && memchr(star + 1, '*', v[i].text.len - (size_t)(star + 1 - p))))
			return check_bad(m->c, "a file that a program runs has no name");
	}
	return 0;
}

#define KINDS ((uint32_t)(LINE_PK_PROGRAM | LINE_PK_WRAPPER | LINE_PK_INTERPRETER))
#define FLAGS ((uint32_t)(2 * LINE_PF_FILES_ONLY - 1))

/* "git rebase" comes after "git" and is its subcommand; "git" itself is not a
 * subcommand. */
static int check_base(const struct commands *m, uint32_t i)
{
	const struct line_program *v = at(m->c, m->h->programs.off), *p = v + i;
	const char *name = at(m->c, p->name.off);
	uint32_t n = p->name.len;

	while (n && name[n - 1] != ' ')
		n--;
	if (!n && !p->base)
		return 0;
	if (!n || p->base > i || !p->base || v[p->base - 1].name.len != n - 1 ||
	    memcmp(at(m->c, v[p->base - 1].name.off), name, n - 1) != 0 ||
	    n == p->name.len)
		return check_bad(m->c, "a subcommand is not one of its program");
	if (p->name.len > LINE_MAX_SUBCOMMAND)
		return check_bad(m->c, "the name of a subcommand is too long");
	if (!(v[p->base - 1].flags & LINE_PF_SUBCOMMANDS))
		return check_bad(m->c, "a program does not know of its subcommands");
	return 0;
}

/* "c99" has the table of "gcc", which is its own, and nothing besides. */
static int check_as(const struct commands *m, uint32_t i)
{
	const struct line_program *v = at(m->c, m->h->programs.off), *p = v + i;

	if (!p->as)
		return 0;
	if (p->as > m->h->programs.count || p->as == i + 1 || v[p->as - 1].as ||
	    v[p->as - 1].base)
		return check_bad(m->c, "a program has the table of none");
	if (p->base || p->flags || p->skip || p->options.count || p->codes.count ||
	    p->places.count || p->after.count || p->ends.count || p->defaults.count)
		return check_bad(m->c, "a program has two tables");
	return 0;
}

static int check_programs(const struct commands *m)
{
	const struct line_program *v;

	CHECK_TRY(check_table(m->c, m->h->programs, sizeof(*v), MAX_PROGRAMS,
			      "programs"));
	v = at(m->c, m->h->programs.off);
	for (uint32_t i = 0; i < m->h->programs.count; i++) {
		const struct line_program *p = v + i;

		CHECK_TRY(check_name(m->c, i ? &v[i - 1].name : NULL, p->name,
				     "a program's name"));
		if (memchr(at(m->c, p->name.off), '/', p->name.len))
			return check_bad(m->c, "a program's name is a path");
		if (p->kinds == 0 || (p->kinds & ~KINDS) || (p->flags & ~FLAGS) ||
		    p->skip > UINT8_MAX)
			return check_bad(m->c, "a program has an unknown kind or flag");
		CHECK_TRY(check_base(m, i));
		CHECK_TRY(check_as(m, i));
		CHECK_TRY(check_options(m, p));
		CHECK_TRY(check_codes(m, p));
		CHECK_TRY(check_places(m, p));
		CHECK_TRY(check_words(m, p->after, "words before commands"));
		CHECK_TRY(check_words(m, p->ends, "words behind commands"));
		CHECK_TRY(check_words(m, p->also, "names of a subcommand"));
		CHECK_TRY(check_defaults(m, p->defaults));
		if ((p->flags & LINE_PF_FILES_ONLY) &&
		    (p->kinds != LINE_PK_PROGRAM || p->options.count || p->codes.count ||
		     p->places.count || p->after.count || p->ends.count ||
		     p->skip || (p->flags & LINE_PF_SUBCOMMANDS)))
			return check_bad(m->c, "a program says more than of its files");
	}
	return 0;
}

static int check_vars(const struct commands *m)
{
	const struct line_var *v;

	CHECK_TRY(check_table(m->c, m->h->vars, sizeof(*v), MAX_PROGRAMS, "variables"));
	v = at(m->c, m->h->vars.off);
	for (uint32_t i = 0; i < m->h->vars.count; i++) {
		CHECK_TRY(check_name(m->c, i ? &v[i - 1].name : NULL, v[i].name,
				     "a variable's name"));
		if (v[i].taint > 1 || v[i].zero)
			return check_bad(m->c, "a variable has an unknown kind");
	}
	return 0;
}

static int check_pins(const struct commands *m)
{
	static const uint8_t none[32];
	const struct line_pin *v;

	CHECK_TRY(check_table(m->c, m->h->pins, sizeof(*v), MAX_PROGRAMS, "pins"));
	v = at(m->c, m->h->pins.off);
	for (uint32_t i = 0; i < m->h->pins.count; i++) {
		CHECK_TRY(check_name(m->c, i ? &v[i - 1].name : NULL, v[i].name,
				     "a pin's name"));
		CHECK_TRY(check_name(m->c, NULL, v[i].path, "a pin's path"));
		if (*(const char *)at(m->c, v[i].path.off) != '/')
			return check_bad(m->c, "a pin's path is not absolute");
		if (v[i].has_digest > 1 || v[i].zero ||
		    (!v[i].has_digest && memcmp(v[i].sha256, none, sizeof(none)) != 0))
			return check_bad(m->c, "a pin has an unknown digest");
	}
	return 0;
}

/* A text matches if it ends in a state with the tag 0. */
static int check_whens(const struct commands *m)
{
	const struct pb_automaton *v;

	CHECK_TRY(check_table(m->c, m->h->whens, sizeof(*v), MAX_WHENS, "'when'"));
	v = at(m->c, m->h->whens.off);
	for (uint32_t i = 0; i < m->h->whens.count; i++) {
		const uint32_t *tags;

		if (v[i].kind || v[i].root || v[i].abstract || v[i].zero ||
		    v[i].except || v[i].hides)
			return check_bad(m->c, "the automaton of a 'when' has flags");
		CHECK_TRY(check_automaton(m->c, v + i));
		tags = at(m->c, v[i].tags);
		for (uint32_t k = 0; k < v[i].ntags; k++)
			if (tags[k] != 0)
				return check_bad(m->c, "the automaton of a 'when' has "
						       "a tag");
	}
	return 0;
}

static int check_shell(const struct commands *m)
{
	CHECK_TRY(check_string(m->c, m->h->shell, "the shell's path"));
	CHECK_TRY(check_name(m->c, NULL, m->h->shell_name, "the shell's name"));
	if (m->h->dialect > LINE_DIALECT_NONE || m->h->zero)
		return check_bad(m->c, "an unknown dialect");
	if (m->h->shell.len && *(const char *)at(m->c, m->h->shell.off) != '/')
		return check_bad(m->c, "the shell's path is not absolute");
	return 0;
}

int bundle_check_commands(const void *data, size_t size, struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_COMMANDS, .err = err };
	struct commands m = { &c, data };

	CHECK_TRY(check_head(&c, PB_MAGIC_COMMANDS, sizeof(*m.h)));
	CHECK_TRY(check_whens(&m));
	CHECK_TRY(check_programs(&m));
	CHECK_TRY(check_vars(&m));
	CHECK_TRY(check_pins(&m));
	return check_shell(&m);
}
