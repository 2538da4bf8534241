/* Which paths a word may name by its text, and by the pieces of the text. */
#include <strings.h>

#include "runtime/line/cmd.h"
#include "runtime/line/cmd_text.h"

static const char separators[] = "=@:,;";

static bool is_separator(char c)
{
	return c && strchr(separators, c);
}

/* The bytes after the part that stands for a directory, and which directory that is; the
 * other bytes are known. */
static bool behind_directory(const struct sh_seg *g, const char **ret_p, size_t *ret_n,
			     bool *ret_home)
{
	bool unknown = g->kind == SH_ANY || g->kind == SH_MULTI;

	if (g->kind != SH_HOME && !(unknown && g->n))
		return false;
	*ret_home = g->kind == SH_HOME || g->n == 4;
	*ret_p = *ret_home ? "" : ".";
	*ret_n = !*ret_home;
	if (!g->next)
		return true;
	if (g->next->kind != SH_LIT || g->next->next)
		return false;
	*ret_p = g->next->p;
	*ret_n = g->next->n;
	/* the value of PWD is the current directory: "/x" is "x" in it, and "/" is "." */
	while (!*ret_home && *ret_n && **ret_p == '/') {
		++*ret_p;
		--*ret_n;
	}
	if (!*ret_home && !*ret_n) {
		*ret_p = ".";
		*ret_n = 1;
	}
	return true;
}

/* The next piece of the text from *at on. Offsets count from 1. */
static bool next_piece(const char *p, size_t n, size_t *at, size_t *ret_from, size_t *ret_n)
{
	size_t from = *at - 1, end;

	if (from >= n)
		return false;
	for (end = from; end < n && !is_separator(p[end]); end++)
		;
	*ret_from = from;
	*ret_n = end - from;
	*at = end + 2;
	return true;
}

/* The whole text is not a piece, nor is a text without separators. */
static bool piece_of(const char *p, size_t n, size_t skip, size_t *at, const char **ret_p,
		     size_t *ret_n)
{
	size_t from, k;

	while (next_piece(p, n, at, &from, &k)) {
		if (!from && k == n)
			continue;
		if (from < skip) {
			if (k <= skip)
				continue;
			k -= skip;
			from = skip;
		}
		if (!k)
			continue;
		*ret_p = p + from;
		*ret_n = k;
		return true;
	}
	return false;
}

/*
 * Values that may be attached to an option of several letters, in the word or in one of its
 * pieces: "-includeFILE", "-Wl,-MapFILE". The name of an option has at most LETTERS bytes.
 * Each value ends with the word, and with its piece as well. *at: twice the number of letters
 * that are skipped, and the place of the dash times STRIDE.
 */
enum { LETTERS = 24, STRIDE = 2 * LETTERS };

static bool attached_value(const char *p, size_t n, size_t *at, const char **ret_p,
			   size_t *ret_n)
{
	size_t q = *at / STRIDE, k = *at % STRIDE;

	for (; q < n; q++, k = 0) {
		const char *dash = memchr(p + q, '-', n - q), *end;
		size_t from;

		if (!dash)
			return false;
		k = dash == p + q ? k : 0;
		q = (size_t)(dash - p);
		if ((q && !is_separator(p[q - 1])) || q + 1 >= n || p[q + 1] == '-')
			continue;
		/* one letter of the whole word is BEHIND_LETTER */
		k = k ? k : q ? 4 : 6;
		from = q + k / 2;
		if (k >= STRIDE || from >= n || is_separator(p[from - 1]) ||
		    is_separator(p[from]))
			continue;
		for (end = p + from; end < p + n && !is_separator(*end); end++)
			;
		*ret_p = p + from;
		*ret_n = k % 2 ? (size_t)(end - *ret_p) : n - from;
		k += end == p + n ? 2 : 1;
		*at = q * STRIDE + k;
		if (k >= STRIDE)
			*at = (q + 1) * STRIDE;
		return true;
	}
	return false;
}

/*
 * What a URL that begins at *at / 2 or later names: the path of a file: URL of any host
 * ("file://localhost/x" is /x), and (odd *at) the name under which `curl -O`, `wget` and
 * `git clone` leave what any URL names, its last component.
 */
static bool name_of_url(const char *p, size_t n, size_t *at, const char **ret_p, size_t *ret_n)
{
	const char *colon, *path, *end, *slash;
	size_t k;

	while (*at / 2 < n) {
		bool last = *at % 2;

		colon = memchr(p + *at / 2, ':', n - *at / 2);
		if (!colon)
			return false;
		k = (size_t)(colon - p);
		*at = last ? 2 * (k + 1) : 2 * k + 1;
		path = n - k > 3 && memcmp(colon, "://", 3) == 0 ? memchr(colon + 3, '/', n - k - 3) : NULL;
		if (!path || (!last && (k < 4 || strncasecmp(colon - 4, "file", 4) != 0)))
			continue;
		*ret_p = path;
		*ret_n = (size_t)(p + n - path);
		if (!last)
			return true;
		for (end = path; end < p + n && *end != '?' && *end != '#'; end++)
			;
		slash = memrchr(path, '/', (size_t)(end - path));
		*ret_p = slash + 1;
		*ret_n = (size_t)(end - slash - 1);
		if (*ret_n)
			return true;
	}
	return false;
}

