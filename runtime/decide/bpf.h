/* An interpreter for the classic BPF that seccomp accepts. The supervisor runs the loaded
 * filter again to learn which instruction returned. */
#ifndef RUNTIME_DECIDE_BPF_H
#define RUNTIME_DECIDE_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the program counter of the BPF_RET at which the filter ends for `data`. -1: an
 * instruction that seccomp would have refused, a jump out of the program, or a division
 * by zero. *ret_value is the returned value. *ret_args has bit N set if argument N was
 * read.
 */
int bpf_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *data,
	    uint32_t *ret_value, unsigned *ret_args);

#endif
