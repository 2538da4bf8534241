/*
 * Run once by the Makefile, when polc is built: writes the line facts of std/base to the
 * file, and prints their key.  Both become a part of polc (compiler/lower/ready_block.h).
 */
#include <sodium.h>
#include <stdio.h>

#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/lower/ready.h"

static bool write_block(const char *path, const struct line_facts *f)
{
	FILE *out = fopen(path, "we");
	bool ok = out && fwrite(f, 1, f->head.size, out) == f->head.size;

	if (out && fclose(out) != 0)
		ok = false;
	if (!ok)
		perror(path);
	return ok;
}

static void print_key(const struct ir *ir)
{
	uint8_t key[FACTS_KEY_BYTES];
	char hex[2 * FACTS_KEY_BYTES + 1];

	facts_key(ir, key);
	puts(sodium_bin2hex(hex, sizeof(hex), key, sizeof(key)));
}

int main(int argc, char **argv)
{
	struct sema_input says_nothing = { .path = "ready", .level = IR_USER,
					   .text = STR("policy ready { level user }\n") };
	struct options o = { .verb = CLI_COMPILE, .created = 0 };
	struct compilation c;
	struct arena a;
	bool ok;

	if (argc != 2 || sodium_init() < 0) {
		fputs("usage: ready FILE\n", stderr);
		return CLI_TROUBLE;
	}
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	VEC_PUSH(&a, &o.inputs, says_nothing);
	compilation_init(&c, &o, &a);
	ok = passes_run(&c, "lower") == CLI_CLEAN;
	if (ok)
		ok = write_block(argv[1], c.ir->line_facts);
	else
		report_print(&c);
	if (ok)
		print_key(c.ir);
	arena_release(&a);
	return ok ? CLI_CLEAN : CLI_TROUBLE;
}
