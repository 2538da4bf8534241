/*
 * Syntax errors in plain words: what stands there, what could stand there in terms of
 * the language, and the probable slip.  One fault gets one message.
 */
#include "compiler/base/buf.h"
#include "compiler/frontend/parser.h"
#include "policy.tab.h"

enum group { TOP, STMT, EFFECT, OPT, WORD, NGROUPS };

static const struct {
	const char *spelling;
	char class;
	enum group group;
} keywords[] = {
#define KW(token, spelling, class, group, doc) { spelling, #class[0], group },
#include "grammar/keywords.def"
#undef KW
};

#define END_NAME "the end of the file"
#define MAX_EXPECTED 160
#define MAX_WORDS 14 /* the most words after "expected" */

struct expected {
	const char *const *names;
	size_t n;
	size_t groups[NGROUPS];
	bool any_word; /* a name is expected: contextual keywords do not count */
};

static int find_keyword(const char *name)
{
	for (size_t i = 0; i < POL_LEN(keywords); i++)
		if (strcmp(name, keywords[i].spelling) == 0)
			return (int)i;
	return -1;
}

static bool has(const struct expected *e, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (strcmp(e->names[i], name) == 0)
			return true;
	return false;
}

/* Does the keyword count?  Only if it can stand as a keyword, not merely as a name. */
static bool is_counted(const struct expected *e, int kw)
{
	return kw >= 0 && !(e->any_word && keywords[kw].class == 'C');
}

static void classify(struct expected *e)
{
	size_t contextual = 0;

	for (size_t i = 0; i < e->n; i++) {
		int kw = find_keyword(e->names[i]);

		contextual += kw >= 0 && keywords[kw].class == 'C';
	}
	e->any_word = has(e, "a name") && contextual > 30;
	for (size_t i = 0; i < e->n; i++) {
		int kw = find_keyword(e->names[i]);

		if (is_counted(e, kw))
			e->groups[keywords[kw].group]++;
	}
}

/* --- "expected …" ------------------------------------------------------------------
 */

struct words {
	const char *v[MAX_EXPECTED];
	size_t n;
};

static void add(struct words *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->v[i], word) == 0)
			return;
	if (w->n < MAX_EXPECTED)
		w->v[w->n++] = word;
}

static bool is_operator(const char *name)
{
	static const char *const ops[] = { "==",  "!=",  "<=",  ">=", "'<'", "'>'",
					   "'|'", "'&'", "and", "or", "in" };

	for (size_t i = 0; i < POL_LEN(ops); i++)
		if (strcmp(name, ops[i]) == 0)
			return true;
	return false;
}

/* Is the name only another spelling of an entry that is listed anyway? */
static bool is_implied(const struct expected *e, const char *name)
{
	static const struct {
		const char *name, *by;
	} implied[] = {
		{ "a raw string", "a string" },
		{ "a negative number", "a number" },
		{ "a negative number", "an option" },
		{ "an option specification", "an option" },
	};

	for (size_t i = 0; i < POL_LEN(implied); i++)
		if (strcmp(name, implied[i].name) == 0 && has(e, implied[i].by))
			return true;
	return strcmp(name, "';'") == 0;
}

/* The phrase for a whole group of keywords, or NULL to name each of them. */
static const char *group_word(const struct expected *e, int kw)
{
	bool in_section = e->groups[EFFECT] >= 3 && e->groups[STMT] > 0;

	switch (keywords[kw].group) {
	case TOP:
		if (has(e, "let"))
			return "a section or statement";
		return in_section || e->groups[STMT] >= 2 ? "a statement" : NULL;
	case STMT:
		if (strcmp(keywords[kw].spelling, "final") == 0 && in_section)
			return "a rule";
		return in_section || e->groups[STMT] >= 2 ? "a statement" : NULL;
	case EFFECT:
		return in_section ? "a rule" : NULL;
	case OPT:
		if (e->groups[OPT] < 3)
			return NULL;
		return has(e, "because") ? "an option like 'because'" : "an option";
	case WORD:
	case NGROUPS:
		return NULL;
	}
	return NULL;
}

static const char *quoted(struct arena *a, const char *name)
{
	if (name[0] == '\'' || strncmp(name, "a ", 2) == 0 ||
	    strncmp(name, "an ", 3) == 0 || strncmp(name, "the ", 4) == 0)
		return name;
	return arena_printf(a, "'%s'", name);
}

