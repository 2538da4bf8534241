/*
 * Tables of lines: what command_text_of() says of the parts, or
 * command_text_options() of each command.  The facts are those of
 * tests/lib/facts.c; the working directory is /w, the home /h.
 */
#ifndef TESTS_UNIT_COMMAND_ROWS_H
#define TESTS_UNIT_COMMAND_ROWS_H

#include "tests/lib/command_text.h"
#include "tests/lib/facts.h"

struct row {
	const char *line, *want;
};

typedef char *(*rows_text)(const struct cmd_line *l, const struct cmd_world *w);

/* The options of all commands, joined by " ; ". */
static inline char *all_options(const struct cmd_line *l, const struct cmd_world *w)
{
	const struct cmd_part *p;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	(void)w;
	assert_non_null(f);
	for (p = l->first; p; p = p->next) {
		char *one = p->kind == CMD_COMMAND ? command_text_options(p) : NULL;

		if (one)
			fprintf(f, "%s%s", p == l->first ? "" : " ; ", one);
		free(one);
	}
	fclose(f);
	return out;
}

/* `facts`: lines that are added to those of facts_text. */
/* false: variables that no table calls safe decide nothing */
#ifndef ROWS_ON_HOST
#define ROWS_ON_HOST true
#endif

static inline struct line_facts *rows_facts(const char *facts)
{
	struct line_facts *f;
	char *all = NULL;

	assert_true(asprintf(&all, "%s%s", facts_text, facts) >= 0);
	f = facts_make(all);
	free(all);
	return f;
}

/* Takes the facts over. */
static inline void check_rows_of(const struct row *rows, size_t n, struct line_facts *f,
				 rows_text text)
{
	struct cmd_world w = { .facts = f, .cwd = "/w", .home = "/h", .project = "/w",
			       .host = ROWS_ON_HOST };
	size_t i, bad = 0;

	for (i = 0; i < n; i++) {
		size_t k = strlen(rows[i].line), size = cmd_block_size(k);
		void *block = malloc(size);
		struct cmd_line l;
		char *got;

		assert_non_null(block);
		cmd_from_line(&l, block, size, &w, rows[i].line, k);
		got = text(&l, &w);
		if (strcmp(got, rows[i].want) != 0) {
			print_error("%s\n  want %s\n  got  %s\n", rows[i].line,
				    rows[i].want, got);
			bad++;
		}
		free(got);
		free(block);
	}
	assert_int_equal(bad, 0);
	free(f);
}

static inline void check_rows(const struct row *rows, size_t n, const char *facts,
			      rows_text text)
{
	check_rows_of(rows, n, rows_facts(facts), text);
}

#endif
