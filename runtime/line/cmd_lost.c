/*
 * Paths that the text does not tell, so that no judge can say that a rule does not keep them: a
 * relative path of a command whose directory is not known, and a file that is written under a
 * name that is not known, because the name is a variable's value, stands in an archive, or comes
 * from a wrapper (`find DIR -exec rm {} +`, `find DIR | xargs rm`). A program that only reads what
 * xargs hands on to it is judged by the words of the commands before it in the pipe, as the command
 * of `find -exec` is judged by find's.
 */
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_files.h"
#include "runtime/line/cmd_read.h"
#include "runtime/line/cmd_text.h"

static const char no_directory[] = "a relative path, in a directory that is not known";
static const char no_name[] = "it writes a file whose name is not known";
static const char no_read_name[] = "it reads a file whose name is not known";

static bool is_separator(char c)
{
	return c && strchr("=@:,;", c);
}

/* Does a word begin with a value that nobody knows, and is it therefore no relative path that we
 * know of? PWD is the directory that is not known. */
static bool begins_open(const struct sh_seg *g)
{
	return g->kind == SH_HOME ||
	       ((g->kind == SH_ANY || g->kind == SH_MULTI) && g->n != 3 && !cmd_matched(g));
}

/* Where the value of the option in the word begins; n: it has none. */
static uint32_t value_begins(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;
	const char *eq = memchr(g->p, '=', g->n);

	if (word->value_at)
		return word->value_at;
	if (eq)
		return (uint32_t)(eq + 1 - g->p);
	return g->n > 2 && g->p[1] != '-' ? 2 : g->n;
}

/* Does the text, absolute as it looks, name the directory in which the program runs? */
static bool names_own_directory(const char *p, uint32_t n)
{
	static const char cwd[] = "/proc/self/cwd";
	const uint32_t k = sizeof(cwd) - 1;

	return n >= k && memcmp(p, cwd, k) == 0 && (n == k || p[k] == '/');
}

/* A word that a table says is read or written: is its path relative, or absolute below a root that is not known?
 * `-` is no path, nor is the name before the `=` of dd. */
static bool is_lost_place(const struct cmd_word *word, bool root_lost)
{
	const struct sh_seg *g = &word->w->seg;
	uint32_t at = 0;

	if (begins_open(g))
		return false;
	if (g->kind != SH_LIT)
		return true;
	if (g->n && g->p[0] == '-' && word->roles != CMD_W_OPERAND)
		at = value_begins(word);
	else if (g->n > 2 && (memcmp(g->p, "if=", 3) == 0 || memcmp(g->p, "of=", 3) == 0))
		at = 3;
	if (at >= g->n)
		return g->next && g->next->kind == SH_GLOB;
	if (names_own_directory(g->p + at, g->n - at) || (root_lost && g->p[at] == '/'))
		return true;
	return g->p[at] != '/' && !(g->n == 1 && g->p[0] == '-' && !g->next);
}

/* Is a component of a relative path in the text ".."? `-I..` and `--x=a:..` have one as well. */
static bool climbs(const char *p, uint32_t n, bool first)
{
	bool absolute = false, option = first && n && p[0] == '-';
	uint32_t from = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (is_separator(p[i])) {
			from = i + 1;
			continue;
		}
		if (i == from)
			absolute = p[i] == '/' && (i || first);
		if (absolute || i + 1 >= n || p[i] != '.' || p[i + 1] != '.' ||
		    (i + 2 < n && p[i + 2] != '/' && !is_separator(p[i + 2])))
			continue;
		if (i == from || p[i - 1] == '/' || (option && p[i - 1] != '.'))
			return true;
	}
	return false;
}

static bool word_climbs(const struct cmd_word *word)
{
	const struct sh_seg *first = &word->w->seg;

	if (begins_open(first))
		return false;
	if (first->kind == SH_LIT && first->n && first->p[0] == '/')
		return names_own_directory(first->p, first->n);
	for (const struct sh_seg *g = first; g; g = g->next)
		if (g->kind == SH_LIT && climbs(g->p, g->n, g == first))
			return true;
	return false;
}

/* These builtins only change the directory. */
static bool only_goes(const struct cmd_part *p)
{
	return cmd_lit(p->words[0].w, "cd") || cmd_lit(p->words[0].w, "pushd") ||
	       cmd_lit(p->words[0].w, "popd");
}

static bool has_lost_path(const struct cmd_part *p, uint32_t end)
{
	if (!p->dirs_lost || only_goes(p))
		return false;
	if (p->flags & (CMD_READS_HERE | CMD_WRITES_HERE))
		return true;
	for (uint32_t i = 1; i < end; i++)
		if (p->words[i].places ? is_lost_place(&p->words[i], p->root_lost) : word_climbs(&p->words[i]))
			return true;
	return false;
}