static void collect(struct arena *a, const struct expected *e, struct words *w)
{
	size_t operators = 0;

	w->n = 0;
	for (size_t i = 0; i < e->n; i++)
		operators += is_operator(e->names[i]);
	for (size_t i = 0; i < e->n; i++) {
		const char *name = e->names[i], *group;
		int kw = find_keyword(name);

		if (is_implied(e, name) || (kw >= 0 && !is_counted(e, kw)))
			continue;
		if (operators >= 5 && is_operator(name)) {
			add(w, "an operator");
			continue;
		}
		/* the "not" of "not match", among the options of a rule */
		if (kw >= 0 && strcmp(name, "not") == 0 && e->groups[OPT] >= 3)
			continue;
		group = kw >= 0 ? group_word(e, kw) : NULL;
		add(w, group ? group : quoted(a, name));
	}
}

/* Sorts what fits best to the fault first, and what ends everything last. */
static unsigned rank(const char *word)
{
	static const char *const last[] = {
		"an operator", "an option like 'because'",
		"an option",   "a rule",
		"a statement", "a section or statement",
		"'}'",         "the end of the file",
	};

	for (unsigned i = 0; i < POL_LEN(last); i++)
		if (strcmp(word, last[i]) == 0)
			return i + 2;
	return word[0] == '\'';
}

static void sort(struct words *w)
{
	for (size_t i = 1; i < w->n; i++) {
		const char *word = w->v[i];
		size_t k = i;

		for (; k > 0 && rank(w->v[k - 1]) > rank(word); k--)
			w->v[k] = w->v[k - 1];
		w->v[k] = word;
	}
}

static void put_expected(struct dsl_parser *p, struct buf *b, const struct expected *e)
{
	struct words w;

	collect(p->b.a, e, &w);
	sort(&w);
	if (w.n == 0 || w.n > MAX_WORDS)
		return;
	buf_z(b, ", expected ");
	for (size_t i = 0; i < w.n; i++) {
		if (i)
			buf_z(b, i + 1 == w.n ? " or " : ", ");
		buf_z(b, p->is_piece && strcmp(w.v[i], END_NAME) == 0
				 ? "the end of the text"
				 : w.v[i]);
	}
}

/* --- "unexpected …" ------------------------------------------------------------------
 */

static void put_unexpected(struct dsl_parser *p, struct buf *b, struct span at,
			   const char *name)
{
	struct str text = dsl_shown(p, (struct str){ p->text.p + at.off, at.len });

	buf_z(b, "unexpected ");
	if (strcmp(name, END_NAME) == 0) {
		buf_z(b, p->is_piece ? "end of the text" : "end of the file");
		return;
	}
	if (strcmp(name, "a name") == 0 || find_keyword(name) >= 0) {
		buf_printf(b, "'%.*s'", STR_ARG(text));
		return;
	}
	if (strncmp(name, "a ", 2) == 0)
		buf_printf(b, "%s ", name + 2);
	else if (strncmp(name, "an ", 3) == 0)
		buf_printf(b, "%s ", name + 3);
	if (text.p[0] == '"' || str_starts(text, STR("r\"")))
		buf_str(b, text);
	else
		buf_printf(b, "'%.*s'", STR_ARG(text));
}

/* --- common faults
 * --------------------------------------------------------------------- */

static bool is_effect(const char *name)
{
	int kw = find_keyword(name);

	return kw >= 0 && keywords[kw].group == EFFECT;
}

/* "?rule" means: a rule could begin here. */
static const struct {
	const char *unexpected, *expected, *help;
} slips[] = {
	{ "'='", "=>", "the arrow is '=>'" },
	{ "'='", "==", "conditions compare with '=='" },
	{ "'{'", "=>", "a request is followed by '=>' and its decision" },
	{ "a regex", "a string",
	  "a regex is a pattern of the command section only; here a string stands" },
	{ "an import path", "a string", "a path stands in double quotes" },
	{ "an option", "a string",
	  "a pattern stands in double quotes; options of a "
	  "command follow 'with' or 'without'" },
	{ "an address", "a string", "write it in double quotes" },
	{ "a number", "a string", "write it in double quotes" },
	{ "'['", "a string", "patterns are separated by commas, without brackets" },
	{ "a string", "?rule", "a rule begins with 'allow', 'ask' or 'deny'" },
	{ "a regex", "?rule", "a rule begins with 'allow', 'ask' or 'deny'" },
	{ "a string", "'='", "write '=' before the value" },
	{ "a string", "','", "separate the items of a list with ','" },
	{ "a regex", "','", "separate the items of a list with ','" },
	{ "hide", "allow", "'hide' is for files: only rules of the file section hide" },
	{ "'='", "a string", "a key and its value stand side by side, without '='" },
	{ "'*'", "a string", "a pattern stands in double quotes" },
	{ "allow", "keep", "'keep += \"NAME\"' passes a variable on, 'set NAME = \"…\"' "
			   "gives it a value" },
	{ "a name", "keep", "'keep += \"NAME\"' passes a variable on, 'set NAME = \"…\"' "
			    "gives it a value" },
};

