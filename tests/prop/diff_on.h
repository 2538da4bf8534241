/* Which comparisons are off: POL_DIFF_OFF has their names, "WHAT" or "WHAT-NAME", with commas. */
#ifndef TESTS_PROP_DIFF_ON_H
#define TESTS_PROP_DIFF_ON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/diff_off.h"

#ifdef POL_TEST_DIFF
bool diff_on(const char *what, const char *name)
{
	const char *off = getenv("POL_DIFF_OFF");
	char own[64];
	size_t n;

	snprintf(own, sizeof(own), "%s%s%s", what, name ? "-" : "", name ? name : "");
	for (; off && *off; off += n + (off[n] == ',')) {
		n = strcspn(off, ",");
		if (strlen(own) == n && strncmp(own, off, n) == 0)
			return false;
	}
	return true;
}
#endif

#endif
