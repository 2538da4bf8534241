/*
 * What the statements of a pair are made of: for each section the parts of a rule in the
 * order in which they are written, and the texts that each part may have.  Few programs,
 * paths and hosts, so that rules meet.
 */
#ifndef TESTS_PROP_PAIR_WORDS_H
#define TESTS_PROP_PAIR_WORDS_H

#include <stddef.h>
#include <string.h>

#include "compiler/ir/ir.h"

enum pair_part {
	PART_FINAL, PART_EFFECT, PART_OPS, PART_SET, PART_PORT, PART_EXCEPT, PART_GUARD,
	PART_WHEN, PART_UNTIL, PART_MAY, PART_ERR, PART_WITHIN, PART_PEEK, PART_INJECT,
	PART_CONNECTIONS, PART_BYTES, PART_VIA, PART_COUNT
};
static const char *const pair_part_names[PART_COUNT] = {
	"final", "effect", "ops", "set", "port", "except", "guard", "when", "until", "may",
	"errno", "within", "peek", "inject", "connections", "bytes", "via",
};

/* The order of effects in the tables; files have the two last ones, too. */
enum { PAIR_ALLOW, PAIR_ASK, PAIR_DENY, PAIR_HIDE, PAIR_SCRATCH };

#define PAIR_ALTS 26
#define PAIR_FINAL { "", "final " }
#define PAIR_EFFECTS { "allow ", "ask ", "deny " }
#define PAIR_WHEN { "", " when scope == sandbox", " when scope == host", " when role == r1", \
		    " when role != r1", " when role in [r1, r2]" }
#define PAIR_UNTIL { "", " until 2999-12-31", " until 2998-01-01" }
#define PAIR_MAY { "", " may yes" }

struct pair_section {
	const char *word;
	const char *alt[PART_COUNT][PAIR_ALTS];
};

