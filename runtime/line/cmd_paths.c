/*
 * Which paths a word may name: its text, the pieces of the text, and the files that a
 * pattern may match.
 */
#include <limits.h>
#include <strings.h>

#include "runtime/line/cmd.h"
#include "runtime/line/cmd_text.h"

static const char separators[] = "=@:,;";

static bool is_separator(char c)
{
	return c && strchr(separators, c);
}

/* --- literal text ----------------------------------------------------------------------- */

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

/* --- patterns --------------------------------------------------------------------------- */

static bool add(struct cmd_pattern *to, uint16_t c)
{
	if (to->n == CMD_MAX_PATTERN)
		return false;
	to->v[to->n++] = c;
	return true;
}

static bool add_text(struct cmd_pattern *to, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!add(to, (uint8_t)p[i]))
			return false;
	return true;
}

/* Adds a pattern of the shell. What '[' and a backslash begin is only approximated: it
 * may match more. */
static bool add_glob(struct cmd_pattern *to, const char *p, size_t n)
{
	if (!n)
		return add(to, CMD_G_STAR);
	for (size_t i = 0; i < n; i++) {
		const char *end = p[i] == '[' && n - i > 2 ? memchr(p + i + 2, ']', n - i - 2) : NULL;
		bool ok;

		if (strchr("@+!(){}|\\", p[i] ? p[i] : 'x')) {
			/* bash's extended patterns are not modelled: anything may
			 * match */
			return add(to, CMD_G_STAR);
		} else if (end) {
			ok = add(to, CMD_G_ONE);
			i = (size_t)(end - p);
		} else {
			ok = add(to, p[i] == '*' ? CMD_G_STAR : p[i] == '?' ? CMD_G_ONE :
							       (uint8_t)p[i]);
		}
		if (!ok)
			return false;
	}
	return true;
}

/* Adds the beginning of a path. All up to its last '/' is a directory; the name after it
 * continues in the pattern. */
static bool add_beginning(const struct cmd_world *w, const char *dir, const char *p, size_t n,
			  bool home, struct cmd_pattern *ret)
{
	const char *slash = n ? memrchr(p, '/', n) : NULL;
	size_t k = slash ? (size_t)(slash - p) + 1 : 0;
	char buf[PATH_MAX];

	if (!cmd_resolve_named(w, dir, k ? p : home ? "" : ".", k ? k : !home, home, buf,
			       sizeof(buf)))
		return false;
	if (!add_text(ret, buf, buf[1] ? strlen(buf) : 0) || !add(ret, '/'))
		return false;
	return add_text(ret, p + k, n - k);
}

bool cmd_begin_pattern(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, struct cmd_pattern *ret)
{
	ret->n = 0;
	return add_beginning(w, dir, text, n, home, ret) && add(ret, CMD_G_STAR);
}

/* How a word that is a pattern begins: with the value of HOME or PWD, and with literal text. */
struct start {
	bool home, here;
	const char *p;
	size_t n;
	const struct sh_seg *rest; /* what follows */
};

static void read_start(const struct sh_seg *g, struct start *ret)
{
	bool unknown = g->kind == SH_ANY || g->kind == SH_MULTI;

	*ret = (struct start){ .home = g->kind == SH_HOME || (unknown && g->n == 4),
			       .here = unknown && g->n == 3, .p = "" };
	ret->rest = ret->home || ret->here ? g->next : g;
	if (ret->rest && ret->rest->kind == SH_LIT) {
		ret->p = ret->rest->p;
		ret->n = ret->rest->n;
		ret->rest = ret->rest->next;
	}
	/* the value of PWD is the current directory */
	while (ret->here && ret->n && *ret->p == '/') {
		ret->p++;
		ret->n--;
	}
}

/* Adds the literal beginning of a word as a path. *ret_g: what follows it. */
static bool add_start(const struct cmd_world *w, const char *dir, const struct sh_seg *g,
		      struct cmd_pattern *ret, const struct sh_seg **ret_g)
{
	struct start s;

	read_start(g, &s);
	*ret_g = s.rest;
	return add_beginning(w, dir, s.p, s.n, s.home, ret);
}

/* May a component of these pieces, the first of which goes on with one, be ".."? Patterns
 * match no leading dot, unless it is written. */
static bool may_climb(const struct sh_seg *g, bool begins)
{
	for (; g; g = g->next)
		for (uint32_t i = 0; i < g->n; i++) {
			if (begins && g->p[i] == '.')
				return true;
			begins = g->p[i] == '/';
		}
	return false;
}

bool cmd_pattern_folder(const struct cmd_word *word, const char **ret_p, size_t *ret_n)
{
	const struct sh_seg *g = &word->w->seg, *first = g;
	const char *slash;

	for (; g; g = g->next)
		if ((g->kind != SH_LIT && g->kind != SH_GLOB) ||
		    (g->kind == SH_GLOB && (!g->n || memchr(g->p, '(', g->n) ||
					    memchr(g->p, '\\', g->n))))
			return false;
	if (first->kind == SH_LIT && (!first->next || first->next->kind != SH_GLOB))
		return false;
	slash = first->kind == SH_LIT ? memrchr(first->p, '/', first->n) : NULL;
	*ret_p = slash ? first->p : ".";
	*ret_n = slash ? (size_t)(slash - first->p) + (slash == first->p) : 1;
	/* the component that the first pattern goes on with */
	if (first->kind == SH_LIT && first->n > (slash ? (size_t)(slash - first->p) + 1 : 0))
		return first->p[slash ? (size_t)(slash - first->p) + 1 : 0] != '.' &&
		       !may_climb(first->next, false);
	return !may_climb(first->kind == SH_LIT ? first->next : first, true);
}

