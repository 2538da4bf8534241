/*
 * Decides which bytes a YAML policy may have, finds the byte of a character, and puts
 * libyaml's messages into the words of the rest of the compiler.
 */
#include "compiler/frontend/yaml_text.h"

#include <yaml.h>

#include "compiler/base/vec.h"
#include "compiler/diag/width.h"
#include "compiler/frontend/parser.h"

#define STEP 64u
#define MAX_BIDI_WARNINGS 20u

/* --- bytes ----------------------------------------------------------- */

/* Does the text begin with a byte order mark of UTF-16 or UTF-32, or have the zero
 * bytes of ASCII in these encodings? */
static bool is_wide(struct str s)
{
	return str_starts(s, STR("\xff\xfe")) || str_starts(s, STR("\xfe\xff")) ||
	       str_starts(s, STR("\0\0\xfe\xff")) ||
	       (s.n >= 4 && (!s.p[0] != !s.p[1]) && !s.p[0] == !s.p[2] &&
		!s.p[1] == !s.p[3]);
}

static void warn_bidi(struct diag_sink *sink, struct span at, uint32_t c)
{
	struct diag *d =
		diag_add(sink, DIAG_BIDI_CONTROL, at,
			 utf8_is_bidi(c) ? "invisible character U+%04X changes the "
					   "order in which this line is shown"
					 : "invisible character U+%04X",
			 c);

	diag_help(sink, d,
		  c > 0xffff ? "write it as \\U%08x in double quotes, or remove it"
			     : "write it as \\u%04x in double quotes, or remove it",
		  c);
}

/* One pass over the characters: finds bidi controls and fills the table of places. */
static void index_characters(struct yml_text *t, struct arena *a,
			     struct diag_sink *sink)
{
	VEC(uint32_t) steps = { NULL, 0, 0 };
	size_t chars = 0, warned = 0, n;
	bool ascii = true;

	for (size_t i = t->start; i < t->all.n; i += n, chars++) {
		uint32_t c;
		bool valid;

		n = utf8_next(t->all, i, &c, &valid);
		if (chars % STEP == 0)
			VEC_PUSH(a, &steps, (uint32_t)i);
		ascii &= n == 1;
		if ((utf8_is_bidi(c) || utf8_is_hidden(c)) &&
		    warned++ < MAX_BIDI_WARNINGS)
			warn_bidi(sink,
				  (struct span){ t->file, (uint32_t)i, (uint32_t)n },
				  c);
	}
	if (ascii)
		return;
	t->steps = steps.v;
	t->nsteps = (uint32_t)steps.n;
}

bool yml_text_init(struct yml_text *t, struct arena *a, struct diag_sink *sink,
		   uint32_t file, struct str all)
{
	struct span start = { file, 0, 0 };

	*t = (struct yml_text){ .all = all, .file = file };
	if (all.n > SOURCE_MAX_BYTES) {
		diag_add(sink, DIAG_FILE_TOO_LARGE, start,
			 "a policy file has at most %zu bytes, this one has %zu",
			 SOURCE_MAX_BYTES, all.n);
		return false;
	}
	if (is_wide(all)) {
		struct diag *d = diag_add(sink, DIAG_YAML_ENCODING, start,
					  "the text is in UTF-16 or UTF-32");

		diag_help(sink, d, "save it as UTF-8");
		return false;
	}
	if (!dsl_check_encoding(sink, file, all))
		return false;
	if (str_starts(all, STR("\xef\xbb\xbf"))) /* a byte order mark */
		t->start = 3;
	index_characters(t, a, sink);
	return true;
}

/* --- places ---------------------------------------------------------- */

static uint32_t byte_of(const struct yml_text *t, size_t index)
{
	size_t i;

	if (!t->steps) {
		i = t->start + index;
		return (uint32_t)(i < t->all.n ? i : t->all.n);
	}
	if (index / STEP >= t->nsteps)
		return (uint32_t)t->all.n;
	i = t->steps[index / STEP];
	for (size_t k = index % STEP; k && i < t->all.n; k--) {
		uint32_t c;
		bool valid;

		i += utf8_next(t->all, i, &c, &valid);
	}
	return (uint32_t)i;
}

struct span yml_span(const struct yml_text *t, size_t from, size_t to)
{
	struct span at = { t->file, byte_of(t, from), 0 };
	uint32_t end = byte_of(t, to);

	at.len = end > at.off ? end - at.off : 0;
	return at;
}