static const struct pair_section pair_sections[IR_KIND_COUNT] = {
	[IR_COMMAND] = { "command", {
		[PART_FINAL] = PAIR_FINAL, [PART_EFFECT] = PAIR_EFFECTS,
		[PART_SET] = { "\"foo:*\"", "\"foo *\"", "\"bar:*\"", "\"foo push:*\"", "\"foo a\"",
			       "\"{foo|bar} {a|b}:*\"", "\"rm:*\"", "\"/usr/bin/foo:*\"", "\"./foo:*\"",
			       "\"foo ** x\"", "\"foo p?sh *\"", "/^foo (a|b)/", "/push/", "/x$/",
			       "\"sh:*\"", "\"pa:*\"", "\"wa:*\"", "\"env:*\"", "\"foo [ab]:*\"", "/PUSH/i",
			       "\"rm -rf *\"", "/(a|b) \\1/", "\"foo:*\", \"bar a\"",
			       "\"foo push *\"" },
		[PART_EXCEPT] = { "", " except \"foo a:*\"", " except \"foo push\"", " except \"bar:*\"",
				  " except \"foo *\"", " except \"foo push:*\"", " except \"foo push *\"",
				  " except \"foo push a\"", " except \"foo push x:*\"", " except \"foo\"",
				  " except \"foo push\", \"foo a\"", " except \"foo p?sh\"", " except \"foo ** x\"" },
		[PART_GUARD] = { "", " with -f", " with -f, --force", " with --force", " with \"--name*\"",
				 " without -f", " without --force, -x", " with only -f", " with only -f, -x",
				 " within \"src\"", " within \"src/a\"", " within \"/etc\"",
				 " within \"${HOME}/k\"", " with -f without -x", " with -f|--force", " with \"--name=1\"",
				 " with \"--name=*\"", " with only -f|--force" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL, [PART_MAY] = PAIR_MAY } },
	[IR_FILE] = { "file", {
		[PART_FINAL] = PAIR_FINAL,
		[PART_EFFECT] = { "allow ", "ask ", "deny ", "hide ", "scratch " },
		[PART_OPS] = { "read ", "write ", "exec ", "read, write ", "read, write, exec " },
		[PART_SET] = { "\"/a\"", "\"/a/b\"", "\"/a/*\"", "\"/a/*/**\"", "\"/a/{b,c}\"", "\"/etc/x\"",
			       "\"${PROJECT_DIR}/a\"", "\"${PROJECT_DIR}\"", "\"${HOME}/a*\"",
			       "\"${HOME}/p/a/b\"", "\"./b\"", "\"${TMPDIR}/x\"", "\"${SESSION_DIR}/a\"",
			       "\"/a/**/k\"", "\"/usr/bin/foo\"", "\".b*\"", "\"~/k\"", "\"/a/b\", \"/etc/x\"" },
		[PART_EXCEPT] = { "", " except \"/a/b\"", " except \"${PROJECT_DIR}/a/b\"",
				  " except \"/a/c*\"" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL, [PART_MAY] = PAIR_MAY } },
	[IR_NET] = { "network", {
		[PART_FINAL] = PAIR_FINAL, [PART_EFFECT] = PAIR_EFFECTS,
		[PART_OPS] = { "", "tcp ", "udp " },
		[PART_SET] = { "\"a.example\"", "\"*.example\"", "\"b.a.example\"", "\"x\"",
			       "any", "10.0.0.0/8", "10.0.0.0/15", "10.1.0.0/16", "10.1.2.0/24",
			       "10.1.2.0/25", "127.0.0.0/8", "::1", "::/0", "2001:db8::/32",
			       "10.1.2.3, 10.2.0.0/16", "\"a.example\", \"x\"" },
		[PART_PORT] = { "", " port 80", " port 80-81", " port 79-81", " port 80, 443", " port 1-1024" },
		[PART_EXCEPT] = { "", " except \"b.a.example\"", " except 10.1.2.0/25", " except 10.1.0.0/16" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL, [PART_MAY] = PAIR_MAY,
		[PART_WITHIN] = { "", " within 10.0.0.0/8", " within 10.1.0.0/16", " within 127.0.0.0/8" },
		[PART_PEEK] = { "", " peek none", " peek tls", " peek http" },
		[PART_INJECT] = { "", " inject header \"X\" from secret GW",
				  " inject header \"Y\" from secret GW",
				  " inject header \"X\" \"b \" from secret GW",
				  " inject header \"X\" from secret GX" },
		[PART_CONNECTIONS] = { "", " connections 5", " connections 6" },
		[PART_BYTES] = { "", " bytes 5M", " bytes 6M" },
		[PART_VIA] = { "", " via none", " via \"http://p.example:1\"",
			       " via \"http://p.example:2\"" } } },
	[IR_UNIX] = { "unix", {
		[PART_FINAL] = PAIR_FINAL, [PART_EFFECT] = PAIR_EFFECTS,
		[PART_SET] = { "\"/a\"", "\"/a/**\"", "\"/a/b\"", "\"@a\"", "\"@a*\"", "\"@ab\"", "\"${HOME}/s\"",
			       "\"${PROJECT_DIR}/s\"", "\"/a/*\"", "\"${SSH_AUTH_SOCK}\"", "\"/a/b\", \"@a\"" },
		[PART_EXCEPT] = { "", " except \"/a/b\"", " except \"@ab\"" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL, [PART_MAY] = PAIR_MAY } },
	[IR_SYSCALL] = { "syscall", {
		[PART_FINAL] = PAIR_FINAL, [PART_EFFECT] = { "allow ", "deny " },
		[PART_SET] = { "getppid", "umask", "umask(7)", "umask when mask in [1, 2, 7]",
			       "umask when mask > 63", "kill", "kill(7, *)",
			       "kill when pid == 7 or sig == 9", "socket",
			       "socket when family == AF_INET6", "socket when type & 0x800",
			       "personality when persona & 6 == 2", "umask, kill", "socket(*, 1)" },
		[PART_EXCEPT] = { "", " except umask(7)", " except socket(AF_INET6)", " except kill(7, 9)" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL,
		[PART_ERR] = { "", " with EACCES", " with ENOSYS" } } },
	[IR_TOOL] = { "tools", {
		[PART_FINAL] = PAIR_FINAL, [PART_EFFECT] = PAIR_EFFECTS,
		[PART_SET] = { "\"a\"", "\"b\"", "\"a*\"", "\"*b\"", "\"{a|b}\"", "\"a?\"", "\"read_*\"" },
		[PART_EXCEPT] = { "", " except \"ab\"", " except \"*b\"" },
		[PART_WHEN] = PAIR_WHEN, [PART_UNTIL] = PAIR_UNTIL, [PART_MAY] = PAIR_MAY } },
};

/* Two texts of one part that differ in one field of the rule: where a range begins, whether
 * what is below counts, how long a block is, the name of a header. */
static const struct pair_edge {
	enum ir_kind kind;
	enum pair_part part;
	const char *name;
	const char *text[2];
} pair_edges[] = {
	{ IR_FILE, PART_SET, "below", { "\"/a/*\"", "\"/a/*/**\"" } },
	{ IR_NET, PART_PORT, "first port", { " port 80-81", " port 79-81" } },
	{ IR_NET, PART_PORT, "last port", { " port 80", " port 80-81" } },
	{ IR_NET, PART_SET, "bits", { "10.1.2.0/24", "10.1.2.0/25" } },
	{ IR_NET, PART_INJECT, "header", { " inject header \"X\" from secret GW", " inject header \"Y\" from secret GW" } },
	{ IR_NET, PART_INJECT, "prefix", { " inject header \"X\" from secret GW",
					   " inject header \"X\" \"b \" from secret GW" } },
	{ IR_NET, PART_INJECT, "secret", { " inject header \"X\" from secret GW", " inject header \"X\" from secret GX" } },
};

static inline unsigned pair_alts(enum ir_kind kind, enum pair_part part)
{
	unsigned n = 0;

	while (n < PAIR_ALTS && pair_sections[kind].alt[part][n])
		n++;
	return n;
}

/* The number of a text of a rule's part. */
static inline uint8_t pair_alt(enum ir_kind kind, enum pair_part part, const char *text)
{
	uint8_t n = 0;

	while (strcmp(pair_sections[kind].alt[part][n], text) != 0)
		n++;
	return n;
}

static inline uint8_t pair_edge_alt(const struct pair_edge *e, int which)
{
	return pair_alt(e->kind, e->part, e->text[which]);
}

#endif