enum { WHOLE, BEHIND_EQUALS, BEHIND_LETTER, BEHIND_LETTERS, FIRST_PIECE, PIECES };
/* *at is a number of each of these kinds of texts, behind those of PIECES. */
#define VALUES (SIZE_MAX / 4)
#define URLS (SIZE_MAX / 2)

static bool of_directory(const struct sh_seg *g, bool pieces, size_t *at, const char **ret_p,
			 size_t *ret_n, bool *ret_home)
{
	const char *end;

	if (*at == WHOLE) {
		*at = FIRST_PIECE;
		return behind_directory(g, ret_p, ret_n, ret_home);
	}
	if (!pieces || !g->next || !behind_directory(g, ret_p, ret_n, ret_home))
		return false;
	/* "~/x:/y": only the first piece belongs to the directory */
	if (*at == FIRST_PIECE) {
		for (end = *ret_p; end < *ret_p + *ret_n && !is_separator(*end);)
			end++;
		*at = PIECES + (size_t)(end - *ret_p) + 2;
		if (end < *ret_p + *ret_n) {
			*ret_n = (size_t)(end - *ret_p);
			return true;
		}
	}
	*at -= PIECES;
	*ret_home = false;
	if (!piece_of(*ret_p, *ret_n, 0, at, ret_p, ret_n))
		return false;
	*at += PIECES;
	return true;
}

static bool of_literal(const struct cmd_word *word, bool pieces, size_t *at,
		       const char **ret_p, size_t *ret_n)
{
	const struct sh_seg *g = &word->w->seg;
	const char *p = g->p, *eq;
	bool letter = g->n > 2 && p[0] == '-' && p[1] != '-';

	*ret_p = p;
	*ret_n = g->n;
	switch (*at) {
	case WHOLE:
		*at = BEHIND_EQUALS;
		return true;
	case BEHIND_EQUALS:
		*at = BEHIND_LETTER;
		eq = memchr(p, '=', g->n);
		if (eq) {
			*ret_p = eq + 1;
			*ret_n = g->n - (size_t)(eq + 1 - p);
			return true;
		}
		/* fall through */
	case BEHIND_LETTER:
		*at = BEHIND_LETTERS;
		if (letter) {
			*ret_p = p + 2;
			*ret_n = g->n - 2;
			return true;
		}
		/* fall through */
	case BEHIND_LETTERS:
		*at = FIRST_PIECE;
		if (letter && word->value_at > 2) {
			*ret_p = p + word->value_at;
			*ret_n = g->n - word->value_at;
			return true;
		}
		/* fall through */
	case FIRST_PIECE:
		*at = PIECES + 1;
		/* fall through */
	default:
		break;
	}
	if (!pieces)
		return false;
	if (*at < VALUES) {
		*at -= PIECES;
		if (piece_of(p, g->n, letter ? 2 : 0, at, ret_p, ret_n)) {
			*at += PIECES;
			return true;
		}
		*at = VALUES;
	}
	if (*at < URLS) {
		*at -= VALUES;
		if (attached_value(p, g->n, at, ret_p, ret_n)) {
			*at += VALUES;
			return true;
		}
		*at = URLS;
	}
	*at -= URLS;
	if (!name_of_url(p, g->n, at, ret_p, ret_n))
		return false;
	*at += URLS;
	return true;
}

bool cmd_is_only_read(const struct cmd_part *p, const struct cmd_word *word)
{
	if ((word->places & (CMD_P_READS | CMD_P_WRITES)) != CMD_P_READS || !p->program ||
	    (p->program->kinds & (LINE_PK_WRAPPER | LINE_PK_INTERPRETER)))
		return false;
	for (uint32_t i = 0; i < p->nwords; i++)
		if (p->words[i].places & CMD_P_WRITES)
			return false;
	return true;
}

bool cmd_path_text(const struct cmd_word *word, bool pieces, size_t *at, const char **ret_p,
		   size_t *ret_n, bool *ret_home)
{
	const struct sh_seg *g = &word->w->seg;

	if (g->kind != SH_LIT)
		return of_directory(g, pieces, at, ret_p, ret_n, ret_home);
	/* NAME=~/x, -o"$HOME/x", file://$HOME/x: the bytes before the directory do not
	 * matter */
	if (g->next) {
		if (*at != WHOLE || !g->n)
			return false;
		*at = FIRST_PIECE;
		return behind_directory(g->next, ret_p, ret_n, ret_home);
	}
	*ret_home = false;
	return of_literal(word, pieces, at, ret_p, ret_n);
}
