/*
 * build POLICY: milliseconds that the automata of matcher.bin take of a
 * compilation, and those of all passes in front of them; the member's bytes.
 */
#include <stdio.h>

#include "compiler/backend/matcher/matcher.h"
#include "compiler/cli/options_read.h"
#include "compiler/cli/passes.h"
#include "runtime/bundle/format.h"
#include "tests/bench/clock.h"

int main(int argc, char **argv)
{
	char out_option[] = "-o", nowhere[] = "none.polb"; /* nothing is written */
	char *args[] = { argc == 2 ? argv[1] : NULL, out_option, nowhere, NULL };
	struct options o;
	struct compilation c;
	struct arena a;
	struct bk_output out = { .a = &a };
	double begun, read, made;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (argc != 2 || !options_read(&o, &a, CLI_COMPILE, 3, args, stderr))
		return 2;
	begun = bench_now();
	compilation_init(&c, &o, &a);
	if (passes_run(&c, "lift") != CLI_CLEAN)
		return 1;
	read = bench_now();
	if (!bk_matcher.emit(c.ir, &out, &c.sink))
		return 1;
	made = bench_now();
	printf("%.2f\t%.2f\t%zu\n", (made - read) / 1e6, (read - begun) / 1e6,
	       bk_member(&out, PB_MATCHER)->bytes.n);
	return 0;
}
