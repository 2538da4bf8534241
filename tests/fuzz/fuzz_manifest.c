/*
 * manifest.json.  What is accepted stands within its limits, and no other bytes
 * are as good: with any one byte less, more, or another digit it is refused or
 * says something else.
 */
#include "tests/fuzz/law.h"

#include "runtime/bundle/manifest.h"
#include "runtime/bundle/tar.h"

static int parse(const uint8_t *bytes, size_t n, struct manifest *ret)
{
	struct rt_err err = { 0 };
	int r = manifest_parse(bytes, n, ret, &err);

	LAW(r == 0 || (r < 0 && err.text[0]));
	return r;
}

static void refuse(const uint8_t *bytes, size_t n)
{
	struct manifest m;

	LAW(parse(bytes, n, &m) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *bytes = (uint8_t *)law_text(data, n);
	struct manifest m;

	if (parse(bytes, n, &m) == 0) {
		LAW(strlen(m.name) <= MANIFEST_MAX_NAME && m.threshold <= 1);
		LAW(m.nmembers <= n && m.nsources <= n);
		LAW(strlen(m.previous) == 0 || strlen(m.previous) == 64);
		for (size_t i = 0; i < m.nmembers; i++) {
			LAW(tar_path_ok(m.members[i].path, m.members[i].path_len));
			LAW((const uint8_t *)m.members[i].path >= bytes &&
			    (const uint8_t *)m.members[i].path + m.members[i].path_len <=
				    bytes + n);
		}
		refuse(bytes, n - 1);
		refuse(bytes + 1, n - 1);
		refuse(bytes, n + 1); /* the NUL */
		manifest_release(&m);
	}
	free(bytes);
	return 0;
}
