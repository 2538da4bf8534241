/*
 * The decision library: the compiled form of semantics 3 and 4, based on the bundle's
 * automata and rule table. The decision path allocates nothing, and there is no global
 * state. The same code answers polc explain (on a bundle) and polrun at entry, decides
 * the view (which trees are writable) and names the rules of denials.
 */
#ifndef RUNTIME_DECIDE_DECIDE_H
#define RUNTIME_DECIDE_DECIDE_H

#include "runtime/base/place.h"
#include "runtime/bundle/reader.h"
#include "runtime/line/command.h"

/* Roots: absolute, physical, without a trailing '/'; NULL: no such root. */
struct decide_roots {
	const char *dir[PB_ROOT_COUNT]; /* dir[PB_ROOT_FS] is "/" */
};

struct decide_ctx {
	const struct bundle *b;
	struct decide_roots roots;
	uint8_t scope; /* enum pb_scope */
	const char *cwd; /* commands: absolute and physical; NULL: not known */
	/* NULL: the paths in a line have no other names than those that it gives, and what lies
	 * below a directory is not known. */
	const struct place_look *look;
	/* With `look`: places of the policy behind links (links.h), or NULL. */
	const struct place_links *links;
	/* Physical paths of files that decide, then NULL; or NULL.  They are written where /etc/pol may be. */
	const char *const *kept;
};

#define DECIDE_MAX_MATCHED 64

struct decision {
	uint8_t effect;        /* enum pb_effect; unknown is PB_DENY */
	uint32_t rule;         /* number of the rule or scalar that decided */
	uint16_t err;          /* syscall */
	uint8_t risk;          /* command, tool: class 0..3 */
	bool needs_person;     /* an ask that -y does not answer */
	bool unparsed;
	uint8_t guarded;       /* net: why the guard denies the address (enum guard_kind), or 0 */
	/* the first matching rules, in order; nmatched counts all */
	uint32_t nmatched;
	uint32_t matched[DECIDE_MAX_MATCHED];
};

/* What decided about a part of a line (semantics 4.4): cmd_part.step. */
enum decide_step {
	DECIDE_RULES,       /* 1, 2: the rules, or `otherwise` */
	DECIDE_TRANSPARENT, /* 2: a transparent wrapper, which is not judged itself */
	DECIDE_SHELL_CODE,  /* 2: code of a shell that an allow rule matches */
	DECIDE_LOST,        /* 1: the words of a wrapper spell a denied command */
	DECIDE_MAY_DENY,    /* 3: a rule denies some of the commands that it may be */
	DECIDE_OPAQUE,      /* 3: opaque, for the reason of the part */
	DECIDE_SPELLS,      /* words of an unknown program spell a denied command */
	DECIDE_HIDDEN,      /* a word names a path that is hidden or must not be read */
	DECIDE_HOLDS,       /* what it reads may be, or hold, such a path */
	DECIDE_READS,       /* it reads such a path */
	DECIDE_MAY_READ,    /* a word names a path, or it reads what may be or hold one, about
	                       whose reading a rule asks */
	DECIDE_WRITES,      /* it writes a path that a rule is about */
	DECIDE_MAY_WRITE,   /* a word names a path that may not be written, and no table says
	                       that the program does not write there */
	DECIDE_TARGET,      /* a file or an address: the rules of its section */
	DECIDE_SANDBOX,     /* a file that no rule is about: left to the sandbox */
	DECIDE_NO_TARGET,   /* a file or an address that is not known */
	DECIDE_UNPARSED,    /* text that could not be read */
	DECIDE_STEP_COUNT
};

/* Size of a block for lines of n bytes. It suffices for all but the densest lines; such a
 * line is denied. */
