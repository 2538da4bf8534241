/*
 * Other names of a command, from its tables: a subcommand that is a program of its own
 * ("git-push"), one that is cut short or has a second name ("npm publ"), a package with
 * its version or source ("npx npm@9", "nix run nixpkgs#npm"), one that is spelled with more or
 * other words ("docker image rm", "k3s kubectl"), a program that an interpreter
 * is given as its script or module ("python3 -m pip"). The command is also judged
 * under each of these names, but there only deny and ask rules count. The part with the
 * name as written is judged in full. The steps come to an end: each new name has a table,
 * of a program or of a subcommand, or is shorter.
 */
#include <ctype.h>

#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_text.h"

/* Room for n words of another reading of a command; NULL: a limit is reached. */
static struct cmd_word *new_words(struct cmd_an *a, uint32_t n)
{
	return cmd_work(a, n + 16) ? cmd_alloc(a, sizeof(struct cmd_word) * n) : NULL;
}

/* Analyses the words as another reading of a command.  `flags`: of its part; the name as written was
 * already asked about `otherwise`. */
static bool run_words(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *v, uint32_t n,
		      uint32_t flags)
{
	struct cmd_part **part = a->tail;
	struct cmd_ctx as = *c;

	as.alternative = true;
	if (!cmd_run(a, &as, v, n))
		return false;
	(*part)->flags |= flags;
	return true;
}

/* Runs the command with word `at` replaced by a name, or by `first` and that name. */
static bool run_as(struct cmd_an *a, const struct cmd_ctx *c,
		   const struct cmd_word *words, uint32_t n, uint32_t at,
		   const struct sh_word *first, const struct sh_word *name)
{
	uint32_t more = first != NULL;
	struct cmd_word *v = name ? new_words(a, n + more) : NULL;

	if (!v)
		return false;
	for (uint32_t i = 0; i < n + more; i++) {
		const struct cmd_word *w = words + (i < more ? 0 : i - more);

		v[i] = (struct cmd_word){ .w = w->w, .as = w->as };
	}
	if (first)
		v[0].w = first;
	v[at + more].w = name;
	/* if the word may also be a value, another reading covers that */
	v[at + more].as = at + more ? CMD_AS_OPERAND : CMD_AS_ANY;
	return run_words(a, c, v, n + more, CMD_TRANSPARENT);
}

/* "git-push": the text before the dash names a program whose table allows this form, also
 * where "docker-compose" has a table of its own. */
static bool dashed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct line_program *prog;
	const struct sh_word *first;
	const char *base, *dash;
	size_t n, k;

	if (!cmd_base(p->words[0].w, &base, &n))
		return true;
	dash = memchr(base, '-', n);
	if (!dash || dash + 1 == base + n)
		return true;
	k = (size_t)(dash - base);
	prog = cmd_program(a->facts, base, k);
	if (!prog || !(prog->flags & LINE_PF_DASHED))
		return true;
	first = cmd_literal(a, base, k);
	return first && run_as(a, c, p->words, p->nwords, 0, first,
			       cmd_literal(a, dash + 1, n - k - 1));
}

/* Is it another name of this subcommand, or the beginning of its name? */
static bool is_other(const struct cmd_an *a, const struct line_program *sub,
		     const char *name, uint32_t name_n, bool cut, const char *p,
		     uint32_t n)
{
	if (cut && n < name_n && memcmp(name, p, n) == 0)
		return true;
	return cmd_in_words(a->facts, sub->also, p, n);
}

/* "npm publ", "npm i": each subcommand that the word may mean. */
static bool subcommands(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
			uint32_t at)
{
	const struct line_facts *f = a->facts;
	const struct line_program *prog = p->program, *sub;
	const struct sh_seg *word = &p->words[at].w->seg;
	bool cut = prog->flags & LINE_PF_ABBREVIATE_COMMANDS;
	const struct line_program *all = pb_at(f, f->programs, sizeof(*all), 0);
	uint32_t number = (uint32_t)(prog - all) + 1, skip = prog->name.len + 1;

	/* its subcommands come right after it in the table, and theirs as well */
	for (uint32_t i = number; i < f->programs.count; i++) {
		const char *name = pb_strp(f, all[i].name) + skip;

		sub = all + i;
		if (sub->name.len <= skip || name[-1] != ' ' ||
		    memcmp(name - skip, pb_strp(f, prog->name), skip - 1) != 0)
			break;
		if (sub->base == number &&
		    is_other(a, sub, name, sub->name.len - skip, cut, word->p,
			     word->n) &&
		    !run_as(a, c, p->words, p->nwords, at, NULL,
			    cmd_literal(a, name, sub->name.len - skip)))
			return false;
	}
	return true;
}

