/*
 * Random policies about commands, as texts, and random shell lines that are
 * likely to meet them: few programs, of which the standard tables know most.
 */
#ifndef TESTS_PROP_RANDOM_LINE_H
#define TESTS_PROP_RANDOM_LINE_H

#include "compiler/base/buf.h"
#include "tests/prop/random_ir.h"

/* --- policies ------------------------------------------------------------------- */

static const char *const line_programs[] = { "git", "rm", "ls", "find", "npm", "foo",
					     "./run", "curl", "sh", "cat", "python3",
					     "env", "timeout", "xargs", "make", "tee" };
static const char *const line_patterns[] = {
	"%s", "%s:*", "%s *", "%s push", "%s push:*", "%s {push|run}:*", "%s ** x",
	"%s run t*", "%s p?sh *", "%s run test:*", "%s -c:*", "%s -f *",
};
static const char *const line_guards[] = {
	"", "", "", "", " with -f, --force", " with -rf", " without -x", " without \"--o*\"",
	" with only -a, -f", " within \"./**\"", " within \"/etc\", \"./**\"",
	" with \"-o=x*\"", " without -c",
};
static const char *const line_regexes[] = {
	"^%s push", "%s .*-f", "^(%s|ls)( x)?$", "x$", "%s x+$",
	/* no automata: back-references, look-around */
	"\\b(%s|x|run) \\1\\b", "^%s(?! .*-f)", "(?<=%s )(push|x)", "^(?=.*x)(%s|npm)\\b",
};

/* Off: rules have neither guards nor regular expressions. */
static bool line_guarded = true;

static inline const char *line_pattern(struct rnd *r)
{
	const char *p = RND_PICK(r, line_programs);

	if (rnd_one_in(r, 8))
		return arena_printf(r->a, rnd_one_in(r, 2) ? "*" : "*:*");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return arena_printf(r->a, RND_PICK(r, line_patterns), p);
#pragma GCC diagnostic pop
}

static inline void line_rule(struct rnd *r, struct buf *b, const char *effect, bool final)
{
	buf_printf(b, "  %s%s ", final ? "final " : "", effect);
	if (line_guarded && rnd_one_in(r, 8)) {
		buf_z(b, "/");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buf_printf(b, RND_PICK(r, line_regexes), rnd_one_in(r, 2) ? "git" : "rm");
#pragma GCC diagnostic pop
		buf_z(b, "/\n");
		return;
	}
	buf_printf(b, "\"%s\"%s", line_pattern(r),
		   line_guarded ? RND_PICK(r, line_guards) : "");
	if (rnd_one_in(r, 5))
		buf_printf(b, " except \"%s\"", line_pattern(r));
	buf_ch(b, '\n');
}

