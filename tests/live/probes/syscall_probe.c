/*
 * Makes one system call and says what came back:
 *   syscall_probe NAME|NR [ARG…]   →   "OK value" or the errno's name
 * An argument is a number (decimal, 0x…, negative), @TEXT (a pointer to the
 * text), or +N (a pointer to N zeroed bytes).  Static, knows nothing of the
 * policy: run inside the sandbox by the live tests.  Exit 0 for OK, 1 for an
 * errno, 2 for a bad command line.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Newer than bookworm's headers; libseccomp names them. */
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_map_shadow_stack
#define __NR_map_shadow_stack 453
#endif
#ifndef __NR_futex_wake
#define __NR_futex_wake 454
#endif
#ifndef __NR_futex_wait
#define __NR_futex_wait 455
#endif
#ifndef __NR_futex_requeue
#define __NR_futex_requeue 456
#endif

static const struct {
	const char *name;
	long nr;
} calls[] = {
#define CALL(name, args) { #name, __NR_##name },
#include "compiler/target/calls.def"
#undef CALL
};

static const struct {
	const char *name;
	int err;
} errnos[] = {
#define ERRNO(name, value) { #name, value },
#include "compiler/target/errnos.def"
#undef ERRNO
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static int number(const char *s, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	return *s && !*end && !errno ? 0 : -1;
}

static int call_number(const char *s, long *ret)
{
	uint64_t v;

	for (size_t i = 0; i < LEN(calls); i++)
		if (strcmp(s, calls[i].name) == 0) {
			*ret = calls[i].nr;
			return 0;
		}
	if (number(s, &v) < 0)
		return -1;
	*ret = (long)v;
	return 0;
}

static int argument(char *s, uint64_t *ret)
{
	uint64_t n;
	void *p;

	if (*s == '@') {
		*ret = (uint64_t)(uintptr_t)(s + 1);
		return 0;
	}
	if (*s != '+')
		return number(s, ret);
	if (number(s + 1, &n) < 0 || n > 1 << 20)
		return -1;
	p = calloc(1, n + 1);
	*ret = (uint64_t)(uintptr_t)p;
	return p ? 0 : -1;
}

static const char *errno_name(int err)
{
	for (size_t i = 0; i < LEN(errnos); i++)
		if (errnos[i].err == err)
			return errnos[i].name;
	return "unknown";
}

int main(int argc, char **argv)
{
	uint64_t args[6] = { 0 };
	long nr, value;

	if (argc < 2 || argc > 8 || call_number(argv[1], &nr) < 0) {
		fprintf(stderr, "usage: syscall_probe NAME|NR [ARG…]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (argument(argv[i], &args[i - 2]) < 0) {
			fprintf(stderr, "syscall_probe: bad argument '%s'\n", argv[i]);
			return 2;
		}
	value = syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
	if (value == -1) {
		printf("%s\n", errno_name(errno));
		return 1;
	}
	printf("OK %ld\n", value);
	return 0;
}
