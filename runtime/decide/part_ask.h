/* Asks the automata about one command. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_ASK_H
#define RUNTIME_DECIDE_PART_ASK_H

#include "runtime/decide/part_call.h"

/* Adds to the sets of clauses what the automata say about a known program, … */
void call_ask_known(struct call *c);
/* … about an unknown program, … */
void call_ask_all(struct call *c);
/* … and about the text of literal words. */
void call_ask_regexes(struct call *c);
/* The same for words that are not all literal, behind a program that is: only for deny and
 * ask. */
void call_ask_regexes_of_unknown(struct call *c);
/* Can a broad clause begin with this literal program? Costs only the bytes of its
 * name. */
bool call_may_begin(const struct line_ctx *l, const char *p, size_t n);

#endif
