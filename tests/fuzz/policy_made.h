/* The bundle of a policy's text, made in memory by the compiler's own passes. */
#ifndef TESTS_FUZZ_POLICY_MADE_H
#define TESTS_FUZZ_POLICY_MADE_H

#include <unistd.h>

#include "compiler/backend/table.h"
#include "compiler/bundle/writer.h"
#include "compiler/analysis/lift.h"
#include "compiler/lower/lower.h"
#include "compiler/sema/sema.h"
#include "runtime/bundle/reader.h"

/* Sema reads files: the text is one for as long as it does. */
static inline struct ir *policy_ir(struct sema *s, const char *text)
{
	char path[] = "/dev/shm/pol-fuzz-XXXXXX";
	int fd = mkstemp(path);
	struct sema_input in = { .path = path, .name = STR("p.pol"), .level = IR_USER,
				 .cmdline_level = true };
	struct ir *ir = NULL;

	LAW(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	if (sema_load(s, &in, 1) && sema_resolve(s))
		ir = lower_policy(s);
	LAW(close(fd) == 0 && unlink(path) == 0);
	return ir;
}

static inline void policy_made(const char *text, struct bundle *ret)
{
	struct bundle_options opt = { .created = -1, .version = "0.1.0" };
	struct rt_err err = { 0 };
	struct arena a;
	struct source_map map;
	struct diag_sink sink;
	struct bk_output out = { .a = &a };
	struct sema s;
	struct buf b;
	struct ir *ir;
	char *copy;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	source_init(&map, &a);
	diag_init(&sink, &a);
	sema_init(&s, &a, &sink, &map, POL_STDLIB_DIR);
	ir = policy_ir(&s, text);
	LAW(ir && !sink.errors && pass_lift(ir, &sink));
	for (size_t i = 0; bk_table[i]; i++)
		LAW(bk_table[i]->emit(ir, &out, &sink));
	buf_init(&b, &a);
	LAW(bundle_write(ir, &out, &opt, &b, &sink));
	copy = law_text((const uint8_t *)b.p, b.n);
	LAW(bundle_parse((uint8_t *)copy, b.n, ret, &err) == 0);
	arena_release(&a);
}

#endif
