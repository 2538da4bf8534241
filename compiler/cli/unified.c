/*
 * The shortest way from one text to another, line by line (Myers, "An O(ND)
 * Difference Algorithm", 1986), bounded in time and memory.
 */
#include "compiler/cli/unified.h"

#include "compiler/base/vec.h"

#define MAX_EDITS 1000
#define CONTEXT 3

struct lines {
	struct str *v; /* each with its newline; the last may have none */
	size_t n;
};

struct differ {
	struct arena *a;
	struct lines was, is;
	size_t head, tail;       /* equal lines at the beginning, at the end */
	bool *gone, *come;       /* by line: removed from `was`, added in `is` */
	VEC(const long *) trace; /* the furthest points with 0, 1 … edits */
};

static struct lines split(struct arena *a, struct str s)
{
	struct lines l = { 0 };
	VEC(struct str) v = { 0 };

	while (s.n) {
		const char *end = memchr(s.p, '\n', s.n);
		size_t n = end ? (size_t)(end - s.p) + 1 : s.n;

		VEC_PUSH(a, &v, ((struct str){ s.p, n }));
		s = str_sub(s, n, s.n - n);
	}
	l.v = v.v;
	l.n = v.n;
	return l;
}

static void trim(struct differ *d)
{
	size_t most = d->was.n < d->is.n ? d->was.n : d->is.n;

	while (d->head < most && str_eq(d->was.v[d->head], d->is.v[d->head]))
		d->head++;
	while (d->tail < most - d->head && str_eq(d->was.v[d->was.n - 1 - d->tail],
						  d->is.v[d->is.n - 1 - d->tail]))
		d->tail++;
}

/* The furthest line of `was` on diagonal k (line of was - line of is). */
static long reach(const struct differ *d, const long *v, long k, long edits, long n,
		  long m)
{
	const struct str *was = d->was.v + d->head, *is = d->is.v + d->head;
	bool down = k == -edits || (k != edits && v[k - 1] < v[k + 1]);
	long x = edits == 0 ? 0 : down ? v[k + 1] : v[k - 1] + 1;

	while (x < n && x - k < m && str_eq(was[x], is[x - k]))
		x++;
	return x;
}

/* Fills in `trace`; false if there are too many edits. */
static bool search(struct differ *d, long n, long m)
{
	const long *last = NULL;

	for (long edits = 0; edits <= MAX_EDITS; edits++) {
		long *v = (long *)arena_array(d->a, (size_t)(2 * edits + 3),
					      sizeof(long)) +
			  edits + 1;

		for (long k = -edits; k <= edits; k += 2) {
			/* `last` has diagonals -edits + 1 … edits - 1 */
			v[k] = reach(d, last, k, edits, n, m);
			if (v[k] >= n && v[k] - k >= m) {
				VEC_PUSH(d->a, &d->trace, v);
				return true;
			}
		}
		VEC_PUSH(d->a, &d->trace, v);
		last = v;
	}
	return false;
}

/* Walks back from the end and marks what each step removed or added. */
static void mark(struct differ *d, long n, long m)
{
	long x = n, y = m;

	for (long edits = (long)d->trace.n - 1; edits > 0; edits--) {
		const long *v = d->trace.v[edits - 1];
		long k = x - y;
		bool down = k == -edits || (k != edits && v[k - 1] < v[k + 1]);

		if (down) {
			x = v[k + 1];
			y = x - k - 1;
			d->come[(long)d->head + y] = true;
		} else {
			x = v[k - 1];
			y = x - k + 1;
			d->gone[(long)d->head + x] = true;
		}
	}
}

static void find_edits(struct differ *d)
{
	size_t n, m;

	trim(d);
	n = d->was.n - d->head - d->tail;
	m = d->is.n - d->head - d->tail;
	d->gone = arena_array(d->a, d->was.n + 1, sizeof(bool));
	d->come = arena_array(d->a, d->is.n + 1, sizeof(bool));
	if (search(d, (long)n, (long)m)) {
		mark(d, (long)n, (long)m);
		return;
	}
	memset(d->gone + d->head, true, n);
	memset(d->come + d->head, true, m);
}

static void put_line(FILE *out, char mark, struct str line)
{
	fputc(mark, out);
	fwrite(line.p, 1, line.n, out);
	if (line.p[line.n - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", out);
}

/* Writes the range for a hunk's header; an empty range begins one line earlier. */
static void put_range(FILE *out, char sign, size_t from, size_t n)
{
	fprintf(out, " %c%zu", sign, n ? from + 1 : from);
	if (n != 1)
		fprintf(out, ",%zu", n);
}

/* Writes the change at i (of was) and k (of is), with the changes close to it. */
static void put_hunk(FILE *out, const struct differ *d, size_t *ret_i, size_t *ret_k)
{
	size_t i = *ret_i, k = *ret_k, same = 0, end_i = i, end_k = k;
	size_t before = i < CONTEXT ? i : CONTEXT;

	while ((i < d->was.n || k < d->is.n) && same <= 2 * CONTEXT) {
		bool gone = i < d->was.n && d->gone[i];
		bool come = k < d->is.n && d->come[k];

		i += gone || !come;
		k += come || !gone;
		same++;
		if (gone || come) {
			end_i = i;
			end_k = k;
			same = 0;
		}
	}
	i = *ret_i - before;
	k = *ret_k - before;
	for (same = 0; same < CONTEXT && end_i < d->was.n && end_k < d->is.n; same++) {
		end_i++;
		end_k++;
	}
	fputs("@@", out);
	put_range(out, '-', i, end_i - i);
	put_range(out, '+', k, end_k - k);
	fputs(" @@\n", out);
	while (i < end_i || k < end_k) {
		if (i < end_i && d->gone[i]) {
			put_line(out, '-', d->was.v[i++]);
		} else if (k < end_k && d->come[k]) {
			put_line(out, '+', d->is.v[k++]);
		} else {
			put_line(out, ' ', d->was.v[i++]);
			k++;
		}
	}
	*ret_i = end_i;
	*ret_k = end_k;
}

void unified_diff(FILE *out, struct arena *a, const char *name, struct str was,
		  struct str is)
{
	struct differ d = { .a = a, .was = split(a, was), .is = split(a, is) };
	size_t i = 0, k = 0;

	if (str_eq(was, is))
		return;
	find_edits(&d);
	fprintf(out, "--- %s\n+++ %s (formatted)\n", name, name);
	while (i < d.was.n || k < d.is.n) {
		if ((i < d.was.n && d.gone[i]) || (k < d.is.n && d.come[k])) {
			put_hunk(out, &d, &i, &k);
		} else {
			i++;
			k++;
		}
	}
}
