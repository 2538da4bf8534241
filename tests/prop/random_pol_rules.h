/*
 * What random policies are made of: the state of the generator, and rules with
 * the patterns, hosts and calls that they name.
 */
#ifndef TESTS_PROP_RANDOM_POL_RULES_H
#define TESTS_PROP_RANDOM_POL_RULES_H

#include "compiler/base/buf.h"
#include "tests/prop/random_net.h"

/* The texts of one policy; NULL: no such file. */
enum pol_slot {
	POL_MANAGED, POL_MANAGED_FILE, POL_PROJECT, POL_DISCOVERED, POL_USER,
	POL_USER_TOO, POL_BASE, POL_FLOOR, POL_LIB, POL_SLOTS
};

struct pol {
	const char *text[POL_SLOTS];
	const char *role; /* the chosen one, or NULL */
};

/* What has been said and may not be said again. */
enum {
	POL_S_OTHERWISE = 1, POL_S_OPAQUE = 2, POL_S_FILE = 4, POL_S_MODE = 8,
	POL_S_NET = 16, POL_S_UNIX = 32, POL_S_CALLS = 64, POL_S_BASE = 128,
	POL_S_MOUNT = 1 << 20, POL_S_HOLD = 1 << 21, POL_S_VIA = 1 << 22,
	POL_S_TIME = 256, POL_S_FILES = 512, POL_S_ENV = 1024, POL_S_SIZE = 2048,
	POL_S_TOOLS = 4096, POL_S_ANSWER = 8192
};

struct pol_gen {
	struct rnd r;
	bool enforceable; /* nothing that only check and explain know */
	bool networks;    /* half of the sections are of the network, which is on */
	bool mounts;      /* trees with a second name: it means another file then */
	unsigned locked;  /* scalars that a managed level has locked */
	unsigned never;   /* scalars that a law holds still */
	const struct pol_row *row; /* of law_rows.h: the policy is its own; NULL: a random one */
	/* of the file at hand */
	enum pol_slot slot;
	unsigned said, names;
	bool lets, secret;
	struct buf b;
	/* how often each was written, in all texts */
	struct pol_seen {
		unsigned long roles, when_role, tools, classes, groups, settings, until,
			may_yes, guards, regexes, grants;
	} *seen;
};

/* One more of a kind, where somebody counts. */
#define SEEN(g, what) ((void)((g)->seen && ++(g)->seen->what))

#define PUT(g, ...) buf_printf(&(g)->b, __VA_ARGS__)
#define ONE(g, n) rnd_one_in(&(g)->r, (n))
#define OF(g, n) rnd_below(&(g)->r, (n))
#define PICK(g, table) RND_PICK(&(g)->r, table)

static inline bool pol_is_managed(enum pol_slot s)
{
	return s <= POL_MANAGED_FILE;
}

/* --- patterns ---------------------------------------------------------------- */

static const char *const pol_programs[] = {
	"git", "a", "b", "a", "b", "./a", "x/a", "/usr/bin/git", "/opt/a", "{a|b}", "g*",
	"?", "*", "a\\\\:b", "/p/a"
};
static const char *const pol_words[] = {
	"push", "a", "b", "-f", "-fa", "--force", "*", "?", "{a|b}", "a*", "**", "x/y", "a\\\\*", "{-f|a} b"
};
static const char *const pol_names[] = { "a", "b", ".e", "p", "h", "x" };
static const char *const pol_globs[] = { "*", "?", "a*", "{a,b}", ".*", "{p,x}b", "**" };