/*
 * If two words may be values, the first fork makes the reading where both are. The second
 * fork keeps the first word as it is here.
 */
bool cmd_forked(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		const struct cmd_read *r)
{
	for (const struct cmd_fork *f = r->forks; f; f = f->next) {
		const struct cmd_fork *g = r->forks;
		struct cmd_word *v = new_words(a, p->nwords);

		if (!v)
			return false;
		for (uint32_t i = 0; i < p->nwords; i++)
			v[i] = (struct cmd_word){ .w = p->words[i].w, .as = p->words[i].as };
		for (; g != f; g = g->next)
			v[g->word].as = CMD_AS_OPERAND;
		v[f->word].as = CMD_AS_VALUE;
		if (!run_words(a, c, v, p->nwords, 0))
			return false;
	}
	return true;
}

/*
 * The same command once more with another name of its program. What it runs and what it
 * holds belongs to the part with the name as written, which has the same table.
 */
static bool add_named_part(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
			   const char *name, size_t n)
{
	struct cmd_ctx as = *c;
	struct cmd_part *named;

	if (!cmd_work(a, p->nwords + 16))
		return false;
	as.alternative = true;
	named = cmd_part_new(a, &as, CMD_COMMAND);
	if (!named)
		return false;
	named->words = cmd_alloc(a, sizeof(*named->words) * p->nwords);
	if (!named->words)
		return false;
	memcpy(named->words, p->words, sizeof(*named->words) * p->nwords);
	for (uint32_t i = 0; i < p->nwords; i++) {
		named->words[i].places = 0;
		named->words[i].may_write = false;
	}
	named->words[0].w = cmd_literal(a, name, n);
	named->nwords = p->nwords;
	named->program = p->program;
	named->options = p->options;
	named->flags |= CMD_RENAMED | CMD_TRANSPARENT | CMD_TABLED | (p->flags & CMD_APPENDS);
	return named->words[0].w != NULL;
}

/* Adds the part with this name, if it is one that a program may have: `a1` is no version of `a`. */
static bool add_plain_name(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
			   const char *name, size_t n)
{
	if (n < 2)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.+-", name[i]))
			return true;
	return add_named_part(a, c, p, name, n);
}

/* The name without its version and without its machine. Which component of
 * "x86_64-linux-gnu-ld" is the last of the triplet is not known: each may be. */
static bool named_plainly(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p)
{
	const char *base, *from, *dash;
	size_t n;

	if (!cmd_base(p->words[0].w, &base, &n))
		return true;
	for (from = base; from; from = dash ? dash + 1 : NULL) {
		size_t left = n - (size_t)(from - base), version = cmd_version_at_end(from, left);

		if (version && version < left && !add_plain_name(a, c, p, from, left - version))
			return false;
		if (from != base && left && !add_plain_name(a, c, p, from, left))
			return false;
		dash = cmd_names_machine(base, n) ? memchr(from, '-', left) : NULL;
	}
	return true;
}

/* "gcc-12", "x86_64-linux-gnu-gcc" and "c99" are gcc to a rule that denies or asks, whether a
 * table names gcc or not. */
static bool named_otherwise(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct line_program *called = cmd_node(p)->called;

	if (!p->program && !named_plainly(a, c, p))
		return false;
	if (!called)
		return true;
	if (cmd_node(p)->by_pattern &&
	    !add_named_part(a, c, p, pb_strp(a->facts, called->name), called->name.len))
		return false;
	for (uint32_t i = 0; i < called->also.count; i++) {
		const struct line_word *w = pb_at(a->facts, called->also, sizeof(*w), i);

		if (!add_named_part(a, c, p, pb_strp(a->facts, w->text), w->text.len))
			return false;
	}
	return true;
}

/* --- spellings of several words ------------------------------------------------------------- */

/* A place in the words of a command where another spelling begins. */
struct spelling {
	uint32_t at, second; /* the words that it replaces; second 0: only one */
	bool program;        /* it replaces the name of the program as well */
};

/* The next operand behind word `i`, for all that the words themselves tell; 0: none. */
static uint32_t operand_behind(const struct cmd_part *p, uint32_t i)
{
	for (i++; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;

		if (!sh_is_literal(w) || !w->seg.n || w->seg.p[0] != '-')
			return i;
	}
	return 0;
}

/* Appends the words of a text, which one blank divides. */
static bool append_words(struct cmd_an *a, struct cmd_word *v, uint32_t *n, struct pb_str text)
{
	const char *p = pb_strp(a->facts, text), *end = p + text.len;

	while (p < end) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		const char *to = blank ? blank : end;

		v[*n] = (struct cmd_word){ .w = cmd_literal(a, p, (size_t)(to - p)) };
		if (!v[(*n)++].w)
			return false;
		p = blank ? blank + 1 : end;
	}
	return true;
}

