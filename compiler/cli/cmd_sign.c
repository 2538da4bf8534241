/*
 * `polc sign`: adds one signature to a bundle.  The bundle is replaced as a whole or
 * left as it was.
 */
#include "compiler/bundle/sign.h"
#include "compiler/cli/cli.h"

static bool signed_bytes(struct options *o, struct arena *a, const struct bundle *b,
			 struct diag_sink *sink, struct str *ret)
{
	struct str text;

	if (b->nsignatures == PB_MAX_SIGNATURES) {
		diag_add(sink, DIAG_SIGN, SPAN_NONE,
			 "the bundle has %u signatures already, the most that it can "
			 "hold",
			 PB_MAX_SIGNATURES);
		return false;
	}
	return bundle_sign(a, b, o->key, &text, sink) &&
	       bundle_add_signature(a, b, text, ret, sink);
}

enum cli_exit cmd_sign(struct options *o, struct arena *a)
{
	struct diag_sink sink;
	struct source_map map = { .a = a };
	enum cli_exit e = CLI_CLEAN;
	struct bundle b;
	struct str bytes;

	diag_init(&sink, a);
	if (!cli_bundle(o->bundle, &b))
		return CLI_TROUBLE;
	if (!signed_bytes(o, a, &b, &sink, &bytes)) {
		diag_render(stderr, &sink, &map, options_colour(o, stderr));
		e = CLI_TRUST;
	} else if (!cli_write(a, o->output ? o->output : o->bundle, bytes)) {
		e = CLI_TROUBLE;
	}
	bundle_release(&b);
	return e;
}
