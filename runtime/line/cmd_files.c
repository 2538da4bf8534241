/*
 * Finds the words of a command that name files which it reads, writes or runs as code, in
 * any reading, as its table says. What a program reads and writes is decided with its
 * part. Scripts are looked at here, and together with all parts in cmd_made.c.
 */
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_files.h"
#include "runtime/line/cmd_script.h"
#include "runtime/line/cmd_text.h"

struct files {
	struct cmd_an *a;
	struct cmd_part *p;
	bool instead_may, instead; /* an option replaces the first or last operand */
	bool trees, edits;
	bool suffix;               /* and leaves what was there in a file with another name */
	bool below;                /* everything below what it writes is written, too */
	bool begins;               /* an option's value is a part of names that it makes */
	bool unpacks;              /* it writes files that no word names, unless … */
	bool names;                /* it reads files that no word names */
	bool lists;                /* … an option makes it only list them (`unzip -l`) */
	bool whole;                /* names that it makes in a directory are whole words */
	bool bundle;               /* the first word stands for options (`tar czf`) */
	uint32_t last, last_sure;  /* the last word that may be an operand, and that
	                              surely is one */
	uint32_t nsure;            /* how many words surely are operands */
	bool reads;
};

/* May this word, operand number first … last, be operand N (with `on`: or a later one)?
 * An option may have replaced one operand, so that the numbers shift. */
static bool is_number(const struct files *f, const struct cmd_word *w, uint32_t n, bool on)
{
	for (uint32_t less = f->instead ? 1 : 0; less <= (f->instead_may ? 1U : 0U); less++) {
		uint32_t k = n > less ? n - less : on ? 1 : 0;

		if (k && w->last >= k && (on || w->first <= k))
			return true;
	}
	return false;
}

static bool is_place(const struct files *f, const struct line_place *c, uint32_t i)
{
	const struct cmd_word *w = &f->p->words[i];
	const struct sh_word *s = w->w;
	bool is;

	if (!w->last || !(w->roles & CMD_W_OPERAND))
		return false;
	switch (c->operand) {
	case LINE_ANY_OPERAND:
		is = true;
		break;
	case LINE_LAST_OPERAND:
		is = !f->instead && i >= f->last_sure;
		break;
	case LINE_REST_OPERAND:
		is = f->instead_may || i < f->last;
		break;
	default:
		is = is_number(f, w, c->operand % LINE_FROM_OPERAND, c->operand > LINE_FROM_OPERAND);
		break;
	}
	return is && (!sh_is_literal(s) || cmd_when(f->a->facts, c->when, s->seg.p, s->seg.n));
}

static void mark(struct files *f, struct cmd_word *w, uint8_t place)
{
	w->places |= place;
	f->reads |= place == CMD_P_READS;
}

/* `ln -s DIR/NAME` makes NAME in the working directory. */
static uint8_t written_place(const struct files *f, const struct line_place *c)
{
	bool alone = c->operand == LINE_LAST_OPERAND && f->nsure < 2;

	return alone ? CMD_P_WRITES | CMD_P_HERE : CMD_P_WRITES;
}

static void operands(struct files *f)
{
	const struct line_facts *facts = f->a->facts;

	for (uint32_t k = 0; k < f->p->program->places.count; k++) {
		const struct line_place *c = pb_at(facts, f->p->program->places, sizeof(*c), k);

		for (uint32_t i = 1; i < f->p->nwords; i++) {
			if (!is_place(f, c, i))
				continue;
			if (c->kind == LINE_PLACE_READS)
				mark(f, &f->p->words[i], CMD_P_READS);
			else if (c->kind == LINE_PLACE_WRITES)
				mark(f, &f->p->words[i], written_place(f, c));
			else if (c->kind == LINE_PLACE_BEGINS)
				mark(f, &f->p->words[i], CMD_P_BEGINS);
			else if (c->kind == LINE_PLACE_BELOW)
				mark(f, &f->p->words[i], CMD_P_BELOW);
			else if (c->kind == LINE_PLACE_SCRIPT)
				cmd_script_file(f->a, f->p, f->p->words[i].w);
			else if (c->kind == LINE_PLACE_UNPACKS)
				f->unpacks = true;
			else if (c->kind == LINE_PLACE_NAMES)
				f->names = true;
			else {
				f->trees = true;
				f->bundle |= i == 1;
			}
		}
	}
}

