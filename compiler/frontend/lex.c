/*
 * Decides what the tokens of policy.l mean: decodes strings, checks numbers and
 * regexes, and reports misspelled tokens.  tokens.c decides which token the parser
 * gets next.
 */
#include "compiler/base/buf.h"
#include "compiler/base/num.h"
#include "compiler/diag/width.h"
#include "compiler/frontend/parser.h"
#include "policy.tab.h"

#define MAX_BIDI_WARNINGS 20
#define MAX_TEXT 60 /* bytes of a token in a message */

static const struct {
	const char *spelling;
	int token;
} keywords[] = {
#define KW(token, spelling, class, group, doc) {spelling, token},
#include "grammar/keywords.def"
#undef KW
};

static struct str text_of(const struct dsl_parser *p, struct span at)
{
	return (struct str){p->text.p + at.off, at.len};
}

bool dsl_is_new_line(const struct dsl_parser *p, uint32_t from, uint32_t to)
{
	return from > to || memchr(p->text.p + from, '\n', to - from);
}

/* The parser must not report a token again that was reported already. */
struct str dsl_shown(struct dsl_parser *p, struct str s)
{
	size_t n = MAX_TEXT;

	if (s.n <= MAX_TEXT)
		return s;
	while (n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return str_printf(p->b.a, "%.*s…", (int)n, s.p);
}

static struct diag *fault(struct dsl_parser *p, struct span at, struct diag *d)
{
	p->faulty = at;
	return d;
}

#define FAULT(p, code, at, ...) \
	fault((p), (at), diag_add((p)->sink, (code), (at), __VA_ARGS__))

static struct span part(struct span at, size_t from, size_t n)
{
	return (struct span){at.file, at.off + (uint32_t)from, (uint32_t)n};
}

int dsl_word(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	val->s = text_of(p, at);
	for (size_t i = 0; i < POL_LEN(keywords); i++)
		if (str_eqz(val->s, keywords[i].spelling))
			return keywords[i].token;
	return NAME;
}

/* --- strings ------------------------------------------------------------------ */

static void warn_bidi(struct dsl_parser *p, struct span at, uint32_t c)
{
	struct diag *d;

	if (p->bidi++ >= MAX_BIDI_WARNINGS)
		return;
	d = diag_add(p->sink, DIAG_BIDI_CONTROL, at,
		     utf8_is_bidi(c)
			     ? "invisible character U+%04X changes the order in "
			       "which this line is shown"
			     : "invisible character U+%04X",
		     c);
	diag_help(p->sink, d, "write it as \\u{%x} in a string, or remove it", c);
}

void dsl_check_bidi(struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	uint32_t c;
	bool valid;

	for (size_t i = 0, n; i < s.n; i += n) {
		n = 1;
		if ((unsigned char)s.p[i] < 0x80)
			continue; /* nothing in ASCII is such a character */
		n = utf8_next(s, i, &c, &valid);
		if (valid && (utf8_is_bidi(c) || utf8_is_hidden(c)))
			warn_bidi(p, part(at, i, n), c);
	}
}

void dsl_comment(struct dsl_parser *p, struct span at)
{
	dsl_check_bidi(p, at);
	VEC_PUSH(p->b.a, &p->comments, at);
}

/* Checks the text between the quotes of a string or the slashes of a regex. */
static void check_inside(struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	struct diag *d;

	dsl_check_bidi(p, at);
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c >= 0x20 && c != 0x7f) || c == '\t')
			continue;
		d = FAULT(p, DIAG_CONTROL_BYTE, part(at, i, 1),
			  "control byte 0x%02x inside of quotes", c);
		diag_help(p->sink, d, "write it as \\x%02x in a string", c);
		return;
	}
}

