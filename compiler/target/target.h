/*
 * What the target kernel calls things: system calls of x86_64 with their
 * arguments, constants and error numbers.  Names and numbers come from
 * libseccomp (its bookworm version names nothing above 456), arguments from
 * calls.def, constants from constants.def; test_target compares both with
 * libseccomp and the system headers.
 */
#ifndef COMPILER_TARGET_TARGET_H
#define COMPILER_TARGET_TARGET_H

#include "compiler/base/str.h"

#define TARGET_ARGS 6

/* As the kernel reports them in seccomp_data.arch. */
#define TARGET_AUDIT_ARCH_X86_64 0xc000003eu
#define TARGET_AUDIT_ARCH_I386 0x40000003u
/* Numbers with this bit are x32 calls under AUDIT_ARCH_X86_64. */
#define TARGET_X32_BIT 0x40000000u

struct target_arg {
	const char *name;  /* the kernel's */
	const char *alias; /* the manual page's, where it differs; or NULL */
	/*
	 * How many bits a filter compares, 32 or 64: the kernel ignores what
	 * stands above an int, an unsigned int, a uid_t, the command of an
	 * ioctl; so a filter that looked there could be walked around.
	 */
	uint8_t width;
	/*
	 * The bits that the kernel reads.  All of `width`, but for umode_t,
	 * which is 16 bits wide: a condition's mask is ANDed with this.
	 */
	uint64_t mask;
};

struct target_call {
	const char *name;
	uint32_t nr;
	/*
	 * -1: the arguments are not known (calls that no kernel implements on
	 * x86_64).  A condition on them is an error, never a guess.
	 */
	int nargs;
	struct target_arg args[TARGET_ARGS];
};

/* The call, or NULL. */
const struct target_call *target_call_by_name(struct str name);
const struct target_call *target_call_by_nr(uint32_t nr);
/* Every call, by ascending number. */
const struct target_call *target_calls(size_t *ret_n);
/* One more than the highest number that has a name. */
uint32_t target_call_end(void);
/* Every name, for diag_suggest(). */
const char *const *target_call_names(size_t *ret_n);

/* Index of the argument with this name or alias, or -1. */
int target_call_arg(const struct target_call *call, struct str name);

/*
 * Constants: AF_INET, CLONE_NEWUSER, O_CREAT, TIOCSTI, EPERM …  A negative
 * one (AT_FDCWD) is sign-extended to 64 bits; the caller cuts it to the
 * argument's width.
 */
bool target_constant(struct str name, uint64_t *ret_value);
const char *const *target_constant_names(size_t *ret_n);

/* 1..4095, or 0 for a name that is no errno. */
uint16_t target_errno(struct str name);
/* "EPERM", or NULL. */
const char *target_errno_name(unsigned err);
const char *const *target_errno_names(size_t *ret_n);

#endif