/* The value of an option is a script. */
static bool script_value(struct files *f, const struct cmd_option *o)
{
	struct sh_word *w;

	if (o->value_open) {
		cmd_opaque(f->p, "a script that is no literal path");
	} else if (o->value) {
		w = cmd_literal(f->a, o->value, o->value_n);
		if (!w)
			return false;
		cmd_script_file(f->a, f->p, w);
	} else if (o->value_word) {
		cmd_script_file(f->a, f->p, f->p->words[o->value_word].w);
	}
	return true;
}

static bool options(struct files *f)
{
	for (const struct cmd_option *o = f->p->options; o; o = o->next) {
		uint32_t flags = o->known ? o->known->flags : 0;
		struct cmd_word *w = &f->p->words[o->value || o->value_open || !o->value_word ?
							  o->word : o->value_word];

		if (o->value && sh_is_literal(w->w) && o->value > w->w->seg.p &&
		    o->value < w->w->seg.p + w->w->seg.n)
			w->value_at = (uint32_t)(o->value - w->w->seg.p);
		if (flags & LINE_OF_READS)
			mark(f, w, CMD_P_READS);
		if (flags & LINE_OF_WRITES)
			mark(f, w, CMD_P_WRITES);
		if (flags & LINE_OF_BEGINS)
			mark(f, w, CMD_P_BEGINS);
		f->begins |= (flags & LINE_OF_BEGINS) != 0;
		f->below |= (flags & LINE_OF_BELOW) != 0;
		f->unpacks |= (flags & LINE_OF_UNPACKS) != 0;
		f->names |= (flags & LINE_OF_NAMES) != 0;
		f->lists |= (flags & LINE_OF_QUERY) && o->sure;
		f->whole |= (flags & LINE_OF_BEGINS) && o->known->takes == LINE_TAKES_NOTHING;
		f->trees |= (flags & LINE_OF_TREES) != 0;
		f->edits |= (flags & LINE_OF_EDITS) != 0;
		f->suffix |= (flags & LINE_OF_EDITS) && (o->value_n || o->value_open);
		if (flags & LINE_OF_INSTEAD) {
			f->instead_may = true;
			f->instead |= o->sure;
		}
		if ((flags & LINE_OF_SCRIPT) && !script_value(f, o))
			return false;
	}
	return true;
}

static bool says_writes(const struct cmd_an *a, const struct line_program *p)
{
	for (uint32_t i = 0; i < p->places.count; i++) {
		const struct line_place *c = pb_at(a->facts, p->places, sizeof(*c), i);

		if (c->kind == LINE_PLACE_WRITES)
			return true;
	}
	return false;
}

/* A subcommand runs what its program runs. */
bool cmd_unasked(struct cmd_an *a, struct cmd_part *p)
{
	const struct line_program *t = cmd_table_of_files(cmd_node(p));

	for (; t; t = cmd_base_of(a->facts, t))
		for (uint32_t i = 0; i < t->defaults.count; i++) {
			const struct line_word *w = pb_at(a->facts, t->defaults, sizeof(*w), i);

			if (!cmd_script_unasked(a, p, pb_strp(a->facts, w->text), w->text.len))
				return false;
		}
	return true;
}

