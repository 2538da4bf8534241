/*
 * Texts and places: reads a file once, within limits, and turns byte spans into lines
 * and columns.  The front ends decide what the bytes mean.
 */
#include "compiler/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/base/buf.h"

void source_init(struct source_map *m, struct arena *a)
{
	*m = (struct source_map){ .a = a };
}

static void index_lines(struct arena *a, struct source_file *f)
{
	size_t n = 1, line = 1;

	for (size_t i = 0; i < f->text.n; i++)
		n += f->text.p[i] == '\n';
	f->lines = arena_array(a, n, sizeof(*f->lines));
	f->nlines = (uint32_t)n;
	for (size_t i = 0; i < f->text.n; i++)
		if (f->text.p[i] == '\n')
			f->lines[line++] = (uint32_t)i + 1;
}

/* `text` is in the arena already, with a NUL after it. */
static uint32_t add_owned(struct source_map *m, struct str name, struct str text)
{
	struct source_file f = { .name = str_dup(m->a, name), .text = text };

	/* Offsets have 32 bits; a reader with a smaller limit has reported the text. */
	if (f.text.n >= UINT32_MAX)
		f.text.n = UINT32_MAX - 1;
	index_lines(m->a, &f);
	VEC_PUSH(m->a, &m->files, f);
	return (uint32_t)(m->files.n - 1);
}

uint32_t source_add(struct source_map *m, struct str name, struct str text)
{
	return add_owned(m, name, str_dup(m->a, text));
}

/* Reads to the end; the size in `st` is only a hint, since the file may grow. */
static int read_all(struct arena *a, int fd, size_t hint, struct str *ret)
{
	size_t cap = hint + 2 > 4096 ? hint + 2 : 4096, n = 0;
	char *p = arena_alloc(a, cap);

	for (;;) {
		ssize_t got = read(fd, p + n, cap - n - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
		if (n > SOURCE_MAX_BYTES)
			return -EFBIG;
		if (n == cap - 1) {
			char *bigger = arena_alloc(a, cap * 2);

			memcpy(bigger, p, n);
			p = bigger;
			cap *= 2;
		}
	}
	p[n] = '\0';
	*ret = (struct str){ p, n };
	return 0;
}

int source_read(struct source_map *m, const char *path, struct str name,
		uint32_t *ret_file)
{
	struct stat st;
	struct str text;
	int fd, r = 0;

	/* O_NONBLOCK: the open of a FIFO must not wait for a writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (S_ISDIR(st.st_mode))
		r = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else if (st.st_size > (off_t)SOURCE_MAX_BYTES)
		r = -EFBIG;
	else
		r = read_all(m->a, fd, (size_t)st.st_size, &text);
	close(fd);
	if (r == 0)
		*ret_file = add_owned(m, name, text);
	return r;
}

struct source_pos source_locate(const struct source_map *m, struct span s)
{
	struct source_pos pos = { 0 };
	const struct source_file *f;
	uint32_t off, lo = 0, hi, end;

	if (s.file >= m->files.n)
		return pos;
	f = &m->files.v[s.file];
	off = s.off < f->text.n ? s.off : (uint32_t)f->text.n;
	hi = f->nlines;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->lines[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	end = lo + 1 < f->nlines ? f->lines[lo + 1] - 1 : (uint32_t)f->text.n;
	if (end > f->lines[lo] && f->text.p[end - 1] == '\r')
		end--;
	pos.file = f->name;
	pos.line = lo + 1;
	pos.col = off - f->lines[lo] + 1;
	pos.text = (struct str){ f->text.p + f->lines[lo], end - f->lines[lo] };
	return pos;
}

struct str source_text(const struct source_map *m, struct span s)
{
	if (s.file >= m->files.n)
		return STR_NULL;
	return str_sub(m->files.v[s.file].text, s.off, s.len);
}

struct span span_join(struct span a, struct span b)
{
	uint32_t end;

	if (a.file == SOURCE_NONE || a.file != b.file)
		return a.file == SOURCE_NONE ? b : a;
	if (b.off < a.off)
		return span_join(b, a);
	end = a.off + a.len > b.off + b.len ? a.off + a.len : b.off + b.len;
	return (struct span){ a.file, a.off, end - a.off };
}

/* Finds the last key that begins at or before `off`, then the innermost key around
 * it that reaches to `end`. */
static uint32_t find_key(const struct source_file *f, uint32_t off, uint32_t end)
{
	uint32_t lo = 0, hi = f->nkeys, k;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->keys[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (k = lo ? lo - 1 : SOURCE_NONE; k != SOURCE_NONE; k = f->keys[k].parent)
		if (f->keys[k].end >= end)
			break;
	return k;
}

static void put_key(struct buf *b, const struct source_file *f, uint32_t k)
{
	const struct source_key *key = &f->keys[k];

	if (key->parent != SOURCE_NONE)
		put_key(b, f, key->parent);
	if (!key->name.p) {
		buf_printf(b, "[%u]", key->index);
		return;
	}
	if (b->n)
		buf_ch(b, '.');
	buf_str(b, key->name);
}

struct str source_key_path(const struct source_map *m, struct arena *a, struct span s)
{
	const struct source_file *f;
	struct buf b;
	uint32_t k;

	if (s.file >= m->files.n || !m->files.v[s.file].nkeys)
		return STR_NULL;
	f = &m->files.v[s.file];
	k = find_key(f, s.off, s.off + s.len);
	if (k == SOURCE_NONE)
		return STR_NULL;
	buf_init(&b, a);
	put_key(&b, f, k);
	return str_dup(a, buf_view(&b));
}
