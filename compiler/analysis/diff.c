/* The order in which two policies are compared. */
#include "compiler/analysis/diff.h"

#include "compiler/analysis/diff_call.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_lang.h"
#include "compiler/analysis/diff_net.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/analysis/diff_readable.h"
#include "compiler/analysis/diff_scalar.h"
#include "compiler/analysis/diff_shared.h"
#include "compiler/analysis/diff_value.h"
#include "compiler/eval/index.h"

static void begin(struct diff *d, struct diff_result *ret)
{
	d->ret = ret;
	memset(ret, 0, sizeof(*ret));
	map_init(&d->seen, d->a);
	diff_identify(d);
}

static void requests(struct diff *d, enum ir_kind kind)
{
	if (!DIFF_ON_EACH("kind", ir_kind_name(kind)))
		return;
	if (kind == IR_NET) {
		diff_nets(d);
		diff_shared(d);
	} else if (kind == IR_SYSCALL) {
		diff_calls(d);
	} else {
		diff_languages(d, kind);
	}
}

void diff_policies(const struct ir *old, const struct ir *new,
		   const struct diff_where *where, struct arena *a,
		   struct diff_result *ret)
{
	struct diff d = { .a = a, .ir = { eval_index_add(old, a), eval_index_add(new, a) }, .where = where };
	int kind;

	begin(&d, ret);
	for (kind = 0; kind < IR_KIND_COUNT; kind++)
		requests(&d, (enum ir_kind)kind);
	diff_readable(&d);
	diff_scalars(&d);
	diff_values(&d);
}

void diff_kind(const struct ir *old, const struct ir *new, enum ir_kind kind,
	       const struct diff_where *where, struct arena *a, struct diff_result *ret)
{
	struct diff d = { .a = a, .ir = { old, new }, .where = where,
			  .in_set_only = true };

	begin(&d, ret);
	requests(&d, kind);
	diff_readable(&d);
}
