/*
 * The archive around a bundle.  The members that are read, written again with
 * their one header and their padding, are the bytes that were read: no archive
 * has two spellings, and nothing lies between or behind.
 */
#include "tests/fuzz/law.h"

#include "runtime/bundle/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *bytes = malloc(n ? n : 1), *back = calloc(1, n + TAR_BLOCK);
	struct tar_member m;
	size_t at = 0, done = 0;
	struct rt_err err = { 0 };
	int r;

	LAW(bytes && back);
	if (n)
		memcpy(bytes, data, n);
	while ((r = tar_next(bytes, n, &at, &m, &err)) > 0) {
		size_t len = strlen(m.path);

		LAW(at <= n && tar_path_ok(m.path, len));
		LAW(m.data >= bytes && m.size <= n && (size_t)(m.data - bytes) + m.size <= n);
		tar_header(back + done, m.path, len, m.size);
		done += TAR_BLOCK;
		memcpy(back + done, m.data, m.size);
		done += tar_padded(m.size);
		LAW(done == at);
	}
	LAW(r == 0 || err.text[0]);
	if (r == 0) {
		done += (size_t)2 * TAR_BLOCK;
		LAW(done == n && memcmp(bytes, back, n) == 0);
	}
	free(back);
	free(bytes);
	return 0;
}
