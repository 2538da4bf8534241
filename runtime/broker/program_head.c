/* Reads the head of a program, as load_script() and load_elf_binary() of the kernel do. */
#include "runtime/broker/program_head.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/sys.h"

#define HEAD 256    /* BINPRM_BUF_SIZE: so much of a first line counts */
#define MOST_PARTS 64

static bool read_at(int fd, void *buf, size_t n, off_t at)
{
	return lseek(fd, at, SEEK_SET) == at && SYS_RETRY(read(fd, buf, n)) == (ssize_t)n;
}

static void script(const char *line, char *ret)
{
	const char *p = line + 2 + strspn(line + 2, " \t");
	size_t n = strcspn(p, " \t\n");

	/* a name that the line cuts off is not executed */
	if (*p != '/' || !p[n])
		return;
	memcpy(ret, p, n);
	ret[n] = '\0';
}

static void elf(int fd, const Elf64_Ehdr *e, char *ret)
{
	Elf64_Phdr part;

	if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phentsize != sizeof(part))
		return;
	for (unsigned i = 0; i < e->e_phnum && i < MOST_PARTS; i++) {
		if (!read_at(fd, &part, sizeof(part), (off_t)(e->e_phoff + i * sizeof(part))))
			return;
		if (part.p_type != PT_INTERP)
			continue;
		if (part.p_filesz < 2 || part.p_filesz > PROGRAM_HEAD_PATH ||
		    !read_at(fd, ret, part.p_filesz, (off_t)part.p_offset) ||
		    ret[part.p_filesz - 1] || ret[0] != '/')
			ret[0] = '\0';
		return;
	}
}

void program_head(int fd, char ret[PROGRAM_HEAD_PATH])
{
	union {
		char text[HEAD + 1];
		Elf64_Ehdr elf;
	} head = { .text = "" };
	ssize_t n;

	ret[0] = '\0';
	n = lseek(fd, 0, SEEK_SET) == 0 ? SYS_RETRY(read(fd, head.text, HEAD)) : -1;
	if (n >= 2 && memcmp(head.text, "#!", 2) == 0) {
		/* the end of the file ends the line, too */
		if (n < HEAD && !memchr(head.text, '\n', (size_t)n))
			head.text[n] = '\n';
		script(head.text, ret);
	} else if (n >= (ssize_t)sizeof(head.elf) && memcmp(head.text, ELFMAG, SELFMAG) == 0) {
		elf(fd, &head.elf, ret);
	}
}
