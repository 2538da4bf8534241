/* The peers that need no library of their own: loops over all patterns. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fnmatch.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/peers.h"

size_t peer_expression(const char *p, char *room)
{
	size_t n = strlen(p), k = 0, i;
	bool open = n && p[n - 1] == '*';

	for (i = 0; i < n - open; i++) {
		if (p[i] == '*')
			room[k++] = '.';
		else if (strchr("\\.+?()[]{}|^$/-", p[i]))
			room[k++] = '\\';
		room[k++] = p[i];
	}
	if (!open)
		room[k++] = '$';
	room[k] = '\0';
	return k;
}

static char *const *globs;
static uint32_t nglobs;

static bool build_fnmatch(char *const *patterns, uint32_t n)
{
	globs = patterns;
	nglobs = n;
	return true;
}

static bool match_fnmatch(const char *line, size_t n, struct peer_hits *ret)
{
	(void)n;
	for (uint32_t i = 0; i < nglobs; i++)
		if (fnmatch(globs[i], line, 0) == 0)
			peer_hit(ret, i);
	return true;
}

const struct peer peer_fnmatch = { "fnmatch", build_fnmatch, match_fnmatch };

static pcre2_code **codes;
static uint32_t ncodes;
static pcre2_match_data *data;

static bool build_pcre2(char *const *patterns, uint32_t n)
{
	codes = calloc(n, sizeof(pcre2_code *));
	data = pcre2_match_data_create(1, NULL);
	if (!codes || !data)
		return false;
	for (; ncodes < n; ncodes++) {
		char text[1024];
		size_t len, where;
		int err;

		if (strlen(patterns[ncodes]) > sizeof(text) / 2 - 2)
			return false;
		len = peer_expression(patterns[ncodes], text);
		codes[ncodes] = pcre2_compile((PCRE2_SPTR)text, len,
					      PCRE2_ANCHORED | PCRE2_DOTALL |
						      PCRE2_DOLLAR_ENDONLY,
					      &err, &where, NULL);
		if (!codes[ncodes] ||
		    pcre2_jit_compile(codes[ncodes], PCRE2_JIT_COMPLETE) < 0) {
			fprintf(stderr, "pcre2: '%s'\n", text);
			return false;
		}
	}
	return true;
}

static bool match_pcre2(const char *line, size_t n, struct peer_hits *ret)
{
	for (uint32_t i = 0; i < ncodes; i++)
		if (pcre2_jit_match(codes[i], (PCRE2_SPTR)line, n, 0, 0, data, NULL) >= 0)
			peer_hit(ret, i);
	return true;
}

const struct peer peer_pcre2 = { "PCRE2-JIT", build_pcre2, match_pcre2 };