static inline void pol_command(struct pol_gen *g)
{
	static const char *const regexes[] = { "/^a b/", "/push|-f/i", "/ b$/", "/^g.t\\b/x",
					       "/[^ a]/" };
	uint32_t n = OF(g, 3), i;

	if (g->lets && ONE(g, 8)) {
		PUT(g, "w%d", g->slot);
		return;
	}
	if (ONE(g, 10)) {
		PUT(g, "%s", PICK(g, regexes));
		SEEN(g, regexes);
		return;
	}
	PUT(g, "\"%s", PICK(g, pol_programs));
	for (i = 0; i < n; i++)
		PUT(g, " %s", PICK(g, pol_words));
	if (g->b.p[g->b.n - 1] != '*' || ONE(g, 3))
		PUT(g, "%s", ONE(g, 3) ? " *" : "");
	if (g->b.p[g->b.n - 1] != '*' && ONE(g, 2))
		PUT(g, ":*");
	PUT(g, "\"");
}

/* `literal`: without a wildcard; `narrow`: an allow, which may have no root. */
static inline void pol_path(struct pol_gen *g, bool literal, bool narrow)
{
	static const char *const roots[] = { "/",       "${HOME}/", "${PROJECT_DIR}/", "./",
					     "${TMPDIR}/", "~/",    "${SESSION_DIR}/", "" };
	uint32_t n = 1 + OF(g, 3), i;
	const char *root = PICK(g, roots);

	/* it shares the other's draw, so that the seeds of before it came mean what they did */
	if (strcmp(root, "${SESSION_DIR}/") == 0 && g->r.s >> 63)
		root = "${GIT_COMMON_DIR}/";
	if (g->mounts && ONE(g, 4))
		root = ONE(g, 3) ? "/k/" : "/m/";

	/* any-depth is a wildcard */
	if (literal && !narrow && !*root)
		root = "/";
	if (g->lets && ONE(g, 8)) {
		PUT(g, "p%d", g->slot);
		return;
	}
	PUT(g, "\"%s", root);
	for (i = 0; i < n; i++) {
		bool wild = !literal && ONE(g, 3);

		/* "**" first would be everything, and is an error as such */
		PUT(g, "%s%s", i ? "/" : "",
		    !wild ? PICK(g, pol_names) :
			    pol_globs[OF(g, (uint32_t)POL_LEN(pol_globs) - (i ? 0 : 1))]);
	}
	PUT(g, "%s\"", ONE(g, 6) ? "/**" : "");
}

static inline void pol_socket(struct pol_gen *g, bool narrow)
{
	if (ONE(g, 2))
		PUT(g, "\"@%s%s\"", PICK(g, pol_names), ONE(g, 3) ? "*" : "");
	else
		pol_path(g, false, narrow);
}

static const char *const pol_hosts[] = {
	"\"a.example\"", "\"*.example\"", "\"b.a.example\"", "10.0.0.0/8", "10.1.0.0/16",
	"127.0.0.1", "::1", "any", "fc00::/7", "\"*.a.example\""
};

static const char *const pol_roles[] = { "r1", "r2" };
static const char *const pol_tools[] = { "a", "ab", "b", "a*", "*", "?", "x:y", "a!" };

static inline void pol_host(struct pol_gen *g)
{
	static const char *const protos[] = { "", "tcp ", "udp " };
	static const char *const ports[] = { "", " port 80", " port 80, 443", " port 79-81" };
	bool group = ONE(g, 6) && g->lets;

	PUT(g, "%s", PICK(g, protos));
	if (group)
		PUT(g, "@h%d", g->slot);
	else
		PUT(g, "%s", PICK(g, pol_hosts));
	PUT(g, "%s", PICK(g, ports));
	if (group)
		SEEN(g, groups);
}

/* Calls, with conditions on arguments where `when` may follow. */
static const struct {
	const char *call, *plain, *when[4];
} pol_calls[] = {
	{ "getppid", "getppid", { NULL } },
	{ "socket", "socket(AF_INET, SOCK_STREAM)",
	  { "family == AF_INET6", "type & 0x800", "family in [1, 2] and type != 2",
	    "not protocol == 6" } },
	{ "socket", "socket(*, SOCK_STREAM, *)", { "family < 10", NULL } },
	{ "personality", "personality(8)",
	  { "persona & 0x40000", "persona >= 8 and persona < 64", "persona == 0xffffffff",
	    "persona & 6 == 2" } },
	{ "umask", "umask(7)", { "mask in [1, 2, 7]", "mask > 63", "mask & 0x80000000" } },
	{ "kill", "kill(7, *)", { "pid == 7 or sig == 9", "sig < 3", "pid > 5" } },
	{ "lseek", "lseek(*, 0)", { "fd == 3", "offset >= 0x100000000", "offset & 0xf00000000" } },
	{ "getpriority", "getpriority(0, 1)", { "which & 1 and who & 2" } },
};

