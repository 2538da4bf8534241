/*
 * Random regular expressions: of a grammar over the regular subset, and as a
 * soup of tokens that PCRE2 mostly refuses or reads in some odd way.
 */
#ifndef TESTS_PROP_RANDOM_REGEX_H
#define TESTS_PROP_RANDOM_REGEX_H

#include "compiler/base/buf.h"
#include "tests/prop/random_ir.h"

struct regex_gen {
	struct rnd *r;
	struct buf out;
	bool extended; /* white space and comments mean nothing */
	bool opaque;   /* also what is no regular language */
};

static const char *const regex_atoms[] = {
	"a",        "a",     "b",   "b",   "A",       "_",       "-",         " ",
	"\\n",      "\n",    "\\r", "\r",  "0",       ".",       ".",         "\\.",
	"\\d",      "\\D",   "\\w", "\\W", "\\s",     "\\S",     "\\h",       "\\H",
	"\\v",      "\\V",   "\\N", "\\R", "\\x61",   "\\x{62}", "\\x0a",     "\\012",
	"\\o{141}", "\\cJ",  "\\t", "\\e", "\\Qa\\E", "\\Q\\Eb", "\\Qa.b\\E", "\\Q[\\E",
	"\\x85",    "\\xff", "\\0", "z",   "Z",
};
static const char *const regex_asserts[] = {
	"\\b", "\\b", "\\B", "^", "$", "\\A", "\\z", "\\Z", "(?m:^)", "(?m:$)",
};
static const char *const regex_items[] = {
	"a",          "b",          "A",         "_",          "-",
	" ",          "\\n",        "\n",        "\\r",        "0-9",
	"a-c",        "Z-a",        "A-b",       "\\d",        "\\D",
	"\\w",        "\\W",        "\\s",       "\\S",        "\\h",
	"\\v",        "\\b",        "\\]",       "\\\\",       "\\x41-\\x62",
	"[:alpha:]",  "[:^alpha:]", "[:upper:]", "[:^upper:]", "[:lower:]",
	"[:punct:]",  "[:space:]",  "[:word:]",  "[:cntrl:]",  "[:print:]",
	"[:^digit:]", "[:xdigit:]", "[:ascii:]", "[:graph:]",  "[:blank:]",
	"[:alnum:]",  "\\Q-]\\E",   "\\E",       "^",          "$",
	".",          "|",          "\\N",
};
static const char *const regex_quantifiers[] = {
	"*",   "+",     "?",      "*?",   "+?",    "??",    "{2}",
	"{0}", "{1,2}", "{0,2}?", "{2,}", "{0,1}", "{1,}?",
};
static const char *const regex_opens[] = {
	"(",     "(",     "(?:",     "(?:",   "(?<n>", "(?P<n>", "(?'n'",
	"(?i:",  "(?-i:", "(?s:",    "(?m:",  "(?|",   "(?x:",   "(?xx:",
	"(?i)(", "(?^:",  "(?sm-i:", "((?i)", "(?n:",  "(?U:",
};
/* What only PCRE2 searches; "(?<n>" and "\\k<n>" are not there in every expression. */
static const char *const regex_opaque_opens[] = {
	"(?=", "(?=", "(?!", "(?!", "(?<=", "(?<!", "(?>", "(*atomic:", "(*pla:", "(*nlb:", "(?=.*", "(?!.*",
	"(?(?=a)", "(?(R)",
};
static const char *const regex_opaque_atoms[] = {
	"\\1", "\\g1", "\\g{-1}", "\\k<n>", "(?1)", "(?R)?", "(?&n)", "\\K", "\\G", "\\C", "\\X", "\\pL",
	"[[:<:]]", "[[:>:]]", "(*ACCEPT)", "(*FAIL)", "(*COMMIT)", "(*PRUNE)", "(*SKIP)", "(*THEN)", "a*+", "b++",
	"a?+", "[ab]{1,2}+",
};
static const char *const regex_tokens[] = {
	"a",         "b",       "\\",     "[",       "]",          "(",
	")",         "{",       "}",      "|",       "?",          "*",
	"+",         "^",       "$",      "-",       "#",          " ",
	"\n",        "(?:",     "(?",     ":",       "(?i)",       "(?x)",
	"(?-x)",     "(?xx)",   "(?s)",   "(?m)",    "(?#",        "(?=",
	"(?!",       "(?<=",    "(?>",    "(?(1)",   "(?R)",       "(?1)",
	"\\1",       "\\2",     "\\10",   "\\k<n>",  "\\g1",       "\\g{-1}",
	"(*ACCEPT)", "(*FAIL)", "(*UTF)", "(*CRLF)", "(*ANYCRLF)", "(?C1)",
	"\\K",       "\\G",     "\\C",    "\\X",     "\\pL",       "\\Q",
	"\\E",       "\\b",     "\\R",    "\\x",     "\\x{",       "\\o{",
	"\\c",       "\\0",     "\\8",    "[:",      ":]",         "[:alpha:]",
	"[.",        ".]",      "[=",     "=]",      "[[:<:]]",    "[[:>:]]",
	"[^",        "[]",      "[^]",    "{1}",     "{1,",        ",2}",
	"{,2}",      "{ 1}",    "{2,1}",  "++",      "*+",         "??",
	"}+",        "\x85",    "\xff",   "\f",      "\\h",        "\\N",
	"\\N{",      "\\d-",    "a-",     "-z",      "\\Q\\E",     "(?P<n>",
	"(?P=n)",    "(?P>n)",  "(?&n)",  "(?J)",    "(?^)",       "(?^i:",
	"(?|",       "(?i-",    "(?-i)",  ".",       "\\u",        "\\L",
	"\\z",       "\\Z",     "\\A",    "\\B",
};

