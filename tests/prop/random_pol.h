/*
 * Random policies as text, over every level and every statement that this
 * version has a meaning for.  Few names and short alphabets, so that rules
 * meet; nearly every text compiles, and who uses this counts those that do.
 */
#ifndef TESTS_PROP_RANDOM_POL_H
#define TESTS_PROP_RANDOM_POL_H

#include "tests/prop/random_pol_rules.h"

/* --- scalars and facts ------------------------------------------------------------ */

/* May the file at hand say this scalar?  *ret_locked: and lock it. */
static inline bool pol_may(struct pol_gen *g, unsigned scalar, bool *ret_locked)
{
	if (((g->said | g->locked | g->never) & scalar) || g->slot == POL_FLOOR ||
	    g->slot == POL_USER_TOO || g->slot == POL_LIB)
		return false;
	g->said |= scalar;
	*ret_locked = g->slot == POL_MANAGED && ONE(g, 6);
	return true;
}

static inline void pol_lock(struct pol_gen *g, unsigned scalar, bool locked)
{
	PUT(g, "  %s", locked ? "locked " : "");
	if (locked)
		g->locked |= scalar;
}

static const char *const pol_effects[] = { "allow", "ask", "deny" };

static inline void pol_otherwise(struct pol_gen *g, unsigned scalar, const char *ops,
				 const char *effect)
{
	bool locked;

	if (!pol_may(g, scalar, &locked))
		return;
	pol_lock(g, scalar, locked);
	PUT(g, "otherwise %s%s\n", ops, effect);
}

/* A default of commands may be about one scope. */
static inline const char *pol_scope(struct pol_gen *g)
{
	static const char *const scopes[] = { "", "", " when scope == sandbox", " when scope == host" };

	return PICK(g, scopes);
}

static inline void pol_command_scalars(struct pol_gen *g)
{
	static const char *const classes[] = { "low", "medium", "high", "critical" };
	uint32_t e = 0, i;
	bool locked;

	if (ONE(g, 3)) {
		static const char *const effects[] = { "allow", "ask", "deny", "allow when scope == sandbox",
						       "ask when scope == sandbox", "deny when scope == host" };

		pol_otherwise(g, POL_S_OTHERWISE, "", PICK(g, effects));
	} else if (ONE(g, 2) && pol_may(g, POL_S_OTHERWISE, &locked)) {
		pol_lock(g, POL_S_OTHERWISE, locked);
		PUT(g, "otherwise by risk {");
		for (i = 0; i < 4; i++) {
			e += e < 2 && ONE(g, 2);
			PUT(g, " %s %s", classes[i], pol_effects[e]);
		}
		PUT(g, " }%s\n", pol_scope(g));
	}
	if (ONE(g, 4) && pol_may(g, POL_S_OPAQUE, &locked)) {
		pol_lock(g, POL_S_OPAQUE, locked);
		PUT(g, "opaque %s%s\n", PICK(g, pol_effects), pol_scope(g));
	}
	if (g->slot == POL_FLOOR)
		return;
	for (i = OF(g, 3); i > 0; i--) {
		PUT(g, "  risk %s ", PICK(g, classes));
		pol_command(g);
		if (ONE(g, 4)) {
			PUT(g, " except ");
			pol_command(g);
		}
		PUT(g, "\n");
	}
	if (ONE(g, 8))
		PUT(g, "  program a { options -f -o|--output:  script-file default \"a*\", \"x\" }\n"
		       "  wrapper w { skip 1 transparent }\n"
		       "  interpreter sh { shell }\n"
		       "  taint LD_PRELOAD\n  safe LANG\n  inert \"echo:*\"\n");
}

static inline void pol_file_scalars(struct pol_gen *g)
{
	static const char *const ops[] = { "", "read ", "write ", "exec ", "write, exec " };
	uint32_t k = OF(g, POL_LEN(ops));
	bool allow = k >= 2 && !g->enforceable && ONE(g, 3);

	if (ONE(g, 3))
		pol_otherwise(g, POL_S_FILE, ops[k],
			      allow ? "allow" : ONE(g, 2) ? "ask" : "deny");
	if (ONE(g, 4) && g->slot != POL_FLOOR) {
		PUT(g, "  scratch ");
		pol_path(g, true, true);
		PUT(g, "\n");
	}
}

/* The section's mode: one that a bundle enforces where the law wants one. */
static inline const char *pol_mode(struct pol_gen *g, const char *const modes[3])
{
	struct rnd aside = rnd_split(&g->r, 3);
	uint32_t k;

	if (g->slot == POL_BASE)
		return modes[0];
	k = g->networks	  ? 1 + rnd_below(&aside, 4) / 3 :
	    g->enforceable ? rnd_below(&aside, 3) :
			     OF(g, 3);
	return modes[k];
}

