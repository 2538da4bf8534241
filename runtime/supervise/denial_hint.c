/* Decides which rule would allow what was denied, from the deciding rule's level and kind. */
#include "runtime/supervise/denial_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/decide/hint.h"
#include "runtime/decide/rule_text.h"
#include "runtime/egress/gate.h"

static enum pb_kind kind_of(const struct denial *d)
{
	return strcmp(d->layer, "seccomp") == 0	  ? PB_SYSCALL
	       : strcmp(d->layer, "file") == 0	  ? PB_FILE
	       : strcmp(d->layer, "network") == 0 ? PB_NET
	       : strcmp(d->layer, "unix") == 0	  ? PB_UNIX
						  : PB_SCALAR;
}

/* The same words as polc and polquery have for it. */
static void decided_hint(const struct bundle *b, const struct denial *d,
			 const struct hint_subject *s, char *out, size_t cap)
{
	const struct decision denied = { .effect = PB_DENY, .rule = d->rule };
	struct hint hint;

	hint_request(b, s, &denied, &hint);
	(void)snprintf(out, cap, "%s", hint.text);
}

/*
 * What would let a connection or a look-up pass.  The subject is "PROTO HOST:PORT", maybe
 * with more behind a comma, or a name alone.
 */
static bool net_hint(const struct bundle *b, const struct denial *d, char *out, size_t cap)
{
	static const char leads[] = ", which leads to ";
	struct hint_subject s = { .kind = PB_NET };
	char proto[8] = "", host[300] = "", *colon;
	const char *to = strstr(d->subject, leads);
	bool v6;

	if (d->why == GATE_W_GUARD && to) {
		(void)snprintf(out, cap, "'within %s' on that rule", to + sizeof(leads) - 1);
		return true;
	}
	if (d->why == GATE_W_PROTOCOL) {
		(void)snprintf(out, cap, "'peek none' on that rule");
		return true;
	}
	if (d->why != GATE_W_RULE) /* another name, nobody's yes, a limit: no rule is missing */
		return false;
	if (strcmp(d->op, "resolve") == 0) {
		s.host = d->subject;
		s.port = 443;
		decided_hint(b, d, &s, out, cap);
		return true;
	}
	if (sscanf(d->subject, "%7s %299[^ ,]", proto, host) != 2 || !(colon = strrchr(host, ':'))) {
		s.host = "HOST"; /* nobody has seen which */
		s.port = 443;
		decided_hint(b, d, &s, out, cap);
		return true;
	}
	*colon = '\0';
	v6 = host[0] == '[' && colon[-1] == ']';
	if (v6)
		colon[-1] = '\0';
	s.host = host + v6;
	s.is_addr = v6 || host[strspn(host, "0123456789.")] == '\0';
	s.udp = strcmp(proto, "udp") == 0;
	s.port = (uint16_t)strtoul(colon + 1, NULL, 10);
	decided_hint(b, d, &s, out, cap);
	return true;
}

/* The library denies them with CLONE_NEWUSER only, which the run's own limit forbids as well. */
static bool makes_namespaces(const char *call)
{
	return strcmp(call, "clone") == 0 || strcmp(call, "unshare") == 0;
}

/* As a pattern in a text of the language it means itself. */
static bool is_plain(const char *path)
{
	return path[strcspn(path, "*?[]{}\"\\$")] == '\0';
}

bool denial_hint(const struct bundle *b, const struct denial *d, char *out, size_t cap)
{
	enum pb_kind kind = kind_of(d);
	const struct pb_rule *r = bundle_rule(b, d->rule);

	if (kind == PB_NET && r && d->why == GATE_W_RULE) {
		return net_hint(b, d, out, cap);
	} else if (hint_is_mode_call(b, d->rule)) {
		(void)snprintf(out, cap, "%s", hint_mode_call(r->err));
	} else if (kind < 6 && b->rules->locked[kind]) {
		(void)snprintf(out, cap, "locked by %s",
			       explain_level(b->rules->locked[kind]));
	} else if (kind == PB_SCALAR || !r) {
		return false;
	} else if (kind == PB_NET) {
		return net_hint(b, d, out, cap); /* the rule allows or asks */
	} else if (r->flags & PB_F_FLOOR) {
		(void)snprintf(out, cap, "no rule of a user does: do it outside of the sandbox");
	} else if (r->kind != PB_SCALAR && r->effect != PB_ALLOW && r->level != PB_DEFAULT) {
		/* An explicit deny wins over every allow: only the owner of the deny
		 * can help. */
		(void)snprintf(out, cap, "no allow lifts it: an 'except' on the "
			       "rule itself does (level %s)", explain_level(r->level));
	} else if (kind == PB_SYSCALL && makes_namespaces(d->op)) {
		(void)snprintf(out, cap, "no rule does, since a run makes no user namespaces: do it outside of "
			       "the sandbox");
	} else if (kind == PB_SYSCALL) {
		(void)snprintf(out, cap, "syscall { allow %s }", d->op);
	} else if (!is_plain(d->subject)) {
		(void)snprintf(out, cap, "a rule that allows it");
	} else if (kind == PB_FILE) {
		(void)snprintf(out, cap, "file { allow %s \"%s\" }", d->op, d->subject);
	} else {
		(void)snprintf(out, cap, "unix { allow \"%s\" }", d->subject);
	}
	return true;
}