static inline void pol_syscall(struct pol_gen *g, bool *ret_when)
{
	uint32_t k = OF(g, POL_LEN(pol_calls)), n = 0;

	*ret_when = false;
	if (ONE(g, 8)) {
		PUT(g, "@g%d", g->slot);
		return;
	}
	while (n < 4 && pol_calls[k].when[n])
		n++;
	if (n && ONE(g, 2)) {
		PUT(g, "%s when %s", pol_calls[k].call, pol_calls[k].when[OF(g, n)]);
		*ret_when = true;
		return;
	}
	PUT(g, "%s", ONE(g, 2) ? pol_calls[k].call : pol_calls[k].plain);
}

/* --- rules --------------------------------------------------------------------- */

static const char *const pol_sections[] = { "command", "file",    "network", "unix",
					    "syscall", "tools",   "limits",  "env" };
enum { POL_COMMAND, POL_FILE, POL_NETWORK, POL_UNIX, POL_SYSCALL, POL_TOOLS, POL_LIMITS,
       POL_ENV };

struct pol_rule {
	const char *effect;
	int section;
	bool allow, deny, host; /* host: only outside of a sandbox */
	bool literal;           /* no wildcard may be said */
	bool wide;              /* of the network: as random_net.h has it */
	struct net_rule net;
};

static inline void pol_pattern(struct pol_gen *g, const struct pol_rule *r, bool narrow)
{
	switch (r->section) {
	case POL_COMMAND:
		pol_command(g);
		break;
	case POL_FILE:
		pol_path(g, r->literal, narrow);
		break;
	case POL_UNIX:
		pol_socket(g, narrow);
		break;
	case POL_TOOLS:
		PUT(g, "\"%s\"", PICK(g, pol_tools));
		SEEN(g, tools);
		break;
	default:
		break;
	}
}

static inline void pol_guard(struct pol_gen *g)
{
	static const char *const guards[] = { "with", "without", "with only" };
	static const char *const options[] = { "-f", "-f, --force", "\"--f*\"", "-fa",
					       "\"--force=x*\"", "-f|-a" };

	if (ONE(g, 4))
		PUT(g, " within \"%s\"", ONE(g, 2) ? "/p" : "${HOME}/a*");
	else
		PUT(g, " %s %s", PICK(g, guards), PICK(g, options));
	SEEN(g, guards);
}

static inline void pol_options(struct pol_gen *g, const struct pol_rule *r, bool when)
{
	static const char *const calls[] = { "getppid", "umask(7)", "socket(AF_INET6)",
					     "personality(8)" };

	if (r->section == POL_COMMAND && ONE(g, 4))
		pol_guard(g);
	if (ONE(g, 3)) {
		PUT(g, " except ");
		if (r->section == POL_SYSCALL)
			PUT(g, "%s", PICK(g, calls));
		else if (r->section == POL_NETWORK)
			PUT(g, "%s", PICK(g, pol_hosts));
		else
			pol_pattern(g, r, !r->allow);
	}
	if (ONE(g, 4) && g->slot != POL_LIB)
		PUT(g, " as r%d-%u", g->slot, g->names++);
	if (ONE(g, 6))
		PUT(g, " because \"why %u\"", OF(g, 9));
	if (r->host)
		PUT(g, " when scope == host");
	else if (!when && ONE(g, 6))
		PUT(g, " when scope %s", ONE(g, 2) ? "== sandbox" : "!= sandbox");
	else if (!when && ONE(g, 6)) {
		static const char *const forms[] = { "== r1", "!= r1", "in [r1, r2]",
						     "== r2 or scope == sandbox" };

		PUT(g, " when role %s", PICK(g, forms));
		SEEN(g, when_role);
	}
	if (ONE(g, 8)) {
		PUT(g, " until %s", ONE(g, 2) ? "1999-12-31" : "2999-12-31");
		SEEN(g, until);
	}
	if (!strcmp(r->effect, "ask") && ONE(g, 3)) {
		PUT(g, " may yes");
		SEEN(g, may_yes);
	}
	if (r->section == POL_SYSCALL && r->deny && ONE(g, 2))
		PUT(g, " with %s", ONE(g, 2) ? "EACCES" : "ENOSYS");
}

