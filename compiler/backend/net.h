/* The network: what a mode means today, before the egress gateway exists. */
#ifndef COMPILER_BACKEND_NET_H
#define COMPILER_BACKEND_NET_H

#include "compiler/backend/backend.h"

extern const struct backend bk_net;

#endif
