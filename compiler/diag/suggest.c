/* "did you mean": finds the known word that was probably meant by an unknown one. */
#include "compiler/diag/diag.h"

#define MAX_WORD 64 /* longer words get no suggestion */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Counts insertions, deletions, changes and swaps of neighbours (optimal string
 * alignment); a difference of case costs nothing.
 */
static size_t distance(struct str a, struct str b)
{
	size_t rows[3][MAX_WORD + 1];
	size_t *two = rows[0], *one = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b.n; j++)
		one[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *spare = two;

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			char x = lower(a.p[i - 1]), y = lower(b.p[j - 1]);

			row[j] = min3(one[j] + 1, row[j - 1] + 1, one[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b.p[j - 2]) &&
			    lower(a.p[i - 2]) == y && two[j - 2] + 1 < row[j])
				row[j] = two[j - 2] + 1;
		}
		two = one;
		one = row;
		row = spare;
	}
	return one[b.n];
}

const char *diag_suggest(struct str word, const char *const *words, size_t n)
{
	size_t best = word.n / 3 + 1;
	const char *found = NULL;

	if (word.n > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct str w = str_from(words[i]);
		size_t d;

		if (w.n > MAX_WORD)
			continue;
		d = distance(word, w);
		if (d < best) {
			best = d;
			found = words[i];
		}
	}
	return found;
}

bool diag_did_you_mean(struct diag_sink *s, struct diag *d, struct str word,
		       const char *const *words, size_t n)
{
	const char *near = diag_suggest(word, words, n);

	if (near)
		diag_help(s, d, "did you mean '%s'?", near);
	return near != NULL;
}
