/*
 * Random arguments for calls that change files: texts, pointers, descriptors, flags,
 * times. For tests/live/probes/hostile_probe.c; what a thread draws depends on its seed
 * alone.
 */
#ifndef TESTS_LIB_HOSTILE_ARGS_H
#define TESTS_LIB_HOSTILE_ARGS_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PAGE 4096u

struct mind { /* a thread's */
	uint64_t state;
	char *edge[2]; /* two pages, and nothing behind them */
	struct open_how how;
	char room[4 * PAGE];
};

static char here[1024]; /* the working directory, with a '/' */
static char *beyond;    /* a page of a file behind its end */
static char *closed;    /* a page that cannot be read */
static char *flip;      /* a text that changes all the time */

static uint64_t draw(struct mind *m) /* splitmix64 */
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static unsigned below(struct mind *m, unsigned n)
{
	return (unsigned)(draw(m) % n);
}

static bool once_in(struct mind *m, unsigned n)
{
	return below(m, n) == 0;
}

/* --- texts
 * ------------------------------------------------------------------------------ */

static const char *const starts[] = {
	"",
	"",
	"",
	"/",
	"//",
	"./",
	"/proc/self/cwd/",
	"/proc/self/root",
	"/proc/thread-self/cwd/",
	"/proc/1/root",
	"/proc/self/fd/3/",
	"/dev/",
	"/tmp/",
	"/usr/",
	"src/up/",
	"src/cwd.ts/",
};
static const char *const names[] = {
	"src",         "src",
	"src",         "a",
	"a",           "b",
	"x.ts",        "n.js",
	"x.py",        ".env",
	".env.local",  "..",
	".",           "",
	"p.ts",        "s.ts",
	"d.ts",        "null.ts",
	"dir.ts",      "l0",
	"l20",         "l39",
	"l40",         "up",
	"abs",         "out",
	"env.ts",      "loop.ts",
	"cwd.ts",      "kept",
	"keep.txt",    "no",
	"f",           "\xff\n\"\x01.ts",
	"\xc3\x28.py",
};
static const char *const leaves[] = {
	"ts", "js", "ts", "js", "py", "env", "ts/x", "TS"
};

static size_t add(char *out, size_t at, const char *text)
{
	size_t n = strlen(text);

	if (at + n >= 2 * PAGE)
		return at;
	memcpy(out + at, text, n + 1);
	return at + n;
}

/* A name with a number, of which there are few: they meet each other. */
static size_t add_made(struct mind *m, char *out, size_t at)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "n%u.%s", below(m, 12), leaves[below(m, 8)]);
	return add(out, at, name);
}

static size_t add_long(struct mind *m, char *out, size_t at)
{
	static const unsigned lengths[] = { 200, 252, 253, 255, 256, 4000, 4095, 4096 };
	char name[PAGE + 1];
	unsigned n = lengths[below(m, 8)];

	memset(name, 'x', n);
	name[n] = '\0';
	at = add(out, at, name);
	return add(out, at, ".ts");
}

static size_t make_text(struct mind *m, char *out)
{
	size_t at = 0;
	unsigned n = below(m, 5);

	out[0] = '\0';
	if (below(m, 100) < 60) { /* one that may well be allowed */
		at = add(out, at, once_in(m, 4) ? here : "");
		at = add(out, at,
			 once_in(m, 3)   ? "src/"
			 : once_in(m, 2) ? "src/a/"
					 : "src/a/b/");
		return once_in(m, 4) ? add(out, at, names[6 + below(m, 12)])
				     : add_made(m, out, at);
	}
	at = add(out, at,
		 once_in(m, 4) ? here
			       : starts[below(m, sizeof(starts) / sizeof(*starts))]);
	if (once_in(m, 80))
		n = 600; /* about as long as a path may be, or longer */
	for (unsigned i = 0; i < n; i++) {
		at = add(out, at, names[below(m, sizeof(names) / sizeof(*names))]);
		if (!once_in(m, 12))
			at = add(out, at, "/");
	}
	if (once_in(m, 16))
		return add_long(m, out, at);
	return once_in(m, 3) ? at : add_made(m, out, at);
}

/* What is no text at all. */
static uint64_t nowhere(struct mind *m)
{
	switch (below(m, 9)) {
	case 0:
		return 0;
	case 1:
		return 1 + below(m, PAGE);
	case 2:
		return UINT64_MAX - below(m, 64);
	case 3:
		return 0x800000000000u - below(m, 3);
	case 4:
		return 0xffffffff81000000u;
	case 5:
		return (uintptr_t)beyond + below(m, PAGE);
	case 6:
		return (uintptr_t)closed + below(m, PAGE);
	case 7:
		return (uintptr_t)m->edge[0] + 2 * PAGE - below(m, 2);
	default:
		return draw(m);
	}
}

/* A path: in the middle of memory, right before its end, cut off by it, or nowhere. */
static uint64_t path(struct mind *m, int which)
{
	char *text = m->room, *end = m->edge[which] + 2 * PAGE;
	unsigned kind = below(m, 20);
	size_t n;

	if (kind == 0)
		return nowhere(m);
	if (kind == 1)
		return (uintptr_t)flip;
	n = make_text(m, text);
	if (n >= 2 * PAGE)
		n = 2 * PAGE - 1;
	if (kind == 2) { /* without an end */
		memcpy(end - n, text, n);
		return (uintptr_t)(end - n);
	}
	memcpy(end - n - 1, text, n + 1);
	return (uintptr_t)(end - n - 1);
}

/* --- arguments
 * -------------------------------------------------------------------------- */

