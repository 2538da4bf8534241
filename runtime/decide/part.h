/*
 * What the rules say about one command. Internal to decide/: part_match.c finds the
 * matching clauses, guard.c evaluates their guards, part.c decides the part in the steps
 * of semantics 4.4, decide_line.c decides the line.
 */
#ifndef RUNTIME_DECIDE_PART_H
#define RUNTIME_DECIDE_PART_H

#include "runtime/decide/line_ctx.h"

/* Decides one simple command: sets p->effect, rule, step, risk. */
void part_decide(struct line_ctx *l, struct cmd_part *p, struct decision *ret);

#endif