static inline void regex_noise(struct regex_gen *g)
{
	static const char *const noise[] = { " ",     "\t",  "# b\n", "\n",
					     "(?#a)", "\\E", "\\Q\\E" };
	static const char *const always[] = { "(?#a)", "\\E", "\\Q\\E" };

	if (g->extended && rnd_one_in(g->r, 4))
		buf_z(&g->out, RND_PICK(g->r, noise));
	else if (rnd_one_in(g->r, 25))
		buf_z(&g->out, RND_PICK(g->r, always));
}

static inline void regex_class(struct regex_gen *g)
{
	uint32_t n = 1 + rnd_below(g->r, 3);

	buf_z(&g->out, rnd_one_in(g->r, 3) ? "[^" : "[");
	if (rnd_one_in(g->r, 12))
		buf_z(&g->out, "]");
	while (n--)
		buf_z(&g->out, RND_PICK(g->r, regex_items));
	if (rnd_one_in(g->r, 12))
		buf_z(&g->out, "-");
	buf_z(&g->out, "]");
}

static inline void regex_alternatives(struct regex_gen *g, int depth);

static inline void regex_item(struct regex_gen *g, int depth)
{
	uint32_t k = rnd_below(g->r, depth > 3 ? 8 : 11);

	regex_noise(g);
	if (k < 2) {
		buf_z(&g->out, RND_PICK(g->r, regex_asserts));
		return;
	}
	if (k < 7) {
		buf_z(&g->out, RND_PICK(g->r, regex_atoms));
	} else if (k == 7) {
		regex_class(g);
	} else if (g->opaque && rnd_one_in(g->r, 3)) {
		buf_z(&g->out, RND_PICK(g->r, regex_opaque_atoms));
	} else {
		if (g->opaque && rnd_one_in(g->r, 2))
			buf_z(&g->out, RND_PICK(g->r, regex_opaque_opens));
		else
			buf_z(&g->out, RND_PICK(g->r, regex_opens));
		regex_alternatives(g, depth + 1);
		buf_z(&g->out, ")");
	}
	regex_noise(g);
	if (rnd_one_in(g->r, 3))
		buf_z(&g->out, RND_PICK(g->r, regex_quantifiers));
}

static inline void regex_alternatives(struct regex_gen *g, int depth)
{
	uint32_t branches = 1 + rnd_below(g->r, 3) / 2, n;

	while (branches--) {
		for (n = rnd_below(g->r, 4); n--;)
			regex_item(g, depth);
		if (branches)
			buf_z(&g->out, "|");
	}
}

static inline struct str random_regex_of(struct rnd *r, bool extended, bool opaque)
{
	struct regex_gen g = { .r = r, .extended = extended, .opaque = opaque };
	uint32_t n;

	buf_init(&g.out, r->a);
	if (rnd_one_in(r, 3)) {
		for (n = 1 + rnd_below(r, 8); n--;)
			buf_z(&g.out, RND_PICK(r, regex_tokens));
	} else {
		regex_alternatives(&g, 0);
	}
	return str_dup(r->a, buf_view(&g.out));
}

static inline struct str random_regex(struct rnd *r, bool extended)
{
	return random_regex_of(r, extended, false);
}

/* --- texts ----------------------------------------------------------------- */

static const char regex_alphabet[] = "aabbAB_-0  zZ.\n\n\r\x85\xff\t\x1b[]";

static inline struct str random_text(struct rnd *r)
{
	uint32_t n = rnd_below(r, 8), i;
	char *p = arena_alloc(r->a, n + 1);

	for (i = 0; i < n; i++)
		p[i] = regex_alphabet[rnd_below(r, sizeof(regex_alphabet))];
	return (struct str){ p, n };
}

/* `s` with a byte more, less or other, mostly at an end. */
static inline struct str near_text(struct rnd *r, struct str s)
{
	char *p = arena_alloc(r->a, s.n + 2);
	uint32_t at = rnd_one_in(r, 3)   ? rnd_below(r, (uint32_t)s.n + 1)
		      : rnd_one_in(r, 3) ? 0
					 : (uint32_t)s.n;
	char c = regex_alphabet[rnd_below(r, sizeof(regex_alphabet))];
	uint32_t how = rnd_below(r, 3);

	memcpy(p, s.p ? s.p : "", at);
	if (how == 0 || at == s.n) {
		p[at] = c;
		memcpy(p + at + 1, s.p ? s.p + at : "", s.n - at);
		return (struct str){ p, s.n + 1 };
	}
	if (how == 1) {
		memcpy(p + at, s.p + at + 1, s.n - at - 1);
		return (struct str){ p, s.n - 1 };
	}
	memcpy(p + at, s.p + at, s.n - at);
	p[at] = c;
	return (struct str){ p, s.n };
}

#endif