static void put_utf8(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_u8(b, (uint8_t)c);
	} else if (c < 0x800) {
		buf_u8(b, (uint8_t)(0xc0 | c >> 6));
		buf_u8(b, (uint8_t)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_u8(b, (uint8_t)(0xe0 | c >> 12));
		buf_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
		buf_u8(b, (uint8_t)(0x80 | (c & 0x3f)));
	} else {
		buf_u8(b, (uint8_t)(0xf0 | c >> 18));
		buf_u8(b, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
		buf_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
		buf_u8(b, (uint8_t)(0x80 | (c & 0x3f)));
	}
}

/* Adds a decoded character to AST_V_STRING text, where only `$` is special. */
static void put_char(struct buf *b, uint32_t c, bool is_byte)
{
	if (c == '$')
		buf_z(b, "\\$");
	else if (is_byte)
		buf_u8(b, (uint8_t)c);
	else
		put_utf8(b, c);
}

/* Reads the digits of \xHH or \u{H…}; returns the bytes read, 0 if they are wrong. */
static size_t read_hex(struct str s, size_t i, uint32_t *ret_c)
{
	uint32_t c = 0;
	size_t start = i;

	if (s.p[i] == 'x') {
		if (i + 2 >= s.n || num_hex_digit(s.p[i + 1]) < 0 ||
		    num_hex_digit(s.p[i + 2]) < 0)
			return 0;
		*ret_c = (uint32_t)(num_hex_digit(s.p[i + 1]) << 4 | num_hex_digit(s.p[i + 2]));
		return 3;
	}
	if (++i >= s.n || s.p[i++] != '{')
		return 0;
	for (; i < s.n && num_hex_digit(s.p[i]) >= 0 && c <= 0x10ffff; i++)
		c = c << 4 | (uint32_t)num_hex_digit(s.p[i]);
	if (i >= s.n || s.p[i] != '}' || i == start + 2 || c > 0x10ffff ||
	    (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_c = c;
	return i + 1 - start;
}

static void bad_escape(struct dsl_parser *p, struct span at, struct str s, size_t i)
{
	uint32_t c;
	bool valid;
	size_t n = utf8_next(s, i, &c, &valid);
	struct diag *d;

	d = FAULT(p, DIAG_BAD_ESCAPE, part(at, i - 1, n + 1), "unknown escape '\\%.*s'",
		  (int)n, s.p + i);
	if (c == 'x')
		diag_help(p->sink, d,
			  "a byte is written with two hexadecimal digits: \\x1b");
	else if (c == 'u')
		diag_help(
			p->sink, d,
			"a character is written by its number in hexadecimal, at most "
			"10ffff: \\u{e9}");
	else
		diag_help(p->sink, d,
			  "a string knows \\\" \\\\ \\n \\t \\$ \\xHH \\u{…}; a "
			  "pattern's own "
			  "backslash is written twice, or in a raw string r\"…\"");
}

/*
 * Decodes one escape; `i` is the byte after its backslash.  Returns the bytes read.  A
 * wrong escape is reported and left out.
 */
static size_t put_escape(struct dsl_parser *p, struct buf *b, struct span at,
			 struct str s, size_t i)
{
	uint32_t c = 0;
	size_t n = 1;

	switch (s.p[i]) {
	case '"':
	case '\\':
		buf_ch(b, s.p[i]);
		return 1;
	case '$':
		buf_z(b, "\\$");
		return 1;
	case 'n':
		buf_ch(b, '\n');
		return 1;
	case 't':
		buf_ch(b, '\t');
		return 1;
	case 'x':
	case 'u':
		n = read_hex(s, i, &c);
		break;
	default:
		n = 0;
	}
	if (n == 0) {
		bad_escape(p, at, s, i);
		return 1;
	}
	if (c == 0)
		FAULT(p, DIAG_NUL_BYTE, part(at, i - 1, n + 1),
		      "a NUL byte cannot stand in a command, path or name");
	else
		put_char(b, c, s.p[i] == 'x');
	return n;
}

/*
 * In the tree, a decoded backslash before a bare `$` would look like an escaped `$`.
 * It is refused, since one of the two readings expands a variable.
 */
static void ambiguous_dollar(struct dsl_parser *p, struct span at, size_t i)
{
	struct diag *d;

	d = FAULT(p, DIAG_AMBIGUOUS_DOLLAR, part(at, i, 1),
		  "'$' behind a backslash could be a dollar sign or an expansion");
	diag_help(p->sink, d,
		  "write \\$ for a dollar sign, \\\\\\$ for a backslash and a "
		  "dollar sign");
}

static struct str decode(struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	struct buf b;

	if (!s.n || !memchr(s.p, '\\', s.n))
		return s;
	buf_init(&b, p->b.a);
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '\\' && i + 1 < s.n) {
			i += 1 + put_escape(p, &b, at, s, i + 1);
			continue;
		}
		if (s.p[i] == '$' && b.n && b.p[b.n - 1] == '\\')
			ambiguous_dollar(p, at, i);
		buf_ch(&b, s.p[i++]);
	}
	return str_dup(p->b.a, buf_view(&b));
}

int dsl_string(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	struct span in = part(at, 1, at.len - 2);

	check_inside(p, in);
	val->s = decode(p, in);
	return STRING;
}

int dsl_raw_string(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	struct span in = part(at, 2, at.len - 3);

	check_inside(p, in);
	val->s = text_of(p, in);
	return RSTRING;
}

/* --- regexes and paths without quotes ------------------------------------------ */

static bool is_path_char(char c)
{
	return ast_is_word((struct str){&c, 1}) || (c >= '0' && c <= '9') || c == '.' ||
	       c == '-' || c == '/';
}

static bool looks_like_path(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_path_char(s.p[i]))
			return false;
	return s.n > 0;
}

