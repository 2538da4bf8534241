/*
 * One statement of each kind that is no rule, as texts of which no two mean the same:
 * variables, limits, settings, locks, facts, what is carried, days.
 */
#ifndef TESTS_PROP_DIFF_SLOTS_H
#define TESTS_PROP_DIFF_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXTS 10

/* One statement, as texts of which no two mean the same; "" is none. */
struct slot {
	const char *section; /* in which it stands, or NULL */
	bool loosens;        /* each text permits more than the one before */
	const char *text[TEXTS];
};

#define LIMIT(name, less, more)                                                          \
	{ "limits", true, { "locked " name " " less, name " " less, "locked " name " " more, \
			    name " " more, "" } }
#define DIGEST(digit) \
	digit digit digit digit digit digit digit digit "11111111" "22222222" "33333333" \
	"44444444" "55555555" "66666666" "77777777"
/* What makes the assertions true. */
#define AS "tools { final deny \"as\", \"at\" }\n"
#define LOCK(section) { NULL, true, { "locked " section " { }", section " { }" } }

static const struct slot slots[] = {
	{ "env", true, { "locked keep A", "keep A", "keep A, B", "keep A, B, \"LC_*\"" } },
	{ "env", true, { "", "keep += C", "keep += C, D" } },
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
	{ NULL, false, { "", "setting \"a.d\" += [\"x\"]", "setting \"a.d\" += [\"y\"]",
			 "setting \"a.d\" += [\"x\", \"y\"]" } },
	{ NULL, false, { "", "setting \"agents.enforcedAgents\" = [\"x\"]",
			 "setting \"agents.enforcedAgents\" = [\"y\"]" } },
	{ NULL, false, { "", "setting \"context.storage\" = \"local\"",
			 "setting \"context.storage\" = \"cloud\"" } },
	{ NULL, false, { "", "setting \"context.thresholds\" = { warning = 0.5 }",
			 "setting \"context.thresholds\" = { warning = 0.6 }",
			 "setting \"context.thresholds\" = { critical = 0.6 }" } },
	{ "runner", false, { "", "mode native", "mode prefer-container" } },
	{ "runner", false, { "", "container { image \"a\" }", "container { image \"b\" }" } },
	{ "runner", false, { "", "exec container else deny", "exec container else ask",
			     "exec cloud else deny" } },
	{ "runner", false, { "", "devcontainer { config \"a\" }", "devcontainer { config \"b\" }" } },
	{ "runner", false, { "", "cloud { session-timeout 1h }", "cloud { session-timeout 2h }" } },
	{ "runner", false, { "", "container { limits { time 1s } }", "container { limits { time 2s } }",
			     "container { network disabled }" } },
	{ "session", false, { "", "lifetime 24h", "lifetime 25h" } },
	{ "session", false, { "", "idle 1h", "idle 2h" } },
	{ "session", false, { "", "disk 1G", "disk 2G" } },
	{ "session", false, { "", "rate s 3 per 1h", "rate s 4 per 1h", "rate s 3 per 2h" } },
	{ "audit", false, { "", "log \"/a\"", "log \"/b\"" } },
	{ "audit", false, { "", "level denied", "level all" } },
	{ "audit", false, { "", "redact /a/", "redact /b/" } },
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
	{ "network", true, { "locked hold 1s", "hold 1s", "locked hold 2s", "hold 2s", "" } },
	{ "network", true, { "otherwise deny", "otherwise ask", "otherwise allow" } },
	{ NULL, false, { "", "tool \"carried\" { needs-network true }",
			 "tool \"carried\" { needs-network false }",
			 "tool \"carried\" { runner native }" } },
	{ NULL, false, { "", "tool \"told\" { description \"x\" }", "tool \"told\" { description \"y\" }" } },
	{ NULL, true, { "tool \"tr\" { deny risk exec }", "tool \"tr\" { ask risk exec }",
			"tool \"tr\" { allow risk exec }", "tool \"tr\" { allow risk read-only }" } },
	{ NULL, false, { AS, AS "assert never tool \"as\"", AS "assert always ask tool \"as\"",
			 AS "assert never tool \"at\"", AS "assert never tool \"as\" when scope == host" } },
	{ "command", false, { "", "program pa { options -f }", "program pa { options -f: }" } },
	{ "command", false, { "", "wrapper wa { skip 1 }", "wrapper wa { skip 2 }" } },
	{ "command", false, { "", "interpreter ia { shell }", "interpreter ia { code -c }" } },
	{ "command", false, { "program pb { options -f }  program pb { options -f: }",
			      "program pb { options -f: }  program pb { options -f }" } },
	{ "command", false, { "wrapper wb { skip 1 }  wrapper wb { skip 2 }",
			      "wrapper wb { skip 2 }  wrapper wb { skip 1 }" } },
	{ "command", false, { "", "program pc { code -c }", "program pc { code -c when /x/ }",
			      "program pc { code operand 1 }", "program pc { code operand any }",
			      "program pc { code stdin }", "program pc { query -c }" } },
	{ "command", false, { "", "program pd { reads operand any }", "program pd { writes operand any }",
			      "program pd { writes operand last }", "program pd { script-file operand 1 }",
			      "program pd { script-file default \"x\" }", "program pd { makes-nothing }",
			      "program pd { recursive operand any }" } },
	{ "command", false, { "", "program pe { abbreviate }", "program pe { no-cluster }",
			      "program pe { posix }", "program pe { no-end }", "program pe { one-dash }",
			      "program pe { dashed }", "program pe { booleans }" } },
	{ "command", false, { "", "program \"pf b\" { options -f }", "program \"pf b\" { also \"c\" }",
			      "program \"pf b\" { also \"d\" }" } },
	{ "command", false, { "", "wrapper wc { transparent }", "wrapper wc { joined }",
			      "wrapper wc { appends }", "wrapper wc { assignments }", "wrapper wc { away }",
			      "wrapper wc { stays }", "wrapper wc { elsewhere }" } },
	{ "command", false, { "", "wrapper wd { after \"-e\" }", "wrapper wd { after \"-e\"  ends-at \";\" }",
			      "wrapper wd { skip 99  runs -e }", "wrapper wd { moves -e }",
			      "wrapper wd { leads -e }" } },
	{ "command", false, { "", "taint VA", "safe VA", "taint \"VA*\"" } },
	{ "command", false, { "", "inert \"ea:*\"", "inert \"eb:*\"",
			      "inert \"ea:*\" except \"ea b\"" } },
	{ "command", false, { "", "pin ga = \"/usr/bin/ga\"", "pin ga = \"/bin/ga\"",
			      "pin ga = \"/bin/ga\" sha256 \"" DIGEST("0") "\"",
			      "pin ga = \"/bin/ga\" sha256 \"" DIGEST("1") "\"" } },
	{ "command", false, { "", "shell posix", "shell zsh", "shell bash = \"/bin/b\"" } },
	{ "command", false, { "", "risk low \"ra:*\"", "risk critical \"ra:*\"",
			      "risk critical \"ra:*\" except \"ra b\"", "risk high \"ra:*\" with -f" } },
	{ "command", true, { "allow \"ua\" until 2090-01-01", "allow \"ua\" until 2091-01-01",
			     "allow \"ua\"" } },
	{ "command", true, { "locked otherwise deny", "otherwise deny",
			     "otherwise by risk { low ask  medium deny  high deny  critical deny }",
			     "otherwise ask",
			     "otherwise by risk { low allow  medium ask  high ask  critical ask }",
			     "otherwise allow" } },
	{ "command", true, { "locked opaque deny", "opaque deny", "opaque ask", "opaque allow" } },
	{ "file", true, { "locked otherwise read deny", "otherwise read deny", "otherwise read ask" } },
	{ "file", true, { "locked otherwise write deny", "otherwise write deny", "otherwise write ask",
			  "otherwise write allow" } },
	{ "file", true, { "locked otherwise exec deny", "otherwise exec deny", "otherwise exec ask",
			  "otherwise exec allow" } },
	{ "file", false, { "", "mount \"/a\" at \"/m\" read", "mount \"/b\" at \"/m\" read",
			   "mount \"/a\" at \"/n\" read", "mount \"/a\" at \"/m\" read, write" } },
	{ NULL, false, { "", "group @gf = \"/gf/a\"\nfile { hide @gf }",
			 "group @gf = \"/gf/a\", \"/gf/b\"\nfile { hide @gf }" } },
	{ NULL, false, { "", "let lf = \"/lf/a\"\nfile { hide lf }",
			 "let lf = \"/lf/b\"\nfile { hide lf }" } },
	{ NULL, false, { "", "group @gs = getsid\nsyscall { deny @gs with ENOSYS }",
			 "group @gs = getsid, getpgid\nsyscall { deny @gs with ENOSYS }" } },
	{ NULL, true, { "network disabled", "network limited", "network full" } },
	{ "unix", true, { "locked otherwise deny", "otherwise deny", "otherwise ask", "otherwise allow" } },
	{ "syscall", true, { "locked otherwise deny", "otherwise deny", "otherwise allow" } },
	{ "tools", true, { "locked otherwise deny", "otherwise deny",
			   "otherwise by risk { low ask  medium deny  high deny  critical deny }",
			   "otherwise ask",
			   "otherwise by risk { low allow  medium ask  high ask  critical ask }",
			   "otherwise allow" } },
	{ NULL, true, { "", "role r3 { }" } },
	{ NULL, true, { "policy p { level managed  expires 2090-01-01 }",
			"policy p { level managed  expires 2091-01-01 }",
			"policy p { level managed }",
			"policy p { level managed  base none }" } },
};

/* What the gateway does with the connections of one rule: another rule may come before it. */
static inline bool slot_is_grant(const struct slot *s)
{
	return s->section && strcmp(s->section, "network") == 0 && strncmp(s->text[0], "allow ", 6) == 0;
}

static inline uint32_t texts_of(const struct slot *s)
{
	uint32_t n = 0;

	while (n < TEXTS && s->text[n])
		n++;
	return n;
}

#endif