/* Runs the command with `text` in the place of some of its words. */
static bool run_respelled(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
			  struct spelling s, struct pb_str text)
{
	struct cmd_word *v = new_words(a, p->nwords + text.len);
	uint32_t n = 0;

	if (!v)
		return false;
	for (uint32_t i = 0; i < p->nwords; i++) {
		if (i == (s.program ? 0 : s.at) && !append_words(a, v, &n, text))
			return false;
		if (i == s.at || (i && i == s.second) || (!i && s.program))
			continue;
		v[n++] = (struct cmd_word){ .w = p->words[i].w };
	}
	return run_words(a, c, v, n, CMD_TRANSPARENT | (c->respelled ? CMD_RENAMED : 0));
}

/*
 * The other names of the subcommand `sub` that are paths, from the word that names it:
 * "." is no word at all (`docker container rm`), ". *" nor is the operand behind it (`yarn
 * workspace X publish`), "../kubectl" is another program (`k3s kubectl delete`).
 */
static bool run_under_paths(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
			    const struct line_program *sub, uint32_t at)
{
	struct cmd_ctx respelled = *c;

	respelled.respelled = true;
	for (uint32_t i = 0; i < sub->also.count; i++) {
		const struct line_word *w = pb_at(a->facts, sub->also, sizeof(*w), i);
		const char *name = pb_strp(a->facts, w->text);
		struct spelling s = { .at = at };
		struct pb_str text = { .off = w->text.off };

		if (name[0] != '.')
			continue;
		if (w->text.len > 3 && memcmp(name, "../", 3) == 0) {
			s.program = true;
			text.off += 3;
			text.len = w->text.len - 3;
		} else if (w->text.len == 3 && memcmp(name, ". *", 3) == 0) {
			s.second = operand_behind(p, at);
		}
		/* docker-compose is docker compose, which is docker-compose */
		if (!run_respelled(a, s.program ? &respelled : c, p, s, text))
			return false;
	}
	return true;
}

static bool is_word(const struct cmd_part *p, uint32_t at, const char *text, size_t n)
{
	const struct sh_word *w = p->words[at].w;

	return at && sh_is_literal(w) && w->seg.n == n && memcmp(w->seg.p, text, n) == 0;
}

/* `docker image rm` is `docker rmi`: a name of two words is a name of the table's word. The other way
 * round it is not: `ask "docker:*" except "docker rmi:*"` would ask about `docker rmi`. */
static bool run_under_table_name(struct cmd_an *a, const struct cmd_ctx *c,
				 const struct cmd_part *p, const struct line_program *sub,
				 struct pb_str name, uint32_t at)
{
	struct spelling s = { .at = at, .second = operand_behind(p, at) };

	for (uint32_t i = 0; i < sub->also.count; i++) {
		const struct line_word *w = pb_at(a->facts, sub->also, sizeof(*w), i);
		const char *text = pb_strp(a->facts, w->text);
		const char *blank = memchr(text, ' ', w->text.len);
		size_t n = blank ? (size_t)(blank - text) : 0;

		if (blank && is_word(p, at, text, n) &&
		    is_word(p, s.second, blank + 1, w->text.len - n - 1))
			return run_respelled(a, c, p, s, name);
	}
	return true;
}

/* Is one of its other names a path? */
static bool is_path(const struct line_facts *f, const struct line_program *sub)
{
	for (uint32_t i = 0; i < sub->also.count; i++) {
		const struct line_word *w = pb_at(f, sub->also, sizeof(*w), i);

		if (pb_strp(f, w->text)[0] == '.')
			return true;
	}
	return false;
}