uint32_t dsl_path_length(const struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	uint32_t n = 0;

	while (n < s.n && is_path_char(s.p[n]))
		n++;
	if (n < 2 || (n < s.n && !memchr(" \t\r,;{}", s.p[n], 7)))
		return 0;
	return n;
}

int dsl_unquoted(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	struct str s = text_of(p, at);
	struct diag *d;
	size_t quote = s.p[0] == '\'' ? 1 : (unsigned char)s.p[0] == 0xe2 ? 3 : 0;

	check_inside(p, at);
	val->s = str_sub(s, quote, s.n - 2 * quote);
	if (quote) {
		d = FAULT(p, DIAG_UNQUOTED, at, "a string stands in double quotes");
	} else if (s.p[0] == '$' && !str_starts(s, STR("${"))) {
		d = FAULT(p, DIAG_UNQUOTED, at,
			  "'%.*s' stands without quotes, and an "
			  "expansion has braces: \"${NAME}\"",
			  STR_ARG(dsl_shown(p, s)));
		return STRING;
	} else {
		d = FAULT(p, DIAG_UNQUOTED, at, "'%.*s' stands without quotes",
			  STR_ARG(dsl_shown(p, s)));
	}
	if (s.n > MAX_TEXT)
		return STRING;
	if (ast_is_word(str_sub(s, 0, 1)) && !memchr(s.p, '/', s.n) &&
	    !memchr(s.p, '.', s.n)) /* perhaps meant for system calls or options */
		diag_help(p->sink, d,
			  "a pattern stands in double quotes; names of system "
			  "calls have none, but groups: @name");
	else if (!memchr(val->s.p, '"', val->s.n) && !memchr(val->s.p, '\\', val->s.n))
		diag_help(p->sink, d, "write \"%.*s\"", STR_ARG(dsl_shown(p, val->s)));
	return STRING;
}

int dsl_regex(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	struct str s = text_of(p, at), flags;
	size_t slash = s.n - 1;
	struct diag *d;

	while (s.p[slash] != '/')
		slash--;
	flags = str_sub(s, slash + 1, s.n - slash - 1);
	for (size_t i = 0; i < flags.n; i++) {
		if (flags.p[i] == 'i' || flags.p[i] == 'x')
			continue;
		if (flags.n > 2 && looks_like_path(s))
			return dsl_unquoted(p, val, at);
		d = FAULT(p, DIAG_BAD_REGEX, part(at, slash + 1, flags.n),
			  "unknown regex flags '%.*s'", STR_ARG(dsl_shown(p, flags)));
		diag_help(p->sink, d,
			  "the flags are 'i' (any case) and 'x' (blanks and "
			  "comments); a path stands in quotes");
		break;
	}
	check_inside(p, part(at, 1, slash - 1));
	val->re.text = str_sub(s, 1, slash - 1);
	val->re.flags = flags;
	return REGEX;
}

int dsl_unterminated(struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	struct diag *d;

	/* After a fault, the last quote of the line often seems to begin a string. */
	if (p->sink->errors > p->errors && p->faulty.len &&
	    !dsl_is_new_line(p, p->faulty.off, at.off)) {
		p->faulty = at;
		return POL_error;
	}
	if (s.p[0] == '/') {
		d = FAULT(p, DIAG_UNTERMINATED_REGEX, part(at, 0, 1),
			  "this '/' begins a regex that does not end on its line");
		diag_help(p->sink, d, "a path stands in double quotes: \"/usr\"");
	} else {
		d = FAULT(p, DIAG_UNTERMINATED_STRING, at,
			  "this string does not end on its line");
		diag_help(p->sink, d,
			  "close it with '\"'; a newline inside is written \\n");
	}
	p->faulty = at;
	return POL_error;
}

