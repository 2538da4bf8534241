/*
 * Reads lines "DIALECT HEX" (bash or posix) and writes what sh_parse() makes
 * of each, for shell.py:
 *   "STATUS NCMDS OFFSET AGAIN WHY"   (AGAIN: 1 where text is evaluated twice)
 * and for each command with words "MARKS" and its words: behind each blank
 * one, its pieces joined by ',': =HEX, ? (any), * (multi), g (glob), ~ (home),
 * [HEX|HEX… (the values of a variable).
 * A here-document or here-string is the command "p4 --stdin TEXT" as well, which
 * the stub "body" makes of it, when it is that command's.
 *
 * With POL_TEST_SHELL (shell_mutants) a line may end in " N,N…", productions of
 * runtime/line/shell/productions.def: for each whose absence makes a difference the
 * same follows behind "@N ", and "@" behind them all.  The line "list" asks for
 * their number, names and dialects; an argument names one that is always off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/line/var.h"
#ifdef POL_TEST_SHELL
#include "runtime/line/shell/production.h"
#endif

static FILE *out;

/* Up to a blank or the end; *ret_rest is there. */
static size_t unhex(char *hex, char **ret_rest)
{
	size_t n = 0;

	for (*ret_rest = hex; **ret_rest && !strchr(" \n", **ret_rest);
	     *ret_rest += 2) {
		char pair[3] = { (*ret_rest)[0], (*ret_rest)[1], '\0' }, *end;

		hex[n++] = (char)strtoul(pair, &end, 16);
		if (*end)
			exit(2);
	}
	return n;
}

static void put_hex(const char *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%02x", (unsigned char)p[i]);
}

static void put_values(const struct sh *s, const struct sh_seg *g)
{
	const struct sh_var *v = &s->vars[g->var - 1];

	putc('[', out);
	for (uint32_t i = 0; i < v->nvalues; i++) {
		if (!(g->values & (1u << i)))
			continue;
		put_hex(v->values[i].p, v->values[i].n);
		putc('|', out);
	}
}

static void put_segs(const struct sh *s, const struct sh_word *w)
{
	static const char kinds[] = {
		[SH_LIT] = '=',  [SH_ANY] = '?',  [SH_MULTI] = '*',
		[SH_GLOB] = 'g', [SH_HOME] = '~',
	};
	const struct sh_seg *g;

	for (g = &w->seg; g; g = g->next) {
		if (g->values)
			put_values(s, g);
		else
			putc(kinds[g->kind], out);
		if (g->kind == SH_LIT)
			put_hex(g->p, g->n);
		if (g->next)
			putc(',', out);
	}
}

/* The last text that standard input is of, or NULL. */
static const struct sh_redir *input_of(const struct sh_cmd *c)
{
	const struct sh_redir *r, *last = NULL;

	if (!sh_is_literal(c->words) || c->words->seg.n != 4 ||
	    memcmp(c->words->seg.p, "body", 4) != 0)
		return NULL;
	for (r = c->redirs; r; r = r->next)
		if (!r->var && (r->fd == 0 || (r->fd < 0 && (r->op == SH_R_HEREDOC ||
							     r->op == SH_R_HERESTRING ||
							     r->op == SH_R_IN))))
			last = r;
	return last && (last->body || last->op == SH_R_HERESTRING) ? last : NULL;
}

static void put_input(const struct sh *s, const struct sh_redir *r)
{
	fputs("0 =7034 =2d2d737464696e ", out);
	put_segs(s, r->body ? r->body : r->target);
	fputs(r->body ? "\n" : ",=0a\n", out);
}

static void put(const struct sh *s)
{
	const struct sh_word *w;
	const struct sh_cmd *c;
	unsigned cmds = 0, again = 0;

	for (c = s->first; c; c = c->next) {
		if (c->kind == SH_COMMAND && c->words)
			cmds += input_of(c) ? 2 : 1;
		again |= c->marks & SH_EVALUATES;
	}
	fprintf(out, "%u %u %u %d %s\n", (unsigned)s->status, cmds, s->at, again != 0,
		s->why ? s->why : "");
	for (c = s->first; c; c = c->next) {
		if (c->kind != SH_COMMAND || !c->words)
			continue;
		fprintf(out, "%u", c->marks);
		for (w = c->words; w; w = w->next)
			putc(' ', out), put_segs(s, w);
		putc('\n', out);
		if (input_of(c))
			put_input(s, input_of(c));
	}
}

/* What shell_oracle.c starts its shells with. */
static const struct sh_text given[] = { { "say", 3 }, { "p2", 2 }, { "x y", 3 } };
static const struct var_around around = { .alone = true, .given = given, .ngiven = 3 };

/* What is made of the line: to be freed. */
static char *reading(const char *text, size_t n, enum sh_dialect dialect)
{
	size_t size = 2 * sh_block_size(n), got_n;
	void *block = malloc(size);
	char *got = NULL, *mem;
	struct sh s;

	out = open_memstream(&got, &got_n);
	if (!block || !out)
		exit(2);
	sh_parse(&s, block, size, text, n, dialect);
	mem = (char *)block + s.used;
	var_follow(&s, &mem, (char *)block + size, n, &around);
	put(&s);
	fclose(out);
	free(block);
	return got;
}

#ifdef POL_TEST_SHELL
static void list(void)
{
	printf("%u\n", SHELL_PRODUCTIONS - 1);
	for (unsigned i = 1; i < SHELL_PRODUCTIONS; i++)
		printf("%u %s %s\n", i, shell_productions[i].name,
		       shell_productions[i].dialect);
}

static void always(const char *name)
{
	for (unsigned i = 1; i < SHELL_PRODUCTIONS; i++)
		if (strcmp(shell_productions[i].name, name) == 0)
			shell_is_off = i;
	if (!shell_is_off) {
		fprintf(stderr, "shell_mutants: there is no production '%s'\n", name);
		exit(2);
	}
}

/* The line without each of the productions that `which` numbers. */
static void without(const char *base, char *which, const char *text, size_t n,
		    enum sh_dialect dialect)
{
	unsigned was = shell_is_off;

	for (which = strtok(which, " ,\n"); which; which = strtok(NULL, " ,\n")) {
		char *got;

		shell_is_off = (unsigned)strtoul(which, NULL, 10);
		got = reading(text, n, dialect);
		if (strcmp(got, base) != 0)
			printf("@%s %s", which, got);
		free(got);
	}
	shell_is_off = was;
	puts("@");
}
#endif

int main(int argc, char **argv)
{
	char *line = NULL, *text, *rest, *base;
	size_t cap = 0, n;

#ifdef POL_TEST_SHELL
	if (argc > 1)
		always(argv[1]);
#else
	(void)argc;
	(void)argv;
#endif
	while (getline(&line, &cap, stdin) > 0) {
		enum sh_dialect dialect = strncmp(line, "bash", 4) ? SH_POSIX : SH_BASH;

		text = strchr(line, ' ');
#ifdef POL_TEST_SHELL
		if (!text) {
			list();
			fflush(stdout);
			continue;
		}
#endif
		if (!text)
			return 2;
		n = unhex(++text, &rest);
		base = reading(text, n, dialect);
		fputs(base, stdout);
#ifdef POL_TEST_SHELL
		if (strspn(rest, " \n") < strlen(rest))
			without(base, rest, text, n, dialect);
#endif
		free(base);
		fflush(stdout);
	}
	free(line);
	return 0;
}