/* --- messages -------------------------------------------------------- */

/* Parts of libyaml's messages, and ours for them. */
static const struct {
	const char *theirs, *text, *help;
} messages[] = {
	{ "mapping values are not allowed",
	  "a ':' makes a key of what stands before it, and no key can stand here",
	  "put a text with ': ' in it into quotes, and begin the lines of one mapping "
	  "in one column" },
	{ "did not find expected key", "this does not go on with the mapping above",
	  "begin the keys of one mapping in one column, and each item of a list with "
	  "'- "
	  "'" },
	{ "could not find expected ':'", "a key is followed by ':'", NULL },
	{ "did not find expected '-' indicator",
	  "this does not go on with the list above",
	  "begin each item with '- ', in one column" },
	{ "block sequence entries are not allowed",
	  "an item of a list cannot begin here", "a list begins on a line of its own" },
	{ "block mapping entries are not allowed", "a key cannot begin here", NULL },
	{ "found unexpected end of stream", "the text ends inside of quotes", NULL },
	{ "found unexpected document indicator",
	  "the quotes are not closed before this line", NULL },
	{ "did not find expected ',' or ']'",
	  "a ',' or the closing ']' is missing before this", NULL },
	{ "did not find expected ',' or '}'",
	  "a ',' or the closing '}' is missing before this", NULL },
	{ "found unknown escape character", "unknown escape",
	  "in single quotes a backslash stands for itself" },
	{ "did not find expected hexdecimal number",
	  "an escape lacks hexadecimal digits", NULL },
	{ "undefined tag handle", "tags are not read", NULL },
	{ "control characters are not allowed", "a control character stands here",
	  "write it as \\x1b in double quotes" },
	{ "did not find expected node content", "a value is missing here", NULL },
	{ "did not find expected <document start>", "the text goes on behind its end",
	  "begin the keys of one mapping in one column" },
};

static size_t find_message(const char *problem)
{
	size_t i = 0;

	while (i < POL_LEN(messages) && !strstr(problem, messages[i].theirs))
		i++;
	return i;
}

static bool is_tab(const struct yml_text *t, struct span at)
{
	if (at.off < t->all.n && t->all.p[at.off] == '\t')
		return true;
	/* libyaml reports the fault after the blanks at the beginning of the line */
	for (uint32_t i = at.off; i > t->start && t->all.p[i - 1] != '\n'; i--) {
		if (t->all.p[i - 1] == '\t')
			return true;
		if (t->all.p[i - 1] != ' ')
			return false;
	}
	return false;
}

/* `@x`, `%x`, a backquote: YAML reserves them. */
static struct diag *report_start(struct diag_sink *sink, const struct yml_text *t,
				 struct span at)
{
	struct diag *d;

	at.len = at.off < t->all.n;
	d = diag_add(sink, DIAG_YAML_SYNTAX, at,
		     "no text without quotes begins with '%.*s'", (int)at.len,
		     t->all.p + at.off);
	diag_help(sink, d, "put it into single quotes");
	return d;
}

void yml_report(struct diag_sink *sink, const struct yml_text *t,
		const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "no memory";
	size_t mark = parser->problem_mark.index;
	struct span at = yml_span(t, mark, mark + 1), from;
	size_t i = find_message(problem);
	struct diag *d;

	if (parser->error == YAML_READER_ERROR) {
		at.off = t->start + (uint32_t)parser->problem_offset;
		if (at.off > t->all.n)
			at.off = (uint32_t)t->all.n;
		at.len = at.off < t->all.n;
	} else if (is_tab(t, at)) {
		d = diag_add(sink, DIAG_YAML_TAB, at, "a tab cannot indent");
		diag_help(sink, d, "write blanks");
		return;
	} else if (strstr(problem, "cannot start any token")) {
		report_start(sink, t, at);
		return;
	}
	if (i == POL_LEN(messages)) {
		d = diag_add(sink, DIAG_YAML_SYNTAX, at, "this is not YAML: %s",
			     problem);
	} else {
		d = diag_add(sink, DIAG_YAML_SYNTAX, at, "%s", messages[i].text);
		if (messages[i].help)
			diag_help(sink, d, "%s", messages[i].help);
	}
	from = yml_span(t, parser->context_mark.index, parser->context_mark.index + 1);
	if (parser->context && from.off < at.off)
		diag_note(sink, d, from, "it began here");
}
