/*
 * Policy text through names, levels and lowering, with an empty standard
 * library.  What is accepted gives an IR that verifies and that ir.json gives
 * back; what is refused is refused with a message.
 */
#include "tests/fuzz/law.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/ir/read.h"
#include "compiler/lower/lower.h"
#include "compiler/sema/sema.h"

static char folder[64];

static void drop_folder(void)
{
	static const char *const names[] = { "std/base.pol", "std/floor.pol", "std", "p.pol",
					     "" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (unlink(path) != 0)
			(void)rmdir(path);
	}
}

static void put(const char *name, const void *bytes, size_t n)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	LAW(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
}

/* Files it must be, since sema reads what a text uses. */
static void make_folder(void)
{
	static const char std[] = "network disabled\n";
	char path[128];

	if (folder[0])
		return;
	(void)snprintf(folder, sizeof(folder), "/dev/shm/pol-fuzz-XXXXXX");
	LAW(mkdtemp(folder));
	(void)atexit(drop_folder);
	(void)snprintf(path, sizeof(path), "%s/std", folder);
	LAW(mkdir(path, 0700) == 0);
	put("std/base.pol", std, sizeof(std) - 1);
	put("std/floor.pol", std, sizeof(std) - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a;
	struct source_map map;
	struct diag_sink sink;
	struct sema s;
	struct sema_input in = { 0 };
	struct ir *ir = NULL;
	char path[128], std[128];

	make_folder();
	put("p.pol", data, n);
	(void)snprintf(path, sizeof(path), "%s/p.pol", folder);
	(void)snprintf(std, sizeof(std), "%s/std", folder);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	source_init(&map, &a);
	diag_init(&sink, &a);
	in.path = path;
	in.name = STR("p.pol");
	in.level = IR_USER;
	in.cmdline_level = true;
	sema_init(&s, &a, &sink, &map, std);
	if (sema_load(&s, &in, 1) && sema_resolve(&s))
		ir = lower_policy(&s);
	LAW(ir || sink.errors);
	if (ir) {
		const char *why = ir_verify(ir, &a);
		struct buf once, twice;
		struct ir *again;

		LAW(!why);
		buf_init(&once, &a);
		ir_json(&once, ir);
		again = ir_read(&a, buf_view(&once), &why);
		LAW(again);
		buf_init(&twice, &a);
		ir_json(&twice, again);
		LAW(str_eq(buf_view(&once), buf_view(&twice)));
	}
	arena_release(&a);
	return 0;
}
