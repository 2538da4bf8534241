/*
 * Reads lines "DIALECT HEX" (bash or posix) and writes what sh_parse() makes
 * of each, for shell.py:
 *   "STATUS NCMDS OFFSET WHY"
 * and for each command with words "MARKS" and its words: behind each blank
 * one, its pieces joined by ',': =HEX, ? (any), * (multi), g (glob), ~ (home).
 * A here-document or here-string is the command "p4 --stdin TEXT" as well, which
 * the stub "body" makes of it, when it is that command's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/shell/shell.h"

static size_t unhex(char *hex)
{
	size_t n = 0;

	for (char *p = hex; p[0] && p[1] && p[0] != '\n'; p += 2) {
		unsigned v;

		if (sscanf(p, "%2x", &v) != 1)
			exit(2);
		hex[n++] = (char)v;
	}
	return n;
}

static void put_segs(const struct sh_word *w)
{
	static const char kinds[] = {
		[SH_LIT] = '=', [SH_ANY] = '?', [SH_MULTI] = '*', [SH_GLOB] = 'g',
		[SH_HOME] = '~',
	};
	const struct sh_seg *g;

	for (g = &w->seg; g; g = g->next) {
		putchar(kinds[g->kind]);
		for (uint32_t i = 0; g->kind == SH_LIT && i < g->n; i++)
			printf("%02x", (unsigned char)g->p[i]);
		if (g->next)
			putchar(',');
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

static void put_input(const struct sh_redir *r)
{
	fputs("0 =7034 =2d2d737464696e ", stdout);
	put_segs(r->body ? r->body : r->target);
	puts(r->body ? "" : ",=0a");
}

int main(void)
{
	char *line = NULL, *text;
	size_t cap = 0, n, size;

	while (getline(&line, &cap, stdin) > 0) {
		const struct sh_word *w;
		const struct sh_cmd *c;
		unsigned cmds = 0;
		struct sh s;
		void *block;

		text = strchr(line, ' ');
		if (!text)
			return 2;
		n = unhex(text + 1);
		size = sh_block_size(n);
		block = malloc(size);
		if (!block)
			return 2;
		sh_parse(&s, block, size, text + 1, n,
			 strncmp(line, "bash", 4) ? SH_POSIX : SH_BASH);
		for (c = s.first; c; c = c->next)
			if (c->kind == SH_COMMAND && c->words)
				cmds += input_of(c) ? 2 : 1;
		printf("%u %u %u %s\n", (unsigned)s.status, cmds, s.at, s.why ? s.why : "");
		for (c = s.first; c; c = c->next) {
			if (c->kind != SH_COMMAND || !c->words)
				continue;
			printf("%u", c->marks);
			for (w = c->words; w; w = w->next)
				putchar(' '), put_segs(w);
			putchar('\n');
			if (input_of(c))
				put_input(input_of(c));
		}
		fflush(stdout);
		free(block);
	}
	free(line);
	return 0;
}