/* --- names that are not known --------------------------------------------------------------- */

/* `sort -oDIR/n[e]w`, `dd of=DIR/n?w`: the shell looks for names that begin with the option, and leaves
 * the pattern as it is if there are none. */
static bool is_attached_pattern(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;

	return cmd_has_glob(word) && g->kind == SH_LIT && g->n &&
	       (g->p[0] == '-' || memchr(g->p, '=', g->n));
}

/* `<(…)` is a descriptor of a command that is judged by itself. */
static bool is_process(const struct sh_word *w)
{
	return (w->flags & SH_W_PROCSUB) && !w->seg.next;
}

/* Is the piece the value of HOME or PWD? Of ~NAME that is not known. */
static bool is_known_directory(const struct sh_seg *g)
{
	return (g->kind == SH_ANY || g->kind == SH_MULTI) &&
	       (g->n == 3 || (g->n == 4 && memcmp(g->p, SH_A_HOME, 4) != 0));
}

/* May the word be a name of which nothing is known? A pattern of file names is looked up on the
 * disk, and a number is judged as a pattern. */
static bool is_unknown_name(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;

	if (is_process(word->w))
		return false;
	if (is_attached_pattern(word))
		return true;
	if (is_known_directory(g))
		g = g->next;
	for (; g; g = g->next)
		if ((g->kind == SH_ANY || g->kind == SH_MULTI) && !g->number)
			return true;
	return false;
}

/* Does the table say which files the program reads or writes, of operands that no word shows? */
static bool tells_operands(const struct cmd_an *a, const struct line_program *t)
{
	for (uint32_t i = 0; i < t->places.count; i++) {
		const struct line_place *c = pb_at(a->facts, t->places, sizeof(*c), i);

		if (c->kind == LINE_PLACE_READS && c->operand >= LINE_FROM_OPERAND)
			return true;
	}
	return false;
}

/* Does the program write what a wrapper hands on to it, as far as its table says? What a shell
 * does with the words after its text is judged with that text. */
static bool writes_operands(const struct cmd_an *a, struct cmd_part *p)
{
	const struct line_program *t = cmd_table_of_files(cmd_node(p));

	if (cmd_node(p)->writes_more)
		return true;
	return !t || !((t->flags & (LINE_PF_MAKES_NOTHING | LINE_PF_SHELL)) ||
		       (t->kinds & LINE_PK_WRAPPER) || tells_operands(a, t));
}

/* Does it write a file whose name is not known, or one of that name in a directory
 * (`cp "$f" DIR`)? */
static bool writes_unknown(const struct cmd_an *a, struct cmd_part *p, uint32_t end)
{
	const struct line_program *t = cmd_table_of_files(cmd_node(p));
	bool writes = false, unknown = false, others = writes_operands(a, p);

	if (cmd_node(p)->unpacks || (t && (t->flags & LINE_PF_WRITES_UNNAMED)) ||
	    (cmd_node(p)->handed_on && others))
		return true;
	for (uint32_t i = 1; i < end; i++) {
		const struct cmd_word *w = &p->words[i];
		uint8_t written = w->places & (CMD_P_WRITES | CMD_P_BEGINS | CMD_P_BELOW);
		bool is = is_unknown_name(w);

		if (is && (written || (w->handed_on && others && w->may_write)))
			return true;
		writes |= written && !(w->places & CMD_P_READS);
		unknown |= is && (w->places & CMD_P_READS);
	}
	return writes && (unknown || cmd_node(p)->handed_on);
}

/* Is the part in the code of a shell whose words after the code find hands on? What they read is
 * judged with find's words. */
static bool is_handed_on(const struct cmd_part *p)
{
	const struct cmd_part *shell = p->outer;
	bool handed = false;

	for (; shell; shell = shell->outer) {
		if (!shell->program || !(shell->program->flags & LINE_PF_SHELL))
			continue;
		for (uint32_t i = 1; i < shell->nwords; i++) {
			handed |= shell->words[i].handed_on;
			if (!shell->words[i].handed_on && is_unknown_name(&shell->words[i]))
				return false;
		}
		return handed && !(shell->flags & CMD_APPENDS);
	}
	return false;
}

/* Does a ".." stand behind a piece that is not known? It leads out of what a pattern or find names. */
static bool goes_back(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;

	for (; g; g = g->next)
		if ((g->kind == SH_LIT || g->kind == SH_GLOB) && g->n > 1 && memmem(g->p, g->n, "..", 2))
			return true;
	return false;
}

