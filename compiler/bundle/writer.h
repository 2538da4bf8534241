/*
 * The last step of a compilation: writes the manifest, its digest and every member
 * as one deterministic ustar archive (doc/bundle-format.md).  The same IR, members and
 * options give the same bytes.
 */
#ifndef COMPILER_BUNDLE_WRITER_H
#define COMPILER_BUNDLE_WRITER_H

#include "compiler/backend/common/backend.h"
#include "compiler/base/buf.h"
#include "compiler/bundle/bundle_options.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/*
 * Appends the archive to `ret_bytes` (which is empty and in the IR's arena):
 * the members of `out`, ir.json and the sources, in the order of the format.
 * False, with messages in the sink, if a limit of the format is exceeded or a member
 * has no place in it.
 */
bool bundle_write(const struct ir *ir, const struct bk_output *out,
		  const struct bundle_options *opt, struct buf *ret_bytes,
		  struct diag_sink *sink);
/* Appends one member: its header, its bytes, and padding for the last block. */
void bundle_put(struct buf *b, struct str path, struct str bytes);

#endif
