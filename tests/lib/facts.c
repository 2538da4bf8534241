/* Builds the tables of commands.bin in memory, sorted as their readers need them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/facts.h"

const char facts_text[] =
	"wrapper timeout skip=1 transparent posix abbreviate -k|--kill-after: -s|--signal: "
	"--preserve-status --foreground -v|--verbose\n"
	"wrapper nice transparent posix abbreviate -n|--adjustment:\n"
	"wrapper nohup transparent posix\n"
	"wrapper time transparent posix -f|--format: -p\n"
	"wrapper command transparent posix -p -v? -V?\n"
	"wrapper builtin transparent posix\n"
	"wrapper exec posix -a: -c -l\n"
	"wrapper busybox posix\n"
	"wrapper env assignments posix abbreviate stays -i|--ignore-environment -u|--unset: "
	"-C|--chdir:/ -S|--split-string:! -v|--debug\n"
	"wrapper sudo assignments posix abbreviate stdin stays -s|--shell -u|--user: -n "
	"-l|--list? -E|--preserve-env:: -i|--login/ -D|--chdir:/\n"
	"wrapper runuser skip=99 stdin abbreviate -u|--user:~ -l|--login -c|--command:!\n"
	"wrapper pkexec stdin posix elsewhere --keep-cwd\n"
	"wrapper xargs appends posix abbreviate -0|--null -a|--arg-file: -I: -i|--replace:: "
	"-n|--max-args: -P|--max-procs: -r\n"
	"wrapper find after=-exec,-execdir,-ok,-okdir ends=;,+ no-cluster no-end -name: -path: -type: "
	"-newer: -delete -print\n"
	"wrapper flock skip=1 -c|--command:! -n|--nonblock -w|--timeout:\n"
	"wrapper script skip=1 -q|--quiet -c|--command:!\n"
	"wrapper ssh skip=1 joined posix -p: -o:!:y -l: -v\n"
	"wrapper watch joined posix -n|--interval:\n"
	"wrapper npm after=exec,dlx -q|--quiet -y|--yes -p|--package: -c|--call:!\n"
	"wrapper box skip=1 posix elsewhere away -v: -d --enter:> -l~\n"
	"interpreter box\n"
	"wrapper pod skip=1 elsewhere away -n:\n"
	"interpreter pod\n"
	"wrapper eval joined posix\n"
	"wrapper trap operand=1 posix -l? -p?\n"
	"interpreter sh shell posix -c:!\n"
	"interpreter bash shell posix -c:!\n"
	"interpreter dash shell posix -c:!\n"
	"interpreter python3 stdin posix -c:! -m -W: -X: -u\n"
	"interpreter awk operand=1:y posix -F: -v: -f:\n"
	"program git abbreviate -C:^ -c:!:y^ -p|--paginate^ --ext-diff! --upload-pack:! -f|--force "
	"-u|--set-upstream --force-with-lease:: -m|--message:\n"
	"program rm abbreviate -r|-R|--recursive -f|--force -i -v|--verbose\n"
	"program mk default=Mk,*.mk\n"
	"program look makes-nothing\n"
	"program fix writes-unnamed\n"
	"program tar abbreviate -C|--directory:/ -f|--file: -x -c -t -v -z "
	"--checkpoint-action:! -I|--use-compress-program:!\n"
	"taint PATH IFS PS4 LD_* GIT_* HOME BASH_ENV BASH_CMDS\n"
	"safe CI LC_* NODE_ENV\n";

#define MAX_OPTIONS 64
#define MAX_PROGRAMS 64
#define MAX_VARS 64

struct text {
	const char *p;
	size_t n;
};

struct option {
	struct text name;
	struct line_option o;
};

struct program {
	struct text name;
	struct line_program p;
	struct option options[MAX_OPTIONS];
	struct line_code codes[8];
	struct text after[8], ends[8], defaults[8];
	uint32_t groups;
};

struct var {
	struct text name;
	uint32_t taint;
};

struct made {
	struct program programs[MAX_PROGRAMS];
	struct var vars[MAX_VARS];
	char whens[16];
	uint32_t nprograms, nvars, nwhens, dialect;
	uint8_t *bytes;
	size_t n, cap;
};

static void fail(const char *why, struct text t)
{
	fprintf(stderr, "facts: %s: %.*s\n", why, (int)t.n, t.p);
	abort();
}

static bool is(struct text t, const char *z)
{
	return t.n == strlen(z) && memcmp(t.p, z, t.n) == 0;
}

static int by_text(const struct text *a, const struct text *b)
{
	int c = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);

	return c ? c : (a->n > b->n) - (a->n < b->n);
}

/* Records begin with their name. */
static int by_name(const void *a, const void *b)
{
	return by_text(a, b);
}

/* Up to a byte of `stop`; *s goes behind it. */
static struct text cut(struct text *s, const char *stop)
{
	struct text t = { s->p, 0 };

	while (t.n < s->n && !strchr(stop, t.p[t.n]))
		t.n++;
	s->p += t.n + (t.n < s->n);
	s->n -= t.n + (t.n < s->n);
	return t;
}

