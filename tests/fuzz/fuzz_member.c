/*
 * A bundle whose digests agree, as an attacker makes one: the first byte chooses
 * a member of a small bundle, the others are what it holds instead.  The same law
 * as for any bundle: accepted, it decides.
 */
#include "tests/fuzz/bundle_law.h"
#include "tests/unit/bundle_make.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bk_member *t;
	struct mk m;
	struct str s;
	bool ok;

	if (n == 0)
		return 0;
	mk_sample(&m);
	LAW(mk_emit(&m));
	t = &m.out.members.v[data[0] % m.out.members.n];
	t->bytes = (struct str){ arena_dup(&m.a, data + 1, n - 1), n - 1 };
	s = mk_write(&m, MK_OPTIONS, &ok);
	if (ok)
		law_bundle((uint8_t *)law_text((const uint8_t *)s.p, s.n), s.n, true);
	mk_release(&m);
	return 0;
}
