/* An interpreter for the classic BPF that seccomp accepts: the supervisor runs
 * the loaded filter again to learn which instruction returned. */
#ifndef RUNTIME_DECIDE_BPF_H
#define RUNTIME_DECIDE_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The program counter of the BPF_RET that the filter ends at for `data`, or
 * -1 for an instruction that seccomp would have refused, a jump out of the
 * program or a division by zero.  *ret_value is the value returned, *ret_args
 * has bit N set where argument N was looked at.
 */
int bpf_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *data,
	    uint32_t *ret_value, unsigned *ret_args);

#endif
