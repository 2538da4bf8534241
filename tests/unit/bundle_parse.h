/* The bundle of bundle_make.h, read by the runtime's reader. */
#ifndef TESTS_UNIT_BUNDLE_PARSE_H
#define TESTS_UNIT_BUNDLE_PARSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/bundle_make.h"

static inline int mk_parse(struct str bytes, struct bundle *b, struct rt_err *err)
{
	return bundle_parse(mk_malloced(bytes), bytes.n, b, err);
}

static inline void mk_refused(struct str bytes, const char *why)
{
	struct rt_err err = { .err = 0 };
	struct bundle b;

	assert_true(mk_parse(bytes, &b, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

/* The bundle of mk_sample(), opened; bundle_release() it. */
static inline void mk_sample_parsed(struct bundle *ret)
{
	struct rt_err err = { 0 };
	struct mk m;

	mk_sample(&m);
	assert_int_equal(mk_parse(mk_bundle(&m, MK_OPTIONS), ret, &err), 0);
	mk_release(&m);
}

#endif