/* --- numbers --------------------------------------------------------------------- */

int dsl_number(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	static const char *const units[] = {"",  "K", "M",  "G", "T", "k", "m",
					    "g", "t", "ms", "s", "h", "d", "%"};
	size_t digits = 0;
	struct diag *d;
	struct str unit;

	val->s = text_of(p, at);
	while (digits < val->s.n &&
	       ((val->s.p[digits] >= '0' && val->s.p[digits] <= '9') ||
		val->s.p[digits] == '.'))
		digits++;
	unit = str_sub(val->s, digits, val->s.n - digits);
	if (digits > 1 && val->s.p[0] == '0' && val->s.p[1] != '.') {
		/* some would read it as octal (like a file mode), others as decimal */
		d = FAULT(p, DIAG_BAD_NUMBER, at, "the number '%.*s' begins with a zero",
			  STR_ARG(dsl_shown(p, val->s)));
		diag_help(p->sink, d, "write it without; an octal mode such as 0755 is "
				      "written 0x1ed");
		return NUMBER;
	}
	for (size_t i = 0; i < POL_LEN(units); i++)
		if (str_eqz(unit, units[i]))
			return NUMBER;
	d = FAULT(p, DIAG_BAD_NUMBER, at, "'%.*s' has the unknown unit '%.*s'",
		  STR_ARG(dsl_shown(p, val->s)), STR_ARG(dsl_shown(p, unit)));
	diag_help(p->sink, d,
		  "sizes are written 4G (K M G T), durations 60s (ms s m h d); "
		  "a pattern stands in quotes");
	return NUMBER;
}

int dsl_bad_number(struct dsl_parser *p, union POL_STYPE *val, struct span at)
{
	struct diag *d;

	val->s = text_of(p, at);
	d = FAULT(p, DIAG_BAD_NUMBER, at, "'%.*s' is no number, range, date or address",
		  STR_ARG(dsl_shown(p, val->s)));
	diag_help(p->sink, d,
		  "a name does not begin with a digit; a pattern stands in "
		  "quotes");
	return NUMBER;
}

/* --- other languages, stray characters ------------------------------------------- */

int dsl_foreign(struct dsl_parser *p, struct span at, int token, const char *right)
{
	struct str s = text_of(p, at);

	if (right)
		FAULT(p, DIAG_FOREIGN_SYNTAX, at, "'%.*s' is written '%s' here",
		      STR_ARG(dsl_shown(p, s)), right);
	else
		FAULT(p, DIAG_FOREIGN_SYNTAX, at,
		      "no '%.*s' here: a key and its value stand side by side",
		      STR_ARG(dsl_shown(p, s)));
	return token;
}

size_t dsl_foreign_comment(struct dsl_parser *p, struct span at)
{
	struct str rest = str_sub(p->text, at.off, p->text.n - at.off);
	const char *end =
		rest.p[1] == '*' ? memmem(rest.p + 2, rest.n - 2, "*/", 2) : NULL;
	const char *line = memchr(rest.p, '\n', rest.n);

	FAULT(p, DIAG_FOREIGN_SYNTAX, part(at, 0, 2), "a comment begins with '#'");
	if (end)
		return (size_t)(end + 2 - rest.p);
	return line ? (size_t)(line - rest.p) : rest.n;
}

int dsl_stray(struct dsl_parser *p, struct span at)
{
	struct str s = text_of(p, at);
	unsigned char c = (unsigned char)s.p[0];

	if (c < 0x20 || c == 0x7f)
		FAULT(p, DIAG_STRAY_CHARACTER, at, "stray control byte 0x%02x", c);
	else if (c >= 0x80)
		FAULT(p, DIAG_STRAY_CHARACTER, at,
		      "'%.*s' cannot stand outside of quotes",
		      STR_ARG(dsl_shown(p, s)));
	else
		FAULT(p, DIAG_STRAY_CHARACTER, at, "stray '%c'", c);
	return POL_error;
}

void dsl_fatal(struct dsl_parser *p, const char *msg)
{
	diag_add(p->sink, DIAG_SCANNER, (struct span){p->file, p->off, 0},
		 "the scanner stops here: %s", msg);
	longjmp(p->fatal, 1);
}
