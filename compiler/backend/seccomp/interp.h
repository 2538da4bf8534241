/*
 * A plain interpreter of classic BPF over struct seccomp_data, for verify and
 * the tests.  It knows only the instructions that the emitter may use.
 */
#ifndef COMPILER_BACKEND_SECCOMP_INTERP_H
#define COMPILER_BACKEND_SECCOMP_INTERP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Runs the program.  False if the program is broken: a jump or a load outside, or an
 * instruction that the emitter does not use.  ret_pc: the return that was reached.
 */
bool interp_run(const struct sock_filter *insns, size_t n,
		const struct seccomp_data *data, uint32_t *ret_value,
		uint32_t *ret_pc);

#endif