static bool could_be(const struct expected *e, const char *name)
{
	if (strcmp(name, "?rule") == 0)
		return e->groups[EFFECT] >= 3 && e->groups[STMT] > 0 && !has(e, "','");
	return has(e, name);
}

static const char *slip_help(const struct dsl_parser *p, const struct expected *e,
			     const char *unexpected)
{
	if (is_effect(unexpected) && has(e, "=>"))
		return "write '=>' between a request and its decision";
	if (is_effect(unexpected) && p->before.kind == K_LOCKED)
		return "'locked' stands before sections, defaults and values; a rule "
		       "may "
		       "be 'final'";
	if (strcmp(unexpected, "hide") == 0 && p->before.kind == ARROW)
		return "write 'deny': hide is a deny of every operation";
	for (size_t i = 0; i < POL_LEN(slips); i++)
		if (strcmp(slips[i].unexpected, unexpected) == 0 &&
		    could_be(e, slips[i].expected))
			return slips[i].help;
	return NULL;
}

/* The word that `word` was probably meant to be, among those that could stand here. */
static const char *suggest_expected(const struct expected *e, struct str word)
{
	const char *known[POL_LEN(keywords)];
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		if (is_counted(e, find_keyword(e->names[i])))
			known[n++] = e->names[i];
	return diag_suggest(word, known, n);
}

/* If a value follows a name: the word that was probably meant by the name. */
static const char *suggest_before(const struct dsl_parser *p, const char *unexpected)
{
	static const char *const known[] = { "read", "write", "exec", "tcp",
					     "udp",  "any",   "port" };
	static const char *const values[] = { "a string", "a raw string", "a number",
					      "a range",  "an address",   "a group" };

	for (size_t i = 0; i < POL_LEN(values); i++)
		if (p->before.kind == NAME && strcmp(unexpected, values[i]) == 0)
			return diag_suggest(p->before.text, known, POL_LEN(known));
	return NULL;
}

static void add_help(struct dsl_parser *p, struct diag *d, const struct expected *e,
		     const char *unexpected)
{
	const char *help = slip_help(p, e, unexpected);
	const char *word = suggest_before(p, unexpected);
	int kw = find_keyword(unexpected);

	/* `allow raed "/usr"`: the misspelled word was taken for a name. */
	if (word)
		diag_help(p->sink, d, "did you mean '%s' instead of '%.*s'?", word,
			  STR_ARG(p->before.text));
	else if (p->before.kind == ',' && has(e, "a string") && kw >= 0)
		diag_help(p->sink, d, "a list does not end with ','");
	else if (help)
		diag_help(p->sink, d, "%s", help);
	else if (has(e, "a group") && e->n == 1)
		diag_help(p->sink, d, "a group's name begins with '@'");
	else if (kw >= 0 && has(e, "a name") && !has(e, "a string") && !has(e, "'}'"))
		diag_help(p->sink, d,
			  "'%s' is a word of the language%s; choose another name",
			  unexpected,
			  keywords[kw].class == 'R' ? " that is never a name" : "");
}

/* --- blocks that are not closed
 * ---------------------------------------------------------- */

/* The closing bracket that is expected and would close the open one, or 0. */
static char missing_bracket(const struct dsl_parser *p, const struct expected *e,
			    enum group group)
{
	char open = p->open[p->nopen - 1].kind;

	if (open == '{' && has(e, "'}'") && group == TOP)
		return '}';
	if (open == '[' && has(e, "']'"))
		return ']';
	if (open == '(' && has(e, "')'"))
		return ')';
	return 0;
}

/*
 * A statement begins where a block or list could end: the closing bracket is missing.
 * Hands the parser this bracket and then the word again, so that the rest is read as
 * it was meant.
 */