/* How long a question waits, and the proxy of the section's rules. */
static inline void pol_net_scalars(struct pol_gen *g)
{
	struct rnd own = g->r;
	bool locked;

	g->r = rnd_split(&own, 4);
	if (ONE(g, 6) && pol_may(g, POL_S_VIA, &locked)) {
		PUT(g, "  via ");
		net_proxy(&g->r, &g->b, g->secret ? (int)g->slot : -1);
		PUT(g, "\n");
	}
	if (ONE(g, 6) && pol_may(g, POL_S_HOLD, &locked)) {
		pol_lock(g, POL_S_HOLD, locked);
		PUT(g, "hold %us\n", 1 + OF(g, 30));
	}
	g->r = own;
}

/* A file for what gateways say to servers, in the levels that may bring it. */
static inline void pol_secret(struct pol_gen *g, bool full)
{
	struct rnd aside = rnd_split(&g->r, 5);

	g->secret = full && rnd_one_in(&aside, 3);
	if (g->secret)
		PUT(g, "env { secret T%d from file \"/run/t\" }\n", g->slot);
}

/* One a file, and one place for each file of a level: else two could meet. */
static inline void pol_mount(struct pol_gen *g)
{
	static const char *const trees[] = { "${PROJECT_DIR}", "${HOME}", "${HOME}/a", "/a",
					     "/x/b", "${SESSION_DIR}/a", "./b" };
	static const char *const ops[] = { "read", "read, write", "read, exec" };
	static const char *const places[POL_SLOTS] = {
		[POL_MANAGED] = "/m",  [POL_MANAGED_FILE] = "/m", [POL_PROJECT] = "/m",
		[POL_DISCOVERED] = "/k", [POL_USER] = "/m", [POL_USER_TOO] = "/k",
	};

	if (!g->mounts || !places[g->slot] || (g->said & POL_S_MOUNT) || !ONE(g, 3))
		return;
	g->said |= POL_S_MOUNT;
	PUT(g, "  mount \"%s\" at \"%s\" %s\n", PICK(g, trees), places[g->slot],
	    PICK(g, ops));
}

static inline void pol_scalars(struct pol_gen *g, int section)
{
	bool locked;

	switch (section) {
	case POL_COMMAND:
		pol_command_scalars(g);
		break;
	case POL_FILE:
		pol_file_scalars(g);
		pol_mount(g);
		break;
	case POL_NETWORK:
		if (ONE(g, 3))
			pol_otherwise(g, POL_S_NET, "", PICK(g, pol_effects));
		break;
	case POL_UNIX:
		if (ONE(g, 3))
			pol_otherwise(g, POL_S_UNIX, "", PICK(g, pol_effects));
		break;
	case POL_SYSCALL:
		/* no command can start where execve is not allowed */
		if (ONE(g, 3))
			pol_otherwise(g, POL_S_CALLS, "",
				      g->enforceable ? "allow" : PICK(g, pol_effects));
		break;
	case POL_TOOLS:
		if (ONE(g, 3)) {
			pol_otherwise(g, POL_S_TOOLS, "", PICK(g, pol_effects));
		} else if (ONE(g, 2) && pol_may(g, POL_S_TOOLS, &locked)) {
			pol_lock(g, POL_S_TOOLS, locked);
			PUT(g, "otherwise by risk { low allow  medium %s  high ask  "
			       "critical deny }\n", ONE(g, 2) ? "allow" : "ask");
		}
		break;
	default:
		break;
	}
}

static inline void pol_limits(struct pol_gen *g)
{
	bool locked;

	if (ONE(g, 2) && pol_may(g, POL_S_TIME, &locked)) {
		pol_lock(g, POL_S_TIME, locked);
		PUT(g, "time %us\n", 1 + OF(g, 5));
	}
	if (ONE(g, 2) && pol_may(g, POL_S_FILES, &locked)) {
		pol_lock(g, POL_S_FILES, locked);
		PUT(g, "files %u\n", 64 + OF(g, 3));
	}
	if (ONE(g, 2) && pol_may(g, POL_S_SIZE, &locked)) {
		pol_lock(g, POL_S_SIZE, locked);
		PUT(g, "file-size %uM\n", 1 + OF(g, 3));
	}
}

static inline void pol_env(struct pol_gen *g)
{
	static const char *const names[] = { "A", "B", "\"LC_*\"", "LC_ALL", "PATH" };
	bool locked;

	if (!pol_may(g, POL_S_ENV, &locked))
		return;
	PUT(g, "  keep %s%s, %s\n", ONE(g, 2) ? "+= " : "", PICK(g, names), PICK(g, names));
	if (ONE(g, 2))
		PUT(g, "  set X = \"%u ${HOME}\"\n", OF(g, 9));
}

/* --- files --------------------------------------------------------------------------- */

static inline void pol_section(struct pol_gen *g, int section)
{
	static const char *const modes[] = { "disabled", "limited", "full" };
	bool locked = pol_is_managed(g->slot) && section < POL_LIMITS && ONE(g, 3), ignored;
	uint32_t n = OF(g, 4), i;

	PUT(g, "%s%s ", locked ? "locked " : "", pol_sections[section]);
	if (section == POL_NETWORK && ONE(g, 2) && pol_may(g, POL_S_MODE, &ignored))
		PUT(g, "%s ", pol_mode(g, modes));
	PUT(g, "{\n");
	if (section == POL_NETWORK)
		pol_net_scalars(g);
	if (section == POL_LIMITS)
		pol_limits(g);
	else if (section == POL_ENV)
		pol_env(g);
	for (i = 0; section < POL_LIMITS && i < n; i++)
		pol_rule(g, section);
	pol_scalars(g, section);
	PUT(g, "}\n");
}

