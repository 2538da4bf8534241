/* The back end for system calls: seccomp/x86_64.{enforce,broker,trace}.{bpf,map}. */
#ifndef COMPILER_BACKEND_SECCOMP_SECCOMP_H
#define COMPILER_BACKEND_SECCOMP_SECCOMP_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_seccomp;

#endif
