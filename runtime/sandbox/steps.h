/* Executes a plan. */
#ifndef RUNTIME_SANDBOX_STEPS_H
#define RUNTIME_SANDBOX_STEPS_H

#include "runtime/sandbox/step.h"

/* Executes the plan's operations of one phase (enum plan_phase), in order. */
int steps_run(struct init *in, unsigned phase, struct rt_err *err);

#endif
