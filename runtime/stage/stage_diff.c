/* Finds a shortest edit script (Myers 1986, "An O(ND) Difference Algorithm and Its
 * Variations") up to a limit of edits, and prints it in hunks. */
#include "runtime/stage/stage_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/utf8.h"

enum { CONTEXT = 3, MAX_EDITS = 1000 };

struct lines {
	const char **at; /* where each begins; one more: the end */
	size_t n;
};

struct diff {
	struct lines a, b;
	bool *gone, *come; /* for each line of a and b */
};

static bool split(const char *s, size_t n, struct lines *ret)
{
	size_t cap = 2;

	for (size_t i = 0; i < n; i++)
		cap += s[i] == '\n';
	ret->at = calloc(cap, sizeof(*ret->at));
	ret->n = 0;
	if (!ret->at)
		return false;
	for (size_t i = 0; i < n;) {
		const char *end = memchr(s + i, '\n', n - i);

		ret->at[ret->n++] = s + i;
		i = end ? (size_t)(end - s) + 1 : n;
	}
	ret->at[ret->n] = s + n;
	return true;
}

static size_t length(const struct lines *l, size_t i)
{
	return (size_t)(l->at[i + 1] - l->at[i]);
}

static bool same(const struct diff *d, size_t i, size_t j)
{
	size_t n = length(&d->a, i);

	return n == length(&d->b, j) && !memcmp(d->a.at[i], d->b.at[j], n);
}

/* --- the shortest script ------------------------------------------------------------------- */

struct part {
	size_t a, b;   /* the first lines of the part that differs */
	long na, nb;   /* and their numbers */
};

/* v[k] is the furthest line of a on diagonal k with d edits.  One array for each d. */
static long step(const struct diff *f, const struct part *p, const long *before, long *v, long d)
{
	for (long k = -d; k <= d; k += 2) {
		long x, y;

		if (d == 0)
			x = 0;
		else if (k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1]))
			x = before[k + 1 + d - 1];
		else
			x = before[k - 1 + d - 1] + 1;
		y = x - k;
		while (x < p->na && y < p->nb && x >= 0 && y >= 0 &&
		       same(f, p->a + (size_t)x, p->b + (size_t)y))
			x++, y++;
		v[k + d] = x;
		if (x >= p->na && y >= p->nb)
			return d;
	}
	return -1;
}

static void mark(struct diff *f, const struct part *p, long *const *v, long d)
{
	long x = p->na, y = p->nb;

	for (; d > 0; d--) {
		const long *before = v[d - 1];
		long k = x - y, up;
		bool down = k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1]);

		up = before[(down ? k + 1 : k - 1) + d - 1];
		x = up;
		y = up - (down ? k + 1 : k - 1);
		if (down && y >= 0 && y < p->nb)
			f->come[p->b + (size_t)y] = true;
		else if (!down && x >= 0 && x < p->na)
			f->gone[p->a + (size_t)x] = true;
	}
}

static bool shortest(struct diff *f, const struct part *p)
{
	long *v[MAX_EDITS + 1] = { NULL };
	long most = p->na + p->nb < MAX_EDITS ? p->na + p->nb : MAX_EDITS, d, found = -1;

	for (d = 0; d <= most && found < 0; d++) {
		v[d] = calloc(2 * (size_t)d + 1, sizeof(**v));
		if (!v[d])
			break;
		found = step(f, p, d ? v[d - 1] : NULL, v[d], d);
	}
	if (found >= 0)
		mark(f, p, v, found);
	for (d = 0; d <= most; d++)
		free(v[d]);
	return found >= 0;
}

static void compare(struct diff *f)
{
	struct part p = { 0, 0, 0, 0 };
	size_t ea = f->a.n, eb = f->b.n;

	while (p.a < ea && p.b < eb && same(f, p.a, p.b))
		p.a++, p.b++;
	while (ea > p.a && eb > p.b && same(f, ea - 1, eb - 1))
		ea--, eb--;
	p.na = (long)(ea - p.a);
	p.nb = (long)(eb - p.b);
	if (shortest(f, &p))
		return;
	for (size_t i = p.a; i < ea; i++)
		f->gone[i] = true;
	for (size_t j = p.b; j < eb; j++)
		f->come[j] = true;
}

