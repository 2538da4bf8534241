/* How values, places and statements of the IR are written for people. */
#ifndef COMPILER_CLI_SHOW_H
#define COMPILER_CLI_SHOW_H

#include "compiler/ir/ir.h"

/* "std/base.pol:12", or "built in". */
struct str show_place(struct arena *a, const struct ir_place *at);
/* With the column where it is known: file:line:col. */
struct str show_point(struct arena *a, const struct ir_place *at);
/* In the spelling of the language: "deny", "by risk { low allow … }", "4G", "60s". */
struct str show_scalar(struct arena *a, enum ir_scalar_id id,
		       const struct ir_scalar *s);
struct str show_value(struct arena *a, const struct ir_value *v);
/* On one line, without control bytes, cut to about 100 columns with an ellipsis. */
struct str show_cut(struct arena *a, struct str text);

#endif
