/*
 * The ir.json of a bundle.  What is read verifies, and is written in the same
 * bytes; what is not read has a reason.
 */
#include "tests/fuzz/law.h"

#include "compiler/ir/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = law_text(data, n);
	const char *why = NULL;
	struct arena a;
	struct buf back;
	struct ir *ir;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	ir = ir_read(&a, (struct str){ text, n }, &why);
	LAW(ir || (why && *why));
	if (ir) {
		LAW(!ir_verify(ir, &a));
		buf_init(&back, &a);
		ir_json(&back, ir);
		LAW(str_eq(buf_view(&back), (struct str){ text, n }));
	}
	arena_release(&a);
	free(text);
	return 0;
}
