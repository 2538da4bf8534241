/*
 * mounts.bin: the places where the view of a run may change.  The back end only
 * names them.  decide_file() decides at the start of a run what is readable,
 * writable and executable there, so the view and the decisions cannot differ.
 */
#ifndef COMPILER_BACKEND_MOUNTS_MOUNTS_H
#define COMPILER_BACKEND_MOUNTS_MOUNTS_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_mounts;

#endif
