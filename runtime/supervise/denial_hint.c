/* Decides which rule would allow what was denied, from the deciding rule's level and kind. */
#include "runtime/supervise/denial_hint.h"

#include <stdio.h>
#include <string.h>

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

/*
 * What would let a connection or a look-up pass.  The subject is "PROTO HOST:PORT", maybe
 * with more behind a comma, or a name alone.
 */
static bool net_hint(const struct denial *d, char *out, size_t cap)
{
	static const char leads[] = ", which leads to ";
	char proto[8] = "", host[300] = "", *colon;
	const char *to = strstr(d->subject, leads), *quote;
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
		(void)snprintf(out, cap, "network limited { allow tcp \"%s\" port 443 }", d->subject);
		return true;
	}
	if (sscanf(d->subject, "%7s %299[^ ,]", proto, host) != 2 || !(colon = strrchr(host, ':'))) {
		(void)snprintf(out, cap, "network full");
		return true;
	}
	*colon = '\0';
	v6 = host[0] == '[' && colon[-1] == ']';
	if (v6)
		colon[-1] = '\0';
	quote = v6 || host[strspn(host, "0123456789.")] == '\0' ? "" : "\"";
	(void)snprintf(out, cap, "network limited { allow %s %s%s%s port %s }", proto, quote,
		       host + v6, quote, colon + 1);
	return true;
}

bool denial_hint(const struct bundle *b, const struct denial *d, char *out, size_t cap)
{
	enum pb_kind kind = kind_of(d);
	const struct pb_rule *r = bundle_rule(b, d->rule);

	if (kind < 6 && b->rules->locked[kind]) {
		(void)snprintf(out, cap, "locked by %s",
			       explain_level(b->rules->locked[kind]));
	} else if (kind == PB_SCALAR || !r) {
		return false;
	} else if (kind == PB_NET && d->why != GATE_W_RULE) {
		return net_hint(d, out, cap); /* the rule allows or asks */
	} else if (r->kind != PB_SCALAR && r->effect != PB_ALLOW &&
		   (r->level != PB_DEFAULT || (r->flags & PB_F_FLOOR))) {
		/* An explicit deny wins over every allow: only the owner of the deny
		 * can help. */
		(void)snprintf(out, cap, "no allow lifts it: an 'except' on the "
			       "rule itself does (level %s)", explain_level(r->level));
	} else if (kind == PB_FILE) {
		(void)snprintf(out, cap, "allow %s \"%s\"", d->op, d->subject);
	} else if (kind == PB_UNIX) {
		(void)snprintf(out, cap, "allow \"%s\"", d->subject);
	} else if (kind == PB_NET) {
		return net_hint(d, out, cap);
	} else {
		(void)snprintf(out, cap, "allow %s", d->op);
	}
	return true;
}
