/*
 * One statement of each kind that is no rule, as texts of which no two mean the same:
 * variables, limits, settings, locks, facts, what is carried, days.
 */
#ifndef TESTS_PROP_DIFF_SLOTS_H
#define TESTS_PROP_DIFF_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTS 6

/* One statement, as texts of which no two mean the same; "" is none. */
struct slot {
	const char *section; /* in which it stands, or NULL */
	bool loosens;        /* each text permits more than the one before */
	const char *text[TEXTS];
};

#define LIMIT(name, less, more)                                                          \
	{ "limits", true, { "locked " name " " less, name " " less, "locked " name " " more, \
			    name " " more, "" } }
#define LOCK(section) { NULL, true, { "locked " section " { }", section " { }" } }

static const struct slot slots[] = {
	{ "env", true, { "locked keep A", "keep A", "keep A, B", "keep A, B, \"LC_*\"" } },
	{ "env", true, { "locked set X = \"1\"", "set X = \"1\"" } },
	{ "env", false, { "", "set Y = \"1\"", "set Y = \"2\"", "set Y = \"${HOME}\"" } },
	{ "env", false, { "", "secret S from store \"a\"", "secret S from store \"b\"",
			  "secret S from file \"/a\"" } },
	{ "env", true, { "locked secret T from store \"a\"", "secret T from store \"a\"" } },
	LIMIT("time", "1s", "2s"),
	LIMIT("memory", "1G", "2G"),
	LIMIT("processes", "10", "20"),
	LIMIT("files", "64", "65"),
	LIMIT("disk", "1G", "2G"),
	LIMIT("file-size", "1M", "2M"),
	LIMIT("cpu", "1", "2"),
	LIMIT("output", "1M", "2M"),
	LIMIT("stdout", "1M", "2M"),
	LIMIT("stderr", "1M", "2M"),
	LIMIT("written", "1M", "2M"),
	LOCK("command"),
	LOCK("file"),
	LOCK("network"),
	LOCK("unix"),
	LOCK("syscall"),
	LOCK("tools"),
	{ NULL, false, { "setting \"a.b\" = 1", "setting \"a.b\" = 2", "setting \"a.b\" = true",
			 "setting \"a.b\" = [\"x\"]", "setting \"a.b\" = { x = 1 }", "" } },
	{ NULL, true, { "locked setting \"a.c\" = \"x\"", "setting \"a.c\" = \"x\"" } },
	{ NULL, true, { "setting \"agents.allowedRoles\" = [\"r1\"]",
			"setting \"agents.allowedRoles\" = [\"r1\", \"r2\"]", "" } },
	{ NULL, true, { "setting \"permissions.mode\" = \"strict\"",
			"setting \"permissions.mode\" = \"prompt\"",
			"setting \"permissions.mode\" = \"auto-accept\"" } },
	{ "runner", false, { "", "mode native", "mode prefer-container" } },
	{ "runner", false, { "", "container { image \"a\" }", "container { image \"b\" }" } },
	{ "session", false, { "", "lifetime 24h", "lifetime 25h" } },
	{ "audit", false, { "", "log \"/a\"", "log \"/b\"" } },
	{ NULL, false, { "", "alert spike when denied > 5 per 1m do block",
			 "alert spike when denied > 6 per 1m do block",
			 "alert spike when denied > 5 per 1m do notify" } },
	{ "network", true, { "allow tcp \"gw.example\" port 1", "allow tcp \"gw.example\" port 1 via \"http://p.example:1\"",
			     "allow tcp \"gw.example\" port 1 via \"http://p.example:2\"",
			     "allow tcp \"gw.example\" port 1 via \"http://p.example:2\" user from secret GW" } },
	{ "network", true, { "allow tcp \"pk.example\" port 1 peek tls", "allow tcp \"pk.example\" port 1 peek none" } },
	{ "network", true, { "allow tcp \"li.example\" port 1 connections 5", "allow tcp \"li.example\" port 1 connections 6",
			     "allow tcp \"li.example\" port 1" } },
	{ "network", true, { "allow tcp \"by.example\" port 1 bytes 5", "allow tcp \"by.example\" port 1 bytes 6",
			     "allow tcp \"by.example\" port 1" } },
	{ "network", true, { "allow tcp \"wi.example\" port 1", "allow tcp \"wi.example\" port 1 within 10.1.0.0/16",
			     "allow tcp \"wi.example\" port 1 within 10.0.0.0/8" } },
	{ "network", true, { "allow tcp \"in.example\" port 80", "allow tcp \"in.example\" inject header \"X\" from secret GW",
			     "allow tcp \"in.example\" inject header \"X\" \"b \" from secret GW",
			     "allow tcp \"in.example\" port 444 inject header \"X\" \"b \" from secret GW" } },
	{ "network", true, { "hold 1s", "hold 2s", "" } },
	{ NULL, false, { "", "tool \"carried\" { needs-network true }",
			 "tool \"carried\" { needs-network false }",
			 "tool \"carried\" { runner native }" } },
	{ "command", false, { "", "program pa { options -f }", "program pa { options -f: }" } },
	{ "command", false, { "", "wrapper wa { skip 1 }", "wrapper wa { skip 2 }" } },
	{ "command", false, { "", "interpreter ia { shell }", "interpreter ia { code -c }" } },
	{ "command", false, { "", "taint VA", "safe VA" } },
	{ "command", false, { "", "inert \"ea:*\"", "inert \"eb:*\"" } },
	{ "command", false, { "", "pin ga = \"/usr/bin/ga\"", "pin ga = \"/bin/ga\"" } },
	{ "command", false, { "", "risk low \"ra\"", "risk critical \"ra\"" } },
	{ "command", true, { "allow \"ua\" until 2090-01-01", "allow \"ua\" until 2091-01-01",
			     "allow \"ua\"" } },
	{ "command", true, { "otherwise deny", "otherwise ask", "otherwise allow" } },
	{ "command", true, { "opaque deny", "opaque ask", "opaque allow" } },
	{ "file", true, { "otherwise read deny", "otherwise read ask" } },
	{ "file", true, { "otherwise write deny", "otherwise write ask", "otherwise write allow" } },
	{ "file", true, { "otherwise exec deny", "otherwise exec ask", "otherwise exec allow" } },
	{ "file", false, { "", "mount \"/a\" at \"/m\" read", "mount \"/b\" at \"/m\" read",
			   "mount \"/a\" at \"/n\" read" } },
	{ NULL, true, { "network disabled", "network limited", "network full" } },
	{ "unix", true, { "otherwise deny", "otherwise ask", "otherwise allow" } },
	{ "syscall", true, { "otherwise deny", "otherwise allow" } },
	{ "tools", true, { "otherwise deny", "otherwise ask", "otherwise allow" } },
	{ NULL, true, { "", "role r3 { }" } },
	{ NULL, true, { "policy p { level managed  expires 2090-01-01 }",
			"policy p { level managed  expires 2091-01-01 }",
			"policy p { level managed }" } },
};

static inline uint32_t texts_of(const struct slot *s)
{
	uint32_t n = 0;

	while (n < TEXTS && s->text[n])
		n++;
	return n;
}

#endif