/* A statement that stands outside of sections: a tool, or a setting. */
static inline void pol_loose(struct pol_gen *g)
{
	static const char *const classes[] = { "read-only", "writes-workspace", "writes-fs",
					       "network", "exec" };
	static const char *const modes[] = { "prompt", "auto-accept", "strict" };
	bool locked;

	if (ONE(g, 2)) {
		PUT(g, "tool \"%s\" { risk %s%s }\n", PICK(g, pol_tools), PICK(g, classes),
		    g->slot != POL_FLOOR && ONE(g, 3) ? "  ask" : "");
		SEEN(g, classes);
	} else if (pol_may(g, POL_S_ANSWER, &locked)) {
		PUT(g, "%ssetting \"permissions.mode\" = \"%s\"\n", locked ? "locked " : "",
		    PICK(g, modes));
		if (locked)
			g->locked |= POL_S_ANSWER;
		SEEN(g, settings);
	}
}

static inline void pol_head(struct pol_gen *g)
{
	bool full = g->slot <= POL_PROJECT || g->slot == POL_USER, locked;
	int s = g->slot;

	if (ONE(g, 3) && g->slot < POL_BASE) {
		PUT(g, "policy p%d {\n  serial %u  description \"d\"  owner \"o\"\n", s,
		    OF(g, 9));
		if (ONE(g, 3))
			PUT(g, "  expires 20%u-01-01\n", 30 + OF(g, 9));
		if (full && ONE(g, 3) && pol_may(g, POL_S_BASE, &locked)) {
			pol_lock(g, POL_S_BASE, locked);
			PUT(g, "base %s\n", ONE(g, 2) ? "none" : "std");
		}
		PUT(g, "}\n");
	}
	if (g->slot < POL_BASE && ONE(g, 4))
		PUT(g, "use ./lib\n");
	PUT(g, "group @g%d = getppid, umask, socket\n", s);
	PUT(g, "role r1 { }\nrole r2 { }\n");
	pol_secret(g, full);
	g->lets = g->slot != POL_FLOOR;
	if (g->lets)
		PUT(g, "let q%d = \"a\"\nlet w%d = [\"a ${q%d}:*\", \"git push:*\"]\n"
		       "let p%d = [\"/p/a\", \"${HOME}/${q%d}\"]\n"
		       "group @h%d = \"a.example\", 10.0.0.0/8\n", s, s, s, s, s, s);
}

/* The text of one file. */
static inline const char *pol_text(struct pol_gen *g, enum pol_slot slot)
{
	static const int kinds[] = { POL_COMMAND, POL_FILE, POL_NETWORK, POL_UNIX,
				     POL_SYSCALL, POL_TOOLS, POL_LIMITS, POL_ENV };
	static const int focus[] = { POL_COMMAND, POL_FILE, POL_NETWORK, POL_UNIX,
				     POL_SYSCALL, POL_TOOLS };
	uint32_t n = 1 + OF(g, 4), i;

	g->slot = slot;
	g->said = 0;
	buf_init(&g->b, g->r.a);
	pol_head(g);
	if (slot == POL_FLOOR)
		PUT(g, "network disabled\n");
	for (i = 0; i < n; i++) {
		bool role = slot != POL_FLOOR && ONE(g, 5);

		if (role) {
			PUT(g, "role %s {\n", PICK(g, pol_roles));
			SEEN(g, roles);
		}
		pol_section(g, ONE(g, 2) ? focus[g->r.focus % POL_LEN(focus)] :
				   PICK(g, kinds));
		if (ONE(g, 4))
			pol_loose(g);
		if (role)
			PUT(g, "}\n");
	}
	if (slot == POL_USER)
		PUT(g, "test \"t\" { command \"a b\" => deny  file read \"/p/a\" => ask\n"
		       "  syscall umask(7) => allow  net tcp 10.0.0.1 port 80 => deny }\n");
	return str_z(g->r.a, buf_view(&g->b));
}

/* All files of a policy, each level there more often than not. */
static inline struct pol pol_random(struct pol_gen *g)
{
	struct pol p;
	int s;

	g->locked = 0;
	g->r.focus = (enum ir_kind)OF(g, 6);
	if (g->networks)
		g->r.focus = (enum ir_kind)2; /* in pol_text() */
	p.role = ONE(g, 2) ? PICK(g, pol_roles) : NULL;
	for (s = 0; s < POL_SLOTS; s++)
		p.text[s] = s >= POL_BASE || ONE(g, s == POL_USER_TOO ? 4 : 2) ?
				    pol_text(g, (enum pol_slot)s) : NULL;
	return p;
}

#endif