bool cmd_matched(const struct sh_seg *g)
{
	return g->kind == SH_ANY && g->from && g->from->n;
}

bool cmd_has_glob(const struct cmd_word *word)
{
	for (const struct sh_seg *g = &word->w->seg; g; g = g->next)
		if (g->kind == SH_GLOB)
			return true;
	return false;
}

/* Adds bytes that stand for themselves. */
static bool quote(char *buf, size_t *at, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (*at + 3 > CMD_GIVEN_MAX)
			return false;
		if (strchr("*?[\\", p[i] ? p[i] : 'x'))
			buf[(*at)++] = '\\';
		buf[(*at)++] = p[i];
	}
	buf[*at] = '\0';
	return true;
}

/* Adds a pattern of the shell. Of an extended one no more is known than that it may match. */
static bool add_shell_glob(char *buf, size_t *at, const char *p, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		bool any = !n || (i < n && strchr("@+!(){}|\\", p[i] ? p[i] : 'x'));

		if (!any && i == n)
			break;
		if (*at + 2 > CMD_GIVEN_MAX)
			return false;
		buf[(*at)++] = any ? '*' : p[i];
		if (any)
			break;
	}
	buf[*at] = '\0';
	return true;
}

void cmd_unquote(char *pattern)
{
	char *to = pattern;

	for (const char *p = pattern; *p; p++) {
		p += *p == '\\' && p[1];
		*to++ = *p;
	}
	*to = '\0';
}

bool cmd_word_on_disk(const struct cmd_world *w, const char *dir, const struct cmd_word *word,
		      char ret[CMD_GIVEN_MAX], bool *ret_glob)
{
	const struct sh_seg *g = &word->w->seg;
	char start[CMD_GIVEN_MAX];
	const char *p, *slash;
	size_t n, at = 0, k;
	struct start s;
	bool home;

	*ret_glob = cmd_has_glob(word);
	if (!*ret_glob) {
		if (!cmd_path_text(word, false, &at, &p, &n, &home))
			return false;
		/* `cp -tDIR`, `cp --target-directory=DIR` */
		k = g->kind == SH_LIT && !g->next ? word->value_at : 0;
		return cmd_resolve_given(w, dir, p + k, n - k, home, true, ret);
	}
	read_start(g, &s);
	slash = s.n ? memrchr(s.p, '/', s.n) : NULL;
	k = slash ? (size_t)(slash - s.p) + 1 : 0;
	if (!cmd_resolve_given(w, dir, k ? s.p : s.home ? "" : ".", k ? k : !s.home, s.home, true, start) ||
	    !quote(ret, &at, start, start[1] ? strlen(start) : 0) || !quote(ret, &at, "/", 1) ||
	    !quote(ret, &at, s.p + k, s.n - k))
		return false;
	for (g = s.rest; g; g = g->next)
		if (g->kind == SH_LIT ? !quote(ret, &at, g->p, g->n) :
					g->kind != SH_GLOB || !add_shell_glob(ret, &at, g->p, g->n))
			return false;
	return true;
}

bool cmd_has_number(const struct cmd_word *word)
{
	bool has = false;

	for (const struct sh_seg *g = &word->w->seg; g; g = g->next) {
		if (g->kind == SH_GLOB)
			return false;
		has |= g->kind != SH_LIT && g->number;
	}
	return has;
}

bool cmd_word_pattern(const struct cmd_world *w, const char *dir, const struct cmd_word *word,
		      bool tree, struct cmd_pattern *ret)
{
	const struct sh_seg *g = &word->w->seg;
	char path[PATH_MAX];
	bool glob = false, home;
	const char *text;
	size_t n, at = 0;

	ret->n = 0;
	if (tree && (g->kind != SH_LIT || !g->next) &&
	    cmd_path_text(word, false, &at, &text, &n, &home)) {
		/* `jq -LDIR`, `jq --library-path=DIR` */
		text += g->kind == SH_LIT ? word->value_at : 0;
		n -= g->kind == SH_LIT ? word->value_at : 0;
		return cmd_resolve_named(w, dir, text, n, home, path, sizeof(path)) &&
		       cmd_tree_pattern(path, ret);
	}
	if (!add_start(w, dir, g, ret, &g))
		return false;
	for (; g; g = g->next) {
		/* /proc/$$/cwd */
		if (g->kind != SH_LIT && g->kind != SH_GLOB && !g->number && !cmd_matched(g))
			return false;
		glob |= g->kind != SH_LIT;
		if (!(g->kind == SH_LIT	 ? add_text(ret, g->p, g->n) :
		      cmd_matched(g)	 ? add_glob(ret, g->from->p, g->from->n) :
		      g->kind == SH_GLOB ? add_glob(ret, g->p, g->n) :
					   add(ret, CMD_G_STAR)))
			return false;
	}
	if (!glob && !tree)
		return false;
	return !tree || (add(ret, '/') && add(ret, CMD_G_DEEP));
}

bool cmd_tree_pattern(const char *path, struct cmd_pattern *ret)
{
	ret->n = 0;
	return add_text(ret, path, path[1] ? strlen(path) : 0) && add(ret, '/') &&
	       add(ret, CMD_G_DEEP);
}
