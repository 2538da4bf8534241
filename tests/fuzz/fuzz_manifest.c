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

/* Its numbers agree, its texts end, and nothing in them is a control. */
static void law_changes(const struct changes *c)
{
	char text[2 * CHANGES_MAX_TEXT];

	LAW(c->sum.widening <= c->sum.allowed + c->sum.asked + c->sum.denied + c->sum.other);
	LAW(c->may_widen <= c->undecided);
	LAW(c->nfindings <= c->sum.widening && c->ndoubts <= c->may_widen);
	for (size_t i = 0; i < c->nfindings; i++) {
		changes_plain(c->findings[i].what, text, sizeof(text));
		for (const char *p = text; *p; p++)
			LAW((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
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
		if (m.changes)
			law_changes(m.changes);
		refuse(bytes, n - 1);
		refuse(bytes + 1, n - 1);
		refuse(bytes, n + 1); /* the NUL */
		manifest_release(&m);
	}
	free(bytes);
	return 0;
}
