/* What polquery's verbs about the state share. */
#ifndef RUNTIME_STATE_VERB_H
#define RUNTIME_STATE_VERB_H

#include <stdint.h>

#include "runtime/base/err.h"

/* Exit statuses: nothing was removed; trouble. */
enum { VERB_NONE = 1, VERB_TROUBLE = 2 };

/* Prints the failure and returns VERB_TROUBLE. */
int verb_fail(const struct rt_err *err);

enum { VERB_WHEN = 32 };
/* "2026-11-25T15:20:00Z"; "?" for an invalid time. */
void verb_when(int64_t when, char out[VERB_WHEN]);

#endif