/* One level's text. */
static inline const char *line_policy(struct rnd *r, bool managed)
{
	static const char *const effects[] = { "allow", "allow", "ask", "deny" };
	static const char *const words[] = { "allow", "ask", "deny" };
	uint32_t n = 1 + rnd_below(r, 6), i;
	struct buf b;

	buf_init(&b, r->a);
	buf_z(&b, "command {\n");
	for (i = 0; i < n; i++) {
		const char *effect = RND_PICK(r, effects);

		line_rule(r, &b, effect, managed && strcmp(effect, "ask") != 0 &&
						 rnd_one_in(r, 5));
	}
	if (rnd_one_in(r, 2))
		buf_printf(&b, "  otherwise %s\n", RND_PICK(r, words));
	if (rnd_one_in(r, 2))
		buf_printf(&b, "  opaque %s\n", RND_PICK(r, words));
	if (rnd_one_in(r, 6))
		buf_printf(&b, "  risk %s \"%s\"\n", rnd_one_in(r, 2) ? "low" : "high",
			   line_pattern(r));
	if (rnd_one_in(r, 6))
		buf_printf(&b, "  inert \"%s\"\n", line_pattern(r));
	buf_z(&b, "}\n");
	if (rnd_one_in(r, 2))
		buf_z(&b, "file { allow write \"./**\" hide \"~/.k\" }\n");
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

/* --- lines ------------------------------------------------------------------------ */

static const char *const line_words[] = { "Makefile", "push", "x", "-f", "--force", "-rf", "run", "test",
					  "test:u", "-x", "--", "a b", "", "-a", "-ox", "rm",
					  "--o=y", "/etc/x", "t1", "git", "-c", "~/.k/x" };
static const char *const line_unknown[] = { "$x", "\"$x\"", "*", "p*", "pu$x", "-$x", "--f$x",
					    "\"-$x\"", "$(ls)", "~/.k", "{push,-f}", "--o=$x" };

/* A word of this value; bare where the shell takes it for one word. */
static inline void line_quoted(struct rnd *r, struct buf *b, const char *z)
{
	uint32_t how = rnd_below(r, 5);
	size_t i;

	if (!*z)
		how = rnd_below(r, 2);
	switch (how) {
	case 0:
		buf_printf(b, "'%s'", z);
		return;
	case 1:
		buf_printf(b, "\"%s\"", z);
		return;
	case 2:
		buf_printf(b, "$'%s'", z);
		return;
	default:
		break;
	}
	for (i = 0; z[i]; i++) {
		if (z[i] == ' ' || z[i] == '~' || rnd_one_in(r, 4))
			buf_ch(b, '\\');
		buf_ch(b, z[i]);
		if (rnd_one_in(r, 6))
			buf_z(b, rnd_one_in(r, 2) ? "''" : "\"\"");
	}
}

static inline void line_plain(struct buf *b, const char *z)
{
	if (*z && !strpbrk(z, " ~"))
		buf_z(b, z);
	else
		buf_printf(b, "'%s'", z);
}

/* A simple command; `literal`: no word of it is unknown. */
static inline void line_simple(struct rnd *r, struct buf *b, bool literal)
{
	uint32_t n = rnd_below(r, 5), i;

	buf_z(b, literal || !rnd_one_in(r, 12) ? RND_PICK(r, line_programs) : "$x");
	for (i = 0; i < n; i++) {
		buf_ch(b, ' ');
		if (!literal && rnd_one_in(r, 4))
			buf_z(b, RND_PICK(r, line_unknown));
		else
			line_plain(b, RND_PICK(r, line_words));
	}
}

static inline void line_wrapped(struct rnd *r, struct buf *b, int depth)
{
	static const char *const before[] = { "timeout 5 ", "env A=1 ", "nice ", "sudo -u x ",
					      "xargs ", "xargs -n1 ", "command ", "nohup ",
					      "LANG=C ", "PATH=. ", "A=1 ", "./mywrap " };
	static const char *const redirs[] = { " > o", " >~/.k/x", " < \"$x\"", " 2>&1",
					      " > /dev/tcp/h/80", " >> ../o",
					      " > Makefile" };
	struct buf in;

	if (depth > 2 || rnd_one_in(r, 2)) {
		line_simple(r, b, false);
	} else if (rnd_one_in(r, 4)) {
		/* no quote of its own in it */
		buf_init(&in, r->a);
		line_simple(r, &in, true);
		buf_ch(&in, '\0');
		if (!strpbrk((const char *)in.p, "'\""))
			buf_printf(b, "%s '%s'", rnd_one_in(r, 2) ? "sh -c" : "eval",
				   (const char *)in.p);
		else
			line_simple(r, b, false);
	} else if (rnd_one_in(r, 5)) {
		buf_z(b, "find . -exec ");
		line_simple(r, b, false);
		buf_z(b, " \\;");
	} else {
		buf_z(b, RND_PICK(r, before));
		line_wrapped(r, b, depth + 1);
	}
	if (rnd_one_in(r, 8))
		buf_z(b, RND_PICK(r, redirs));
}

static inline const char *line_random(struct rnd *r)
{
	static const char *const join[] = { "; ", " && ", " || ", " | ", "\n", " & " };
	uint32_t n = 1 + (rnd_one_in(r, 2) ? rnd_below(r, 3) : 0), i;
	struct buf b;

	buf_init(&b, r->a);
	if (rnd_one_in(r, 10))
		buf_z(&b, rnd_one_in(r, 2) ? "cd src; " : "git() { ls; }; ");
	for (i = 0; i < n; i++) {
		if (i)
			buf_z(&b, RND_PICK(r, join));
		line_wrapped(r, &b, 0);
	}
	if (rnd_one_in(r, 25))
		buf_z(&b, rnd_one_in(r, 2) ? " (" : rnd_one_in(r, 2) ? " 'a" : "; sh -c 'ls ('");
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

#endif