/* May this word be one after which a command stands, as find's -exec? */
static bool may_hand_on(const struct cmd_an *a, const struct line_program *t,
			const struct sh_word *w)
{
	struct cmd_shape s;

	cmd_shape(w, &s);
	if (s.literal || (s.home && !s.splits))
		return s.literal && cmd_in_words(a->facts, t->after, s.p, s.n);
	for (uint32_t i = 0; i < t->after.count; i++) {
		const struct line_word *one = pb_at(a->facts, t->after, sizeof(*one), i);

		if (s.splits || (s.n <= one->text.len &&
				 memcmp(pb_strp(a->facts, one->text), s.p, s.n) == 0))
			return true;
	}
	return false;
}

/* Does a command among the words get the names of what lies below the operands? */
static bool hands_on(const struct cmd_an *a, const struct cmd_part *p)
{
	for (uint32_t i = 1; p->program->after.count && i < p->nwords; i++)
		if (may_hand_on(a, p->program, p->words[i].w))
			return true;
	return false;
}

/* `tar czf X`: X is read as another operand, and may be the value of one of these letters. */
static void behind_bundle(struct files *f)
{
	for (uint32_t i = 2; f->bundle && i < f->p->nwords; i++)
		if (f->p->words[i].roles & CMD_W_OPERAND) {
			f->p->words[i].may_write = true;
			return;
		}
}

void cmd_may_write(struct cmd_part *p)
{
	const struct cmd_node *n = cmd_node(p);
	const struct line_program *t = cmd_table_of_files(n);
	uint32_t end = n->begin ? n->begin : p->nwords;
	bool nothing = t && (t->flags & LINE_PF_MAKES_NOTHING);
	const uint8_t either = CMD_W_VALUE | CMD_W_OPERAND;

	for (uint32_t i = 1; i < end; i++) {
		struct cmd_word *w = &p->words[i];
		/* `iconv -o FILE`, where the table does not know -o: the file may be its value */
		bool of_unknown = (w->roles & either) == either;

		w->may_write |= (w->places & (CMD_P_WRITES | CMD_P_BEGINS)) ||
				(!nothing && (!(w->places & CMD_P_READS) || of_unknown));
	}
}

/* git's own commands neither move nor remove the repository in which they run. */
static bool is_of_git(const struct cmd_an *a, const struct line_program *t)
{
	const struct line_program *base = cmd_base_of(a->facts, t);

	return base && base->name.len == 3 && memcmp(pb_strp(a->facts, base->name), "git", 3) == 0;
}

/* Do the command's tests choose among the names below by what they are called? */
static bool chooses_names(const struct cmd_part *p)
{
	static const char *const tests[] = { "-name", "-iname", "-path", "-ipath", "-wholename",
					     "-iwholename", "-regex", "-iregex" };

	for (const struct cmd_option *o = p->options; o; o = o->next)
		for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
			if (o->name_n == strlen(tests[i]) &&
			    memcmp(o->name, tests[i], o->name_n) == 0)
				return true;
	return false;
}

/* `sed -i`, `tar --remove-files`: what it reads is written, too. */
static void mark_edited(struct files *f)
{
	for (uint32_t i = 1; i < f->p->nwords; i++)
		if (f->p->words[i].places & CMD_P_READS)
			f->p->words[i].places |= CMD_P_WRITES;
}

/*
 * `rm -r DIR`, `find DIR -delete`, `git clean -f`: the directories are the operands that are
 * written; if no table line says which, those that are read; if there are none, the working
 * directory. Which files the tests of find choose is not known: their words may name one.
 */
static void mark_below(struct files *f)
{
	bool named = chooses_names(f->p), any = false;

	for (uint8_t place = CMD_P_WRITES; !any && place; place = place == CMD_P_WRITES ? CMD_P_READS : 0)
		for (uint32_t i = 1; i < f->p->nwords; i++) {
			struct cmd_word *w = &f->p->words[i];

			if (!(w->places & place) || !(w->roles & CMD_W_OPERAND))
				continue;
			any = true;
			w->may_write = true; /* `find FILE -delete` */
			w->places |= named ? 0 : CMD_P_BELOW | CMD_P_WRITES;
		}
	for (uint32_t i = 1; named && i < f->p->nwords; i++)
		f->p->words[i].may_write = true;
	if (!any && !named)
		f->p->flags |= CMD_WRITES_HERE;
}

