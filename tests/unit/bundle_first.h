/* A bundle of the first format, which had no blocks.b2. */
#ifndef TESTS_UNIT_BUNDLE_FIRST_H
#define TESTS_UNIT_BUNDLE_FIRST_H

#include "compiler/bundle/manifest.h"
#include "runtime/bundle/tar.h"
#include "tests/unit/bundle_make.h"

/* `s`, unsigned, without blocks.b2, and a manifest that says so. */
static inline struct str mk_first_format(struct mk *m, struct str s)
{
	struct str was = { s.p + TAR_BLOCK, strtoul(s.p + 124, NULL, 8) };
	size_t at = 2 * TAR_BLOCK + tar_padded(was.n) + TAR_BLOCK, size;
	static const char entry[] = "    {\"path\": \"" PB_BLOCKS, second[] = "\"format\": 2";
	const char *line = memmem(was.p, was.n, entry, sizeof(entry) - 1);
	const char *format = memmem(was.p, was.n, second, sizeof(second) - 1), *end;
	struct buf text, all;
	struct str sum;

	assert(line && format && format < line);
	end = memchr(line, '\n', (size_t)(was.p + was.n - line));
	assert(end && strcmp(s.p + at, PB_BLOCKS) == 0);
	size = strtoul(s.p + at + 124, NULL, 8);
	buf_init(&text, &m->a);
	buf_add(&text, was.p, (size_t)(format + 10 - was.p));
	buf_ch(&text, '1');
	buf_add(&text, format + 11, (size_t)(line - format - 11));
	buf_add(&text, end + 1, (size_t)(was.p + was.n - end - 1));
	sum = str_printf(&m->a, "%.*s  " PB_MANIFEST "\n",
			 STR_ARG(bundle_digest(&m->a, buf_view(&text))));
	buf_init(&all, &m->a);
	bundle_put(&all, STR(PB_MANIFEST), buf_view(&text));
	bundle_put(&all, STR(PB_MANIFEST_B2), sum);
	at += TAR_BLOCK + tar_padded(size);
	buf_add(&all, s.p + at, s.n - at);
	return buf_view(&all);
}

#endif
