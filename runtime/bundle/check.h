/*
 * The structure of each binary member, checked once: every count, offset,
 * string, index and enumeration.  After one of these returned 0, every access
 * that format.h describes stays inside the member.  Used by the reader and by
 * the back ends' verify.  `data` is 8-byte aligned.  0 or -errno.
 */
#ifndef RUNTIME_BUNDLE_CHECK_H
#define RUNTIME_BUNDLE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/bundle/format.h"

int bundle_check_rules(const void *data, size_t size, struct rt_err *err);
/* `rules` is checked already: tags must name rules of the automaton's kind. */
int bundle_check_matcher(const void *data, size_t size, const struct pb_rules *rules,
			 struct rt_err *err);
int bundle_check_commands(const void *data, size_t size, struct rt_err *err);
int bundle_check_egress(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_landlock(const void *data, size_t size, struct rt_err *err);
/* `nrules`: records of the rule table, which rule numbers must be below. */
int bundle_check_mounts(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_limits(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err);
int bundle_check_env(const void *data, size_t size, uint32_t nrules,
		     struct rt_err *err);
/* One JSON object of bounded depth, without duplicate checks. */
int bundle_check_settings(const void *data, size_t size, struct rt_err *err);
/*
 * A filter and its map: whole instructions, 1..4096; the map ascends, each
 * entry names a BPF_RET that returns what its verdict says, and each return
 * of USER_NOTIF or KILL_PROCESS has its entry.  Whether the program is a valid filter
 * is the kernel's business.
 */
int bundle_check_filter(const void *insns, size_t size, const void *map, size_t map_size,
			uint32_t nrules, struct rt_err *err);

/* --- for the check_*.c files ------------------------------------------------- */

/* Variables of env.bin. */
#define CHECK_MAX_ENV 4096u
/* The longest string of a member, and all that one member may hold: sharing
 * could otherwise make the check take for ever. */
#define CHECK_MAX_STRING (1024u * 1024)
#define CHECK_MAX_STRINGS ((uint64_t)256 * 1024 * 1024)
/* Automata share tables, too: bytes of tables of all automata of one member. */
#define CHECK_MAX_TABLES ((uint64_t)256 * 1024 * 1024)

struct check {
	const uint8_t *data;
	size_t size;
	const char *member; /* for messages */
	uint64_t strings;   /* bytes of strings looked at */
	struct rt_err *err;
	uint64_t tables;    /* bytes of automata's tables looked at */
};

/* Starts a check: the header, and at least `least` bytes. */
int check_head(struct check *c, uint32_t magic, size_t least);
int check_bad(const struct check *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int check_table(const struct check *c, struct pb_table t, size_t record, uint32_t max,
		const char *what);
/* Inside the member, without NUL, not longer than CHECK_MAX_STRING. */
int check_string(struct check *c, struct pb_str s, const char *what);
/* `count` records of `record` bytes from `off` on, `off` a multiple of `align`. */
bool check_range(const struct check *c, uint64_t off, uint64_t count, size_t record,
		 size_t align);

/*
 * Dimensions and tables of an automaton of this member; its kind, root and
 * flags, and what its tags name, are the caller's to check.
 */
int check_automaton(struct check *c, const struct pb_automaton *a);

#define CHECK_TRY(x)                  \
	do {                          \
		int r_ = (x);         \
		if (r_ < 0)           \
			return r_;    \
	} while (0)

#endif
