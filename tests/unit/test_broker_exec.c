/* Starting programs by name: which are decided here, what else the kernel opens for them, and
 * what the rules and the maker of copies are asked. */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/broker/program_head.h"
#include "tests/unit/broker_fixture.h"

/* --- heads --------------------------------------------------------------------------- */

static const char *head_of(const void *bytes, size_t n)
{
	static char ret[PROGRAM_HEAD_PATH];
	int fd = memfd_create("head", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	memset(ret, 'x', sizeof(ret));
	program_head(fd, ret);
	(void)close(fd);
	return ret;
}

#define TEXT(s) head_of(s, sizeof(s) - 1)

static void test_the_interpreter_of_a_script(void **state)
{
	char line[400] = "#!/";

	(void)state;
	assert_string_equal(TEXT("#!/bin/sh\necho\n"), "/bin/sh");
	assert_string_equal(TEXT("#! \t /usr/bin/env -S a b\n"), "/usr/bin/env");
	assert_string_equal(TEXT("#!/bin/sh\t-e\n"), "/bin/sh");
	assert_string_equal(TEXT("#!/bin/sh"), "/bin/sh");
	assert_string_equal(TEXT("#!/b\nc"), "/b");
	assert_string_equal(TEXT("#!bin/sh\n"), "");
	assert_string_equal(TEXT("#!\n/bin/sh\n"), "");
	assert_string_equal(TEXT("#!"), "");
	assert_string_equal(TEXT("#"), "");
	assert_string_equal(TEXT(""), "");
	assert_string_equal(TEXT(" #!/bin/sh\n"), "");
	/* the kernel executes no name that its 256 bytes cut off */
	memset(line + 3, 'a', sizeof(line) - 3);
	assert_string_equal(head_of(line, sizeof(line)), "");
	line[255] = '\n';
	assert_int_equal(strlen(head_of(line, sizeof(line))), 253);
	line[255] = 'a', line[256] = '\n';
	assert_string_equal(head_of(line, sizeof(line)), "");
}

struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr part[3];
	char text[64];
};

static struct elf an_elf(void)
{
	struct elf e = { .text = "/lib64/ld.so" };

	memcpy(e.head.e_ident, ELFMAG, SELFMAG);
	e.head.e_ident[EI_CLASS] = ELFCLASS64;
	e.head.e_phoff = offsetof(struct elf, part);
	e.head.e_phnum = 3;
	e.head.e_phentsize = sizeof(Elf64_Phdr);
	e.part[0].p_type = PT_PHDR;
	e.part[1] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = offsetof(struct elf, text),
				  .p_filesz = sizeof("/lib64/ld.so") };
	return e;
}

static const char *head_of_elf(const struct elf *e)
{
	return head_of(e, sizeof(*e));
}

static void test_the_linker_of_a_program(void **state)
{
	struct elf e = an_elf();
	char self[PROGRAM_HEAD_PATH];
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_string_equal(head_of_elf(&e), "/lib64/ld.so");
	program_head(fd, self);
	assert_string_equal(self, "/lib64/ld-linux-x86-64.so.2");
	(void)close(fd);
	e.part[1].p_filesz--;
	assert_string_equal(head_of_elf(&e), ""); /* without its NUL */
	e.part[1].p_filesz = 1u << 20;
	assert_string_equal(head_of_elf(&e), "");
	e.part[1].p_filesz = UINT64_MAX;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.part[1].p_offset = UINT64_MAX;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.head.e_phoff = UINT64_MAX - 7;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.head.e_phnum = UINT16_MAX;
	e.part[1].p_type = PT_LOAD;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.head.e_phentsize = 1;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	e.text[0] = 'l';
	assert_string_equal(head_of_elf(&e), "");
	e = an_elf();
	assert_string_equal(head_of(&e, sizeof(e.head) - 1), "");
	assert_string_equal(head_of(&e, sizeof(e.head)), "");
}

/* --- the call ------------------------------------------------------------------------ */

static char started[8][PATH_MAX]; /* what was to be started, in order */
static unsigned nstarted;
static int start_says;
static unsigned start_takes_ms;

static bool allow_start(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *rule)
{
	const char *leaf = strrchr(path, '/') + 1;

	(void)arg, (void)is_dir;
	*rule = 7;
	return strncmp(leaf, op == BROKER_START ? "no" : "secret", op == BROKER_START ? 2 : 6) != 0;
}

static int note_start(void *arg, int object, dev_t dev, ino_t ino)
{
	char name[32];
	struct stat st;
	ssize_t n;

	(void)arg;
	assert_true(nstarted < 8 && fstat(object, &st) == 0 && st.st_dev == dev && st.st_ino == ino);
	(void)usleep(start_takes_ms * 1000);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", object);
	n = readlink(name, started[nstarted], PATH_MAX - 1);
	assert_true(n > 0);
	started[nstarted++][n] = '\0';
	return start_says;
}

