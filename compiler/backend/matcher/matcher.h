/*
 * matcher.bin: the rules about commands, files, sockets and tools, and the risk
 * facts, as automata (runtime/bundle/format.h).
 */
#ifndef COMPILER_BACKEND_MATCHER_MATCHER_H
#define COMPILER_BACKEND_MATCHER_MATCHER_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_matcher;

#endif