static uint32_t when(struct made *m, struct text *s)
{
	uint32_t i;

	if (s->n < 2 || s->p[0] != ':' || s->p[1] == ':')
		return LINE_NO_WHEN;
	for (i = 0; i < m->nwhens; i++)
		if (m->whens[i] == s->p[1])
			break;
	if (i == m->nwhens)
		m->whens[m->nwhens++] = s->p[1];
	s->p += 2;
	s->n -= 2;
	return i;
}

/* "-o|--output:!:e^" */
static void take_option(struct made *m, struct program *p, struct text t)
{
	struct text names = cut(&(struct text){ t.p, t.n }, ":!?^/~");
	struct line_option o = { .same = (uint16_t)++p->groups, .when = LINE_NO_WHEN };
	struct text s = { t.p + names.n, t.n - names.n };

	while (s.n && s.p[0] == ':') {
		o.takes++; /* in that order: nothing, a value, an attached one, either */
		s.p++;
		s.n--;
	}
	while (s.n) {
		char c = s.p[0];

		s.p++;
		s.n--;
		o.flags |= c == '!' ? LINE_OF_CODE : c == '?' ? LINE_OF_QUERY : c == '/' ? LINE_OF_MOVES :
			   c == '~' ? LINE_OF_RUNS : c == '>' ? LINE_OF_LEADS : LINE_OF_GLOBAL;
		if (c == '!')
			o.when = when(m, &s);
	}
	while (names.n) {
		struct text name = cut(&names, "|");

		if (p->p.options.count == MAX_OPTIONS)
			fail("too many options", name);
		p->p.stems |= name.n && name.p[name.n - 1] == '*';
		p->options[p->p.options.count++] = (struct option){ name, o };
	}
}

static void take_words(struct text *to, uint32_t *count, struct text s)
{
	while (s.n)
		to[(*count)++] = cut(&s, ",");
}

static bool take_flag(struct program *p, struct text t)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} flags[] = {
		{ "transparent", LINE_PF_TRANSPARENT }, { "abbreviate", LINE_PF_ABBREVIATE },
		{ "no-cluster", LINE_PF_NO_CLUSTER },   { "posix", LINE_PF_POSIX },
		{ "assignments", LINE_PF_ASSIGNMENTS }, { "joined", LINE_PF_JOINED },
		{ "appends", LINE_PF_APPENDS },         { "shell", LINE_PF_SHELL },
		{ "stdin", LINE_PF_CODE_STDIN },        { "stays", LINE_PF_STAYS },
		{ "elsewhere", LINE_PF_ELSEWHERE },     { "no-end", LINE_PF_NO_END },
		{ "booleans", LINE_PF_BOOLEANS },       { "one-dash", LINE_PF_ONE_DASH },
		{ "away", LINE_PF_AWAY },               { "whole-trees", LINE_PF_WHOLE_TREES },
		{ "makes-nothing", LINE_PF_MAKES_NOTHING },
		{ "writes-unnamed", LINE_PF_WRITES_UNNAMED },
		{ "sed-script", LINE_PF_SED_SCRIPT },   { "awk-script", LINE_PF_AWK_SCRIPT },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is(t, flags[i].word)) {
			p->p.flags |= flags[i].flag;
			return true;
		}
	return false;
}

static void take_token(struct made *m, struct program *p, struct text t)
{
	struct text s = t, key = cut(&s, "=");

	if (t.p[0] == '-' || t.p[0] == '+') {
		take_option(m, p, t);
	} else if (is(key, "skip")) {
		p->p.skip = (uint32_t)strtoul(s.p, NULL, 10);
	} else if (is(key, "operand")) {
		struct line_code *c = &p->codes[p->p.codes.count++];

		c->operand = s.p[0] == '*' ? LINE_ANY_OPERAND : (uint32_t)(s.p[0] - '0');
		s.p++;
		s.n--;
		c->when = when(m, &s);
	} else if (is(key, "after")) {
		take_words(p->after, &p->p.after.count, s);
	} else if (is(key, "default")) {
		take_words(p->defaults, &p->p.defaults.count, s);
	} else if (is(key, "ends")) {
		take_words(p->ends, &p->p.ends.count, s);
	} else if (!take_flag(p, t)) {
		fail("not understood", t);
	}
}

static void take_line(struct made *m, struct text line)
{
	struct text kind = cut(&line, " "), name;
	struct program *p = m->programs;

	if (is(kind, "taint") || is(kind, "safe")) {
		while (line.n)
			m->vars[m->nvars++] = (struct var){ cut(&line, " "),
							    is(kind, "taint") };
		return;
	}
	name = cut(&line, " ");
	if (is(kind, "dialect")) {
		m->dialect = is(name, "posix") ? LINE_DIALECT_POSIX :
			     is(name, "none") ? LINE_DIALECT_NONE : LINE_DIALECT_BASH;
		return;
	}
	while (p < m->programs + m->nprograms && by_text(&p->name, &name) != 0)
		p++;
	m->nprograms += p == m->programs + m->nprograms;
	p->name = name;
	p->p.kinds |= is(kind, "wrapper") ? LINE_PK_WRAPPER :
		      is(kind, "interpreter") ? LINE_PK_INTERPRETER : LINE_PK_PROGRAM;
	while (line.n)
		take_token(m, p, cut(&line, " "));
}