static bool run_under_spellings(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const struct line_facts *f = a->facts;
	const struct line_program *all = pb_at(f, f->programs, sizeof(*all), 0), *top, *sub;
	const char *base;
	uint32_t skip, at;
	size_t n;

	if (c->respelled || !cmd_base(p->words[0].w, &base, &n))
		return true;
	top = cmd_program(f, base, n);
	if (!top || !(top->flags & LINE_PF_SUBCOMMANDS))
		return true;
	for (at = 1; at < p->nwords; at++) {
		const struct sh_word *w = p->words[at].w;

		if (!sh_is_literal(w) || !w->seg.n)
			continue;
		sub = cmd_subcommand(f, top, w->seg.p, w->seg.n);
		if (sub && is_path(f, sub) && !run_under_paths(a, c, p, sub, at))
			return false;
		if (sub && (sub == p->program || is_path(f, sub)))
			break;
	}
	/* the subcommand that the words were read as; where it has no table, the first operand */
	at = at < p->nwords ? at : operand_behind(p, 0);
	if (!at)
		return true;
	skip = top->name.len + 1;
	/* its subcommands come right after it in the table, and theirs as well */
	for (sub = top + 1; sub < all + f->programs.count && sub->name.len > skip; sub++) {
		struct pb_str name = { .off = sub->name.off + skip, .len = sub->name.len - skip };

		if (memcmp(pb_strp(f, sub->name), pb_strp(f, top->name), skip - 1) != 0 ||
		    pb_strp(f, sub->name)[skip - 1] != ' ')
			break;
		if (sub->base != (uint32_t)(top - all) + 1 || !sub->also.count)
			continue;
		if (!run_under_table_name(a, c, p, sub, name, at))
			return false;
	}
	return true;
}

bool cmd_renamed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 const struct cmd_read *r)
{
	if (!named_otherwise(a, c, p))
		return false;
	if (!c->respelled && !dashed(a, c, p))
		return false;
	if (!p->program)
		return true;
	return run_under_spellings(a, c, p) && (!r->command || subcommands(a, c, p, r->command));
}

/* --- scripts and modules ------------------------------------------------------------------ */

/* Runs the words from `rest` on as the arguments of the program with this name. A name
 * without a folder gets one: the program is never a builtin of the shell. */
static bool run_named(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
		      const char *name, size_t n, uint32_t rest)
{
	uint32_t nwords = p->nwords - rest + 1;
	struct cmd_word *v;
	char *path;

	if (!n)
		return true;
	if (!cmd_work(a, n + rest))
		return false;
	path = cmd_alloc(a, n + 2);
	v = new_words(a, nwords);
	if (!path || !v)
		return false;
	memcpy(path, "./", 2);
	memcpy(path + 2, name, n);
	v[0] = (struct cmd_word){ .w = memchr(name, '/', n) ? cmd_literal(a, name, n) :
							      cmd_literal(a, path, n + 2) };
	for (uint32_t i = rest; i < p->nwords; i++)
		v[1 + i - rest] = (struct cmd_word){ .w = p->words[i].w };
	/* the interpreter has a table */
	return v[0].w && run_words(a, c, v, nwords, CMD_TRANSPARENT | CMD_TABLED);
}

bool cmd_as_program(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
		    uint32_t script)
{
	const struct sh_word *w = p->words[script].w;

	return !sh_is_literal(w) || cmd_lit(w, "-") ||
	       run_named(a, c, p, w->seg.p, w->seg.n, script + 1);
}

/* The module pre_commit is the program pre-commit. */
static bool run_dashed_module(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
			      const char *name, size_t n, uint32_t rest)
{
	char *other;

	if (!n || !memchr(name, '_', n))
		return true;
	other = cmd_alloc(a, n);
	if (!other)
		return false;
	for (size_t i = 0; i < n; i++)
		other[i] = name[i] == '_' ? '-' : name[i];
	return run_named(a, c, p, other, n, rest);
}

bool cmd_module(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p)
{
	static const char main_module[] = ".__main__";
	const size_t main_n = sizeof(main_module) - 1;
	const struct cmd_option *o;

	for (o = p->options; o; o = o->next) {
		uint32_t rest = o->word + 1;
		const char *name = o->value;
		size_t n = o->value_n;

		if (!o->known || !(o->known->flags & LINE_OF_LEADS))
			continue;
		if (!name && o->value_word && sh_is_literal(p->words[o->value_word].w)) {
			name = p->words[o->value_word].w->seg.p;
			n = p->words[o->value_word].w->seg.n;
			rest = o->value_word + 1;
		}
		if (!name)
			continue;
		if (n > main_n && memcmp(name + n - main_n, main_module, main_n) == 0)
			n -= main_n;
		if (!run_named(a, c, p, name, n, rest) || !run_dashed_module(a, c, p, name, n, rest))
			return false;
	}
	return true;
}

bool cmd_versioned(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *wrapper,
		   const struct cmd_word *words, uint32_t n)
{
	const char *base;
	size_t k, i;

	if (!(wrapper->program->flags & LINE_PF_VERSIONS) ||
	    !cmd_base(words[0].w, &base, &k))
		return true;
	for (i = 1; i < k && !strchr("@=#", base[i]); i++)
		;
	if (i + 1 >= k)
		return true;
	if (base[i] == '#')
		return run_as(a, c, words, n, 0, NULL,
			      cmd_literal(a, base + i + 1, k - i - 1));
	return run_as(a, c, words, n, 0, NULL, cmd_literal(a, base, i));
}