static bool report_unclosed(struct dsl_parser *p, struct span at,
			    const struct expected *e, const char *unexpected)
{
	int kw = find_keyword(unexpected);
	bool is_end = strcmp(unexpected, "'}'") == 0;
	struct diag *d;
	char bracket;

	if (!p->nopen || p->nreplay)
		return false;
	if (strcmp(unexpected, END_NAME) == 0) {
		d = diag_add(p->sink, DIAG_UNCLOSED_BLOCK, at,
			     "unexpected end of the %s: a closing '%c' is missing",
			     p->is_piece ? "text" : "file",
			     p->open[p->nopen - 1].kind == '{'   ? '}'
			     : p->open[p->nopen - 1].kind == '[' ? ']'
								 : ')');
		diag_note(p->sink, d, p->open[p->nopen - 1].at, "opened here");
		return true;
	}
	if (!dsl_begins_line(p, at) ||
	    (!is_end && (kw < 0 || keywords[kw].group > EFFECT)))
		return false;
	bracket = missing_bracket(p, e, is_end ? STMT : keywords[kw].group);
	if (!bracket)
		return false;
	d = diag_add(p->sink, DIAG_UNCLOSED_BLOCK, at,
		     "unexpected %s%s%s, a closing '%c' is missing before it",
		     is_end ? "" : "'", unexpected, is_end ? "" : "'", bracket);
	diag_note(p->sink, d, p->open[p->nopen - 1].at, "opened here");
	p->replay[0] =
		(struct dsl_token){ bracket, { at.file, at.off, 0 }, STR_NULL, true };
	p->replay[1] = p->last;
	p->nreplay = 2;
	p->sync = false; /* nothing was left out */
	return true;
}

/*
 * `policy x { command { allow …`: the parser has taken the section for a key and the
 * block for its value.  Each block is reported once.
 */
static bool report_misplaced(struct dsl_parser *p, const struct expected *e)
{
	const struct dsl_bracket *open = p->nopen > 1 ? &p->open[p->nopen - 1] : NULL;
	int kw = open ? find_keyword(str_z(p->b.a, open->head.text)) : -1;
	struct diag *d;

	if (kw < 0 || open->kind != '{' || keywords[kw].group != TOP || !has(e, "'='"))
		return false;
	if (p->misplaced == open->at.off)
		return true;
	p->misplaced = open->at.off;
	d = diag_add(p->sink, DIAG_SYNTAX, open->head.at,
		     "the section '%s' begins inside of another block",
		     keywords[kw].spelling);
	diag_note(p->sink, d, open[-1].at, "opened here");
	diag_help(p->sink, d, "close that block first: sections stand on their own");
	return true;
}

/* --- the message
 * ---------------------------------------------------------------------------- */

/* Reports a misspelled word: a suggestion helps more than a list. */
static bool report_unknown(struct dsl_parser *p, struct span at,
			   const struct expected *e, const char *unexpected)
{
	struct str word = { p->text.p + at.off, at.len };
	bool is_name = strcmp(unexpected, "a name") == 0;
	const char *right;
	struct diag *d;

	if (!is_name)
		return false;
	right = suggest_expected(e, word);
	if (right) {
		d = diag_add(p->sink, DIAG_UNKNOWN_WORD, at, "unknown word '%.*s'",
			     STR_ARG(dsl_shown(p, word)));
		diag_help(p->sink, d, "did you mean '%s'?", right);
	} else if (has(e, "let") && !has(e, "'}'")) {
		d = diag_add(p->sink, DIAG_UNKNOWN_WORD, at,
			     "unknown section or statement '%.*s'",
			     STR_ARG(dsl_shown(p, word)));
		diag_help(p->sink, d,
			  "sections are command, file, network, unix, syscall, limits, "
			  "env, "
			  "audit, session, runner and tools");
	} else {
		return false;
	}
	/* A block after it would be read as something else. */
	p->skip_block = true;
	return true;
}

void dsl_syntax_error(struct dsl_parser *p, struct span at, const char *unexpected,
		      const char *const *expected, size_t n)
{
	struct expected e = { .names = expected, .n = n };
	struct diag *d;
	struct buf b;

	if (p->stop || p->b.full)
		return;
	dsl_expect_next(p);
	/* The scanner has inserted this token to end a faulty statement. */
	if (at.len == 0 && strcmp(unexpected, END_NAME) != 0)
		return;
	/* The scanner has reported this token or the text before it already. */
	if (p->faulty.file == at.file && p->faulty.off < at.off + at.len &&
	    p->faulty.off >= p->before.at.off + p->before.at.len)
		return;
	classify(&e);
	p->faulty = at;
	if (report_unclosed(p, at, &e, unexpected) || report_misplaced(p, &e) ||
	    report_unknown(p, at, &e, unexpected))
		return;

	buf_init(&b, p->b.a);
	put_unexpected(p, &b, at, unexpected);
	if (strcmp(unexpected, "'}'") == 0 && p->unmatched)
		buf_z(&b, ": no block is open here");
	else
		put_expected(p, &b, &e);
	d = diag_add(p->sink, DIAG_SYNTAX, at, "%.*s", STR_ARG(buf_view(&b)));
	add_help(p, d, &e, unexpected);
}

void dsl_too_deep(struct dsl_parser *p, struct span at)
{
	if (!p->stop)
		diag_add(p->sink, DIAG_TOO_DEEP, at,
			 "values or conditions are nested too deeply here");
	p->stop = true;
}