static void put_program(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	(void)close(fd);
}

static const struct broker_result *exec_it(const char *name)
{
	nstarted = 0;
	return act((struct broker_call){
		.verb = BROKER_EXEC, .follow = true, .path.raw = name });
}

static void assert_left(const struct broker_result *r, unsigned n)
{
	assert_false(r->ours);
	assert_true(r->starts);
	assert_int_equal(r->err, 0);
	assert_int_equal(nstarted, n);
}

static void test_which_starts_are_decided(void **state)
{
	char script[PATH_MAX + 16];

	(void)state;
	put_program("p", "x");
	put_program("no", "x");
	put_program("secret", "x");
	put("file");
	assert_int_equal(chmod("file", 0644), 0);
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(symlink("no", "link"), 0);
	assert_int_equal(symlink("d/../p", "way"), 0);
	/* without the set everything is the kernel's */
	assert_left(exec_it("no"), 0);
	assert_int_equal(broker_trees_add(&t.broker.starts, BROKER_OPEN_HERE, t.root[0],
					  t.broker.trees.v[0].fd), 0);
	t.broker.rules.allows = allow_start;
	t.broker.rules.start = note_start;
	assert_left(exec_it("p"), 1);
	assert_left(exec_it("way"), 1);
	assert_non_null(strstr(started[0], "/p"));
	assert_refused(exec_it("no"), EACCES, BROKER_BY_RULE, "no");
	assert_int_equal(t.last.rule, 7);
	assert_refused(exec_it("link"), EACCES, BROKER_BY_RULE, "no");
	assert_refused(exec_it("secret"), EACCES, BROKER_BY_RULE, "secret");
	assert_int_equal(nstarted, 0);
	/* the kernel says what is wrong with these */
	assert_left(exec_it("file"), 0);
	assert_left(exec_it("d"), 0);
	assert_left(exec_it("none"), 0);
	assert_left(exec_it("p/"), 0);
	/* what else the kernel opens is asked about, too */
	(void)snprintf(script, sizeof(script), "#!%s/no\n", t.root[0]);
	put_program("s", script);
	assert_refused(exec_it("s"), EACCES, BROKER_BY_RULE, "no");
	(void)snprintf(script, sizeof(script), "#!%s/p -x\n", t.root[0]);
	put_program("s", script);
	assert_left(exec_it("s"), 2);
	assert_non_null(strstr(started[0], "/s"));
	assert_non_null(strstr(started[1], "/p"));
	/* a script that is its own interpreter: the kernel gives up as well (ELOOP) */
	(void)snprintf(script, sizeof(script), "#!%s/s\n", t.root[0]);
	put_program("s", script);
	assert_left(exec_it("s"), 5);
	/* a program of which there is no copy yet: nothing is decided */
	start_says = BROKER_LATER;
	(void)exec_it("p");
	assert_true(t.last.later && t.last.starts && t.last.ours && !t.last.err);
	assert_refused(exec_it("no"), EACCES, BROKER_BY_RULE, "no");
	assert_false(t.last.later);
	start_says = -ENOSPC;
	assert_refused(exec_it("p"), ENOSPC, BROKER_BY_COPY, "p");
	start_says = 0;
}

/* It is the path that must not take long. */
static void test_a_start_that_takes_long(void **state)
{
	char script[PATH_MAX + 16];

	(void)state;
	put_program("p", "x");
	(void)snprintf(script, sizeof(script), "#!%s/p\n", t.root[0]);
	put_program("s", script);
	assert_int_equal(broker_trees_add(&t.broker.starts, BROKER_OPEN_HERE, t.root[0],
					  t.broker.trees.v[0].fd), 0);
	t.broker.rules.start = note_start;
	nstarted = 0;
	start_takes_ms = 400;
	assert_left(act((struct broker_call){ .verb = BROKER_EXEC,
					      .follow = true,
					      .path.raw = "s",
					      .by.until = sys_now_ms() + 300 }), 2);
	start_takes_ms = 0;
	(void)act((struct broker_call){ .verb = BROKER_EXEC,
					.follow = true,
					.path.raw = "s",
					.by.until = sys_now_ms() - 1 });
	assert_int_equal(t.last.err, EIO);
	assert_int_equal(t.last.reason, BROKER_BY_LATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_interpreter_of_a_script),
		cmocka_unit_test(test_the_linker_of_a_program),
		cmocka_unit_test_setup_teardown(test_which_starts_are_decided, begin, end),
		cmocka_unit_test_setup_teardown(test_a_start_that_takes_long, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