/* --- printing ------------------------------------------------------------------------------ */

static int print_line(FILE *out, const char *indent, char sign, const char *s, size_t n)
{
	bool whole = n && s[n - 1] == '\n';
	AUTO_FREE char *text = strndup(s, n - whole), *plain = malloc(8 * n + 16);
	char *at = text, *tab;

	if (!text || !plain)
		return -ENOMEM;
	(void)fprintf(out, "%s%c", indent, sign);
	do {
		tab = strchr(at, '\t');
		if (tab)
			*tab = '\0';
		io_plain(plain, 8 * n + 16, at);
		(void)fprintf(out, "%s%s", plain, tab ? "\t" : "");
		at = tab ? tab + 1 : at;
	} while (tab);
	(void)fprintf(out, "\n");
	if (!whole)
		(void)fprintf(out, "%s\\ No newline at end of file\n", indent);
	return 0;
}

/* Where the hunk that begins with the change at (i, j) ends. */
static void hunk_end(const struct diff *f, size_t i, size_t j, size_t *ret_i, size_t *ret_j)
{
	size_t equal = 0;

	*ret_i = i;
	*ret_j = j;
	while (i < f->a.n || j < f->b.n) {
		if (i < f->a.n && f->gone[i]) {
			i++;
			equal = 0;
		} else if (j < f->b.n && f->come[j]) {
			j++;
			equal = 0;
		} else if (equal == 2 * CONTEXT) {
			return;
		} else {
			i++;
			j++;
			equal++;
			continue;
		}
		*ret_i = i;
		*ret_j = j;
	}
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int print_hunk(FILE *out, const char *indent, const struct diff *f, size_t *i, size_t *j)
{
	size_t before = least(CONTEXT, least(*i, *j)), ei, ej, after, x = *i - before, y = *j - before;
	int r = 0;

	hunk_end(f, *i, *j, &ei, &ej);
	after = least(CONTEXT, least(f->a.n - ei, f->b.n - ej));
	ei += after;
	ej += after;
	(void)fprintf(out, "%s@@ -%zu,%zu +%zu,%zu @@\n", indent, x + (ei > x), ei - x, y + (ej > y),
		      ej - y);
	while ((x < ei || y < ej) && r == 0) {
		if (x < ei && f->gone[x]) {
			r = print_line(out, indent, '-', f->a.at[x], length(&f->a, x));
			x++;
		} else if (y < ej && f->come[y]) {
			r = print_line(out, indent, '+', f->b.at[y], length(&f->b, y));
			y++;
		} else {
			r = print_line(out, indent, ' ', f->a.at[x], length(&f->a, x));
			x++;
			y++;
		}
	}
	*i = ei;
	*j = ej;
	return r;
}

static int print(FILE *out, const char *indent, const struct diff *f)
{
	size_t i = 0, j = 0;
	int r = 0;

	while ((i < f->a.n || j < f->b.n) && r == 0) {
		if ((i < f->a.n && f->gone[i]) || (j < f->b.n && f->come[j])) {
			r = print_hunk(out, indent, f, &i, &j);
			continue;
		}
		i++;
		j++;
	}
	return r;
}

bool stage_diff_is_text(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t k = utf8_length(s + i, n - i);

		if (!k || !s[i])
			return false;
		i += k;
	}
	return true;
}

int stage_diff_print(FILE *out, const char *indent, const char *a, size_t na, const char *b,
		     size_t nb)
{
	struct diff f = { .gone = NULL };
	int r = -ENOMEM;

	if (split(a, na, &f.a) && split(b, nb, &f.b)) {
		f.gone = calloc(f.a.n + 1, sizeof(*f.gone));
		f.come = calloc(f.b.n + 1, sizeof(*f.come));
	}
	if (f.gone && f.come) {
		compare(&f);
		r = print(out, indent, &f);
	}
	free(f.a.at);
	free(f.b.at);
	free(f.gone);
	free(f.come);
	return r;
}