size_t decide_block_size(const struct decide_ctx *c, size_t n);
/*
 * Decides a line, or the words of a command that no shell reads. Everything lies in the
 * block, which must be aligned like a pointer. *ret_parts (may be NULL) gets the parts,
 * each with its effect, rule (UINT32_MAX: none) and step. If a limit is exceeded or the
 * room is used up, the line is denied.
 *
 * Time: linear in the line. A command with a known program costs the automata of that
 * name and of wildcard programs, one step a byte for each current state, however many
 * rules there are. Every further directory, every word that is not literal and every
 * guard adds to it. The whole has a budget of steps (ret_parts->steps), and a line has
 * budgets of parts and options: a megabyte of anything is decided in a tenth of a second.
 */
void decide_line(const struct decide_ctx *c, const char *line, size_t n, void *block,
		 size_t size, struct cmd_line *ret_parts, struct decision *ret);
void decide_words(const struct decide_ctx *c, const char *const *argv, size_t argc,
		  void *block, size_t size, struct cmd_line *ret_parts,
		  struct decision *ret);
/* The decision for a line that could not be read: the stricter of opaque and otherwise
 * (by risk: that of medium), never allow. */
void decide_unparsed(const struct decide_ctx *c, struct decision *ret);
/* `op` is one pb_op bit; `path` absolute without '.', '..', '//'.  near.h is faster for many
 * paths and operations. */
void decide_file(const struct decide_ctx *c, uint8_t op, const char *path,
		 struct decision *ret);
/*
 * The same for all names of the path, if they can be found; it may have "..".  What is decided
 * about the physical path counts, and a rule about another name where it is stricter.  With
 * `only_rules` no `otherwise` counts: PB_ALLOW if no file rule decides about any name.
 */
void decide_file_names(const struct decide_ctx *c, struct place_memory *m, uint8_t op,
		       const char *path, bool only_rules, struct decision *ret);
/*
 * If `from` were a link to `to`: would a name below it that a rule denies to write be
 * written by a name below `to` that is not denied?  Both are paths as those of
 * decide_file(), and `to` may be "/"; NULL: not known where it leads.  `otherwise`: what no rule
 * mentions below `to` counts as section `file` says, else as allowed.  true as well if it
 * cannot be told in DECIDE_LINK_ROOM bytes of `room`; *ret_rule is the rule that denies, or
 * UINT32_MAX.  `room` is zeroed before the first call for a bundle, and aligned as by malloc().
 *
 * Time: linear in the pairs of names that the rules tell apart below both, at most
 * DECIDE_LINK_PAIRS; no more than a few if no rule denies a name below `from`.
 */
#define DECIDE_LINK_PAIRS 16384u
#define DECIDE_LINK_ROOM ((size_t)1408 * 1024)
bool decide_link_opens(const struct decide_ctx *c, const char *from, const char *to,
		       bool otherwise, void *room, uint32_t *ret_rule);
void decide_unix(const struct decide_ctx *c, const char *path, bool abstract,
		 struct decision *ret);
/* Does the bundle know what the network's rules say in the current scope? */
bool decide_net_known(const struct decide_ctx *c);
/* If the mode is disabled: denied by the mode, except for the run's own loopback. Other
 * modes: decided by egress.bin; denied if that does not apply (decide_net_known). */
void decide_net(const struct decide_ctx *c, bool udp, const uint8_t addr[16],
		uint16_t port, struct decision *ret);
/*
 * The same for a host name in any case, with or without the last dot.  That is the
 * decision about the name; an address to which it leads must also pass the rules about
 * addresses, which the gateway sees to.
 */
void decide_net_name(const struct decide_ctx *c, bool udp, const char *name, size_t n,
		     uint16_t port, struct decision *ret);
void decide_tool(const struct decide_ctx *c, const char *name, struct decision *ret);
/*
 * Lets the filter itself answer, for the scope sandbox. Returns 0, or -errno if the
 * filter cannot be read; *ret is a deny then. `b` is what bundle_filter() takes.
 */
int decide_syscall(struct bundle *b, uint32_t nr, const uint64_t args[6],
		   struct decision *ret, struct rt_err *err);

#endif
