/*
 * mounts.bin: the places where the view of a run may change.  The back end
 * names them; what is readable, writable and executable there is decided at
 * the start of a run by decide_file(), so view and decisions cannot differ.
 */
#ifndef COMPILER_BACKEND_MOUNTS_MOUNTS_H
#define COMPILER_BACKEND_MOUNTS_MOUNTS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_mounts;

#endif
