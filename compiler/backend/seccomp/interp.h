/*
 * A plain interpreter of classic BPF over struct seccomp_data, for verify and
 * the tests.  It knows only what the emitter may use.
 */
#ifndef COMPILER_BACKEND_SECCOMP_INTERP_H
#define COMPILER_BACKEND_SECCOMP_INTERP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Runs the program.  False where it is broken: a jump or a load outside, an
 * instruction that is not in the emitter's list.  ret_pc: the return reached.
 */
bool interp_run(const struct sock_filter *insns, size_t n,
		const struct seccomp_data *data, uint32_t *ret_value,
		uint32_t *ret_pc);

#endif
