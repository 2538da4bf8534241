/*
 * Names and numbers of the target kernel: system calls of x86_64 with their arguments,
 * constants, and error numbers.  Names and numbers of calls come from libseccomp
 * (bookworm's version names nothing above 456), arguments from calls.def, constants
 * from constants.def.  test_target compares both tables with libseccomp and the system
 * headers.
 */
#ifndef COMPILER_TARGET_TARGET_H
#define COMPILER_TARGET_TARGET_H

#include "compiler/base/str.h"

#define TARGET_ARGS 6

/* The values of seccomp_data.arch that the kernel reports. */
#define TARGET_AUDIT_ARCH_X86_64 0xc000003eu
#define TARGET_AUDIT_ARCH_I386 0x40000003u
/* Under AUDIT_ARCH_X86_64, numbers with this bit are x32 calls. */
#define TARGET_X32_BIT 0x40000000u

struct target_arg {
	const char *name;  /* the kernel's name */
	const char *alias; /* the manual page's name if it differs, else NULL */
	/*
	 * How many bits a filter compares, 32 or 64.  The kernel ignores the bits above
	 * an int, an unsigned int, a uid_t, the command of an ioctl.  A filter that
	 * compared them could be bypassed.
	 */
	uint8_t width;
	/*
	 * The bits that the kernel reads: all of `width`, except for umode_t, which has
	 * 16 bits.  A condition's mask is ANDed with this.
	 */
	uint64_t mask;
};

struct target_call {
	const char *name;
	uint32_t nr;
	/*
	 * -1: the arguments are not known (no kernel implements the call on x86_64).  A
	 * condition on them is an error; we do not guess.
	 */
	int nargs;
	struct target_arg args[TARGET_ARGS];
};

/* Returns the call, or NULL. */
const struct target_call *target_call_by_name(struct str name);
const struct target_call *target_call_by_nr(uint32_t nr);
/* All calls, by ascending number. */
const struct target_call *target_calls(size_t *ret_n);
/* The highest number that has a name, plus one. */
uint32_t target_call_end(void);
/* All names, for diag_suggest(). */
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

/* 1..4095, or 0 if the name is not that of an errno. */
uint16_t target_errno(struct str name);
/* "EPERM", or NULL. */
const char *target_errno_name(unsigned err);
const char *const *target_errno_names(size_t *ret_n);

#endif