/* Host, ports and protocol.  Half of the rules take them from random_net.h; the policy's own
 * stream draws the same either way. */
static inline void pol_net(struct pol_gen *g, struct pol_rule *r)
{
	struct rnd aside = rnd_split(&g->r, 1);
	struct pol_seen *seen = g->seen;
	size_t at = g->b.n;

	r->wide = rnd_one_in(&aside, 2);
	g->seen = r->wide ? NULL : seen;
	pol_host(g);
	g->seen = seen;
	if (!r->wide)
		return;
	g->b.n = at;
	r->net = (struct net_rule){ .effect = r->effect, .secret = g->secret ? (int)g->slot : -1 };
	net_head(&aside, &g->b, &r->net);
}

static inline void pol_net_grant(struct pol_gen *g, const struct pol_rule *r)
{
	struct rnd aside = rnd_split(&g->r, 2);
	size_t at = g->b.n;

	if (r->wide)
		net_grant(&aside, &g->b, &r->net);
	if (g->b.n > at)
		SEEN(g, grants);
}

/* A pattern list and its options behind an effect. */
static inline void pol_rest(struct pol_gen *g, struct pol_rule *r)
{
	static const char *const ops[] = { "read", "write", "exec", "read, write",
					   "read, write, exec" };
	uint32_t op = OF(g, POL_LEN(ops)), n = ONE(g, 4) ? 2 : 1, i;
	bool when = false, hide = !strcmp(r->effect, "hide");

	if (r->section == POL_FILE && !hide)
		PUT(g, "%s ", ops[op]);
	/* a restriction of reading or executing has no wildcard, in a sandbox */
	r->literal = false;
	if (r->section == POL_FILE && g->enforceable) {
		r->host = !r->allow && op != 1 && ONE(g, 2);
		r->literal = !r->allow && (hide || op != 1) && !r->host;
	}
	if (r->section == POL_NETWORK)
		pol_net(g, r);
	else if (r->section == POL_SYSCALL)
		pol_syscall(g, &when);
	else
		for (i = 0; i < n; i++) {
			PUT(g, "%s", i ? ", " : "");
			pol_pattern(g, r, r->allow);
		}
	/* the exceptions of an allow are restrictions */
	if (r->section == POL_FILE && g->enforceable && r->allow && op != 1)
		r->literal = true;
	pol_options(g, r, when);
	if (r->section == POL_NETWORK)
		pol_net_grant(g, r);
	PUT(g, "\n");
}

static inline void pol_rule_of(struct pol_gen *g, int section, const char *effect)
{
	struct pol_rule r = { .effect = effect, .section = section,
			      .allow = !strcmp(effect, "allow"),
			      .deny = !strcmp(effect, "deny") };

	PUT(g, "  %s%s ",
	    pol_is_managed(g->slot) && strcmp(effect, "ask") && ONE(g, 4) ? "final " : "",
	    effect);
	pol_rest(g, &r);
}

static inline void pol_rule(struct pol_gen *g, int section)
{
	static const char *const effects[] = { "allow", "allow", "allow", "ask", "deny",
					       "deny" };
	const char *e = g->slot == POL_FLOOR ? "deny" : PICK(g, effects);

	if (section == POL_FILE && !strcmp(e, "deny") && ONE(g, 2))
		e = "hide";
	pol_rule_of(g, section, e);
}

#endif
