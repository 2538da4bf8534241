/* Instructions of a system-call filter, as our own processes write theirs. */
#ifndef RUNTIME_BASE_FILTER_INSN_H
#define RUNTIME_BASE_FILTER_INSN_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define STMT(c, v) { (uint16_t)(c), 0, 0, (uint32_t)(v) }
#define JUMP(c, v, t, f) { (uint16_t)(c), (uint8_t)(t), (uint8_t)(f), (uint32_t)(v) }
#define JEQ(v, t, f) JUMP(BPF_JMP | BPF_JEQ | BPF_K, v, t, f)
#define LOAD(field) STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_ARG(n) \
	STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n))
#define ALLOW STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define KILL STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

#endif
