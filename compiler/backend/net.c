/*
 * Network rules are resolved, judged and explained; what the kernel enforces
 * is the mode `disabled`, by a network namespace with nothing but its own
 * loopback.  The other modes need the egress gateway: no bundle is made.
 */
#include "compiler/backend/net.h"

#include "compiler/backend/util.h"

#define LAYER "net"

static enum ir_mode mode_of(const struct ir *ir)
{
	return (enum ir_mode)ir->scalars[IR_S_NET_MODE].num;
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	(void)sink;
	if (mode_of(ir) == IR_NET_DISABLED)
		bk_note_scalar(report, IR_S_NET_MODE, LAYER, BK_EXACT,
			       "a network namespace of its own: loopback only");
	else
		bk_note_scalar(
			report, IR_S_NET_MODE, LAYER, BK_ADVISORY,
			"network %s is not supported by this version: the policy "
			"can be checked and explained, not compiled",
			ir_mode_name(mode_of(ir)));
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind != IR_NET || !(r->scopes & IR_SANDBOX))
			continue;
		if (mode_of(ir) == IR_NET_DISABLED)
			bk_note(report, r, LAYER, BK_EXACT,
				"the mode decides: every connection is denied");
		else
			bk_note(report, r, LAYER, BK_ADVISORY,
				"network %s is not supported by this version",
				ir_mode_name(mode_of(ir)));
	}
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	const struct ir_scalar *s = &ir->scalars[IR_S_NET_MODE];
	struct diag *d;

	if (mode_of(ir) == IR_NET_DISABLED) {
		bk_add_feature(out, "net-namespace");
		return true;
	}
	d = diag_add(sink, DIAG_NETWORK_MODE, s->at.span,
		     "'network %s' is not supported by this version",
		     ir_mode_name(mode_of(ir)));
	diag_help(sink, d,
		  "'network disabled' is enforced; check, explain and dump read "
		  "the other modes too");
	return false;
}

static void print(FILE *out, const struct bk_output *in)
{
	(void)in;
	(void)fprintf(out,
		      "network disabled: a network namespace with its own loopback\n");
}

static const char *verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	(void)in;
	(void)a;
	return mode_of(ir) == IR_NET_DISABLED ?
		       NULL :
		       "a bundle was made for a network mode that cannot be enforced";
}

const struct backend bk_net = { "net", check, emit, print, verify };