bool cmd_files(struct cmd_an *a, struct cmd_part *p, bool input)
{
	struct files f = { .a = a, .p = p };
	bool whole = p->program->flags & LINE_PF_WHOLE_TREES;

	for (uint32_t i = 1; i < p->nwords; i++) {
		if (!p->words[i].last)
			continue;
		if (p->words[i].roles & CMD_W_OPERAND)
			f.last = i;
		if (p->words[i].roles == CMD_W_OPERAND)
			f.nsure++;
		if (p->words[i].roles == CMD_W_OPERAND && p->words[i].first == p->words[i].last)
			f.last_sure = i;
	}
	if (!options(&f))
		return false;
	operands(&f);
	behind_bundle(&f);
	cmd_node(p)->unpacks = !f.lists && f.unpacks;
	cmd_node(p)->names = f.names;
	if (f.edits)
		mark_edited(&f);
	if (f.below)
		mark_below(&f);
	if (is_of_git(a, p->program))
		p->flags |= CMD_LEAVES_REPO;
	/* `cp -bS .md x CLAUDE` keeps what was there as CLAUDE.md */
	for (uint32_t i = 1; f.begins && i < p->nwords; i++)
		if (p->words[i].places & CMD_P_WRITES)
			p->words[i].places |= CMD_P_BEGINS;
	cmd_node(p)->writes_more = (p->flags & CMD_APPENDS) &&
				   (f.edits || says_writes(a, p->program));
	f.trees |= whole || hands_on(a, p);
	for (uint32_t i = 1; i < p->nwords; i++)
		if (p->words[i].places & CMD_P_READS)
			p->words[i].places |= (f.trees ? CMD_P_TREE : 0) |
					      (f.edits && f.suffix ? CMD_P_BEGINS : 0) |
					      (f.whole ? CMD_P_WHOLE : 0);
	if (!f.trees)
		return true;
	/* `grep -r X` reads the directory, `x | rg X` does not */
	if (!f.reads && !(whole && input) && !says_writes(a, p->program))
		p->flags |= CMD_READS_HERE;
	return true;
}

/* --- names that it makes in a directory ------------------------------------------------------ */

/* The last component of the word, which may end with slashes (`cp -r x/.claude/ .`). */
static bool file_name(const struct sh_word *w, const char **ret_p, size_t *ret_n)
{
	struct sh_word cut = *w;
	struct sh_seg *g = &cut.seg;

	while (g->kind == SH_LIT && !g->next && g->n > 1 && g->p[g->n - 1] == '/')
		g->n--;
	return cmd_base(&cut, ret_p, ret_n);
}

bool cmd_name_in(const struct cmd_part *p, uint32_t k, const char **ret_p, size_t *ret_n)
{
	const struct cmd_word *w;

	if (k + 1 >= p->nwords)
		return false;
	w = &p->words[k + 1];
	*ret_n = 0;
	if (!(w->places & CMD_P_READS))
		return true;
	if ((w->places & CMD_P_WHOLE) && sh_is_literal(w->w)) {
		*ret_p = w->w->seg.p;
		*ret_n = w->w->seg.n;
	} else if (!file_name(w->w, ret_p, ret_n)) {
		*ret_n = 0;
	}
	return true;
}

bool cmd_name_here(const struct cmd_word *w, uint32_t k, const char **ret_p, size_t *ret_n)
{
	static const char repository[] = ".git"; /* `git clone x/NAME.git` makes NAME */
	const size_t end = sizeof(repository) - 1;

	if (!(w->places & CMD_P_HERE) || k > 1 || !file_name(w->w, ret_p, ret_n))
		return false;
	if (!k)
		return *ret_n > 0;
	if (*ret_n <= end || memcmp(*ret_p + *ret_n - end, repository, end) != 0)
		return false;
	*ret_n -= end;
	return true;
}
