/* Decides which rule would allow what was denied, from the deciding rule's level and kind. */
#include "runtime/supervise/denial_hint.h"

#include <stdio.h>
#include <string.h>

#include "runtime/decide/rule_text.h"

static enum pb_kind kind_of(const struct denial *d)
{
	return strcmp(d->layer, "seccomp") == 0	  ? PB_SYSCALL
	       : strcmp(d->layer, "file") == 0	  ? PB_FILE
	       : strcmp(d->layer, "network") == 0 ? PB_NET
	       : strcmp(d->layer, "unix") == 0	  ? PB_UNIX
						  : PB_SCALAR;
}

bool denial_hint(const struct bundle *b, const struct denial *d, char *out, size_t cap)
{
	enum pb_kind kind = kind_of(d);
	const struct pb_rule *r = bundle_rule(b, d->rule);
	char proto[8] = "", host[80] = "";
	unsigned port = 0;

	if (kind < 6 && b->rules->locked[kind]) {
		(void)snprintf(out, cap, "locked by %s",
			       explain_level(b->rules->locked[kind]));
	} else if (kind == PB_SCALAR || !r) {
		return false;
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
	} else if (kind == PB_NET &&
		   sscanf(d->subject, "%7s %79[^ ]", proto, host) == 2 &&
		   strrchr(host, ':') && sscanf(strrchr(host, ':'), ":%u", &port) == 1) {
		*strrchr(host, ':') = '\0';
		(void)snprintf(out, cap, "network limited { allow %s %s port %u }",
			       proto, host, port);
	} else if (kind == PB_NET) {
		(void)snprintf(out, cap, "network full");
	} else {
		(void)snprintf(out, cap, "allow %s", d->op);
	}
	return true;
}