static int descriptor(struct mind *m)
{
	switch (below(m, 8)) {
	case 0:
		return 3 + (int)below(m, 40);
	case 1:
		return 3 + (int)below(m, 8);
	case 2:
		return -1;
	default:
		return AT_FDCWD;
	}
}

static uint64_t open_flags(struct mind *m)
{
	static const unsigned some[] = { O_CREAT,    O_TRUNC,    O_EXCL,      O_APPEND,
					 O_NONBLOCK, O_NOFOLLOW, O_DIRECTORY, O_TMPFILE,
					 O_PATH,     O_CLOEXEC,  O_DIRECT,    O_NOATIME,
					 O_SYNC,     O_ASYNC,    O_NOCTTY };
	uint64_t flags = below(m, 4);

	if (once_in(m, 12))
		return draw(m);
	for (unsigned n = below(m, 4); n > 0; n--)
		flags |= some[below(m, once_in(m, 3) ? 15 : 4)];
	return flags;
}

static uint64_t how(struct mind *m)
{
	m->how = (struct open_how){ .flags = open_flags(m),
				    .mode = once_in(m, 2) ? 0600 : draw(m) };
	if (once_in(m, 4))
		m->how.resolve = once_in(m, 2) ? 1u << below(m, 6) : draw(m);
	if (once_in(m, 3) && !(m->how.flags & O_CREAT))
		m->how.mode = 0;
	return once_in(m, 10) ? nowhere(m) : (uintptr_t)&m->how;
}

static uint64_t address(struct mind *m)
{
	struct sockaddr_un *a = (void *)(m->room + 2 * PAGE);

	*a = (struct sockaddr_un){ .sun_family = once_in(m, 6) ? (sa_family_t)draw(m)
							       : AF_UNIX };
	(void)make_text(m, m->room);
	(void)snprintf(a->sun_path, sizeof(a->sun_path), "%.*s",
		       (int)below(m, sizeof(a->sun_path)), m->room);
	return once_in(m, 10) ? nowhere(m) : (uintptr_t)a;
}

static uint64_t times(struct mind *m)
{
	uint64_t *t = (void *)(m->edge[1]);

	for (int i = 0; i < 4; i++)
		t[i] = once_in(m, 2)   ? below(m, 2000000)
		       : once_in(m, 3) ? 0x3fffffff - (uint64_t)below(m, 2)
				       : draw(m);
	return once_in(m, 5) ? nowhere(m) : once_in(m, 4) ? 0 : (uintptr_t)t;
}

static uint64_t attribute(struct mind *m)
{
	static const char *const some[] = { "user.a",    "user.b",
					    "user.",     "security.x",
					    "trusted.x", "system.posix_acl_access",
					    "",          "user" };
	char *name = m->room + 3 * PAGE;

	(void)snprintf(name, 300, "%s", some[below(m, once_in(m, 2) ? 8 : 2)]);
	if (once_in(m, 10)) {
		memset(name + 5, 'x', 260);
		name[250 + below(m, 15)] = '\0';
	}
	return once_in(m, 10) ? nowhere(m) : (uintptr_t)name;
}

static uint64_t argument(struct mind *m, char kind)
{
	static const uint64_t sizes[] = { 0,  1,  7,   8,    16,    23,    24,
					  25, 32, 110, 4096, 65536, 65537, UINT64_MAX };

	if (once_in(m, 60))
		return once_in(m, 2) ? draw(m) : nowhere(m);
	switch (kind) {
	case 'p':
	case 'q':
		return path(m, kind == 'q');
	case 'd':
		return (uint64_t)(int64_t)descriptor(m);
	case 'f':
		return open_flags(m);
	case 'h':
		return how(m);
	case 'z': /* mostly what the kernel has */
		return once_in(m, 3) ? sizes[below(m, 14)] : sizeof(struct open_how);
	case 's':
		return sizes[below(m, 14)];
	case 'm':
		return once_in(m, 3) ? draw(m)
				     : (once_in(m, 4) ? S_IFIFO : 0) |
					       (0600 | below(m, 0200));
	case 'a':
		return once_in(m, 3)   ? 1u << (8 + below(m, 6))
		       : once_in(m, 8) ? draw(m)
				       : 0;
	case 'r':
		return once_in(m, 3) ? below(m, 9) : 0;
	case 't':
		return times(m);
	case 'x':
		return attribute(m);
	case 'v':
		return once_in(m, 8) ? nowhere(m) : (uintptr_t)m->edge[0];
	case 'l':
		return once_in(m, 3) ? draw(m) : below(m, 5000);
	case 'u':
		return once_in(m, 2) ? UINT64_MAX : once_in(m, 3) ? draw(m) : getuid();
	case 'b':
		return address(m);
	case 'n':
		return once_in(m, 3) ? draw(m)
				     : sizeof(struct sockaddr_un) - below(m, 100);
	default: /* w */
		return 2u | below(m, 8);
	}
}

/* Memory with nothing behind it; false: there is none. */
static bool begin_mind(struct mind *m, uint64_t state)
{
	m->state = state;
	for (int i = 0; i < 2; i++) {
		char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || munmap(p + 2 * PAGE, PAGE) != 0)
			return false;
		m->edge[i] = p;
	}
	return true;
}

/* Pages that cannot be read: of the file, behind its end, and one that nobody may read.
 */
static bool begin_pages(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	beyond = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || beyond == MAP_FAILED || closed == MAP_FAILED)
		return false;
	beyond += PAGE;
	(void)close(fd);
	return true;
}

#endif
