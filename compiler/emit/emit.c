/* The table of the targets. */
#include "compiler/emit/emit.h"

#include "compiler/emit/nft_host.h"

const struct emit_target emit_targets[] = {
	{ "nft-host", emit_nft_host },
	{ NULL, NULL },
};

const struct emit_target *emit_find(struct str name)
{
	for (const struct emit_target *t = emit_targets; t->name; t++)
		if (str_eqz(name, t->name))
			return t;
	return NULL;
}
