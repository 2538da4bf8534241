/* The files that a command reads and writes. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_FILES_H
#define RUNTIME_DECIDE_PART_FILES_H

#include "runtime/decide/line_ctx.h"

/* The file rule that hides something, or denies reading it (`asks`: asks about reading it), which the
 * patterns and trees that the command reads may be or hold; UINT32_MAX: none. */
uint32_t part_holds(struct line_ctx *l, const struct cmd_part *p, bool asks);
/* What the file rules say about the files that the command writes, as its table says.
 * false: no rule is about them. */
bool part_writes(struct line_ctx *l, const struct cmd_part *p, struct decision *ret);
/* The file rule that keeps from being written, or asks about, a path that the command may
 * write: one that a literal word names or begins, if no table says that the program does not
 * write there; UINT32_MAX: none. */
uint32_t part_may_write(struct line_ctx *l, const struct cmd_part *p);

/* The rule (not `otherwise`) that keeps one name from being written, or asks; UINT32_MAX: none. */
uint32_t part_kept_name(const struct line_ctx *l, const char *path);

#endif