static bool reads_unknown(const struct cmd_part *p, uint32_t end)
{
	for (uint32_t i = 1; i < end; i++) {
		const struct cmd_word *w = &p->words[i];

		if (!(w->places & CMD_P_READS) || w->handed_on || !is_unknown_name(w))
			continue;
		if (goes_back(w) || is_attached_pattern(w))
			return true;
		for (const struct sh_seg *g = &w->w->seg; g; g = g->next)
			if ((g->kind == SH_ANY || g->kind == SH_MULTI) && !g->number &&
			    !(g == &w->w->seg && is_known_directory(g)) && !cmd_matched(g) &&
			    !(g->from && is_handed_on(p)))
				return true;
	}
	return false;
}

static void mark_lost_paths(const struct cmd_an *a, struct cmd_part *p)
{
	uint32_t end = cmd_node(p)->begin ? cmd_node(p)->begin : p->nwords;
	const char *why = NULL;

	if (p->kind != CMD_COMMAND || (p->flags & CMD_REMOTE))
		return;
	if (cmd_node(p)->names || reads_unknown(p, end)) {
		p->flags |= CMD_OPAQUE_READ;
		if (!p->opaque)
			p->opaque = no_read_name;
	}
	if (has_lost_path(p, end))
		why = no_directory;
	else if (writes_unknown(a, p, end))
		why = no_name;
	if (!why)
		return;
	p->flags |= CMD_OPAQUE_PATH;
	if (!p->opaque)
		p->opaque = why;
}

/* --- names from a pipe ------------------------------------------------------------------------ */

/* The words of a command whose output names the files that another one reads: `ls DIR | xargs cat`.
 * What its table does not call a file may be a name all the same. */
static void hand_on(const struct cmd_an *a, struct cmd_part *p)
{
	uint32_t end = cmd_node(p)->begin ? cmd_node(p)->begin : p->nwords;
	bool told = p->program && tells_operands(a, p->program), any = false;
	/* the subcommand's word is behind us */
	bool named = !p->program || !(p->program->base || (p->program->flags & LINE_PF_SUBCOMMANDS));

	for (uint32_t i = 1; i < end; i++) {
		struct cmd_word *w = &p->words[i];

		if (!(w->places & CMD_P_READS) && (told || !(w->roles & CMD_W_OPERAND)))
			continue;
		if (!named) {
			named = true;
			continue;
		}
		if (told || !cmd_has_glob(w))
			w->places |= CMD_P_TREE;
		w->places |= CMD_P_READS;
		any = true;
	}
	p->flags |= CMD_HANDS_ON | (any || cmd_node(p)->input ? 0 : (uint32_t)CMD_READS_HERE);
}

/* Does it print what stands in a file that its words name: `cat list | xargs cat`? A recursive
 * program and a wrapper (find) print names. */
static bool prints_content(const struct cmd_part *p)
{
	if (p->program && (p->program->kinds & LINE_PK_WRAPPER))
		return false;
	for (uint32_t i = 1; i < p->nwords; i++)
		if ((p->words[i].places & (CMD_P_READS | CMD_P_TREE)) == CMD_P_READS)
			return true;
	return false;
}

/* Do the names that a wrapper hands on come from a file: `xargs cat < list`, `xargs -a list cat`?
 * What find and fd find is judged with their words. */
static bool has_list(const struct cmd_part *p)
{
	const struct cmd_part *w = p->outer;

	while (w && w->program && !(w->program->flags & LINE_PF_APPENDS))
		w = w->outer;
	if (!w || !w->program || w->program->after.count)
		return false;
	for (const struct cmd_option *o = w->options; o; o = o->next)
		if (cmd_is_named(o, "-a") || cmd_is_named(o, "--arg-file"))
			return true;
	return !cmd_node((struct cmd_part *)w)->pipe || cmd_node((struct cmd_part *)w)->own_input;
}

/* Does the program read what a wrapper hands on to it? */
static bool reads_operands(const struct cmd_an *a, struct cmd_part *p)
{
	return p->kind == CMD_COMMAND && cmd_node(p)->handed_on && !(p->flags & CMD_REMOTE) &&
	       p->program && tells_operands(a, p->program);
}

/* --- links that the line makes ------------------------------------------------------------------ */

/* The judges look at the disk before the line runs: they do not see the links that it makes. */
struct made_links {
	struct sh_text names[16];
	uint32_t n;
	bool any;  /* names that are not known, or too many */
	bool gone; /* the shell has gone through one of them */
};

static const char new_link[] = "a path through a link that the line makes";

static bool has_component(const char *p, uint32_t n, const struct sh_text *name)
{
	for (uint32_t i = 0; i + name->n <= n; i++)
		if ((!i || p[i - 1] == '/' || is_separator(p[i - 1])) &&
		    (i + name->n == n || p[i + name->n] == '/' || is_separator(p[i + name->n])) &&
		    memcmp(p + i, name->p, name->n) == 0)
			return true;
	return false;
}

