/*
 * RE2::Set, anchored at the line's beginning, with room for its automaton,
 * which it makes while it matches: bytes, no captures.
 */
#include <re2/re2.h>
#include <re2/set.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/bench/peers.h"

static RE2::Set *set;
static std::vector<int> hits;

static bool build(char *const *patterns, uint32_t n)
{
	RE2::Options o;

	o.set_encoding(RE2::Options::EncodingLatin1);
	o.set_dot_nl(true);
	o.set_never_capture(true);
	o.set_max_mem(int64_t{1} << 30);
	set = new RE2::Set(o, RE2::ANCHOR_START);
	for (uint32_t i = 0; i < n; i++) {
		std::string text(2 * strlen(patterns[i]) + 3, '\0');
		std::string err;

		text.resize(peer_expression(patterns[i], &text[0]));
		if (set->Add(text, &err) != static_cast<int>(i)) {
			fprintf(stderr, "re2: '%s': %s\n", text.c_str(), err.c_str());
			return false;
		}
	}
	return set->Compile();
}

static bool match(const char *line, size_t n, struct peer_hits *ret)
{
	RE2::Set::ErrorInfo err;

	hits.clear();
	if (!set->Match(re2::StringPiece(line, n), &hits, &err) &&
	    err.kind != RE2::Set::kNoError)
		return false;
	for (int i : hits)
		peer_hit(ret, static_cast<uint32_t>(i));
	return true;
}

extern "C" const struct peer peer_re2 = { "RE2::Set", build, match };
