/* What a command finds on the disk where it writes and reads. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_DISK_H
#define RUNTIME_DECIDE_PART_DISK_H

#include "runtime/decide/line_ctx.h"

/*
 * The file rule that keeps from being written, or asks about, something that the command finds:
 * what a pattern of file names matches, what lies below a directory that it moves or removes,
 * and the names that a copied tree gets in the directory in which it is put.  Also the rule that
 * hides what a pattern matches that is read.  UINT32_MAX: none, or nothing is known of the disk.
 * *ret_undecided: more lies there than is looked at, or it cannot be read.
 */
uint32_t part_on_disk(struct line_ctx *l, const struct cmd_part *p, bool *ret_undecided);

#endif