/* --- the member ------------------------------------------------------------------- */

static uint32_t put(struct made *m, const void *p, size_t n)
{
	size_t at = (m->n + 7) & ~(size_t)7;

	if (at + n > m->cap) {
		m->cap = 2 * (at + n);
		m->bytes = realloc(m->bytes, m->cap);
		if (!m->bytes)
			abort();
	}
	memset(m->bytes + m->n, 0, at - m->n);
	if (n)
		memcpy(m->bytes + at, p, n);
	m->n = at + n;
	return (uint32_t)at;
}

static struct pb_str put_text(struct made *m, struct text t)
{
	return (struct pb_str){ put(m, t.p, t.n), (uint32_t)t.n };
}

static uint32_t put_words(struct made *m, const struct text *t, uint32_t n)
{
	struct line_word w[8];

	for (uint32_t i = 0; i < n; i++)
		w[i].text = put_text(m, t[i]);
	return put(m, w, n * sizeof(*w));
}

static void put_program(struct made *m, struct program *p)
{
	struct line_option o[MAX_OPTIONS];
	uint32_t n = p->p.options.count;

	qsort(p->options, n, sizeof(*p->options), by_name);
	for (uint32_t i = 0; i < n; i++) {
		o[i] = p->options[i].o;
		o[i].name = put_text(m, p->options[i].name);
	}
	p->p.name = put_text(m, p->name);
	p->p.options.off = put(m, o, n * sizeof(*o));
	p->p.codes.off = put(m, p->codes, p->p.codes.count * sizeof(struct line_code));
	p->p.after.off = put_words(m, p->after, p->p.after.count);
	p->p.ends.off = put_words(m, p->ends, p->p.ends.count);
	p->p.defaults.off = put_words(m, p->defaults, p->p.defaults.count);
}

/* An automaton for "has this byte". */
static struct pb_automaton put_when(struct made *m, char c)
{
	static const struct pb_state states[] = {
		{ 0, 0, 0 }, { 0, 1, 0 }, { 1, 2, 1 }, { 1, 0, 0 },
	};
	uint32_t moves[] = { PB_MOVE(1, 2) }, sets[] = { 0, 0, 1 }, tags[] = { 0 };
	uint8_t cls[256] = { 0 };

	cls[(unsigned char)c] = 1;
	return (struct pb_automaton){
		.nstates = 3, .nclasses = 2, .start = 1, .cls = put(m, cls, sizeof(cls)),
		.states = put(m, states, sizeof(states)), .moves = put(m, moves, sizeof(moves)),
		.nmoves = 1, .set_at = put(m, sets, sizeof(sets)), .nsets = 2,
		.tags = put(m, tags, sizeof(tags)), .ntags = 1,
	};
}

static struct pb_table put_table(struct made *m, const void *p, size_t size, uint32_t n)
{
	return (struct pb_table){ put(m, p, size * n), n };
}

struct line_facts *facts_make(const char *text)
{
	struct made *m = calloc(1, sizeof(*m));
	struct text all = { text, strlen(text) };
	struct line_facts head = { .head = { PB_MAGIC_COMMANDS, PB_FORMAT_VERSION, 0, 0 } };
	struct line_program programs[MAX_PROGRAMS];
	struct line_var vars[MAX_VARS];
	struct pb_automaton whens[16];
	uint8_t *bytes;
	uint32_t i;

	if (!m)
		abort();
	while (all.n) {
		struct text line = cut(&all, "\n");

		if (line.n)
			take_line(m, line);
	}
	qsort(m->programs, m->nprograms, sizeof(*m->programs), by_name);
	qsort(m->vars, m->nvars, sizeof(*m->vars), by_name);
	put(m, &head, sizeof(head));
	for (i = 0; i < m->nprograms; i++) {
		put_program(m, &m->programs[i]);
		programs[i] = m->programs[i].p;
	}
	for (i = 0; i < m->nvars; i++)
		vars[i] = (struct line_var){ .name = put_text(m, m->vars[i].name),
					   .taint = m->vars[i].taint };
	for (i = 0; i < m->nwhens; i++)
		whens[i] = put_when(m, m->whens[i]);
	head.programs = put_table(m, programs, sizeof(*programs), m->nprograms);
	head.vars = put_table(m, vars, sizeof(*vars), m->nvars);
	head.whens = put_table(m, whens, sizeof(*whens), m->nwhens);
	head.dialect = m->dialect;
	head.head.size = (uint32_t)m->n;
	bytes = m->bytes;
	memcpy(bytes, &head, sizeof(head));
	free(m);
	return (struct line_facts *)bytes;
}
