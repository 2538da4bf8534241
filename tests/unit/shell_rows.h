/* Tables of shell text: a line, and what shell_text_of() says of its reading. */
#ifndef TESTS_UNIT_SHELL_ROWS_H
#define TESTS_UNIT_SHELL_ROWS_H

#include "tests/lib/shell_text.h"

struct row {
	const char *line, *want;
};

static inline char *read_line_as(const char *line, size_t n, enum sh_dialect dialect)
{
	size_t size = sh_block_size(n);
	void *block = malloc(size);
	struct sh s;
	char *text;

	assert_non_null(block);
	sh_parse(&s, block, size, line, n, dialect);
	assert_true((s.why == NULL) == (s.status == SH_PARSED));
	assert_true(s.at <= n);
	text = shell_text_of(&s);
	free(block);
	return text;
}

static inline void check_rows(const struct row *rows, size_t n, enum sh_dialect dialect)
{
	size_t i, bad = 0;

	for (i = 0; i < n; i++) {
		char *got = read_line_as(rows[i].line, strlen(rows[i].line), dialect);

		if (strcmp(got, rows[i].want) != 0) {
			print_error("%s\n  want %s\n  got  %s\n", rows[i].line,
				    rows[i].want, got);
			bad++;
		}
		free(got);
	}
	assert_int_equal(bad, 0);
}

#endif
