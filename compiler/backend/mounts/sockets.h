/* What sockets that rules allow give away. */
#ifndef COMPILER_BACKEND_MOUNTS_SOCKETS_H
#define COMPILER_BACKEND_MOUNTS_SOCKETS_H

#include "compiler/backend/common/backend.h"

/* Warns of each allow that names, or covers, a socket that gives away more than it seems
 * to (target/sockets.def), and of an ssh-agent that the run would not find. */
void mounts_sockets_check(const struct ir *ir, struct diag_sink *sink);

#endif