static bool is_through(const struct made_links *m, const char *p, uint32_t n)
{
	if (m->any)
		return true;
	for (uint32_t i = 0; i < m->n; i++)
		if (has_component(p, n, &m->names[i]))
			return true;
	return false;
}

static bool word_is_through(const struct made_links *m, const struct sh_word *w)
{
	for (const struct sh_seg *g = &w->seg; g; g = g->next)
		if (g->kind != SH_LIT || is_through(m, g->p, g->n))
			return true;
	return false;
}

/* The word's last component; false: it has none, or it is "." or "..". */
static bool take_link(struct made_links *m, const struct sh_word *w)
{
	const struct sh_seg *g = &w->seg;
	const char *p = g->p;
	uint32_t n = g->n, i;

	if (!sh_is_literal(w)) {
		m->any = true;
		return true;
	}
	while (n && p[n - 1] == '/')
		n--;
	for (i = n; i && p[i - 1] != '/';)
		i--;
	p += i;
	n -= i;
	if (!n || (n <= 2 && memcmp(p, "..", n) == 0))
		return false;
	m->any |= m->n == sizeof(m->names) / sizeof(m->names[0]);
	if (!m->any)
		m->names[m->n++] = (struct sh_text){ p, n };
	return true;
}

/* `ln TARGET NAME` makes NAME, or a link below it; `ln TARGET`, `ln TARGET .` and `ln -t DIR TARGET`
 * make links with the targets' names. */
static void take_links(struct made_links *m, const struct cmd_part *p)
{
	bool named = p->nwords > 3 || (p->nwords == 3 && !p->options);

	for (const struct cmd_option *o = p->options; o; o = o->next)
		named &= !cmd_is_named(o, "-t") && !cmd_is_named(o, "--target-directory") &&
			 o->how == CMD_O_EXACT;
	if (named && take_link(m, p->words[p->nwords - 1].w))
		return;
	for (uint32_t i = 1; i < p->nwords; i++)
		(void)take_link(m, p->words[i].w);
}

static void mark_through(struct made_links *m, struct cmd_part *p)
{
	uint32_t end = cmd_node(p)->begin ? cmd_node(p)->begin : p->nwords;
	bool through = false;

	if (p->kind == CMD_FILE && p->path &&
	    (is_through(m, p->path, p->path_n) || (m->gone && p->path_n && p->path[0] != '/')))
		p->path_guess = true;
	if (p->kind != CMD_COMMAND || (p->flags & CMD_REMOTE))
		return;
	for (uint32_t i = 1; i < end; i++) {
		const struct cmd_word *w = &p->words[i];

		if (only_goes(p))
			m->gone |= word_is_through(m, w->w);
		else if (w->places || w->may_write)
			through |= word_is_through(m, w->w) || (m->gone && is_lost_place(w, false));
	}
	if (!through)
		return;
	p->flags |= CMD_OPAQUE_PATH;
	if (!p->opaque)
		p->opaque = new_link;
}

static void mark_links(struct cmd_an *a)
{
	struct made_links m = { .n = 0 };

	for (struct cmd_part *p = a->ret->first; p; p = p->next) {
		const char *base;
		size_t n;

		if (m.n || m.any)
			mark_through(&m, p);
		if (p->kind == CMD_COMMAND && cmd_base(p->words[0].w, &base, &n) && n == 2 &&
		    memcmp(base, "ln", 2) == 0)
			take_links(&m, p);
	}
}

bool cmd_lost_paths(struct cmd_an *a)
{
	uint32_t *until; /* of each pipe: the number of the last command that reads such files */
	bool unknown = false; /* what the current pipe hands on is text of some file */
	uint32_t pipe = 0;
	struct cmd_part *p;

	mark_links(a);
	until = a->pipes ? cmd_alloc(a, (a->pipes + 1) * sizeof(*until)) : NULL;
	if (a->pipes && !until)
		return false;
	for (uint32_t i = 0; until && i <= a->pipes; i++)
		until[i] = 0;
	for (p = a->ret->first; p && until; p = p->next)
		if (cmd_node(p)->pipe && reads_operands(a, p))
			until[cmd_node(p)->pipe] = cmd_node(p)->number;
	for (p = a->ret->first; p; p = p->next) {
		if (until && p->kind == CMD_COMMAND && cmd_node(p)->pipe != pipe) {
			pipe = cmd_node(p)->pipe;
			unknown = false;
		}
		if (until && p->kind == CMD_COMMAND && cmd_node(p)->number < until[cmd_node(p)->pipe]) {
			unknown |= prints_content(p);
			hand_on(a, p);
		}
		if (reads_operands(a, p) && (unknown || has_list(p))) {
			p->flags |= CMD_OPAQUE_READ;
			if (!p->opaque)
				p->opaque = no_read_name;
		}
		mark_lost_paths(a, p);
	}
	return true;
}
