/*
 * Checks the structure of each binary member once: every count, offset, string, index and
 * enumeration. After a check has returned 0, every access that format.h describes stays
 * inside the member. The reader and the back ends' verify use these. `data` must be
 * 8-byte aligned. They return 0 or -errno.
 */
#ifndef RUNTIME_BUNDLE_CHECK_H
#define RUNTIME_BUNDLE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/bundle/format.h"

int bundle_check_rules(const void *data, size_t size, struct rt_err *err);
/* `rules` must be checked already: tags must name rules of the automaton's kind. */
int bundle_check_matcher(const void *data, size_t size, const struct pb_rules *rules,
			 struct rt_err *err);
int bundle_check_commands(const void *data, size_t size, struct rt_err *err);
int bundle_check_egress(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_landlock(const void *data, size_t size, struct rt_err *err);
/* `nrules`: number of records in the rule table; rule numbers must be smaller. */
int bundle_check_mounts(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_limits(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_env(const void *data, size_t size, uint32_t nrules,
		     struct rt_err *err);
int bundle_check_publish(const void *data, size_t size, struct rt_err *err);
/* One JSON object of bounded depth. Does not look for duplicate keys. */
int bundle_check_settings(const void *data, size_t size, struct rt_err *err);
/*
 * A filter and its map. The filter has 1..4096 whole instructions. The map is in
 * ascending order, each entry names a BPF_RET that returns what the entry's verdict
 * says, and each return of USER_NOTIF or KILL_PROCESS has an entry.  Only the broker's
 * and the trace filter have verdicts about allowed calls, each its own. The kernel
 * judges whether the program is a valid filter.
 */
int bundle_check_filter(enum pb_filter_kind kind, const void *insns, size_t size,
			const void *map, size_t map_size, uint32_t nrules,
			struct rt_err *err);

/* --- for the check_*.c files ------------------------------------------------- */

/* The most variables in env.bin. */
#define CHECK_MAX_ENV 4096u
/* The most ranges of ports in publish.bin. */
#define CHECK_MAX_PUBLISH 4096u
/* The longest string of a member, and the total of all its strings. Without these limits,
 * shared strings could make the check run for ever. */
#define CHECK_MAX_STRING (1024u * 1024)
#define CHECK_MAX_STRINGS ((uint64_t)256 * 1024 * 1024)
/* Automata share tables as well: the most bytes in the tables of all automata of one
 * member. */
#define CHECK_MAX_TABLES ((uint64_t)256 * 1024 * 1024)

/* What a bundle is, and what to do, if it has another format than this build reads. */
#define BUNDLE_OTHER_POLC "another version of polc made the bundle; compile the policy again with this one"

struct check {
	const uint8_t *data;
	size_t size;
	const char *member; /* for messages */
	uint64_t strings;   /* bytes of strings checked so far */
	struct rt_err *err;
	uint64_t tables;    /* bytes of automata's tables checked so far */
	size_t text_from, text_to; /* no NUL is in between */
};

/* Starts a check: checks the header, and that the member has at least `least` bytes. */
int check_head(struct check *c, uint32_t magic, size_t least);
int check_bad(const struct check *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int check_table(const struct check *c, struct pb_table t, size_t record, uint32_t max,
		const char *what);
/* The string lies inside the member, has no NUL, and is not longer than
 * CHECK_MAX_STRING. */
int check_string(struct check *c, struct pb_str s, const char *what);
/* Do `count` records of `record` bytes from `off` on lie in the member, with `off` a
 * multiple of `align`? */
static inline bool check_range(const struct check *c, uint64_t off, uint64_t count,
			       size_t record, size_t align)
{
	return off % align == 0 && off >= sizeof(struct pb_head) && off <= c->size &&
	       count <= (c->size - off) / record;
}

/*
 * Checks the dimensions and tables of an automaton of this member. The caller checks its
 * kind, root and flags, and what its tags name.
 */
int check_automaton(struct check *c, const struct pb_automaton *a);

#define CHECK_TRY(x)                  \
	do {                          \
		int r_ = (x);         \
		if (r_ < 0)           \
			return r_;    \
	} while (0)

#endif
