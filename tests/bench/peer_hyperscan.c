/*
 * Hyperscan: block mode; each pattern reported once; scratch made beforehand.
 * Patterns are anchored, so they match where they end first.
 */
#include <hs/hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/peers.h"

static hs_database_t *db;
static hs_scratch_t *scratch;

static bool build(char *const *patterns, uint32_t n)
{
	char **texts = calloc(n, sizeof(*texts));
	unsigned *flags = calloc(n, sizeof(*flags)), *ids = calloc(n, sizeof(*ids));
	hs_compile_error_t *err = NULL;
	uint32_t i;
	bool ok = texts && flags && ids;

	for (i = 0; ok && i < n; i++) {
		texts[i] = malloc(2 * strlen(patterns[i]) + 4);
		if (!texts[i])
			return false;
		texts[i][0] = '^';
		(void)peer_expression(patterns[i], texts[i] + 1);
		flags[i] = HS_FLAG_SINGLEMATCH | HS_FLAG_DOTALL;
		ids[i] = i;
	}
	ok = ok && hs_compile_multi((const char *const *)texts, flags, ids, n, HS_MODE_BLOCK,
				    NULL, &db, &err) == HS_SUCCESS &&
	     hs_alloc_scratch(db, &scratch) == HS_SUCCESS;
	if (!ok)
		fprintf(stderr, "hyperscan: %s\n", err ? err->message : "no memory");
	hs_free_compile_error(err);
	for (i = 0; texts && i < n; i++)
		free(texts[i]);
	free(texts);
	free(flags);
	free(ids);
	return ok;
}

static int on_match(unsigned id, unsigned long long from, unsigned long long to,
		    unsigned flags, void *ret)
{
	(void)from;
	(void)to;
	(void)flags;
	peer_hit(ret, id);
	return 0;
}

static bool match(const char *line, size_t n, struct peer_hits *ret)
{
	return hs_scan(db, line, (unsigned)n, 0, scratch, on_match, ret) == HS_SUCCESS;
}

const struct peer peer_hyperscan = { "Hyperscan", build, match };
